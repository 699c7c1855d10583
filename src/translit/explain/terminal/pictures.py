"""Bars, shaded pictures and tables of numbers for a terminal, measured in cells so that Chinese stays
aligned.

Everything is a block: a list of lines (Rich ``Text``). Colour only repeats what the characters already say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

Block = list[Text]

_EIGHTHS = " ▏▎▍▌▋▊▉█"
SHADES = ((0.75, "█"), (0.45, "▓"), (0.20, "▒"), (0.05, "░"))  # from this share on
_FAINT = "·"
_STYLES = {"█": "bold cyan", "▓": "cyan", "▒": "cyan", "░": "bright_blue", _FAINT: "dim"}
LEGEND = "· < 5 %   ░ 5–20   ▒ 20–45   ▓ 45–75   █ > 75"
MARK = "*"
_LABEL = 14  # cells: longer row labels are cut
_LEAST_ROOM = 24  # cells: less is too little for squares and their names


def block_width(block: Block) -> int:
    """The widest line, in cells."""
    return max((line.cell_len for line in block), default=0)


def clip(text: str, width: int, *, left: bool = False) -> str:
    """``text`` in at most ``width`` cells, with … where something was cut (on the left if asked)."""
    if cell_len(text) <= width:
        return text
    if not left:
        return set_cell_size(text, max(width - 1, 0)).rstrip() + "…"
    while cell_len(text) > width - 1:
        text = text[1:]
    return "…" + text


def pad(text: str, width: int, *, right: bool = False) -> str:
    """``text`` filled up with spaces to ``width`` cells; ``right`` puts the text at the right end."""
    space = " " * max(width - cell_len(text), 0)
    return space + text if right else text + space


def beside(blocks: Sequence[Block], total: int, gap: int = 3) -> Block:
    """Blocks side by side, as many as fit into ``total`` cells, then the next row of blocks below."""
    rows: list[list[Block]] = []
    left = 0
    for block in blocks:
        needed = block_width(block) + gap
        if not rows or needed > left:
            rows.append([])
            left = total + gap
        rows[-1].append(block)
        left -= needed
    lines: Block = []
    for n, row in enumerate(rows):
        if n:
            lines.append(Text())
        lines += _join(row, gap)
    return lines


def _join(row: Sequence[Block], gap: int) -> Block:
    widths = [block_width(block) for block in row]
    lines = []
    for y in range(max(map(len, row))):
        line = Text()
        for block, width in zip(row, widths, strict=True):
            part = block[y] if y < len(block) else Text()
            line.append_text(part).append(" " * (width - part.cell_len + gap))
        line.rstrip()
        lines.append(line)
    return lines


def bar(share: float, width: int) -> str:
    """A bar of ``share`` (0 to 1) of ``width`` cells, exact to an eighth of a cell."""
    eighths = round(share * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def shade(share: float) -> str:
    """The character that stands for a share of attention."""
    return next((character for least, character in SHADES if share >= least), _FAINT)


def percent(share: float, digits: int = 1) -> str:
    """``93.1 %``; never 100 or 0 by mere rounding of something else."""
    text = f"{100 * share:.{digits}f}"
    if float(text) == 100 and share < 1:
        return f">{100 - 10**-digits:.{digits}f} %"
    if float(text) == 0 and share > 0:
        return f"<{10**-digits:.{digits}f} %"
    return f"{text} %"


def heatmap(
    weights: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    total: int,
    notes: Sequence[str] | None = None,
    *,
    numbered: bool = False,
) -> Block:
    """Rows × columns of shaded squares under a staircase of names; folded where ``total`` is too narrow.

    ``notes`` are written at the right of the rows (of the last fold), or below where that leaves the squares too little
    room. ``numbered`` columns have a ruler instead of names: see ``numbered_names``.
    """
    label = min(max(map(cell_len, rows), default=0), _LABEL)
    room = total - label - 2
    beside_notes = room - max(map(cell_len, notes or [""])) - 2
    notes_fit = beside_notes >= _LEAST_ROOM
    if notes_fit:
        room = beside_notes
    names = [clip(name, 16) for name in columns]
    folded = folds([2] * len(names), room) if numbered else _folds_of_staircase(names, room)
    lines: Block = []
    for start, end in folded:
        if start:
            lines.append(Text())
        header = _ruler(start, end) if numbered else staircase(names[start:end])
        lines += [Text(" " * (label + 2) + line, "dim") for line in header]
        for y, row in enumerate(rows):
            line = Text(pad(clip(row, label), label, right=True) + "  ")
            for share in weights[y][start:end]:
                mark = shade(share)
                line.append("· " if mark == _FAINT else 2 * mark, _STYLES[mark])
            if notes and notes_fit and end == len(names):
                line.append("  " + notes[y])
            line.rstrip()
            lines.append(line)
    if notes and not notes_fit:
        lines += [Text(), *_packed(map(Text, notes), total)]
    return lines


def numbered_names(names: Sequence[str], total: int) -> Block:
    """The key to a ruler: ``1 I  2 love  3 you``, folded."""
    return _packed(
        (Text.assemble((f"{number} ", "dim"), name) for number, name in enumerate(names, 1)), total
    )


def _packed(entries: Iterable[Text], total: int) -> Block:
    """As many entries in a line as ``total`` cells hold."""
    lines: Block = []
    for entry in entries:
        if lines and lines[-1].cell_len + 2 + entry.cell_len <= total:
            lines[-1].append("  ").append_text(entry)
        else:
            lines.append(entry)
    return lines


def _ruler(start: int, end: int) -> list[str]:
    """Column numbers from ``start`` + 1, two cells a column: tens above, units below."""
    numbers = range(start + 1, end + 1)
    tens = "".join(f"{n // 10} " if n % 10 == 0 else "  " for n in numbers)
    units = "".join(f"{n % 10} " for n in numbers)
    return [tens, units] if tens.strip() else [units]


def staircase(names: Sequence[str]) -> list[str]:
    """Names above columns of two cells, each with a line down to its column."""
    return [
        "│ " * depth + name  # the columns before it are named on the lines above
        for depth, name in enumerate(names)
    ]


def _folds_of_staircase(names: Sequence[str], room: int) -> list[tuple[int, int]]:
    """Ranges of columns whose squares and names fit into ``room`` cells."""
    folds, start = [], 0
    while start < len(names):
        end = start
        while end < len(names) and 2 * (end - start) + max(2, cell_len(names[end])) <= room:
            end += 1
        end = max(end, start + 1)
        folds.append((start, end))
        start = end
    return folds


def number_table(
    weights: Sequence[Sequence[float | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    total: int,
    marked: int | None = None,
) -> Block:
    """Percentages with shades, the largest of each row in bold; folded where ``total`` is too narrow.

    None is a masked cell and stays empty. Column ``marked`` gets a ``*``.
    """
    names = [clip(c, 12) + (MARK if n == marked else "") for n, c in enumerate(columns)]
    widths = [max(5, cell_len(name) + 2) for name in names]
    label = min(max(map(cell_len, rows), default=0), _LABEL)
    lines: Block = []
    for start, end in folds(widths, total - label):
        if start:
            lines.append(Text())
        header = "".join(pad(names[x], widths[x], right=True) for x in range(start, end))
        lines.append(Text(" " * label + header, "dim"))
        for y, row in enumerate(rows):
            line = Text(pad(clip(row, label), label, right=True))
            largest = max(w for w in weights[y] if w is not None)
            for x in range(start, end):
                _number_cell(line, weights[y][x], widths[x], largest)
            line.rstrip()
            lines.append(line)
    return lines


def _number_cell(line: Text, share: float | None, width: int, largest: float) -> None:
    if share is None:
        line.append(" " * width)
        return
    mark = shade(share)
    number = f"{100 * share:.0f}" if mark != _FAINT or share >= 0.005 else ""
    style = _STYLES[mark] + (" bold" if share == largest else "")
    line.append(pad(number, width - 1, right=True) + mark, style)


def folds(widths: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Ranges of columns whose ``widths`` fit into ``room``; at least one column each."""
    folds, start, used = [], 0, 0
    for x, width in enumerate(widths):
        if x > start and used + width > room:
            folds.append((start, x))
            start, used = x, 0
        used += width
    folds.append((start, len(widths)))
    return folds


