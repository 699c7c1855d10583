"""What every panel of the terminal is made of: titles, folded sentences, blocks, light tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from translit.explain.language import Captions, fold
from translit.explain.terminal.pictures import Block
from translit.explain.words import Word, piece_text

Cell = Text | str
BLANK = "____"  # the place of the next token
_READABLE = 110  # cells: sentences are not wider, however wide the terminal


def title(console: Console, title: str) -> None:
    console.print()
    width = console.width
    line = f"── {title} "
    console.print(Text(line + "─" * max(width - cell_len(line), 0), "bold"))


def panel(console: Console, captions: Captions, name: str, **values: object) -> None:
    title(console, captions(f"{name}.title"))
    paragraph(console, captions(f"{name}.note", **values))
    console.print()


def paragraph(console: Console, text: str, indent: int = 0, style: str = "italic dim") -> None:
    """Text folded at words and between Chinese characters."""
    for line in fold(text, min(console.width, _READABLE) - indent - 1):
        console.print(Text(" " * indent + line, style))


def print_block(console: Console, block: Block, indent: int = 2) -> None:
    """A picture, line by line; what is wider than the terminal is left to it, never cut in silence."""
    for line in block:
        shown = Text(" " * indent) + line if line.cell_len else line
        console.print(shown, no_wrap=True, overflow="ignore", crop=False)


def table(
    console: Console, headers: Sequence[str], rows: Sequence[Sequence[Cell]], sides: str, gap: int = 2
) -> None:
    """A light table; ``sides`` has one letter a column, l or r, and ``gap`` + 1 cells lie between columns."""
    columns = list(zip(headers, *rows, strict=True))
    sizes = [[Measurement.get(console, console.options, cell) for cell in column] for column in columns]
    least = [max(size.minimum for size in column) for column in sizes]
    full = [max(size.maximum for size in column) for column in sizes]
    between = len(columns) - 1
    if sum(full) + (gap + 1) * between > console.width:
        gap = min(gap, 1)
    light = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, gap, 0, 0))
    widths = _widths(least, full, console.width - (gap + 1) * between)
    for header, side, width in zip(headers, sides, widths, strict=True):
        justify: JustifyMethod = "right" if side == "r" else "left"
        light.add_column(Text(header), justify=justify, overflow="fold", width=width)
    for row in rows:
        light.add_row(*row)
    console.print(light)


def _widths(least: Sequence[int], full: Sequence[int], room: int) -> Sequence[int | None]:
    """The widths of columns in ``room`` cells: at ``least`` their longest word, in ``full`` all on one line.

    None leaves a width to Rich, which breaks the widest columns, and the words in them.
    """
    if sum(full) <= room or sum(least) > room:
        return [None] * len(full)
    left = room - sum(least)  # goes to the columns from left to right
    widths = []
    for small, wide in zip(least, full, strict=True):
        more = min(wide - small, left)
        widths.append(small + more)
        left -= more
    return widths


def token_labels(pieces: Sequence[str], words: Sequence[Word]) -> list[str]:
    """Source tokens for people: without ▁, and ``…ve`` where a word goes on (``-5`` would be a number)."""
    labels = [piece_text(piece) for piece in pieces]
    for word in words:
        for token in word.tokens[1:]:
            if pieces[word.tokens[0]] != "▁" or token != word.tokens[1]:
                labels[token] = "…" + labels[token]
    return labels
