"""A corpus on disk, ready for training: normalised, filtered, and reached by number without being loaded.

The text itself is kept rather than token ids, because augmentation rewrites sentences before they are tokenised;
SentencePiece is a hundred times faster than a training step. The file is memory-mapped, so ten million pairs take
no more memory than ten.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from pathlib import Path

import numpy as np

from translit.data.bitext import Corpus
from translit.errors import TranslitError
from translit.text.normalize import normalize_source, normalize_target

_VERSION = 1  # raise it when normalisation or filters change, so that old stores are rebuilt


class TextStore:
    """Random access to the pairs of one corpus: ``store[i]`` is (source, target)."""

    def __init__(self, path: Path) -> None:
        self.report: dict[str, int] = json.loads((path / "report.json").read_text("utf-8"))
        self._offsets = np.load(path / "offsets.npy", mmap_mode="r")  # (pairs + 1,) byte positions
        self._text = np.memmap(path / "text.tsv", dtype=np.uint8, mode="r") if len(self) else b""

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index: int) -> tuple[str, str]:
        start, end = int(self._offsets[index]), int(self._offsets[index + 1])
        source, target = bytes(self._text[start : end - 1]).decode("utf-8").split("\t")
        return source, target


def open_store(corpus: Corpus, home: Path) -> TextStore:
    """The store of ``corpus`` under ``home``; built on first use, and again when a file has changed."""
    stamps = [(str(p.resolve()), p.stat().st_size, p.stat().st_mtime_ns) for p in corpus.paths]
    key = hashlib.sha256(json.dumps([_VERSION, stamps]).encode()).hexdigest()[:16]
    path = home / f"{corpus.paths[0].name}-{key}"
    if not (path / "report.json").is_file():
        _build(corpus, path)
    return TextStore(path)


def _build(corpus: Corpus, path: Path) -> None:
    path.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    offsets = [0]
    with open(path / "text.tsv.part", "wb") as out:
        for pair in corpus.pairs():
            source = normalize_source(pair.source.replace("\n", " ").replace("\r", " "))
            target = normalize_target(pair.target.replace("\n", " ").replace("\r", " "), tight=True)
            if not source or not target:
                counts["empty"] += 1
                continue
            counts["pairs"] += 1
            out.write(f"{source}\t{target}\n".encode("utf-8", "replace"))
            offsets.append(out.tell())
    if not counts["pairs"]:
        raise TranslitError(f"{corpus.name}: no sentence pairs in it; give a corpus with at least one")
    np.save(path / "offsets.npy", np.array(offsets, dtype=np.int64))
    os.replace(path / "text.tsv.part", path / "text.tsv")
    (path / "report.json").write_text(json.dumps(counts), "utf-8")
