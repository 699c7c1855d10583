"""The tour as JSON, for other programs; the schema carries a version."""

from __future__ import annotations

import math
from typing import Any

from translit.explain.tour.panels import Tour
from translit.explain.tour.steps import Matrix

FORMAT = 1  # raise it when a field changes its meaning or goes away


def to_record(tour: Tour) -> dict[str, Any]:
    """What ``translit tour --json`` prints.

    ``format``, ``decimals``, ``positions``; ``heads``, ``source``, ``target``, ``vocabulary`` as in the file;
    ``panels``: a list of ``kind``, ``place`` and ``steps``. A step has ``operation``, ``operands`` and ``result``,
    which are matrices; ``exact``, the result's values without any rounding; and ``example``, a cell with ``row``
    and ``column`` (from 0), its ``name`` and the ``lines`` of its arithmetic. A matrix has ``name``, ``shape``
    [rows, columns], ``rows`` and ``columns`` (tokens, or empty) and ``values``, a list of rows. Infinite values
    (a masked score is −∞) are null, as JSON has none.
    """
    lesson = tour.lesson
    return {
        "format": FORMAT,
        "decimals": tour.decimals,
        "positions": tour.positions,
        "heads": lesson.heads,
        "source": lesson.source,
        "target": lesson.target,
        "vocabulary": lesson.vocabulary,
        "panels": [
            {
                "kind": panel.kind,
                "place": panel.place,
                "steps": [_step(tour, step.result.name) for step in panel.steps],
            }
            for panel in tour.panels
        ],
    }


def _step(tour: Tour, name: str) -> dict[str, Any]:
    step, (i, j) = tour.steps[name], tour.examples[name]
    return {
        "operation": step.operation,
        "operands": [_matrix(operand) for operand in step.operands],
        "result": _matrix(step.result),
        "exact": _values(tour.exact[name]),
        "example": {
            "row": i,
            "column": j,
            "name": name + step.result.cell(i, j),
            "lines": step.arithmetic(i, j),
        },
    }


def _matrix(matrix: Matrix) -> dict[str, Any]:
    return {
        "name": matrix.name,
        "shape": [len(matrix.values), len(matrix.values[0])],
        "rows": list(matrix.rows),
        "columns": list(matrix.columns),
        "values": _values(matrix),
    }


def _values(matrix: Matrix) -> list[list[float | None]]:
    return [[x if math.isfinite(x) else None for x in row] for row in matrix.values]
