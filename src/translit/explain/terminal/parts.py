"""What every panel of the terminal is made of: titles, folded sentences, blocks, light tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
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


def paragraph(console: Console, text: str, indent: int = 0) -> None:
    """Text folded at words and between Chinese characters."""
    for line in fold(text, min(console.width, _READABLE) - indent - 1):
        console.print(Text(" " * indent + line, "italic dim"))


def print_block(console: Console, block: Block, indent: int = 2) -> None:
    for line in block:
        console.print(Text(" " * indent) + line if line.cell_len else line, no_wrap=True, crop=False)


def table(
    console: Console, headers: Sequence[str], rows: Sequence[Sequence[Cell]], sides: str, gap: int = 2
) -> None:
    """A light table; ``sides`` has one letter a column, l or r, and ``gap`` cells lie between columns."""
    light = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, gap, 0, 0))
    for header, side in zip(headers, sides, strict=True):
        light.add_column(Text(header), justify="right" if side == "r" else "left", overflow="fold")
    for row in rows:
        light.add_row(*row)
    console.print(light)


def token_labels(pieces: Sequence[str], words: Sequence[Word]) -> list[str]:
    """Source tokens for people: without ▁, and ``…ve`` where a word goes on (``-5`` would be a number)."""
    labels = [piece_text(piece) for piece in pieces]
    for word in words:
        for token in word.tokens[1:]:
            if pieces[word.tokens[0]] != "▁" or token != word.tokens[1]:
                labels[token] = "…" + labels[token]
    return labels
