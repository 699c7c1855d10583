"""A document as its source text with slots: only what stands in a slot is ever rewritten.

Every text format works the same way. Its reader finds where translatable text stands in the decoded file (``Slot``);
``TextDocument`` gives that text out as ``segments`` and puts translations back in place. Whatever is in no slot, and
every slot whose translation equals its source, comes back byte for byte.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, pairwise
from typing import Protocol, runtime_checkable

from translit.errors import TranslitError, where
from translit.text.protect import braces, find_tokens
from translit.text.script import has_letters


class Document(Protocol):
    """A file with its translatable strings, in order.

    As long as ``segments`` are ``lines``, the line of the file on which each starts (None where files of the format
    have no lines), and ``inline``, the slot of each segment with markup inside, None for the others.
    """

    segments: list[str]
    lines: list[int | None]
    inline: list[InlineSlot | None]

    def render(self, translations: Sequence[str], language: str | None = None) -> bytes:
        """The file with ``translations`` in the place of ``segments``; ``ValueError`` if the counts differ.

        Where the file names the language of its text, and the text changes, it gets the code ``language``.
        """
        ...


@dataclass(frozen=True)
class Source:
    """A decoded file. ``name`` is for messages only."""

    name: str
    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    def encode(self, text: str) -> bytes:
        return self.bom + text.encode(self.encoding, "surrogatepass")


_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def decode(name: str, data: bytes, errors: str = "strict") -> Source:
    """Decodes UTF-8 (or UTF-16 with a byte order mark), keeping the mark.

    Bytes that are not valid raise a ``TranslitError`` with the line, or become U+FFFD with ``errors="replace"``.
    """
    bom = next((bom for bom in _BOMS if data.startswith(bom)), b"")
    encoding = _BOMS.get(bom, "utf-8")
    try:
        text = data[len(bom) :].decode(encoding, errors)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, len(bom) + error.start) + 1
        byte = data[len(bom) + error.start]
        raise TranslitError(
            f"{where(name, line)}: byte 0x{byte:02x} is not valid {encoding.upper()}; convert the file to UTF-8 "
            "(iconv -f OLD -t UTF-8), or pass --errors replace to write � instead"
        ) from None
    return Source(name, text, encoding, bom)


Raw = Callable[[int, int], str]


class Slot(Protocol):
    """``text[start:end]`` of the source, rewritten from the translations of its ``segments``."""

    start: int
    end: int
    segments: list[str]

    def write(self, translations: Sequence[str], raw: Raw) -> str:
        """The new text; ``raw(start, end)`` gives source text in which the slots inside are filled already."""
        ...


@dataclass
class LanguageSlot:
    """Where the file names the language of its text."""

    start: int
    end: int
    segments: list[str] = field(default_factory=list)

    def write(self, translations: Sequence[str], raw: Raw) -> str:
        return translations[0]


@runtime_checkable
class LinesSlot(Slot, Protocol):
    """A slot of ``Lines``; ``inline`` is theirs."""

    @property
    def inline(self) -> list[InlineSlot | None]: ...


class TextDocument:
    """A ``Document`` over decoded text. Slots may lie inside the markup of others (an alt text in a sentence)."""

    def __init__(
        self, source: Source, slots: Sequence[Slot], language: tuple[int, int] | None = None
    ) -> None:
        """``language`` is where the code of the language stands."""
        self._source = source
        self._language = LanguageSlot(*language) if language else None
        self._slots = sorted(slots, key=lambda slot: (slot.start, -slot.end))
        self.segments = [segment for slot in self._slots for segment in slot.segments]
        self.lines = []
        self.inline = []
        line, position = 1, 0
        for slot in self._slots:
            line += source.text.count("\n", position, slot.start)
            position = slot.start
            self.lines += [line] * len(slot.segments)
            self.inline += inline_of(slot, source.text)

    def render(self, translations: Sequence[str], language: str | None = None) -> bytes:
        if len(translations) != len(self.segments):
            raise ValueError(f"{len(translations)} translations for {len(self.segments)} segments")
        changed: list[tuple[Slot, list[str]]] = []
        position = 0
        for slot in self._slots:
            own = list(translations[position : position + len(slot.segments)])
            position += len(slot.segments)
            if own != slot.segments:
                changed.append((slot, own))
        if changed and language and self._language:
            changed.append((self._language, [language]))
            changed.sort(key=lambda item: (item[0].start, -item[0].end))
        return self._source.encode(_fill(self._source.text, 0, len(self._source.text), changed))


def inline_of(slot: Slot, text: str) -> list[InlineSlot | None]:
    """For each segment of ``slot``, which stands in ``text``: the slot of its markup, or None without any."""
    if isinstance(slot, InlineSlot):
        slot.shown = [text[mark.start : mark.end] for mark in slot.markup]
        return [slot if slot.markup else None]
    return slot.inline if isinstance(slot, LinesSlot) else [None] * len(slot.segments)


Filled = Sequence[tuple[Slot, list[str]]]


def _fill(text: str, start: int, end: int, filled: Filled) -> str:
    """``text[start:end]`` with its slots rewritten, those inside another through ``raw``."""
    parts, position, index = [], start, 0
    while index < len(filled):
        slot, translations = filled[index]
        after = index + 1
        while after < len(filled) and filled[after][0].end <= slot.end:
            after += 1
        if start <= slot.start and slot.end <= end:
            inner = partial(_fill, text, filled=filled[index + 1 : after])
            parts += [text[position : slot.start], slot.write(translations, inner)]
            position = slot.end
        index = after
    return "".join([*parts, text[position:end]])


@dataclass(frozen=True)
class Text:
    """Text inside a sentence as the reader sees it; in the source it is written as ``[start:end]``."""

    content: str
    start: int
    end: int


@dataclass(frozen=True)
class Markup:
    """Markup inside a sentence, ``source[start:end]``.

    ``role`` is "open" or "close" (those of one ``name`` make pairs), "single" (code, a placeholder: part of the
    sentence) or "loose" (an image, a comment: left outside when it stands at either end).
    """

    start: int
    end: int
    role: str = "single"
    name: str = ""
    pair: int = -1  # the same number in both halves; -1 outside pairs
    written: str | None = None  # what to write for it in a translation, where that is not the source itself

    @property
    def is_link(self) -> bool:
        """A link says where to; a pair that only says how its text looks may be lost."""
        return self.name in ("a", "<a") or self.name.startswith("link")


Escape = Callable[[str], str]


def as_is(text: str) -> str:
    return text


@dataclass
class InlineSlot:
    """A sentence or paragraph with markup inside, which the segment shows as ``{0}``, ``{1}`` …

    A translation may move those about. The result is always well formed: of what it loses, a link goes around the
    whole text, and what stands alone to its end; a pair that only says how words look is left out.
    """

    start: int
    end: int
    segments: list[str]
    markup: list[Markup]
    tokens: list[str]
    escape: Escape = as_is
    shown: list[str] = field(
        default_factory=list
    )  # how each of ``markup`` is written in the file, for messages

    def write(self, translations: Sequence[str], raw: Raw) -> str:
        text = translations[0]
        occurrences = find_tokens(text, self.tokens)
        kept = self.well_formed(text)
        parts, position = [], 0
        for start, end, index in occurrences:
            parts.append(self.escape(text[position:start]))
            if kept.get(index) == start:
                parts.append(_written(self.markup[index], raw))
            position = end
        parts.append(self.escape(text[position:]))
        return self._with_lost("".join(parts), kept, raw)

    def well_formed(self, text: str) -> dict[int, int]:
        """The markup of ``text`` to keep and where it stands: the first of each; pairs if around words, and nested."""
        occurrences = find_tokens(text, self.tokens)
        first: dict[int, int] = {}
        for start, _, index in occurrences:
            first.setdefault(index, start)
        for (_, end, index), (start, _, after) in pairwise(occurrences):
            one, other = self.markup[index], self.markup[after]
            if one.pair == other.pair >= 0 and not text[end:start].strip() and one.end < other.start:
                first.pop(index, None)  # they stood around something
        halves = Counter(self.markup[index].pair for index in first)
        first = {
            i: at for i, at in first.items() if self.markup[i].pair < 0 or halves[self.markup[i].pair] == 2
        }
        open_pairs: list[int] = []
        for index in sorted(first, key=first.__getitem__):
            mark = self.markup[index]
            if mark.role == "open":
                open_pairs.append(mark.pair)
            elif mark.role == "close" and (not open_pairs or open_pairs.pop() != mark.pair):
                return {i: at for i, at in first.items() if self.markup[i].pair < 0}
        return first

    def _with_lost(self, text: str, kept: dict[int, int], raw: Raw) -> str:
        closes = {mark.pair: mark for mark in self.markup if mark.role == "close"}
        around: list[tuple[Markup, Markup]] = []
        restored = -1  # up to here the source was copied whole
        for index, mark in enumerate(self.markup):
            if index in kept or mark.role == "close" or mark.end <= restored:
                continue
            close = closes.get(mark.pair)
            if close is not None and not mark.is_link:
                continue
            if close is None:
                text += _written(mark, raw)
            elif all(close.end <= outer_close.start for _, outer_close in around):
                around.append((mark, close))
            elif any(mark.start < self.markup[i].start < close.start for i in kept):
                text += _written(mark, raw) + _written(close, raw)
            else:  # beside a pair that is around the text already
                text += raw(mark.start, close.end)
                restored = close.end
        for opening, close in reversed(around):
            text = _written(opening, raw) + text + _written(close, raw)
        return text


def _written(mark: Markup, raw: Raw) -> str:
    return raw(mark.start, mark.end) if mark.written is None else mark.written


@dataclass
class SlotBuilder:
    """Collects the text and the markup of one sentence, in order, and makes the slot of it."""

    escape: Escape = as_is
    parts: list[Text | Markup] = field(default_factory=list)

    def text(self, content: str, start: int, end: int) -> None:
        """Adds text. A run of white space must come alone, so that it can be left outside the slot."""
        self.parts.append(Text(content, start, end))

    def mark(
        self, start: int, end: int, role: str = "single", name: str = "", written: str | None = None
    ) -> None:
        self.parts.append(Markup(start, end, role, name, written=written))

    def add_words(self, text: str, start: int, end: int) -> None:
        """Adds ``text[start:end]``, runs of white space as one space."""
        for match in _WORD.finditer(text, start, end):
            self.text(" " if match[0].isspace() else match[0], *match.span())

    def add_tagged(self, text: str, start: int, end: int) -> None:
        """Adds ``text[start:end]``, in which HTML tags are markup and only line breaks become one space."""
        for tag in _TAG.finditer(text, start, end):
            self._add_spaced(text, start, tag.start())
            self.mark(*tag.span(), "close" if tag["slash"] else "open", tag["name"])
            start = tag.end()
        self._add_spaced(text, start, end)

    def _add_spaced(self, text: str, start: int, end: int) -> None:
        for match in _WORD.finditer(text, start, end):
            self.text(_LINE_BREAK.sub(" ", match[0]), *match.span())

    def build(self) -> InlineSlot | None:
        """The slot, or None if there is nothing to translate in it."""
        parts = _trimmed(_paired(self.parts))
        texts = [part.content for part in parts if isinstance(part, Text)]
        if not has_letters("".join(texts)) or _KEY.fullmatch("".join(texts)):
            return None
        numbers = (braces(number) for number in count() if braces(number) not in "".join(texts))
        markup = [part for part in parts if isinstance(part, Markup)]
        token_of = dict(zip(markup, numbers, strict=False))
        segment = "".join(part.content if isinstance(part, Text) else token_of[part] for part in parts)
        tokens = [token_of[mark] for mark in markup]
        return InlineSlot(parts[0].start, parts[-1].end, [segment], markup, tokens, self.escape)


# btn_ok, onClick, user.name, zh-CN, MM/DD/YYYY: nothing that people read.
_KEY = re.compile(
    r"\w*_\w*|[a-z]+[A-Z]\w*|\w+(?:\.\w+)+|[a-z]{2}-[A-Z]{2}"
    r"|(?=.*(?:MM|DD|YY|yy|dd|HH|hh|mm|ss))[YyMDdHhmsaT]+(?:[/.:, -]+[YyMDdHhmsaTZ]+)+",
    re.ASCII,
)
_WORD = re.compile(r"\s+|\S+")
_LINE_BREAK = re.compile(r"\s*[\r\n]\s*")
_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*)?/?>")


def _paired(parts: Sequence[Text | Markup]) -> list[Text | Markup]:
    """Numbers the pairs; a half without its other half becomes "loose"."""
    paired = list(parts)
    open_marks: list[tuple[int, Markup]] = []
    for index, part in enumerate(parts):
        if not isinstance(part, Markup) or part.role not in ("open", "close"):
            continue
        paired[index] = replace(part, role="loose")
        if part.role == "open":
            open_marks.append((index, part))
        elif any(mark.name == part.name for _, mark in open_marks):
            while (opening := open_marks.pop())[1].name != part.name:
                pass
            paired[opening[0]] = replace(opening[1], pair=index)
            paired[index] = replace(part, pair=index)
    return paired


def _trimmed(parts: Sequence[Text | Markup]) -> Sequence[Text | Markup]:
    """Without white space and loose markup at the ends, and without pairs around everything."""
    start, end = 0, len(parts)
    while start < end:
        first, last = parts[start], parts[end - 1]
        if _is_loose(first):
            start += 1
        elif _is_loose(last):
            end -= 1
        elif isinstance(first, Markup) and isinstance(last, Markup) and _is_plain_pair(first, last):
            start, end = start + 1, end - 1
        else:
            break
    return parts[start:end]


def _is_plain_pair(first: Markup, last: Markup) -> bool:
    """Two halves of a pair that a translation leaves as they are."""
    return first.pair == last.pair >= 0 and first.written is None and last.written is None


def _is_loose(part: Text | Markup) -> bool:
    return part.role == "loose" if isinstance(part, Markup) else part.content.isspace()


@dataclass(frozen=True)
class Lines:
    """A value of one or more lines (also <br>): each with letters is a segment, without the white space around it."""

    pieces: tuple[tuple[str, InlineSlot | None], ...]

    @classmethod
    def of(cls, value: str) -> Lines:
        pieces = []
        for piece in _END_OF_LINE.split(value):
            builder = SlotBuilder()
            builder.add_tagged(piece, 0, len(piece))
            pieces.append((piece, builder.build()))
        return cls(tuple(pieces))

    @property
    def segments(self) -> list[str]:
        return [segment for _, slot in self.pieces if slot for segment in slot.segments]

    @property
    def inline(self) -> list[InlineSlot | None]:
        return [inner for piece, slot in self.pieces if slot for inner in inline_of(slot, piece)]

    def filled(self, translations: Iterator[str]) -> str:
        """The value with the next of ``translations`` in the place of each segment."""
        return "".join(
            piece if slot is None else _rewritten(slot, piece, next(translations))
            for piece, slot in self.pieces
        )


def _rewritten(slot: InlineSlot, text: str, translation: str) -> str:
    if [translation] == slot.segments:
        return text
    new = slot.write([translation], lambda start, end: text[start:end])
    return text[: slot.start] + new + text[slot.end :]


_END_OF_LINE = re.compile(r"(\s*(?:[\r\n]|<br\s*/?>)\s*)")
