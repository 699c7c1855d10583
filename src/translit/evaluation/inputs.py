"""Reading what is to be scored: sources, references (one or more a line) and outputs.

Every reader returns one string per line of its file, and every complaint names ``file:line``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from translit.data import bitext
from translit.errors import TranslitError, where
from translit.text.script import as_unicode, count_han, has_letters

CHINESE = frozenset({"zh", "zho", "chi", "cmn", "yue", "lzh", "wuu", "nan", "hak"})
_TWO_LETTERS = {"jpn": "ja", "kor": "ko"}  # for them, too, BLEU has a tokenizer of its own
_CODE = re.compile("[a-z]{2,3}")


@dataclass(frozen=True)
class EvalData:
    """A test set: ``references[i]`` holds one or more translations of ``sources[i]``; one may be absent."""

    name: str
    sources: list[str] | None
    references: list[list[str]] | None

    def __len__(self) -> int:
        return len(self.references if self.references is not None else self.sources or [])

    def is_blank(self, i: int, *outputs: str) -> bool:
        """Is there nothing to judge: no text in line ``i``, and none in its ``outputs``?"""
        source = self.sources[i] if self.sources is not None else ""
        references = self.references[i] if self.references is not None else []
        return not any(text.strip() for text in (source, *references, *outputs))


@dataclass(frozen=True)
class System:
    """The outputs of one system, one a line; ``settings`` says how they were made (engine, beam …)."""

    name: str
    outputs: list[str]
    path: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)


def base_language(code: str) -> str:
    """``code`` without script and country, Chinese as ``zh``, Japanese as ``ja``, Korean as ``ko``."""
    language = re.split("[-_]", code.lower())[0]
    return "zh" if language in CHINESE else _TWO_LETTERS.get(language, language)


def is_chinese_language(code: str) -> bool:
    """True for ``zh``, ``zh-CN``, ``zh_Hans``, ``cmn``, ``yue_Hant`` …"""
    return base_language(code) == "zh"


def read_lines(path: str | Path) -> list[str]:
    """The lines of a UTF-8 file (plain or ``.gz``), or of stdin for ``-``, without their line ends.

    Raises TranslitError for a file that is missing or not UTF-8.
    """
    return _stdin_lines() if str(path) == "-" else list(bitext.read_lines(Path(path)))


def _stdin_lines() -> list[str]:
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TranslitError(f"stdin: invalid UTF-8 at byte {error.start}; convert it to UTF-8") from None
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def read_references(path: str | Path) -> list[list[str]]:
    """One list of references a line: a JSON string or list of them in a JSON lines file, the line in any other."""
    lines = read_lines(path)
    if not bitext.is_jsonl(Path(path)):
        return [[line] for line in lines]
    return [_json_references(line, path, number) for number, line in enumerate(lines, 1)]


def _json_references(line: str, path: str | Path, number: int) -> list[str]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise TranslitError(
            f'{where(path, number)}: not a JSON list of references; write one list a line: ["…", "…"]'
        )
    return [as_unicode(item) for item in value]


def load_set(corpus: str | None, source: Path | None, refs: Sequence[Path]) -> EvalData:
    """A test set as the commands take it: one ``corpus``, or a source file and reference files.

    A corpus is a TSV, pairs in JSON lines, or ``source.en,target.zh`` with as many references as you have.
    """
    if corpus is None:
        return load_parallel(source, refs)
    if source is not None or refs:
        raise TranslitError(
            f"{corpus}: already holds source and reference; give it, or --source and --ref, not both"
        )
    if not Path(corpus).exists() and "," in corpus:
        first, *others = corpus.split(",")
        return load_parallel(first, others)
    return load_pairs(corpus) if bitext.is_jsonl(Path(corpus)) else load_tsv(corpus)


def load_pairs(path: str | Path) -> EvalData:
    """``{"source": …, "target": …}`` a line."""
    pairs = list(bitext.Corpus((Path(path),)).pairs())
    sources, references = [as_unicode(p.source) for p in pairs], [[as_unicode(p.target)] for p in pairs]
    return _checked(Path(path).name, sources, references, path)


def load_tsv(path: str | Path) -> EvalData:
    """``source<TAB>reference[<TAB>more references]`` a line; a blank line is an empty pair."""
    sources, references = [], []
    for number, line in enumerate(read_lines(path), 1):
        columns = line.split("\t") if line.strip() else ["", ""]
        if len(columns) < 2:
            raise TranslitError(
                f"{where(path, number)}: one column where source<TAB>reference is needed; "
                "for separate files give --source and --ref"
            )
        sources.append(columns[0])
        references.append(columns[1:])
    return _checked(Path(path).name, sources, references, path)


def load_parallel(source: str | Path | None, refs: Sequence[str | Path]) -> EvalData:
    """A source file, reference files, or both: line *i* of each belongs together."""
    if source is None and not refs:
        raise TranslitError("nothing to score against; give a TSV, --source with --ref, or --source alone")
    sources = read_lines(source) if source is not None else None
    columns = [read_references(path) for path in refs]
    expected = len(sources) if sources is not None else len(columns[0])
    for path, column in zip(refs, columns, strict=True):
        check_count(path, len(column), source if sources is not None else refs[0], expected)
    references = (
        [[text for part in parts for text in part] for parts in zip(*columns, strict=True)]
        if columns
        else None
    )
    name = str(Path(source if source is not None else refs[0]).name)
    return _checked(name, sources, references, refs[0] if refs else source)


def load_outputs(path: str | Path, data: EvalData) -> System:
    """The outputs of a system, exactly one for each line of ``data``."""
    outputs = read_lines(path)
    check_count("stdin" if str(path) == "-" else path, len(outputs), data.name, len(data))
    return System("stdin", outputs) if str(path) == "-" else System(Path(path).stem, outputs, str(path))


def check_count(path: object, lines: int, other: object, expected: int) -> None:
    """Raise TranslitError unless both files have the same number of lines."""
    if lines != expected:
        raise TranslitError(
            f"{path}: {lines:,} lines, but {other} has {expected:,}; "
            "line i of each file must belong together, look for a lost or an added line break"
        )


def _checked(
    name: str, sources: list[str] | None, references: list[list[str]] | None, path: object
) -> EvalData:
    """Refuse an empty set and an empty reference (a score against nothing means nothing)."""
    data = EvalData(name, sources, references)
    if not len(data):
        raise TranslitError(f"{name}: no lines; nothing can be scored")
    if references is None:
        return data
    kept = []
    for i, candidates in enumerate(references):
        present = [text for text in candidates if text.strip()]
        if not present and (sources is None or sources[i].strip()):
            raise TranslitError(
                f"{where(path, i + 1)}: the reference is empty; write it, or delete this line from every file"
            )
        kept.append(
            present or [""]
        )  # a blank source with a blank reference costs nothing and keeps the count
    return EvalData(name, sources, kept)


def check_language(data: EvalData, target_lang: str) -> None:
    """Raise TranslitError for what is no code, or references that should be Chinese and, by their script, are not."""
    if not _CODE.fullmatch(base_language(target_lang)):
        raise TranslitError(
            f"--target-lang {target_lang}: not a language code; give one such as zh, yue or en"
        )
    if data.references is None or not is_chinese_language(target_lang):
        return
    if han_share([candidates[0] for candidates in data.references]) >= 0.5:
        return
    if data.sources is not None and han_share(data.sources) >= 0.5:
        advice = "source and reference look swapped"
    else:
        advice = "check the files, or say --target-lang"
    raise TranslitError(f"{data.name}: most references hold no Chinese character; {advice}")


def han_share(texts: Sequence[str]) -> float:
    """The share of the texts with letters that hold a Han character; 1.0 when no text has letters."""
    lettered = [text for text in texts if has_letters(text)]
    return sum(count_han(text) > 0 for text in lettered) / len(lettered) if lettered else 1.0
