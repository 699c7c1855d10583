"""``translit data``: check corpora, clean them, get public ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from translit.cli.app import Group, app
from translit.errors import TranslitError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.status import Status

    from translit.data.bitext import Corpus
    from translit.data.doctor_pair import Limits

data = typer.Typer(cls=Group, help="Check, clean and get training data.", rich_markup_mode=None)
app.add_typer(data, name="data")

_Files = Annotated[
    list[str],
    typer.Argument(metavar="CORPUS…", help="pairs.tsv, pairs.jsonl or source.en,target.zh; each also .gz."),
]
_Against = Annotated[
    list[Path] | None,
    typer.Option(
        "--against",
        "-a",
        metavar="FILE",
        help="Evaluation file; pairs of which a side is in it are found. Repeat for more.",
    ),
]
_MaxWords = Annotated[int, typer.Option(metavar="N", min=1, help="Longest source, in words.")]
_MaxCharacters = Annotated[int, typer.Option(metavar="N", min=1, help="Longest target, in characters.")]


@data.command()
def check(
    files: _Files,
    against: _Against = None,
    examples: Annotated[
        int, typer.Option("--examples", "-n", metavar="N", min=0, help="Examples of each finding.")
    ] = 3,
    max_words: _MaxWords = 200,
    max_characters: _MaxCharacters = 500,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when anything is found.")] = False,
) -> None:
    """Find what is wrong in sentence pairs: counts, shares and first examples of each kind.

    Nothing is changed. Duplicates are found across all the files given.
    """
    from translit.data.doctor import examine
    from translit.data.doctor_table import console, report_table, summary

    corpora = _corpora(files, against)
    with _busy("reading"):
        report = examine(corpora, against or [], _limits(max_words, max_characters), examples)
    if as_json:
        import json

        text = json.dumps(report.to_json(), ensure_ascii=False, indent=2)
        # Half a surrogate pair comes out as JSON writes it: \udxxx.
        typer.echo(text.encode("utf-8", "backslashreplace"))
    else:
        out = console()
        out.print(summary(report))
        if report.sick:
            out.print(report_table(report, out.width))
    if strict and report.sick:
        raise typer.Exit(1)


@data.command()
def clean(
    files: _Files,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="What passes: a TSV, a JSONL or source,target, each also .gz; or folder/ for a file a corpus.",
        ),
    ],
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Every dropped line with its reason. [default: OUTPUT.dropped.tsv, or dropped.tsv in a folder]",
            show_default=False,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="Drop what this check finds, too. Repeat for more."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="Do not drop what this check finds. Repeat for more."),
    ] = None,
    mend: Annotated[
        bool, typer.Option("--repair", help="Mainland spelling in what is kept: 甚么 → 什么, Tom → 汤姆.")
    ] = False,
    against: _Against = None,
    max_words: _MaxWords = 200,
    max_characters: _MaxCharacters = 500,
) -> None:
    """Write the pairs that pass, and a report of every line that does not.

    Dropped is whatever "translit data check" finds, except near-duplicate and traditional.

    Lines that are no pair, or blank on a side, are dropped in any case.
    """
    from translit.data import doctor
    from translit.data.doctor_table import console, reasons_table

    if "-" in (*output.split(","), str(report)):
        raise TranslitError(
            "-: cannot write: clean makes whole files; give the name of one, not standard output"
        )
    corpora = _corpora(files, against)
    doctor.check_names([*(drop or []), *(keep or [])])
    dropped = (set(doctor.DROPPED) | set(drop or [])) - set(keep or [])
    rejects = report or (
        Path(output, "dropped.tsv")
        if doctor.is_folder(output)
        else Path(output.split(",")[0] + ".dropped.tsv")
    )
    with _busy("cleaning"):
        limits = _limits(max_words, max_characters)
        result = doctor.clean(corpora, output, rejects, dropped, against or [], limits, mend)
    out = console()
    out.print(f"{result.kept:,} kept + {result.dropped:,} dropped = {result.read:,} read")
    if mend:
        out.print(f"{result.repaired:,} of those kept repaired")
    if result.dropped:
        out.print(reasons_table(result))
    _stderr().print(f"kept: {output}\ndropped: {rejects}", soft_wrap=True)


@data.command()
def get(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which corpus; without a name, all are listed.")
    ] = None,
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder to write NAME.tsv.gz into.")
    ] = Path("data"),
    sha256: Annotated[
        str | None,
        typer.Option(
            metavar="HASH", help="Checksum that the downloaded archive must have.", show_default=False
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Download again what is already there.")] = False,
) -> None:
    """Download a public English–Chinese corpus from OPUS, or go on where a download stopped."""
    from dataclasses import replace

    from translit.data.download import find_source, recorded_sha256
    from translit.data.download import get as download

    if name is None:
        if sha256 or force:
            raise TranslitError(
                "--sha256 and --force are for one corpus; name it, as in: translit data get tatoeba"
            )
        _list_sources()
        return
    source = find_source(name)
    if sha256:
        source = replace(source, sha256=sha256)
    errors = _stderr()
    output = folder / f"{name}.tsv.gz"
    if output.exists() and not force:
        if sha256 and (here := recorded_sha256(name, folder)) != sha256.lower():
            raise TranslitError(
                f"{output}: made from an archive with SHA-256 {here or 'unknown'}, not {sha256}; "
                "--force downloads it again"
            )
        errors.print(f"{output} is there already; --force downloads it again", soft_wrap=True)
        return
    errors.print(f"{name}: {source.about}\nlicence: {source.licence}\nfrom: {source.url}", soft_wrap=True)
    with _bar(errors) as progress:
        task = progress.add_task("", total=None)
        download(name, source, folder, lambda done, total: progress.update(task, completed=done, total=total))
    typer.echo(output)


def _list_sources() -> None:
    from rich.table import Table

    from translit.data.doctor_table import console
    from translit.data.download import SOURCES

    table = Table("corpus", "licence", box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name, source in SOURCES.items():
        table.add_row(name, f"{source.about}\n{source.licence}")
    console().print(table)


def _corpora(files: list[str], against: list[Path] | None) -> list[Corpus]:
    """Parse what was asked for; missing files are told before anything is read."""
    from translit.data.bitext import Corpus, no_file

    for path in against or []:
        if why := no_file(path):
            raise TranslitError(f"{path}: {why}; --against takes evaluation files")
    return [Corpus.parse(file) for file in files]


def _limits(max_words: int, max_characters: int) -> Limits:
    from translit.data.doctor_pair import Limits

    return Limits(max_words=max_words, max_characters=max_characters)


def _stderr() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def _busy(what: str) -> Status:
    return _stderr().status(f"{what} …")


def _bar(console: Console) -> Progress:
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    columns = BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()
    return Progress(*columns, console=console, transient=True)
