"""``translit score``: what a model thinks of translations that exist already."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from translit.cli.app import app
from translit.errors import TranslitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from translit.data.bitext import Pair
    from translit.evaluation.scoring import Score


@app.command()
def score(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CORPUS…", help="pairs.tsv, pairs.jsonl or source.en,target.zh; each also .gz."
        ),
    ] = None,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option("--pair", "-p", metavar="SOURCE TARGET", help="Score this one pair."),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", "-m", metavar="MODEL", help="Model folder or name; by default the shipped model."
        ),
    ] = None,
    worst: Annotated[
        int | None,
        typer.Option(
            "--worst", "-w", min=1, metavar="K", help="The K pairs most likely wrong (3 × the time)."
        ),
    ] = None,
    tsv: Annotated[
        bool,
        typer.Option(
            "--tsv", help="A line a pair: place, tokens, log-probability, per token, perplexity[, gain]."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="A JSON object a line and pair, with every token.")
    ] = False,
    int8: Annotated[
        bool, typer.Option("--int8", help="Twice as fast; log-probabilities are about 0.01 a token off.")
    ] = False,
) -> None:
    """How likely a model finds given translations, and which pairs of a corpus look wrong.

    A few pairs are shown token by token, a corpus by its totals.
    """
    from rich.console import Console

    from translit.evaluation import score_view as view
    from translit.evaluation.scoring import Scorer, suspicious_pairs
    from translit.model_directory import find_model

    if tsv and as_json:
        raise TranslitError("--tsv and --json: choose one of them")
    pairs = _pairs(files or [], pair)
    scorer = Scorer(find_model(model), "int8" if int8 else "float32")
    console = Console(highlight=False, markup=False, emoji=False)
    errors = Console(stderr=True, highlight=False, markup=False)
    rows: Iterable[tuple[Pair, Score | None, float | None]]
    if worst is not None:
        with errors.status("scoring"):
            ranked = suspicious_pairs(pairs, scorer)
        if not ranked:
            raise TranslitError("no pair that can be scored: all lines are too long; cut them into sentences")
        if not (tsv or as_json):
            view.show_suspects(console, ranked[:worst], len(ranked))
            return
        rows = ((suspect.pair, suspect.score, suspect.gain) for suspect in ranked[:worst])
    elif tsv or as_json:
        rows = ((one, found, None) for one, found in scorer.stream(pairs))
    else:
        view.show_scores(console, scorer.stream(pairs), str(model) if model else None)
        return
    write = view.tsv_line if tsv else view.json_line
    for row in rows:
        typer.echo(write(*row))


def _pairs(files: list[str], given: tuple[str, str] | None) -> Iterator[Pair]:
    """What is to be scored; a missing file is told before anything is read, nothing at all before the model is."""
    from itertools import chain

    from translit.data.bitext import Corpus, Pair

    if not files and given is None:
        raise TranslitError('nothing to score; give a corpus, or --pair "I love you" "我爱你"')
    if files and given is not None:
        raise TranslitError("--pair and a corpus: choose one of them")
    if given is not None:
        return iter([Pair(*given, "--pair")])
    corpora = [Corpus.parse(file) for file in files]
    pairs = (pair for corpus in corpora for pair in corpus.pairs())
    if (first := next(pairs, None)) is None:
        raise TranslitError("no pair to score: the corpus is empty; give one with at least one line")
    return chain([first], pairs)
