"""The Typer application with all its commands; each command module registers itself on it."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import translit
from translit.cli import BAD_REQUEST

_ORDER = (
    "translate",
    "explain",
    "tour",
    "heads",
    "train",
    "evaluate",
    "score",
    "calibrate",
    "data",
    "info",
    "export",
)


class Group(TyperGroup):
    """Describes its commands in whole sentences; alone it shows its help and ends with ``BAD_REQUEST``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:  # as it is for completion
            typer.echo(ctx.get_help())
            raise typer.Exit(BAD_REQUEST)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(c.name, c.get_short_help_str(200)) for c in commands if c])


class Commands(Group):
    """Lists the commands as a newcomer meets them; none at all, on a terminal, is ``translate``: a prompt."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=_ORDER.index)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        alone = not args and sys.stdin.isatty() and sys.stdout.isatty()
        return super().parse_args(ctx, ["translate"] if alone else args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # Typer would end without a word
            raise typer.Abort from None


app = typer.Typer(
    name="translit",
    cls=Commands,
    help="Translate English to Chinese offline, train your own model, and see every step of its thinking.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # to load Rich for the help would take half of its time
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


from translit.cli import (  # noqa: E402, F401 — each registers its command, on what is defined above
    calibrate,
    data,
    evaluate,
    explain,
    export,
    heads,
    info,
    score,
    tour,
    train,
    translate,
)
