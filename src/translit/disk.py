"""Files on disk: looked at before the work begins, written whole or not at all, used by one process at a time."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from translit.errors import TranslitError


def check_target(path: Path) -> None:
    """Raise TranslitError for a file that could not be written, before any work is done."""
    if path.is_dir():
        raise TranslitError(f"{path}: is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise TranslitError(f"{path}: there is no folder {path.parent}; make it first")


def write_whole(path: Path, content: bytes) -> None:
    """All of ``content``, or nothing and an OSError: a full disk leaves what was there.

    The file behind a link is replaced, not the link; a device or a pipe takes it as it is.
    """
    if path.exists() and not path.is_file():  # a folder says that it is one
        path.write_bytes(content)
        return
    final = path.resolve()
    part = final.with_name(f".{final.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        os.replace(part, final)
    finally:
        with suppress(OSError):  # it has its name already, or never was
            part.unlink()


def write_text(path: Path, text: str, what: str = "") -> None:
    """``write_whole`` of a text. Raises TranslitError, which calls it ``what``, when that cannot be done."""
    try:
        write_whole(
            path, text.encode("utf-8", "replace")
        )  # a file name in it may hold bytes that are no text
    except OSError as error:
        cannot = f"cannot write {what}".rstrip()
        raise TranslitError(f"{path}: {cannot}: {error.strerror}; choose another file") from None


def lock(descriptor: int, refusal: str) -> None:
    """Lock an open file until it is closed; the system drops the lock when the process ends, however it ends.

    Raises TranslitError, saying ``refusal``, when another process has locked it.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise TranslitError(refusal) from None
    except OSError:  # a file system without locks
        return
