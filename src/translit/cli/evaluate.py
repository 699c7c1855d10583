"""``translit evaluate``: scores, comparisons, errors and worst lines of translations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from translit.cli.app import app

if TYPE_CHECKING:
    from rich.console import Console

    from translit.evaluation.inputs import EvalData, System


@app.command()
def evaluate(
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
    hyp: Annotated[
        str | None,
        typer.Option(
            "--hyp", metavar="FILE", help="Score these outputs (- for stdin); nothing is translated."
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="Model folder or name, which translates the source; by default the shipped model.",
        ),
    ] = None,
    engine: Annotated[
        Literal["auto", "ctranslate2", "torch"],
        typer.Option(metavar="NAME", help="Engine that translates: auto, ctranslate2 or torch."),
    ] = "auto",
    beam: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=100, help="Beam size, 4 by default.")
    ] = None,
    compare: Annotated[
        list[Path] | None,
        typer.Option("--compare", "-c", metavar="FILE", help="Outputs of another system. Repeat for more."),
    ] = None,
    compare_model: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="MODEL",
            help="Folder or name of another model, to translate and compare. Repeat for more.",
        ),
    ] = None,
    test: Annotated[
        Literal["randomization", "bootstrap"],
        typer.Option(metavar="NAME", help="Paired test of a comparison: randomization or bootstrap."),
    ] = "randomization",
    target_lang: Annotated[
        str, typer.Option(metavar="CODE", help="Language of the outputs; sets BLEU's tokenizer.")
    ] = "zh",
    ter: Annotated[bool, typer.Option("--ter", help="Also TER: slow, 40 s per 1,000 long lines.")] = False,
    spbleu: Annotated[bool, typer.Option("--spbleu", help="Also BLEU on FLORES-200 subwords.")] = False,
    comet: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also COMET, from this local checkpoint (pip install unbabel-comet)."
        ),
    ] = None,
    resamples: Annotated[
        int, typer.Option(metavar="N", min=0, max=100_000, help="Bootstrap resamples; 0 for no intervals.")
    ] = 1000,
    worst: Annotated[int, typer.Option(metavar="N", min=0, help="How many of the worst lines to show.")] = 5,
    report: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Write a report: .html, .md or .json. Repeat for more."),
    ] = None,
) -> None:
    """Score translations: BLEU, chrF2, significance, errors, worst lines.

    Give a test set (a corpus, or --source and --ref) and either outputs (--hyp) or a model that makes them.
    """
    from rich.console import Console

    from translit.evaluation.evaluate import Settings, check_request
    from translit.evaluation.evaluate import evaluate as run
    from translit.evaluation.inputs import load_outputs, load_set
    from translit.evaluation.report import check_report_paths, write_report
    from translit.evaluation.terminal import show

    check_report_paths(report or [])
    errors = Console(stderr=True, highlight=False, markup=False)
    data = load_set(corpus, source, ref or [])
    settings = Settings(
        target_lang=target_lang,
        ter=ter,
        spbleu=spbleu,
        comet=str(comet) if comet else None,
        resamples=resamples,
        test=test,
        worst=worst,
        explain_model=str(model) if model else None,
    )
    # Everything that can be refused is refused before the first line is translated.
    check_request(data, settings, comparing=bool(compare or compare_model))
    others = [load_outputs(path, data) for path in compare or []]
    options = {"engine": engine} | ({"beam": beam} if beam is not None else {})
    system = load_outputs(hyp, data) if hyp is not None else _translate(model, data, options, errors)
    others += [_translate(path, data, options, errors) for path in compare_model or []]
    evaluation = run(data, system, _distinct(system, others), settings, _command())
    for warning in evaluation.warnings:
        errors.print(f"translit: warning: {warning}", soft_wrap=True)
    show(Console(highlight=False, markup=False, emoji=False), evaluation)
    for path in report or []:
        write_report(evaluation, path)
        errors.print(f"report: {path}", soft_wrap=True)


def _translate(model: Path | None, data: EvalData, options: dict[str, Any], console: Console) -> System:
    """Translate the sources with ``model`` (the shipped one if None), telling speed on stderr."""
    import time

    from translit.errors import TranslitError
    from translit.evaluation.inputs import System

    if data.sources is None:
        raise TranslitError("there is no source to translate; give --source, or --hyp with outputs to score")
    from translit.translator import Translator

    translator = Translator(model, **options)
    start = time.perf_counter()
    with console.status(f"translating {len(data):,} lines"):
        outputs = [translation.text for translation in translator.translate(data.sources)]
    seconds = time.perf_counter() - start
    console.print(f"translated {len(data):,} lines in {seconds:.1f} s ({len(data) / seconds:,.0f} lines/s)")
    return System(model.name if model is not None else "translit", outputs, None, translator.describe())


def _distinct(system: System, others: list[System]) -> list[System]:
    """Tell systems of one name apart by their paths."""
    from dataclasses import replace

    names = [system.name, *(other.name for other in others)]
    return [
        replace(other, name=other.path) if names.count(other.name) > 1 and other.path else other
        for other in others
    ]


def _command() -> str:
    """The command that gives these numbers again."""
    import shlex
    import sys

    return shlex.join(["translit", *sys.argv[1:]])
