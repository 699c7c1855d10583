"""HTML: sentences with their inline tags, alt and title texts; tags, scripts, styles and code are not touched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape, unescape
from html.parser import HTMLParser
from itertools import accumulate, chain, pairwise

from translit.text.formats.document import InlineSlot, SlotBuilder, Source, TextDocument

# Elements that stand inside a sentence; every other one ends it.
_INLINE = frozenset((
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "del", "dfn", "em", "font", "i", "ins", "mark", "q",
    "s", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
))  # fmt: skip
_LOOSE = frozenset(("img", "input", "wbr"))
# Not language, copied whole: the first kind as one token of its sentence, the second between sentences.
_COPIED_INLINE = frozenset(("code", "kbd", "samp", "var", "math", "svg"))
_COPIED = frozenset(("script", "style", "pre", "textarea", "xmp"))
# Elements that need no end tag, and those whose beginning ends them, too.
_ENDED_BY = {
    "li": ("li",), "p": ("p", "div", "ul", "ol", "table", "h1", "h2", "h3"), "option": ("option", "optgroup"),
    "dt": ("dt", "dd"), "dd": ("dt", "dd"), "td": ("td", "th", "tr"), "th": ("td", "th", "tr"), "tr": ("tr",),
}  # fmt: skip
_VOID = frozenset(
    ("br", "hr", "img", "input", "meta", "link", "source", "col", "area", "base", "embed", "track", "wbr")
)

_ATTRIBUTE = re.compile(r"""\s(?:alt|title|placeholder|aria-label)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.I)
# What a page says of itself to others, and the text of a button.
_CONTENT = re.compile(r"""\scontent\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.I)
_VALUE = re.compile(r"""\svalue\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.I)
_META = re.compile(
    r"""\s(?:name|property)\s*=\s*["']?(?:(?:(?:og|twitter):)?(?:title|description))["'\s/>]""", re.I
)
_BUTTON = re.compile(r"""\stype\s*=\s*["']?(?:submit|button|reset)["'\s/>]""", re.I)
_UNTRANSLATED = re.compile(r"""\s(?:translate\s*=\s*["']?no\b|class\s*=\s*["'][^"']*\bnotranslate\b)""", re.I)
_WORD = re.compile(r"\s+|\S+")


_LANGUAGE = re.compile(r"""<html\b[^<>]*?\slang\s*=\s*["']?(en(?:-\w+)?)\b""", re.I)


def read(source: Source) -> TextDocument:
    language = _LANGUAGE.search(source.text)
    return TextDocument(source, list(find_slots(source.text)), language.span(1) if language else None)


@dataclass(frozen=True)
class _Event:
    """What the parser met in ``[start:end]``: "text", "entity", a "start" or "end" tag, or "other"."""

    kind: str
    start: int
    end: int
    tag: str = ""


