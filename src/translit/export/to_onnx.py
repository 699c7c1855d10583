"""Two ONNX graphs: the encoder, run once a sentence, and one step of the decoder with its past.

``encoder.onnx``: source ids (B, S) → everything the decoder needs to know about the source.
``decoder.onnx``: that, the last token (B, 1) and the keys and values of the tokens before it (P of them; none at first)
→ logits of the next token (B, V), and the keys and values with this token's behind them.
"""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from translit.engines.torch_engine import load_transformer
from translit.export.readme import write_readme
from translit.model.embedding import sinusoidal_positions
from translit.model.transformer import Memory, Transformer, pad
from translit.model_directory import ModelDirectory
from translit.text.tokenizer import BOS, EOS

if TYPE_CHECKING:
    import numpy as np

POSITIONS = 1024  # tokens that source and translation may have
ENCODER, DECODER = "encoder.onnx", "decoder.onnx"

_README = """\
# $title in ONNX

`translit export --to onnx` wrote this folder, in float32. It needs no translit, only:

    pip install onnxruntime sentencepiece

```python
import numpy as np
import onnxruntime
import sentencepiece

folder = "."
source = sentencepiece.SentencePieceProcessor(f"{folder}/source.spm")
target = sentencepiece.SentencePieceProcessor(f"{folder}/target.spm")
encoder = onnxruntime.InferenceSession(f"{folder}/encoder.onnx")
decoder = onnxruntime.InferenceSession(f"{folder}/decoder.onnx")
START, END = 2, 3


def translate(text, limit=200):
    ids = np.array([source.encode(text) + [END]])
    names = [o.name for o in encoder.get_outputs()]
    state = dict(zip(names, encoder.run(None, {"source": ids})))  # what to know about the source
    for i in decoder.get_inputs():  # the past: nothing yet
        if i.name.startswith("past."):
            state[i.name] = np.zeros((1, i.shape[1], 0, i.shape[3]), np.float32)
    token, written = START, []
    while len(written) < limit:
        logits, *present = decoder.run(None, {"token": np.array([[token]]), **state})
        if not written:
            logits[:, END] = -np.inf
        token = int(logits[0].argmax())  # the best token; a beam search would keep several
        if token == END:
            break
        written.append(token)
        names = [o.name.replace("present.", "past.") for o in decoder.get_outputs()[1:]]
        state.update(zip(names, present))
    return target.decode(written)


print(translate("I love you."))
```

Several sentences at once: pad the ids with 0 to the longest, and give everything that many rows.

$rules
"""


def write(directory: ModelDirectory, folder: Path) -> OnnxExport:
    """Write both graphs and a README into ``folder``."""
    model = load_transformer(directory)
    for embedding in (model.source_embedding, model.target_embedding):
        embedding.positions = sinusoidal_positions(POSITIONS, directory.model.d_model)
    batch, length, past = (torch.export.Dim(name, max=POSITIONS - 1) for name in ("batch", "length", "past"))
    layers = directory.model.decoder_layers
    memory = [f"source.{i}.{kind}" for i in range(layers) for kind in ("keys", "values")]
    before = [f"past.{i}.{kind}" for i in range(layers) for kind in ("keys", "values")]
    after = [name.replace("past", "present") for name in before]

    encoder, decoder = _Encoder(model).eval(), _DecoderStep(model).eval()
    source = torch.full((2, 5), EOS)
    known = encoder(source)
    # A tensor for each: one tensor given several times would become one input.
    written = [torch.zeros(2, directory.model.n_heads, 3, directory.model.d_k) for _ in before]
    with _quiet(), torch.inference_mode():
        torch.onnx.export(
            encoder,
            (source,),
            folder / ENCODER,
            input_names=["source"],
            output_names=["mask", *memory],
            dynamic_shapes=({0: batch, 1: length},),
            external_data=False,
            verbose=False,
        )
        torch.onnx.export(
            decoder,
            (torch.full((2, 1), BOS), known[0], list(known[1:]), written),
            folder / DECODER,
            input_names=["token", "mask", *memory, *before],
            output_names=["logits", *after],
            dynamic_shapes=(
                {0: batch},
                {0: batch, 3: length},
                [{0: batch, 2: length}] * (2 * layers),
                [{0: batch, 2: past}] * (2 * layers),
            ),
            external_data=False,
            verbose=False,
        )
    write_readme(folder, _README, directory)
    return OnnxExport(folder)


class _Encoder(nn.Module):
    """source (B, S) → mask (B, 1, 1, S), then keys and values (B, h, S, d_k) of every decoder layer."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def forward(self, source: Tensor) -> tuple[Tensor, ...]:
        memory = self.model.encode(source)
        return memory.mask, *(tensor for pair in memory.keys_values for tensor in pair)


class _DecoderStep(nn.Module):
    """One token (B, 1), what ``_Encoder`` found, and the past → logits (B, V) and the new past."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, token: Tensor, mask: Tensor, known: list[Tensor], past: list[Tensor]
    ) -> tuple[Tensor, ...]:
        memory = Memory(
            mask, mask, list(zip(known[::2], known[1::2], strict=True))
        )  # states: not read any more
        states, present = self.model.decode(token, memory, list(zip(past[::2], past[1::2], strict=True)))
        logits = self.model.logits(states[:, -1])
        return logits, *(tensor for pair in present for tensor in pair)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The exporter without its advice to its own authors."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


# ── Running it ──────────────────────────────────────────────────────────────────────────────────────────────


class OnnxExport:
    """See ``translit.export.check.Exported``."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors
        self._encoder = onnxruntime.InferenceSession(folder / ENCODER, options)
        self._decoder = onnxruntime.InferenceSession(folder / DECODER, options)

    def greedy(self, sources: Sequence[Sequence[int]], limit: int) -> list[list[int]]:
        import numpy as np

        written: list[np.ndarray] = []  # (B) each
        state = self._start(sources)
        token = np.full(len(sources), BOS)
        ended = np.zeros(len(sources), bool)
        while len(written) < limit and not ended.all():
            logits, state = self._step(token, state)
            if not written:
                logits[:, EOS] = -np.inf
            token = logits.argmax(axis=1)
            written.append(token)
            ended |= token == EOS
        rows = np.stack(written, axis=1).tolist()
        return [row[: row.index(EOS)] if EOS in row else row for row in rows]

    def log_probs(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[list[float]]:
        import numpy as np

        from translit.export.check import chosen

        steps = []
        state = self._start(sources)
        for token in pad([[BOS, *target] for target in targets]).numpy().T:  # (B) each
            logits, state = self._step(token, state)
            steps.append(torch.from_numpy(logits).log_softmax(dim=-1).numpy())
        return chosen(np.stack(steps, axis=1).tolist(), targets)

    def _start(self, sources: Sequence[Sequence[int]]) -> dict[str, Any]:
        """Inputs of the decoder before the first step."""
        import numpy as np

        ids = pad([list(source) for source in sources]).numpy()
        names = [o.name for o in self._encoder.get_outputs()]
        state = dict(zip(names, self._encoder.run(None, {"source": ids}), strict=True))
        for i in self._decoder.get_inputs():
            if i.name.startswith("past."):
                state[i.name] = np.zeros((len(ids), i.shape[1], 0, i.shape[3]), np.float32)
        return state

    def _step(self, token: np.ndarray, state: dict[str, Any]) -> tuple[np.ndarray, dict[str, Any]]:
        logits, *present = self._decoder.run(None, {"token": token[:, None], **state})
        names = [o.name.replace("present.", "past.") for o in self._decoder.get_outputs()[1:]]
        return logits, {**state, **dict(zip(names, present, strict=True))}
