"""Does an exported model compute what ours computes? Asked right after every export, on a few sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from translit.decoding.settings import SearchSettings, max_target_length
from translit.model_directory import ModelDirectory
from translit.text.normalize import normalize_source
from translit.text.tokenizer import EOS

# Short and long in one batch, so that padding is put to the test, and some spelt in bytes.
SENTENCES = (
    "I love you.",
    "Where is the station?",
    "No!",
    "He has 3 cats and 12 dogs, and he feeds them twice a day.",
    "The train that leaves at 10:45 stops at every village between the mountains and the sea, which is why "
    "nobody who is in a hurry ever takes it.",
    "Please send {0} to me by e-mail before Friday.",
    "Zoë 😀 привет",
    "WE ARE LEARNING HOW A TRANSFORMER WORKS",
)
EXACT = 1e-3  # how far the log-probability of a token may be from ours, in full precision
ROUNDED = 0.5  # the same, for the mean of all tokens of weights that were rounded to fewer bits


class Exported(Protocol):
    """An exported model, run by the software that it is for, all sentences in one batch.

    Sources are token ids with ``</s>``; targets are ids of the target tokenizer without ``<s>`` and ``</s>``.
    """

    def greedy(self, sources: Sequence[Sequence[int]], limit: int) -> list[list[int]]:
        """The translation of every source, the best token each time, until ``</s>`` or ``limit`` tokens."""
        ...

    def log_probs(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[list[float]]:
        """The log-probability of every token of the targets, and of the ``</s>`` behind them."""
        ...


@dataclass(frozen=True)
class Comparison:
    """An exported model beside ours."""

    sentences: int
    same: int  # sentences whose greedy translation is the same, token by token
    largest: float  # largest distance between the two log-probabilities of one token
    mean: float  # mean distance
    exact: bool  # full precision: every token must be the same

    @property
    def agrees(self) -> bool:
        """Same tokens and ``largest`` within EXACT; for rounded weights, ``mean`` within ROUNDED."""
        if self.exact:
            return self.same == self.sentences and self.largest <= EXACT
        return self.mean <= ROUNDED


def compare(directory: ModelDirectory, exported: Exported, *, exact: bool) -> Comparison:
    """Translate ``SENTENCES`` with ``exported`` and with our torch engine, greedily."""
    from translit.engines.torch_engine import TorchEngine

    engine = TorchEngine(directory)
    tokenizer = directory.source_tokenizer
    sources = [[*tokenizer.encode(normalize_source(sentence)), EOS] for sentence in SENTENCES]
    ours = [best.ids for (best,) in engine.translate(sources, SearchSettings(beam=1))]
    limits = [max_target_length(len(source)) for source in sources]
    theirs = [ids[:limit] for ids, limit in zip(exported.greedy(sources, max(limits)), limits, strict=True)]
    expected = engine.log_probs(sources, ours)
    found = exported.log_probs(sources, ours)
    distances = [abs(a - b) for x, y in zip(expected, found, strict=True) for a, b in zip(x, y, strict=True)]
    return Comparison(
        sentences=len(sources),
        same=sum(a == b for a, b in zip(ours, theirs, strict=True)),
        largest=max(distances) if all(map(math.isfinite, distances)) else math.nan,  # max may overlook a NaN
        mean=sum(distances) / len(distances),
        exact=exact,
    )


def chosen(
    log_probs: Sequence[Sequence[Sequence[float]]], targets: Sequence[Sequence[int]]
) -> list[list[float]]:
    """From log-probabilities of every token at every step (B, T, V), those of the targets and their ``</s>``."""
    return [
        [row[step][token] for step, token in enumerate([*target, EOS])]
        for row, target in zip(log_probs, targets, strict=True)
    ]
