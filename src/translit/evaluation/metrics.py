"""Corpus scores with signatures and intervals, all computed by sacreBLEU (Post, 2018).

BLEU for Chinese counts characters (``tokenize="zh"``): with the default tokenizer a whole sentence is one
"word", and the same outputs score 1.7 instead of 38.8. So the tokenizer follows from the target language.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from translit.errors import TranslitError
from translit.evaluation.inputs import base_language, is_chinese_language
from translit.text.normalize import normalize_target

if TYPE_CHECKING:
    import numpy as np
    from sacrebleu.metrics.base import Metric

SPBLEU_TOKENIZER = "flores200"
# sacreBLEU draws all resamples at once, 80 bytes a drawn line: this many lines take 1.6 GB, ten seconds.
_DRAWN_LINES = 20_000_000


@dataclass(frozen=True)
class MetricScore:
    """One metric of one system. Intervals are bootstrap 95 % intervals; ``None`` where not computed."""

    name: str
    score: float
    interval: tuple[float, float] | None
    normalized: float | None
    normalized_interval: tuple[float, float] | None
    signature: str
    higher_is_better: bool = True


def reference_streams(references: Sequence[Sequence[str]]) -> list[list[Any]]:
    """References per line → sacreBLEU's streams: first references, second …; ``None`` where there is none."""
    return [list(stream) for stream in zip_longest(*references)]


def build_metrics(
    references: Sequence[Sequence[str]], target_lang: str, *, ter: bool = False, spbleu: bool = False
) -> dict[str, Metric]:
    """sacreBLEU's metrics by name, with the references' n-grams already counted.

    Raises TranslitError when a tokenizer is not installed or not on this machine.
    """
    from sacrebleu.metrics import BLEU, CHRF, TER

    streams = reference_streams(references)
    chinese = is_chinese_language(target_lang)
    try:
        metrics: dict[str, Metric] = {"BLEU": BLEU(trg_lang=base_language(target_lang), references=streams)}
    except (ImportError, RuntimeError) as error:  # Japanese and Korean need MeCab
        raise TranslitError(f"BLEU for {target_lang}: {' '.join(str(error).split())}") from None
    metrics["chrF2"] = CHRF(references=streams)
    if spbleu:
        require_spbleu()
        metrics["spBLEU"] = BLEU(tokenize=SPBLEU_TOKENIZER, references=streams)
    if ter:  # for Chinese, edits are counted on characters, or every sentence would be one word
        metrics["TER"] = TER(normalized=chinese, asian_support=chinese, references=streams)
    return metrics


def require_spbleu() -> None:
    """Raise TranslitError unless spBLEU's tokenizer is on this machine.

    sacreBLEU would download it in silence, and evaluating must not open a socket.
    """
    from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
    from sacrebleu.utils import SACREBLEU_DIR

    file = Path(SACREBLEU_DIR) / "models" / Path(SPM_MODELS[SPBLEU_TOKENIZER]["url"]).name
    if not file.exists():
        raise TranslitError(
            f"spBLEU: its tokenizer {file} is not on this machine; fetch it once with "
            f"python -c \"from sacrebleu.metrics import BLEU; BLEU(tokenize='{SPBLEU_TOKENIZER}')\""
        )


