"""Pairs of markup around words: ``I love <i>you</i>`` gives 我爱你 and 你, so it becomes 我爱<i>你</i>.

``translit.inline`` does so for documents; ``Tagged`` for tags in lines of plain text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from translit.text.protect import Span, find_pairs, find_spans

FINAL = re.compile(r"[\s.,!?:;…。，！？：；]*$")
_SPACES = re.compile(" {2,}")


@dataclass(frozen=True)
class Pair:
    """Two halves of a pair; what is between them is ``text[start:end]`` of the source."""

    opening: str
    closing: str
    start: int
    end: int


@dataclass(frozen=True)
class Place:
    """A pair and where it goes in the translation."""

    pair: Pair
    start: int
    end: int


def place_of(
    pair: Pair, source: str, inside: str, text: str, occupied: Sequence[tuple[int, int]]
) -> Place | None:
    """Where the translation ``inside`` of ``source``, or itself, stands in ``text`` once and cuts no ``occupied``."""
    bare = FINAL.sub("", inside)
    ends = FINAL.sub("", source) != source  # else a mark at its end is the model's own
    for candidate in filter(str.strip, ((inside if ends else bare), bare, source)):
        overlapping = rf"(?=({whole_words(candidate).pattern}))"  # "b b" stands twice in "b b b"
        found = [match.span(1) for match in re.finditer(overlapping, text)]
        if len(found) == 1:
            (start, end), *_ = found
            if all(end <= a or b <= start or (start <= a and b <= end) for a, b in occupied):
                return Place(pair, start, end)
    return None


def whole_words(text: str) -> re.Pattern[str]:
    """Finds ``text``, but no 2 in 12 and no "he" in "the"."""
    return re.compile(rf"(?<![0-9A-Za-z](?=[0-9A-Za-z])){re.escape(text)}(?!(?<=[0-9A-Za-z])[0-9A-Za-z])")


def agree(one: Place, other: Place) -> bool:
    """Do two pairs stand beside or inside each other as they do in the source? (``other`` starts first there.)"""
    nested = one.pair.start < other.pair.end
    if nested:
        return other.start <= one.start and one.end <= other.end
    return one.end <= other.start or other.end <= one.start


def inserted(text: str, places: Sequence[Place], alone: Sequence[tuple[int, str]] = ()) -> str:
    """``text`` with the pairs at their ``places``, which are in the order of the source: outer ones first.

    ``alone`` is further markup, and where it goes.
    """
    parts: list[str] = []
    for position in range(len(text) + 1):
        parts += [place.pair.closing for place in reversed(places) if place.end == position]
        parts += [written for at, written in alone if at == position]
        parts += [place.pair.opening for place in places if place.start == position]
        parts.append(text[position : position + 1])
    return "".join(parts)


@dataclass(frozen=True)
class Tagged:
    """A sentence of plain text with ``pairs`` of tags around words.

    ``plain`` is all of it without those tags, ``insides`` is what stands between each two, likewise.
    """

    pairs: tuple[Pair, ...]
    plain: str
    insides: tuple[str, ...]

    @classmethod
    def of(cls, sentence: str) -> Tagged | None:
        """None where there is no such pair."""
        if "</" not in sentence:
            return None
        found = [
            (opening, closing)
            for opening, closing in find_pairs(sentence)
            if any(
                map(
                    str.isalpha,
                    _without(sentence, opening.end, closing.start, find_spans(sentence, ("tag",))),
                )
            )
        ]
        if not found:
            return None
        tags = sorted((tag for pair in found for tag in pair), key=lambda tag: tag.start)
        return cls(
            tuple(
                Pair(sentence[o.start : o.end], sentence[c.start : c.end], o.end, c.start) for o, c in found
            ),
            _without(sentence, 0, len(sentence), tags),
            tuple(_without(sentence, o.end, c.start, tags) for o, c in found),
        )

    def placed(self, text: str, insides: Sequence[str]) -> str | None:
        """``text``, a translation of ``plain``, with its pairs; None if one of them finds no place.

        ``insides`` are translations of ``self.insides``.
        """
        return self._placed(text, insides, range(len(self.pairs)))

    def wholes(self, insides: Sequence[str]) -> dict[tuple[int, int], str]:
        """Pairs, tags included, none inside another: where they stand in the sentence, and their translation.

        The outermost ones, but for those that hold a pair which finds no place in them.
        """
        found: dict[tuple[int, int], str] = {}
        end = 0
        for index, pair in enumerate(self.pairs):
            if pair.start < end:
                continue
            nested = [i for i, other in enumerate(self.pairs) if pair.start < other.start < pair.end]
            source, inside = self.insides[index], insides[index]
            if FINAL.sub("", source) == source:  # a mark at its end is the model's own
                inside = FINAL.sub("", inside) or inside
            if (text := self._placed(inside, insides, nested)) is not None:
                end = pair.end
                place = (pair.start - len(pair.opening), pair.end + len(pair.closing))
                found[place] = pair.opening + text + pair.closing
        return found

    def _placed(self, text: str, insides: Sequence[str], which: Sequence[int]) -> str | None:
        occupied = [(span.start, span.end) for span in find_spans(text)]
        places: list[Place] = []
        for index in which:
            place = place_of(self.pairs[index], self.insides[index], insides[index], text, occupied)
            if place is None or not all(agree(place, other) for other in places):
                return None
            places.append(place)
        return inserted(text, places)


def _without(text: str, start: int, end: int, tags: Sequence[Span]) -> str:
    """``text[start:end]`` without ``tags``, which are in order."""
    parts, position = [], start
    for tag in tags:
        if start <= tag.start and tag.end <= end:
            parts.append(text[position : tag.start])
            position = tag.end
    return _SPACES.sub(" ", "".join([*parts, text[position:end]])).strip()