def signed(number: float, digits: int = 2) -> str:
    """A number with a real minus sign, and no minus before zero."""
    text = f"{number:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def matrix(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: int,
    total_columns: int,
    names: Sequence[str] | None = None,
) -> Block:
    """Real numbers, two decimals: the first ``columns`` (at least one) of ``total_columns`` dimensions of each row,
    under their ``names``, if they have some."""
    columns = max(columns, 1)
    label = min(max(map(cell_len, rows), default=0), _LABEL)
    lines: Block = []
    if names:
        heads = "".join(pad(clip(name, 6), 7, right=True) for name in names[:columns])
        lines.append(Text(" " * (label + 1) + heads, "dim"))
    for row, numbers in zip(rows, values, strict=True):
        line = Text(pad(clip(row, label), label, right=True) + " ")
        line.append("".join(f"{signed(n):>7}" for n in numbers[:columns]), "cyan")
        if total_columns > columns:
            line.append(" …", "dim")
        lines.append(line)
    return lines


def mask_picture(values: Sequence[Sequence[float]], rows: Sequence[str], total: int) -> Block:
    """■ where a row may look and · where not; … where ``total`` cells have no room for all columns."""
    label = min(max(map(cell_len, rows), default=0), _LABEL)
    columns = len(values[0])
    if label + 2 * columns > total:
        columns = max((total - label - 2) // 2, 1)
    lines: Block = []
    for name, row in zip(rows, values, strict=True):
        line = Text(pad(clip(name, label), label, right=True))
        line.append("".join(" ■" if cell else " ·" for cell in row[:columns]))
        if len(row) > columns:
            line.append(" …", "dim")
        lines.append(line)
    return lines


def wave(values: Sequence[float]) -> str:
    """Numbers from −1 to 1 as heights."""
    return "".join("▁▂▃▄▅▆▇█"[min(7, int((v + 1) / 2 * 8))] for v in values)
