"""Facts read off a record: pure functions from numbers to smaller, telling numbers.

Shapes: S source tokens, T steps, L layers, h heads, U source words, W target words.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from translit.explain.record import Kind, Record
from translit.explain.words import Word, piece_text

SEPARATORS = ("<s>", "</s>", "<pad>")
SINK_SHARE = 0.4  # a head that parks this much of its attention on one separator or mark has a sink there
_SINK_KEYS = 3  # fewer tokens to look at, and a large share means nothing


@dataclass(frozen=True)
class Candidate:
    """One token that could have come next."""

    id: int
    piece: str
    probability: float
    rank: int  # 1 is the most probable


@dataclass(frozen=True)
class Step:
    """One decision of the decoder."""

    prefix: list[str]  # the pieces it had read, ``<s>`` first
    chosen: Candidate
    candidates: list[Candidate]  # the most probable, best first
    entropy: float  # bits: 0 is certain, log2(V) is a blind guess


def steps(record: Record, top_k: int, vocabulary: Sequence[str]) -> list[Step]:
    """Every decision with its ``top_k`` candidates and its real probabilities."""
    found = []
    inputs = record.inputs
    for t, token in enumerate(record.target_ids):
        log_probs = record.log_probs[t]
        found.append(
            Step(
                prefix=inputs[: t + 1],
                chosen=candidate(log_probs, token, vocabulary),
                candidates=top(log_probs, top_k, vocabulary),
                entropy=entropy(log_probs.exp()).item(),
            )
        )
    return found


def candidate(log_probs: Tensor, token: int, vocabulary: Sequence[str]) -> Candidate:
    """``token`` with its probability and rank in ``log_probs`` (V,)."""
    rank = 1 + int((log_probs > log_probs[token]).sum())
    return Candidate(token, vocabulary[token], log_probs[token].exp().item(), rank)


def top(log_probs: Tensor, k: int, vocabulary: Sequence[str]) -> list[Candidate]:
    """The ``k`` most probable tokens of ``log_probs`` (V,), best first."""
    values, ids = log_probs.topk(min(k, len(log_probs)))
    pairs = enumerate(zip(values.exp().tolist(), ids.tolist(), strict=True))
    return [Candidate(i, vocabulary[i], p, rank + 1) for rank, (p, i) in pairs]


def entropy(probabilities: Tensor) -> Tensor:
    """−Σ p·log₂ p over the last dimension, in bits."""
    return -torch.special.xlogy(probabilities, probabilities).sum(-1) / math.log(2)


# ── Alignment ───────────────────────────────────────────────────────────────────────────────────────────────


def word_weights(weights: Tensor, queries: Sequence[Word], keys: Sequence[Word]) -> Tensor:
    """Attention between tokens (…, T, S) → between words (…, W, U).

    A word receives the sum of what its tokens receive, and gives the mean of what its tokens give; rows still
    sum to 1.
    """
    received = torch.stack([weights[..., list(k.tokens)].sum(-1) for k in keys], dim=-1)  # (…, T, U)
    return torch.stack([received[..., list(q.tokens), :].mean(-2) for q in queries], dim=-2)  # (…, W, U)


def choose_alignment_head(cross: Tensor, source: Sequence[Word]) -> tuple[int, int]:
    """The (layer, head) of ``cross`` (L, h, T, S) that looks most like an alignment, when none was trained
    for it.

    Two things make one: each step looks at one real word with confidence, and all words are looked at in
    turn. The score is (mean of the largest weight on a real word) × (share of real words that are some step's
    largest). ``translit heads`` measures the same with hand-aligned text, which is better evidence.
    """
    real = [w for w in source if w.text not in SEPARATORS and not is_punctuation(w.text)] or list(source)
    best, words = torch.stack([cross[..., list(w.tokens)].sum(-1) for w in real], dim=-1).max(-1)  # (L, h, T)
    confidence = best.mean(-1)  # (L, h)
    coverage = torch.nn.functional.one_hot(words, len(real)).amax(-2).double().mean(-1)  # (L, h)
    flat = int((confidence * coverage).argmax())
    return flat // cross.size(1), flat % cross.size(1)


def is_punctuation(text: str) -> bool:
    """Only punctuation marks and symbols?"""
    return bool(text) and all(unicodedata.category(c)[0] in "PS" for c in text)


@dataclass(frozen=True)
class Sink:
    """A head that parks its attention on a separator or a punctuation mark."""

    kind: Kind
    layer: int
    head: int
    key: int  # which token
    share: float  # of all the head's attention in this sentence


def sinks(record: Record, kind: Kind) -> list[Sink]:
    """Heads of one kind whose attention rests, on average, on a token without meaning of its own."""
    weights = record.attention(kind)  # (L, h, T, S)
    keys = record.inputs if kind == "decoder" else record.source_pieces
    if len(keys) < _SINK_KEYS:
        return []
    if kind == "decoder":  # the first queries have nowhere else to look
        weights = weights[:, :, _SINK_KEYS - 1 :]
    share, key = weights.mean(-2).max(-1)  # (L, h)
    found = []
    for layer, head in (share >= SINK_SHARE).nonzero().tolist():
        k = int(key[layer, head])
        if keys[k] in SEPARATORS or is_punctuation(piece_text(keys[k])):
            found.append(Sink(kind, layer, head, k, share[layer, head].item()))
    return found


# ── Rank correlation ────────────────────────────────────────────────────────────────────────────────────────


def spearman(a: Tensor, b: Tensor) -> float | None:
    """Rank correlation of two equally long lists of numbers, −1 to 1; None where one of them is constant."""
    ranks = torch.stack((_ranks(a.flatten()), _ranks(b.flatten())))
    if len(ranks[0]) < 2 or bool((ranks.std(-1) == 0).any()):
        return None
    return torch.corrcoef(ranks)[0, 1].item()


def _ranks(values: Tensor) -> Tensor:
    """Ranks from 1; equal values share the mean of theirs."""
    values = values.double()
    below = (values[None] < values[:, None]).sum(1)
    equal = (values[None] == values[:, None]).sum(1)
    return below + (equal + 1) / 2
