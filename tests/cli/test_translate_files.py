"""``translit translate`` with files: what is refused, what is said, where the output goes."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from translit.cli import main
from translit.cli.output import Warnings, in_words
from translit.cli.prompt import _history
from translit.errors import TranslitError
from translit.files import Job, translate_file
from translit.text.checks import Flag


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]

SRT = "1\n00:00:01,000 --> 00:00:02,000\n12\n34\n"


@pytest.fixture
def run(
    tiny_model_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> Run:
    """Run ``translit translate`` in an empty folder, in this process, with the tiny model."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRANSLIT_MODEL", str(tiny_model_dir))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def run_here(*args: str, stdin: str = "") -> Result:
        monkeypatch.setattr("sys.argv", ["translit", "translate", *args])
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsysbinary.readouterr()
        return Result(int(end.value.code or 0), out.decode(), err.decode())

    return run_here


def test_a_dash_is_standard_input_and_output(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text(SRT, "utf-8")
    assert run("-i", "a.srt", "-o", "-").out == SRT
    assert run("--format", "srt", stdin=SRT).out == SRT
    assert (
        run("-i", "-", "--format", "srt", "-o", "b.srt", stdin=SRT).err
        == "translit: stdin → b.srt: 0 texts\n"
    )
    assert (tmp_path / "b.srt").read_text("utf-8") == SRT
    assert run("-i", "-", stdin="12\n34").out == "12\n34"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.srt", "b.srt"]


def test_standard_input_is_named_in_messages(run: Run) -> None:
    result = run("--format", "json", stdin='{"a": ')
    assert result.code == 2
    assert result.err.startswith("translit: stdin:1: not valid JSON")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-i", "a.srt", "--json"], "--json is for lines, and a file keeps its format"),
        (["-i", "a.srt", "--confidence"], "--confidence is for lines"),
        (["-i", "a.srt", "--pinyin"], "--pinyin is for lines"),
        (["-i", "a.srt", "--nbest", "2"], "--nbest is for lines"),
        (["--format", "srt", "--json"], "--json is for lines"),
        (["--format", "srt", "hello"], "--format is for files, and here is a text"),
        (["-I", "hello"], "--interactive opens a prompt"),
    ],
)
def test_no_option_is_ignored(run: Run, tmp_path: Path, args: list[str], message: str) -> None:
    (tmp_path / "a.srt").write_text(SRT, "utf-8")
    result = run(*args)
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_docx_is_not_written_to_a_terminal(tmp_path: Path) -> None:
    class Terminal(io.BytesIO):
        def isatty(self) -> bool:
            return True

    job = Job(tmp_path / "a.docx", None)
    with pytest.raises(
        TranslitError, match=r"a\.docx: a docx is not for a terminal; say where to with -o FILE"
    ):
        translate_file(None, job, Terminal(), lambda *_: None)  # type: ignore[arg-type]  # not needed for that


def test_what_a_folder_holds_besides_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs" / ".git").mkdir(parents=True)
    for name in ("a.md", "b.png", "c.css", ".git/config"):
        (tmp_path / "docs" / name).write_text("12\n", "utf-8")
    (tmp_path / "docs" / "d.txt").symlink_to("nowhere.txt")
    assert "translit: 3 other files left alone: b.png, c.css, d.txt\n" in run("-i", "docs", "-o", "out").err


def test_a_table_is_not_taken_for_plain_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,2\n", "utf-8")
    result = run("-i", "a.csv")
    assert (result.code, result.out) == (2, "")
    assert (
        "a.csv: line by line, a csv would not keep its structure; if you want that, add --format txt"
        in result.err
    )
    assert run("-i", "a.csv", "--format", "txt").out == "1,2\n"


def test_hidden_files_of_a_folder_are_left_alone_and_no_name_is_no_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs" / ".github").mkdir(parents=True)
    for name in ("a.txt", ".b.txt", ".github/c.yml"):
        (tmp_path / "docs" / name).write_text("12\n", "utf-8")
    assert run("-i", "docs", "-o", "out").code == 0
    assert [p.name for p in (tmp_path / "out").rglob("*") if p.is_file()] == ["a.txt"]
    assert "the name is empty" in run("-i", "", "-o", "out").err


