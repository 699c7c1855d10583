"""The command line of ``train``: options, exit codes, and one clear line for every mistake."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from translit.cli import main


class Result(NamedTuple):
    code: int
    stderr: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run ``translit`` with some arguments inside a temporary folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def run_here(*args: str) -> Result:
        monkeypatch.setattr("sys.argv", ["translit", *args])
        with pytest.raises(SystemExit) as end:
            main()
        return Result(int(end.value.code or 0), capsys.readouterr().err)

    return run_here


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--train", "none.tsv"], "none.tsv: no such file"),
        (["--train", "one.tsv"], "one.tsv:2: one column"),
        (["--train", "bad.tsv"], "bad.tsv:1: invalid UTF-8"),
        (["--train", "empty.tsv"], "empty.tsv: no sentence pairs"),
        (["--train", "a.en,a.zh"], "a.zh: 1 line, but a.en has 2"),
        (["--preset", "huge"], "preset 'huge' does not exist"),
        (["--set", "lr=3"], "write it as training.lr=0.001"),
        (["--set", "training.speed=3"], "unknown setting 'speed'"),
        (["--set", "training.lr.x=3"], "unknown setting 'lr.x'"),
        (["--set", "training.lr=nan"], "settings [training]: lr is nan; give a number from 0"),
        (["--max-steps", "5", "--max-minutes", "5"], "give one of them"),
        (["--set", "model.n_heads=0"], "settings [model]: n_heads is 0; give a number from 1"),
        (["--set", "data.source_vocab=10"], "source_vocab is 10; give a number from 280"),
        (["--set", "data.pool=0"], "settings [data]: pool is 0; give a number from 1"),
        (["--set", "training.precision=fp8"], "precision is 'fp8'; choose auto or bf16 or fp32"),
        (["--from", "nowhere"], "model 'nowhere' not found"),
        (["--resume", "nowhere"], "nowhere/config.toml: cannot read the settings"),
        (["--resume", "nowhere", "--preset", "nano"], "--resume and --preset: a resumed run has its own"),
        (
            ["--config", "nano.toml", "--preset", "small"],
            "--preset and --config: nano.toml has such settings",
        ),
        (["--config", "none.toml"], "train is []; write a list of corpora"),
        (["--config", "wrong.toml"], "wrong.toml: cannot read the settings"),
    ],
)
def test_every_mistake_is_one_line_and_exit_code_2(run, tmp_path: Path, args: list[str], words: str) -> None:
    (tmp_path / "one.tsv").write_text("a\tb\nonly one column\n")
    (tmp_path / "bad.tsv").write_bytes(b"\xff\xfe\tb\n")
    (tmp_path / "empty.tsv").write_text("")
    (tmp_path / "a.en").write_text("1\n2\n")
    (tmp_path / "a.zh").write_text("1\n")
    (tmp_path / "wrong.toml").write_text("preset = [")
    (tmp_path / "nano.toml").write_text('preset = "nano"')
    (tmp_path / "none.toml").write_text("train = []")
    result = run("train", *args)
    assert result.code == 2, result.stderr
    last = result.stderr.splitlines()[-1]
    assert last.startswith("translit: ")
    assert words in last
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "models").exists()
    assert not (tmp_path / "runs").exists()  # nothing half made is left


def test_train_takes_several_corpora_after_one_option(run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.tsv").write_text(
            "".join(f"word {name} {i}\t词{i}\n" for i in range(90)), "utf-8"
        )
    small = ["model.d_model=16", "model.d_ff=16", "model.encoder_layers=1", "model.decoder_layers=1"]
    data = ["data.source_vocab=320", "data.target_vocab=300"]
    result = run(
        "train", "--train", "a.tsv:2", "b.tsv", "--set", *small, *data, "--max-steps", "2", "--out", "m"
    )
    assert result.code == 0, result.stderr
    assert "pairs, weight 2" in result.stderr  # a part of the first corpus is held out for dev
    assert "b.tsv: 90 pairs, weight 1" in result.stderr
    assert sorted(p.name for p in (tmp_path / "m").iterdir()) == [
        "config.json",
        "source.spm",
        "target.spm",
        "weights.safetensors",
    ]
    again = run("train", "--train", "a.tsv", "--out", "m")
    assert again.code == 2
    assert "already holds a run" in again.stderr


def test_dry_run_writes_no_model(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.get_num_threads", lambda: 1)
    (tmp_path / "a.tsv").write_text("".join(f"word {i}\t词{i}\n" for i in range(90)), "utf-8")
    result = run("train", "--train", "a.tsv", "--preset", "nano", "--dry-run", "--out", "m")
    assert result.code == 0, result.stderr
    for word in ("pairs in an epoch", "parameters", "tokens/s", "memory", "hours"):
        assert word in result.stderr
    assert len(re.findall(r"\b1 thread$", result.stderr, re.MULTILINE)) == 2
    assert not (tmp_path / "m").exists()
    assert not list((tmp_path / "runs").glob("*/checkpoints"))


def test_help_shows_its_square_brackets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["translit", "train", "--help"])
    with pytest.raises(SystemExit):
        main()
    words = " ".join(capsys.readouterr().out.split())
    assert "[model], [data] or [training]" in words
    assert "[default: models/mine]" in words
