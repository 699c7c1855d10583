"""The command line: one file per command, thin: parse, call, print.

Nothing here imports torch (1.8 s), numpy or sacreBLEU at module level, so that ``--help`` answers at once.
"""

from __future__ import annotations

import os
import sys

from translit.cli import calibrate, data, evaluate, explain, info, score, tour, train, translate  # noqa: F401 — each registers itself
from translit.cli.app import app
from translit.errors import TranslitError

# Exit codes, the same for every command.
DONE, PARTLY_FAILED, BAD_REQUEST, INTERRUPTED = 0, 1, 2, 130


def main() -> None:
    """Entry point: run a command; turn every user error into one line on stderr and a stable exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # an ASCII locale must not break Chinese output
            stream.reconfigure(encoding="utf-8", errors="replace" if stream is sys.stderr else "strict")
    try:
        try:
            app()
        except SystemExit as stop:
            # Rich and Typer turn a broken pipe into exit code 1.
            if isinstance(stop.__context__, BrokenPipeError):
                raise stop.__context__ from None
            raise
        finally:
            sys.stdout.flush()  # here, where a broken pipe can still be answered
    except TranslitError as error:
        print(f"translit: {error}", file=sys.stderr)
        sys.exit(BAD_REQUEST)
    except KeyboardInterrupt:
        print("translit: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # `translit … | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(DONE)
