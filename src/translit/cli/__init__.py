"""The command line: one file per command, thin: parse, call, print.

Nothing here imports torch (1.8 s), numpy or sacreBLEU at module level, so that ``--help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer

from translit.cli import (  # noqa: F401 — each registers its command
    calibrate,
    data,
    evaluate,
    explain,
    heads,
    info,
    score,
    tour,
    train,
    translate,
)
from translit.cli.app import app
from translit.errors import TranslitError

UsageError: Any = typer.BadParameter.__base__  # Click's, wherever this version of Typer keeps it

# Exit codes, the same for every command.
DONE, PARTLY_FAILED, BAD_REQUEST, INTERRUPTED = 0, 1, 2, 130


def main() -> None:
    """Entry point: run a command; turn every user error into one line on stderr and a stable exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # an ASCII locale must not break Chinese output
            stream.reconfigure(encoding="utf-8", errors="replace" if stream is sys.stderr else "strict")
    try:
        try:
            code = app(standalone_mode=False)
        finally:
            sys.stdout.flush()  # here, where a broken pipe can still be answered
        sys.exit(code if isinstance(code, int) else DONE)
    except UsageError as error:  # a wrong option or value
        command = error.ctx.command_path if error.ctx else "translit"
        if (
            message := error.format_message().strip().rstrip(".")
        ):  # none when a bare command has shown its help
            print(f"translit: {message}; see `{command} --help`", file=sys.stderr)
        sys.exit(BAD_REQUEST)
    except TranslitError as error:
        print(f"translit: {error}", file=sys.stderr)
        sys.exit(BAD_REQUEST)
    except (KeyboardInterrupt, typer.Abort):
        print("translit: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except (BrokenPipeError, SystemExit) as stop:  # `translit … | head`: the reader has seen enough
        if isinstance(stop, SystemExit) and not isinstance(
            stop.__context__, BrokenPipeError
        ):  # Rich makes it an exit
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(DONE)
