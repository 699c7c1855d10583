"""A run directory: settings, data stores, tokenizers, checkpoints and metrics of one training; it reproduces itself.

config.toml       every setting; `translit train --config runs/x/config.toml` makes the same run again
source.spm …      the tokenizers
store/            the corpora, normalised, and their word alignments if one head is taught them
checkpoints/      the last few, by step
metrics.jsonl     one JSON object a log line
curves.svg, .png  drawn from it by `translit train --plot`
events.out.…      the same numbers for TensorBoard, if training.tensorboard is set
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from translit.config import PRESETS, DataConfig, ModelConfig, TrainConfig, override, preset
from translit.data.bitext import Corpus
from translit.errors import TranslitError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SETTINGS, METRICS = "config.toml", "metrics.jsonl"
_STARTER = Path(__file__).parents[1] / "data" / "starter"


@dataclass(frozen=True)
class RunConfig:
    """All that defines a training."""

    train: tuple[str, ...] = (str(_STARTER / "train.tsv.gz"),)  # corpora, each as `Corpus.parse` reads it
    valid: str = ""  # dev corpus; "": hold out a part of the first training corpus
    out: str = "models/mine"  # where the finished model goes
    start: str = ""  # a model to continue from (its shape and tokenizers are kept)
    source_language: str = "en"
    target_language: str = "zh"
    model: ModelConfig = field(default_factory=lambda: PRESETS["tiny"].model)
    data: DataConfig = field(default_factory=lambda: PRESETS["tiny"].data)
    training: TrainConfig = field(default_factory=lambda: PRESETS["tiny"].train)

    def corpora(self) -> list[Corpus]:
        return [Corpus.parse(text) for text in self.train]

    def absolute(self) -> RunConfig:
        """The same settings, good in any working directory."""
        return dataclasses.replace(
            self,
            train=tuple(corpus.absolute for corpus in self.corpora()),
            valid=self.valid and Corpus.parse(self.valid).absolute,
            out=os.path.abspath(self.out),
            start=self.start and os.path.abspath(self.start),
        )

    def to_toml(self) -> str:
        """The settings as TOML text that ``RunConfig.read`` understands."""
        top = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        sections = {name: dataclasses.asdict(top.pop(name)) for name in ("model", "data", "training")}
        lines = [f"{name} = {_toml(value)}" for name, value in top.items()]
        for section, values in sections.items():
            lines += ["", f"[{section}]", *(f"{name} = {_toml(value)}" for name, value in values.items())]
        return "\n".join(lines) + "\n"


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a TOML file. Raises TranslitError when it cannot be read."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TranslitError(f"{path}: cannot read the settings: {reason}") from None


def parse_value(text: str) -> Any:
    """A TOML value from the command line; what is no number, boolean or quoted text is text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def run_config(values: dict[str, Any], place: str) -> RunConfig:
    """A RunConfig from plain values (of a TOML file or of flags); ``preset`` chooses where they start from."""
    values = dict(values)
    for name, kind in (("preset", str), ("model", dict), ("data", dict), ("training", dict)):
        if name in values and not isinstance(values[name], kind):
            how = 'preset = "small"' if name == "preset" else f"a section [{name}]"
            raise TranslitError(f"{place}: {name} is {values[name]!r}; write {how}")
    chosen = preset(values.pop("preset", "tune" if values.get("start") else "tiny"))
    sections: dict[str, Any] = {
        "model": override(chosen.model, values.pop("model", {}), f"{place} [model]"),
        "data": override(chosen.data, values.pop("data", {}), f"{place} [data]"),
        "training": override(chosen.train, values.pop("training", {}), f"{place} [training]"),
    }
    train = values.pop("train", None)
    if train is not None:
        if not isinstance(train, list | tuple) or not train or not all(isinstance(t, str) for t in train):
            raise TranslitError(
                f'{place}: train is {train!r}; write a list of corpora, as train = ["pairs.tsv"]'
            )
        sections["train"] = tuple(train)
    elif "valid" not in values:
        sections["valid"] = str(_STARTER / "valid.tsv.gz")
    known = {f.name for f in dataclasses.fields(RunConfig)}
    for name, value in values.items():
        if name not in known:
            raise TranslitError(
                f"{place}: unknown setting {name!r}; known are preset, {', '.join(sorted(known))}"
            )
        if not isinstance(value, str):
            raise TranslitError(f"{place}: {name} is {value!r}; it must be a string")
    return RunConfig(**sections, **values)


def _toml(value: Any) -> str:
    """JSON's strings, numbers, lists and booleans are TOML's too."""
    return json.dumps(value, ensure_ascii=False)
