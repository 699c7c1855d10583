"""``translit evaluate``: scores, comparisons, errors and worst lines of translations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from translit.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Sequence

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
            help="Model folder or name, which translates the source; by default the shipped model. "
            "With --hyp: the one that explains the lines.",
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

    _check_options(hyp, engine, beam, compare_model)
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
    origin = system.name if hyp == "-" else hyp or model or system.name
    system, *others = _distinct([system, *others], [origin, *(compare or []), *(compare_model or [])])
    evaluation = run(data, system, others, settings, _command())
    for warning in evaluation.warnings:
        errors.print(f"translit: warning: {warning}", soft_wrap=True)
    try:  # files first: whoever reads the output may stop early, `| head`
        for path in report or []:
            write_report(evaluation, path)
            errors.print(f"report: {path}", soft_wrap=True)
    finally:  # a full disk shall not take the scores, too
        show(Console(highlight=False, markup=False, emoji=False), evaluation)


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
    name = model.resolve().name if model is not None else "translit"  # "." has no name, its folder has
    return System(name, outputs, None, translator.describe())


def _check_options(hyp: str | None, engine: str, beam: int | None, compare_model: list[Path] | None) -> None:
    """Raise TranslitError for options of a translation when nothing is to be translated."""
    from translit.errors import TranslitError

    if hyp is None or compare_model:
        return
    if beam is not None or engine != "auto":
        option = "--engine" if beam is None else "--beam"
        raise TranslitError(
            f"{option} has no effect with --hyp, nothing is translated; leave out one of them"
        )


def _distinct(systems: Sequence[System], origins: Sequence[object]) -> list[System]:
    """Tell systems of one name apart by where they come from."""
    from dataclasses import replace

    names = [system.name for system in systems]
    return [
        replace(system, name=str(origin)) if names.count(system.name) > 1 else system
        for system, origin in zip(systems, origins, strict=True)
    ]


def _command() -> str:
    """The command that gives these numbers again."""
    import shlex
    import sys

    return shlex.join(["translit", *sys.argv[1:]])
