"""How likely a model finds translations that are given to it, token by token (forced decoding).

The decoder is shown the right beginning of the target at every step, as in training, and what it thinks of the next
token is written down. Summed, that is log p(target | source).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from translit.data.bitext import Pair
from translit.engines.base import MAX_SOURCE_TOKENS
from translit.engines.ctranslate2_engine import CTranslate2Engine
from translit.text.normalize import normalize_source, normalize_target
from translit.text.tokenizer import EOS

if TYPE_CHECKING:
    import ctranslate2

    from translit.model_directory import ModelDirectory

MAX_TOKENS = 3 * MAX_SOURCE_TOKENS  # on either side; converted models know the positions of no more

_BATCH_TOKENS = 2048  # rows × tokens of the longest pair; larger batches were slower
_WINDOW = 16_384  # pairs sorted by length together


@dataclass(frozen=True)
class Score:
    """What the model thinks of one target: its tokens, ``</s>`` the last of them, and their log-probabilities."""

    tokens: list[str]
    log_probs: list[float]  # natural logarithms, one per token

    @property
    def log_prob(self) -> float:
        """log p(target | source)."""
        return math.fsum(self.log_probs)

    @property
    def per_token(self) -> float:
        """``log_prob`` / number of tokens: comparable between lines of different lengths."""
        return self.log_prob / len(self.log_probs)

    @property
    def perplexity(self) -> float:
        """Among how many equally likely tokens the model seems to choose; 1 is certainty."""
        return math.exp(-self.per_token)


@dataclass
class Summary:
    """Totals over many pairs."""

    pairs: int = 0
    too_long: int = 0  # pairs without a score, in none of the other numbers
    tokens: int = 0
    characters: int = 0  # of the targets, as the model reads them
    log_prob: float = 0.0

    def add(self, pair: Pair, score: Score | None) -> None:
        """Count one pair."""
        if score is None:
            self.too_long += 1
            return
        self.pairs += 1
        self.tokens += len(score.tokens)
        self.characters += len(as_trained(pair.source, pair.target)[1])
        self.log_prob += score.log_prob

    @property
    def perplexity(self) -> float:
        """Per token of this model's own vocabulary."""
        return math.exp(-self.log_prob / self.tokens) if self.tokens else math.nan

    @property
    def bits_per_character(self) -> float:
        """Comparable between models whatever their tokens are."""
        return -self.log_prob / math.log(2) / self.characters if self.characters else math.nan


class Scorer:
    """A model that scores pairs, run by CTranslate2.

    ``compute_type`` "float32" gives the numbers of the torch model to the sixth digit; "int8" is twice as fast,
    and its log-probabilities are about 0.01 off. ``threads`` are by default as many as there are cores.
    """

    def __init__(
        self, directory: ModelDirectory, compute_type: str = "float32", threads: int | None = None
    ) -> None:
        self.directory = directory
        self._translator = CTranslate2Engine(directory, compute_type, threads)._translator

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[Score | None]:
        """One score for each (source, target), None for a pair with more than ``MAX_TOKENS`` tokens on a side.

        Texts are normalised as for training. Pairs are batched by length; neighbours change nothing but rounding.
        """
        encoded = [self._encode(*pair) for pair in pairs]
        fitting = [i for i, (s, t) in enumerate(encoded) if max(len(s), len(t) + 1) <= MAX_TOKENS]
        waiting: list[tuple[int, ctranslate2.AsyncScoringResult]] = []
        for rows in _batches(fitting, encoded):
            sources, targets = zip(*(encoded[i] for i in rows), strict=True)
            answers = self._translator.score_batch(sources, targets, max_input_length=0, asynchronous=True)
            waiting += zip(rows, answers, strict=True)
        scores: list[Score | None] = [None] * len(pairs)
        for i, answer in waiting:
            found = answer.result()
            scores[i] = Score(found.tokens, found.log_probs)
        return scores

    def stream(self, pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Score | None]]:
        """Every pair with its score, in order, without holding more than a window of them."""
        source = iter(pairs)
        while window := list(islice(source, _WINDOW)):
            yield from zip(window, self.score([pair[:2] for pair in window]), strict=True)

    def _encode(self, source: str, target: str) -> tuple[list[str], list[str]]:
        source, target = as_trained(source, target)
        left, right = self.directory.source_tokenizer, self.directory.target_tokenizer
        return left.pieces([*left.encode(source), EOS]), right.pieces(right.encode(target))


@dataclass(frozen=True)
class Suspect:
    """A pair and how much speaks for it."""

    pair: Pair
    score: Score
    gain: (
        float  # nats per token by which its own source makes the target likelier than other pairs' sources do
    )


def suspicious_pairs(
    pairs: Iterable[Pair], scorer: Scorer, *, draws: int = 2, seed: int = 1
) -> list[Suspect]:
    """All pairs that can be scored, the likely wrong ones first: those with the smallest ``gain``.

    A low log p(target | source) alone blames good pairs with rare words. So every target is scored again with
    the sources of ``draws`` other pairs, drawn at random by ``seed``: where its own source helps no more than
    theirs (a gain near 0 or below), the two do not belong together. The gain is a pointwise mutual information per
    target token, so that long and short pairs compare. On real text with one pair in twenty misaligned it found
    two to three times as many of them as the plain score did (benchmarks/wrong_pairs.py).

    Holds all pairs in memory and scores each of them 1 + ``draws`` times; at least a few dozen pairs are needed
    for the others to be other.
    """
    known = [(pair, score) for pair, score in scorer.stream(pairs) if score is not None]
    usual = [0.0] * len(known)
    for draw in range(draws):
        others = _other_sources([pair.source for pair, _ in known], seed + draw)
        strange = (
            Pair(other, pair.target, pair.place) for (pair, _), other in zip(known, others, strict=True)
        )
        for i, (_, score) in enumerate(scorer.stream(strange)):
            assert score is not None  # either side has fitted before
            usual[i] += score.per_token / draws
    suspects = [Suspect(pair, score, score.per_token - usual[i]) for i, (pair, score) in enumerate(known)]
    return sorted(suspects, key=lambda suspect: suspect.gain)


def _other_sources(sources: Sequence[str], seed: int) -> list[str]:
    """For every source a different one, if there is any, drawn at random."""
    distinct = list(dict.fromkeys(sources))
    random.Random(seed).shuffle(distinct)
    following = dict(zip(distinct, distinct[1:] + distinct[:1], strict=True))
    return [following[source] for source in sources]


def as_trained(source: str, target: str) -> tuple[str, str]:
    """The two texts as the model saw them in training; half a surrogate pair is no text and becomes ``?``."""
    source, target = (
        " ".join(text.encode("utf-8", "replace").decode().splitlines()) for text in (source, target)
    )
    return normalize_source(source), normalize_target(target, tight=True)


def _batches(rows: Sequence[int], encoded: Sequence[tuple[list[str], list[str]]]) -> Iterator[list[int]]:
    """``rows`` sorted by length, longest first, and cut where the padded batch would exceed ``_BATCH_TOKENS``."""
    batch: list[int] = []
    width = 0
    for i in sorted(rows, key=lambda i: sum(map(len, encoded[i])), reverse=True):
        width = max(width, sum(map(len, encoded[i])))
        if batch and (len(batch) + 1) * width > _BATCH_TOKENS:
            yield batch
            batch, width = [], sum(map(len, encoded[i]))
        batch.append(i)
    if batch:
        yield batch
