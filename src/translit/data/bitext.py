"""Reading sentence pairs: TSV, JSON lines, two parallel text files; each of them plain or gzipped.

pairs.tsv          source<TAB>target, one pair a line (more columns are ignored; a blank line is an empty pair)
pairs.jsonl        {"source": …, "target": …} a line, or ["source", "target"]
corpus.en,corpus.zh  two files with as many lines, joined by a comma; a target file of JSON lines may give
                   several references in a list, of which the first is read
…:3                any of them followed by a weight: how often each pair counts in an epoch
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from translit.errors import TranslitError, where

MAX_WEIGHT = 1_000_000  # times the pairs of a corpus, it must stay a number of 64 bits


class Pair(NamedTuple):
    source: str
    target: str
    place: str  # file:line


@dataclass(frozen=True)
class Corpus:
    """Where pairs lie, and how much each counts."""

    paths: tuple[Path, ...]  # one file, or the source file and the target file
    weight: float = 1.0

    @classmethod
    def parse(cls, text: str) -> Corpus:
        """``pairs.tsv``, ``a.en,a.zh`` or either with ``:weight``. Raises TranslitError when a file is missing."""
        weight = 1.0
        if (match := re.fullmatch(r"(.+):(\d+(?:\.\d+)?(?:e-?\d+)?)", text)) and not Path(text).exists():
            text, weight = match.group(1), float(match.group(2))
        names = [text] if Path(text).exists() else text.split(",")
        if len(names) > 2:
            raise TranslitError(f"{text}: {len(names)} files given; give one file, or source,target")
        paths = tuple(Path(name) for name in names)
        for path in paths:
            if why := no_file(path):
                file, _, wrong = str(path).rpartition(":")
                if file and Path(file).is_file():
                    raise TranslitError(f"{file}: weight {wrong!r} is not a positive number; write {file}:3")
                raise TranslitError(f"{path}: {why}; give a TSV, JSONL or source,target text files")
        if weight == 0:
            raise TranslitError(f"{text}: weight 0 would read nothing; leave the corpus out instead")
        if weight > MAX_WEIGHT:
            raise TranslitError(f"{text}: weight {weight:g} is too large; give at most {MAX_WEIGHT:,}")
        return cls(paths, weight)

    @property
    def name(self) -> str:
        """The paths as a reader knows them: relative to where they are, if that is shorter."""
        return ",".join(min(str(p), os.path.relpath(p), key=len) for p in self.paths)

    @property
    def absolute(self) -> str:
        """What ``parse`` reads as this corpus wherever it is called."""
        return f"{','.join(os.path.abspath(p) for p in self.paths)}:{self.weight!r}"

    def pairs(self) -> Iterator[Pair]:
        """Every pair, as written. Raises TranslitError naming file and line on a malformed one."""
        if len(self.paths) == 2:
            return _parallel(*self.paths)
        path = self.paths[0]
        return _jsonl(path) if is_jsonl(path) else _tsv(path)


def no_file(path: Path) -> str:
    """Why ``path`` cannot be read as often as needed, "" when it can. A pipe, ``<(zcat x)``, is read only once."""
    if path.is_file():
        return ""
    if path.is_dir():
        return "is a folder"
    return "is a pipe or a device, not a regular file" if path.exists() else "no such file"


def is_jsonl(path: Path) -> bool:
    """By its name, ``.gz`` aside."""
    return [s for s in path.suffixes if s != ".gz"][-1:] in ([".jsonl"], [".ndjson"])


def read_lines(path: Path) -> Iterator[str]:
    """Lines of a UTF-8 text file, plain or .gz, without their ends. Invalid UTF-8 is a TranslitError with its line."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as file:
            for number, raw in enumerate(file, 1):
                try:
                    text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise TranslitError(
                        f"{where(path, number)}: invalid UTF-8 at byte {error.start}; convert the file to UTF-8"
                    ) from None
                yield text.rstrip("\r\n")
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TranslitError(f"{path}: cannot read: {reason}") from None


def _tsv(path: Path) -> Iterator[Pair]:
    for number, line in enumerate(read_lines(path), 1):
        columns = line.split("\t") if line.strip() else ["", ""]
        if len(columns) < 2:
            raise TranslitError(f"{where(path, number)}: one column; each line needs source<TAB>target")
        yield Pair(columns[0], columns[1], where(path, number))


def _jsonl(path: Path) -> Iterator[Pair]:
    for number, line in enumerate(read_lines(path), 1):
        pair = json_pair(line)
        if pair is None:
            raise TranslitError(
                f'{where(path, number)}: not a pair; write {{"source": "…", "target": "…"}} on each line'
            )
        yield Pair(*pair, where(path, number))


def json_pair(line: str) -> tuple[str, str] | None:
    """Source and target of a JSON object or list, both empty on a blank line; None if the line is none of these."""
    if not line.strip():
        return "", ""
    try:
        record = json.loads(line)
        source, target = (record["source"], record["target"]) if isinstance(record, dict) else record
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    are_texts = isinstance(source, str) and isinstance(target, str) and not isinstance(record, str)
    return (source, target) if are_texts else None


def _parallel(source: Path, target: Path) -> Iterator[Pair]:
    left = read_lines(source)
    right = _references(target) if is_jsonl(target) else read_lines(target)
    number = 0
    for number, one in enumerate(left, 1):
        other = next(right, None)
        if other is None:
            total = number + sum(1 for _ in left)
            raise TranslitError(
                f"{target}: {_count(number - 1)}, but {source} has {total}; they must be parallel"
            )
        yield Pair(one, other, where(source, number))
    extra = sum(1 for _ in right)
    if extra:
        raise TranslitError(
            f"{target}: {_count(number + extra)}, but {source} has {number}; they must be parallel"
        )


def _count(lines: int) -> str:
    return f"{lines} line{'s' * (lines != 1)}"


def _references(path: Path) -> Iterator[str]:
    """The first reference of every line, where each line is a JSON string or a list of them."""
    for number, line in enumerate(read_lines(path), 1):
        first = first_reference(line)
        if first is None:
            raise TranslitError(f'{where(path, number)}: not a JSON list of references; write ["…", "…"]')
        yield first


def first_reference(line: str) -> str | None:
    """Of a JSON string, or a list of them; None if the line is neither."""
    try:
        value = json.loads(line)
        first = value if isinstance(value, str) else value[0]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return first if isinstance(first, str) else None
