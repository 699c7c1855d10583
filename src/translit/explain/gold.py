"""Text with hand-made annotations: word alignments, and dependency trees (CoNLL-U), matched to the model's tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from translit.data.bitext import read_lines
from translit.errors import TranslitError, where
from translit.explain.words import piece_spans


@dataclass(frozen=True)
class AlignedPair:
    """One sentence pair with its words and the sure links between them."""

    source: str
    target: str
    source_words: list[str]
    target_words: list[str]
    links: set[tuple[int, int]]  # (source word, target word), from 0


def read_aligned(folder: Path, source: str = "en", target: str = "zh") -> list[AlignedPair]:
    """Read ``X.align`` (lines of ``i-j``) with ``X.en``, ``X.zh`` and their words, ``X.tok.en``,
    ``X.tok.zh``.

    Raises TranslitError for a missing file, files of unequal length, and a link to a word that does not
    exist.
    """
    found = sorted(folder.glob("*.align")) if folder.is_dir() else []
    if len(found) != 1:
        raise TranslitError(
            f"{folder}: {len(found)} .align files; give a folder with X.align, X.{source}, X.{target}, "
            f"X.tok.{source} and X.tok.{target}"
        )
    stem = found[0].with_suffix("")
    names = [found[0], *(Path(f"{stem}.{end}") for end in (source, target, f"tok.{source}", f"tok.{target}"))]
    files = [list(read_lines(name)) for name in names]
    for name, lines in zip(names, files, strict=True):
        if len(lines) != len(files[0]):
            raise TranslitError(
                f"{name}: {len(lines)} lines, but {found[0].name} has {len(files[0])}; they must be parallel"
            )
    return [
        _aligned_pair(line, where(found[0], number))
        for number, line in enumerate(zip(*files, strict=True), 1)
    ]


def _aligned_pair(line: tuple[str, ...], place: str) -> AlignedPair:
    links, source, target, source_words, target_words = line
    pair = AlignedPair(source, target, source_words.split(), target_words.split(), set())
    for link in links.split():
        left, _, right = link.partition("-")
        if not (left.isdecimal() and right.isdecimal()):
            raise TranslitError(f"{place}: {link!r} is not a link; write i-j, word numbers from 0")
        i, j = int(left), int(right)
        if i >= len(pair.source_words) or j >= len(pair.target_words):
            raise TranslitError(f"{place}: link {link} points past the last word; check the word files")
        pair.links.add((i, j))
    return pair


def word_shares(pieces: Sequence[str], words: Sequence[str]) -> Tensor | None:
    """(pieces, words): which share of a piece's characters belongs to each word; None if the texts differ.

    Spaces do not count. Special tokens and pieces that are only a space belong to no word: their row is 0.
    """
    text, spans = piece_spans(pieces)
    owner = [n for n, word in enumerate(words) for _ in word]
    if text.replace(" ", "") != "".join(words):
        return None
    before = 0  # characters so far, spaces not counted
    shares = torch.zeros(len(pieces), len(words))
    last = (-1, -1)
    for i, (start, end) in enumerate(spans):
        if (start, end) == last:  # another byte of the same character
            shares[i] = shares[i - 1]
            continue
        letters = len(text[start:end].replace(" ", ""))
        for word in owner[before : before + letters]:
            shares[i, word] += 1 / letters
        before += letters
        last = (start, end)
    return shares


@dataclass(frozen=True)
class Tree:
    """A sentence with its dependency tree (Universal Dependencies)."""

    text: str
    words: list[str]
    heads: list[int]  # index of each word's head; -1 for the root
    relations: list[str]  # nsubj, obj, amod … without the part after a colon


def read_conllu(path: Path) -> Iterator[Tree]:
    """The trees of a CoNLL-U file. Multi-word ranges (1-2) and empty nodes (1.1) are left out.

    Raises TranslitError naming file and line for a line that is not CoNLL-U.
    """
    text, rows, places = "", [], []
    for number, line in enumerate([*read_lines(path), ""], 1):
        if line.startswith("# text = "):
            text = line.removeprefix("# text = ")
        elif line and not line.startswith("#"):
            columns = line.split("\t")
            if len(columns) != 10:
                raise TranslitError(f"{where(path, number)}: {len(columns)} columns; CoNLL-U has 10")
            if columns[0].isdecimal():
                if not columns[6].isdecimal():
                    raise TranslitError(f"{where(path, number)}: head {columns[6]!r} is not a number")
                rows.append((columns[1], int(columns[6]) - 1, columns[7].split(":")[0]))
                places.append(where(path, number))
        elif not line and rows:
            words, heads, relations = (list(column) for column in zip(*rows, strict=True))
            for place, head in zip(places, heads, strict=True):
                if head >= len(words):
                    raise TranslitError(
                        f"{place}: head {head + 1} is past the last word, {len(words)}; correct the number"
                    )
            yield Tree(text or " ".join(words), words, heads, relations)
            text, rows, places = "", [], []
