"""Tokens grouped into words, so that a picture of attention can be read by people.

The model sees subwords and bytes (``▁un believ able``, ``<0xF0>``); people see words and, in Chinese,
characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from translit.text.normalize import HAN

_SPACE_MARK = "▁"
_SPACE = "␣"  # a piece that is only a space, as people can see it
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_SPECIAL = re.compile(r"</?(?:s|pad|unk)>")
# A Han character, a word (don't, 3.14, e-mail), or any other mark, each by itself.
_WORD = re.compile(rf"[{HAN}]|(?:(?![{HAN}])\w)+(?:['’.\-](?:(?![{HAN}])\w)+)*|\S")


@dataclass(frozen=True)
class Word:
    """Neighbouring tokens that people read as one word: ``tokens`` are their indexes."""

    text: str
    tokens: tuple[int, ...]


def group_words(pieces: Sequence[str]) -> list[Word]:
    """Group SentencePiece ``pieces`` into words; every piece belongs to exactly one, in order.

    A piece that covers several words (``▁of▁course``, 我们 of a subword tokenizer) makes them one, because
    the model chose them together. Special tokens stand alone.
    """
    words: list[Word] = []
    start = 0
    for i in range(len(pieces) + 1):
        if i == len(pieces) or _SPECIAL.fullmatch(pieces[i]):
            words += _group(pieces[start:i], start)
            if i < len(pieces):
                words.append(Word(pieces[i], (i,)))
            start = i + 1
    return words


def piece_spans(pieces: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The text that ``pieces`` spell and the characters [start, end) of each.

    The bytes of one character share its span; bytes that are not valid UTF-8 spell ``�``.
    """
    text, spans = "", []
    i = 0
    while i < len(pieces):
        run = i
        while run < len(pieces) and _BYTE.fullmatch(pieces[run]):
            run += 1
        if run == i:
            piece = pieces[i].replace(_SPACE_MARK, " ")
            spans.append((len(text), len(text) + len(piece)))
            text += piece
            i += 1
            continue
        codes = bytes(int(piece[3:5], 16) for piece in pieces[i:run])
        for size in _characters(codes):
            character = codes[:size].decode("utf-8", "replace")[:1]
            spans += [(len(text), len(text) + 1)] * size
            text, codes, i = text + character, codes[size:], i + size
    return text, spans


def piece_text(piece: str) -> str:
    """The piece as people read it: without the mark of a space, unless that is all it is."""
    return piece.replace(_SPACE_MARK, " ").strip() or _SPACE


def _characters(codes: bytes) -> list[int]:
    """How many bytes each character of ``codes`` takes; a stray byte is a character of its own."""
    sizes = []
    while codes:
        first = codes[0]
        size = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        follow = codes[1:size]
        if len(follow) < size - 1 or any(byte & 0xC0 != 0x80 for byte in follow):
            size = 1
        sizes.append(size)
        codes = codes[size:]
    return sizes


def _group(pieces: Sequence[str], offset: int) -> list[Word]:
    text, spans = piece_spans(pieces)
    owner = [-1] * len(text)  # which word each character belongs to
    for n, match in enumerate(_WORD.finditer(text)):
        owner[match.start() : match.end()] = [n] * len(match.group())
    groups: list[list[int]] = []
    last = -1  # the last word that the current group touches
    waiting: list[int] = []  # pieces that are only a space: they join the next word
    for i, (start, end) in enumerate(spans):
        touched = [n for n in owner[start:end] if n >= 0]
        if not touched:
            waiting.append(i)
            continue
        if groups and touched[0] <= last:
            groups[-1] += [*waiting, i]
        else:
            groups.append([*waiting, i])
        last = max(last, touched[-1])
        waiting = []
    if waiting and groups:
        groups[-1] += waiting
    elif waiting:
        groups.append(waiting)
    return [
        Word(text[spans[g[0]][0] : spans[g[-1]][1]].strip() or _SPACE, tuple(offset + i for i in g))
        for g in groups
    ]