def affordable_resamples(asked: int, lines: int) -> int:
    """``asked`` resamples or trials, but fewer (never below 100) for a large test set: memory and time."""
    return min(asked, max(100, _DRAWN_LINES // max(lines, 1)))


def score_corpus(
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
    target_lang: str = "zh",
    *,
    ter: bool = False,
    spbleu: bool = False,
    resamples: int = 1000,
) -> list[MetricScore]:
    """BLEU and chrF2 (TER, spBLEU on request), raw and, for Chinese, typography-normalised on both sides.

    ``resamples`` is the number of bootstrap resamples for the 95 % intervals; 0 for none.
    """
    metrics = build_metrics(references, target_lang, ter=ter, spbleu=spbleu)
    normalized: dict[str, Metric] = {}
    if is_chinese_language(target_lang):
        plain = [[normalize_target(text) for text in candidates] for candidates in references]
        normalized = build_metrics(plain, target_lang, ter=ter, spbleu=spbleu)
        plain_outputs = [normalize_target(text) for text in outputs]
    scores = []
    for name, metric in metrics.items():
        score, interval = _score(metric, outputs, resamples)
        other, other_interval = (
            _score(normalized[name], plain_outputs, resamples) if normalized else (None, None)
        )
        signature = str(metric.get_signature())
        scores.append(MetricScore(name, score, interval, other, other_interval, signature, name != "TER"))
    return scores


def _score(
    metric: Metric, outputs: Sequence[str], resamples: int
) -> tuple[float, tuple[float, float] | None]:
    if resamples <= 1:
        return metric.corpus_score(outputs, None).score, None
    import numpy as np
    from sacrebleu.significance import _bootstrap_resample, estimate_ci

    # What corpus_score(n_bootstrap=…) does, which fails where some resamples score 0: it averages them with
    # statistics.mean, and that refuses a mixture of float and float32.
    stats = metric._extract_corpus_statistics(outputs, None)
    metric.n_bootstrap = resamples
    metric.seed, drawn = _bootstrap_resample(stats, metric, resamples)
    result = metric._aggregate_and_compute(stats)
    mean, half_width = estimate_ci(np.array([one.score for one in drawn], dtype=np.float64))
    # sacreBLEU's interval is symmetric: on a few lines it may leave the scale (TER's is open above).
    low, high = max(float(mean - half_width), 0.0), float(mean + half_width)
    return result.score, (low, high if result.name == "TER" else min(high, 100.0))


def sentence_chrf(outputs: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    """chrF2 of each line against its best reference, 0 to 100; nothing, where nothing is right, has 100."""
    from sacrebleu.metrics import CHRF

    metric = CHRF()
    return [
        metric.sentence_score(output, list(candidates)).score
        if output.strip() or any(text.strip() for text in candidates)
        else 100.0
        for output, candidates in zip(outputs, references, strict=True)
    ]


def require_comet(checkpoint: str | Path) -> None:
    """Raise TranslitError unless COMET is installed and its checkpoint is a file."""
    if importlib.util.find_spec("comet") is None:
        raise TranslitError("COMET: not installed; pip install unbabel-comet")
    if not Path(checkpoint).is_file():
        raise TranslitError(
            f"{checkpoint}: no such COMET checkpoint; download one and give the path of its .ckpt file"
        )


def score_comet(
    checkpoint: str | Path,
    sources: Sequence[str],
    outputs: Sequence[str],
    references: Sequence[Sequence[str]],
) -> MetricScore:
    """COMET (Rei et al., 2020) × 100 from a local checkpoint, against each line's first reference.

    Needs the package ``unbabel-comet``. Its checkpoints are pickles: load only one you trust.
    """
    require_comet(checkpoint)
    from sacrebleu.significance import estimate_ci

    rows = [
        {"src": source, "mt": output, "ref": candidates[0]}
        for source, output, candidates in zip(sources, outputs, references, strict=True)
    ]
    load_from_checkpoint = importlib.import_module("comet").load_from_checkpoint
    prediction = load_from_checkpoint(str(checkpoint)).predict(rows, batch_size=8, gpus=0)
    means = _resampled_means([100 * score for score in prediction.scores])
    mean, half_width = estimate_ci(means)
    signature = f"nrefs:1|bs:{len(means)}|seed:12345|checkpoint:{Path(checkpoint).name}"
    interval = (float(mean - half_width), float(mean + half_width))
    return MetricScore("COMET", 100 * float(prediction.system_score), interval, None, None, signature)


def _resampled_means(scores: list[float], resamples: int = 1000) -> np.ndarray:
    import numpy as np

    rng = np.random.default_rng(12345)
    values = np.array(scores)
    return np.array([rng.choice(values, len(values)).mean() for _ in range(resamples)])
