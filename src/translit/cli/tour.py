"""``translit tour``: a Transformer small enough to compute with pen and paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from translit.cli.app import app
from translit.explain.language import Language

if TYPE_CHECKING:
    from rich.console import Console

    from translit.explain.language import Captions
    from translit.explain.tour.lesson import Lesson
    from translit.explain.tour.panels import Tour
    from translit.explain.tour.view import View


_DECIMALS = 4


@app.command()
def tour(
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="Your own vectors and weights (TOML).")
    ] = None,
    write_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the vectors and weights in use to a new file, to be changed."
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Mark the answers in this file; exit code 1 if any is wrong."),
    ] = None,
    write_answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a blank answer sheet to a new file, for --check."),
    ] = None,
    quiz: Annotated[
        bool, typer.Option("--quiz", help="Be asked for cells; exit code 1 if any is wrong.")
    ] = False,
    heads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Share the same weights out to so many heads.")
    ] = None,
    layers: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=12, help="Layers of encoder and decoder; missing ones are drawn."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Draw all weights: another exercise.")] = None,
    positions: Annotated[
        bool, typer.Option("--positions", help="Add the wave that tells first from second.")
    ] = False,
    decimals: Annotated[
        int, typer.Option(metavar="N", min=2, max=6, help="Decimals kept after every step.")
    ] = _DECIMALS,
    tolerance: Annotated[
        float, typer.Option(metavar="X", min=0, help="By how much an answer may be off (--check, --quiz).")
    ] = 0.001,
    part: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Only this part or matrix, such as encoder.1.self.head1; also of --quiz and --write-answers.",
        ),
    ] = None,
    pause: Annotated[bool, typer.Option("--pause", help="Wait for Enter after every frame.")] = False,
    lang: Annotated[
        Language | None, typer.Option(help="Language of the texts; by default the locale's.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compute a whole Transformer with pen and paper, number by number.

    我 爱 你 goes through encoder, decoder and softmax. Every matrix is shown; one cell of each is written out.
    """
    from rich.console import Console

    from translit.explain.language import Captions, choose_language
    from translit.explain.tour.captions import TEXTS
    from translit.explain.tour.exercises import answer_sheet
    from translit.explain.tour.lesson import load, write, write_new

    _finite(tolerance)
    wholly: dict[str, object] = {
        "--write-file": write_file,
        "--check": check,
        "--json": as_json and not check,
    }
    partly: dict[str, object] = {"--write-answers": write_answers, "--quiz": quiz}
    _one_at_a_time(wholly | partly | {"--pause": pause})
    _one_at_a_time(wholly | {"--part": part})
    captions = Captions(TEXTS, choose_language(lang))
    lesson = load(file, heads=heads, layers=layers, seed=seed, decimals=decimals)
    if write_file:
        write(lesson, write_file)
        typer.echo(f"written: {write_file}", err=True)
        return

    from translit.explain.tour.panels import compute_tour
    from translit.explain.tour.view import View

    computed = compute_tour(lesson, positions=positions, decimals=decimals)
    console = Console(highlight=False, markup=False, emoji=False)
    if write_answers:
        command = _command(file, heads, layers, seed, positions, decimals)
        write_new(write_answers, answer_sheet(computed, part, command))
        typer.echo(f"written: {write_answers}", err=True)
        return
    notes = _notes(captions, lesson, file, seed, positions)
    view = View(console, captions, computed, notes)
    if check:
        _check(console, captions, computed, check, tolerance, as_json)
    elif quiz:
        _quiz(view, seed or 0, part, tolerance)
    elif as_json:
        import json

        from translit.explain.tour.record import to_record

        typer.echo(json.dumps(to_record(computed), ensure_ascii=False))
    else:
        view.show(part, _pause(captions) if pause else None)


def _one_at_a_time(requests: dict[str, object]) -> None:
    from translit.errors import TranslitError

    asked = [name for name, value in requests.items() if value]
    if len(asked) > 1:
        raise TranslitError(f"{' and '.join(asked)} do different things; choose one")


def _finite(tolerance: float) -> None:
    import math

    from translit.errors import TranslitError

    if not math.isfinite(tolerance):
        raise TranslitError(f"--tolerance {tolerance}: is no number to compare with; give one such as 0.001")


def _command(
    file: Path | None,
    heads: int | None,
    layers: int | None,
    seed: int | None,
    positions: bool,
    decimals: int,
) -> str:
    """The command that shows the same numbers again."""
    import shlex

    given = {"--file": file, "--heads": heads, "--layers": layers, "--seed": seed}
    words = ["translit", "tour"]
    for option, value in given.items():
        words += [] if value is None else [option, str(value)]
    words += ["--positions"] * positions
    words += ["--decimals", str(decimals)] if decimals != _DECIMALS else []
    return shlex.join(words)


def _notes(
    captions: Captions, lesson: Lesson, file: Path | None, seed: int | None, positions: bool
) -> list[str]:
    """Where the weights come from, and what that means for the guesses."""
    from translit.explain.tour.lesson import load

    notes = [captions("weights.file", file=file)] if file else []
    if seed is not None:
        return [*notes, captions("weights.drawn", seed=seed)]
    if file:
        return notes
    trained = load()
    notes = [captions("weights.trained")]
    if len(lesson.encoder) != len(trained.encoder):
        notes.append(captions("weights.layers"))
    if lesson.heads != trained.heads:
        notes.append(captions("weights.heads"))
    if positions:
        notes.append(captions("weights.positions"))
    return notes


def _check(
    console: Console, captions: Captions, computed: Tour, path: Path, tolerance: float, as_json: bool
) -> None:
    import json

    from translit.explain.tour.exercises import mark
    from translit.explain.tour.teacher import marks_record, show_marks

    answers = mark(computed, path, tolerance)
    if as_json:
        typer.echo(json.dumps(marks_record(answers, tolerance), ensure_ascii=False))
    else:
        show_marks(console, captions, answers, tolerance)
    if not all(answer.right for answer in answers):
        raise typer.Exit(1)


def _quiz(view: View, seed: int, part: str | None, tolerance: float) -> None:
    from translit.explain.tour.exercises import questions
    from translit.explain.tour.teacher import quiz

    right, asked = quiz(view, questions(view.tour, seed, part), tolerance, _ask)
    if right < asked:
        raise typer.Exit(1)


def _ask(prompt: str) -> str | None:
    """One line from the keyboard or a pipe; None at its end. A piped reply is shown, as nobody typed it."""
    import sys

    typer.echo(prompt, nl=False)
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        typer.echo(line.rstrip("\n"))
    return line or None


def _pause(captions: Captions) -> Callable[[], bool]:
    def wait() -> bool:
        reply = _ask(captions("next"))
        return reply is not None and reply.strip().lower() != "q"

    return wait
