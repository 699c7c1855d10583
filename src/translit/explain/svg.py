"""One heat map as an SVG picture: attention of one head, words of the sentence at both sides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from rich.cells import cell_len

from translit.disk import write_text
from translit.explain.words import piece_text

if TYPE_CHECKING:
    from translit.explain.explanation import Explanation
    from translit.explain.language import Captions
    from translit.explain.record import Kind

_CELL = 34  # pixels
_VERMILION = (168, 48, 23)  # the accent of the page
_LETTER = 8  # pixels a cell of text, at 14 px
_STYLE = (
    "text{font:14px system-ui,'Noto Sans CJK SC','Microsoft YaHei',sans-serif;fill:#222}"
    ".n{font-size:11px;text-anchor:middle}.r{text-anchor:end}.t{font-weight:bold}"
    ".l{fill:#fff}rect{stroke:#ddd}"
)


def write_heat_map(
    path: Path,
    explanation: Explanation,
    kind: Kind | None,
    layer: int | None,
    head: int | None,
    captions: Captions,
) -> None:
    """Write the weights of one head (counted from 0); by default the aligned head of the cross-attention.

    Raises TranslitError when the file cannot be written.
    """
    kind = kind or "cross"
    aligned = explanation.aligned_head if kind == "cross" else (0, 0)
    layer = aligned[0] if layer is None else layer
    head = aligned[1] if head is None else head
    record = explanation.record
    rows = record.source_pieces if kind == "encoder" else record.target_pieces
    columns = record.inputs if kind == "decoder" else record.source_pieces
    title = f"{captions(f'kind.{kind}')} · {captions('head', layer=layer + 1, head=head + 1)}"
    picture = heat_map(record.attention(kind)[layer, head].tolist(), rows, columns, title)
    write_text(path, picture, "the picture")


def heat_map(
    weights: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], title: str
) -> str:
    """Squares from white (0) to vermilion (1) with their percentages; names left and, slanted, above."""
    rows, columns = [piece_text(r) for r in rows], [piece_text(c) for c in columns]
    left = 16 + _LETTER * max(map(cell_len, rows))
    top = 48 + int(0.72 * _LETTER * max(map(cell_len, columns)))
    slant = int(0.72 * _LETTER * cell_len(columns[-1])) + 24
    width = max(left + _CELL * len(columns) + slant, 16 + _LETTER * cell_len(title))
    height = top + _CELL * len(rows) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff" style="stroke:none"/>',
        f'<text class="t" x="8" y="20">{escape(title)}</text>',
    ]
    for x, name in enumerate(columns):
        at = f"{left + _CELL * x + 14} {top - 8}"
        parts.append(f'<text transform="translate({at}) rotate(-45)">{escape(name)}</text>')
    for y, name in enumerate(rows):
        baseline = top + _CELL * y + 22
        parts.append(f'<text class="r" x="{left - 8}" y="{baseline}">{escape(name)}</text>')
        for x, share in enumerate(weights[y]):
            parts += _square(left + _CELL * x, top + _CELL * y, share)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _square(x: int, y: int, share: float) -> list[str]:
    red, green, blue = (round(255 + share * (full - 255)) for full in _VERMILION)
    square = f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="rgb({red},{green},{blue})"/>'
    light = " l" if share > 0.5 else ""
    number = f'<text class="n{light}" x="{x + _CELL // 2}" y="{y + 21}">{100 * share:.0f}</text>'
    return [square, number] if share >= 0.005 else [square]
