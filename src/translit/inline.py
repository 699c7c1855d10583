"""Sentences of a document with markup inside, and how they get past the model, which stumbles over markup.

Such a sentence is translated without its markup, and so is what stands inside each pair: ``I love <i>you</i>`` gives
我爱你 and 你, and where the first holds the second once, the pair goes there: ``我爱<i>你</i>``. If a pair finds no
place, the sentence with its markup as ``{0}``, ``{1}`` … is the second choice, where the model is no less sure of it.
What is lost or moved is flagged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from translit.text.checks import Flag
from translit.text.formats import Document
from translit.text.formats.document import InlineSlot, Markup
from translit.text.protect import find_tokens
from translit.translator import Translation, Translator


def translate_segments(translator: Translator, document: Document) -> list[Translation]:
    """A translation of each segment of ``document``, in order."""
    readings = [
        [segment] if slot is None else _Sentence(slot).readings
        for segment, slot in zip(document.segments, document.inline, strict=True)
    ]
    answers = iter(translator.translate(chain.from_iterable(readings)))
    return [
        next(answers) if slot is None else _Sentence(slot).choose(list(islice(answers, len(texts))))
        for slot, texts in zip(document.inline, readings, strict=True)
    ]


@dataclass(frozen=True)
class _Pair:
    """Two halves of a pair, ``inside`` is ``segment[start:end]`` between them."""

    mark: Markup
    opening: str
    closing: str
    start: int
    end: int


@dataclass(frozen=True)
class _Place:
    """A pair and where it goes in the translation."""

    pair: _Pair
    start: int
    end: int


_SPACES = re.compile(" {2,}")
_FINAL = re.compile(r"[\s.,!?:;…。，！？：；]*$")


class _Sentence:
    """One segment with markup. ``loose`` is what belongs to no word: footnotes, images, pairs around nothing."""

    def __init__(self, slot: InlineSlot) -> None:
        (self.segment,) = slot.segments
        self.slot = slot
        self.pairs: list[_Pair] = []
        self.loose: list[tuple[int, int]] = []  # start and end in the segment
        for index, (mark, token) in enumerate(zip(slot.markup, slot.tokens, strict=True)):
            start = self.segment.index(token)
            inside_loose = bool(self.loose) and start < self.loose[-1][1]
            if inside_loose or mark.role == "close":
                continue
            if mark.role == "loose":
                self.loose.append((start, start + len(token)))
            elif mark.role == "open":
                closing = next(
                    t
                    for m, t in zip(slot.markup[index + 1 :], slot.tokens[index + 1 :], strict=True)
                    if m.pair == mark.pair
                )
                pair = _Pair(mark, token, closing, start + len(token), self.segment.index(closing))
                if self._text(pair.start, pair.end, slot.tokens):
                    self.pairs.append(pair)
                else:
                    self.loose.append((start, pair.end + len(closing)))

    def _text(self, start: int, end: int, dropped: Sequence[str]) -> str:
        """``segment[start:end]`` without the tokens ``dropped``."""
        text = self.segment[start:end]
        for token in dropped:
            text = text.replace(token, "")
        return _SPACES.sub(" ", text).strip()

    @property
    def _dropped(self) -> list[str]:
        """What the model does not see, longest first: a pair around nothing goes as a whole."""
        loose = [self.segment[start:end] for start, end in self.loose]
        return loose + [token for pair in self.pairs for token in (pair.opening, pair.closing)]

    @property
    def readings(self) -> list[str]:
        """What to translate: the segment; unless nothing is dropped, also what is left, and the inside of each pair."""
        if not (dropped := self._dropped):
            return [self.segment]
        insides = [self._text(pair.start, pair.end, dropped) for pair in self.pairs]
        return [self.segment, self._text(0, len(self.segment), dropped), *insides]

    def choose(self, answers: Sequence[Translation]) -> Translation:
        """The best translation that the ``answers`` to ``readings`` allow."""
        marked, *others = answers
        if not others:
            return self._flagged(marked, marked.text, ())
        plain, *insides = others
        if plain.text == plain.source:  # left as it is: Chinese already, or too unsure
            return replace(plain, source=self.segment, text=self.segment)
        text, moved = self._placed(self._clean(plain.text), [self._clean(inside.text) for inside in insides])
        placed = self._flagged(plain, text, moved)
        if not moved and not self._lost(text):
            return placed
        second = self._flagged(marked, marked.text, ())
        surer = (marked.score or 0) >= (plain.score or 0)
        return second if surer and not second.flags else placed

    def _flagged(self, answer: Translation, text: str, moved: Sequence[Flag]) -> Translation:
        """``answer`` as ``text``, with flags that name markup as the file writes it, not as the model saw it."""
        flags = [flag for flag in answer.flags if not any(token in flag.detail for token in self.slot.tokens)]
        return replace(answer, source=self.segment, text=text, flags=(*flags, *moved, *self._lost(text)))

    # ── Markup back into a translation ──────────────────────────────────────────────────────────────────────

    def _placed(self, text: str, insides: Sequence[str]) -> tuple[str, list[Flag]]:
        """``text`` with the pairs that find their place, links and loose markup; and what had to move to the end."""
        places: list[_Place] = []
        links: list[str] = []
        moved: list[Flag] = []
        for pair, inside in zip(self.pairs, insides, strict=True):
            place = self._place_of(pair, inside, text)
            if place is not None and all(_agree(place, other) for other in places):
                places.append(place)
            elif pair.mark.is_link:
                links.append(f"（{pair.opening}{_FINAL.sub('', inside) or inside}{pair.closing}）")
                moved.append(self._flag(pair.mark, "moved to the end"))
        text = _inserted(text, places)
        at_start, at_end = "", "".join(links)
        for start, end in self.loose:
            if not self._text(0, start, self.slot.tokens):
                at_start += self.segment[start:end]
                continue
            rest = self._text(end, len(self.segment), self.slot.tokens)
            if _FINAL.sub("", rest):
                moved.append(Flag("markup", f"{self._shown(start, end)} was moved to the end"))
            at_end += self.segment[start:end]
        return at_start + _before_final_mark(text, at_end), moved

    def _clean(self, text: str) -> str:
        """``text`` without markup that the model was not shown."""
        shown = self.readings[1]
        for start, end, index in reversed(find_tokens(text, self.slot.tokens)):
            if self.slot.tokens[index] not in shown:
                text = text[:start] + text[end:]
        return text

    def _place_of(self, pair: _Pair, inside: str, text: str) -> _Place | None:
        source = self._text(pair.start, pair.end, self._dropped)
        bare = _FINAL.sub("", inside)
        ends = _FINAL.sub("", source) != source  # else a mark at its end is the model's own
        for candidate in filter(None, ((inside if ends else bare), bare, source)):
            found = [match.span() for match in _whole(candidate).finditer(text)]
            if len(found) == 1 and all(
                found[0][1] <= start or end <= found[0][0]
                for start, end, _ in find_tokens(text, self.slot.tokens)
            ):
                return _Place(pair, *found[0])
        return None

    # ── What to say about it ────────────────────────────────────────────────────────────────────────────────

    def _lost(self, text: str) -> list[Flag]:
        kept = self.slot.well_formed(find_tokens(text, self.slot.tokens))
        return [
            self._flag(mark, "lost" if mark.pair >= 0 and not mark.is_link else "moved to the end")
            for index, mark in enumerate(self.slot.markup)
            if index not in kept and mark.role != "close"
        ]

    def _flag(self, mark: Markup, fate: str) -> Flag:
        pair = next((pair for pair in self.pairs if pair.mark == mark), None)
        if pair is None:
            start = self.segment.index(self.slot.tokens[self.slot.markup.index(mark)])
            return Flag("markup", f"{self._shown(start, start + 1)} was {fate}")
        inside = self._text(pair.start, pair.end, self.slot.tokens)
        return Flag("markup", f"{_label(mark)} around “{_short(inside)}” was {fate}")

    def _shown(self, start: int, end: int) -> str:
        """The markup in ``segment[start:end]`` as the file writes it."""
        pieces = zip(self.slot.tokens, self.slot.shown, strict=False)
        written = "".join(shown for token, shown in pieces if start <= self.segment.index(token) < end)
        return _short(written) if written.isprintable() and written else "a picture, field or break"


_LABELS = {
    "em": "italics", "i": "italics", "strong": "bold", "b": "bold", "u": "underline", "s": "strikethrough",
    "del": "strikethrough", "a": "link", "link": "link", "formatting": "formatting",
}  # fmt: skip


def _label(mark: Markup) -> str:
    name = mark.name.lstrip("<").partition(" ")[0].lower()
    return _LABELS.get(name, f"<{name}>")


def _short(text: str, most: int = 30) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _whole(text: str) -> re.Pattern[str]:
    """Finds ``text``, but no 2 in 12 and no "he" in "the"."""
    return re.compile(rf"(?<![0-9A-Za-z](?=[0-9A-Za-z])){re.escape(text)}(?!(?<=[0-9A-Za-z])[0-9A-Za-z])")


def _agree(one: _Place, other: _Place) -> bool:
    """Do two pairs stand beside or inside each other as they do in the source? (``other`` starts first there.)"""
    nested = one.pair.start < other.pair.end
    if nested:
        return other.start <= one.start and one.end <= other.end
    return one.end <= other.start or other.end <= one.start


def _inserted(text: str, places: Sequence[_Place]) -> str:
    """``text`` with the pairs at their ``places``, which are in the order of the source: outer ones first."""
    parts: list[str] = []
    for position in range(len(text) + 1):
        parts += [place.pair.closing for place in reversed(places) if place.end == position]
        parts += [place.pair.opening for place in places if place.start == position]
        parts.append(text[position : position + 1])
    return "".join(parts)


def _before_final_mark(text: str, addition: str) -> str:
    if not addition:
        return text
    match = _FINAL.search(text)
    assert match is not None  # the pattern matches an empty end, too
    return text[: match.start()] + addition + match[0]
