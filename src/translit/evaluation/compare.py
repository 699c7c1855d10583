"""Is one system really better than another? Paired significance tests and where the difference comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from translit.evaluation.inputs import EvalData, System
from translit.evaluation.lengths import in_order, length_labels, length_unit
from translit.evaluation.metrics import affordable_resamples, build_metrics

TESTS = {"randomization": "ar", "bootstrap": "bs"}
TIE = 1.0  # chrF2 points: two outputs closer than this count as a tie
_TRIALS = {"bootstrap": 1000, "randomization": 10_000}
# A capitalised word after a lower-case one: rough, yet "Paris" counts and a sentence's first word does not.
_NAME = re.compile(r"[a-z,;] (?!I['’])[A-Z][\w'’-]*[a-z]")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class MetricDifference:
    """``difference`` is ours − theirs; ``p_value`` the chance of one as large if the systems were alike."""

    metric: str
    ours: float
    theirs: float
    difference: float
    p_value: float
    signature: str


@dataclass(frozen=True)
class WinTieLoss:
    """Lines won, tied and lost by sentence chrF2; ``difference`` is the mean of ours − theirs."""

    group: str
    lines: int
    wins: int
    ties: int
    losses: int
    difference: float


@dataclass(frozen=True)
class LineDifference:
    """One line (numbered from 1) on which the systems differ, with sentence chrF2 of both."""

    line: int
    ours: float
    theirs: float
    output: str  # theirs; ours is among the lines of the evaluation


@dataclass(frozen=True)
class Comparison:
    """The evaluated system against one other."""

    other: str
    path: str | None
    settings: dict[str, Any]
    test: str
    trials: int
    metrics: list[MetricDifference]
    groups: list[WinTieLoss]
    better: list[LineDifference]
    worse: list[LineDifference]


def compare(
    data: EvalData,
    ours: System,
    others: Sequence[System],
    our_chrf: Sequence[float],
    their_chrf: Sequence[Sequence[float]],
    *,
    target_lang: str = "zh",
    spbleu: bool = False,
    test: str = "randomization",
    lines: int = 5,
) -> list[Comparison]:
    """Compare ``ours`` with each of ``others`` by sacreBLEU's paired test.

    ``test`` is ``randomization`` (Riezler and Maxwell, 2005), which is two-sided, or ``bootstrap`` (Koehn,
    2004), whose p-values in sacreBLEU are smaller, as for a one-sided test. ``our_chrf`` and ``their_chrf``
    are sentence scores; ``lines`` is how many of the lines that differ most are kept each way.
    """
    trials = affordable_resamples(_TRIALS[test], len(data))
    differences = _significance(data, ours, others, target_lang, spbleu, test, trials)
    comparisons = []
    for i, other in enumerate(others):
        deltas = [a - b for a, b in zip(our_chrf, their_chrf[i], strict=True)]
        groups = _groups(data, ours, other)
        better, worse = _most_different(our_chrf, their_chrf[i], other.outputs, lines)
        comparisons.append(
            Comparison(
                other.name,
                other.path,
                other.settings,
                test,
                trials,
                differences[i],
                [_win_tie_loss(name, [deltas[k] for k in members]) for name, members in groups.items()],
                better,
                worse,
            )
        )
    return comparisons


def _most_different(
    ours: Sequence[float], theirs: Sequence[float], outputs: Sequence[str], count: int
) -> tuple[list[LineDifference], list[LineDifference]]:
    """The ``count`` lines won by most and the ``count`` lost by most, ties left out."""
    found = [
        LineDifference(number, a, b, output)
        for number, (a, b, output) in enumerate(zip(ours, theirs, outputs, strict=True), 1)
    ]
    found.sort(key=lambda line: line.theirs - line.ours)
    won = [line for line in found if line.ours - line.theirs >= TIE]
    lost = [line for line in reversed(found) if line.theirs - line.ours >= TIE]
    return won[:count], lost[:count]


def _significance(
    data: EvalData,
    ours: System,
    others: Sequence[System],
    target_lang: str,
    spbleu: bool,
    test: str,
    trials: int,
) -> list[list[MetricDifference]]:
    """For each other system, the difference in every metric with its p-value."""
    from sacrebleu.significance import PairedTest, Result

    systems: list[tuple[str, Sequence[str]]] = [
        (str(i), system.outputs) for i, system in enumerate([ours, *others])
    ]
    found: list[list[MetricDifference]] = [[] for _ in others]
    for name, metric in build_metrics(data.references or [], target_lang, spbleu=spbleu).items():
        # One metric at a time: sacreBLEU keys results by the score's own name, and spBLEU's is "BLEU" too.
        paired = PairedTest(systems, {name: metric}, None, TESTS[test], n_samples=trials)
        signatures, results = paired()
        ((key, signature),) = signatures.items()
        base, *rest = cast(list[Result], results[key])
        for i, result in enumerate(rest):
            difference = float(base.score - result.score)
            # sacreBLEU counts only larger differences, and so would call a system unlike itself, or two lines a proof.
            # But of 2ⁿ ways to swap n lines two give this difference; no test can be surer (nor may the bootstrap).
            unlike = sum(a != b for a, b in zip(ours.outputs, others[i].outputs, strict=True))
            p_value = max(cast(float, result.p_value), 2.0 ** (1 - unlike)) if difference else 1.0
            found[i].append(
                MetricDifference(
                    name, float(base.score), float(result.score), difference, p_value, str(signature)
                )
            )
    return found


def _groups(data: EvalData, ours: System, other: System) -> dict[str, list[int]]:
    """Named groups of line indices: all but blank ones, each length range, with and without numbers and names."""
    outputs = enumerate(zip(ours.outputs, other.outputs, strict=True))
    everything = [i for i, pair in outputs if not data.is_blank(i, *pair)]
    labels, unit = length_labels(data), length_unit(data)
    groups = {"all lines": everything}
    for label in in_order(labels):
        groups[f"{label} {unit}"] = [i for i in everything if labels[i] == label]
    texts = data.sources if data.sources is not None else [refs[0] for refs in data.references or []]
    patterns = {"numbers": _DIGIT} | ({"names": _NAME} if data.sources is not None else {})
    for name, pattern in patterns.items():
        having = [bool(pattern.search(text)) for text in texts]
        groups[f"with {name}"] = [i for i in everything if having[i]]
        groups[f"without {name}"] = [i for i in everything if not having[i]]
    return {name: members for name, members in groups.items() if members}


def _win_tie_loss(group: str, deltas: Sequence[float]) -> WinTieLoss:
    wins = sum(delta >= TIE for delta in deltas)
    losses = sum(delta <= -TIE for delta in deltas)
    return WinTieLoss(
        group, len(deltas), wins, len(deltas) - wins - losses, losses, sum(deltas) / len(deltas)
    )
