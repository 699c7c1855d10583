"""The glossary in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from translit.explain.captions import GLOSSARY
from translit.explain.language import Captions
from translit.explain.terminal.parts import paragraph, title


def show_glossary(console: Console, captions: Captions) -> None:
    """Print every term with its explanation."""
    column = ("en", "zh").index(captions.language)
    title(console, captions("glossary.title"))
    for both in GLOSSARY.values():
        term, text = both[column]
        console.print(Text(term, "bold"))
        paragraph(console, text, indent=4)
