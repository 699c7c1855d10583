"""Compute it yourself: answer sheets, their marking, and the quiz."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from translit.errors import TranslitError
from translit.explain.tour.lesson import read_toml
from translit.explain.tour.panels import Tour
from translit.explain.tour.steps import Matrix, Step

BLANK = "?"


@dataclass(frozen=True)
class Answer:
    """One cell that somebody computed: row ``i``, column ``j`` (from 0) of ``matrix``."""

    matrix: Matrix
    i: int
    j: int
    value: float
    tolerance: float

    @property
    def right_value(self) -> float:
        return self.matrix.values[self.i][self.j]

    @property
    def right(self) -> bool:
        return is_right(self.value, self.right_value, self.tolerance)

    @property
    def name(self) -> str:
        return self.matrix.name + self.matrix.cell(self.i, self.j)


def is_right(answer: float, value: float, tolerance: float) -> bool:
    """Whether ``answer`` is ``value`` within ``tolerance``; infinite only if the value is, with the same sign."""
    if math.isinf(answer) or math.isinf(value):
        return answer == value
    return abs(answer - value) <= tolerance + 1e-9


def parse_number(text: str) -> float | None:
    """``-0.25``, also with a real minus sign or a decimal comma; ``-inf`` and ``−∞``; None if it is no number."""
    text = text.strip().replace("−", "-").replace(",", ".").replace("∞", "inf")
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value


def answer_sheet(tour: Tour, part: str | None = None) -> str:
    """TOML with a ``?`` for every cell that ``part`` (by default all) of the tour computes, to be filled in and
    given to ``mark``. Raises TranslitError for an unknown part.
    """
    lines = [
        f'# Put a number in place of any "{BLANK}", then:  translit tour --check THIS_FILE',
        f'# 把任意 "{BLANK}" 换成数字，然后运行：translit tour --check 本文件',
        "",
    ]
    for step in (step for _, panel in tour.part(part) for step in panel.steps):
        row = "[" + ", ".join([f'"{BLANK}"'] * len(step.result.values[0])) + "],"
        columns = "  # " + "  ".join(step.result.columns) if step.result.columns else ""
        lines.append(f"{step.result.name} = [{columns}")
        lines += [f"    {row}  # {token}" for token in step.result.rows]
        lines += ["]", ""]
    return "\n".join(lines)


def mark(tour: Tour, path: Path, tolerance: float) -> list[Answer]:
    """Every cell that the sheet at ``path`` fills in, in the order of the tour.

    Matrices may be left out and cells left blank (``"?"`` or ``""``). Raises TranslitError naming the file and
    the matrix when a name, a shape or a number is wrong, or when nothing is filled in.
    """
    given = dict(_flatten(read_toml(path)))
    for name in given:
        if name not in tour.steps:
            raise TranslitError(
                f"{path}: {name}: no matrix has this name; see the names under the tour's frames"
            )
    answers: list[Answer] = []
    for name, step in tour.steps.items():
        if name in given:
            answers += _marked(f"{path}: {name}", step.result, given[name], tolerance)
    if not answers:
        raise TranslitError(f'{path}: no cell is filled in; put a number in place of a "{BLANK}"')
    return answers


def _flatten(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested tables → dotted names."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _marked(place: str, matrix: Matrix, rows: Any, tolerance: float) -> Iterator[Answer]:
    height, width = len(matrix.values), len(matrix.values[0])
    if not isinstance(rows, list) or len(rows) != height:
        raise TranslitError(f"{place}: must be a list of {height} rows, as the matrix is {matrix.shape}")
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != width:
            raise TranslitError(f"{place}, row {i + 1}: must be a list of {width} numbers")
        for j, cell in enumerate(row):
            if cell in (BLANK, ""):
                continue
            value = parse_number(cell) if isinstance(cell, str) else _number(cell)
            if value is None:
                shown = json.dumps(cell, ensure_ascii=False, default=str)
                raise TranslitError(f"{place}, row {i + 1}: {shown} is not a number; write one such as -0.25")
            yield Answer(matrix, i, j, value, tolerance)


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float)) or math.isnan(cell):
        return None
    return float(cell)


_TOO_EASY = ("scaled", "concat", "sum")  # doubling, copying, adding two numbers: no questions


@dataclass(frozen=True)
class Question:
    """Which cell to compute: row ``i``, column ``j`` (from 0) of the result of ``step``."""

    step: Step
    i: int
    j: int

    @property
    def value(self) -> float:
        return self.step.result.values[self.i][self.j]


def questions(tour: Tour, seed: int, part: str | None = None) -> list[Question]:
    """One cell of each kind of step in ``part`` (by default all), in the order of the tour; the same ``seed`` asks
    the same cells. Raises TranslitError for an unknown part, and for one with nothing but copies and sums.
    """
    rng = random.Random(seed)
    steps_of_kind: dict[tuple[str, str], list[Step]] = {}
    for _, panel in tour.part(part):
        for step in panel.steps:
            if step.operation not in _TOO_EASY:
                steps_of_kind.setdefault((panel.kind, step.operation), []).append(step)
    if not steps_of_kind:
        raise TranslitError(f"--part {part}: nothing in it is worth a question; choose a larger part")
    order = list(tour.steps)
    chosen = sorted(map(rng.choice, steps_of_kind.values()), key=lambda step: order.index(step.result.name))
    asked = []
    for step in chosen:
        cells = [
            (i, j) for i, row in enumerate(step.result.values) for j, x in enumerate(row) if math.isfinite(x)
        ]
        asked.append(Question(step, *rng.choice(cells or [(0, 0)])))
    return asked
