"""The doctor's findings as a table: one row a check, its first examples beside it."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from translit.data.doctor import CHECKS, Cleaned, Example, Report


def report_table(report: Report, width: int) -> Table:
    """Check, count, share and first examples; checks that found nothing are left out."""
    table = _table("check", "lines", "share")
    table.add_column("first examples", overflow="fold", ratio=1)
    short = _short_names(report.files)
    space = max(20, width - 34)
    for name in CHECKS:
        if count := report.counts[name]:
            shown = Text("\n").join(
                _example(example, short, space) for example in report.examples.get(name, [])
            )
            table.add_row(name, f"{count:,}", _share(count, report.lines), shown)
    return table


def reasons_table(cleaned: Cleaned) -> Table:
    """Why lines were dropped; one line may have several reasons."""
    table = _table("reason", "lines", "share")
    for name in CHECKS:
        if count := cleaned.reasons[name]:
            table.add_row(name, f"{count:,}", _share(count, cleaned.read))
    return table


def summary(report: Report) -> str:
    """One line: how much was read, how much of it has something to look at."""
    lines = f"{report.lines:,} line{'s' * (report.lines != 1)}"
    return f"{lines} read, {report.sick:,} with findings ({_share(report.sick, report.lines)})"


def console() -> Console:
    """Standard output without interpretation of the texts shown."""
    return Console(highlight=False, markup=False, emoji=False)


def _table(*headers: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for header in headers:
        table.add_column(header, justify="left" if header == headers[0] else "right", no_wrap=True)
    return table


def _share(count: int, total: int) -> str:
    share = 100 * count / total if total else 0
    return "<0.01 %" if 0 < share < 0.005 else f"{share:.2f} %"


def _example(example: Example, short: dict[str, str], space: int) -> Text:
    """Where and what, and under it the pair, each on a line of at most ``space`` cells."""
    path, _, line = example.place.rpartition(":")
    text = Text(f"{short.get(path, path)}:{line}  {_flat(example.detail)}\n")
    source, target = Text(_flat(example.source)), Text(_flat(example.target))
    source.truncate(max(space // 2 - 3, space - 3 - target.cell_len), overflow="ellipsis")
    target.truncate(space - 3 - source.cell_len, overflow="ellipsis")
    pair = source + " → " + target
    pair.stylize("dim")
    return text + pair


def _flat(text: str) -> str:
    """On one line, with what would move the cursor or show nothing made visible."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in " ".join(text.split()))


def _short_names(files: list[str]) -> dict[str, str]:
    """Path → file name, where that is enough to tell the files apart."""
    paths = [path for name in files for path in name.split(",")]
    names = [Path(path).name for path in paths]
    return {path: name for path, name in zip(paths, names, strict=True) if names.count(name) == 1}
