"""The explanation as one HTML file: the document of ``translit explain --json``, made to be played with.

page.html     the frame; page.css: how it looks, light, dark and on paper
core.js       reading the data, two languages, making elements
shapes.js     heat tables and line charts
steps.js … tour.js   one file a panel
main.js       the sentence, the slider, the tabs
captions.py   what the page says, beside the captions of the other views

Nothing is computed in the page: every number in it stands in the document or in the tour.
"""

from __future__ import annotations

import base64
import json
from array import array
from importlib import resources
from pathlib import Path
from typing import Any

from translit.disk import write_text
from translit.explain.language import Language

WEIGHT_SCALE = 10_000  # the document gives attention weights 4 decimals, so packing them loses nothing
_SCRIPTS = ("core", "shapes", "steps", "heads", "words", "lens", "beam", "road", "tour", "main")


def write_page(document: dict[str, Any], path: Path, language: Language = "en") -> None:
    """Write ``document`` (``docs/explain-json.md``) as a page at ``path``; it opens in ``language``.

    The page needs nothing but a browser: no network, no other file. Raises TranslitError when the file
    cannot be written.
    """
    write_text(path, page(document, language), "the page")


def page(document: dict[str, Any], language: Language = "en") -> str:
    """The HTML of the page."""
    data = {
        "language": language,
        "texts": _texts(),
        "glossary": _glossary(),
        "document": pack(document),
        "tour": tour(),
    }
    parts = {
        "LANGUAGE": language,
        "STYLE": _part("page.css"),
        "SCRIPT": "\n".join(_part(f"{name}.js") for name in _SCRIPTS),
        "DATA": _json(data),
    }
    html = _part("page.html")
    for name, text in parts.items():
        html = html.replace(f"<!--{name}-->", text, 1)
    return html


def pack(document: dict[str, Any]) -> dict[str, Any]:
    """``document`` with its attention as numbers of two bytes, and without what the page can see elsewhere."""
    return document | {"sentences": [_pack_sentence(sentence) for sentence in document["sentences"]]}


def tour() -> dict[str, Any]:
    """The default pen-and-paper tour as ``translit tour --json`` prints it, with every cell's arithmetic.

    ``cells`` of a step: [rows][columns] lists of lines. ``exact``, the numbers without rounding, is left out.
    """
    from translit.explain.tour.lesson import load
    from translit.explain.tour.panels import compute_tour
    from translit.explain.tour.record import to_record

    computed = compute_tour(load())
    record = to_record(computed)
    for panel in record["panels"]:
        for step in panel["steps"]:
            del step["exact"]
            height, width = step["result"]["shape"]
            whole = computed.steps[step["result"]["name"]]
            step["cells"] = [[whole.arithmetic(i, j) for j in range(width)] for i in range(height)]
    return record


def _pack_sentence(sentence: dict[str, Any]) -> dict[str, Any]:
    attention = {kind: _packed(weights) for kind, weights in sentence["attention"].items()}
    steps = [{k: v for k, v in step.items() if k != "prefix"} for step in sentence["steps"]]  # in "inputs"
    flow = {k: v for k, v in sentence["flow"].items() if k != "blanks"}  # in "steps"
    return sentence | {"attention": attention, "steps": steps, "flow": flow}


def _packed(weights: Any) -> dict[str, Any]:
    """Nested lists of weights → their shape, and ``WEIGHT_SCALE`` times each in little-endian uint16, base64."""
    shape, flat = [], weights
    while isinstance(flat, list):
        shape.append(len(flat))
        flat = flat[0]
    for _ in shape[1:]:
        weights = [x for row in weights for x in row]
    numbers = array("H", (round(x * WEIGHT_SCALE) for x in weights))
    if array("H", [1]).tobytes() != b"\x01\x00":
        numbers.byteswap()
    return {"shape": shape, "scale": WEIGHT_SCALE, "data": base64.b64encode(numbers.tobytes()).decode()}


def _texts() -> dict[str, tuple[str, str]]:
    """Name → (English, Chinese): the terminal's captions, the tour's as ``tour.…``, the page's as ``page.…``."""
    from translit.explain import captions
    from translit.explain.page.captions import TEXTS
    from translit.explain.tour.captions import TEXTS as TOUR

    rooms = {"": captions.TEXTS, "tour.": TOUR, "page.": TEXTS}
    return {prefix + name: texts for prefix, room in rooms.items() for name, texts in room.items()}


def _glossary() -> list[Any]:
    from translit.explain.captions import GLOSSARY

    return list(GLOSSARY.values())


def _json(data: Any) -> str:
    """JSON that can stand inside ``<script>``: no ``<`` in it can end the element."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace(
        "<", "\\u003c"
    )


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
