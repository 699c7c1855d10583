"""Does a model know when it is wrong? Of all tokens it gives 80 %, about 80 % should be right.

Tokens: expected calibration error and reliability diagram (Guo et al., 2017) under forced decoding. Lines: a logistic
curve (Platt, 1999) turns the mean log-probability of a translation into the probability that it is good.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from translit.errors import TranslitError
from translit.model_directory import ModelDirectory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from translit.evaluation.inputs import EvalData
    from translit.translator import Translator

INFO = "confidence"  # where config.json keeps the curve, under "info"
GOOD = 30.0  # sentence chrF2 of a good line: on FLORES 78 % of Google's, 34 % of NLLB-600M's

_BATCH_TOKENS = 4096
_NEWTON_STEPS = 50


@dataclass(frozen=True)
class Bin:
    """Predictions of about one confidence: how sure the model was, and how often it was right."""

    count: int
    confidence: float  # mean, 0 to 1
    accuracy: float  # share that was right, 0 to 1


def reliability(confidences: ArrayLike, right: ArrayLike, bins: int = 15) -> list[Bin]:
    """Predictions sorted by confidence and cut into ``bins`` of equal size (fewer when there are fewer)."""
    import numpy as np

    order = np.argsort(confidences, kind="stable")
    p, hit = np.asarray(confidences, float)[order], np.asarray(right, float)[order]
    parts = np.array_split(np.arange(len(p)), max(1, min(bins, len(p))))
    return [Bin(len(part), float(p[part].mean()), float(hit[part].mean())) for part in parts if len(part)]


def expected_calibration_error(bins: Sequence[Bin]) -> float:
    """Mean distance between confidence and accuracy, every prediction counting the same; 0 is perfect."""
    total = sum(b.count for b in bins)
    return sum(b.count * abs(b.confidence - b.accuracy) for b in bins) / total if total else math.nan


def token_predictions(
    directory: ModelDirectory, sources: Sequence[str], targets: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Show the model each right beginning and ask for the next token: its best guess's probability, and whether right.

    Two arrays over all target tokens, ``</s>`` included. Runs the torch model: CTranslate2 tells the probability of
    the given token, not of the best one.
    """
    import numpy as np
    import torch

    from translit.data.batches import Example, cut_by_budget, make_batch
    from translit.engines.torch_engine import load_transformer
    from translit.evaluation.scoring import as_trained
    from translit.text.tokenizer import BOS, EOS, PAD

    model = load_transformer(directory)
    examples = []
    for pair in zip(sources, targets, strict=True):
        source, target = as_trained(*pair)
        ids = directory.source_tokenizer.encode(source), directory.target_tokenizer.encode(target)
        examples.append(Example([*ids[0], EOS], [BOS, *ids[1], EOS]))
    confidences, right = [np.zeros(0)], [np.zeros(0, bool)]
    with torch.inference_mode():
        for rows in cut_by_budget(examples, _BATCH_TOKENS):
            batch = make_batch(rows)
            best = model(batch.source, batch.target_in).softmax(dim=-1).max(dim=-1)  # (B, T)
            real = batch.target_out != PAD
            confidences.append(best.values[real].double().numpy())
            right.append((best.indices == batch.target_out)[real].numpy())
    return np.concatenate(confidences), np.concatenate(right)


# ── Lines ───────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Confidence:
    """The probability that a translation is good, from its mean log-probability per token."""

    slope: float
    intercept: float
    good: float  # the sentence chrF2 from which on a line counted as good

    def __call__(self, score: float) -> float:
        """``score``: mean log-probability of a token, as in ``Translation.score``. Returns 0 to 1."""
        return _sigmoid(self.slope * score + self.intercept)

    @classmethod
    def of(cls, directory: ModelDirectory) -> Confidence | None:
        """The curve that ``translit calibrate --save`` left in the model, None if there is none or it is damaged."""
        stored: Any = directory.info.get(INFO)
        try:
            numbers = [float(stored[name]) for name in ("slope", "intercept", "good")]
        except (TypeError, KeyError, ValueError, OverflowError):
            return None
        return cls(*numbers) if all(map(math.isfinite, numbers)) else None


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def fit_confidence(scores: Sequence[float], good: Sequence[bool], threshold: float = GOOD) -> Confidence:
    """Logistic regression by Newton's method on Platt's softened labels, which keep certainty out of reach.

    Raises TranslitError when all lines are good or none is: there is nothing to tell apart.
    """
    import numpy as np

    positive = sum(map(bool, good))
    negative = len(good) - positive
    if not positive or not negative:
        raise TranslitError(
            f"calibration: {'all' if positive else 'none'} of the {len(good):,} lines are good (chrF2 from "
            f"{threshold:g}); give other lines, or another --good"
        )
    x = np.stack([np.asarray(scores, float), np.ones(len(scores))], axis=1)  # (n, 2)
    labels = np.where(good, (positive + 1) / (positive + 2), 1 / (negative + 2))  # (n,)
    center, spread = x[:, 0].mean(), max(x[:, 0].std(), 1e-9)
    x[:, 0] = (x[:, 0] - center) / spread  # so that Newton's steps are well-conditioned
    weights = np.zeros(2)
    for _ in range(_NEWTON_STEPS):
        p = 1 / (1 + np.exp(-(x @ weights)))
        gradient = x.T @ (p - labels)
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        weights -= np.linalg.solve(hessian, gradient)
        if np.abs(gradient).max() < 1e-8 * len(labels):
            break
    slope = float(weights[0] / spread)
    return Confidence(slope, float(weights[1] - slope * center), threshold)


