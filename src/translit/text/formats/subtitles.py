"""SubRip (.srt) and WebVTT (.vtt): a cue is one segment, its lines joined; numbers and times are not touched.

A translation is laid out over as many lines as the cue had, if it needs them. Lines stay apart where they start with
a dash (another speaker), where one is only (a sound) or ♪ a song ♪, and where a sentence ends with the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape, unescape
from itertools import accumulate, islice, pairwise
from math import ceil
from unicodedata import east_asian_width

from translit.text.formats.document import InlineSlot, Raw, SlotBuilder, Source, TextDocument
from translit.text.split import split

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|$)")
_BREAK = re.compile(r"\r\n|\r|\n")
_TIMES = re.compile(r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->")
_NOTE = re.compile(r"(?:NOTE|STYLE|REGION)\b")
# <i>, <v Bob>, <c.yellow>, <00:01:02.000>, and SubStation positions such as {\an8}.
_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[A-Za-z]*)[^<>\n]*>|\{\\[^{}\n]*\}")
_WORD = re.compile(r"\s+|\S+")
# A dash, or the name of who speaks, in capitals: both stay as they are.
_SPEAKER = re.compile(
    r"(?:<[^<>]*>|\{\\[^{}]*\}|\s)*(?:[-–—‐]\s*(?:[A-Z][A-Z0-9 .'#&-]+:\s+)?|[A-Z][A-Z0-9 .'#&-]+:\s+)"
)
_APART = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|♪.*♪")  # (laughs), [door opens], a line of a song

Line = tuple[int, int]  # start and end in the source, without the line break


def read(source: Source) -> TextDocument:
    text = source.text
    slots = []
    for cue in _cues(text):
        for lines in _speakers(text, cue):
            if slot := _sentence(text, lines, text.startswith("WEBVTT")):
                slots.append(slot)
    return TextDocument(source, slots)


def _cues(text: str) -> Iterator[list[Line]]:
    """The lines of text of each cue: those after its times, up to the head of the next block."""
    lines = [match.span(1) for match in _LINE.finditer(text)]
    cue: list[Line] | None = None
    for index, (start, end) in enumerate(lines):
        content = text[start:end].strip()
        if _TIMES.match(content):
            if cue and text[slice(*cue[-1])].strip().isdecimal():
                cue.pop()  # the number of this cue, without a blank line before it
            yield from [cue] if cue else []
            cue = []
        elif cue is not None and content:
            cue.append((start, end))
        elif cue is not None:
            yield from [cue] if cue else []
            cue = None if _block_follows(text, lines, index) else []
    yield from [cue] if cue else []


def _block_follows(text: str, lines: Sequence[Line], index: int) -> bool:
    """Does a cue, a NOTE or a STYLE follow the blank line ``index``, and not more text of the same cue?"""
    contents = (text[slice(*lines[after])].strip() for after in range(index + 1, len(lines)))
    following = list(islice(filter(None, contents), 2))
    return any(map(_TIMES.match, following)) or bool(following and _NOTE.match(following[0]))


def _speakers(text: str, cue: list[Line]) -> Iterator[list[Line]]:
    contents = [text[slice(*line)] for line in cue]
    speakers = [index for index, content in enumerate(contents) if _SPEAKER.match(content)]
    apart = [
        index for index, content in enumerate(contents) if _APART.fullmatch(_TAG.sub("", content).strip())
    ]
    starts = [
        index for index in (*speakers, *apart, *(index + 1 for index in apart)) if 0 < index < len(cue)
    ] + [index for index in range(1, len(cue)) if _ends(*contents[index - 1 : index + 1])]
    yield from (cue[a:b] for a, b in pairwise([0, *sorted(set(starts)), len(cue)]))


def _ends(line: str, following: str) -> bool:
    """Does a sentence end at the end of ``line``?"""
    line, following = (_TAG.sub("", content).strip() for content in (line, following))
    pieces = split(f"{line} {following}")
    return len(line) + 1 in accumulate(len(piece.text + piece.tail) for piece in pieces)


def _sentence(text: str, lines: list[Line], has_entities: bool) -> CueSlot | None:
    builder = SlotBuilder(partial(escape, quote=False)) if has_entities else SlotBuilder()
    position, end = lines[0][0], lines[-1][1]
    if dash := _SPEAKER.match(text, position, end):
        position = dash.end()
    for match in _TAG.finditer(text, position, end):
        _add_words(builder, text, position, match.start(), has_entities)
        role = "loose" if not match["name"] else "close" if match["slash"] else "open"
        builder.mark(*match.span(), role, match["name"] or "")
        position = match.end()
    _add_words(builder, text, position, end, has_entities)
    slot = builder.build()
    if slot is None:
        return None
    line_break = _BREAK.search(text, slot.start, slot.end)
    return CueSlot(**vars(slot), lines=len(lines), line_break=line_break[0] if line_break else "\n")


def _add_words(builder: SlotBuilder, text: str, start: int, end: int, has_entities: bool) -> None:
    if not has_entities:
        builder.add_words(text, start, end)
        return
    for word in _WORD.finditer(text, start, end):  # &amp; is a word as WebVTT writes it
        builder.text(" " if word[0].isspace() else unescape(word[0]), *word.span())


@dataclass
class CueSlot(InlineSlot):
    """An ``InlineSlot`` that is laid out over at most ``lines`` lines."""

    lines: int = 1
    line_break: str = "\n"

    def write(self, translations: Sequence[str], raw: Raw) -> str:
        return self.line_break.join(lay_out(super().write(translations, raw), self.lines))


_LINE_CELLS = 36  # 18 full-width characters: longer lines leave the screen
# Tags have no width; a Latin word or a number stays whole.
_UNIT = re.compile(r"<[^<>]*>|\{\\[^{}]*\}|[A-Za-z0-9À-ɏ.,:%'’_-]+|\s+|.", re.DOTALL)
_NO_START = "，。！？；：、…）》」』】”’·,.!?;:)]}%"
_NO_END = "（《「『【“‘([{"


def lay_out(text: str, lines: int) -> list[str]:
    """``text`` over as many of ``lines`` lines as it needs, of like width, cut behind punctuation if near."""
    units = _UNIT.findall(text)
    ends = list(accumulate(map(_cells, units)))
    total = ends[-1] if ends else 0
    lines = min(lines, ceil(total / _LINE_CELLS), len(units))
    if lines < 2:
        return [text]

    def cost(index: int, ideal: float) -> float:
        before, after = units[index - 1], units[index]
        distance = abs(ends[index - 1] - ideal)
        if after[0] in _NO_START or before[-1] in _NO_END or after.startswith("</"):
            return distance + total
        return distance if before[-1] in _NO_START or before.isspace() else distance + total / 4

    ideals = [total * line / lines for line in range(1, lines)]
    cuts = {min(range(1, len(units)), key=partial(cost, ideal=ideal)) for ideal in ideals}
    bounds = [0, *sorted(cuts), len(units)]
    return ["".join(units[a:b]).strip() for a, b in pairwise(bounds)]


def _cells(unit: str) -> int:
    if unit.startswith(("<", "{\\")):
        return 0
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in unit)
