"""How numbers and notes read, the same in the terminal and in every report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from translit.errors import where
from translit.evaluation.compare import Comparison
from translit.evaluation.evaluate import Evaluation, Line
from translit.evaluation.inputs import is_chinese_language

_REFERENCES = 3
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
TRIAL_NAMES = {
    "randomization": "approximate randomization, two-sided",
    "bootstrap": "paired bootstrap",
}


def shown(text: str) -> str:
    """``text`` on one line and harmless to a terminal: no line ends or tabs, other control characters as U+FFFD."""
    return _CONTROL.sub("\ufffd", " ".join(text.replace("\t", " ").splitlines()))


def number(value: float | None) -> str:
    """Two decimals, or a dash."""
    return "–" if value is None else f"{value:.2f}"


def interval(bounds: tuple[float, float] | None) -> str:
    """``29.98 – 31.94``, or a dash."""
    return "–" if bounds is None else f"{bounds[0]:.2f} – {bounds[1]:.2f}"


def p_value(value: float) -> str:
    """``0.012``, with ``*`` below 0.05, or ``< 0.001``."""
    shown = "< 0.001" if value < 0.001 else f"{value:.3f}"
    return f"{shown} *" if value < 0.05 else f"{shown}  "


def examples(lines: Sequence[int], count: int) -> str:
    """The first line numbers: ``3, 9, 12 …``"""
    return ", ".join(map(str, lines[:count])) + (" …" if len(lines) > count else "")


def summary(evaluation: Evaluation) -> str:
    """What was scored on what."""
    references = [len(line.references) for line in evaluation.lines if line.references is not None]
    if not references:
        kind = "no references"
    elif min(references) == max(references):
        kind = f"{references[0]} reference{'s' if references[0] > 1 else ''} a line"
    else:
        kind = f"{min(references)} to {max(references)} references a line"
    return f"{evaluation.system} on {evaluation.test_set}: {len(evaluation.lines):,} lines, {kind}"


def place(evaluation: Evaluation, line: int) -> str:
    """``file:line`` of an output, or of its source where the output was just made."""
    return where(evaluation.path or evaluation.test_set, line)


def texts(line: Line) -> list[tuple[str, str]]:
    """Source and references with their labels: of many references, the three most like the output."""
    rows = [("source", line.source)] if line.source is not None else []
    ranked = sorted(line.references or [], key=lambda text: -similarity(text, line.output))
    rows += [("reference", text) for text in ranked[:_REFERENCES]]
    if len(ranked) > _REFERENCES:
        rows.append(("", f"and {len(ranked) - _REFERENCES:,} more references"))
    return rows


def similarity(reference: str, output: str) -> float:
    """How much of two texts is common, 0 to 1 (difflib)."""
    return SequenceMatcher(None, reference, output, autojunk=False).ratio()


def notes(evaluation: Evaluation) -> list[str]:
    """What a reader must know about the scores."""
    if not is_chinese_language(evaluation.settings.target_lang):
        return []
    return [
        "BLEU counts characters (tokenizer zh, as the target is Chinese).",
        "Normalised: after full-width punctuation beside Chinese and no spaces between Chinese characters, "
        "in outputs and references alike; the gap is what typography costs.",
    ]


def suspicious(evaluation: Evaluation) -> str:
    """How many lines the error classes touch."""
    flagged = sum(bool(line.flags) for line in evaluation.lines)
    return f"Suspicious lines: {flagged:,} of {len(evaluation.lines):,}"


def made_by(settings: dict[str, Any]) -> str:
    """How the outputs were made: ``engine ctranslate2, beam 4, check on``."""
    words = {True: "on", False: "off"}
    return "Made by " + ", ".join(
        f"{key.replace('_', ' ')} {words[value] if isinstance(value, bool) else value}"
        for key, value in settings.items()
    )


def test_note(comparison: Comparison) -> str:
    """Which test gave the p-values."""
    return (
        f"* p < 0.05 ({TRIAL_NAMES[comparison.test]}, {comparison.trials:,} trials): "
        "a difference this large is unlikely to be chance."
    )
