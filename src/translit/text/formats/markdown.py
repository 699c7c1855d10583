"""Markdown (CommonMark, tables, strikethrough): the text of paragraphs, headings, lists, tables, links, images.

markdown-it-py says where the blocks are and what is inside each; its inline tokens carry no positions, so they are
walked along the source. Code, link targets, HTML, mathematics and front matter are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from translit.text.formats.document import InlineSlot, Raw, SlotBuilder, Source, TextDocument

if TYPE_CHECKING:
    from markdown_it.token import Token

# What the parser does not know and nobody wants translated: front matter, formulas, ::: containers, template tags and
# [!NOTE] on lines of their own, and heading anchors {#like-this}.
_TEMPLATE_TAG = r"\{%(?:(?!%\}|\n[ \t]*\n).)*%\}"
_UNKNOWN = re.compile(
    r"\A(---|\+\+\+)[ \t]*\n(?![ \t]*\n).*?\n(?:\1|\.\.\.)[ \t]*$"
    r"|^\$\$(?:(?!\$\$).)*\$\$[ \t]*$|^\\\[[ \t]*$.*?^\\\][ \t]*$|^[ \t]*:::.*?$"
    rf"|^[ \t]*(?:{_TEMPLATE_TAG}[ \t]*)+$|(?<=> )\[!\w+\][ \t]*$|\{{#[\w-]+\}}[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
# Known to GitHub, not to the parser: the box of a task, a footnote and the reference to it, :smile:, [!NOTE] and
# template tags beside other text, $a^2$ (but not $5), $$a^2$$, \(a^2\), \[a^2\] (but not \[a note\]), and bare
# addresses, whose _ and * would be emphasis; and \|, whose \ the parser takes off in a cell. For the parser each
# becomes a word of as many characters of private use, which is markup; a footnote starts with that word, as an item of
# a list.
_MARKS = re.compile(
    r"(?<=[-*+.)][ \t])\[[ xX]\](?=[ \t])|(?P<note>^ {0,3}\[\^)[^\]\s]+\]:(?=[ \t])|\[\^[^\]\s]+\]"
    rf"|(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])|\[!\w+\]|(?s:{_TEMPLATE_TAG})"
    r"|(?P<url>(?<![\w(<=\"'/])(?:https?://|www\.)[^\s<>()\[\]`]*[_*][^\s<>()\[\]`]*[A-Za-z0-9/])"
    r"|(?P<pipe>(?<!\\)\\\|)"
    r"|(?P<math>(?<![\\$])\$\$(?!\$)[^$\n]+\$\$(?!\$)"
    r"|(?<!\\)\\\((?:\w|(?=(?:(?!\\\)).)*?(?:[\^_={}<>+]|\\[a-z]))(?:(?!\\\)).)+)\\\)"
    r"|(?<!\\)\\\[(?:\w|(?=(?:(?!\\\]).)*?(?:[\^_={}<>+]|\\[a-z]))(?:(?!\\\]).)+)\\\]"
    r"|(?<![\\\w$])\$(?=[^\s$])(?=[^$\n]*[\\^_={}<>+]|[A-Za-z]\$)[^$\n]*(?<![\s\\])\$(?![\d$]))",
    re.MULTILINE,
)
_STAND_IN, _STAND_IN_WORD = "\uf8fe", "\uf8fd"  # outside the sentence, and a part of it
_LINE = re.compile(r"[^\n]*\n?")
_WORD = re.compile(rf"\s+|{_STAND_IN}+|{_STAND_IN_WORD}+|[^\s{_STAND_IN}{_STAND_IN_WORD}]+")
# Behind the text of a link or image: (target "title"), [label], or nothing.
_URL_PIECE = r"(?:[^\s()<\\]|\\.)"
_URL = rf"(?:{_URL_PIECE}|\((?:{_URL_PIECE}|\({_URL_PIECE}*\))*\))*"  # with parentheses in it, in pairs
_TITLE = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))"""
_TARGET = rf"(?:\(\s*(?:<(?:[^<>\n\\]|\\.)*>|{_URL})(?:\s+{_TITLE})?\s*\)|\[[^\[\]]*\]|)"
_LINK_END = re.compile(rf"\]{_TARGET}")
_IMAGE = re.compile(rf"!\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]{_TARGET}", re.DOTALL)
_SOFT_BREAK = re.compile(r"[ \t]*\n[ \t]*")
_HARD_BREAK = re.compile(r"(?: {2,}|\\)\n[ \t]*")
_HTML_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[A-Za-z][\w-]*)[^>]*(?<!/)>")
_COPIED = ("code", "kbd", "samp", "var")  # elements that are no language
_SPECIAL = "\\`*_[]<>&|~#"


