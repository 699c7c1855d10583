"""A picture or a page as a file: it takes its name only when it is whole."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from translit.errors import TranslitError


def write_whole(path: Path, text: str, what: str) -> None:
    """Write ``text`` at ``path``, all of it or nothing; ``what`` it is called in the message.

    Raises TranslitError when the file cannot be written.
    """
    try:
        _write(path, text)
    except OSError as error:
        raise TranslitError(f"{path}: cannot write {what}: {error.strerror}; choose another file") from None


def _write(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():  # a device or a pipe takes it; a folder says that it is one
        path.write_text(text, "utf-8")
        return
    temporary = path.with_name(path.name + ".tmp")
    try:
        temporary.write_text(text, "utf-8")
        os.replace(temporary, path)
    finally:
        with suppress(OSError):  # gone when all went well; never there when its folder is none
            temporary.unlink()
