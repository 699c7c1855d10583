"""``translit explain``: see a real Transformer think about your sentence."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from translit.cli.app import app
from translit.errors import TranslitError
from translit.explain.language import Language
from translit.text.script import as_unicode

if TYPE_CHECKING:
    from translit.explain.explanation import Explainer

Kind = Literal["cross", "decoder", "encoder"]  # as in translit.explain.record, which imports torch


@app.command()
def explain(
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT…", help="What to translate and explain; by default standard input."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="MODEL", help="Model folder or name; by default the shipped model."
        ),
    ] = None,
    top_k: Annotated[
        int, typer.Option("--top-k", "-k", metavar="N", min=1, max=50, help="Candidates shown at each step.")
    ] = 5,
    layer: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Show the heads of this layer, from 1.")
    ] = None,
    head: Annotated[int | None, typer.Option(metavar="N", min=1, help="Show this head, from 1.")] = None,
    kind: Annotated[
        Kind | None,
        typer.Option(metavar="KIND", help="Which attention: cross, decoder or encoder (self-attention)."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Tables of every layer, head and kind.")] = False,
    beam: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=100, help="Beam size; draws the tree of the search.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", metavar="TEXT", help="Explain this translation instead of the model's own."
        ),
    ] = None,
    steps: Annotated[
        bool, typer.Option("--steps", help="How it flows: every stage with its shape and numbers.")
    ] = False,
    lens: Annotated[bool, typer.Option("--lens", help="What each layer already knows.")] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Attention beside what happens without each word.")
    ] = False,
    lang: Annotated[
        Language | None,
        typer.Option(help="Language of the captions; by default the locale's."),
    ] = None,
    glossary: Annotated[bool, typer.Option("--glossary", help="List the terms, and stop.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Write everything as JSON (docs/explain-json.md).")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write everything as one page to play with in a browser."),
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the heat map of one head (the aligned one, or --layer --head)."
        ),
    ] = None,
) -> None:
    """See the model think: every step's candidates, where it looks, and why.

    Layers and heads count from 1. Without options: the steps, the alignment, the heads of one layer.
    """
    from rich.console import Console

    from translit.explain.captions import TEXTS
    from translit.explain.language import Captions, choose_language
    from translit.explain.terminal.glossary import show_glossary

    captions = Captions(TEXTS, choose_language(lang))
    console = Console(highlight=False, markup=False, emoji=False)
    if glossary:
        show_glossary(console, captions)
        return
    if beam is not None and target is not None:
        raise TranslitError("--beam and --target: a given translation is not searched; choose one of them")
    target = None if target is None else as_unicode(target)
    if target is not None and not target.strip():
        raise TranslitError("--target: the translation is empty; give one to explain")
    sentence = _input(text)

    from translit.explain.terminal.view import View, show

    explainer = _explainer(model, beam)
    # What follows a layer through both stacks is content if one of them has it.
    both = not svg and (everything or steps or json or html is not None)
    layer_index, head_index = _place(explainer, kind, layer, head, both=both)
    candidates = max(top_k, _JSON_CANDIDATES) if json or html else top_k
    if target is None:
        explained = explainer.explain(sentence, candidates)
    else:
        explained = explainer.explain_given(sentence, target, candidates)
    if svg:
        from translit.explain.svg import write_heat_map

        write_heat_map(svg, explained.sentences[0], kind, layer_index, head_index, captions)
        count = len(explained.sentences)
        rest = f"; it shows the first of {count} sentences" if count > 1 else ""
        typer.echo(f"{svg}: written{rest}", err=True)
    if html or json:
        from translit.explain.document import document

        found = document(explainer, explained, layer=layer_index or 0, head=head_index or 0)
        _write_document(found, html, captions.language, on_stdout=json)
    if svg or html or json:
        return
    view = View(
        kind=kind,
        layer=layer_index,
        head=head_index,
        all=everything,
        beam=beam is not None,
        lens=lens,
        why=why,
        flow=steps,
    )
    show(console, explainer, explained, captions, view)


_JSON_CANDIDATES = 10  # at least so many a step, whatever the terminal shows


def _input(words: list[str] | None) -> str:
    """The text to explain: the arguments, or standard input if that is not a keyboard."""
    if not words and sys.stdin.isatty():
        raise TranslitError('explain: nothing to explain; write for example: translit explain "I love you"')
    text = as_unicode(" ".join(words) if words else sys.stdin.read())
    if not text.strip():  # told before anything is loaded
        raise TranslitError("explain: the text is empty; give a sentence to explain")
    return text


def _explainer(model: str | None, beam: int | None) -> Explainer:
    from translit.decoding.search import SearchSettings
    from translit.explain.explanation import Explainer
    from translit.model_directory import find_model

    directory = find_model(model)
    settings = SearchSettings(length_penalty=directory.length_penalty)
    return Explainer(directory, settings if beam is None else replace(settings, beam=beam))


def _place(
    explainer: Explainer, kind: Kind | None, layer: int | None, head: int | None, *, both: bool
) -> tuple[int | None, int | None]:
    """``--layer`` and ``--head`` counted from 0, after a look whether the model has them.

    Without a ``kind``, the stack with more layers counts for ``both``, else the decoder.
    """
    config = explainer.directory.model
    layers = config.encoder_layers if kind == "encoder" else config.decoder_layers
    if kind is None and both:
        layers = max(config.encoder_layers, config.decoder_layers)
    stack = "the encoder" if kind == "encoder" else "the decoder" if not both else "the deeper stack"
    for option, number, owner, size in (
        ("layer", layer, stack, layers),
        ("head", head, "every layer", config.n_heads),
    ):
        if number is not None and number > size:
            raise TranslitError(f"--{option} {number}: {owner} has {size} {option}s; choose from 1 to {size}")
    return None if layer is None else layer - 1, None if head is None else head - 1


def _write_document(found: dict[str, Any], html: Path | None, language: Language, *, on_stdout: bool) -> None:
    """Everything about the explanations: as a page at ``html``, as JSON on standard output, or both."""
    import json

    from translit.explain.page import write_page

    if html:
        write_page(found, html, language)
        typer.echo(f"{html}: written; open it in a browser", err=True)
    if on_stdout:
        print(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
