"""The evaluation in a terminal: aligned with wide characters, readable at 80 columns and without colour."""

from __future__ import annotations

import re

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from translit.evaluation.compare import TIE, Comparison, LineDifference
from translit.evaluation.evaluate import Evaluation, Line
from translit.evaluation.inputs import is_chinese_language
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
from translit.text.script import HAN

_EXAMPLES = 4
_LABEL = 20  # cells: the widest label of a text
# Lines break at spaces and between Han characters, but never before a closing mark.
_UNBREAKABLE = re.compile(f"[{HAN}][，。！？；：、）》」』”’…,.;:!?)]*|[^\\s{HAN}]+|\\s+")


def show(console: Console, evaluation: Evaluation) -> None:
    """Print everything an evaluation found, the scores first."""
    _print(console, summary(evaluation), style="bold")
    if evaluation.made_by:
        _print(console, made_by(evaluation.made_by), style="dim")
    if evaluation.scores:
        _scores(console, evaluation)
        _lengths(console, evaluation)
    _errors(console, evaluation)
    for comparison in evaluation.comparisons:
        _comparison(console, evaluation, comparison)
    if evaluation.worst:
        _heading(console, "Worst lines by chrF2")
        for line_number in evaluation.worst:
            _worst(console, evaluation, evaluation.lines[line_number - 1])


def _print(console: Console, text: str, style: str = "") -> None:
    console.print(Text(shown(text), style))


def _heading(console: Console, title: str) -> None:
    console.print()
    _print(console, title, style="bold")


def _table(*columns: str) -> Table:
    """A light table: the first column holds labels, the others numbers."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    return table


def _scores(console: Console, evaluation: Evaluation) -> None:
    chinese = is_chinese_language(evaluation.settings.target_lang)
    table = _table("Metric", "Score", "95 % interval", *(("Normalised", "95 % interval") if chinese else ()))
    for score in evaluation.scores:
        row = [score.name if score.higher_is_better else f"{score.name} (lower is better)"]
        row += [number(score.score), interval(score.interval)]
        if chinese:
            row += [number(score.normalized), interval(score.normalized_interval)]
        table.add_row(*row)
    console.print()
    console.print(table)
    for note in notes(evaluation):
        _print(console, note, style="dim")
    for score in evaluation.scores:
        # Each on a line of its own, unbroken: signatures are made to be copied.
        console.print(Text(f"{score.name}\n  {score.signature}", "dim"), soft_wrap=True)


def _lengths(console: Console, evaluation: Evaluation) -> None:
    _heading(console, "By length")
    table = _table(evaluation.length_unit.capitalize(), "Lines", "BLEU", "chrF2", "Output / reference")
    for bucket in evaluation.lengths:
        table.add_row(
            bucket.label, f"{bucket.lines:,}", number(bucket.bleu), number(bucket.chrf), number(bucket.ratio)
        )
    console.print(table)


def _errors(console: Console, evaluation: Evaluation) -> None:
    total = len(evaluation.lines)
    _heading(console, suspicious(evaluation))
    if not evaluation.errors:
        return
    table = _table("What", "Lines", "Share")
    table.add_column("First at")
    for item in evaluation.errors:
        lines = examples(item.lines, _EXAMPLES)
        table.add_row(item.label, f"{len(item.lines):,}", f"{len(item.lines) / total:.1%}", lines)
    console.print(table)


def _comparison(console: Console, evaluation: Evaluation, comparison: Comparison) -> None:
    _heading(console, f"{evaluation.system} against {comparison.other}")
    table = _table("Metric", evaluation.system, comparison.other, "Difference", "p-value")
    for item in comparison.metrics:
        table.add_row(
            item.metric,
            number(item.ours),
            number(item.theirs),
            f"{item.difference:+.2f}",
            p_value(item.p_value),
        )
    console.print(table)
    _print(console, test_note(comparison), style="dim")
    console.print()
    table = _table("Lines by chrF2", "Lines", "Won", "Tied", "Lost", "Mean diff.")
    for group in comparison.groups:
        counts = (group.lines, group.wins, group.ties, group.losses)
        table.add_row(group.group, *(f"{count:,}" for count in counts), f"{group.difference:+.2f}")
    console.print(table)
    _print(console, f"Tied: less than {TIE:g} chrF2 apart.", style="dim")
    for title, lines in (("Won by most", comparison.better), ("Lost by most", comparison.worse)):
        if lines:
            console.print()
            _print(console, f"{title} against {comparison.other}", style="bold")
        for line in lines:
            _difference(console, evaluation, comparison, line)


def _difference(
    console: Console, evaluation: Evaluation, comparison: Comparison, difference: LineDifference
) -> None:
    line = evaluation.lines[difference.line - 1]
    scores = f"chrF2 {number(difference.ours)} against {number(difference.theirs)}"
    console.print(Text(f"{scores}  {place(evaluation, line.number)}"), soft_wrap=True)
    names = (evaluation.system, comparison.other)
    show_texts(console, [*texts(line), (names[0], line.output), (names[1], difference.output)])


def _worst(console: Console, evaluation: Evaluation, line: Line) -> None:
    kinds = ", ".join(dict.fromkeys(flag.kind for flag in line.flags))
    head = f"chrF2 {number(line.chrf)}  {place(evaluation, line.number)}  {kinds}"
    console.print(Text(head.rstrip()), soft_wrap=True)
    show_texts(console, [*texts(line), ("output", line.output)])
    if line.explain:
        console.print(Text(f"  {shown(line.explain)}", "dim"), soft_wrap=True)


def show_texts(console: Console, rows: list[tuple[str, str]]) -> None:
    """Labelled texts, wrapped with a hanging indent."""
    indent = min(max(cell_len(label) for label, _ in rows), _LABEL) + 4
    for label, text in rows:
        short = label if cell_len(label) <= _LABEL else set_cell_size(label, _LABEL - 1) + "…"
        for i, piece in enumerate(wrap(shown(text), max(console.width - indent, 20))):
            margin = set_cell_size(f"  {short if i == 0 else ''}", indent)
            console.print(Text.assemble((margin, "dim"), piece), soft_wrap=True)


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` cells (a Han character takes two), broken as Chinese and English are."""
    lines = [""]
    for piece in _UNBREAKABLE.findall(text):
        if cell_len(lines[-1] + piece.rstrip()) > width and lines[-1]:
            lines.append("")
        head, *rest = chop_cells(piece, width) or [""]
        lines[-1] += head if lines[-1] or not head.isspace() else ""
        lines += rest
    return [line.rstrip() for line in lines]
