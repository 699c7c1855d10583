"""``translit info``: what a model is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from translit.cli.app import app

if TYPE_CHECKING:
    from translit.model_directory import ModelDirectory


@app.command()
def info(
    model: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="Model folder or name; by default the one used.")
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

    return {
        "model": str(directory.path.resolve()),
        "source_language": directory.source_language,
        "target_language": directory.target_language,
        "shape": dataclasses.asdict(directory.model),
        "vocabulary": {
            "source": len(directory.source_tokenizer),
            "target": len(directory.target_tokenizer),
        },
        "parameters": _parameters(directory.stored_shapes()),
        "training": directory.info,
        "files": {p.name: p.stat().st_size for p in sorted(directory.path.iterdir()) if p.is_file()},
        "engine": _engine(directory),
    }


def _parameters(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
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
        part += " = output layer" if part == "target embedding" and tied else ""
        parts[part] = parts.get(part, 0) + prod(shape)
    way = ("source", "target", "encoder", "decoder", "output")  # of the data through the model
    inside = ("self", "cross", "feed", "norm")

    def place(part: str) -> tuple[int, int]:
        first, _, kind = part.partition(": ")
        return way.index(first.split()[0]), inside.index(kind.split()[0]) if kind else 0

    return {part: parts[part] for part in sorted(parts, key=place)} | {"all": sum(parts.values())}


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
    console.print(
        f"{facts['source_language']} → {facts['target_language']}   {facts['model']}", soft_wrap=True
    )
    sections = {
        "shape": _shape(facts["shape"], facts["vocabulary"]),
        "parameters": [
            *((name, f"{count:>12,}") for name, count in facts["parameters"].items() if name != "all"),
            ("together", f"{facts['parameters']['all']:>12,}"),
        ],
        "last training" if facts["training"].get("started_from") else "training": _training(
            facts["training"]
        ),
        "files": [(name, _size(size)) for name, size in facts["files"].items()],
    }
    names = max(len(name) for rows in sections.values() for name, _ in rows)
    for title, rows in sections.items():
        if not rows:
            continue
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, min_width=names + 2)  # all sections line up
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(Text(f"  {name}"), Text(value))
        console.print(Text(f"\n{title}", "bold"))
        console.print(table)
    engine = facts["engine"]
    console.print(Text("\nfast engine", "bold"))
    made = (
        f"{_size(engine['bytes'])} in {engine['converted']}"
        if engine["converted"]
        else "made when first needed"
    )
    console.print(f"  {engine['fast']}: {made}", soft_wrap=True)  # a path is to be copied: it is not broken


def _shape(shape: dict[str, Any], vocabulary: dict[str, int]) -> list[tuple[str, str]]:
    heads = shape["n_heads"]
    return [
        (
            "layers",
            f"{shape['encoder_layers']} encoder + {shape['decoder_layers']} decoder, {shape['norm']}-norm",
        ),
        (
            "width",
            f"d_model {shape['d_model']} = {heads} heads × {shape['d_model'] // heads}, d_ff {shape['d_ff']}",
        ),
        ("activation", f"{shape['activation']}, dropout {shape['dropout']} in training"),
        ("vocabulary", f"{vocabulary['source']:,} source + {vocabulary['target']:,} target tokens"),
    ]


def _training(info: dict[str, Any]) -> list[tuple[str, str]]:
    """What ``config.json`` keeps of the training, for people: they count layers and heads from 1."""
    readable = dict(info)
    if head := info.get("alignment_head"):
        readable["alignment_head"] = f"layer {head[0] + 1} head {head[1] + 1}"
    return _flat(readable)


def _flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested settings as (name in words, value); what is empty is left out."""
    flat: list[tuple[str, str]] = []
    for name, value in values.items():
        words = prefix + name.replace("_", " ")
        if isinstance(value, dict):
            flat += _flat(value, f"{words}: ")
        elif value not in ("", None):
            plain = isinstance(value, int) and not isinstance(value, bool)
            shown = f"{value:,}" if plain else f"{value:.4g}" if isinstance(value, float) else str(value)
            flat.append((words, shown))
    return flat


def _size(count: float) -> str:
    """A file size for people: 12 B, 3.4 kB, 21.9 MB."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
