"""Compute it yourself: answer sheets, their marking, and the quiz."""

from __future__ import annotations

import json
import math
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from translit.errors import TranslitError
from translit.explain.tour.lesson import read_toml, to_toml
from translit.explain.tour.panels import Tour
from translit.explain.tour.steps import Matrix, Step

BLANK = "?"
_COMMAND, _NUMBERS = "tour.command", "tour.numbers"  # keys of a sheet: which tour it belongs to
_SHOWN = 20  # characters of a wrong cell that an error message repeats


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


def answer_sheet(tour: Tour, part: str | None = None, command: str = "translit tour") -> str:
    """TOML with a ``?`` for every cell that ``part`` (by default all) of the tour computes, to be filled in and
    given to ``mark``. ``command`` shows the same tour again; the sheet keeps it. Raises TranslitError for an unknown
    part.
    """
    lines = [
        f'# Put a number in place of any "{BLANK}", then:  {command} --check THIS_FILE',
        f'# 把任意 "{BLANK}" 换成数字，然后运行：{command} --check 本文件',
        "# The next two lines tell which tour the cells belong to. / 下面两行记着这些格子属于哪一次演算。",
        f"{_COMMAND} = {json.dumps(command, ensure_ascii=False)}",
        f'{_NUMBERS} = "{_fingerprint(tour)}"',
        "",
    ]
    for step in (step for _, panel in tour.part(part) for step in panel.steps):
        row = "[" + ", ".join([f'"{BLANK}"'] * len(step.result.values[0])) + "],"
        columns = "  # " + "  ".join(step.result.columns) if step.result.columns else ""
        lines.append(f"{step.result.name} = [{columns}")
        lines += [f"    {row}  # {token}" for token in step.result.rows]
        lines += ["]", ""]
    return "\n".join(lines)


def _fingerprint(tour: Tour) -> str:
    """Eight hexadecimal digits: the same for the same numbers, computed the same way."""
    numbers = f"{to_toml(tour.lesson)} {tour.positions} {tour.decimals}"
    return f"{zlib.crc32(numbers.encode()):08x}"


def mark(tour: Tour, path: Path, tolerance: float) -> list[Answer]:
    """Every cell that the sheet at ``path`` fills in, in the order of the tour.

    Matrices may be left out and cells left blank (``"?"`` or ``""``). Raises TranslitError naming the file and
    the matrix when a name, a shape or a number is wrong, when nothing is filled in, or when the sheet says that it
    belongs to another tour.
    """
    given = dict(_flatten(read_toml(path)))
    command, numbers = given.pop(_COMMAND, "translit tour"), given.pop(_NUMBERS, None)
    if numbers not in (None, _fingerprint(tour)):
        hint = "; if that file has changed, write a new sheet" if "--file" in str(command) else ""
        raise TranslitError(
            f"{path}: its cells belong to other numbers; run `{command} --check {path}`{hint}"
        )
    for name in given:
        if name not in tour.steps:
            raise TranslitError(
                f"{path}: {name}: no matrix has this name; write the lower edge of its frame before it, as in "
                "encoder.1.self.head1.Q"
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
                shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
                raise TranslitError(f"{place}, row {i + 1}: {shown} is not a number; write one such as -0.25")
            yield Answer(matrix, i, j, value, tolerance)


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float)):
        return None
    try:
        value = float(cell)
    except OverflowError:  # an integer of hundreds of digits
        return None
    return None if math.isnan(value) else value


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
