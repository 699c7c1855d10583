"""An explanation in a terminal: short first, deeper on request, readable at 80 columns."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from translit.explain.explanation import Explained, Explainer, Explanation
from translit.explain.language import Captions
from translit.explain.record import Kind
from translit.explain.terminal.attention import show_aligned_layer, show_alignment, show_heads
from translit.explain.terminal.flow import show_flow, show_training
from translit.explain.terminal.parts import paragraph, title
from translit.explain.terminal.probes import show_lens, show_why
from translit.explain.terminal.steps import show_given, show_headline, show_steps
from translit.explain.terminal.tree import show_beam

_MORE = "--layer 1 --head 2, --all, --beam 4, --lens, --why, --steps, --target, --html, --glossary"


@dataclass(frozen=True)
class View:
    """What to show. Without any wish: the steps, the alignment, and the aligned head's layer in tables."""

    kind: Kind | None = None
    layer: int | None = None  # from 0
    head: int | None = None  # from 0
    all: bool = False  # the tables of every layer and head of every kind
    beam: bool = False
    lens: bool = False
    why: bool = False
    flow: bool = False

    @property
    def tables(self) -> bool:
        """Were tables of heads asked for? With --steps, --layer and --head only say what to follow."""
        named = not (self.kind is None and self.layer is None and self.head is None)
        return self.all or (named and not self.flow)

    @property
    def overview(self) -> bool:
        return not (self.tables or self.beam or self.lens or self.why or self.flow)


def show(
    console: Console, explainer: Explainer, explained: Explained, captions: Captions, view: View
) -> None:
    """Print the explanation of every sentence."""
    count = len(explained.sentences)
    if count > 1:
        console.print(Text(explained.translation, "bold"))
    for number, explanation in enumerate(explained.sentences, 1):
        if count > 1:
            title(console, captions("sentence", number=number, count=count))
        show_sentence(console, explainer, explanation, captions, view)


def show_sentence(
    console: Console, explainer: Explainer, explanation: Explanation, captions: Captions, view: View
) -> None:
    """Print one sentence's explanation."""
    show_headline(console, explainer, explanation, captions)
    if view.overview and explanation.record.given:
        show_given(console, explanation, captions)
    elif view.overview or view.beam:
        show_steps(console, explanation, captions)
    if view.overview:
        show_alignment(console, explanation, captions)
        show_aligned_layer(console, explanation, captions)
        console.print()
        paragraph(console, captions("more", options=_MORE))
    if view.beam and explanation.tree:
        show_beam(console, explanation.tree, captions)
    if view.tables:
        show_heads(console, explanation, captions, view.kind, view.layer, view.head, everything=view.all)
    if view.lens:
        show_lens(console, explanation, explanation.decoder_lens, captions, "decoder")
        show_lens(console, explanation, explanation.encoder_lens, captions, "encoder")
    if view.why:
        show_why(console, explanation, captions)
    if view.flow:
        show_flow(console, explanation, captions, view.layer or 0, view.head or 0)
        show_training(console, explanation, captions)
