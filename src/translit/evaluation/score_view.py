"""Scores of given translations as people and as programs read them: terminal, TSV and JSON lines."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import chain, islice

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from translit.data.bitext import Pair
from translit.evaluation.evaluate import explain_command
from translit.evaluation.scoring import MAX_TOKENS, Score, Summary, Suspect
from translit.evaluation.terminal import show_texts
from translit.evaluation.wording import shown
from translit.text.script import as_unicode

SURPRISING = 0.05  # a token less likely than this is marked

_FEW = 5  # so many pairs are shown token by token
_PERCENTILES = (5, 25, 50, 75, 95)


def show_scores(console: Console, scored: Iterable[tuple[Pair, Score | None]], model: str | None) -> None:
    """A few pairs token by token, more of them as totals. ``model`` is named in the commands to go on with."""
    rest = iter(scored)
    first = list(islice(rest, _FEW + 1))
    if len(first) > _FEW:
        _show_totals(console, chain(first, rest))
        return
    for i, (pair, score) in enumerate(first):
        if i:
            console.print()
        _show_tokens(console, pair, score, model)


def _show_tokens(console: Console, pair: Pair, score: Score | None, model: str | None) -> None:
    console.print(Text.assemble((_plain(pair.target), "bold"), (f"  {pair.place}", "dim")), soft_wrap=True)
    if score is None:
        console.print(f"no score: more than {MAX_TOKENS} tokens", soft_wrap=True)
        return
    percents = [_percent(math.exp(log_prob)) for log_prob in score.log_probs]
    widths = [max(map(cell_len, column)) + 2 for column in zip(score.tokens, percents, strict=True)]
    for start, end in _rows(widths, console.width):
        for texts, style in ((score.tokens, "bold"), (percents, "")):
            line = Text()
            for i in range(start, end):
                marked = percents[i].endswith("!")
                line.append(set_cell_size(texts[i], widths[i]), "bold red" if marked else style)
            line.rstrip()
            console.print(line, soft_wrap=True)
    console.print(
        f"log p = {score.log_prob:.2f}, {score.per_token:.2f} a token; perplexity {score.perplexity:.2f}"
    )
    if any(text.endswith("!") for text in percents):
        console.print(Text(f"! less likely than {SURPRISING:.0%}", "dim"))
    command = explain_command(pair.source, model, pair.target)
    console.print(Text(_plain(command), "dim"), soft_wrap=True)


def _percent(probability: float) -> str:
    shown = "<1 %" if probability < 0.005 else f"{100 * probability:.0f} %"
    return shown + "!" if probability < SURPRISING else shown


def _rows(widths: Sequence[int], width: int) -> list[tuple[int, int]]:
    """Ranges of columns that fit beside each other."""
    starts = [0]
    used = 0
    for i, column in enumerate(widths):
        if used + column > width and i > starts[-1]:
            starts.append(i)
            used = 0
        used += column
    return list(zip(starts, [*starts[1:], len(widths)], strict=True))


def _show_totals(console: Console, scored: Iterable[tuple[Pair, Score | None]]) -> None:
    import numpy as np

    total = Summary()
    lines = []
    for pair, score in scored:
        total.add(pair, score)
        if score is not None:
            lines.append(score.per_token)
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(style="dim")
    table.add_row("Pairs", f"{total.pairs:,}", "")
    if total.too_long:
        table.add_row("Left out", f"{total.too_long:,}", f"more than {MAX_TOKENS} tokens")
    if lines:
        table.add_row("Target tokens", f"{total.tokens:,}", "</s> counted")
        table.add_row("Perplexity", f"{total.perplexity:.2f}", "per token of this model")
        table.add_row("Bits per character", f"{total.bits_per_character:.2f}", "comparable between models")
        for rank, value in zip(_PERCENTILES, np.percentile(lines, _PERCENTILES), strict=True):
            label = "log p per token" if rank == _PERCENTILES[0] else ""
            table.add_row(
                label, f"{value:.2f}", f"{rank} % of the lines are below" if rank != 50 else "median line"
            )
    console.print(table)


def show_suspects(console: Console, suspects: Sequence[Suspect], pairs: int) -> None:
    """The likely wrong pairs, the worst first."""
    console.print(Text(f"Likely wrong, the {len(suspects):,} worst of {pairs:,} pairs", "bold"))
    note = "gain: log p per token, above its value with other pairs' sources; near 0 or below, the sides do not match"
    console.print(Text(note, "dim"))
    for suspect in suspects:
        console.print()
        head = f"gain {suspect.gain:+.2f}  log p {suspect.score.per_token:.2f}  {suspect.pair.place}"
        console.print(Text(head), soft_wrap=True)
        show_texts(
            console, [("source", _plain(suspect.pair.source)), ("target", _plain(suspect.pair.target))]
        )


def tsv_line(pair: Pair, score: Score | None, gain: float | None = None) -> str:
    """``place tokens log_prob per_token perplexity [gain]``, separated by tabs; only the place without a score."""
    if score is None:
        return f"{pair.place}\t\t\t\t"
    numbers = f"{score.log_prob:.4f}\t{score.per_token:.4f}\t{score.perplexity:.4f}"
    return f"{pair.place}\t{len(score.tokens)}\t{numbers}" + ("" if gain is None else f"\t{gain:.4f}")


def json_line(pair: Pair, score: Score | None, gain: float | None = None) -> str:
    """One JSON object; without a score ``log_prob`` is null, and ``tokens`` is empty."""
    record: dict[str, object] = {"place": pair.place, "source": pair.source, "target": pair.target}
    record["log_prob"] = None if score is None else round(score.log_prob, 4)
    if score is not None:
        record |= {"per_token": round(score.per_token, 4), "perplexity": round(score.perplexity, 4)}
    if gain is not None:
        record["gain"] = round(gain, 4)
    tokens = zip(score.tokens, score.log_probs, strict=True) if score else []
    record["tokens"] = [[token, round(log_prob, 4)] for token, log_prob in tokens]
    return " ".join(as_unicode(json.dumps(record, ensure_ascii=False)).splitlines())


def _plain(text: str) -> str:
    return shown(as_unicode(text))
