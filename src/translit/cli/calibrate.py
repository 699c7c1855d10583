"""``translit calibrate``: can a model's confidence be trusted, and how to read it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from translit.cli.app import app
from translit.evaluation.calibration import GOOD


@app.command()
def calibrate(
    corpus: Annotated[
        str | None,
        typer.Argument(
            metavar="CORPUS",
            help="pairs.tsv (source, tab, one reference or more), pairs.jsonl or source.en,target.zh; each also .gz.",
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--source", "-s", metavar="FILE", help="Source file, one sentence a line.")
    ] = None,
    ref: Annotated[
        list[Path] | None,
        typer.Option(
            "--ref",
            "-r",
            metavar="FILE",
            help="Reference file, or .jsonl with a list a line. Repeat for more.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", "-m", metavar="MODEL", help="Model folder or name; by default the shipped model."
        ),
    ] = None,
    good: Annotated[
        float, typer.Option(metavar="CHRF", help="Sentence chrF2 from which on a line counts as good.")
    ] = GOOD,
    bins: Annotated[
        int, typer.Option(metavar="N", min=1, help="Bins of the diagrams, all of one size.")
    ] = 15,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the reliability diagrams as SVG.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    save: Annotated[
        bool,
        typer.Option("--save", help="Keep the curve in the model's config.json, for translate --confidence."),
    ] = False,
) -> None:
    """See whether a model knows when it is wrong, and teach it to say so.

    Two questions, asked on sentences that it was not trained on:

    How often is the best guess for a token right when the model is so sure of it?

    Given the model's score of a line, how probable is it that the line is good?
    """
    from rich.console import Console

    from translit.disk import check_target
    from translit.evaluation import calibration_view
    from translit.evaluation.calibration import calibrate as run
    from translit.evaluation.calibration import save_confidence
    from translit.evaluation.inputs import load_set
    from translit.translator import Translator

    if svg is not None:
        check_target(svg)
    data = load_set(corpus, source, ref or [])
    errors = Console(stderr=True, highlight=False, markup=False)
    with errors.status(f"translating {len(data):,} lines"):
        found = run(data, translator := Translator(model), good, bins)
    try:  # files first: whoever reads the output may stop early, `| head`
        if svg is not None:
            calibration_view.write_svg(svg, found)
            errors.print(f"diagram: {svg}", soft_wrap=True)
        if save:
            save_confidence(translator.directory, found.curve, found.about)
            errors.print(f"saved: {translator.directory.path / 'config.json'}", soft_wrap=True)
    finally:  # a full disk shall not take the numbers, too
        if as_json:
            import json

            typer.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
        else:
            calibration_view.show(Console(highlight=False, markup=False, emoji=False), found)
