"""File formats: the translatable strings of a file out, their translations back in, all else byte for byte."""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePath

from translit.errors import TranslitError
from translit.text.formats.document import Document, decode

__all__ = ["FORMATS", "Document", "format_of", "open_format"]

# File extension → module in this package.
_MODULES = {
    "txt": "plain", "text": "plain", "srt": "subtitles", "vtt": "subtitles", "md": "markdown", "markdown": "markdown",
    "html": "html", "htm": "html", "xhtml": "html", "po": "gettext", "pot": "gettext", "json": "locale_json",
    "yaml": "locale_yaml", "yml": "locale_yaml", "docx": "docx",
}  # fmt: skip

FORMATS = tuple(_MODULES)


def format_of(path: object) -> str | None:
    """The format of a file by its extension ("a/b.MD" → "md"), or None if it is none of ``FORMATS``."""
    extension = PurePath(str(path)).suffix.lower().lstrip(".")
    return extension if extension in _MODULES else None


def open_format(path: object, data: bytes, errors: str = "strict", format: str | None = None) -> Document:
    """Reads ``data``, the content of the file ``path`` (no file is opened), as ``format``, else by extension.

    ``errors`` says what to do with bytes that are not text: "strict" raises, "replace" puts U+FFFD.
    Raises ``TranslitError`` with file and line for what cannot be read.
    """
    name = format or format_of(path)
    if name not in _MODULES:
        known = ", ".join(sorted(_MODULES))
        raise TranslitError(
            f"{path}: unknown format{f' {name}' if name else ''}; use --format with one of {known}"
        )
    module = import_module(f"translit.text.formats.{_MODULES[name]}")
    if name == "docx":
        return module.read(str(path), data)
    return module.read(decode(str(path), data, errors))