def test_two_files_of_one_name_never_overwrite_each_other(run: Run, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text("12\n")
    for inputs in (("a/x.txt", "b/x.txt"), ("a", "b")):
        result = run("-i", inputs[0], "-i", inputs[1], "-o", "out")
        assert result.code == 2
        assert "a/x.txt and b/x.txt would both become out/x.txt; translate them one by one" in result.err
    assert not (tmp_path / "out").exists()
    assert run("-i", "a/x.txt", "-i", "a/x.txt", "-o", "out").code == 0  # the same file twice


def test_an_output_folder_inside_the_input_is_not_translated_again(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "x.txt").write_text("12\n")
    for _ in range(2):
        assert run("-i", "docs", "-o", "docs/zh").code == 0
    assert {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.txt")} == {"docs/x.txt", "docs/zh/x.txt"}


def test_flags_name_the_line_of_the_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("12\n\n\nCall 244890 now, friend.\n", "utf-8")
    assert run("-i", "a.md").err.startswith("translit: a.md:4: ")


def test_fewer_translations_than_asked_for_are_told(run: Run) -> None:
    result = run("--nbest", "2", "--beam", "1", "--memory", "m.tsv", "12")
    assert result.code == 2  # there is no m.tsv
    assert "fewer than" not in run("--nbest", "2", "12").err  # the model was not asked
    shown = run("--nbest", "60", "I love you")
    assert ("fewer than 60 different translations" in shown.err) == (shown.out.count("\n") < 60)


def test_lines_left_untranslated_say_so(run: Run) -> None:
    shown = run("--confidence", "--min-confidence", "1", "I love you").out
    assert shown.startswith("I love you\t")
    assert shown.endswith("% (left untranslated)\n")


def test_flags_of_one_kind_are_one(capsys: pytest.CaptureFixture[str]) -> None:
    flags = [Flag("too-short", "a"), Flag("url", "u is missing"), Flag("url", "v is missing")]
    assert in_words(flags) == "too-short: a; url: u is missing, v is missing"
    assert in_words(flags[:1] * 24) == "too-short (24 parts): a, …"
    Warnings().summary()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("translate --engine ", "auto ctranslate2 torch"),
        ("translate --script ", "hans hant"),
        ("translate --format s", "srt"),
        ("train --preset t", "tiny tune"),
    ],
)
def test_tab_offers_the_values(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, offered: str
) -> None:
    monkeypatch.setenv("_TRANSLIT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"translit {words}")
    monkeypatch.setenv("COMP_CWORD", "3")
    monkeypatch.setattr("sys.argv", ["translit"])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out.split() == offered.split()


def test_the_prompt_knows_help_and_quit(run: Run) -> None:
    result = run("-I", stdin=":help\n12\n:quit\n34\n")
    assert result.code == 0
    assert result.out == "12\n"  # no prompt where nobody types
    assert ":quit, Ctrl-D end" in result.err


def test_lines_from_windows_end_as_they_did_whatever_is_shown_beside_them(run: Run) -> None:
    for options in (["--confidence"], ["--alternatives", "1"], ["--pinyin", "--nbest", "2", "--confidence"]):
        lines = run(*options, stdin="I love you.\r\n").out.split("\n")
        assert len(lines) > 1, options
        assert all(line.endswith("\r") and line.count("\r") == 1 for line in lines[:-1]), lines
        assert lines[-1] == ""


@pytest.mark.parametrize("way", [["-o", "b.txt"], ["-o", "b.md", "--format", "md"], []])
def test_a_failure_to_read_is_not_blamed_on_the_output(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: list[str]
) -> None:
    (tmp_path / "a.txt").write_text("12\n", "utf-8")

    class Failing(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, _: object) -> int:
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("translit.files._open", lambda _: Failing())
    result = run("-i", "a.txt", *way)
    assert result.code == 2
    assert result.err == "translit: a.txt: cannot read: Input/output error\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.skipif(os.name == "nt", reason="needs SIGTERM")
def test_sigterm_leaves_nothing_half_done(tiny_model_dir: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    process = subprocess.Popen(
        [sys.executable, "-m", "translit", "translate", "-i", "a.txt", "-o", "b.zh"],
        cwd=tmp_path,
        env={**os.environ, "TRANSLIT_MODEL": str(tiny_model_dir)},
    )
    with (tmp_path / "a.txt").open("wb") as pipe:  # once it is opened there, the output is begun
        pipe.write(b"12\n")
        pipe.flush()
        assert len(list(tmp_path.iterdir())) == 2
        process.terminate()
        assert process.wait(20) == 128 + signal.SIGTERM
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


# ── The prompt ──────────────────────────────────────────────────────────────────────────────────────────────


def test_two_prompts_at_once_keep_the_lines_of_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readline = pytest.importorskip("readline")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(Path, "chmod", lambda *_: None)  # it is nobody else's business from the first
    readline.clear_history()
    history = tmp_path / "translit" / "history"
    with _history():
        readline.add_history("one")
    assert history.stat().st_mode & 0o777 == 0o600
    readline.clear_history()
    with _history():
        assert readline.get_current_history_length() == 1
        readline.add_history("mine")
        with history.open("a") as file:  # as the other prompt does
            file.write("theirs\n")
    assert history.read_text() == "one\ntheirs\nmine\n"


def test_without_a_home_the_prompt_has_no_history(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    assert run("-I", stdin="12\n").out == "12\n"
