"""YAML locale files: every string value with letters is a segment; keys, order, comments, layout are not touched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml

from translit.errors import TranslitError, where
from translit.text.formats.document import InlineSlot, Lines, Raw, Slot, SlotBuilder, Source, TextDocument
from translit.text.script import has_letters

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")
_BLOCK_HEAD = re.compile(r"[|>][-+0-9]*[^\n]*\n")
_LITERAL = re.compile(r"[^\r\n]+")
_FOLDED = re.compile(r"[^\r\n]+(?:\r?\n(?=[^\r\n]*\S)[^\r\n]+)*")


def read(source: Source) -> TextDocument:
    try:
        nodes = list(yaml.compose_all(source.text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = where(source.name, mark.line + 1 if mark else None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        raise TranslitError(f"{place}: not valid YAML: {problem}; fix the file") from None
    except RecursionError:
        raise TranslitError(f"{source.name}: YAML nested too deeply to read; flatten it") from None
    slots: dict[int, Slot] = {}
    for node in nodes:
        for scalar in _values(node):
            for slot in _slots(source.text, scalar):
                slots[slot.start] = slot  # an alias gives its node twice
    return TextDocument(source, list(slots.values()))


def _values(root: yaml.Node | None) -> Iterator[yaml.ScalarNode]:
    """The string values under ``root``, in order; not the keys."""
    pending = [root] if root else []
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            pending += [value for _, value in reversed(node.value)]
        elif isinstance(node, yaml.SequenceNode):
            pending += reversed(node.value)
        elif node.tag == "tag:yaml.org,2002:str" and has_letters(node.value):
            yield node


def _slots(text: str, node: yaml.ScalarNode) -> Iterator[Slot]:
    start, end = node.start_mark.index, node.end_mark.index
    if properties := _PROPERTIES.match(text, start, end):
        start = properties.end()
    if node.style in ("|", ">"):
        head = _BLOCK_HEAD.match(text, start, end)
        pattern = _LITERAL if node.style == "|" else _FOLDED
        for paragraph in pattern.finditer(text, head.end() if head else end, end):
            builder = SlotBuilder()
            builder.add_tagged(text, *paragraph.span())
            yield from [slot] if (slot := builder.build()) else []
    else:
        lines = Lines.of(node.value)
        yield ScalarSlot(start, end, lines.segments, lines, node.style)


@dataclass
class ScalarSlot:
    """A plain or quoted value. It keeps its style where that can hold the translation."""

    start: int
    end: int
    segments: list[str]
    lines: Lines
    style: str | None

    @property
    def inline(self) -> list[InlineSlot | None]:
        return self.lines.inline

    def write(self, translations: Sequence[str], raw: Raw) -> str:
        value = self.lines.filled(iter(translations))
        if self.style is None and _is_plain(value):
            return value
        if self.style == "'" and "\n" not in value:
            return "'" + value.replace("'", "''") + "'"
        return _NOT_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


# What JSON lets stand in a string, and YAML does not.
_NOT_YAML = re.compile("[\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def _is_plain(value: str) -> bool:
    """Does ``value`` read as itself without quotes, in a block and inside brackets?"""
    try:
        return yaml.safe_load(f"- {value}") == [value] and yaml.safe_load(f"[{value}]") == [value]
    except yaml.YAMLError:
        return False
