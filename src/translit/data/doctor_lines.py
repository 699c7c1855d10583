"""Reading and writing sick files: every line comes out, with what is wrong with it where it is no pair.

The formats are those of :mod:`translit.data.bitext`, whose readers stop at the first malformed line; a doctor
must look at all of them.
"""

from __future__ import annotations

import gzip
import json
import os
import secrets
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from itertools import zip_longest
from pathlib import Path
from typing import IO, NamedTuple

from translit.data.bitext import Corpus, first_reference, is_jsonl, json_pair
from translit.errors import TranslitError, where


class Row(NamedTuple):
    """One line of a corpus; ``problem`` says why it is no pair, or is empty."""

    source: str
    target: str
    place: str  # file:line
    line: str  # as written, further columns included
    problem: str = ""


class _Line(NamedTuple):
    text: str  # undecodable bytes as \xNN
    problem: str


def rows(corpus: Corpus) -> Iterator[Row]:
    """Every line of ``corpus``, malformed or not. Raises TranslitError only when a file cannot be opened."""
    if len(corpus.paths) == 2:
        return _parallel(*corpus.paths)
    path = corpus.paths[0]
    parse = _jsonl if is_jsonl(path) else _tsv
    return (parse(line, where(path, number)) for number, line in enumerate(_lines(path), 1))


def _lines(path: Path) -> Iterator[_Line]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as file:
            try:
                for number, raw in enumerate(file):
                    yield _decode(raw.rstrip(b"\r\n"), "utf-8-sig" if number == 0 else "utf-8")
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                yield _Line("", f"the file is cut off or damaged from here: {error}")
    except OSError as error:
        raise TranslitError(f"{path}: cannot read: {error.strerror or error}") from None


def _decode(raw: bytes, encoding: str) -> _Line:
    try:
        return _Line(raw.decode(encoding), "")
    except UnicodeDecodeError as error:
        return _Line(raw.decode("utf-8", "backslashreplace"), f"invalid UTF-8 at byte {error.start + 1}")


def _tsv(line: _Line, place: str) -> Row:
    text, problem = line
    source, tab, rest = text.partition("\t")
    if not tab and text.strip() and not problem:
        problem = "one column"
    return Row(source, rest.partition("\t")[0], place, text, problem)


def _jsonl(line: _Line, place: str) -> Row:
    text, problem = line
    if problem:
        return Row(text, "", place, text, problem)
    pair = json_pair(text)
    if pair is None:
        return Row(text, "", place, text, "not a JSON pair")
    return Row(*pair, place, text)


def _parallel(source: Path, target: Path) -> Iterator[Row]:
    for number, (one, other) in enumerate(zip_longest(_lines(source), _lines(target)), 1):
        if one is None or other is None:
            short = source if one is None else target
            problem = f"no such line in {short.name}"
        else:
            problem = one.problem or other.problem
        left, right = (side.text if side else "" for side in (one, other))
        if not problem and is_jsonl(target):
            reference = first_reference(right)
            if reference is None:
                problem = "not a JSON list of references"
            else:
                right = reference
        yield Row(left, right, where(source, number), f"{left}\t{right}", problem)


# ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def atomic_writer(path: Path) -> Iterator[IO[str]]:
    """A UTF-8 text file (gzipped for ``.gz``) that appears under its name only when all of it is written."""
    # A name of its own, and refused where it is taken: it must be neither an input nor that of another writer.
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "xb") as raw, _as_text(raw, zipped=path.suffix == ".gz") as file:
            yield file
        os.replace(part, path)
    except OSError as error:
        raise TranslitError(f"{path}: cannot write: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)


def _as_text(raw: IO[bytes], zipped: bool) -> IO[str]:
    """UTF-8 with plain newlines; lone surrogates, which JSON can smuggle in, come out as ``\\udxxx``."""
    if zipped:  # level 6 is gzip's own default; Python's, 9, takes three times as long to save 1 %
        return gzip.open(raw, "wt", 6, "utf-8", errors="backslashreplace", newline="\n")
    return TextIOWrapper(raw, "utf-8", "backslashreplace", newline="\n")


@contextmanager
def pair_writer(output: str, verbatim: bool) -> Iterator[Callable[[Row], None]]:
    """A function that writes a row to ``output``: a TSV, a JSONL, or two text files joined by a comma.

    ``verbatim`` keeps the lines of a TSV with all their columns. Otherwise line ends and tabs inside a
    sentence become spaces, except in JSONL, which can hold them.
    """
    paths = output_paths(output)
    with ExitStack() as stack:
        files = [stack.enter_context(atomic_writer(path)) for path in paths]

        def write(row: Row) -> None:
            pair = (row.source, row.target)
            if is_jsonl(paths[0]):
                record = dict(zip(("source", "target"), pair, strict=True))
                files[0].write(json.dumps(record, ensure_ascii=False) + "\n")
            elif len(files) == 2:
                for file, text in zip(files, pair, strict=True):
                    file.write(" ".join(text.splitlines()) + "\n")
            elif verbatim:
                files[0].write(row.line + "\n")
            else:
                files[0].write("\t".join(" ".join(text.split()) for text in pair) + "\n")

        yield write


def output_paths(output: str) -> list[Path]:
    """The file or the two files that ``output`` names. Raises TranslitError on more."""
    names = output.split(",")
    if len(names) > 2 or not all(names):
        raise TranslitError(f"{output}: name one file (TSV or JSONL), or source,target")
    return [Path(name) for name in names]
