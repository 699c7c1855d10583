"""Paragraphs into sentences and back, and sentences that are too long into parts that fit.

Sentences come from ``sentencex`` (Wikimedia, MIT). It is 800 times faster than pysbd, loads in 1 ms instead
of 30, keeps every character and is maintained; ICU is far larger. It cuts off list numbers; we put them back.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from translit.text.protect import find_spans
from translit.text.script import HAN, as_unicode


@dataclass(frozen=True)
class Piece:
    """A sentence and the white space behind it; ``text`` is empty only for white space at the very start."""

    text: str
    tail: str


def split(paragraph: str, lang: str = "en") -> list[Piece]:
    """The sentences of ``paragraph``; their joined ``text + tail`` is ``paragraph``, character for character.

    ``lang`` is an ISO 639 code: abbreviations and quotes differ by language.
    """
    from sentencex import segment

    # Rust strings hold no lone surrogates, so the splitter sees stand-ins of the same length.
    visible = as_unicode(paragraph)
    pieces, start = [], 0
    for length in map(len, _sentences(segment(lang, visible))):
        pieces.append(_piece(paragraph[start : start + length]))
        start += length
    return [*_leading_space(pieces), *pieces[1:]] if pieces else []


# Abbreviations that the splitter does not know. Behind a title there is always a name; behind the others the sentence
# goes on when a digit or a small letter follows.
_TITLE = re.compile(r"(?:^|[^\w.])(?:M[rsx]|Mrs|Messrs|Mmes|Dr|Prof|(?<!\d )Ft|Mt|Ste)\.\s+$")
_ABBREVIATION = re.compile(
    r"(?:^|[^\w.])(?:(?i:vols?|figs?|eqs?|chs?|chap|eds?|approx|max|min|avg|lbs?|ft|apt|pkwy|rte|tel|est|temp|incl|excl|govt)"
    r"|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\.\s+$"
)
_GOES_ON = re.compile(r"[a-z\d($€£¥]")
_NOON = re.compile(r"\d\s?[ap]\.m\.\s+$", re.IGNORECASE)
_AFTER_A_TIME = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|[A-Z]{2,4}\b")  # 5 p.m. EST


def _is_cut(before: str, after: str) -> bool:
    """Did the splitter take the full stop of an abbreviation for the end of a sentence?"""
    return bool(
        (_TITLE.search(before) and after[:1].isupper())
        or (_ABBREVIATION.search(before) and _GOES_ON.match(after))
        or (_NOON.search(before) and _AFTER_A_TIME.match(after))
    )


_LIST_NUMBER = re.compile(r"\s*(?:\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})[.)]|[-*•])[ \t]*")


def _sentences(segments: Iterable[str]) -> list[str]:
    """Segments, where a bare list number ("1. ") or an abbreviation joins what follows it, and white space what it
    follows."""
    sentences: list[str] = []
    for segment in segments:
        if sentences and (_LIST_NUMBER.fullmatch(sentences[-1]) or _is_cut(sentences[-1], segment)):
            sentences[-1] += segment
            continue
        text = segment.lstrip() if sentences else segment  # Python knows more white space than the splitter
        if sentences:
            sentences[-1] += segment[: len(segment) - len(text)]
        if text:
            sentences.append(text)
    return sentences


def _piece(sentence: str) -> Piece:
    text = sentence.rstrip()
    return Piece(text, sentence[len(text) :])


def _leading_space(pieces: list[Piece]) -> list[Piece]:
    """The first piece, after an empty one with the white space before it, if there is any."""
    first = pieces[0]
    text = first.text.lstrip()
    space = first.text[: len(first.text) - len(text)]
    return [Piece("", space), Piece(text, first.tail)] if space else [first]


# Full-width punctuation and Han characters bring their own space. Strings: re compiles them when first needed.
_WIDE_END = rf"[{HAN}\u3000-\u303f\uff00-\uffef…”’]$"
_WIDE_START = rf"[{HAN}\u3000-\u303f\uff00-\uffef…“‘]"


def join_zh(translations: Sequence[str], pieces: Sequence[Piece]) -> str:
    """The Chinese paragraph of translated ``pieces``: no spaces between Chinese sentences, line breaks kept.

    Raises ``ValueError`` if there is not one translation for each piece.
    """
    if len(translations) != len(pieces):
        raise ValueError(f"{len(translations)} translations for {len(pieces)} pieces")
    parts = []
    following = [*translations[1:], ""]
    for text, piece, after in zip(translations, pieces, following, strict=False):
        wide = bool(text and after) and bool(re.search(_WIDE_END, text) or re.match(_WIDE_START, after))
        parts += [text, "" if wide and not piece.tail.strip(" \u00a0") else piece.tail]
    return "".join(parts)


# Where to cut, best first; each pattern matches the end of a part.
_CUTS = (
    re.compile(r"[—–…；：。！？]+[\"'”’)\]]*\s*|[;:.!?]+[\"'”’)\]]*\s+"),
    re.compile(r",[\"'”’)\]]*\s+|[，、]"),
    re.compile(
        r"\s+(?=(?:and|but|or|nor|so|yet|because|although|while|when|which|who|that|if|than)\b)", re.I
    ),
    re.compile(r"\s+"),
    # Between characters, but never inside an emoji sequence or before a combining mark.
    re.compile(r"(?<!\u200d)(?![\u0300-\u036f\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff])", re.DOTALL),
)


def split_long(sentence: str, fits: Callable[[str], bool]) -> list[str]:
    """Cuts ``sentence`` into parts that each satisfy ``fits``; joined they are ``sentence``.

    It cuts at clause marks, else at commas, before conjunctions, between words, between characters. ``fits``
    must hold for every part of a text that fits. A single character is never cut, fitting or not, nor is an address,
    a placeholder, a tag.
    """
    return list(_fitting(sentence, fits, 0))


_WHOLE = ("code", "tag", "url", "email", "placeholder", "path")


def _fitting(text: str, fits: Callable[[str], bool], level: int) -> Iterator[str]:
    if not text or fits(text) or level == len(_CUTS):
        yield from [text] if text else []
        return
    chunks = _chunks(text, _CUTS[level])
    while chunks:
        # The longest run of chunks that fits, found by halving: fits() may have to tokenise.
        count = bisect_left(range(1, len(chunks) + 1), True, key=lambda n: not fits("".join(chunks[:n])))
        if count:
            yield "".join(chunks[:count])
        else:
            yield from _fitting(chunks[0], fits, level + 1)
        chunks = chunks[count or 1 :]


def _chunks(text: str, cut: re.Pattern[str]) -> list[str]:
    """``text`` cut behind every match of ``cut`` that is in no span to be copied; nothing lost."""
    inside = {p for span in find_spans(text, _WHOLE) for p in range(span.start + 1, span.end)}
    ends = sorted(({match.end() for match in cut.finditer(text)} - inside) | {len(text)} - {0})
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False) if end > start]
