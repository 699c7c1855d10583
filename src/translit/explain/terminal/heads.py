"""The report of ``translit heads`` in a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from rich.console import Console
from rich.text import Text

from translit.explain.facts import spearman
from translit.explain.heads.alignment import named_aligner
from translit.explain.heads.habits import Habit, champions, habit, layer_means, ranking
from translit.explain.heads.report import HeadFacts, HeadReport, Relation
from translit.explain.language import Captions
from translit.explain.record import PLACES, Kind
from translit.explain.terminal.parts import Cell, panel, paragraph, print_block, table, title
from translit.explain.terminal.pictures import bar, pad, percent, signed

if TYPE_CHECKING:
    from translit.model_directory import ModelDirectory

_STANDING_OUT = 12  # heads in the ranking
_IMPORTANT = 8
_CHEAP = 0.005  # nats a token
_ENOUGH = 100  # sentences: with fewer, the means say more about the sentences than about the model
_TREND = 1.96  # rank correlation × √(layers − 1), up or down: chance gives more in less than 5 % of all cases
_BETTER = 0.1  # accuracy above the fixed distance from which a head follows a relation


def show_report(console: Console, directory: ModelDirectory, report: HeadReport, captions: Captions) -> None:
    """Print the habits, then every head, then what matters and how layers differ."""
    config = directory.model
    about = captions(
        "heads.about",
        model=directory.path.name,
        encoder=config.encoder_layers,
        decoder=config.decoder_layers,
        heads=config.n_heads,
        sentences=report.sentences,
        tokens=report.tokens,
    )
    paragraph(console, about)
    if report.sentences < _ENOUGH:
        console.print(Text(captions("heads.few", sentences=report.sentences, enough=_ENOUGH), "yellow"))
    _ranking(console, report, captions)
    for kind in PLACES:
        _kind(console, report, kind, captions)
    if report.loss is not None:
        _importance(console, report, captions)
    _layers(console, report, captions)
    if any(h.relations for h in report.heads):
        _relations(console, report, captions)
    if report.unmatched_trees:
        total = report.trees + report.unmatched_trees
        console.print()
        paragraph(console, captions("heads.relations.unmatched", count=report.unmatched_trees, total=total))
    _aligner(console, directory, report, captions)


def _name(head: HeadFacts, captions: Captions) -> str:
    return captions(f"heads.name.{head.kind}", layer=head.layer + 1, head=head.head + 1)


def _ranking(console: Console, report: HeadReport, captions: Captions) -> None:
    panel(console, captions, "heads.found")
    ranked = ranking(report)
    best = {what.name: head for head, what in reversed(ranked)}  # habit → the first head that has it
    # The first few heads, and of every habit at least one.
    clear = [(h, what) for n, (h, what) in enumerate(ranked) if n < _STANDING_OUT or best[what.name] is h]
    # Where no head has a habit clearly, the one that comes closest, without a star.
    weak = [(head, what) for head, what in champions(report) if what.name not in best]
    for mark, pairs in (("★ ", clear), ("  ", weak)):
        for head, what in pairs:
            proof = captions(
                f"heads.proof.{what.name}", value=_proof(what), diagonal=report.diagonal_aer or 0.0
            )
            name = Text(mark + _name(head, captions), "bold" if mark.strip() else "")
            print_block(console, [_padded(name, 28) + Text(proof)])


def _proof(what: Habit) -> str:
    """The number that proves a habit: an error rate, a distance or a share."""
    if what.name in ("aligns", "local"):
        return f"{what.value:.2f}" if what.name == "aligns" else f"{what.value:.1f}"
    return percent(what.value, 0)


def _padded(text: Text, width: int) -> Text:
    return text + Text(pad("", max(width - text.cell_len, 2)))


def _kind(console: Console, report: HeadReport, kind: Kind, captions: Captions) -> None:
    title(console, captions(f"kind.{kind}"))
    notes = ["heads.kind.note", *["heads.kind.silenced"] * (report.loss is not None)]
    paragraph(console, ("" if captions.language == "zh" else " ").join(map(captions, notes)))
    console.print()
    heads = report.of(kind)
    with_aer = any(h.aer for h in heads)
    shares = ["separators", "punctuation", "rare"]
    if kind != "cross":
        shares = ["previous", "same", *(["next"] if kind == "encoder" else []), *shares]
    columns = [*shares, "distance", "entropy"]
    columns += ["aer", "aer_annotated", "aer_after"] if with_aer else []
    columns += ["importance"] if report.loss is not None else []
    rows = [_row(h, shares, with_aer, report, captions) for h in heads]
    headers = [captions(f"heads.column.{name}") for name in ("head", *columns, "role")]
    table(console, headers, rows, "l" + "r" * len(columns) + "l", gap=0)
    if with_aer:
        paragraph(console, captions("heads.legend.cross"))
        others = {"diagonal": report.diagonal_aer, "average": report.average_aer and report.average_aer.all}
        paragraph(console, captions("heads.legend.others", **others))
        if report.unmatched:
            paragraph(console, captions("heads.legend.unmatched", count=report.unmatched))


def _row(
    head: HeadFacts, shares: Sequence[str], with_aer: bool, report: HeadReport, captions: Captions
) -> list[Cell]:
    what = habit(head, report.diagonal_aer)
    cells: list[Cell] = [captions("head", layer=head.layer + 1, head=head.head + 1)]
    cells += [f"{100 * getattr(head, name):.0f}" for name in shares]
    cells += [f"{head.distance:.1f}", f"{head.entropy:.1f}"]
    if with_aer and head.aer:
        cells += [f"{rate:.2f}" for rate in (head.aer.all, head.aer.annotated, head.aer.after)]
    if report.loss is not None and head.importance is not None:
        cells.append(signed(head.importance, 3))
    style = "dim" if what.name == "mixed" else "bold green" if what.name == "aligns" else ""
    # The decoder reads <s> …, the source ends in </s>: neither has the other.
    separator = "<s>" if head.kind == "decoder" else "</s>"
    return [*cells, Text(captions(f"heads.role.{what.name}", separator=separator), style)]


def _importance(console: Console, report: HeadReport, captions: Captions) -> None:
    panel(console, captions, "heads.important", sentences=report.masked_sentences, loss=report.loss)
    costs = sorted(((h.importance or 0.0, h) for h in report.heads), key=lambda pair: -pair[0])
    largest = max(costs[0][0], 1e-9)
    for cost, head in costs[:_IMPORTANT]:
        name = _padded(Text(_name(head, captions)), 26)
        print_block(
            console, [name + Text(bar(max(cost, 0) / largest, 30), "green") + Text(f"  {signed(cost, 3)}")]
        )
    cheap = sum(cost < _CHEAP for cost, _ in costs)
    console.print()
    paragraph(console, captions("heads.important.few", count=cheap, total=len(costs)))


def _layers(console: Console, report: HeadReport, captions: Captions) -> None:
    panel(console, captions, "heads.layers")
    silenced = report.loss is not None
    rows: list[list[Cell]] = []
    verdicts = []
    for kind in ("encoder", "decoder"):
        heads = report.of(kind)
        means = {
            name: layer_means(heads, name) for name in ("distance", "entropy", "separators", "importance")
        }
        near = [layer_means(heads, name) for name in ("previous", "same", "next")]
        for layer, distance in enumerate(means["distance"]):
            row: list[Cell] = [
                f"{captions(f'kind.{kind}')} {layer + 1}",
                f"{distance:.1f}",
                f"{100 * sum(share[layer] for share in near):.0f} %",
                f"{100 * means['separators'][layer]:.0f} %",
                f"{means['entropy'][layer]:.1f}",
            ]
            rows.append(row + [signed(means["importance"][layer], 3)] * silenced)
        verdicts.append(_verdict(kind, means["distance"], report.sentences, captions))
    names = ["layer", "distance", "neighbours", "separators", "entropy", *["importance"] * silenced]
    table(console, [captions(f"heads.column.{name}") for name in names], rows, "lrrrrr"[: len(names)])
    console.print()
    for verdict in verdicts:
        paragraph(console, verdict)


def _verdict(kind: Kind, distances: Sequence[float], sentences: int, captions: Captions) -> str:
    """Does the distance grow with the layer? Yes or no only where chance does not explain it."""
    rank = spearman(torch.arange(len(distances)), torch.tensor(distances))
    trend = (rank or 0.0) * math.sqrt(len(distances) - 1)
    proved = sentences >= _ENOUGH and abs(trend) >= _TREND
    return captions(
        f"heads.layers.{'unknown' if not proved else 'yes' if trend > 0 else 'no'}",
        layers=len(distances),
        sentences=sentences,
        kind=captions(f"kind.{kind}"),
        first=distances[0],
        last=distances[-1],
        rank="–" if rank is None else signed(rank),
    )


def _relations(console: Console, report: HeadReport, captions: Captions) -> None:
    panel(console, captions, "heads.relations")
    best: dict[tuple[str, str], tuple[Relation, HeadFacts]] = {}
    for head in report.of("encoder"):
        for relation in head.relations:
            key = relation.name, relation.direction
            if key not in best or relation.accuracy > best[key][0].accuracy:
                best[key] = relation, head
    rows: list[list[Cell]] = []
    for relation, head in sorted(best.values(), key=lambda pair: pair[0].baseline - pair[0].accuracy):
        proved = relation.accuracy >= relation.baseline + _BETTER
        rows.append(
            [
                Text(relation.name, "bold"),
                captions(f"heads.direction.{relation.direction}"),
                captions("head", layer=head.layer + 1, head=head.head + 1),
                f"{100 * relation.accuracy:.0f} %",
                f"{100 * relation.baseline:.0f} %",
                f"{relation.count:,}",
                Text(
                    captions(f"heads.relations.{'proof' if proved else 'weak'}"), "green" if proved else "dim"
                ),
            ]
        )
    names = ("relation", "direction", "head", "accuracy", "baseline", "count")
    headers = [captions(f"heads.column.{name}") for name in names]
    table(console, [*headers, ""], rows, "lllrrrl", gap=1)


def _aligner(console: Console, directory: ModelDirectory, report: HeadReport, captions: Captions) -> None:
    """The AER of the model's own aligned head, or advice which head to name as such."""
    aligner = report.aligner
    if aligner is None:
        return
    console.print()
    named = named_aligner(directory)
    if named is None:
        paragraph(console, captions("heads.advice", layer=aligner.layer + 1, head=aligner.head + 1))
        return
    own = next(h for h in report.of("cross") if (h.layer, h.head) == named)
    assert own.aer is not None
    said = captions(
        "heads.trained",
        layer=own.layer + 1,
        head=own.head + 1,
        aer=own.aer.all,
        annotated=own.aer.annotated,
        sentences=report.aligned_sentences,
    )
    paragraph(console, said)
