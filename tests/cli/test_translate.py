"""``translit translate`` and ``translit info`` as people use them: streams, files, exit codes, messages."""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from pytest_socket import SocketBlockedError
from tests.conftest import PAIRS

from translit import Translator
from translit.cli import main
from translit.files import ready_lines


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(
    tiny_model_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> Run:
    """Run ``translit`` in an empty folder, in this process, with the tiny model."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRANSLIT_MODEL", str(tiny_model_dir))

    def run_here(*args: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr("sys.argv", ["translit", *args])
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsysbinary.readouterr()
        return Result(int(end.value.code or 0), out.decode(), err.decode())

    return run_here


@pytest.fixture
def start(tiny_model_dir: Path, tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Start ``translit`` as a process of its own."""
    environment = {**os.environ, "TRANSLIT_MODEL": str(tiny_model_dir), "XDG_CACHE_HOME": str(tmp_path)}

    def begin(*args: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "translit", *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            # A shell that runs the tests in its background has them ignore Ctrl-C, and children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    return begin


# ── Streams ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_three_lines_in_three_lines_out(run: Run) -> None:
    """Complaints 1 and 2 of ../shared/complaints.md."""
    result = run("translate", stdin=b"I love you\n\nWhere is the station?\n")
    lines = result.out.split("\n")
    assert result.code == 0
    assert len(lines) == 4
    assert lines[0]
    assert lines[1] == lines[3] == ""


@pytest.mark.parametrize(
    "text",
    [b"", b"\n", b"\n\n", b"12\n", b"12", b"12\r\n34\r\n", b"12\r\n34", b" 1 \n\t\n", "我爱你\n".encode()],
)
def test_what_is_not_translated_comes_out_byte_for_byte(run: Run, text: bytes) -> None:
    assert run("translate", stdin=text).out.encode() == text


def test_a_text_is_one_line(run: Run) -> None:
    together = run("translate", "I", "love", "you")
    assert together == run("translate", "I love you")
    assert together.out.count("\n") == 1
    assert together.out == run("translate", stdin=b"I love you\n").out


def test_invalid_utf8_names_the_line_and_keeps_what_came_before(run: Run) -> None:
    result = run("translate", stdin=b"12\n34\nab\xff\n56\n")
    assert result.code == 2
    assert result.out == "12\n34\n"
    assert result.err == (
        "translit: stdin:3: byte 0xff is not UTF-8; convert the text, or use --errors replace\n"
    )
    replaced = run("translate", "--errors", "replace", stdin=b"12\n34\nab\xff\n56\n")
    assert replaced.code == 0
    assert replaced.out.count("\n") == 4


@pytest.mark.parametrize("option", [("--nbest", "3"), ("--alternatives", "2")])
def test_json_is_one_object_a_line(run: Run, option: tuple[str, str]) -> None:
    result = run("translate", "--json", *option, stdin=b"I love you\n\n12")
    records = [json.loads(line) for line in result.out.splitlines()]
    assert [r["source"] for r in records] == ["I love you", "", "12"]
    assert [r["translation"] for r in records][1:] == ["", "12"]
    assert len(records[0]["alternatives"]) <= 2
    assert records[0]["score"] < 0 < records[0]["confidence"] < 1
    assert records[0]["seconds"] > 0
    assert all({"kind", "detail"} == flag.keys() for r in records for flag in r["flags"])
    assert records[2]["score"] is None


def test_strict_turns_flags_into_exit_code_1(run: Run) -> None:
    text = "Call 244890 now, or write to me@example.org."  # a model of random weights cannot get this right
    assert run("translate", text).code == 0
    result = run("translate", "--strict", text)
    assert result.code == 1
    assert result.err.startswith("translit: ")
    assert run("translate", "--strict", "--no-check", text).code == 0
    assert run("translate", "--strict", "12").code == 0


def test_warnings_name_the_line_and_stop_after_some(run: Run) -> None:
    result = run("translate", stdin=b"12\n" + b"Call 244890 now, friend.\n" * 30)
    warnings = result.err.splitlines()
    assert warnings[0].startswith("translit: line 2: ")
    assert len(warnings) == 21
    assert warnings[-1] == "translit: 30 of 31 lines flagged; --json shows every flag"


def test_confidence_is_shown_as_a_bar(run: Run) -> None:
    text, bar = run("translate", "--confidence", "I love you").out.rstrip("\n").split("\t")
    assert text
    assert bar.startswith(("█", "░"))
    assert bar.endswith("%")


def test_minimum_confidence(run: Run) -> None:
    result = run("translate", "--min-confidence", "1", "I love you")
    assert result.out == "I love you\n"
    assert "low-confidence: left untranslated" in result.err


def test_memory_and_glossary(run: Run, tmp_path: Path) -> None:
    (tmp_path / "m.tsv").write_text("# mine\nI love you\t吾爱汝\n\nTea\t茶\r\n", "utf-8")
    assert run("translate", "--memory", "m.tsv", "I love you").out == "吾爱汝\n"
    assert run("translate", "--glossary", "m.tsv", "tea").out == "茶\n"


def test_a_bad_glossary_names_the_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "g.tsv").write_text("tea\t茶\ncoffee\n", "utf-8")
    result = run("translate", "--glossary", "g.tsv", "tea")
    assert result.code == 2
    assert result.err == "translit: g.tsv:2: expected source<TAB>target, found 'coffee'\n"


def test_traditional_script_and_pinyin(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    opencc, pypinyin = ModuleType("opencc"), ModuleType("pypinyin")
    opencc.OpenCC = lambda _: type("", (), {"convert": staticmethod(lambda t: t.replace("爱", "愛"))})  # type: ignore[attr-defined]
    pypinyin.Style = type("", (), {"TONE": 1})  # type: ignore[attr-defined]
    pypinyin.lazy_pinyin = lambda text, style: ["x"] * len(text)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "opencc", opencc)
    monkeypatch.setitem(sys.modules, "pypinyin", pypinyin)
    assert run("translate", "--script", "hant", "--pinyin", "我爱你").out == "我愛你\tx x x\n"


def test_the_real_opencc(run: Run) -> None:
    pytest.importorskip("opencc")
    assert run("translate", "--script", "hant", "我爱头发，他们发现了。").out == "我愛頭髮，他們發現了。\n"
    assert json.loads(run("translate", "--script", "hant", "--json", "我爱你").out)["translation"] == "我愛你"


def test_the_real_pypinyin(run: Run) -> None:
    pytest.importorskip("pypinyin")
    assert run("translate", "--pinyin", "我爱你").out == "我爱你\twǒ ài nǐ\n"
    assert run("translate", "--pinyin", stdin="12\n\n银行很行。".encode()).out.splitlines()[1:] == [
        "",
        "银行很行。\tyín háng hěn xíng 。",
    ]


def test_missing_extras_say_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opencc", None)
    monkeypatch.setitem(sys.modules, "pypinyin", None)
    assert "pip install" in run("translate", "--script", "hant", "hi").err
    assert run("translate", "--pinyin", "hi").code == 2


def test_slow_writers_are_answered_line_by_line() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as source, os.fdopen(write_end, "wb", buffering=0) as writer:
        lines = ready_lines(source)
        for text in (b"one\n", b"two\nthree\n"):
            writer.write(text)
            assert b"".join(next(lines)) == text
            assert next(lines) == []  # nothing more at the moment
        writer.write(b"fo")
        writer.write(b"ur")
        writer.close()
        assert list(lines) == [[b"four"]]


def test_fast_writers_get_full_windows(tmp_path: Path) -> None:
    content = [b"%d\n" % n for n in range(30_000)] + [b"x" * 200_000 + b"\n", b"end"]
    (tmp_path / "lines").write_bytes(b"".join(content))
    with (tmp_path / "lines").open("rb") as source:
        windows = list(ready_lines(source, most=1000))
    assert [line for window in windows for line in window] == content
    assert {len(w) for w in windows[:30]} == {1000}


# ── The process ─────────────────────────────────────────────────────────────────────────────────────────────


def test_torch_stays_out(tiny_model_dir: Path, tmp_path: Path) -> None:
    """Complaint 26."""
    code = (
        "import sys\nfrom translit.cli import main\n"
        "try:\n    main()\nfinally:\n    assert 'torch' not in sys.modules"
    )
    glossary = tmp_path / "terms.tsv"
    glossary.write_text("gradient\t梯度\n", "utf-8")
    for command in (
        ["translate", "--json", "I love you"],
        ["translate", "--glossary", str(glossary), "A gradient."],
        ["info"],
        ["translate", "--help"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *command],
            env={**os.environ, "TRANSLIT_MODEL": str(tiny_model_dir), "XDG_CACHE_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_the_commonest_call_starts_without_typer(tmp_path: Path) -> None:
    """Complaint 26; on a model that is kept as files, which no test has trained."""
    code = (
        "import sys\nfrom translit.cli import main\ntry:\n    main()\nfinally:\n"
        "    print({'torch', 'typer', 'rich', 'pydantic', 'numpy.testing'} & set(sys.modules), file=sys.stderr)"
    )
    stored = Path(__file__).parent.parent / "stored_models" / "format-1"
    done = subprocess.run(
        [sys.executable, "-c", code, "translate", "I", "love you"],
        env={**os.environ, "TRANSLIT_MODEL": str(stored), "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stdout == Translator(stored).translate(["I love you"])[0].text + "\n"
    assert done.stderr.splitlines()[-1] == "set()"


def test_a_closed_pipe_ends_quietly(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    process = start("translate")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b"12\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"12\n"
    process.stdout.close()  # as `head -1` does
    with contextlib.suppress(BrokenPipeError):  # it may be gone before it has read all
        process.stdin.write(b"34\n" * 100_000)
        process.stdin.close()
    assert process.wait(20) == 0
    assert process.stderr.read() == b""


def test_ctrl_c_ends_with_130(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    """Complaint 20."""
    process = start("translate")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b"12\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"12\n"
    time.sleep(0.2)  # it is waiting for the next line now
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    assert b"Traceback" not in process.stderr.read()


def test_an_ascii_locale_prints_chinese(tiny_model_dir: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONIOENCODING": "",
        "TRANSLIT_MODEL": str(tiny_model_dir),
    }
    environment["XDG_CACHE_HOME"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "translit", "translate"],
        input="我爱你\n".encode(),
        capture_output=True,
        env=environment,
    )
    assert done.stdout.decode() == "我爱你\n"


# pytest-socket refuses every socket in all tests; here each command, except the one that downloads, runs under it.
EVERY_COMMAND = {
    "translate": ["I love you", "--glossary", "g.tsv", "--json"],
    "explain": ["I love you"],
    "tour": [],
    "heads": ["pairs.tsv", "--silence", "1"],
    "train": ["--train", "pairs.tsv", "--preset", "nano", "--dry-run"],
    "evaluate": ["pairs.tsv"],
    "score": ["pairs.tsv"],
    "calibrate": ["pairs.tsv", "--good", "1"],
    "data": ["check", "pairs.tsv"],
    "info": [],
    "export": ["--to", "ctranslate2", "--quantization", "float32", "--output", "exported"],
}


@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_no_command_opens_a_socket(run: Run, tmp_path: Path, command: str) -> None:
    """Complaint 25."""
    (tmp_path / "g.tsv").write_text("love\t钟爱\n", "utf-8")
    (tmp_path / "pairs.tsv").write_text("".join(f"{s}\t{t}\n" for s, t in PAIRS), "utf-8")
    result = run(command, *EVERY_COMMAND[command])
    assert result.code == 0, result.err
    assert result.out or command in ("train", "export")


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_sockets_are_refused_here_and_every_command_is_named() -> None:
    with pytest.raises(SocketBlockedError):
        socket.socket(socket.AF_INET)
    from typer.main import get_command

    from translit.cli.app import app

    assert EVERY_COMMAND.keys() == get_command(app).commands.keys()  # type: ignore[attr-defined]


# ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_file_keeps_everything_that_is_not_text(run: Run, tmp_path: Path) -> None:
    """Complaint 15."""
    srt = "1\r\n00:00:01,000 --> 00:00:02,000\r\n123\r\n\r\n"
    (tmp_path / "a.srt").write_bytes(srt.encode())
    result = run("translate", "-i", "a.srt", "-o", "b.srt")
    assert result.code == 0
    assert (tmp_path / "b.srt").read_bytes() == srt.encode()
    assert "a.srt → b.srt" in result.err


def test_without_output_a_file_goes_to_stdout(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.en").write_bytes(b"12\r\n\r\n34")
    assert run("translate", "-i", "a.en").out == "12\r\n\r\n34"


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
def test_a_pipe_is_written_to_and_not_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# 12\n", "utf-8")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run("translate", "-i", "a.md", "-o", "pipe").code == 0
    assert os.read(reader, 100) == b"# 12\n"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
    assert run("translate", "-i", "a.md", "-o", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


@pytest.mark.skipif(os.name == "nt", reason="needs links and modes")
def test_an_output_that_is_there_keeps_its_link_and_its_mode(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("12\n", "utf-8")
    (tmp_path / "real.txt").write_text("old\n", "utf-8")
    (tmp_path / "real.txt").chmod(0o640)
    (tmp_path / "link.txt").symlink_to("real.txt")
    assert run("translate", "-i", "a.txt", "-o", "link.txt").code == 0
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text("utf-8") == "12\n"
    assert (tmp_path / "real.txt").stat().st_mode & 0o777 == 0o640


def test_utf_16_stays_utf_16(run: Run, tmp_path: Path) -> None:
    data = "I love you\r\n\r\n12".encode("utf-16")
    (tmp_path / "a.txt").write_bytes(data)
    assert run("translate", "-i", "a.txt", "-o", "b.txt").code == 0
    out = (tmp_path / "b.txt").read_bytes()
    assert out[:2] == data[:2]
    assert out.decode("utf-16").split("\r\n")[1:] == ["", "12"]


def test_folders_keep_their_tree(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").write_text("# 12\n", "utf-8")
    (tmp_path / "docs" / "sub" / "b.txt").write_text("34\n", "utf-8")
    (tmp_path / "docs" / "image.png").write_bytes(b"\x89PNG")
    assert run("translate", "-i", "docs", "-o", "out").code == 0
    assert {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*")} == {
        "a.md",
        "sub/b.txt",
    }
    (tmp_path / "out" / "a.md").write_text("mine", "utf-8")
    again = run("translate", "-i", "docs", "-o", "out", "--skip-existing")
    assert (tmp_path / "out" / "a.md").read_text("utf-8") == "mine"
    assert "2 skipped" in again.err


def test_no_input_is_lost_to_the_translation_of_another(run: Run, tmp_path: Path) -> None:
    for path in ("docs/sub/a.txt", "out/sub/a.txt"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("12\n")
    result = run("translate", "-i", "docs", "-i", "out/sub/a.txt", "-o", "out")
    assert result.code == 2
    assert "out/sub/a.txt: would be overwritten by the translation of docs/sub/a.txt" in result.err


def test_one_bad_file_among_several_is_told_and_the_others_are_done(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"12\n\xff\n")
    (tmp_path / "good.txt").write_bytes(b"12\n")
    result = run("translate", "-i", "bad.txt", "-i", "good.txt", "-o", "out")
    assert result.code == 1
    assert "bad.txt:2: byte 0xff" in result.err
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"good.txt"}  # nothing half done


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-i", "none.txt"], "none.txt: no such file"),
        (["-i", "a.txt", "-o", "a.txt"], "a.txt: would be overwritten by its own translation"),
        (["-i", "a.txt", "-i", "b.txt"], "2 files to translate; say where to with -o FOLDER"),
        (["-i", "a.txt", "-i", "b.txt", "-o", "b.txt"], "b.txt: is a file, and there are 2 to write"),
        (["-i", "a.txt", "--format", "pdf"], "unknown format pdf"),
        (["-i", "empty"], "empty: nothing to translate in this folder"),
        (["-i", "a.txt", "hello"], "a text and --input at once"),
        (["-o", "b.txt", "hello"], "--output needs --input"),
        (["--errors", "ignore", "hello"], "'ignore' is not one of"),
        (["--engine", "onnx", "hello"], "'onnx' is not one of"),
        (["--model", "none", "hello"], "model 'none' not found"),
        (["--script", "latin", "hello"], "'latin' is not one of"),
    ],
)
def test_mistakes_are_one_line(run: Run, tmp_path: Path, args: list[str], message: str) -> None:
    """Complaint 24."""
    (tmp_path / "a.txt").write_text("12\n", "utf-8")
    (tmp_path / "b.txt").write_text("34\n", "utf-8")
    (tmp_path / "empty").mkdir()
    result = run("translate", *args)
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1
    assert (tmp_path / "b.txt").read_text("utf-8") == "34\n"


# ── The prompt ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_prompt_answers_until_ctrl_d(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    result = run("translate", "--interactive", stdin=b"12\n\n34\n")
    assert result.code == 0
    assert [line.removeprefix("en> ").strip() for line in result.out.replace("en> ", "\n").split()] == [
        "12",
        "34",
    ]


def test_ctrl_c_at_the_prompt_drops_the_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    lines = iter([KeyboardInterrupt, "12", EOFError])

    def type_in(_: str) -> str:
        line = next(lines)
        if not isinstance(line, str):
            raise line
        return line

    monkeypatch.setattr("builtins.input", type_in)
    result = run("translate", "--interactive")
    assert result.code == 0
    assert result.out == "12\n"


@pytest.mark.skipif(os.name == "nt", reason="needs pseudo-terminals")
def test_alone_on_a_terminal_it_opens_the_prompt(tiny_model_dir: Path, tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    home = {"XDG_CACHE_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "translit"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, **home, "TRANSLIT_MODEL": str(tiny_model_dir)},
    )
    os.close(theirs)
    shown = b""
    for wait_for, typed in (
        (b"en> ", b"123\n"),
        (b"en> 123\r\n123\r\nen> ", b":wrong\n"),  # what was typed, and the answer
        (b"no command :wrong; :help shows what there is\r\nen> ", b"\x04"),
    ):
        while wait_for not in shown and select.select([ours], [], [], 20)[0]:
            shown += os.read(ours, 1024)
        assert wait_for in shown
        os.write(ours, typed)
    assert process.wait(20) == 0
    os.close(ours)


def test_alone_elsewhere_it_shows_its_help(run: Run) -> None:
    result = run()
    assert result.code == 2
    assert "Usage: " in result.out


# ── info ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_info_tells_what_a_model_is(run: Run) -> None:
    facts = json.loads(run("info", "--json").out)
    parts = dict(facts["parameters"])
    assert facts["shape"]["d_model"] == 32
    assert parts.pop("all") == sum(parts.values())
    assert facts["files"]["weights.safetensors"] > 2 * sum(parts.values())
    assert facts["training"]["steps"] == 0
    shown = run("info")
    assert shown.code == 0
    assert "2 encoder + 2 decoder, pre-norm" in shown.out
    without_paths = [line for line in shown.out.splitlines() if os.sep not in line]
    assert len(without_paths) > 10
    assert all(len(line) <= 80 for line in without_paths)


def test_info_of_no_model(run: Run) -> None:
    result = run("info", "nowhere")
    assert result.code == 2
    assert result.err.startswith("translit: model 'nowhere' not found")
