"""The Typer application; each command module registers itself on it."""

from __future__ import annotations

from typing import Annotated

import typer

import translit

app = typer.Typer(
    name="translit",
    help="Translate English to Chinese offline, train your own model, and see every step of its thinking.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"translit {translit.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass
