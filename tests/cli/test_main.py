"""What every command shares: help without torch, one line for a mistake, stable exit codes, quiet closed pipes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from translit.cli import main
from translit.cli.app import app

HEAVY = ("torch", "numpy", "sacrebleu", "sentencepiece", "ctranslate2", "rich")


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "translit", *args], capture_output=True, text=True)


def test_help_of_every_command_imports_nothing_heavy() -> None:
    code = f"""
import sys
from typer.testing import CliRunner
from translit.cli.app import app
names = [c.name or c.callback.__name__ for c in app.registered_commands]
for args in [["--help"], ["data", "--help"], *([name, "--help"] for name in names)]:
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0 and "Usage" in result.output, (args, result.output)
    assert not any(name in result.output for name in ("<int", "<path>", "<str>", "<float")), result.output
print(len(names), sorted(set({HEAVY}) & set(sys.modules)))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.split(" ", 1)[1].strip() == "[]", result.stderr
    assert int(result.stdout.split()[0]) >= 8


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["nothing"], "No such command 'nothing'"),
        (["I", "love", "you"], "a text is translated with `translit translate TEXT`"),
        (["translate", "--beam", "1000000", "hi"], "1000000 is not in the range"),
        (["translate", "--nothing"], "No such option: --nothing"),
        (["tour", "--layers", "0"], "Invalid value for '--layers'"),
        (["train", "--max-steps", "many"], "Invalid value for '--max-steps'"),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], args: list[str], words: str
) -> None:
    monkeypatch.setattr("sys.argv", ["translit", *args])
    with pytest.raises(SystemExit) as end:
        main()
    message = capsys.readouterr().err
    assert end.value.code == 2
    assert message.count("\n") == 1
    assert words in message
    assert "--help`" in message


@pytest.mark.parametrize(
    ("command", "step"),
    [
        ("train --dry-run", "translit.training.command.prepare"),
        ("data check a.tsv", "translit.cli.data._corpora"),
    ],
)
def test_ctrl_c_in_any_command_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, step: str
) -> None:
    """Complaint 20: also while a training still reads its data, which Typer alone would end without a word."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(step, interrupt)
    monkeypatch.setattr("sys.argv", ["translit", *command.split()])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "translit: interrupted\n"


def test_the_help_tells_every_command_in_whole_sentences() -> None:
    for command in ([], ["data"]):
        bare, asked = run(*command), run(*command, "--help")
        assert bare.returncode == 2
        assert asked.returncode == 0
        assert bare.stdout == asked.stdout
        assert "..." not in bare.stdout.replace("[ARGS]...", "")
        assert all(len(line) <= 80 for line in bare.stdout.splitlines())


def test_a_closed_pipe_ends_quietly() -> None:
    command = f"{sys.executable} -m translit tour | head -n 1; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert result.returncode == 0
    assert result.stderr == ""


def test_version_and_an_ascii_locale() -> None:
    assert run("--version").stdout.startswith("translit ")
    result = subprocess.run(
        [sys.executable, "-m", "translit", "tour", "--part", "encoder.1.self.head1"],
        capture_output=True,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin", "PYTHONUTF8": "0"},
    )
    assert result.returncode == 0, result.stderr
    assert "我" in result.stdout.decode("utf-8")


def test_commands_are_listed_as_a_newcomer_meets_them() -> None:
    from typer.main import get_command

    names = get_command(app).list_commands(None)  # type: ignore[arg-type, attr-defined]
    assert names[:2] == ["translate", "explain"]


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_input_that_is_not_utf8_is_one_line_in_any_locale(locale: str) -> None:
    command = [sys.executable, "-m", "translit", "explain"]
    done = subprocess.run(
        command, input=b"caf\xe9\n", capture_output=True, env={**os.environ, "LC_ALL": locale}
    )
    assert done.returncode == 2
    assert done.stderr.decode() == "translit: stdin: byte 0xe9 is not UTF-8; convert the text\n"
