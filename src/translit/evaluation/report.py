"""Reports: the same evaluation as HTML (one self-contained page), Markdown, or JSON (a versioned schema)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from translit.disk import check_target, write_text
from translit.errors import TranslitError
from translit.evaluation.compare import TIE, Comparison, LineDifference
from translit.evaluation.evaluate import Evaluation, Line
from translit.evaluation.html import to_html
from translit.evaluation.wording import (
    examples,
    interval,
    made_by,
    notes,
    number,
    p_value,
    place,
    shown,
    summary,
    suspicious,
    test_note,
    texts,
)

_EXAMPLES = 10
_MARKDOWN = re.compile(r"([\\`*_\[\]|~#<>&])")


def check_report_paths(paths: Iterable[Path]) -> None:
    """Raise TranslitError for a report that could not be written, before any work is done."""
    for path in paths:
        if path.suffix not in _FORMATS:
            raise TranslitError(f"{path}: unknown kind of report; end the name in {', '.join(_FORMATS)}")
        check_target(path)


def write_report(evaluation: Evaluation, path: Path) -> None:
    """Write the report whose kind the file's suffix names, all of it or nothing."""
    write_text(path, _FORMATS[path.suffix](evaluation))


def to_json(evaluation: Evaluation) -> str:
    """Every number and every line. ``version`` changes when a field changes its meaning or goes."""
    return json.dumps(evaluation.to_dict(), ensure_ascii=False, indent=2) + "\n"


def to_markdown(evaluation: Evaluation) -> str:
    """The tables and the lines that matter, for an issue, a model card or a pull request."""
    parts = [f"# {_escape(summary(evaluation))}"]
    if evaluation.made_by:
        parts.append(_escape(made_by(evaluation.made_by)))
    if evaluation.command:
        parts.append(f"    {shown(evaluation.command)}")
    if evaluation.scores:
        parts += _scores(evaluation)
    parts += _errors(evaluation)
    for comparison in evaluation.comparisons:
        parts += _comparison(evaluation, comparison)
    if evaluation.worst:
        parts.append("## Worst lines by chrF2")
        for line_number in evaluation.worst:
            parts += _line(evaluation, evaluation.lines[line_number - 1])
    return "\n\n".join(parts) + "\n"


_FORMATS = {".html": to_html, ".md": to_markdown, ".json": to_json}


def _scores(evaluation: Evaluation) -> list[str]:
    rows = [
        (
            score.name,
            number(score.score),
            interval(score.interval),
            number(score.normalized),
            interval(score.normalized_interval),
            score.signature,
        )
        for score in evaluation.scores
    ]
    lengths = [
        (item.label, f"{item.lines:,}", number(item.bleu), number(item.chrf), number(item.ratio))
        for item in evaluation.lengths
    ]
    return [
        _table(("Metric", "Score", "95 % interval", "Normalised", "95 % interval", "Signature"), rows),
        *map(_escape, notes(evaluation)),
        "## By length",
        _table(
            (evaluation.length_unit.capitalize(), "Lines", "BLEU", "chrF2", "Output / reference"), lengths
        ),
    ]


def _errors(evaluation: Evaluation) -> list[str]:
    total = len(evaluation.lines)
    rows = [
        (
            item.label,
            f"{len(item.lines):,}",
            f"{len(item.lines) / total:.1%}",
            examples(item.lines, _EXAMPLES),
        )
        for item in evaluation.errors
    ]
    table = [_table(("What", "Lines", "Share", "First at"), rows)] if rows else []
    return [f"## {suspicious(evaluation)}", *table]


def _comparison(evaluation: Evaluation, comparison: Comparison) -> list[str]:
    metrics = [
        (
            item.metric,
            number(item.ours),
            number(item.theirs),
            f"{item.difference:+.2f}",
            p_value(item.p_value),
        )
        for item in comparison.metrics
    ]
    groups = [
        (group.group, group.lines, group.wins, group.ties, group.losses, f"{group.difference:+.2f}")
        for group in comparison.groups
    ]
    parts = [
        f"## {_escape(evaluation.system)} against {_escape(comparison.other)}",
        _table(("Metric", evaluation.system, comparison.other, "Difference", "p-value"), metrics),
        _escape(test_note(comparison)),
        _table(("Lines by chrF2", "Lines", "Won", "Tied", "Lost", "Mean difference"), groups),
        f"Tied: less than {TIE:g} chrF2 apart.",
    ]
    for title, lines in (("Won by most", comparison.better), ("Lost by most", comparison.worse)):
        if lines:
            parts.append(f"### {title}")
        for difference in lines:
            parts += _line(evaluation, evaluation.lines[difference.line - 1], comparison, difference)
    return parts


def _line(
    evaluation: Evaluation,
    line: Line,
    comparison: Comparison | None = None,
    difference: LineDifference | None = None,
) -> list[str]:
    head = f"**{_escape(place(evaluation, line.number))}** chrF2 {number(line.chrf)}"
    if difference is not None:
        head += f" against {number(difference.theirs)}"
    if line.flags:
        head += f" ({', '.join(dict.fromkeys(flag.kind for flag in line.flags))})"
    rows = [*texts(line), (evaluation.system, line.output)]
    if comparison is not None and difference is not None:
        rows.append((comparison.other, difference.output))
    command = [f"    {shown(line.explain)}"] if line.explain else []
    return [head, _table(("", "text"), rows), *command]


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(_escape(str(cell)) for cell in row)} |" for row in lines)


def _escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line: a line end would end a table."""
    return _MARKDOWN.sub(r"\\\1", shown(text))
