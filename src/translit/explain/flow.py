"""How a sentence flows through the model: every stage of the paper's figure 1 with shapes and real numbers.

S source tokens, T target tokens, d = d_model, d_k = d / heads. One layer and one head are followed closely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from translit.config import ModelConfig
from translit.explain.record import Record
from translit.model.attention import causal_mask
from translit.model.layers import AddNorm, DecoderLayer, EncoderLayer
from translit.model.transformer import Transformer


@dataclass(frozen=True)
class Stage:
    """One matrix on the way. ``key`` names it for captions; ``formula`` says how it came about."""

    part: str  # "encoder", "memory", "decoder" or "output"
    key: str
    formula: str
    rows: list[str]
    columns: list[str] | None  # names where the columns are tokens or chosen; None: numbered dimensions
    values: Tensor  # (rows, columns)
    chosen_of: int | None = None  # how many columns ``columns`` are chosen from; None: they are all

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.values.shape
        return rows, self.chosen_of or columns


@torch.inference_mode()
def flow(model: Transformer, record: Record, layer: int, head: int) -> list[Stage]:
    """The road of one sentence: both embeddings, encoder layer, decoder layer, output.

    ``layer`` (from 0) is taken in both stacks; where a stack has fewer layers, its last one.
    """
    memory = model.encoder_norm(record.states("encoder")[-1])  # (S, d)
    last = model.decoder_norm(record.states("decoder")[-1])  # (T, d)
    leaving = "Norm(x)" if model.config.norm == "pre" else "x"  # post-norm has normalised already
    return [
        *_input(record, "encoder"),
        *_encoder(model, record, layer, head),
        Stage("memory", "memory", leaving, record.source_pieces, None, memory),
        *_input(record, "decoder"),
        *_decoder(model, record, layer, head),
        Stage("output", "last", leaving, record.inputs, None, last),
        _logits(record, model.logits(last)),
    ]


def _logits(record: Record, logits: Tensor) -> Stage:
    """The scores of the tokens that were written, among those of the whole vocabulary."""
    written = dict(zip(record.target_ids, record.target_pieces, strict=True))
    columns, values = list(written.values()), logits[:, list(written)]
    return Stage("output", "logits", "decoder output · W", record.inputs, columns, values, logits.size(1))


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


def _encoder(model: Transformer, record: Record, layer: int, head: int) -> list[Stage]:
    config = model.config
    at = min(layer, config.encoder_layers - 1)
    place, block = f"encoder.{at}", cast(EncoderLayer, model.encoder[at])
    rows = record.source_pieces
    visible = torch.ones(len(rows), len(rows), dtype=torch.bool)
    return [
        *_norm("encoder", block.add_norm_1, _entering(record, "encoder", at), rows),
        *_attention(record, config, f"{place}.self_attention", head, (rows, rows), visible),
        _add_norm(record, config, f"{place}.add_norm_1", rows),
        *_norm("encoder", block.add_norm_2, record.trace[f"{place}.add_norm_1.output"], rows),
        *_feed_forward(record, config, place, rows),
        _add_norm(record, config, f"{place}.add_norm_2", rows),
    ]


def _decoder(model: Transformer, record: Record, layer: int, head: int) -> list[Stage]:
    config = model.config
    at = min(layer, config.decoder_layers - 1)
    place, block = f"decoder.{at}", cast(DecoderLayer, model.decoder[at])
    rows, source = record.inputs, record.source_pieces
    everything = torch.ones(len(rows), len(source), dtype=torch.bool)
    causal = causal_mask(len(rows))
    return [
        *_norm("decoder", block.add_norm_1, _entering(record, "decoder", at), rows),
        *_attention(record, config, f"{place}.self_attention", head, (rows, rows), causal),
        _add_norm(record, config, f"{place}.add_norm_1", rows),
        *_norm("decoder", block.add_norm_2, record.trace[f"{place}.add_norm_1.output"], rows),
        *_attention(record, config, f"{place}.cross_attention", head, (rows, source), everything),
        _add_norm(record, config, f"{place}.add_norm_2", rows),
        *_norm("decoder", block.add_norm_3, record.trace[f"{place}.add_norm_2.output"], rows),
        *_feed_forward(record, config, place, rows),
        _add_norm(record, config, f"{place}.add_norm_3", rows),
    ]


def _entering(record: Record, stack: str, layer: int) -> Tensor:
    """The x that enters a layer, (1, rows, d)."""
    name = "source" if stack == "encoder" else "target"
    return record.states(stack)[layer - 1][None] if layer else record.trace[f"{name}_embedding.output"]


def _norm(part: str, add_norm: AddNorm, x: Tensor, rows: list[str]) -> list[Stage]:
    """With pre-norm, the LayerNorm before a sub-layer; x is (1, rows, d)."""
    return [Stage(part, "norm", "Norm(x)", rows, None, add_norm.norm(x)[0])] if add_norm.pre_norm else []


def _attention(
    record: Record,
    config: ModelConfig,
    place: str,
    head: int,
    tokens: tuple[list[str], list[str]],
    mask: Tensor,
) -> list[Stage]:
    """The stages of one head; ``tokens`` are those that ask and those that are asked."""
    (queries, keys), t = tokens, record.trace
    part = place.split(".")[0]
    kind = "cross" if place.endswith("cross_attention") else "self"
    x = _normed(config)
    asked = x if kind == "self" else "memory"
    q, k, v, weights = (t[f"{place}.{name}"][0, head] for name in ("q", "k", "v", "weights"))
    scores = q @ k.T / config.d_k**0.5  # the trace keeps them masked; here they are before the mask
    return [
        Stage(part, f"{kind}.q", f"Q = {x} · W_Q + b_Q", queries, None, q),
        Stage(part, f"{kind}.k", f"K = {asked} · W_K + b_K", keys, None, k),
        Stage(part, f"{kind}.v", f"V = {asked} · W_V + b_V", keys, None, v),
        Stage(part, f"{kind}.scores", f"Q Kᵀ / √{config.d_k}", queries, keys, scores),
        Stage(part, f"{kind}.mask", "mask", queries, keys, mask.float()),
        Stage(part, f"{kind}.weights", "softmax(masked scores)", queries, keys, weights),
        Stage(part, f"{kind}.head", "weights · V", queries, None, weights @ v),
        _concat(part, kind, queries, t[f"{place}.concat"][0], config),
        Stage(part, f"{kind}.output", "concat · W_O + b_O", queries, None, t[f"{place}.output"][0]),
    ]


def _concat(part: str, kind: str, rows: list[str], answers: Tensor, config: ModelConfig) -> Stage:
    """The first two numbers of every head, of those that stand side by side."""
    shown = [(head, i) for head in range(config.n_heads) for i in range(min(2, config.d_k))]
    columns = [f"{head + 1}:{i}" for head, i in shown]
    values = answers[:, [head * config.d_k + i for head, i in shown]]
    return Stage(part, f"{kind}.concat", f"{config.n_heads} heads", rows, columns, values, config.d_model)


def _normed(config: ModelConfig) -> str:
    """What enters a sub-layer: with pre-norm the normalised x."""
    return "Norm(x)" if config.norm == "pre" else "x"


def _add_norm(record: Record, config: ModelConfig, place: str, rows: list[str]) -> Stage:
    pre = config.norm == "pre"
    formula = "x + sublayer(Norm(x))" if pre else "Norm(x + sublayer(x))"
    key = f"add_norm.{config.norm}"
    return Stage(place.split(".")[0], key, formula, rows, None, record.trace[f"{place}.output"][0])


def _feed_forward(record: Record, config: ModelConfig, place: str, rows: list[str]) -> list[Stage]:
    part, t = place.split(".")[0], record.trace
    activation = "ReLU" if config.activation == "relu" else "GELU"
    formula = f"{activation}({_normed(config)} · W_1 + b_1)"
    inner, output = (t[f"{place}.feed_forward.{name}"][0] for name in ("inner", "output"))
    return [
        Stage(part, f"ffn.inner.{config.activation}", formula, rows, None, inner),
        Stage(part, "ffn.output", "inner · W_2 + b_2", rows, None, output),
    ]


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
