"""JSON locale files: every string value with letters is a segment; keys, order and layout are not touched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from translit.errors import TranslitError, where
from translit.text.formats.document import InlineSlot, SlotBuilder, Source, TextDocument

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
# Inside a string: an escaped line break; a tag; a run of escapes, surrogate pairs, plain characters, or of spaces.
_PIECE = re.compile(
    r"(\\[nrt])|<(?P<slash>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)(?:\s(?:[^<>\\]|\\[^nrt])*)?/?>"
    r"|(\s+)|(?:\\u[0-9a-fA-F]{4}|\\[^nrtu]|[^<\\\s])+|<"
)


def read(source: Source) -> TextDocument:
    try:
        json.loads(source.text)
    except json.JSONDecodeError as error:
        raise TranslitError(
            f"{where(source.name, error.lineno)}: not valid JSON: {error.msg.lower()} (column {error.colno}); "
            "fix the file, comments and trailing commas are not JSON"
        ) from None
    except ValueError as error:
        raise TranslitError(f"{source.name}: cannot read the JSON: {error}") from None
    except RecursionError:
        raise TranslitError(f"{source.name}: JSON nested too deeply to read; flatten it") from None
    ascii_only = source.text.isascii() and "\\u" in source.text
    return TextDocument(source, list(_slots(source.text, ascii_only)))


def _slots(text: str, ascii_only: bool) -> Iterator[InlineSlot]:
    def escape(value: str) -> str:
        escaped = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", escaped)

    # The text is valid, so every quote outside a string starts one; a string before a colon is a key.
    for match in _STRING.finditer(text):
        if match[2]:
            continue
        builder = SlotBuilder(escape)
        for piece in _PIECE.finditer(text, *match.span(1)):
            if piece[1] or piece["name"] == "br":  # \n, \r, \t: each line of the value is its own segment
                yield from [slot] if (slot := builder.build()) else []
                builder = SlotBuilder(escape)
            elif piece["name"]:
                builder.mark(*piece.span(), "close" if piece["slash"] else "open", piece["name"])
            else:
                builder.text(json.loads(f'"{piece[0]}"'), *piece.span())
        yield from [slot] if (slot := builder.build()) else []
