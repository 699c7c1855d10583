"""``translit export``: the model in another program's format, checked on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from translit.cli.app import app


@app.command()
def export(
    to: Annotated[
        Literal["ctranslate2", "onnx", "huggingface"],
        typer.Option(metavar="FORMAT", help="ctranslate2, onnx or huggingface."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="New folder to write.")],
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="MODEL", help="Model folder or name; by default the shipped model."
        ),
    ] = None,
    quantization: Annotated[
        Literal["int8", "int16", "float16", "float32"] | None,
        typer.Option(
            metavar="TYPE", help="ctranslate2 only: int8, int16, float16 or float32; by default int8."
        ),
    ] = None,
) -> None:
    """Write a model in another program's format.

    The new folder holds the model, its tokenizers, and a README with the few lines of Python that use it.

    What it computes is compared with our engine on a few sentences; exit code 1, and no folder, if they disagree.
    """
    from translit.export.check import EXACT, ROUNDED
    from translit.export.export import FORMATS
    from translit.export.export import export as run
    from translit.model_directory import find_model

    found = run(find_model(model), to, output, quantization)
    allowed = f"largest {EXACT}" if found.exact else f"mean {ROUNDED}"
    typer.echo(f"compared with our torch engine on {found.sentences} sentences, greedy search:")
    typer.echo(f"  same translation, token by token   {found.same} of {found.sentences}")
    typer.echo(f"  distance of a log-probability      largest {found.largest:.6f}, mean {found.mean:.6f}")
    typer.echo(f"  allowed                            {allowed}{', all the same' if found.exact else ''}")
    if not found.agrees:
        typer.echo(
            f"translit: the export does not compute what our engine does; {output} not written", err=True
        )
        raise typer.Exit(1)
    size = sum(path.stat().st_size for path in output.iterdir())
    typer.echo(f"{FORMATS[to].title}, {size / 1e6:.1f} MB: {output}")
    typer.echo(f"how to use it: {output / 'README.md'}")
