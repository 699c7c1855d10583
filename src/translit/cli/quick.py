"""``translit translate TEXT`` without options, the commonest call: without Typer it starts a quarter faster."""

from __future__ import annotations

from collections.abc import Sequence


def is_quick(arguments: Sequence[str]) -> bool:
    """Is this ``translate`` with a text and no option at all?"""
    return (
        len(arguments) > 1 and arguments[0] == "translate" and not any(a.startswith("-") for a in arguments)
    )


def translate(arguments: Sequence[str]) -> None:
    """Do what the command ``translate`` does by default."""
    from translit.cli.output import View, Warnings, translate_text
    from translit.translator import Translator

    translate_text(Translator(), " ".join(arguments[1:]), "strict", View(), Warnings())