def cross_validated(
    scores: Sequence[float], good: Sequence[bool], threshold: float = GOOD, folds: int = 5
) -> list[float]:
    """Each line's probability of being good by a curve fitted on the other folds, so never on itself.

    Good and bad lines are dealt out in turn, each kind by itself. Raises TranslitError when there are fewer than two
    of a kind.
    """
    kinds = [[i for i, is_good in enumerate(good) if is_good == kind] for kind in (True, False)]
    if (fewest := min(map(len, kinds))) == 1:
        which = "good" if len(kinds[0]) == 1 else "bad"
        raise TranslitError(
            f"calibration: only {fewest} of the {len(good):,} lines is {which} (chrF2 from {threshold:g} is good); "
            "give more lines, or another --good"
        )
    found = [0.0] * len(scores)
    for fold in range(folds):
        held = {i for kind in kinds for i in kind[fold::folds]}
        rest = [i for i in range(len(scores)) if i not in held]
        curve = fit_confidence([scores[i] for i in rest], [good[i] for i in rest], threshold)
        for i in held:
            found[i] = curve(scores[i])
    return found


def ranking_quality(scores: Sequence[float], good: Sequence[bool]) -> float:
    """How often a good line has a higher score than a bad one (area under the ROC curve); 0.5 is chance."""
    import numpy as np

    values, labels = np.asarray(scores, float), np.asarray(good, bool)
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]  # equal scores share their mean rank, from 1
    positive, negative = int(labels.sum()), int((~labels).sum())
    if not positive or not negative:
        return math.nan
    return float((ranks[labels].sum() - positive * (positive + 1) / 2) / (positive * negative))


@dataclass(frozen=True)
class Calibration:
    """How far a model's confidence can be trusted, on one test set."""

    test_set: str
    made_by: dict[str, Any]
    tokens: list[Bin]  # best guesses under forced decoding
    lines: list[Bin]  # probability of being good, each line by a curve fitted without it
    ranking: float  # how often a good line has a higher score than a bad one
    curve: Confidence

    @property
    def about(self) -> dict[str, Any]:
        """What a user of the curve should know."""
        return {
            "test_set": self.test_set,
            "lines": sum(b.count for b in self.lines),
            "calibration_error": round(expected_calibration_error(self.lines), 4),
            "ranking": round(self.ranking, 4),
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        errors = {
            "token_calibration_error": expected_calibration_error(self.tokens),
            "line_calibration_error": expected_calibration_error(self.lines),
        }
        return {"schema": "translit-calibration", "version": 1} | dataclasses.asdict(self) | errors


def calibrate(data: EvalData, translator: Translator, good: float = GOOD, bins: int = 15) -> Calibration:
    """Translate ``data``, and compare what the model was sure of with what was right.

    A line is good when its chrF2 against the best reference is at least ``good``. Lines that the model did not
    translate (blank ones, numbers) do not count. Raises TranslitError without sources and references.
    """
    from translit.evaluation.metrics import sentence_chrf

    if data.sources is None or data.references is None:
        raise TranslitError("calibration needs sources and references; give a TSV, or --source and --ref")
    translations = translator.translate(data.sources)
    chrf = sentence_chrf([one.text for one in translations], data.references)
    scores = [one.score for one in translations if one.score is not None]
    translated = [i for i, one in enumerate(translations) if one.score is not None]
    labels = [chrf[i] >= good for i in translated]
    curve = fit_confidence(scores, labels, good)
    sources, targets = [data.sources[i] for i in translated], [data.references[i][0] for i in translated]
    confidences, right = token_predictions(translator.directory, sources, targets)
    return Calibration(
        data.name,
        translator.describe(),
        reliability(confidences, right, bins),
        reliability(cross_validated(scores, labels, good), labels, bins),
        ranking_quality(scores, labels),
        curve,
    )


def save_confidence(directory: ModelDirectory, curve: Confidence, about: dict[str, Any]) -> None:
    """Write the curve into config.json; ``about`` says what it was fitted on."""
    directory.save_info({INFO: dataclasses.asdict(curve) | about})
