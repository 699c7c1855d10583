"""Where the model looks: the alignment, and a table for every head."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from translit.explain.explanation import Explanation
from translit.explain.facts import Sink, entropy
from translit.explain.language import Captions, fold
from translit.explain.record import PLACES, Kind
from translit.explain.terminal.parts import panel, paragraph, print_block, title, token_labels
from translit.explain.terminal.pictures import (
    LEGEND,
    Block,
    beside,
    clip,
    heatmap,
    number_table,
    numbered_names,
    percent,
)

_WIDE_TABLE = 14  # more source tokens than this: shaded squares instead of numbers, unless asked for


def show_alignment(console: Console, explanation: Explanation, captions: Captions) -> None:
    panel(console, captions, "alignment")
    rows = [w.text for w in explanation.target_words]
    columns = [w.text for w in explanation.source_words]
    layer, head = explanation.aligned_head
    how = "trained" if explanation.head_is_trained else "chosen"
    views = (
        (captions(f"alignment.{how}", layer=layer + 1, head=head + 1), explanation.alignment),
        (captions("alignment.average"), explanation.average_alignment),
    )
    blocks = []
    for caption, weights in views:
        best = weights.max(-1)
        notes = [
            f"{clip(row, 8)} ← {clip(columns[u], 12)} {percent(share, 0)}"
            for row, u, share in zip(rows, best.indices.tolist(), best.values.tolist(), strict=True)
        ]
        picture = heatmap(weights.tolist(), rows, columns, console.width - 4, notes)
        blocks.append([Text(caption, "bold"), *picture])
    print_block(console, [*beside(blocks, console.width - 4), Text()])
    paragraph(console, LEGEND + "   " + captions("legend"), indent=2, style="dim")


def show_aligned_layer(console: Console, explanation: Explanation, captions: Captions) -> None:
    """The heads of the aligned head's layer: numbers for a short sentence, shades for a long one."""
    layer, _ = explanation.aligned_head
    numbers = len(explanation.record.source_pieces) <= _WIDE_TABLE
    heads = range(explanation.directory.model.n_heads)
    _heads(console, explanation, captions, "cross", [(layer, head) for head in heads], numbers=numbers)


def show_heads(
    console: Console,
    explanation: Explanation,
    captions: Captions,
    kind: Kind | None,
    layer: int | None,
    head: int | None,
    *,
    everything: bool = False,
) -> None:
    """The tables of one kind (cross if None) or of all, of one layer and head or of all, counted from 0."""
    kinds: list[Kind] = list(PLACES) if everything and kind is None else [kind or "cross"]
    for each in kinds:
        layers, heads = explanation.record.attention(each).shape[:2]
        chosen = [
            (at_layer, at_head)
            for at_layer in range(layers)
            for at_head in range(heads)
            if layer in (None, at_layer) and head in (None, at_head)
        ]
        if chosen:  # one stack may have fewer layers than the other
            _heads(console, explanation, captions, each, chosen, numbers=True)


def _heads(
    console: Console,
    explanation: Explanation,
    captions: Captions,
    kind: Kind,
    heads: Sequence[tuple[int, int]],
    *,
    numbers: bool,
) -> None:
    title(console, captions(f"kind.{kind}"))
    paragraph(console, captions(f"kind.{kind}.note"))
    console.print()
    if not numbers:
        names = token_labels(explanation.record.source_pieces, explanation.source_words)
        print_block(console, [*numbered_names(names, console.width - 4), Text()])
    sinks = {(s.layer, s.head): s for s in explanation.sinks if s.kind == kind}
    blocks = [
        _head(explanation, captions, kind, layer, head, sinks.get((layer, head)), numbers, console.width - 4)
        for layer, head in heads
    ]
    print_block(console, [*beside(blocks, console.width - 4), Text()])
    paragraph(console, LEGEND, indent=2, style="dim")


def _head(
    explanation: Explanation,
    captions: Captions,
    kind: Kind,
    layer: int,
    head: int,
    sink: Sink | None,
    numbers: bool,
    total: int,
) -> Block:
    record = explanation.record
    weights = record.attention(kind)[layer, head]
    source = token_labels(record.source_pieces, explanation.source_words)
    rows = source if kind == "encoder" else record.target_pieces
    columns = record.inputs if kind == "decoder" else source
    focus = captions("head.focus", bits=entropy(weights).mean().item())
    heading = Text.assemble((captions("head", layer=layer + 1, head=head + 1), "bold"), ("  " + focus, "dim"))
    values: list[list[float]] = weights.tolist()
    if numbers:
        masked = [
            [None if kind == "decoder" and x > y else w for x, w in enumerate(v)]
            for y, v in enumerate(values)
        ]
        picture = number_table(masked, rows, columns, total, sink.key if sink else None)
    else:
        picture = heatmap(values, rows, columns, total, numbered=True)
    lines = [heading, *picture]
    if sink:
        said = captions("head.sink", share=percent(sink.share, 0), token=columns[sink.key])
        lines += [Text(line, "yellow") for line in fold(said, total)]
    return lines