def read(source: Source) -> TextDocument:
    from markdown_it import MarkdownIt

    # text_join would hide where escapes and entities stand.
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("text_join")
    # The parser reads \r\n as one character; offsets lead back to the source.
    text = re.sub(r"\r(?!\n)", "\n", source.text)
    offsets = [match.start() for match in re.finditer(r"\r\n|.", text, re.DOTALL)] + [len(text)]
    text = _UNKNOWN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text.replace("\r\n", "\n"))
    text = _MARKS.sub(_stand_in, text)
    lines = [match.span() for match in _LINE.finditer(text)]
    slots: list[InlineSlot] = []
    in_cell, begin = False, 0
    for token in parser.parse(text):
        if token.type != "inline" or not token.map:
            in_cell = token.type in ("td_open", "th_open")
            begin = 0 if token.type == "tr_open" else begin
            continue
        positions = _positions(text, lines, token, begin if in_cell else -1)
        if positions:
            begin = positions[-1]
            slots += _slots(token, [offsets[position] for position in positions])
    return TextDocument(source, slots)


def _stand_in(mark: re.Match[str]) -> str:
    start = mark["note"].replace("[^", "- ") if mark["note"] else ""
    word = _STAND_IN_WORD if mark["math"] or mark["url"] or mark["pipe"] else _STAND_IN
    return start + word * (len(mark[0]) - len(start))


def _positions(text: str, lines: Sequence[tuple[int, int]], block: Token, cell_from: int) -> list[int]:
    """Where each character of the content of ``block``, and its end, stands in the source; [] if it is not there.

    The parser has taken off what lines start with ("> ", "- ", "## "). Table cells (``cell_from`` ≥ 0) follow each
    other on one line.
    """
    positions: list[int] = []
    for number, line in enumerate(block.content.split("\n"), (block.map or [0])[0]):
        start, end = lines[number]
        start = max(start, cell_from)
        body = text[start:end].rstrip("\n")
        ends = [len(kept) - len(line) for kept in (body, body.rstrip()) if kept.endswith(line)]
        at = ends[0] if ends and cell_from < 0 else body.find(line)
        if at < 0:
            return []
        positions += range(start + at, start + at + len(line) + 1)  # and its line break
    return positions


def _slots(block: Token, positions: Sequence[int]) -> Iterator[InlineSlot]:
    """The slots of a block, and those of the images in it, as far as the walk along its content does not go astray."""
    content, at = block.content, 0
    walk = _Walk(content, positions)
    for token in block.children or []:
        end = _end(token, content, at)
        if end < 0:
            return
        if token.type == "hardbreak" and not walk.depth:  # as good as a new paragraph
            yield from _finished(walk.builder)
            walk.builder = SlotBuilder()
        else:
            walk.add(token, at, end)
        at = end
    yield from _finished(walk.builder)
    for image in walk.images:
        alt = _IMAGE.match(content, image)
        builder = SlotBuilder()
        _add_text(builder, content, *(alt.span(1) if alt else (0, 0)), positions)
        if slot := builder.build():
            yield slot


