"""The prompt of ``translit translate -I``: a line in, its translation out, with history."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from translit.cli.output import in_words

if TYPE_CHECKING:
    from translit.translator import Translation, Translator

HISTORY = 1000  # lines remembered
HELP = """Type a line and press Enter: its translation follows.
  ↑ ↓           bring back earlier lines, those of other days too
  Ctrl-C        drops the line
  :help         shows this
  :quit, Ctrl-D end"""
_COMMAND = re.compile(r":\w+")


def converse(translator: Translator, show: Callable[[Translation], str]) -> None:
    """Translate line by line until Ctrl-D or ``:quit``."""
    prompt = f"{translator.directory.source_language}> " if sys.stdin.isatty() else ""
    print("Type a line and press Enter. :help says more; :quit or Ctrl-D ends.", file=sys.stderr)
    with _history():
        while True:
            try:
                line = input(prompt)
            except EOFError:
                print(file=sys.stderr)
                return
            except KeyboardInterrupt:
                print(file=sys.stderr)
                continue
            command = line.strip()
            if command in (":quit", ":q", ":exit"):
                return
            if command in (":help", ":h", ":?"):
                print(HELP, file=sys.stderr)
                continue
            if _COMMAND.fullmatch(command):
                print(f"no command {command}; :help shows what there is", file=sys.stderr)
                continue
            if not command:
                continue
            try:
                (translation,) = translator.translate([line])
            except KeyboardInterrupt:
                print("dropped", file=sys.stderr)
                continue
            print(show(translation))
            if translation.flags:
                print(f"  ({in_words(translation.flags)})", file=sys.stderr)


@contextlib.contextmanager
def _history() -> Iterator[None]:
    """Arrow keys bring back earlier lines, those of other days too, where Python has readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    path = _history_path()
    if path is None:
        yield
        return
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    known = readline.get_current_history_length()
    try:
        yield
    finally:
        readline.set_history_length(HISTORY)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(0o600)  # what somebody translates is nobody else's business
            if hasattr(readline, "append_history_file"):  # another prompt may have written since we read
                readline.append_history_file(readline.get_current_history_length() - known, path)
            else:  # Apple's
                readline.write_history_file(path)
            path.chmod(0o600)


def _history_path() -> Path | None:
    state = os.environ.get("XDG_STATE_HOME")
    try:
        return (Path(state) if state else Path.home() / ".local" / "state") / "translit" / "history"
    except RuntimeError:  # a user without a home, as in a container run under any number
        return None
