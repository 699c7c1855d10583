"""Placeholders that a translation has lost or doubled, put right where the model finds it likeliest.

A missing placeholder is tried in every place, and stays where it surprises the model least when it is made to read
the result (forced decoding). It may have been put into other words, though: ``真的没有傻瓜吗？`` lacks ``{0}``, and
``真的没有{0}傻瓜吗？`` says it twice. So from the best places the model also writes on by itself (``真的没有{0}吗？``),
and the likeliest text of all wins. A placeholder that came twice is taken out once, or not written again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from translit.decoding.settings import Hypothesis, SearchSettings, max_target_length
from translit.engines.base import MAX_POSITIONS, Engine
from translit.text.protect import find_tokens
from translit.text.tokenizer import PLACEHOLDERS, UNK, Tokenizer

_WRITE_ON = 3  # from so many of them the model writes on


@dataclass(frozen=True)
class Repair:
    """A translation whose placeholders must be put right."""

    source: Sequence[int]  # token ids, as an engine reads them
    tokens: Sequence[str]  # the placeholders: each must be there once, and no other at all
    text: str  # the translation, as the model wrote it
    most_places: int = 24  # at most so many are tried for a placeholder


@dataclass(frozen=True)
class _Candidate:
    """A text with one thing less wrong; its ``beginning`` ends where that was done."""

    text: str
    beginning: str


def put_right(
    engine: Engine, tokenizer: Tokenizer, repairs: Sequence[Repair], settings: SearchSettings
) -> Generator[None, None, list[list[Hypothesis]]]:
    """For each repair the best translations that hold its ``tokens``, at most ``settings.n_best``, at least one.

    A generator that yields whenever it has given ``engine`` something to do, and returns the translations as a
    search would, without log-probabilities of tokens. ``tokenizer`` is the target's.
    """
    writer = _Writer(engine, tokenizer, settings)
    found = yield from writer.read(repairs, [[_tidy(repair.text, repair.tokens)] for repair in repairs])
    while wrong := [i for i, texts in enumerate(found) if _faults(next(iter(texts)), repairs[i].tokens)]:
        rows = [repairs[i] for i in wrong]
        texts = [next(iter(found[i])) for i in wrong]
        candidates = [_candidates(text, row) for text, row in zip(texts, rows, strict=True)]
        read = yield from writer.read(rows, [[c.text for c in tried] for tried in candidates])
        beginnings = [
            [c.beginning for c in sorted(tried, key=lambda c: -scores[c.text].score)[:_WRITE_ON]]
            for scores, tried in zip(read, candidates, strict=True)
        ]
        written = yield from writer.write_on(rows, beginnings)
        # Every round leaves fewer faults than it found, so there is an end.
        better = [
            [t for t in others if _faults(t, row.tokens) < _faults(text, row.tokens)]
            for text, row, others in zip(texts, rows, written, strict=True)
        ]
        more = yield from writer.read(rows, better)
        for i, inserted, rewritten in zip(wrong, read, more, strict=True):
            found[i] = _best_first(inserted | rewritten)
    return [
        [h for text, h in texts.items() if not _faults(text, repair.tokens)][: settings.n_best]
        for texts, repair in zip(found, repairs, strict=True)
    ]


class _Writer:
    """The model, asked about many texts for many sources at once."""

    def __init__(self, engine: Engine, tokenizer: Tokenizer, settings: SearchSettings) -> None:
        self.engine = engine
        self.tokenizer = tokenizer
        self.settings = settings

    def read(
        self, repairs: Sequence[Repair], texts: Sequence[Sequence[str]]
    ) -> Generator[None, None, list[dict[str, Hypothesis]]]:
        """What the model thinks of the ``texts`` for each repair."""
        targets = [[self.tokenizer.encode(text) for text in tried] for tried in texts]
        sources = [repair.source for repair, tried in zip(repairs, targets, strict=True) for _ in tried]
        log_probs = self.engine.begin_scoring(sources, [ids for tried in targets for ids in tried])
        yield
        alpha = self.settings.length_penalty
        return [
            {
                t: Hypothesis(ids, next(log_probs) / (len(ids) + 1) ** alpha, [])
                for t, ids in zip(tried, many, strict=True)
            }
            for tried, many in zip(texts, targets, strict=True)
        ]

    def write_on(
        self, repairs: Sequence[Repair], beginnings: Sequence[Sequence[str]]
    ) -> Generator[None, None, list[list[str]]]:
        """How each repair could go on after each of its ``beginnings``, no placeholder there written again."""
        groups: dict[tuple[int, ...], list[tuple[int, list[int]]]] = defaultdict(list)
        for row, (repair, starts) in enumerate(zip(repairs, beginnings, strict=True)):
            room = MAX_POSITIONS - max_target_length(len(repair.source))
            for start in starts:
                forbidden = [p for p in PLACEHOLDERS if p in start or p not in repair.tokens]
                known = tuple(i for i in self.tokenizer.ids(forbidden) if i != UNK)
                if len(ids := self.tokenizer.encode(start)) < room:
                    groups[known].append((row, ids))
        answers = [
            (
                members,
                self.engine.begin(
                    [repairs[row].source for row, _ in members],
                    replace(self.settings, n_best=1, suppress=forbidden),
                    [start for _, start in members],
                ),
            )
            for forbidden, members in groups.items()
        ]
        yield
        texts: list[list[str]] = [[] for _ in repairs]
        for members, answer in answers:
            for index, (best, *_) in answer:
                row = members[index][0]
                texts[row].append(_tidy(self.tokenizer.decode(best.ids), repairs[row].tokens))
        return texts


def _tidy(text: str, tokens: Sequence[str]) -> str:
    """``text`` with the placeholders as they should be written, and without those that nobody asked for."""
    known = [*tokens, *(p for p in PLACEHOLDERS if p not in tokens)]
    parts, position = [], 0
    for start, end, index in find_tokens(text, known):
        parts += [text[position:start], known[index] if index < len(tokens) else ""]
        position = end
    return "".join([*parts, text[position:]])


def _faults(text: str, tokens: Sequence[str]) -> int:
    return sum(abs(text.count(token) - 1) for token in tokens)


def _candidates(text: str, repair: Repair) -> list[_Candidate]:
    """``text`` without one of the surplus placeholders, or with one of those that are missing."""
    for token in repair.tokens:
        places = [match.start() for match in re.finditer(re.escape(token), text)]
        if len(places) > 1:
            first = text[: places[0] + len(token)]
            return [_Candidate(text[:p] + text[p + len(token) :], first) for p in places]
    missing = next(token for token in repair.tokens if token not in text)
    return [
        _Candidate(text[:place] + missing + text[place:], text[:place] + missing)
        for place in _places(text, repair)
    ]


# Not in a word or number, nor behind the end of the sentence.
_BETWEEN = re.compile(r"(?:(?<![A-Za-z0-9À-ɏ])|(?![A-Za-z0-9À-ɏ]))(?!(?<=[。！？…])\Z)")


def _places(text: str, repair: Repair) -> list[int]:
    """Where a placeholder may go; in a long text, places that are evenly spread."""
    inside = {p for start, end, _ in find_tokens(text, repair.tokens) for p in range(start + 1, end)}
    places = [match.start() for match in _BETWEEN.finditer(text) if match.start() not in inside]
    step = max(1, -(-len(places) // repair.most_places))
    return places[::step] or [len(text)]


def _best_first(texts: dict[str, Hypothesis]) -> dict[str, Hypothesis]:
    return dict(sorted(texts.items(), key=lambda item: item[1].score, reverse=True))
