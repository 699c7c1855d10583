"""``translit evaluate`` from the outside: exit code, stdout, stderr."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import translit.cli.evaluate  # noqa: F401  (registers the command)
from translit.cli import main

Patch, Capture = pytest.MonkeyPatch, pytest.CaptureFixture[str]

PAIRS = [("Go.", "走。"), ("I have 3 cats.", "我有3只猫。"), ("It's late.", "很晚了。")]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "dev.tsv").write_text("".join(f"{s}\t{t}\n" for s, t in PAIRS), "utf-8")
    (tmp_path / "source.en").write_text("".join(f"{s}\n" for s, _ in PAIRS), "utf-8")
    (tmp_path / "ref.zh").write_text("".join(f"{t}\n" for _, t in PAIRS), "utf-8")
    (tmp_path / "out.zh").write_text("走吧。\n我有4只猫。\n很晚了。\n", "utf-8")
    (tmp_path / "other.zh").write_text("走\n猫.\n\n", "utf-8")
    return tmp_path


def evaluate(monkeypatch: Patch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["translit", "evaluate", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


class FakeTranslator:
    """Stands in for the real one: a model that knows the test set, but for its last line."""

    def __init__(self, model: Path | None = None, engine: str = "auto", **options: object) -> None:
        self.settings = {"engine": engine, **options}

    def translate(self, lines: list[str]) -> list[SimpleNamespace]:
        known = dict(PAIRS[:-1])
        return [SimpleNamespace(text=known.get(line, "晚")) for line in lines]

    def describe(self) -> dict[str, object]:
        return self.settings


@pytest.fixture
def fake_translator(monkeypatch: Patch) -> None:
    module = ModuleType("translit.translator")
    module.Translator = FakeTranslator  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "translit.translator", module)


def test_scores_of_outputs(files: Path, monkeypatch: Patch, capsys: Capture) -> None:
    report = files / "report.json"
    code = evaluate(
        monkeypatch,
        *(files / "dev.tsv", "--hyp", files / "out.zh", "--compare", files / "other.zh", "--report", report),
    )
    out, err = capsys.readouterr()
    assert code == 0
    assert out.startswith("out on dev.tsv: 3 lines, 1 reference a line\n")
    assert "a number changed" in out
    assert "out against other" in out
    assert f"report: {report}" in err
    saved = json.loads(report.read_text("utf-8"))
    assert saved["comparisons"][0]["other"] == "other"
    # Three lines can be swapped in eight ways, of which two give this difference.
    assert all(metric["p_value"] >= 0.25 for metric in saved["comparisons"][0]["metrics"])
    assert saved["command"].startswith("translit evaluate ")


def test_tsv_and_parallel_files_give_the_same_scores(
    files: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    evaluate(monkeypatch, files / "dev.tsv", "--hyp", files / "out.zh")
    first = capsys.readouterr().out
    evaluate(monkeypatch, "-s", files / "source.en", "-r", files / "ref.zh", "--hyp", files / "out.zh")
    second = capsys.readouterr().out
    assert first.splitlines()[1:] == second.splitlines()[1:]


@pytest.mark.usefixtures("fake_translator")
def test_a_model_translates_and_its_settings_are_part_of_the_record(
    files: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    code = evaluate(
        monkeypatch, files / "dev.tsv", "--model", "runs/small", "--beam", 3, "--compare", files / "other.zh"
    )
    out, err = capsys.readouterr()
    assert code == 0
    assert out.startswith("small on dev.tsv")
    assert "Made by engine auto, beam 3" in out
    assert "translit explain --model runs/small 'It'\"'\"'s late.'" in out
    assert "translated 3 lines in" in err


def test_a_real_model_on_both_engines(
    files: Path, tiny_model_dir: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    reports = []
    for engine in ("auto", "torch"):
        path = files / f"{engine}.json"
        arguments = ("--model", tiny_model_dir, "--engine", engine, "--beam", 2, "--report", path)
        assert evaluate(monkeypatch, files / "dev.tsv", *arguments) == 0
        reports.append(json.loads(path.read_text("utf-8")))
    assert [line["source"] for line in reports[0]["lines"]] == [source for source, _ in PAIRS]
    assert all(line["output"] for line in reports[0]["lines"])
    assert reports[0]["made_by"]["beam"] == 2
    assert "int8" in reports[0]["made_by"]["engine"]
    assert "torch" in reports[1]["made_by"]["engine"]
    assert "translated 3 lines in" in capsys.readouterr().err


@pytest.mark.usefixtures("fake_translator")
def test_two_models_compared(files: Path, monkeypatch: Patch, capsys: Capture) -> None:
    assert evaluate(monkeypatch, files / "dev.tsv", "--model", "a/one", "--compare-model", "a/two") == 0
    assert "one against two" in capsys.readouterr().out


@pytest.mark.usefixtures("fake_translator")
def test_models_are_told_apart_and_always_have_a_name(
    files: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    (files / "model").mkdir()
    monkeypatch.chdir(files / "model")
    others = ("--compare-model", "a/model", "--compare-model", "b/model")
    assert evaluate(monkeypatch, files / "dev.tsv", "--model", ".", "--compare-model", "c/other") == 0
    assert capsys.readouterr().out.startswith("model on dev.tsv")
    assert evaluate(monkeypatch, files / "dev.tsv", "--model", "one", *others) == 0
    out = capsys.readouterr().out
    assert "one against a/model" in out
    assert "one against b/model" in out


@pytest.mark.usefixtures("fake_translator")
def test_outputs_may_have_a_beam_for_the_model_they_are_compared_with(
    files: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    given = ("--hyp", files / "out.zh", "--compare-model", "a/one", "--beam", 3)
    assert evaluate(monkeypatch, files / "dev.tsv", *given) == 0
    assert "out against one" in capsys.readouterr().out


def test_a_report_that_fails_does_not_take_the_scores(
    files: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("translit.disk.os.replace", full_disk)
    before = sorted(files.iterdir())
    arguments = ("--hyp", files / "out.zh", "--report", files / "report.html")
    assert evaluate(monkeypatch, files / "dev.tsv", *arguments) == 2
    out, err = capsys.readouterr()
    assert out.startswith("out on dev.tsv")
    assert err.endswith("report.html: cannot write: No space left on device; choose another file\n")
    assert sorted(files.iterdir()) == before


def test_names_that_clash_are_told_apart_by_path(files: Path, monkeypatch: Patch, capsys: Capture) -> None:
    (files / "b").mkdir()
    clash = files / "b" / "out.zh"
    clash.write_text("走\n猫\n晚\n", "utf-8")
    evaluate(monkeypatch, files / "dev.tsv", "--hyp", files / "out.zh", "--compare", clash)
    assert f"against {clash}" in capsys.readouterr().out.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dev.tsv", "--hyp", "gone.zh"], "gone.zh: cannot read"),
        (["dev.tsv", "--source", "source.en"], "dev.tsv: already holds source and reference"),
        (["--ref", "ref.zh"], "there is no source to translate"),
        ([], "nothing to score against"),
        (["dev.tsv", "--hyp", "out.zh", "--report", "report.pdf"], "report.pdf: unknown kind of report"),
        (["dev.tsv", "--hyp", "out.zh", "--report", "folder.html"], "folder.html: is a folder; give"),
        (["dev.tsv", "--hyp", "out.zh", "--beam", "3"], "--beam has no effect with --hyp"),
        (["dev.tsv", "--hyp", "out.zh", "--engine", "torch"], "--engine has no effect with --hyp"),
        (["dev.tsv", "--hyp", "out.zh", "--resamples", "1"], "--resamples 1: one resample makes no interval"),
        (["dev.tsv", "--hyp", "out.zh", "--target-lang", "Chinese"], "--target-lang Chinese: not a language"),
        (
            ["--source", "source.en", "--ref", "source.en"],
            "source.en: most references hold no Chinese character",
        ),
        (
            ["--source", "ref.zh", "--ref", "source.en"],
            "ref.zh: most references hold no Chinese character; source",
        ),
    ],
)
def test_bad_requests_exit_2_with_one_line(
    files: Path,
    monkeypatch: Patch,
    capsys: Capture,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(files)
    (files / "folder.html").mkdir()
    assert evaluate(monkeypatch, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"translit: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["evaluate", "dev.tsv", "--hyp", "out.zh"], ["--version"], ["--help"]])
def test_a_reader_who_has_seen_enough_is_no_error(files: Path, arguments: list[str]) -> None:
    """``translit … | head``: whoever writes first, Rich, Typer or the last flush, the exit code is 0."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "translit", *arguments]
    done = subprocess.run(command, cwd=files, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode == 0
    assert "pipe" not in done.stderr.lower()


def test_a_reader_who_has_seen_enough_gets_the_report_all_the_same(files: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "translit", "evaluate", "dev.tsv", "--hyp", "out.zh", "--report", "r.md"]
    done = subprocess.run(command, cwd=files, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode == 0
    assert (files / "r.md").read_text("utf-8").startswith("# out on dev.tsv")
