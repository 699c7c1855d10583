"""Reliability diagrams: how sure a model was against how often it was right, in the terminal and as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from translit.disk import write_text
from translit.evaluation.calibration import Bin, Calibration, expected_calibration_error
from translit.evaluation.wording import made_by

_BAR = 40  # cells
_SIDE, _MARGIN, _GAP = 320, 56, 72  # pixels
_STYLE = (
    ".c{background:#fff}text{font:13px system-ui,sans-serif;fill:#222}.m{text-anchor:middle}.e{text-anchor:end}"
    ".t{font-weight:bold}.f{fill:none;stroke:#999}.d{stroke:#999;stroke-dasharray:5 4}"
    ".g{stroke:#c0392b;stroke-width:2}.l{fill:none;stroke:#08519c;stroke-width:2}.p{fill:#08519c}"
    "@media(prefers-color-scheme:dark){.c{background:#1a1a1a}text{fill:#ddd}.l{stroke:#6baed6}.p{fill:#6baed6}}"
)


def show(console: Console, calibration: Calibration) -> None:
    """Print both diagrams and the curve."""
    console.print(Text(made_by(calibration.made_by), "dim"))
    for title, bins in _diagrams(calibration):
        error = _percent(expected_calibration_error(bins), 1)
        console.print()
        console.print(Text(f"{title} Calibration error {error}", "bold"))
        console.print(_table(bins))
    console.print(Text("Bar: right. ┃: sure. A well calibrated model's bars end at the marks.", "dim"))
    console.print()
    curve = calibration.curve
    console.print(
        f"A line is good from chrF2 {curve.good:g}. Of a good and a bad line, the good one has the higher score "
        f"in {_percent(calibration.ranking)} of all cases (50 % would be chance)."
    )
    sign = "−" if curve.intercept < 0 else "+"
    console.print(
        f"P(good) = 1 / (1 + exp(−({curve.slope:.3f} · score {sign} {abs(curve.intercept):.3f}))), "
        "score = mean log-probability of a token."
    )


def _diagrams(calibration: Calibration) -> list[tuple[str, list[Bin]]]:
    counts = [sum(b.count for b in bins) for bins in (calibration.tokens, calibration.lines)]
    return [
        (f"{counts[0]:,} tokens: is the best guess right?", calibration.tokens),
        (f"{counts[1]:,} lines: is the translation good?", calibration.lines),
    ]


def _table(bins: Sequence[Bin]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("Count", "Sure", "Right"):
        table.add_column(heading, justify="right")
    table.add_column("0 %" + "100 %".rjust(_BAR - 3), no_wrap=True)
    for b in bins:
        table.add_row(f"{b.count:,}", _percent(b.confidence), _percent(b.accuracy), _bar(b))
    return table


def _bar(b: Bin) -> str:
    cells = ["█" if (i + 0.5) / _BAR <= b.accuracy else " " for i in range(_BAR)]
    cells[min(int(b.confidence * _BAR), _BAR - 1)] = "┃"
    return "".join(cells).rstrip()


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"


def write_svg(path: Path, calibration: Calibration) -> None:
    """Write both diagrams beside each other. Raises TranslitError when the file cannot be written."""
    write_text(path, svg(calibration))


def svg(calibration: Calibration) -> str:
    """Confidence from left to right, accuracy upwards; on the diagonal they agree, red is the gap."""
    diagrams = _diagrams(calibration)
    width, height = _MARGIN + len(diagrams) * (_SIDE + _GAP), _SIDE + 2 * _MARGIN + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" class="c" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="Reliability diagrams">',
        f"<style>{_STYLE}</style>",
    ]
    for i, (title, bins) in enumerate(diagrams):
        parts += _panel(_MARGIN + i * (_SIDE + _GAP), _MARGIN, title, bins)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(left: int, top: int, title: str, bins: Sequence[Bin]) -> list[str]:
    bottom, right = top + _SIDE, left + _SIDE
    points = [(left + b.confidence * _SIDE, bottom - b.accuracy * _SIDE) for b in bins]
    parts = [
        f'<text class="t" x="{left}" y="{top - 30}">{escape(title)}</text>',
        f'<text x="{left}" y="{top - 12}">calibration error '
        f"{_percent(expected_calibration_error(bins), 1)}</text>",
        f'<rect class="f" x="{left}" y="{top}" width="{_SIDE}" height="{_SIDE}"/>',
        f'<line class="d" x1="{left}" y1="{bottom}" x2="{right}" y2="{top}"/>',
        f'<text class="m" x="{left + _SIDE // 2}" y="{bottom + 38}">sure</text>',
        f'<text class="m" transform="translate({left - 36} {top + _SIDE // 4}) rotate(-90)">right</text>',
    ]
    for share in (0.0, 0.5, 1.0):
        parts.append(f'<text class="m" x="{left + share * _SIDE:g}" y="{bottom + 18}">{share:.0%}</text>')
        parts.append(f'<text class="e" x="{left - 6}" y="{bottom - share * _SIDE + 4:g}">{share:.0%}</text>')
    for x, y in points:
        parts.append(
            f'<line class="g" x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{bottom - (x - left):.1f}"/>'
        )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts.append(f'<polyline class="l" points="{line}"/>')
    for (x, y), b in zip(points, bins, strict=True):
        tip = f"{b.count:,}: sure {_percent(b.confidence, 1)}, right {_percent(b.accuracy, 1)}"
        parts.append(f'<circle class="p" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{tip}</title></circle>')
    return parts
