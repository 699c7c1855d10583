"""What the probes found: what each layer already knows, and which source words were really needed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from torch import Tensor

from translit.explain.explanation import Explanation
from translit.explain.facts import SEPARATORS, Candidate
from translit.explain.language import Captions
from translit.explain.probes import NOTICEABLE, LensRow
from translit.explain.terminal.parts import Cell, panel, paragraph, print_block, table
from translit.explain.terminal.pictures import SHADES, clip, folds, heatmap, pad, percent, signed
from translit.explain.words import Word

_STRONGEST_FALL = 3.0  # nats (a probability divided by 20): shaded as attention of 100 % is


def show_lens(
    console: Console, explanation: Explanation, rows: Sequence[LensRow], captions: Captions, stack: str
) -> None:
    panel(console, captions, f"lens.{stack}")
    names = [captions("lens.embedding") if row.layer == 0 else f"{row.layer}" for row in rows]
    label = max(cell_len(captions("lens.corner")), *map(cell_len, names)) + 2
    cells = [[_lens_cell(cell.candidates[0], cell.chosen) for cell in row.cells] for row in rows]
    widths = [
        max(cell_len(row[t].plain) for row in cells) + 2 for t in range(len(explanation.record.target_ids))
    ]
    header = [pad(f"{t + 1}", width) for t, width in enumerate(widths)]
    for start, end in folds(widths, console.width - 4 - label):
        lines = [Text(pad(captions("lens.corner"), label) + "".join(header[start:end]), "dim")]
        for name, row in zip(names, cells, strict=True):
            line = Text(pad(name, label))
            for cell, width in zip(row[start:end], widths[start:end], strict=True):
                line.append_text(cell).append(" " * (width - cell.cell_len))
            lines.append(line)
        print_block(console, [*lines, Text()])
    paragraph(console, captions("lens.mark"), indent=2, style="dim")
    if stack == "encoder":
        console.print()
        paragraph(console, captions("lens.free"), indent=2, style="")
        for name, layer in zip(names, rows, strict=True):
            print_block(console, [Text(pad(name, label) + clip(layer.text or "", console.width - label - 4))])


def _lens_cell(best: Candidate, chosen: Candidate) -> Text:
    right = best.id == chosen.id
    text = f"{clip(best.piece, 8)}{'*' if right else ' '}{100 * best.probability:.0f}"
    return Text(text, "bold green" if right else "dim")


def show_why(console: Console, explanation: Explanation, captions: Captions) -> None:
    panel(console, captions, "why")
    source = [w.text for w in explanation.source_words]
    real = [w for w, word in enumerate(explanation.target_words) if word.text not in SEPARATORS]
    columns = [u for u, text in enumerate(source) if text not in SEPARATORS]
    effect = explanation.word_occlusion[real][:, columns]
    looked = explanation.alignment[real][:, columns]
    words = [source[u] for u in columns]
    rows = [
        _why_row(explanation.target_words[w], looked[y], effect[y], words, explanation, captions)
        for y, w in enumerate(real)
    ]
    headers = [captions(f"why.{name}") for name in ("written", "looked", "needed", "effect")]
    table(console, [*headers, ""], rows, "lllll")
    console.print()
    picture = heatmap(
        (effect / _STRONGEST_FALL).clamp(0, 1).tolist(),
        [explanation.target_words[w].text for w in real],
        words,
        console.width - 4,
    )
    legend = "   ".join(f"{mark} ≥ {least * _STRONGEST_FALL:.3g}" for least, mark in reversed(SHADES))
    paragraph(console, captions("why.picture", legend=legend), indent=2, style="bold")
    print_block(console, [*picture, Text()])
    for name, found in explanation.agreement.items():
        same = round(found.same_top * found.words)
        rank = "–" if found.spearman is None else signed(found.spearman)
        layer, head = explanation.aligned_head
        place = {"layer": layer + 1, "head": head + 1} if name == "aligned_head" else {}
        values = place | {
            "same": same,
            "words": found.words,
            "share": percent(found.same_top, 0),
            "spearman": rank,
        }
        paragraph(console, captions(f"why.agree.{name}", **values))


def _why_row(
    word: Word,
    looked: Tensor,
    effect: Tensor,
    source: Sequence[str],
    explanation: Explanation,
    captions: Captions,
) -> list[Cell]:
    """One target word: ``looked`` and ``effect`` (U,) are its attention and its occlusion."""
    seen, needed = int(looked.argmax()), int(effect.argmax())
    first: list[Cell] = [Text(word.text, "bold"), f"{source[seen]} {percent(looked[seen].item(), 0)}"]
    if effect[needed] < NOTICEABLE:
        return [*first, Text(captions("why.none"), "dim"), "", ""]
    with_it = explanation.record.chosen_log_probs()[list(word.tokens)].sum()
    without = (with_it - effect[needed]).exp().item()
    same = seen == needed
    return [
        *first,
        Text(source[needed], "green" if same else "yellow"),
        f"{percent(with_it.exp().item())} → {percent(without)}",
        "=" if same else "≠",
    ]
