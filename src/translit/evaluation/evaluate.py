"""The whole evaluation of one system as one record, which the terminal and the reports then show."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import translit
from translit.errors import TranslitError
from translit.evaluation.compare import TESTS, Comparison, compare
from translit.evaluation.errors import ErrorClass, count_errors, flag_line
from translit.evaluation.inputs import (
    EvalData,
    System,
    base_language,
    check_count,
    check_language,
    han_share,
    is_chinese_language,
)
from translit.evaluation.lengths import Bucket, length_unit, score_by_length
from translit.evaluation.metrics import (
    MetricScore,
    affordable_resamples,
    require_comet,
    require_spbleu,
    score_comet,
    score_corpus,
    sentence_chrf,
)
from translit.text.checks import Flag
from translit.text.script import count_han

SCHEMA, SCHEMA_VERSION = "translit-evaluation", 1
_FEW = 100


@dataclass(frozen=True)
class Settings:
    """What to compute."""

    target_lang: str = "zh"
    ter: bool = False
    spbleu: bool = False
    comet: str | None = None  # path of a COMET checkpoint
    resamples: int = 1000  # bootstrap resamples for the intervals; 0 for none
    test: str = "randomization"  # or "bootstrap": the paired test of comparisons
    worst: int = 5  # how many of the worst lines, and of the lines that differ most, to show
    explain_model: str | None = None  # the model that `translit explain` should open


@dataclass(frozen=True)
class Line:
    """One line, numbered from 1, with everything known about it."""

    number: int
    source: str | None
    references: list[str] | None
    output: str
    chrf: float | None
    flags: list[Flag]
    explain: str | None  # the command that shows how this line comes about


@dataclass(frozen=True)
class Evaluation:
    """The result. Its fields, with ``schema`` and ``version``, are the JSON report."""

    settings: Settings
    test_set: str
    system: str
    path: str | None
    made_by: dict[str, Any]
    scores: list[MetricScore]
    comparisons: list[Comparison]
    errors: list[ErrorClass]
    length_unit: str
    lengths: list[Bucket]
    worst: list[int]
    lines: list[Line]
    warnings: list[str] = field(default_factory=list)
    command: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        head = {"schema": SCHEMA, "version": SCHEMA_VERSION, "translit": translit.__version__}
        return head | asdict(self)


def evaluate(
    data: EvalData,
    system: System,
    others: Sequence[System] = (),
    settings: Settings | None = None,
    command: str | None = None,
) -> Evaluation:
    """Score ``system`` on ``data``, compare it with ``others``, and find its errors and its worst lines.

    Without references only the error classes are found. Raises TranslitError when counts differ, references
    are not in the target language, or a comparison has no references.
    """
    settings = settings or Settings()
    check_request(data, settings, comparing=bool(others))
    for one in (system, *others):
        check_count(one.path or one.name, len(one.outputs), data.name, len(data))
    references = data.references
    chrf = sentence_chrf(system.outputs, references) if references is not None else None
    lines = [_line(i, data, system, chrf, settings) for i in range(len(data))]
    judged = [line for line in lines if not data.is_blank(line.number - 1, line.output)]
    worst = sorted(
        (line for line in judged if line.chrf is not None), key=lambda line: (line.chrf, line.number)
    )
    return Evaluation(
        settings=settings,
        test_set=data.name,
        system=system.name,
        path=system.path,
        made_by=system.settings,
        scores=_scores(data, system, settings),
        comparisons=_compare(data, system, others, chrf, settings),
        errors=count_errors([line.flags for line in lines]),
        length_unit=length_unit(data),
        lengths=score_by_length(data, system.outputs, settings.target_lang) if references is not None else [],
        worst=[line.number for line in worst[: settings.worst]],
        lines=lines,
        warnings=_warnings(data, [system, *others], settings),
        command=command,
    )


def check_request(data: EvalData, settings: Settings, *, comparing: bool) -> None:
    """Raise TranslitError for what could not be computed, before any translating."""
    if settings.test not in TESTS:
        raise TranslitError(f"{settings.test}: no such test; choose one of {', '.join(TESTS)}")
    if settings.resamples == 1:
        raise TranslitError("--resamples 1: one resample makes no interval; give 2 or more, or 0 for none")
    check_language(data, settings.target_lang)
    if data.references is None and comparing:
        raise TranslitError("a comparison needs references; give --ref")
    if settings.spbleu:
        require_spbleu()
    if settings.comet is not None:
        require_comet(settings.comet)
        if data.sources is None or data.references is None:
            raise TranslitError("COMET needs sources and references; give --source and --ref")


def _line(i: int, data: EvalData, system: System, chrf: list[float] | None, settings: Settings) -> Line:
    source = data.sources[i] if data.sources is not None else None
    references = data.references[i] if data.references is not None else None
    output = system.outputs[i]
    return Line(
        i + 1,
        source,
        references,
        output,
        chrf[i] if chrf is not None else None,
        flag_line(source, output, references, settings.target_lang),
        explain_command(source, settings.explain_model) if source is not None else None,
    )


def explain_command(source: str, model: str | None = None, target: str | None = None) -> str:
    """The shell command that explains how a model translates ``source``, quoted and ready to paste.

    With ``target`` it explains that translation instead of the model's own.
    """
    options = ["--model", model] if model else []
    options += ["--target", target] if target is not None else []
    guard = ["--"] if source.startswith("-") else []
    return shlex.join(["translit", "explain", *options, *guard, source])


def _scores(data: EvalData, system: System, settings: Settings) -> list[MetricScore]:
    if data.references is None:
        return []
    scores = score_corpus(
        system.outputs,
        data.references,
        settings.target_lang,
        ter=settings.ter,
        spbleu=settings.spbleu,
        resamples=affordable_resamples(settings.resamples, len(data)),
    )
    if settings.comet is not None and data.sources is not None:
        scores.append(score_comet(settings.comet, data.sources, system.outputs, data.references))
    return scores


def _compare(
    data: EvalData, system: System, others: Sequence[System], chrf: list[float] | None, settings: Settings
) -> list[Comparison]:
    if not others or data.references is None or chrf is None:
        return []
    return compare(
        data,
        system,
        others,
        chrf,
        [sentence_chrf(other.outputs, data.references) for other in others],
        target_lang=settings.target_lang,
        spbleu=settings.spbleu,
        test=settings.test,
        lines=settings.worst,
    )


def _are_chinese(references: list[list[str]] | None) -> bool:
    firsts = [candidates[0] for candidates in references or []]
    return any(map(count_han, firsts)) and han_share(firsts) >= 0.5


def _warnings(data: EvalData, systems: Sequence[System], settings: Settings) -> list[str]:
    warnings = []
    if is_chinese_language(settings.target_lang):
        for system in systems:
            if (share := han_share(system.outputs)) < 0.5:
                warnings.append(
                    f"{system.path or system.name}: {share:.0%} of the lines hold a Chinese character; "
                    "is this the right file?"
                )
    elif base_language(settings.target_lang) not in ("ja", "ko") and _are_chinese(data.references):
        warnings.append(
            f"{data.name}: most references hold Chinese characters, but BLEU for {settings.target_lang} takes "
            "what stands between spaces for words; for Chinese say --target-lang zh"
        )
    if data.references is not None and len(data) < _FEW:
        warnings.append(f"{data.name}: on {len(data)} lines scores and intervals say little; use 100 or more")
    affordable = affordable_resamples(settings.resamples, len(data))
    if data.references is not None and affordable < settings.resamples:
        warnings.append(
            f"{data.name}: intervals from {affordable:,} resamples instead of {settings.resamples:,}, "
            "to stay within 2 GB of memory"
        )
    return warnings