class _Parser(HTMLParser):
    """Notes where each construct starts. It ends where the next one starts, so nothing can be missed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self._lines = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
        self.found: list[tuple[str, int, str]] = []
        self.feed(text)
        self.close()

    def _note(self, kind: str, tag: str = "") -> None:
        line, column = self.getpos()
        self.found.append((kind, self._lines[line - 1] + column, tag))

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._note("start", tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self._note("other" if tag in _INLINE or tag in _LOOSE or tag in _COPIED_INLINE else "block", tag)

    def handle_endtag(self, tag: str) -> None:
        self._note("end", tag)

    def handle_data(self, data: str) -> None:
        self._note("text")

    def handle_entityref(self, name: str) -> None:
        self._note("entity")

    def handle_charref(self, name: str) -> None:
        self._note("entity")

    def handle_comment(self, data: str) -> None:
        self._note("other")

    def handle_decl(self, decl: str) -> None:
        self._note("block")

    def handle_pi(self, data: str) -> None:
        self._note("other")

    def unknown_decl(self, data: str) -> None:
        self._note("other")


def _events(text: str) -> Iterator[_Event]:
    found = _Parser(text).found
    for (kind, start, tag), (_, end, _) in pairwise([*found, ("end of file", len(text), "")]):
        yield _Event(kind, start, end, tag)


def find_slots(text: str) -> Iterator[InlineSlot]:
    """The translatable sentences and attributes of HTML ``text``, or of a fragment of it."""
    builder = SlotBuilder(_escape)
    copied: list[str] = []  # the tags of this name that are open, while an element is copied whole
    inside: list[str] = []  # the others that were opened in it
    copied_from = 0
    for event in _events(text):
        if copied and _is_ended(copied[0], event, inside):
            copied = []
        elif copied:
            if event.tag == copied[0]:
                copied = copied[1:] if event.kind == "end" else [*copied, event.tag]
            elif event.kind == "start" and event.tag not in _VOID:
                inside.append(event.tag)
            elif event.kind == "end" and event.tag in inside:
                del inside[len(inside) - 1 - inside[::-1].index(event.tag) :]
            if not copied and (event.tag in _COPIED_INLINE or event.tag in _INLINE):
                builder.mark(copied_from, event.end)
            continue
        if event.kind == "start" and _is_copied(event, text):
            copied, inside, copied_from = [event.tag], [], event.start
            ends_sentence = event.tag not in _COPIED_INLINE and event.tag not in _INLINE
        else:
            ends_sentence = _add(builder, event, text)
            yield from _attributes(event, text)
        if ends_sentence:
            yield from _finished(builder)
    yield from _finished(builder)


def _is_copied(event: _Event, text: str) -> bool:
    listed = event.tag in _COPIED or event.tag in _COPIED_INLINE
    return listed or bool(event.tag not in _VOID and _UNTRANSLATED.search(text, event.start, event.end))


def _is_ended(tag: str, event: _Event, inside: list[str]) -> bool:
    """Does ``event`` end an open ``<tag>`` that has no end tag: its next neighbour, or the end of what holds them?"""
    if event.kind == "start":
        return event.tag in _ENDED_BY.get(tag, ()) and all(other in _ENDED_BY for other in inside)
    return event.kind == "end" and tag in _ENDED_BY and event.tag != tag and event.tag not in inside


def _add(builder: SlotBuilder, event: _Event, text: str) -> bool:
    """Adds the event to the sentence, or says that it ends it."""
    start, end = event.start, event.end
    if event.kind == "text":
        builder.add_words(text, start, end)
    elif event.kind == "entity":
        builder.text(unescape(text[start:end]), start, end)
    elif event.kind in ("start", "end") and event.tag in _INLINE:
        builder.mark(start, end, "open" if event.kind == "start" else "close", event.tag)
    elif event.kind == "other" or event.tag in _LOOSE:
        builder.mark(start, end, "loose")
    else:
        return True
    return False


def _attributes(event: _Event, text: str) -> Iterator[InlineSlot]:
    if event.kind in ("start", "other", "block") and event.tag:
        patterns = [_ATTRIBUTE]
        if event.tag == "meta" and _META.search(text, event.start, event.end):
            patterns.append(_CONTENT)
        elif event.tag == "input" and _BUTTON.search(text, event.start, event.end):
            patterns.append(_VALUE)
        for match in chain.from_iterable(p.finditer(text, event.start, event.end) for p in patterns):
            group = 1 if match[1] is not None else 2
            builder = SlotBuilder(_escape_attribute)
            for word in _WORD.finditer(text, *match.span(group)):
                builder.text(" " if word[0].isspace() else unescape(word[0]), *word.span())
            yield from _finished(builder)


def _finished(builder: SlotBuilder) -> Iterator[InlineSlot]:
    if slot := builder.build():
        yield slot
    builder.parts.clear()


def _escape(text: str) -> str:
    return escape(text, quote=False)


def _escape_attribute(text: str) -> str:
    return escape(text, quote=True)
