"""The reference engine: our own Transformer and our own search, in PyTorch."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from translit.decoding.processors import LogitsProcessor
from translit.decoding.search import Hypothesis, SearchSettings, search
from translit.errors import TranslitError
from translit.model.transformer import Transformer
from translit.model_directory import WEIGHTS, ModelDirectory


class TorchEngine:
    """Everything explainable, on any device of PyTorch, in fp32."""

    name = "torch"

    def __init__(self, directory: ModelDirectory, device: str = "cpu") -> None:
        self.model = load_transformer(directory, device)

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

    Raises TranslitError when the weights do not fit the configuration.
    """
    model = Transformer(directory.model)
    stored = {name: torch.from_numpy(array) for name, array in directory.weights().items()}
    if directory.model.tie_embeddings and "target_embedding.tokens.weight" in stored:
        stored["output.weight"] = stored["target_embedding.tokens.weight"]
    _check(stored, model.state_dict(), directory)
    model.load_state_dict(stored)  # copies, and widens fp16 to fp32
    return model.to(device).eval()


def _check(stored: dict[str, Tensor], expected: dict[str, Tensor], directory: ModelDirectory) -> None:
    path = directory.path / WEIGHTS
    if missing := sorted(expected.keys() - stored.keys()):
        raise TranslitError(f"{path}: {missing[0]} is missing ({len(missing)} in all); restore the file")
    if unknown := sorted(stored.keys() - expected.keys()):
        raise TranslitError(
            f"{path}: {unknown[0]} has no place in this model; restore the file or config.json"
        )
    for name, tensor in expected.items():
        if stored[name].shape != tensor.shape:
            raise TranslitError(
                f"{path}: {name} is {tuple(stored[name].shape)}, config.json asks for {tuple(tensor.shape)}; "
                "restore one of the two files"
            )
