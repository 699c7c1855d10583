"""A model on disk: one folder with its settings, weights and tokenizers. Reading it needs no torch.

config.json            format version, languages, shape
weights.safetensors    the numbers, fp16
source.spm target.spm  the tokenizers
README.md              the model card (for people; optional)
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from translit.config import ModelConfig, override
from translit.disk import write_whole
from translit.errors import TranslitError

if TYPE_CHECKING:
    from translit.text.tokenizer import Tokenizer

FORMAT = 1  # raise it when a stored model can no longer be read the old way, and keep reading the old ones
CONFIG, WEIGHTS, SOURCE, TARGET = "config.json", "weights.safetensors", "source.spm", "target.spm"
DEFAULT_MODEL = "en-zh"

_FILES = (CONFIG, WEIGHTS, SOURCE, TARGET)
_NUMBERS = ("F16", "F32", "F64")  # safetensors' names of those that numpy can read


@dataclass(frozen=True)
class ModelDirectory:
    """An opened model folder. Raises TranslitError from ``open`` when it is missing, incomplete or too new."""

    path: Path
    model: ModelConfig
    source_language: str
    target_language: str
    info: dict[str, Any]  # how it was made: steps, tokens, hours, dev scores

    @classmethod
    def open(cls, path: Path) -> ModelDirectory:
        config_path = path / CONFIG
        if not path.is_dir():
            raise TranslitError(f"{path}: no such model folder; make one with `translit train --out {path}`")
        missing = [n for n in _FILES if not (path / n).is_file()]
        if missing:
            raise TranslitError(
                f"{path}: the model is incomplete, {', '.join(missing)} missing; restore the file"
            )
        try:
            stored = json.loads(config_path.read_text("utf-8"))
            version = stored["format"]
            texts = stored["source_language"], stored["target_language"]
            if not (all(isinstance(t, str) for t in texts) and isinstance(stored.get("info", {}), dict)):
                raise TypeError("source_language and target_language must be text, info an object")
            if version < 1:
                raise ValueError(f"format {version}")
            if version > FORMAT:
                raise TranslitError(
                    f"{config_path}: format {version} is newer than this translit knows ({FORMAT}); upgrade translit"
                )
            return cls(
                path=path,
                model=override(ModelConfig(), stored["model"], str(config_path)),
                source_language=stored["source_language"],
                target_language=stored["target_language"],
                info=stored.get("info", {}),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise TranslitError(f"{config_path}: damaged ({error!r}); restore the file") from None

    @functools.cached_property
    def source_tokenizer(self) -> Tokenizer:
        return self._tokenizer(SOURCE, self.model.source_vocab)

    @functools.cached_property
    def target_tokenizer(self) -> Tokenizer:
        return self._tokenizer(TARGET, self.model.target_vocab)

    def _tokenizer(self, name: str, size: int) -> Tokenizer:
        from translit.text.tokenizer import Tokenizer

        tokenizer = Tokenizer.load(self.path / name)
        if len(tokenizer) != size:  # with another one, or with the two swapped, the output would be garbage
            raise TranslitError(
                f"{self.path / name}: has {len(tokenizer)} tokens, {CONFIG} asks for {size}; "
                "restore one of the two files"
            )
        return tokenizer

    @property
    def length_penalty(self) -> float:
        """The α of the search that suits this model: 1 unless info.length_penalty in config.json says otherwise."""
        value = self.info.get("length_penalty", 1.0)
        if not isinstance(value, int | float) or not 0 <= value <= 100:
            raise TranslitError(
                f"{self.path / CONFIG}: info.length_penalty is {value!r}; give a number from 0 to 100"
            )
        return float(value)

    def weights(self) -> dict[str, Any]:
        """Every weight as a numpy array, named as in ``Transformer.state_dict()``, without torch.

        A tied output layer is not among them. Raises TranslitError when they cannot be read, or contradict config.json.
        """
        from safetensors.numpy import load_file

        self.stored_shapes()
        with self._reading_weights():
            weights: dict[str, Any] = load_file(self.path / WEIGHTS)
        return weights

    def stored_shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every stored weight, from the header of the file alone. Raises what ``weights`` raises."""
        from safetensors import safe_open

        with self._reading_weights(), safe_open(self.path / WEIGHTS, framework="numpy") as file:
            note = file.metadata() or {}  # none in older models
            header = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 — it is no dict
            stored = {name: tuple(entry.get_shape()) for name, entry in header.items()}
            numbers = {name: entry.get_dtype() for name, entry in header.items()}
        self._check(stored, note)
        for name, kind in numbers.items():
            if kind not in _NUMBERS:
                raise TranslitError(
                    f"{self.path / WEIGHTS}: {name} is stored as {kind}, which translit cannot read; store it as F16"
                )
        return stored

    @contextlib.contextmanager
    def _reading_weights(self) -> Iterator[None]:
        from safetensors import SafetensorError

        try:
            yield
        except (SafetensorError, OSError) as error:
            raise TranslitError(
                f"{self.path / WEIGHTS}: cannot read the weights: {error}; restore the file"
            ) from None

    def _check(self, stored: Mapping[str, tuple[int, ...]], note: Mapping[str, str]) -> None:
        """Raises TranslitError when the shapes of the weights, or the note beside them, contradict config.json."""
        path = self.path / WEIGHTS
        expected = shapes(self.model)
        if missing := sorted(expected.keys() - stored.keys()):
            raise TranslitError(f"{path}: {missing[0]} is missing ({len(missing)} in all); restore the file")
        if unknown := sorted(stored.keys() - expected.keys()):
            raise TranslitError(f"{path}: {unknown[0]} has no place in this model; restore it or {CONFIG}")
        for name, shape in expected.items():
            if stored[name] != shape:
                raise TranslitError(
                    f"{path}: {name} is {stored[name]}, {CONFIG} asks for {shape}; restore one of the two files"
                )
        for name, value in shapeless(self.model).items():
            if note.get(name, value) != value:
                raise TranslitError(
                    f"{path}: was trained with {note[name]}, {CONFIG} says {value}; restore one of the two files"
                )

    def save_info(self, entries: Mapping[str, Any]) -> None:
        """Add ``entries`` to the info in config.json, whole or not at all. What was opened before does not change.

        Raises TranslitError when the file cannot be written.
        """
        path = self.path / CONFIG
        text = describe_new(self.model, self.source_language, self.target_language, {**self.info, **entries})
        try:
            write_whole(path, text.encode())
        except OSError as error:
            raise TranslitError(
                f"{path}: cannot write: {error.strerror}; copy the model to a folder of yours"
            ) from None

    def describe(self) -> dict[str, Any]:
        """The content of config.json."""
        return {
            "format": FORMAT,
            "source_language": self.source_language,
            "target_language": self.target_language,
            "model": dataclasses.asdict(self.model),
            "info": self.info,
        }


