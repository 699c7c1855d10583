"""Scores by length: a model that fails on long sentences says so here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from translit.evaluation.inputs import EvalData
from translit.evaluation.metrics import build_metrics
from translit.text.script import HAN

_WORD = re.compile(f"[{HAN}]|[^\\s{HAN}]+")
_LIMITS = {"source words": (5, 10, 20, 40), "reference characters": (10, 20, 40, 80)}


@dataclass(frozen=True)
class Bucket:
    """The lines of one length range; ``ratio`` is output length / reference length in BLEU's tokens."""

    label: str
    lines: int
    bleu: float
    chrf: float
    ratio: float


def length_unit(data: EvalData) -> str:
    """What lengths are counted in: the source's words, or without a source the reference's characters."""
    return "source words" if data.sources is not None else "reference characters"


def length_labels(data: EvalData) -> list[str]:
    """The length range of every line, such as ``6–10``; one Han character counts as a word."""
    limits = _LIMITS[length_unit(data)]
    if data.sources is not None:
        lengths = [len(_WORD.findall(text)) for text in data.sources]
    else:
        lengths = [len(candidates[0]) for candidates in data.references or []]
    return [_label(length, limits) for length in lengths]


def _label(length: int, limits: Sequence[int]) -> str:
    low = 1
    for high in limits:
        if length <= high:
            return f"{low}–{high}"
        low = high + 1
    return f"{low}+"


def in_order(labels: Sequence[str]) -> list[str]:
    """The distinct length labels, shortest first."""
    return sorted(set(labels), key=lambda label: int(re.split("[–+]", label)[0]))


def score_by_length(data: EvalData, outputs: Sequence[str], target_lang: str) -> list[Bucket]:
    """BLEU, chrF2 and length ratio for each length range that occurs."""
    labels, references = length_labels(data), data.references or []
    buckets = []
    for label in in_order(labels):
        chosen = [i for i, other in enumerate(labels) if other == label]
        metrics = build_metrics([references[i] for i in chosen], target_lang)
        bleu, chrf = (
            metrics[name].corpus_score([outputs[i] for i in chosen], None) for name in ("BLEU", "chrF2")
        )
        buckets.append(Bucket(label, len(chosen), bleu.score, chrf.score, bleu.ratio))
    return buckets
