"""Checkpoints: everything a run needs to go on as if it had never stopped, written all or nothing."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from translit.data.batches import Position
from translit.errors import TranslitError

WEIGHTS, OPTIMIZER, STATE = "weights.safetensors", "optimizer.safetensors", "state.json"


@dataclass
class Progress:
    """Where a run stands. Random numbers need no saving: each step seeds them from (seed, step)."""

    step: int = 0
    position: Position = field(default_factory=Position)  # the next batch to read
    tokens: int = 0  # source + target tokens learned from, padding not counted
    seconds: float = 0.0  # time spent training, all sittings together
    best_loss: float = float("inf")  # on the dev set
    best_step: int = 0
    bad_evaluations: int = 0  # in a row, without a better dev loss

    @classmethod
    def load(cls, path: Path) -> Progress:
        values: dict[str, Any] = json.loads((path / STATE).read_text("utf-8"))
        return cls(**{**values, "position": Position(*values["position"])})


def save_checkpoint(
    home: Path, weights: Mapping[str, Tensor], optimizer: Mapping[str, Tensor], progress: Progress
) -> Path:
    """Write ``home/<step>`` atomically; whatever goes wrong, older checkpoints stay as they are."""
    final = home / f"{progress.step:07d}"
    part = final.with_suffix(".part")
    try:
        part.mkdir(parents=True, exist_ok=True)
        save_file(contiguous(weights), part / WEIGHTS)
        save_file(contiguous(optimizer), part / OPTIMIZER)
        (part / STATE).write_text(json.dumps(asdict(progress)), "utf-8")
        for file in part.iterdir():
            with open(file, "rb") as handle:
                os.fsync(handle.fileno())
        if final.exists():
            shutil.rmtree(final)
        os.replace(part, final)
    except (OSError, SafetensorError) as error:
        raise TranslitError(
            f"{final}: cannot save the checkpoint: {error}; earlier checkpoints are untouched, free some space "
            f"and go on with `translit train --resume {home.parent}`"
        ) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return final


def checkpoints(home: Path) -> list[Path]:
    """Complete checkpoints, oldest first."""
    return (
        sorted(p for p in home.glob("*") if p.name.isdigit() and (p / STATE).is_file())
        if home.is_dir()
        else []
    )


def tidy(home: Path, keep: set[int]) -> None:
    """Delete checkpoints whose step is not in ``keep``, except the last; only the last needs its optimizer."""
    *older, _ = checkpoints(home)
    for path in older:
        if int(path.name) not in keep:
            shutil.rmtree(path)
        else:
            (path / OPTIMIZER).unlink(missing_ok=True)


def load_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file. A missing or damaged file is a TranslitError."""
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise TranslitError(f"{path}: cannot read it: {error}; restore the file") from None


def contiguous(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: t.detach().contiguous() for name, t in tensors.items()}


@torch.no_grad()
def load_weights(parameters: Mapping[str, nn.Parameter], tensors: Mapping[str, Tensor], path: Path) -> None:
    """Copy ``tensors`` into ``parameters``; another architecture is a TranslitError that names the difference."""
    for name, parameter in parameters.items():
        if name not in tensors:
            raise TranslitError(
                f"{path}: belongs to another architecture: it has no {name}; check the settings"
            )
        if tensors[name].shape != parameter.shape:
            theirs, ours = tuple(tensors[name].shape), tuple(parameter.shape)
            raise TranslitError(
                f"{path}: belongs to another architecture: {name} is {theirs}, not {ours}; check the settings"
            )
        parameter.copy_(tensors[name])
    if extra := sorted(set(tensors) - set(parameters)):
        raise TranslitError(
            f"{path}: belongs to another architecture: unknown {extra[0]}; check the settings"
        )


def average(paths: list[Path]) -> dict[str, Tensor]:
    """The mean of the weights of several checkpoints (§6.1 averages the last 5)."""
    total = load_tensors(paths[0] / WEIGHTS)
    for path in paths[1:]:
        for name, tensor in load_tensors(path / WEIGHTS).items():
            total[name] += tensor
    return {name: tensor / len(paths) for name, tensor in total.items()}
