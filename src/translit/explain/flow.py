"""How a sentence flows through the model: every stage of the paper's figure 1 with shapes and real numbers.

S source tokens, T target tokens, d = d_model, d_k = d / heads. One layer and one head are followed closely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from translit.explain.record import Record
from translit.model.attention import causal_mask


@dataclass(frozen=True)
class Stage:
    """One matrix on the way. ``key`` names it for captions; ``formula`` says how it came about."""

    part: str  # "input", "encoder", "decoder" or "output"
    key: str
    formula: str
    rows: list[str]
    columns: list[str] | None  # names where the columns are tokens; None: numbered dimensions
    values: Tensor  # (rows, columns)

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.values.shape
        return rows, columns


def flow(record: Record, layer: int, head: int) -> list[Stage]:
    """The road of one sentence: both embeddings, encoder layer, decoder layer, output.

    ``layer`` (from 0) is taken in both stacks; where a stack has fewer layers, its last one.
    """
    return [
        *_input(record, "encoder"),
        *_encoder(record, layer, head),
        *_input(record, "decoder"),
        *_decoder(record, layer, head),
        *_output(record),
    ]


def _input(record: Record, stack: str) -> list[Stage]:
    name, rows = ("source", record.source_pieces) if stack == "encoder" else ("target", record.inputs)
    positions = [f"{i}" for i in range(len(rows))]
    trace, place = record.trace, f"{name}_embedding"
    return [
        Stage(stack, "embedding", "E[token] · √d", rows, None, trace[f"{place}.scaled"][0]),
        Stage(
            stack, "positions", "sin, cos(pos / 10000^(2i/d))", positions, None, trace[f"{place}.positions"]
        ),
        Stage(stack, "input", "E[token] · √d + PE", rows, None, trace[f"{place}.output"][0]),
    ]


def _encoder(record: Record, layer: int, head: int) -> list[Stage]:
    place = f"encoder.{min(layer, len(record.states('encoder')) - 1)}"
    rows = record.source_pieces
    visible = torch.ones(len(rows), len(rows), dtype=torch.bool)
    return [
        *_attention(record, "encoder", f"{place}.self_attention", head, rows, rows, visible),
        *_feed_forward(record, "encoder", place, rows, ("add_norm_1", "add_norm_2")),
    ]


def _decoder(record: Record, layer: int, head: int) -> list[Stage]:
    place = f"decoder.{min(layer, len(record.states('decoder')) - 1)}"
    rows, source = record.inputs, record.source_pieces
    causal = causal_mask(len(rows))
    everything = torch.ones(len(rows), len(source), dtype=torch.bool)
    first = _add_norm(record, "decoder", f"{place}.add_norm_1", rows)
    return [
        *_attention(record, "decoder", f"{place}.self_attention", head, rows, rows, causal),
        first,
        *_attention(record, "decoder", f"{place}.cross_attention", head, rows, source, everything),
        *_feed_forward(record, "decoder", place, rows, ("add_norm_2", "add_norm_3")),
    ]


def _attention(
    record: Record,
    part: str,
    place: str,
    head: int,
    queries: list[str],
    keys: list[str],
    mask: Tensor,
) -> list[Stage]:
    t = record.trace
    q, k, v, weights = (t[f"{place}.{x}"][0, head] for x in ("q", "k", "v", "weights"))
    prefix = "cross." if "cross" in place else "self."
    return [
        Stage(part, f"{prefix}q", "x · W_Q", queries, None, q),
        Stage(part, f"{prefix}k", "x · W_K" if prefix == "self." else "memory · W_K", keys, None, k),
        Stage(part, f"{prefix}v", "x · W_V" if prefix == "self." else "memory · W_V", keys, None, v),
        # The trace keeps the scores after the mask; before it they are the plain product.
        Stage(part, f"{prefix}scores", "Q Kᵀ / √d_k", queries, keys, q @ k.T / q.size(-1) ** 0.5),
        Stage(part, f"{prefix}mask", "1 = may look, 0 = hidden", queries, keys, mask.float()),
        Stage(part, f"{prefix}weights", "softmax(masked scores)", queries, keys, weights),
        Stage(part, f"{prefix}head", "weights · V", queries, None, weights @ v),
        Stage(part, f"{prefix}concat", "head 1 … h, side by side", queries, None, t[f"{place}.concat"][0]),
        Stage(part, f"{prefix}output", "concat · W_O", queries, None, t[f"{place}.output"][0]),
    ]


def _add_norm(record: Record, part: str, place: str, rows: list[str]) -> Stage:
    return Stage(part, "add_norm", "residual and LayerNorm", rows, None, record.trace[f"{place}.output"][0])


def _feed_forward(
    record: Record, part: str, place: str, rows: list[str], norms: tuple[str, str]
) -> list[Stage]:
    t, ffn = record.trace, f"{place}.feed_forward"
    return [
        _add_norm(record, part, f"{place}.{norms[0]}", rows),
        Stage(part, "ffn.inner", "activation(x · W_1 + b_1)", rows, None, t[f"{ffn}.inner"][0]),
        Stage(part, "ffn.output", "inner · W_2 + b_2", rows, None, t[f"{ffn}.output"][0]),
        _add_norm(record, part, f"{place}.{norms[1]}", rows),
    ]


def _output(record: Record) -> list[Stage]:
    last = record.states("decoder")[-1]
    return [Stage("output", "last", "what leaves the last decoder layer", record.inputs, None, last)]


@dataclass(frozen=True)
class Blank:
    """One blank of the training table: the decoder is shown ``prefix`` and must fill in ``answer``."""

    prefix: list[str]
    answer: str
    probability: float
    loss: float  # nats: −ln probability


def blanks(record: Record) -> list[Blank]:
    """The same sentence as training sees it: the target shifted right, one blank a step, and its loss."""
    log_probs: Sequence[float] = record.chosen_log_probs().tolist()
    probabilities: Sequence[float] = record.chosen_log_probs().exp().tolist()
    return [
        Blank(record.inputs[: t + 1], piece, p, -log_p)
        for t, (piece, p, log_p) in enumerate(
            zip(record.target_pieces, probabilities, log_probs, strict=True)
        )
    ]
