"""The reference engine: our own Transformer and our own search, in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch

from translit.decoding.processors import LogitsProcessor
from translit.decoding.search import Hypothesis, SearchSettings, search
from translit.engines.base import MAX_POSITIONS
from translit.model.transformer import Transformer, pad
from translit.model_directory import ModelDirectory
from translit.text.tokenizer import BOS, EOS

_SCORED = 8  # targets read together


class TorchEngine:
    """Everything explainable, on any device of PyTorch, in fp32."""

    name = "torch"

    def __init__(self, directory: ModelDirectory, device: str = "cpu") -> None:
        self.model = load_transformer(directory, device)

    def begin(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        return iter(enumerate(self.translate(sources, settings, prefixes)))

    def begin_scoring(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> Iterator[float]:
        for i in range(0, len(sources), _SCORED):
            some = targets[i : i + _SCORED]
            for target, found in zip(some, self.log_probs(sources[i : i + _SCORED], some), strict=True):
                yield math.fsum(found) if len(target) < MAX_POSITIONS else -math.inf

    def log_probs(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[list[float]]:
        """The log-probability of each token of each target, then of its ``</s>`` (one batch, forced decoding)."""
        device = self.model.output.weight.device
        written = pad([[*target, EOS] for target in targets], device)  # (B, T)
        with torch.inference_mode():
            logits = self.model(
                pad([list(source) for source in sources], device),
                pad([[BOS, *target] for target in targets], device),
            )  # (B, T, V)
            found = logits.log_softmax(dim=-1).gather(2, written[:, :, None]).squeeze(2)  # (B, T)
        return [row[: len(target) + 1] for row, target in zip(found.tolist(), targets, strict=True)]

    def translate(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
        *,
        processors: Sequence[LogitsProcessor] = (),
    ) -> list[list[Hypothesis]]:
        return search(self.model, sources, settings, prefixes, processors=processors)

    def describe(self) -> str:
        device = self.model.output.weight.device
        return f"torch {torch.__version__}, float32, {device}, {torch.get_num_threads()} threads"


def load_transformer(directory: ModelDirectory, device: str | torch.device = "cpu") -> Transformer:
    """The model of ``directory`` in fp32, ready to translate (eval mode).

    Raises TranslitError when the weights do not fit config.json.
    """
    model = Transformer(directory.model)
    stored = {name: torch.from_numpy(array) for name, array in directory.weights().items()}
    if directory.model.tie_embeddings:
        stored["output.weight"] = stored["target_embedding.tokens.weight"]
    model.load_state_dict(stored)  # copies, and widens fp16 to fp32
    return model.to(device).eval()
