"""``translit train``: learn a translator from sentence pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from translit.cli.app import app
from translit.errors import TranslitError

_SEVERAL = ("--train", "--set")


def _presets(incomplete: str) -> list[str]:
    from translit.config import PRESETS

    return [name for name in PRESETS if name.startswith(incomplete)]


class SeveralValues(TyperCommand):
    """Lets ``--train a.tsv:3 b.tsv:1`` take every value up to the next option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        spread: list[str] = []
        option = None
        for arg in args:
            if arg.startswith("-"):
                option = arg if arg in _SEVERAL else None
                spread.append(arg)
            elif option and spread[-1] != option:
                spread += [option, arg]
            else:
                spread.append(arg)
        rest: list[str] = super().parse_args(ctx, spread)
        return rest


@app.command(cls=SeveralValues)
def train(
    corpora: Annotated[
        list[str] | None,
        typer.Option(
            "--train",
            metavar="CORPUS[:WEIGHT] …",
            help="Corpora to learn from: pairs.tsv, pairs.jsonl or source.txt,target.txt, each also .gz. "
            "A weight says how often its pairs count in an epoch. Default: the built-in starter corpus.",
        ),
    ] = None,
    valid: Annotated[
        str | None,
        typer.Option(metavar="CORPUS", help="Dev corpus; default: a held-out part of the first corpus."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=_presets,
            help="nano, tiny (the default), small, base, big; tune with --from.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Model directory to write. [default: models/mine]")
    ] = None,
    run: Annotated[  # not --run, which torchrun takes for its own --run-path
        Path | None,
        typer.Option(
            "--run-dir",
            metavar="DIR",
            help="Run directory: checkpoints, metrics. [default: runs/NAME-OF-OUT]",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="MODEL", help="Continue from this model on new pairs (fine-tuning)."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Settings from a file; flags win.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.KEY=VALUE …",
            help="Any setting of [model], [data] or [training], as training.lr=0.001. "
            "See the run directory's config.toml for all of them.",
        ),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Go on with an interrupted run, exactly where it was.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Same seed, same data, same machine: same model. [default: 1]"),
    ] = None,
    max_steps: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Optimizer steps, all sittings together.")
    ] = None,
    max_minutes: Annotated[
        float | None,
        typer.Option(metavar="N", min=0.01, help="Instead of steps: wall time, all sittings together."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="CPU threads. [default: all cores]")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count, time a few steps, estimate; then stop.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN", help="Train nothing; draw the curves of this run: RUN/curves.svg and curves.png."
        ),
    ] = None,
) -> None:
    """Train a translator. With nothing else: preset tiny on the starter corpus, about ten minutes on a laptop."""
    if plot:
        others = (corpora, valid, preset, out, run, start, config, set_, resume, seed, max_steps)
        if dry_run or any(value is not None for value in (*others, max_minutes, threads)):
            raise TranslitError(f"--plot only draws; train first, then: translit train --plot {plot}")
        _plot(plot)
        return
    if max_steps is not None and max_minutes is not None:
        raise TranslitError("--max-steps and --max-minutes: either may end a training; give one of them")
    if resume and (start or run or preset):
        given = "--from" if start else "--run-dir" if run else "--preset"
        raise TranslitError(f"--resume and {given}: a resumed run has its own; leave {given} out")
    values = _settings(config, resume)
    flags = {
        "train": corpora,
        "valid": valid,
        "preset": preset,
        "out": str(out) if out else None,
        "start": _model_path(start) if start else None,
    }
    if config and preset and {"preset", "model", "data", "training"} & values.keys():
        raise TranslitError(
            f"--preset and --config: {config} has such settings, which would win; write the preset into it"
        )
    values |= {name: value for name, value in flags.items() if value is not None}
    if corpora and not valid and resume is None and config is None:
        values.setdefault("valid", "")
    assignments: list[tuple[str, Any]] = [
        ("training.seed", seed),
        ("training.max_steps", max_steps),
        ("training.max_minutes", max_minutes),
    ]
    if max_steps is not None:
        assignments += [("training.max_epochs", 0), ("training.max_minutes", 0.0)]
    for name, value in [*assignments, *(_assignment(text) for text in set_ or [])]:
        if value is not None:
            section, _, key = name.partition(".")
            values.setdefault(section, {})[key] = value

    from translit.training.command import train as train_now
    from translit.training.run import run_config

    settings = run_config(values, str(config or "settings"))
    home = resume or run or Path("runs") / Path(settings.out).name
    finished = train_now(settings, home, resume=resume is not None, threads=threads, only_look=dry_run)
    if not finished:
        raise typer.Exit(130)


def _plot(run: Path) -> None:
    from translit.training.curves import draw

    for path in draw(run):
        typer.echo(path)


def _settings(config: Path | None, resume: Path | None) -> dict[str, Any]:
    """The values of the settings file: the one given, or the one of the run to resume."""
    if config and resume:
        raise TranslitError("--config and --resume: a resumed run has its settings already; give one of them")
    path = config or (resume / "config.toml" if resume else None)
    if path is None:
        return {}
    from translit.training.run import read_toml

    return read_toml(path)


def _model_path(name: str) -> str:
    from translit.model_directory import find_model

    return str(find_model(name).path)


def _assignment(text: str) -> tuple[str, Any]:
    """``training.lr=0.001`` → ("training.lr", 0.001)."""
    from translit.training.run import parse_value

    name, equals, value = text.partition("=")
    section, dot, key = name.partition(".")
    if not (equals and dot and key and section in ("model", "data", "training")):
        raise TranslitError(f"--set {text}: not a setting; write it as training.lr=0.001")
    return name, parse_value(value)
