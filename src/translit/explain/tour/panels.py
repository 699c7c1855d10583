"""The trace of a run → panels in reading order, each with one idea: what goes in, what comes out."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from translit.errors import TranslitError
from translit.explain.tour.compute import run
from translit.explain.tour.lesson import BOS, EOS, Layer, Lesson
from translit.explain.tour.steps import Matrix, Step
from translit.model.trace import Trace


@dataclass(frozen=True)
class Panel:
    """One idea: steps that belong together. The names of their results begin with ``place`` and a dot."""

    kind: str  # what it shows; the name of its caption
    place: str  # "encoder.1.self.head1"
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Tour:
    """The whole computation: as rounded on paper, and the same run without rounding."""

    lesson: Lesson
    positions: bool
    decimals: int
    panels: list[Panel]
    exact: dict[str, Matrix]  # name of a result → its numbers without rounding

    def part(self, name: str | None = None) -> list[tuple[int, Panel]]:
        """The panels of part ``name``, such as ``encoder.1``, with their numbers in the tour; None: all. The name of
        a matrix, such as ``encoder.1.self.head1.Q``, means its panel with no other step.

        Raises TranslitError when nothing has this name.
        """
        numbered = list(enumerate(self.panels, 1))
        if name in self.steps:
            step = self.steps[name]
            return [(n, dataclasses.replace(p, steps=(step,))) for n, p in numbered if step in p.steps]
        chosen = [(n, p) for n, p in numbered if name is None or f"{p.place}.".startswith(f"{name}.")]
        if not chosen:
            places = dict.fromkeys(panel.place for panel in self.panels)
            raise TranslitError(
                f"--part {name}: no frame and no matrix has this name; frames are {', '.join(places)}"
            )
        return chosen

    @functools.cached_property
    def steps(self) -> dict[str, Step]:
        """Every step by the name of its result, in order."""
        return {step.result.name: step for panel in self.panels for step in panel.steps}

    @functools.cached_property
    def examples(self) -> dict[str, tuple[int, int]]:
        """The cell of every result that is written out: row and column, from 0."""
        seen: Counter[str] = Counter()
        chosen = {}
        for panel in self.panels:
            for number, step in enumerate(panel.steps, seen[panel.kind]):
                chosen[step.result.name] = step.example(number)
            seen[panel.kind] += 1
        return chosen


def compute_tour(lesson: Lesson, *, positions: bool = False, decimals: int = 4) -> Tour:
    """Run the Transformer on ``lesson``, with rounding and without, and lay the numbers out."""

    def panels(rounding: int | None) -> list[Panel]:
        trace = run(lesson, positions=positions, decimals=rounding)
        return list(_Reader(lesson, trace, positions, decimals).panels())

    exact = {step.result.name: step.result for panel in panels(None) for step in panel.steps}
    return Tour(lesson, positions, decimals, panels(decimals), exact)


# Yields panels; what it returns is the matrix that goes on to the next part.
_Part = Generator[Panel, None, Matrix]


class _Reader:
    """Reads a trace from top to bottom, like the paper's figure 1."""

    def __init__(self, lesson: Lesson, trace: Trace, positions: bool, decimals: int) -> None:
        self.lesson = lesson
        self.trace = trace
        self.positions = positions
        self.decimals = decimals
        self.read = [BOS, *lesson.target]  # what the decoder reads …
        self.written = [*lesson.target, EOS]  # … and what it should write

    def panels(self) -> Generator[Panel, None, None]:
        lesson = self.lesson
        x = yield from self._embedding("source_embedding", "encoder", lesson.source)
        for i, layer in enumerate(lesson.encoder):
            attended = yield from self._attention(f"encoder.{i}", "self", layer, x, x)
            x = yield from self._add_norm(f"encoder.{i}", 1, x, attended)
            x = yield from self._feed_forward(f"encoder.{i}", 2, layer, x)
        memory = x
        y = yield from self._embedding("target_embedding", "decoder", self.read)
        for i, layer in enumerate(lesson.decoder):
            attended = yield from self._attention(f"decoder.{i}", "self", layer, y, y)
            y = yield from self._add_norm(f"decoder.{i}", 1, y, attended)
            attended = yield from self._attention(f"decoder.{i}", "cross", layer, y, memory)
            y = yield from self._add_norm(f"decoder.{i}", 2, y, attended)
            y = yield from self._feed_forward(f"decoder.{i}", 3, layer, y)
        yield from self._output(y)

    def _embedding(self, place: str, stack: str, tokens: Sequence[str]) -> _Part:
        kind = "embedding" if stack == "encoder" else "decoder_embedding"
        table = self._matrix(f"{stack}.table", f"{place}.table", tokens)
        if not self.positions:
            x = self._matrix(f"{stack}.X", f"{place}.output", tokens)
            yield Panel(kind, stack, (self._step("scaled", x, table),))
            return x
        scaled = self._matrix(f"{stack}.scaled", f"{place}.scaled", tokens)
        yield Panel(kind, stack, (self._step("scaled", scaled, table),))
        wave = Matrix(f"{stack}.wave", self.trace[f"{place}.positions"].tolist(), tokens)
        x = self._matrix(f"{stack}.X", f"{place}.output", tokens)
        yield Panel("positions", stack, (self._step("wave", wave), self._step("sum", x, scaled, wave)))
        return x

    def _attention(self, place: str, kind: str, layer: Layer, x: Matrix, y: Matrix) -> _Part:
        """``x`` asks, ``y`` is asked: itself, or the encoder's output."""
        name, path, weights = (
            f"{_counted(place)}.{kind}",
            f"{place}.{kind}_attention",
            layer[f"{kind}_attention"],
        )
        heads = []
        for h in range(self.lesson.heads):
            heads.append((yield from self._head(f"{name}.head{h + 1}", path, h, weights, x, y)))
        concat = self._matrix(f"{name}.concat", f"{path}.concat", x.rows)
        output = self._matrix(f"{name}.output", f"{path}.output", x.rows)
        w_o = Matrix("W_O", weights["w_o"])
        yield Panel(
            "concat", name, (self._step("concat", concat, *heads), self._step("product", output, concat, w_o))
        )
        return output

    def _head(self, name: str, path: str, h: int, weights: dict[str, Any], x: Matrix, y: Matrix) -> _Part:
        d_k = self.lesson.d_model // self.lesson.heads
        part = {
            letter: Matrix(
                f"W_{letter.upper()}", [row[h * d_k : (h + 1) * d_k] for row in weights[f"w_{letter}"]]
            )
            for letter in "qkv"
        }
        q, k, v = (
            self._matrix(f"{name}.{letter.upper()}", f"{path}.{letter}", source.rows, head=h)
            for letter, source in (("q", x), ("k", y), ("v", y))
        )
        projections = tuple(
            self._step("product", result, source, part[letter])
            for letter, result, source in (("q", q, x), ("k", k, y), ("v", v, y))
        )
        yield Panel("cross_qkv" if x is not y else "qkv", name, projections)
        scores = self._matrix(f"{name}.scores", f"{path}.scores", x.rows, y.rows, head=h)
        causal = path.startswith("decoder") and x is y
        mask = [_causal_mask(x.rows)] if causal else []
        yield Panel(
            "masked_scores" if causal else "scores",
            name,
            (self._step("scores", scores, q, k.transposed(f"{name}.Kᵀ"), *mask),),
        )
        shares = self._matrix(f"{name}.attention", f"{path}.weights", x.rows, y.rows, head=h)
        yield Panel("softmax", name, (self._step("softmax", shares, scores),))
        blend = Matrix(
            f"{name}.output", _rows(self.trace[f"{path}.concat"][0, :, h * d_k : (h + 1) * d_k]), x.rows
        )
        yield Panel("blend", name, (self._step("product", blend, shares, v),))
        return blend

    def _add_norm(self, place: str, number: int, x: Matrix, sublayer: Matrix) -> _Part:
        name, path = _counted(place), f"{place}.add_norm_{number}"
        total = self._matrix(f"{name}.sum_{number}", f"{path}.sum", x.rows)
        norm = self._matrix(f"{name}.norm_{number}", f"{path}.output", x.rows)
        yield Panel(
            "add_norm", name, (self._step("sum", total, x, sublayer), self._step("layer_norm", norm, total))
        )
        return norm

    def _feed_forward(self, place: str, number: int, layer: Layer, x: Matrix) -> _Part:
        name, weights = _counted(place), layer["feed_forward"]
        inner = self._matrix(f"{name}.inner", f"{place}.feed_forward.inner", x.rows)
        output = self._matrix(f"{name}.ffn", f"{place}.feed_forward.output", x.rows)
        w_1, b_1 = Matrix("W_1", weights["w_1"]), Matrix("b_1", [weights["b_1"]])
        w_2, b_2 = Matrix("W_2", weights["w_2"]), Matrix("b_2", [weights["b_2"]])
        yield Panel(
            "feed_forward",
            name,
            (self._step("relu", inner, x, w_1, b_1), self._step("product", output, inner, w_2, b_2)),
        )
        return (yield from self._add_norm(place, number, x, output))

    def _output(self, y: Matrix) -> Generator[Panel, None, None]:
        vocabulary = self.lesson.vocabulary
        logits = self._matrix("output.logits", "logits", self.read, vocabulary)
        w = Matrix("W", self.lesson.output, columns=vocabulary)
        yield Panel("logits", "output", (self._step("product", logits, y, w),))
        probabilities = self._matrix("output.probabilities", "probabilities", self.read, vocabulary)
        yield Panel("probabilities", "output", (self._step("softmax", probabilities, logits),))
        right = [
            [row[vocabulary.index(token)]]
            for row, token in zip(probabilities.values, self.written, strict=True)
        ]
        answer = Matrix("output.right", right, self.read)
        loss = Matrix("output.loss", [[x] for x in self.trace["loss"][0].tolist()], self.read)
        yield Panel("training", "output", (self._step("loss", loss, answer),))

    def _step(self, operation: str, result: Matrix, *operands: Matrix) -> Step:
        return Step(operation, operands, result, self.decimals)

    def _matrix(
        self,
        name: str,
        recorded: str,
        rows: Sequence[str],
        columns: Sequence[str] = (),
        head: int | None = None,
    ) -> Matrix:
        """What the model recorded under ``recorded``, of one ``head`` where there are several."""
        tensor = self.trace[recorded][0]
        return Matrix(name, _rows(tensor if head is None else tensor[head]), rows, columns)


def _rows(tensor: Tensor) -> list[list[float]]:
    rows: list[list[float]] = tensor.tolist()
    return rows


def _counted(place: str) -> str:
    """``encoder.0`` → ``encoder.1``: people count layers from one."""
    stack, index = place.split(".")
    return f"{stack}.{int(index) + 1}"


def _causal_mask(tokens: Sequence[str]) -> Matrix:
    size = range(len(tokens))
    return Matrix("mask", [[float(j <= i) for j in size] for i in size], tokens, tokens)