class _Walk:
    """What the tokens of a block, one after the other, add to its slot."""

    def __init__(self, content: str, positions: Sequence[int]) -> None:
        self.content = content
        self.positions = positions  # of its characters in the source
        self.builder = SlotBuilder()
        self.images: list[int] = []  # where they start
        self.depth = 0  # how many pairs are open
        self._links: list[int] = []  # where the open links start
        self._copied = ("", 0, 0)  # the element that is copied whole, where it starts, and the depth there

    def add(self, token: Token, at: int, end: int) -> None:
        """Adds ``token``, which stands in ``content[at:end]``."""
        tag = _HTML_TAG.fullmatch(token.content) if token.type == "html_inline" else None
        self.depth += token.nesting
        if self._copied[0]:
            self._copy_on(tag, end)
        elif tag and tag["name"] in _COPIED and not tag["slash"]:
            self._copied = (tag["name"], at, self.depth)
        elif token.info == "auto" or token.type in ("link_open", "link_close"):
            self._add_link(token, at, end)
        elif not (self._links and self.content[self._links[-1]] == "<"):
            self._add_other(token, tag, at, end)

    def _copy_on(self, tag: re.Match[str] | None, end: int) -> None:
        name, start, depth = self._copied
        if tag and tag["slash"] and tag["name"] == name and depth == self.depth:
            self.builder.mark(self.positions[start], self.positions[end])
            self._copied = ("", 0, 0)

    def _add_link(self, token: Token, at: int, end: int) -> None:
        start, stop = self.positions[at], self.positions[end]
        if token.nesting > 0:
            self._links.append(at)
            if token.info != "auto":
                self.builder.mark(start, stop, "open", "link")
            return
        opened = self._links.pop()
        if token.info == "auto":  # <https://…> is one token
            self.builder.mark(self.positions[opened], stop)
        else:
            # [text] and [text][] name their target by their text, which is about to change.
            by_text = self.content[at:end] in ("]", "][]")
            label = self.content[opened + 1 : at]
            self.builder.mark(start, stop, "close", "link", f"][{label}]" if by_text else None)

    def _add_other(self, token: Token, tag: re.Match[str] | None, at: int, end: int) -> None:
        start, stop = self.positions[at], self.positions[end]
        if token.type == "text":
            _add_text(self.builder, self.content, at, end, self.positions)
        elif token.type == "text_special" and token.info == "entity" and token.content not in _SPECIAL:
            self.builder.text(token.content, start, stop)
        elif token.type == "text_special" and token.content == "$":
            self.builder.text("$", start, stop)
            self.builder.escape = _with_dollars_escaped
        elif token.type == "softbreak":
            self.builder.text(" ", start, stop)
        elif tag:
            self.builder.mark(start, stop, "close" if tag["slash"] else "open", f"<{tag['name']}")
            self.depth += -1 if tag["slash"] else 1
        elif token.nesting:
            # _ marks nothing between Han characters, * does.
            written = token.markup.replace("_", "*") if "_" in token.markup else None
            self.builder.mark(start, stop, "open" if token.nesting > 0 else "close", token.tag, written)
        else:  # code, escapes, images, other HTML, hard line breaks
            loose = token.type in ("image", "hardbreak") or token.content.startswith("<!--")
            self.builder.mark(start, stop, "loose" if loose else "single")
            self.images += [at] if token.type == "image" else []


def _with_dollars_escaped(text: str) -> str:
    return text.replace("$", "\\$")


def _finished(builder: SlotBuilder) -> Iterator[MarkdownSlot]:
    if slot := builder.build():
        yield MarkdownSlot(**vars(slot))


def _add_text(builder: SlotBuilder, content: str, begin: int, finish: int, positions: Sequence[int]) -> None:
    for word in _WORD.finditer(content, begin, finish):
        start, end = positions[word.start()], positions[word.end()]
        if word[0][0] in (_STAND_IN, _STAND_IN_WORD):
            builder.mark(start, end, "loose" if word[0][0] == _STAND_IN else "single")
        else:
            builder.text(" " if word[0].isspace() else word[0], start, end)


def _end(token: Token, content: str, at: int) -> int:
    """Where ``token``, which starts at ``content[at]``, ends; -1 if it does not start there."""
    if token.type == "code_inline":
        match = re.compile(rf"{token.markup}(?!`).*?(?<!`){token.markup}(?!`)", re.DOTALL).match(content, at)
    elif token.info != "auto" and token.type in _PATTERNS:
        match = _PATTERNS[token.type].match(content, at)
    else:
        if token.type in ("link_open", "link_close"):
            written = "[" if token.info != "auto" else "<" if token.nesting > 0 else ">"
        else:
            written = token.content if token.type in ("text", "html_inline") else token.markup
        return at + len(written) if content.startswith(written, at) else -1
    return match.end() if match else -1


_PATTERNS = {"link_close": _LINK_END, "image": _IMAGE, "softbreak": _SOFT_BREAK, "hardbreak": _HARD_BREAK}

_MARK = "，。！？；：、…）》」』”’,.!?;:)"
_OPENING = "（《「『“‘("


@dataclass
class MarkdownSlot(InlineSlot):
    """An ``InlineSlot`` that knows that ``**注意：**请`` is no bold text in CommonMark, but ``**注意**：请`` is.

    A closing ``**`` behind punctuation must not touch a letter, nor an opening one before punctuation; Chinese has
    no spaces that would keep them apart. So the punctuation moves out of the emphasis, or a space comes between.
    """

    def write(self, translations: Sequence[str], raw: Raw) -> str:
        text = translations[0]
        for token, mark in zip(self.tokens, self.markup, strict=True):
            escaped = re.escape(token)
            if mark.name in ("em", "strong", "s") and mark.role == "close":
                text = re.sub(rf"([{_MARK}]+)\s*{escaped}(?=\w)", rf"{token}\1", text)
                text = re.sub(rf"(?<=[^\w\s]){escaped}(?=\w)", f"{token} ", text)
            elif mark.name in ("em", "strong", "s") and mark.role == "open":
                text = re.sub(rf"(?<=\w){escaped}\s*([{_OPENING}]+)", rf"\1{token}", text)
                text = re.sub(rf"(?<=\w){escaped}(?=[^\w\s])", f" {token}", text)
        return super().write([text], raw)
