"""The command line: one file per command, thin: parse, call, print.

Nothing here imports torch (1.8 s), numpy or sacreBLEU at module level, so that ``--help`` answers at once. The
commands themselves, and Typer with them, come with ``translit.cli.app``, which the quick call does without.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from translit.cli import quick
from translit.errors import TranslitError

# Exit codes, the same for every command.
DONE, PARTLY_FAILED, BAD_REQUEST, INTERRUPTED = 0, 1, 2, 130


def main() -> None:
    """Entry point: run a command; turn every user error into one line on stderr and a stable exit code."""
    sys.stdin, sys.stdout, sys.stderr = (
        stream or open(os.devnull, mode)  # noqa: SIM115 — None where the caller closed it; needed to the end
        for stream, mode in ((sys.stdin, "r"), (sys.stdout, "w"), (sys.stderr, "w"))
    )
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # no locale, no file name may break the output
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if hasattr(sys.stdin, "reconfigure") and not sys.stdin.isatty():  # nor let wrong bytes slip in
        sys.stdin.reconfigure(encoding="utf-8", errors="strict")
    try:
        try:
            with _sigterm_exits():
                code = _run(sys.argv[1:])
        finally:
            sys.stdout.flush()  # here, where a broken pipe can still be answered
        sys.exit(code)
    except TranslitError as error:
        print(f"translit: {error}", file=sys.stderr)
        sys.exit(BAD_REQUEST)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        print(f"translit: stdin: byte 0x{byte:02x} is not UTF-8; convert the text", file=sys.stderr)
        sys.exit(BAD_REQUEST)
    except KeyboardInterrupt:
        print("translit: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except (BrokenPipeError, SystemExit) as stop:  # `translit … | head`: the reader has seen enough
        if isinstance(stop, SystemExit) and not isinstance(
            stop.__context__, BrokenPipeError
        ):  # Rich makes it an exit
            raise
        _drop_output()
        sys.exit(DONE)
    except OSError as error:  # a full disk, a folder without permission: what the command has not told better
        print(f"translit: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        _drop_output()
        sys.exit(BAD_REQUEST)


@contextlib.contextmanager
def _sigterm_exits() -> Iterator[None]:
    """Within it, SIGTERM ends the program as an exit does, and nothing half done is left behind."""
    if signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:  # whoever started us has other plans
        yield
        return
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` ask for; its exit code."""
    if quick.is_quick(arguments):
        quick.translate(arguments)
        return DONE
    import typer

    from translit.cli.app import app

    usage_error: Any = typer.BadParameter.__base__  # Click's, wherever this version of Typer keeps it
    try:
        code = app(prog_name="translit", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except usage_error as error:  # a wrong option or value
        command = error.ctx.command_path if error.ctx else "translit"
        message = error.format_message().strip().rstrip(".")
        if message.startswith("No such command") and "Did you mean" not in message:
            message += "; a text is translated with `translit translate TEXT`"
        print(f"translit: {message}; see `{command} --help`", file=sys.stderr)
        return BAD_REQUEST
    return code if isinstance(code, int) else DONE


def _drop_output() -> None:
    """Whatever Python still holds back for stdout goes nowhere, instead of failing again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
