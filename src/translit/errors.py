"""The one exception that users see: a single clear line, then exit code 2."""

from __future__ import annotations


class TranslitError(Exception):
    """Bad input or a bad request, told in one line: where, what, why, what to do.

    The command line prints it as ``translit: <message>`` on stderr and exits with code 2.
    """


def where(path: object, line: int | None = None) -> str:
    """``path`` or ``path:line``, the way editors and terminals make clickable."""
    return f"{path}:{line}" if line is not None else str(path)
