"""Matrices, the steps that make one out of others, and the arithmetic of every cell, written out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from translit.explain.tour.lesson import Rows, Vector

LAYER_NORM_EPSILON = 1e-5  # PyTorch's default: keeps the root away from zero
_MAX_DECIMALS = 8


@dataclass(frozen=True)
class Matrix:
    """Numbers with a name. ``rows`` and ``columns`` are tokens; where there are none, people count from 1."""

    name: str  # "encoder.1.self.head1.Q"
    values: Rows
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()

    @property
    def shape(self) -> str:
        return f"{len(self.values)}×{len(self.values[0])}"

    @property
    def decimals(self) -> int:
        """As many as the numbers need."""
        texts = [show(x) for row in self.values for x in row if math.isfinite(x)]
        return max((len(text.partition(".")[2]) for text in texts), default=0)

    def cell(self, i: int, j: int) -> str:
        """``[我, 1]``: how row ``i``, column ``j`` (from 0) is called."""
        row = self.rows[i] if self.rows else i + 1
        return f"[{row}, {self.columns[j] if self.columns else j + 1}]"

    def column(self, j: int) -> Vector:
        return [row[j] for row in self.values]

    def transposed(self, name: str) -> Matrix:
        return Matrix(name, [list(c) for c in zip(*self.values, strict=True)], self.columns, self.rows)


@dataclass(frozen=True)
class Step:
    """``operation`` makes ``result`` out of ``operands``, rounding to ``decimals`` decimals."""

    operation: str  # a key of OPERATIONS
    operands: tuple[Matrix, ...]
    result: Matrix
    decimals: int

    def arithmetic(self, i: int, j: int) -> list[str]:
        """How the cell in row ``i``, column ``j`` (from 0) comes about, a line per operation.

        A line is ``label = expression = value``, or ``expression = value``; the last line ends with the cell.
        """
        return OPERATIONS[self.operation](self, i, j)

    def example(self, number: int) -> tuple[int, int]:
        """A cell worth writing out. Another ``number``, another cell; never one that a mask hides."""
        height, width = len(self.result.values), len(self.result.values[0])
        i = number % height
        open_columns = [j for j in range(width) if self.result.values[i][j] not in (0, -math.inf)]
        return i, open_columns[number % len(open_columns)] if open_columns else number % width


def round_half_up(x: float, decimals: int) -> float:
    """``x`` rounded as at school, halves away from zero; the same rule as ``compute.OnPaper``. Infinity stays."""
    if math.isinf(x):
        return x
    scale = 10.0**decimals
    return math.copysign(math.floor(abs(x) * scale + 0.5 + 1e-6) / scale, x) + 0.0


def show(x: float, decimals: int | None = None) -> str:
    """``−0.25``: with a real minus sign and, unless ``decimals`` are asked for, no zeros at the end."""
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    text = f"{x:.{_MAX_DECIMALS}f}".rstrip("0").rstrip(".") if decimals is None else f"{x:.{decimals}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def _factor(x: float) -> str:
    return f"({show(x)})" if x < 0 else show(x)


def _minus(a: float, b: float) -> str:
    """``a − b``, without two signs in a row."""
    return f"{show(a)} + {show(-b)}" if b < 0 else f"{show(a)} − {show(b)}"


def _plus(terms: Sequence[float]) -> str:
    return show(terms[0]) + "".join(f" − {show(-x)}" if x < 0 else f" + {show(x)}" for x in terms[1:])


def _dot(row: Vector, column: Vector) -> str:
    return " + ".join(f"{_factor(a)}·{_factor(b)}" for a, b in zip(row, column, strict=True))


def _power(x: float) -> str:
    return f"e^({show(x)})" if x < 0 else f"e^{show(x)}"


def _scaled(step: Step, i: int, j: int) -> list[str]:
    (table,) = step.operands
    return [f"{_factor(table.values[i][j])}·√{len(table.values[0])} = {show(step.result.values[i][j])}"]


def _wave(step: Step, i: int, j: int) -> list[str]:
    d = len(step.result.values[0])
    function, even = ("cos", j - 1) if j % 2 else ("sin", j)
    return [f"{function}({i}/10000^({even}/{d})) = {show(step.result.values[i][j])}"]


def _sum(step: Step, i: int, j: int) -> list[str]:
    return [f"{_plus([m.values[i][j] for m in step.operands])} = {show(step.result.values[i][j])}"]


def _product(step: Step, i: int, j: int) -> list[str]:
    left, right, *bias = step.operands
    expression = _dot(left.values[i], right.column(j))
    for b in bias:
        x = b.values[0][j]
        expression += f" − {show(-x)}" if x < 0 else f" + {show(x)}"
    if step.operation == "relu":
        expression = f"max(0, {expression})"
    return [f"{expression} = {show(step.result.values[i][j])}"]


def _scores(step: Step, i: int, j: int) -> list[str]:
    q, k = step.operands[0].values[i], step.operands[1].column(j)
    if math.isinf(step.result.values[i][j]):
        return ["−∞ = −∞"]
    dot = round_half_up(math.fsum(a * b for a, b in zip(q, k, strict=True)), step.decimals)
    return [
        f"Q·Kᵀ = {_dot(q, k)} = {show(dot)}",
        f"{show(dot)}/√{len(q)} = {show(step.result.values[i][j])}",
    ]


def _softmax(step: Step, i: int, j: int) -> list[str]:
    row = step.operands[0].values[i]
    if math.isinf(row[j]):
        return ["e^(−∞) = 0"]
    total = " + ".join(_power(x) for x in row if not math.isinf(x))
    return [f"{_power(row[j])}/({total}) = {show(step.result.values[i][j])}"]


def _concat(step: Step, i: int, j: int) -> list[str]:
    for head in step.operands:
        width = len(head.values[0])
        if j < width:
            name = ".".join(head.name.split(".")[-2:])
            return [f"{name}{head.cell(i, j)} = {show(head.values[i][j])}"]
        j -= width
    raise IndexError(j)


def _layer_norm(step: Step, i: int, j: int) -> list[str]:
    row = step.operands[0].values[i]
    d = len(row)
    mean = round_half_up(sum(row) / d, step.decimals + 2)
    variance = round_half_up(sum((x - mean) ** 2 for x in row) / d, step.decimals + 2)
    squares = " + ".join(f"({_minus(x, mean)})²" for x in row)
    deviation = f"√({show(variance)} + {show(LAYER_NORM_EPSILON)})"
    return [
        f"μ = ({_plus(row)})/{d} = {show(mean)}",
        f"σ² = ({squares})/{d} = {show(variance)}",
        f"({_minus(row[j], mean)})/{deviation} = {show(step.result.values[i][j])}",
    ]


def _loss(step: Step, i: int, j: int) -> list[str]:
    return [f"−ln {show(step.operands[0].values[i][j])} = {show(step.result.values[i][j])}"]


OPERATIONS: dict[str, Callable[[Step, int, int], list[str]]] = {
    "scaled": _scaled,
    "wave": _wave,
    "sum": _sum,
    "product": _product,
    "relu": _product,
    "scores": _scores,
    "softmax": _softmax,
    "concat": _concat,
    "layer_norm": _layer_norm,
    "loss": _loss,
}