def find_model(name: str | Path | None = None) -> ModelDirectory:
    """Open the model called ``name``: a folder, or one that came with translit; None is the default model.

    $TRANSLIT_MODEL counts as a name when none is given. A name is looked for in this order: the path itself, then
    ``models/`` inside the installed package or beside the source code; the default model only there.
    """
    given = name or os.environ.get("TRANSLIT_MODEL")
    asked = given or DEFAULT_MODEL
    package = Path(__file__).parent
    homes = [package / "models", package.parent.parent / "models"]
    folders = [*([Path(given)] if given else []), *(home / asked for home in homes)]
    if there := [folder for folder in folders if folder.is_dir()]:
        # A folder of that name without a single file of a model hides no model that came with translit.
        models = (folder for folder in there if any((folder / file).exists() for file in _FILES))
        return ModelDirectory.open(next(models, there[0]))
    shipped = sorted({p.parent.name for home in homes for p in home.glob(f"*/{CONFIG}")})
    have = f"; models that came with translit: {', '.join(shipped)}" if shipped else ""
    raise TranslitError(
        f"model {str(asked)!r} not found{have}; give a model folder, or make one with `translit train`"
    )


def shapes(model: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Name and shape of every weight that a model folder stores; a tied output layer is stored once."""
    d = model.d_model
    found: dict[str, tuple[int, ...]] = {}

    def linear(name: str, inputs: int, outputs: int) -> None:
        found[f"{name}.weight"], found[f"{name}.bias"] = (outputs, inputs), (outputs,)

    def norm(name: str) -> None:
        found[f"{name}.weight"] = found[f"{name}.bias"] = (d,)

    halves = (
        ("encoder", model.encoder_layers, ("self_attention",)),
        ("decoder", model.decoder_layers, ("self_attention", "cross_attention")),
    )
    for half, layers, attentions in halves:
        for layer in range(layers):
            for attention in attentions:
                for matrix in ("w_q", "w_k", "w_v", "w_o"):
                    linear(f"{half}.{layer}.{attention}.{matrix}", d, d)
            linear(f"{half}.{layer}.feed_forward.w_1", d, model.d_ff)
            linear(f"{half}.{layer}.feed_forward.w_2", model.d_ff, d)
            for number in range(1, len(attentions) + 2):
                norm(f"{half}.{layer}.add_norm_{number}.norm")
        if model.norm == "pre":
            norm(f"{half}_norm")
    found["source_embedding.tokens.weight"] = (model.source_vocab, d)
    found["target_embedding.tokens.weight"] = (model.target_vocab, d)
    if not model.tie_embeddings:
        found["output.weight"] = (model.target_vocab, d)
    return found


def shapeless(model: ModelConfig) -> dict[str, str]:
    """What weights need and their shapes do not tell: stored beside them, so that no other config.json can pass."""
    # One entry: safetensors writes several in any order, and the same training would not give the same file.
    return {"model": f"n_heads {model.n_heads}, activation {model.activation}"}


def describe_new(model: ModelConfig, source: str, target: str, info: dict[str, Any]) -> str:
    """The text of a new model's config.json."""
    directory = ModelDirectory(Path(), model, source, target, info)
    return json.dumps(directory.describe(), indent=2, ensure_ascii=False) + "\n"
