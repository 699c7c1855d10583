"""The run: the lesson's numbers in the Transformer of ``translit.model``, and what it recorded.

Nothing of the Transformer is computed here a second time, but for LayerNorm, whose μ and σ² a pencil has to
write down. So that it can follow, each operation's result is rounded before the next one uses it, and the wave
of positions is added only on request.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from translit.config import ModelConfig
from translit.explain.tour.lesson import BOS, EOS, Layer, Lesson
from translit.model.embedding import sinusoidal_positions
from translit.model.trace import Trace
from translit.model.transformer import Transformer


class OnPaper(TorchFunctionMode):
    """Inside this context every operation of PyTorch rounds its result to ``decimals`` decimals.

    Halves are rounded away from zero, as taught at school. Looking a vector up in a table is no operation.
    LayerNorm goes on with the mean and the variance as they are written down: with two more decimals.
    """

    def __init__(self, decimals: int) -> None:
        super().__init__()
        self.scale = 10.0**decimals

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        normalize = self._layer_norm if func is nn.functional.layer_norm else func
        result = normalize(*args, **(kwargs or {}))
        computed = isinstance(result, Tensor) and result.is_floating_point()
        return self._round(result) if computed and func is not nn.functional.embedding else result

    def _layer_norm(self, x: Tensor, _: Any, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        finer = 100 * self.scale
        mean = self._round(x.mean(-1, keepdim=True), finer)
        variance = self._round((x - mean).square().mean(-1, keepdim=True), finer)
        return (x - mean) / (variance + eps).sqrt() * weight + bias

    def _round(self, x: Tensor, scale: float | None = None) -> Tensor:
        scale = scale or self.scale
        # 1e-6: a half that floating point stores a hair too small is still a half
        away_from_zero = torch.floor(x.abs() * scale + 0.5 + 1e-6) / scale
        return x.sign() * away_from_zero + 0.0  # + 0.0 turns −0 into 0


def run(lesson: Lesson, *, positions: bool = False, decimals: int | None = 4) -> Trace:
    """One pass over the source and the target, teacher-forced; ``decimals`` None: no rounding.

    The trace holds what the model recorded (batch of one), and: the sum before each LayerNorm as
    ``….add_norm_1.sum`` (1, T, d), the rows looked up as ``source_embedding.table`` (1, S, d) and
    ``target_embedding.table`` (1, T, d), ``logits`` and ``probabilities`` (1, T, V), ``loss`` (1, T).
    """
    model = build(lesson, positions=positions)
    trace = Trace()
    _record_sums(model, trace)
    source, target_in, target_out = ids(lesson)
    with torch.no_grad(), contextlib.nullcontext() if decimals is None else OnPaper(decimals):
        logits = model(source, target_in, trace)  # (1, T, V)
        probabilities = logits.softmax(dim=-1)
        loss = -probabilities.gather(-1, target_out.unsqueeze(-1)).squeeze(-1).log()  # (1, T)
    trace.record(logits=logits, probabilities=probabilities, loss=loss)
    trace.at("source_embedding").record(table=model.source_embedding.tokens(source).detach())
    trace.at("target_embedding").record(table=model.target_embedding.tokens(target_in).detach())
    return trace


def build(lesson: Lesson, *, positions: bool = False) -> Transformer:
    """The Transformer with the lesson's weights, in float64. Attention has no biases, LayerNorm scales by 1.

    Source ids: 0 is padding, then the tokens of ``lesson.vectors``. Target ids: the vocabulary, then ``<s>``,
    which the decoder reads but cannot write. Tables hold the vectors divided by √d_model, because the model
    multiplies by it.
    """
    vocabulary, d = lesson.vocabulary, lesson.d_model
    config = ModelConfig(
        source_vocab=1 + len(lesson.vectors),
        target_vocab=len(vocabulary) + 1,
        d_model=d,
        n_heads=lesson.heads,
        d_ff=lesson.d_ff,
        encoder_layers=len(lesson.encoder),
        decoder_layers=len(lesson.decoder),
        norm="post",
        dropout=0.0,
        tie_embeddings=False,
    )
    model = Transformer(config)
    model.output = nn.Linear(d, len(vocabulary), bias=False)
    model.double().eval()
    zero = [0.0] * d
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.zero_()
        _fill(model.output.weight, lesson.output, transpose=True)
        for layers, weights in ((model.encoder, lesson.encoder), (model.decoder, lesson.decoder)):
            for layer, numbers in zip(layers, weights, strict=True):
                _fill_layer(layer, numbers)
        written = [lesson.vectors.get(token, zero) for token in vocabulary]
        for embedding, rows in (
            (model.source_embedding, [zero, *lesson.vectors.values()]),
            (model.target_embedding, [*written, lesson.vectors[BOS]]),
        ):
            _fill(embedding.tokens.weight, rows)
            embedding.tokens.weight /= d**0.5
            wave = _wave(max(len(lesson.source), len(lesson.target) + 1), d)
            embedding.positions = wave if positions else torch.zeros_like(wave)
    return model


def ids(lesson: Lesson) -> tuple[Tensor, Tensor, Tensor]:
    """Source (1, S), the decoder's input ``<s> …`` (1, T) and what it should write, ``… </s>`` (1, T)."""
    known = list(lesson.vectors)
    source = [1 + known.index(token) for token in lesson.source]
    target = [lesson.vocabulary.index(token) for token in lesson.target]
    start, end = len(lesson.vocabulary), lesson.vocabulary.index(EOS)
    return torch.tensor([source]), torch.tensor([[start, *target]]), torch.tensor([[*target, end]])


def _wave(length: int, d: int) -> Tensor:
    """The model's own wave (length, d) in float64: a float32 differs from a calculator in the eighth digit."""
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return sinusoidal_positions(length, d)
    finally:
        torch.set_default_dtype(usual)


def _fill_layer(layer: nn.Module, numbers: Layer) -> None:
    for part, arrays in numbers.items():
        for name, array in arrays.items():
            linear = layer.get_submodule(f"{part}.{name.replace('b_', 'w_')}")
            assert isinstance(linear, nn.Linear)
            if name.startswith("b_"):
                _fill(linear.bias, array)
            else:
                _fill(linear.weight, array, transpose=True)


def _fill(parameter: Tensor, numbers: Any, transpose: bool = False) -> None:
    values = torch.tensor(numbers, dtype=parameter.dtype)
    parameter.copy_(values.T if transpose else values)  # nn.Linear stores W as (outputs, inputs)


def _record_sums(model: Transformer, trace: Trace) -> None:
    """Have every LayerNorm record what it receives: x + sub-layer(x)."""
    for name, module in model.named_modules():
        if isinstance(module, nn.LayerNorm):
            place = trace.at(name.removesuffix(".norm"))

            def record(_: nn.Module, inputs: tuple[Tensor, ...], place: Trace = place) -> None:
                place.record(sum=inputs[0])

            module.register_forward_pre_hook(record)
