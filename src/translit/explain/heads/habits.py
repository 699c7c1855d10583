"""The habit of a head, by rule, and the number that proves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from translit.explain.heads.report import HeadFacts, HeadReport

# A habit is clear from here on; the first that holds names the head. Shares are of the head's attention.
_ALIGNS_BELOW = 0.5  # alignment error rate, if also better than the diagonal
_CLEAR = {"previous": 0.5, "next": 0.5, "same": 0.5, "separators": 0.5, "punctuation": 0.4, "rare": 0.3}
_NEARBY = 1.5  # tokens


@dataclass(frozen=True)
class Habit:
    """``name`` is a key of the captions; ``value`` proves it; ``strength`` from 0 to 1 ranks heads."""

    name: str
    value: float
    strength: float


def habit(head: HeadFacts, diagonal: float | None = None) -> Habit:
    """What ``head`` mostly does: aligns, previous, next, same, separators, punctuation, rare, local or mixed."""
    if head.aer and head.aer.all < min(_ALIGNS_BELOW, 1.0 if diagonal is None else diagonal):
        return Habit("aligns", head.aer.all, 1 - head.aer.all)
    for name, least in _CLEAR.items():
        share = getattr(head, name)
        if share is not None and share >= least:
            return Habit(name, share, share)
    if head.kind != "cross" and head.distance <= _NEARBY:
        return Habit("local", head.distance, 1 / (1 + head.distance))
    return Habit("mixed", head.entropy, 0.0)


def ranking(report: HeadReport) -> list[tuple[HeadFacts, Habit]]:
    """Heads with a habit: aligners first, then the strongest."""
    found = [(h, habit(h, report.diagonal_aer)) for h in report.heads]
    clear = [(h, a) for h, a in found if a.name != "mixed"]
    return sorted(clear, key=lambda pair: (pair[1].name != "aligns", -pair[1].strength))


def champions(report: HeadReport) -> list[tuple[HeadFacts, Habit]]:
    """For every habit the head that comes closest to it, clear or not."""
    found = []
    if (aligner := report.aligner) and aligner.aer:
        found.append((aligner, Habit("aligns", aligner.aer.all, 1 - aligner.aer.all)))
    for name in _CLEAR:
        share, best = max(((getattr(h, name) or 0.0, h) for h in report.heads), key=lambda pair: pair[0])
        found.append((best, Habit(name, share, share)))
    return found


def layer_means(heads: Sequence[HeadFacts], name: str) -> list[float]:
    """The mean of one measure over the heads of each layer, from the lowest."""
    layers = sorted({h.layer for h in heads})
    rows = [[getattr(h, name) or 0.0 for h in heads if h.layer == layer] for layer in layers]
    return [sum(row) / len(row) for row in rows]
