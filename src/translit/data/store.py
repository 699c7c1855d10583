"""A corpus on disk, ready for training: normalised, filtered, and reached by number without being loaded.

The text itself is kept rather than token ids, because augmentation rewrites sentences before they are tokenised;
SentencePiece is a hundred times faster than a training step. The file is memory-mapped, so ten million pairs take
no more memory than ten.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
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
        self.path = path
        self.report: dict[str, int] = json.loads((path / "report.json").read_text("utf-8"))
        self._offsets = np.load(path / "offsets.npy", mmap_mode="r")  # (pairs + 1,) byte positions
        self.held_out = _read_pairs(path / "held_out.tsv")
        self._text = np.memmap(path / "text.tsv", dtype=np.uint8, mode="r") if len(self) else b""

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index: int) -> tuple[str, str]:
        start, end = int(self._offsets[index]), int(self._offsets[index + 1])
        source, target = bytes(self._text[start : end - 1]).decode("utf-8").split("\t")
        return source, target


def open_store(corpus: Corpus, home: Path, hold_out: int = 0) -> TextStore:
    """The store of ``corpus`` under ``home``; built on first use, and again when a file has changed.

    ``hold_out`` keeps about that many pairs (at most a fiftieth of them) apart as ``store.held_out``.
    """
    stamps = [(str(p.resolve()), p.stat().st_size, p.stat().st_mtime_ns) for p in corpus.paths]
    key = hashlib.sha256(json.dumps([_VERSION, stamps, hold_out]).encode()).hexdigest()[:16]
    path = home / f"{corpus.paths[0].name}-{key}"
    if not (path / "report.json").is_file():
        try:
            _build(corpus, path, hold_out)
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
    return TextStore(path)


def _build(corpus: Corpus, path: Path, hold_out: int) -> None:
    path.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    offsets = [0]
    with open(path / "text.tsv.part", "wb") as out, open(path / "held_out.tsv", "wb") as held:
        for pair in corpus.pairs():
            source = normalize_source(pair.source.replace("\n", " ").replace("\r", " "))
            target = normalize_target(pair.target.replace("\n", " ").replace("\r", " "), tight=True)
            if not source or not target:
                counts["empty"] += 1
                continue
            line = f"{source}\t{target}\n".encode("utf-8", "replace")
            # By the source's hash, so that equal sentences fall on the same side; and the first, so that there is one.
            chosen = counts.total() == 0 or zlib.crc32(source.encode("utf-8", "replace")) % 50 == 0
            if counts["held_out"] < hold_out and chosen:
                counts["held_out"] += 1
                held.write(line)
                continue
            counts["pairs"] += 1
            out.write(line)
            offsets.append(out.tell())
    if not counts["pairs"]:
        raise TranslitError(f"{corpus.name}: no sentence pairs in it; give a corpus with at least one")
    np.save(path / "offsets.npy", np.array(offsets, dtype=np.int64))
    os.replace(path / "text.tsv.part", path / "text.tsv")
    (path / "report.json.part").write_text(json.dumps(counts), "utf-8")
    os.replace(path / "report.json.part", path / "report.json")  # last: it says that all is there


def _read_pairs(path: Path) -> list[tuple[str, str]]:
    rows = (line.split("\t") for line in path.read_text("utf-8").split("\n")[:-1])
    return [(source, target) for source, target in rows]
