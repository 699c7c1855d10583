"""The road through the model, stage by stage, and the same sentence as training sees it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from translit.explain.explanation import Explanation
from translit.explain.flow import Stage, blanks, flow
from translit.explain.language import Captions
from translit.explain.terminal.parts import BLANK, Cell, panel, paragraph, print_block, table, title
from translit.explain.terminal.pictures import (
    Block,
    clip,
    mask_picture,
    matrix,
    number_table,
    percent,
    wave,
)
from translit.text.tokenizer import BOS

_ROWS = 8  # of each matrix
_WAVE_LENGTH = 48  # positions


def show_flow(console: Console, explanation: Explanation, captions: Captions, layer: int, head: int) -> None:
    config = explanation.directory.model
    layers = {"encoder": config.encoder_layers, "decoder": config.decoder_layers}
    # A stack with fewer layers is followed through its last.
    followed = {stack: min(layer + 1, count) for stack, count in layers.items()}
    panel(console, captions, "flow", **followed, head=head + 1, heads=config.n_heads)
    paragraph(console, captions("flow.text"), style="")
    record = explanation.record
    for pieces, ids in (
        (record.source_pieces, record.source_ids),
        (record.inputs, [BOS, *record.target_ids[:-1]]),
    ):
        _tokens(console, pieces, ids)
    part = ""
    for number, stage in enumerate(flow(explanation.model, record, layer, head), 1):
        if stage.part != part:
            if layers.get(part, 1) > 1:
                paragraph(console, captions("flow.repeat", layers=layers[part]), style="dim")
            part = stage.part
            title(console, captions(f"flow.{part}"))
        _stage(console, stage, number, captions)
    console.print()
    paragraph(console, captions("flow.softmax", vocabulary=config.target_vocab), style="")
    for n, step in enumerate(explanation.steps, 1):
        shown = "   ".join(f"{c.piece} {percent(c.probability)}" for c in step.candidates[:4])
        print_block(console, [Text(f"{n:>3}  " + clip(shown, console.width - 8))])


def _tokens(console: Console, pieces: Sequence[str], ids: Sequence[int]) -> None:
    pairs = [f"{piece} {i}" for piece, i in zip(pieces, ids, strict=True)]
    for line in Text(" · ".join(pairs)).wrap(console, console.width - 4):
        print_block(console, [line])


def _stage(console: Console, stage: Stage, number: int, captions: Captions) -> None:
    rows, columns = stage.shape
    console.print()
    console.print(
        Text.assemble(
            (f"{number:>2}  ", "dim"), (stage.formula, "bold"), (f"   {rows} × {columns}", "cyan"),
        )
    )  # fmt: skip
    paragraph(console, captions(f"stage.{stage.key}"), indent=4)
    shown = stage.values[:_ROWS].tolist()
    labels = stage.rows[:_ROWS]
    width = console.width - 6
    if stage.key == "positions":
        block = _waves(stage, width)
    elif stage.key.endswith("mask"):
        block = mask_picture(shown, labels, width)
    elif stage.key.endswith("weights") and stage.columns:
        block = number_table(shown, labels, stage.columns, width)
    else:
        fitting = min(stage.values.size(1), (width - 17) // 7)
        block = matrix(shown, labels, fitting, columns, stage.columns)
    print_block(console, block, indent=4)
    if rows > _ROWS and stage.key != "positions":
        paragraph(console, captions("flow.more_rows", rows=rows - _ROWS), indent=4, style="dim")


def _waves(stage: Stage, width: int) -> Block:
    """Some dimensions of the position table over the first positions: fast waves, then slow ones."""
    from translit.model.embedding import sinusoidal_positions

    d = stage.values.size(1)
    table = sinusoidal_positions(max(1, min(_WAVE_LENGTH, width - 10)), d)
    dimensions = sorted({min(d - 2, 2 * int(d / 2 * share)) for share in (0, 0.06, 0.12, 0.2, 0.3)})
    return [Text(f"{f'dim {i}':>8}  ") + Text(wave(table[:, i].tolist()), "cyan") for i in dimensions]


def show_training(console: Console, explanation: Explanation, captions: Captions) -> None:
    panel(console, captions, "training")
    found = blanks(explanation.record)
    rows: list[list[Cell]] = [
        [
            clip(" ".join(b.prefix), 36, left=True) + " " + BLANK,
            Text(b.answer, "bold"),
            percent(b.probability),
            f"{b.loss:.3f}",
        ]
        for b in found
    ]
    rows.append(["", captions("training.mean"), "", f"{sum(b.loss for b in found) / len(found):.3f}"])
    headers = [captions(f"training.{name}") for name in ("question", "answer", "probability", "loss")]
    table(console, headers, rows, "llrr")
