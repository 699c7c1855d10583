"""``translit translate``: a text, a stream of lines, files, or a conversation."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from translit.cli.app import app
from translit.cli.output import View, Warnings, tell, translate_text, write

if TYPE_CHECKING:
    from translit.translator import Translation, Translator


def _formats(incomplete: str) -> list[str]:
    from translit.text.formats import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


def _named(path: str) -> Path:
    if not path:  # "$UNSET" is not to mean the whole folder
        raise typer.BadParameter("the name is empty; give a file or a folder, . for this one")
    return Path(path)


@app.command()
def translate(
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT…", help="Text to translate; without it, lines from standard input."),
    ] = None,
    input: Annotated[
        list[Path] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="PATH",
            parser=_named,
            help="File or folder; - is standard input. Repeat for more.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="File (a name with a suffix) or folder; - is standard output.",
        ),
    ] = None,
    skip_existing: Annotated[
        bool, typer.Option("--skip-existing", help="Leave outputs that are there already.")
    ] = False,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=_formats,
            help="Format of the inputs, instead of the one their names tell: srt, md, po …",
        ),
    ] = None,
    errors: Annotated[
        Literal["strict", "replace"],
        typer.Option(metavar="HOW", help="Bytes that are not UTF-8: strict (stop) or replace (with �)."),
    ] = "strict",
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="MODEL", help="Model folder or name; by default the shipped model."
        ),
    ] = None,
    engine: Annotated[
        Literal["auto", "ctranslate2", "torch"],
        typer.Option(metavar="NAME", help="auto, ctranslate2 (fast) or torch (reference)."),
    ] = "auto",
    beam: Annotated[int, typer.Option(metavar="N", min=1, max=100, help="Beam size; 1 is fastest.")] = 4,
    nbest: Annotated[
        int,
        typer.Option(
            "--nbest", "-n", metavar="N", min=1, max=100, help="Show so many translations, best first."
        ),
    ] = 1,
    alternatives: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=99, help="Show so many others below the best (--nbest, less one)."
        ),
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Look for errors, try again, warn.")
    ] = True,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a line stays flagged.")] = False,
    confidence: Annotated[bool, typer.Option("--confidence", help="Show how sure the model is.")] = False,
    min_confidence: Annotated[
        float,
        typer.Option(metavar="0–1", min=0, max=1, help="Leave lines untranslated below this confidence."),
    ] = 0.0,
    glossary: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Terms with their translations: TSV, term<TAB>translation."),
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Whole lines or sentences with their translations: TSV, sentence<TAB>translation.",
        ),
    ] = None,
    pinyin: Annotated[bool, typer.Option("--pinyin", help="Add the pronunciation (needs pypinyin).")] = False,
    script: Annotated[
        Literal["hans", "hant"],
        typer.Option(metavar="NAME", help="hans (simplified) or hant (traditional, needs OpenCC)."),
    ] = "hans",
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Cores to use; by default all.")
    ] = None,
    interactive: Annotated[bool, typer.Option("--interactive", "-I", help="Open a prompt.")] = False,
) -> None:
    """Translate text, lines from standard input, or files.

    As many lines come out as go in. Warnings go to standard error.

    Of a file only the text changes. In a PO file, entries without a
    translation are filled and marked fuzzy: gettext's word for "somebody
    should look at this". msgfmt leaves them out until the mark is gone.
    """
    from translit.errors import TranslitError

    if input and text:
        raise TranslitError("a text and --input at once; give one of them")
    if format is not None and not input and not text:
        input = [Path("-")]  # a whole document on standard input
    if format is not None and text:
        raise TranslitError("--format is for files, and here is a text; use --input FILE, or standard input")
    if output is not None and not input:
        raise TranslitError("--output needs --input; or redirect with >")
    if interactive and (input or text):
        raise TranslitError("--interactive opens a prompt; leave out the text and --input")
    nbest = max(nbest, alternatives + 1)
    for option, given in (
        ("--json", as_json), ("--confidence", confidence), ("--pinyin", pinyin), ("--nbest", nbest > 1),
    ):  # fmt: skip
        if given and input:
            raise TranslitError(
                f"{option} is for lines, and a file keeps its format; leave it out, or pass lines with < FILE"
            )

    def load() -> Translator:
        from translit.translator import Translator

        return Translator(
            model,
            engine=engine,
            beam=max(beam, nbest),
            alternatives=nbest - 1,
            check=check,
            glossary=_pairs(glossary),
            memory=_pairs(memory),
            min_confidence=min_confidence,
            threads=threads,
        )

    view = View(as_json, confidence, pinyin, script, nbest)
    warnings = Warnings()
    failed = False
    if input:
        failed = _files(load, input, output, skip_existing, format, errors, view, warnings)
    elif text:
        translate_text(load(), " ".join(text), errors, view, warnings)
    elif interactive or sys.stdin.isatty():
        from translit.cli.prompt import converse

        converse(load(), view.show)
        return
    else:
        _lines(load(), errors, view, warnings)
    view.close()
    warnings.summary("" if input else "; --json shows every flag")
    if failed or (strict and warnings.flagged):
        raise typer.Exit(1)


def _pairs(path: Path | None) -> dict[str, str] | None:
    if path is None:
        return None
    from translit.files import read_pairs

    return read_pairs(path)


def _lines(translator: Translator, errors: str, view: View, warnings: Warnings) -> None:
    from translit.files import translate_lines

    numbers = itertools.count(1)
    for batch in translate_lines(translator, sys.stdin.buffer, "stdin", errors):
        for (translation, ending), number in zip(batch, numbers, strict=False):
            warnings.add(f"line {number}: ", translation)
            write(view.show(translation) + (ending or "\n" * view.as_json))
        sys.stdout.buffer.flush()  # somebody may be waiting for these lines


def _files(
    load: Callable[[], Translator],
    inputs: list[Path],
    output: Path | None,
    skip_existing: bool,
    format: str | None,
    errors: str,
    view: View,
    warnings: Warnings,
) -> bool:
    """Translate every file; True when one of several has failed."""
    from translit.errors import TranslitError
    from translit.files import left_alone, plan, translate_file

    jobs = plan(inputs, output)
    if others := left_alone(inputs, output):
        names = ", ".join(path.name for path in others[:3])
        files = "file" if len(others) == 1 else "files"
        tell(f"{len(others)} other {files} left alone: {names}" + (", …" if len(others) > 3 else ""))
    waiting = [job for job in jobs if not (skip_existing and job.output is not None and job.output.exists())]
    if len(waiting) < len(jobs):
        tell(f"{len(jobs) - len(waiting)} skipped, there already")
    translator = load() if waiting else None
    failed = False
    for job in waiting:
        assert translator is not None
        before, count = warnings.flagged, 0

        def report(place: str, translation: Translation) -> None:
            nonlocal count
            count += 1
            warnings.add(f"{place}: ", translation)

        try:
            translate_file(
                translator, job, sys.stdout.buffer, report, view.text, errors=errors, format=format
            )
        except TranslitError as error:
            if len(jobs) == 1:
                raise
            tell(str(error))
            failed = True
            continue
        if job.output is not None:
            flagged = f", {number:,} flagged" if (number := warnings.flagged - before) else ""
            tell(f"{job.name} → {job.output}: {count:,} text{'s' * (count != 1)}{flagged}")
    return failed
