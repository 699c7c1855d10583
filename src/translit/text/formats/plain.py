"""Plain text: every line with letters is a segment, without the white space around it."""

from __future__ import annotations

import re

from translit.text.formats.document import SlotBuilder, Source, TextDocument

# \r alone ends a line too (old files, progress bars); other Unicode separators are text, as they are for `wc -l`.
_LINE = re.compile(r"[^\r\n]+")


def read(source: Source) -> TextDocument:
    slots = []
    for match in _LINE.finditer(source.text):
        content = match[0].strip()
        start = match.start() + match[0].index(content) if content else 0
        builder = SlotBuilder()
        builder.text(content, start, start + len(content))
        if slot := builder.build():
            slots.append(slot)
    return TextDocument(source, slots)
