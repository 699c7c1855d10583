"""Sentences of a document with markup inside, and how they get past the model, which stumbles over markup.

Such a sentence is translated without its markup, and so is what stands inside each pair: ``I love <i>you</i>`` gives
我爱你 and 你, and where the first holds the second once, the pair goes there: ``我爱<i>你</i>``. What stands alone (a
footnote, a picture) behind a punctuation mark stays behind that mark, if the translation has as many.

Only if something finds no place, more is translated: the word before each footnote, which goes behind it, and the
sentence with its markup as ``{0}``, ``{1}`` …, the last choice, where the model is no less sure of it. What is lost or
moved in the end is flagged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from translit.pairs import FINAL, Pair, Place, agree, inserted, place_of, whole_words
from translit.text.checks import Flag
from translit.text.formats import Document
from translit.text.formats.document import InlineSlot, Markup
from translit.text.protect import find_tokens
from translit.text.tokenizer import PLACEHOLDERS
from translit.translator import Translation, Translator


def translate_segments(translator: Translator, document: Document) -> list[Translation]:
    """A translation of each segment of ``document``, in order."""
    slots = [None if slot is None else _Sentence(slot) for slot in document.inline]
    readings = [
        [segment] if sentence is None else sentence.readings
        for segment, sentence in zip(document.segments, slots, strict=True)
    ]
    found = [
        answers[0] if sentence is None else sentence.first(answers)
        for sentence, answers in zip(slots, _translated(translator, readings), strict=True)
    ]
    again = [
        (index, sentence)
        for index, (sentence, translation) in enumerate(zip(slots, found, strict=True))
        if sentence is not None and sentence.lacks(translation)
    ]
    second = _translated(translator, [sentence.more_readings for _, sentence in again])
    for (index, sentence), answers in zip(again, second, strict=True):
        found[index] = sentence.second(found[index], answers)
    return found


def _translated(translator: Translator, readings: Sequence[Sequence[str]]) -> list[list[Translation]]:
    answers = iter(translator.translate(chain.from_iterable(readings)))
    return [list(islice(answers, len(texts))) for texts in readings]


@dataclass(frozen=True)
class _Pair(Pair):
    """A pair of a segment, and what the document says about it."""

    mark: Markup


_SPACES = re.compile(" {2,}")
_NOTE, _BRACKETED_NOTE = re.compile(r"[\W\d]+|\[\w{1,3}\]"), re.compile(r"\[\w{1,3}\]")
_LAST_WORD = re.compile(r"\w[\w'’-]*$")
# Punctuation that ends a sentence or a clause, in English and in Chinese.
_MARKS = (
    (re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)"), re.compile("[。！？…]+[”’」』）]*")),
    (re.compile(r"[,;:][\"'”’)\]]*(?=\s)"), re.compile("[，；：、]")),
)


class _Sentence:
    """One segment with markup. ``loose`` is what belongs to no word: notes, images, pairs around nothing."""

    _plain: Translation  # what ``first`` was given
    _insides: list[str]

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
                pair = _Pair(token, closing, start + len(token), self.segment.index(closing), mark)
                if self._is_about_words(pair):
                    self.pairs.append(pair)
                else:
                    self.loose.append((start, pair.end + len(closing)))

    def _is_about_words(self, pair: _Pair) -> bool:
        """Not around nothing, nor around the number of a note: ``<sup>2</sup>``, ``<a>[2]</a>``."""
        inside = self._text(pair.start, pair.end, self.slot.tokens)
        raised = pair.mark.name.lstrip("<").lower() == "sup"
        return bool(inside) and not (_NOTE if raised else _BRACKETED_NOTE).fullmatch(inside)

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
        """What to translate: what is left without markup, and the inside of each pair; all of it, if that is all."""
        if not (dropped := self._dropped):
            return [self.segment]
        insides = [self._text(pair.start, pair.end, dropped) for pair in self.pairs]
        return [self._text(0, len(self.segment), dropped), *insides]

    @property
    def more_readings(self) -> list[str]:
        """What else may help: the segment with its markup, and the words before footnotes, pictures, code …"""
        words = (self._word_before(start) for start, _ in self._standing_alone)
        marked = [self.segment] if self._dropped and len(self.slot.tokens) <= len(PLACEHOLDERS) else []
        return [*marked, *dict.fromkeys(word for word in words if word)]

    @property
    def _standing_alone(self) -> list[tuple[int, int]]:
        """Start and end in the segment of what is no pair around text."""
        singles = [
            (start := self.segment.index(token), start + len(token))
            for mark, token in zip(self.slot.markup, self.slot.tokens, strict=True)
            if mark.role == "single"
        ]
        inside = [one for one in singles if not any(a <= one[0] < b for a, b in self.loose)]
        return sorted([*self.loose, *inside])

    def _word_before(self, position: int) -> str:
        match = _LAST_WORD.search(self._text(0, position, self.slot.tokens))
        return match[0] if match else ""

    def first(self, answers: Sequence[Translation]) -> Translation:
        """The translation that the ``answers`` to ``readings`` give."""
        plain, *insides = answers
        if plain.text == plain.source:  # left as it is: Chinese already, or too unsure
            return replace(plain, source=self.segment, text=self.segment)
        self._plain, self._insides = plain, [self._clean(inside.text) for inside in insides]
        return self._with_markup({})

    def lacks(self, translation: Translation) -> bool:
        """Has some markup lost its place?"""
        return any(flag.kind == "markup" for flag in translation.flags)

    def second(self, before: Translation, answers: Sequence[Translation]) -> Translation:
        """The best translation, now that there are ``answers`` to ``more_readings`` too."""
        marked = [answer for answer in answers if answer.source == self.segment]
        placed = self._with_markup({a.source: FINAL.sub("", self._clean(a.text)) for a in answers})
        if not marked or not self.lacks(placed):
            return placed
        other = self._flagged(marked[0], marked[0].text, ())
        surer = (other.score or 0) >= (before.score or 0)
        return other if surer and not other.flags else placed

    def _with_markup(self, words: Mapping[str, str]) -> Translation:
        """The translation of the plain text with its markup in place; ``words`` are known translations of words."""
        text, moved = self._placed(self._clean(self._plain.text), words)
        return self._flagged(self._plain, text, moved)

    def _flagged(self, answer: Translation, text: str, moved: Sequence[Flag]) -> Translation:
        """``answer`` as ``text``, with flags that name markup as the file writes it, not as the model saw it."""
        flags = [flag for flag in answer.flags if not any(token in flag.detail for token in self.slot.tokens)]
        return replace(answer, source=self.segment, text=text, flags=(*flags, *moved, *self._lost(text)))

    # ── Markup back into a translation ──────────────────────────────────────────────────────────────────────

    def _placed(self, text: str, words: Mapping[str, str]) -> tuple[str, list[Flag]]:
        """``text`` with the pairs that find their place, links and loose markup; and what had to move to the end."""
        places: list[Place] = []
        links: list[str] = []
        moved: list[Flag] = []
        for pair, inside in zip(self.pairs, self._insides, strict=True):
            place = self._place_of(pair, inside, text)
            if place is not None and all(agree(place, other) for other in places):
                places.append(place)
            elif pair.mark.is_link:
                links.append(f"（{pair.opening}{FINAL.sub('', inside) or inside}{pair.closing}）")
                moved.append(self._flag(pair.mark, "moved to the end"))
        alone: list[tuple[int, str]] = []
        at_start, at_end = "", "".join(links)
        here = {self.slot.tokens[index] for _, _, index in find_tokens(text, self.slot.tokens)}
        for start, end in self._standing_alone:
            written = self.segment[start:end]
            is_loose = (start, end) in self.loose
            if written in here:
                continue
            if is_loose and not self._text(0, start, self.slot.tokens):
                at_start += written
                continue
            if (position := self._position_of(start, text, words)) is not None:
                alone.append((position, written))
            elif is_loose:  # other marks are put at the end, and named, by whoever finds them missing
                rest = self._text(end, len(self.segment), self.slot.tokens)
                if FINAL.sub("", rest):
                    moved.append(Flag("markup", f"{self._shown(start, end)} was moved to the end"))
                at_end += written
        text = inserted(text, places, alone)
        return at_start + _before_final_mark(text, at_end), moved

    def _position_of(self, start: int, text: str, words: Mapping[str, str]) -> int | None:
        """Where in ``text`` to put what stands at ``start`` in the segment, if there is no doubt about it."""
        before = self._text(0, start, self._dropped)
        ends = [(token, before.endswith(token)) for token in self.slot.tokens]
        last = next((token for token, is_last in ends if is_last), "") or words.get(
            self._word_before(start), ""
        )
        tokens = find_tokens(text, self.slot.tokens)
        if last:
            found = [match.end() for match in whole_words(last).finditer(text)]
            split = any(a < position < b for position in found for a, b, _ in tokens)
            return found[0] if len(found) == 1 and not split else None
        whole = self._text(0, len(self.segment), self._dropped)
        for english, chinese in _MARKS:
            behind = [match.end() for match in english.finditer(before + " ")]
            if behind and not before[behind[-1] :]:
                found = [match.end() for match in chinese.finditer(text)]
                same = len(found) == len(english.findall(whole))
                return found[len(behind) - 1] if same else None
        return None

    def _clean(self, text: str) -> str:
        """``text`` without markup that the model was not shown."""
        shown = self.readings[0]
        for start, end, index in reversed(find_tokens(text, self.slot.tokens)):
            if self.slot.tokens[index] not in shown:
                text = text[:start] + text[end:]
        return text

    def _place_of(self, pair: _Pair, inside: str, text: str) -> Place | None:
        source = self._text(pair.start, pair.end, self._dropped)
        occupied = [(start, end) for start, end, _ in find_tokens(text, self.slot.tokens)]
        return place_of(pair, source, inside, text, occupied)

    # ── What to say about it ────────────────────────────────────────────────────────────────────────────────

    def _lost(self, text: str) -> list[Flag]:
        kept = self.slot.well_formed(text)
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
    "link-control": "content control",
}  # fmt: skip


def _label(mark: Markup) -> str:
    name = mark.name.lstrip("<").partition(" ")[0].lower()
    return _LABELS.get(name, f"<{name}>")


def _short(text: str, most: int = 30) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _before_final_mark(text: str, addition: str) -> str:
    if not addition:
        return text
    match = FINAL.search(text)
    assert match is not None  # the pattern matches an empty end, too
    return text[: match.start()] + addition + match[0]
