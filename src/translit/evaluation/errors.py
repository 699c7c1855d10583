"""Error classes: what is wrong with a line, told without a score.

The classes that need only source and output are those of :mod:`translit.text.checks`, the same that guard
``translit translate``; two more compare lengths with the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from translit.evaluation.inputs import is_chinese_language
from translit.text.checks import Flag, check

LABELS = {
    "number": "a number changed",
    "unit": "a currency, percent or degree sign lost",
    "url": "a web address lost or changed",
    "email": "an e-mail address lost or changed",
    "placeholder": "a placeholder lost or changed",
    "tag": "a tag lost or changed",
    "final-punctuation": "final punctuation lost or changed",
    "half-width": "half-width punctuation",
    "loop": "a loop of repeated words",
    "stutter": "a character three times in a row",
    "empty": "empty output",
    "copy": "a copy of the source",
    "too-short": "too short for the source",
    "too-long": "too long for the source",
    "unknown-character": "an unknown character",
    "not-chinese": "not Chinese",
    "shorter-than-reference": "less than half the reference",
    "longer-than-reference": "more than twice the reference",
}
_ANY_LANGUAGE = {"url", "email", "placeholder", "tag", "loop", "empty", "copy", "unknown-character"}
_SLACK = 4  # characters: 是 for 是的。 is short, not a failure


@dataclass(frozen=True)
class ErrorClass:
    """One kind of error and the numbers (from 1) of the lines that show it."""

    kind: str
    label: str
    lines: list[int]


def flag_line(
    source: str | None, output: str, references: Sequence[str] | None, target_lang: str = "zh"
) -> list[Flag]:
    """Everything suspicious about one output. Without a source only the reference can be compared."""
    flags = check(source, output) if source is not None else []
    if not is_chinese_language(target_lang):  # the other checks know Chinese numbers, punctuation and lengths
        flags = [flag for flag in flags if flag.kind in _ANY_LANGUAGE]
    if references is not None and output.strip():
        flags = flags + _against_reference(output, references)
    elif source is None and not output.strip() and any(text.strip() for text in references or ()):
        flags = [Flag("empty", "")]
    return flags


def _against_reference(output: str, references: Sequence[str]) -> list[Flag]:
    length = _characters(output)
    nearest = min((_characters(text) for text in references), key=lambda other: abs(other - length))
    detail = f"{length} characters, reference {nearest}"
    if length * 2 < nearest and nearest - length >= _SLACK:
        return [Flag("shorter-than-reference", detail)]
    if length > nearest * 2 and length - nearest >= _SLACK:
        return [Flag("longer-than-reference", detail)]
    return []


def _characters(text: str) -> int:
    return len("".join(text.split()))


def count_errors(flags: Sequence[Sequence[Flag]]) -> list[ErrorClass]:
    """Flags per line → error classes, the most frequent first."""
    lines: dict[str, list[int]] = {}
    for number, found in enumerate(flags, 1):
        for kind in dict.fromkeys(flag.kind for flag in found):
            lines.setdefault(kind, []).append(number)
    classes = [ErrorClass(kind, LABELS.get(kind, kind), numbers) for kind, numbers in lines.items()]
    return sorted(classes, key=lambda item: (-len(item.lines), item.kind))
