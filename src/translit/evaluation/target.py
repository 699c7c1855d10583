"""Files that a command is to write: looked at before the work begins, and written all or nothing."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from translit.errors import TranslitError


def check_target(path: Path) -> None:
    """Raise TranslitError for a file that could not be written, before any work is done."""
    if path.is_dir():
        raise TranslitError(f"{path}: is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise TranslitError(f"{path}: there is no folder {path.parent}; make it first")


def write_whole(path: Path, text: str) -> None:
    """All of ``text``, or nothing and a TranslitError; the file behind a link is replaced, a device is written to."""
    is_device = path.exists() and not path.is_file()
    final = path if is_device else path.resolve()
    part = final if is_device else final.with_name(f".{final.name}.{os.getpid()}.part")
    try:
        part.write_text(text, "utf-8", errors="replace")  # a file name may hold bytes that are no text
        if not is_device:
            os.replace(part, final)
    except OSError as error:
        raise TranslitError(f"{path}: cannot write: {error.strerror}; choose another file") from None
    finally:
        if not is_device:
            with contextlib.suppress(OSError):  # it has its name already, or never was
                part.unlink()
