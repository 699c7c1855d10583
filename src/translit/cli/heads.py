"""``translit heads``: what every attention head does, measured over a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from translit.cli.app import app
from translit.errors import TranslitError
from translit.explain.language import Language

if TYPE_CHECKING:
    from translit.explain.gold import AlignedPair
    from translit.explain.heads import HeadReport
    from translit.explain.language import Captions
    from translit.model_directory import ModelDirectory


@app.command()
def heads(
    corpus: Annotated[
        str | None,
        typer.Argument(
            metavar="CORPUS",
            help="pairs.tsv, pairs.jsonl or source.en,target.zh; by default the pairs of --align, "
            "else those that come with translit.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="MODEL", help="Model folder or name; by default the shipped model."
        ),
    ] = None,
    align: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder with hand-made alignments, for alignment error rates."),
    ] = None,
    conllu: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Source sentences with dependency trees, for grammatical relations."
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="At most so many pairs of the corpus; all alignments and trees are used."
        ),
    ] = 1000,
    silence: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Sentences on which each head is silenced; 0: leave importance out."
        ),
    ] = 32,
    lang: Annotated[
        Language | None,
        typer.Option(help="Language of the captions; by default the locale's."),
    ] = None,
    save: Annotated[
        bool,
        typer.Option("--save", help="Keep the best aligner of --align in the model's config.json."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Write the measurements as JSON.")] = False,
) -> None:
    """Measure what every attention head does: neighbours, rare words, alignment, importance.

    Layers and heads count from 1; in the JSON from 0.
    """
    from rich.console import Console

    from translit.explain.captions import TEXTS
    from translit.explain.language import Captions, choose_language
    from translit.model_directory import find_model

    captions = Captions(TEXTS, choose_language(lang))
    directory = find_model(model)
    if save and align is None:
        raise TranslitError("--save: which head aligns best is measured with --align FOLDER; give both")
    if align is not None and not save:
        from translit.explain.heads.alignment import named_aligner

        named_aligner(directory)  # a wrong entry is told now, not after minutes of measuring
    if corpus is None and align is None:
        corpus = _starter(directory)
    report = _measure(directory, corpus, align, conllu, limit, silence, captions)
    if save and report.aligner:
        directory.save_info({"alignment_head": [report.aligner.layer, report.aligner.head]})
        directory = find_model(model)
        typer.echo(f"saved: {directory.path / 'config.json'}", err=True)
    if json:
        _write_json(directory, report)
        return
    from translit.explain.terminal.heads import show_report

    show_report(Console(highlight=False, markup=False, emoji=False), directory, report, captions)


_STARTER = Path(__file__).parents[1] / "data" / "starter" / "valid.tsv.gz"


def _starter(directory: ModelDirectory) -> str:
    """The sentence pairs that come with translit, for a model of their languages."""
    if (directory.source_language, directory.target_language) != ("en", "zh"):
        raise TranslitError(
            "heads: translit comes with English–Chinese pairs only; give a CORPUS, or --align"
        )
    return str(_STARTER)


def _measure(
    directory: ModelDirectory,
    corpus: str | None,
    align: Path | None,
    conllu: Path | None,
    limit: int,
    silence: int,
    captions: Captions,
) -> HeadReport:
    from itertools import islice

    from rich.console import Console

    from translit.data.bitext import Corpus
    from translit.engines.torch_engine import load_transformer
    from translit.explain.gold import read_aligned, read_conllu
    from translit.explain.heads import measure

    languages = directory.source_language, directory.target_language
    aligned: list[AlignedPair] = read_aligned(align, *languages) if align else []
    trees = list(read_conllu(conllu)) if conllu else []
    if corpus is not None:
        pairs = [(p.source, p.target) for p in islice(Corpus.parse(corpus).pairs(), limit)]
    else:
        pairs = [(p.source, p.target) for p in aligned[:limit]]
    if not pairs:
        raise TranslitError(f"{corpus or align}: no sentence pairs; give a corpus with at least one line")
    console = Console(stderr=True, highlight=False, markup=False)
    with console.status("") as status:

        def progress(what: str, done: int, total: int) -> None:
            status.update(f"{captions(f'heads.progress.{what}')} {done:,}/{total:,}")

        model = load_transformer(directory)
        return measure(
            model, directory, pairs, aligned=aligned, trees=trees, importance=silence, progress=progress
        )


def _write_json(directory: ModelDirectory, report: HeadReport) -> None:
    import dataclasses
    import json

    from translit.explain.heads.habits import habit

    found = {
        "format": "translit-heads",
        "version": 1,
        "model": directory.path.name,
        "alignment_head": directory.info.get("alignment_head"),
        **dataclasses.asdict(report),
    }
    for entry, head in zip(found["heads"], report.heads, strict=True):
        entry["habit"] = habit(head, report.diagonal_aer).name
    print(json.dumps(found, ensure_ascii=False, indent=1))
