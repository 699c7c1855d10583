"""``translit info``: what a model is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from translit.cli.app import app

if TYPE_CHECKING:
    from translit.model_directory import ModelDirectory


@app.command()
def info(
    model: Annotated[
        str | None, typer.Argument(help="Model folder or name; by default the one used.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Show what a model is: languages, shape, parameters, training, files."""
    from translit.model_directory import find_model

    facts = _facts(find_model(model))
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        _show(facts)


def _facts(directory: ModelDirectory) -> dict[str, Any]:
    """Everything worth knowing, as plain values. Reads the header of the weights only, and no torch."""
    import dataclasses

    shapes = _shapes(directory)
    return {
        "model": str(directory.path.resolve()),
        "source_language": directory.source_language,
        "target_language": directory.target_language,
        "shape": dataclasses.asdict(directory.model),
        "vocabulary": {
            "source": len(directory.source_tokenizer),
            "target": len(directory.target_tokenizer),
        },
        "parameters": _parameters(shapes),
        "training": directory.info,
        "files": {p.name: p.stat().st_size for p in sorted(directory.path.iterdir()) if p.is_file()},
        "engine": _engine(directory),
    }


def _shapes(directory: ModelDirectory) -> dict[str, list[int]]:
    """Name and shape of every weight: safetensors begins with them as JSON."""
    from safetensors import SafetensorError, safe_open

    from translit.errors import TranslitError
    from translit.model_directory import WEIGHTS

    path = directory.path / WEIGHTS
    try:
        with safe_open(path, framework="numpy") as weights:
            return {name: weights.get_slice(name).get_shape() for name in weights.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise TranslitError(f"{path}: cannot read the weights: {error}; restore the file") from None


def _parameters(shapes: dict[str, list[int]]) -> dict[str, int]:
    """How many numbers each part of the model has learnt; a tied output layer counts with the embedding."""
    from math import prod

    tied = "output.weight" not in shapes
    parts: dict[str, int] = {}
    for name, shape in shapes.items():
        first, *rest = (
            name.replace("encoder_norm", "encoder.norm").replace("decoder_norm", "decoder.norm").split(".")
        )
        kind = rest[1] if len(rest) > 1 and rest[0].isdigit() else "norm"
        kind = "norm" if kind.startswith("add_norm") else kind
        part = (
            f"{first}: {kind.replace('_', ' ')}"
            if first in ("encoder", "decoder")
            else first.replace("_", " ")
        )
        part += ", also the output layer" if part == "target embedding" and tied else ""
        parts[part] = parts.get(part, 0) + prod(shape)
    return {**parts, "all": sum(parts.values())}


def _engine(directory: ModelDirectory) -> dict[str, Any]:
    from translit.engines.conversion import existing

    folder = existing(directory, "int8")
    return {
        "fast": "ctranslate2, int8",
        "converted": str(folder) if folder else None,
        "bytes": sum(p.stat().st_size for p in folder.iterdir()) if folder else 0,
    }


def _show(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    shape = facts["shape"]
    console.print(
        f"{facts['source_language']} → {facts['target_language']}   {facts['model']}\n", soft_wrap=True
    )
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")

    def row(name: str, value: str) -> None:
        table.add_row(Text(name), Text(value))

    row(
        "layers",
        f"{shape['encoder_layers']} encoder + {shape['decoder_layers']} decoder, {shape['norm']}-norm",
    )
    heads = shape["n_heads"]
    row(
        "width",
        f"d_model {shape['d_model']} = {heads} heads × {shape['d_model'] // heads}, d_ff {shape['d_ff']}",
    )
    row("activation", f"{shape['activation']}, dropout {shape['dropout']} in training")
    row(
        "vocabulary",
        f"{facts['vocabulary']['source']:,} source + {facts['vocabulary']['target']:,} target tokens",
    )
    table.add_section()
    for name, count in facts["parameters"].items():
        row("parameters" if name == "all" else f"  {name}", f"{count:>12,}")
    table.add_section()
    for name, value in _flat(facts["training"]):
        row(name, value)
    table.add_section()
    for name, size in facts["files"].items():
        row(name, _size(size))
    converted = facts["engine"]["converted"]
    cache = (
        f"{converted} ({_size(facts['engine']['bytes'])})" if converted else "made at the first translation"
    )
    row(facts["engine"]["fast"], cache)
    console.print(table)


def _flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested settings as (dotted name, value)."""
    flat: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            flat += _flat(value, f"{prefix}{name}.")
        else:
            flat.append((prefix + name, f"{value:,}" if isinstance(value, int) else str(value)))
    return flat


def _size(count: float) -> str:
    """A file size for people: 12 B, 3.4 kB, 21.9 MB."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
