"""A corpus on disk, ready for training: normalised, filtered, and reached by number without being loaded.

The text itself is kept rather than token ids, because augmentation rewrites sentences before they are tokenised;
SentencePiece is a hundred times faster than a training step. Nothing is held in memory, neither while building nor
while reading, so ten million pairs take no more of it than ten thousand (benchmarks/corpus_memory.py).
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import struct
import threading
import zlib
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np

from translit.data.bitext import Corpus
from translit.errors import TranslitError
from translit.text import normalize
from translit.text.normalize import normalize_source, normalize_target
from translit.text.script import HAN

_VERSION = 1  # raise it when what ``_build`` leaves out changes, so that old stores are rebuilt
_OFFSET = struct.Struct("=q")  # a byte position in the text, as NumPy's int64


class _File:
    """The bytes of a file at any place, for any thread.

    Read, not memory-mapped: pages that a mapping has touched count as memory of the process, and a shuffled epoch
    touches all of them. The system's file cache makes both equally fast.
    """

    def __init__(self, path: Path) -> None:
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115 — open as long as the store is
        self._lock = threading.Lock()

    def read(self, start: int, end: int) -> bytes:
        with self._lock:
            self._file.seek(start)
            return self._file.read(end - start)

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()


class TextStore:
    """Random access to the pairs of one corpus: ``store[i]`` is (source, target)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.report: dict[str, int] = json.loads((path / "report.json").read_text("utf-8"))
        offsets = np.load(path / "offsets.npy", mmap_mode="r")  # (pairs + 1,)
        self._len, self._first = len(offsets) - 1, offsets.offset  # where in the file they begin
        self.held_out = _read_pairs(path / "held_out.tsv")
        self._offsets = _File(path / "offsets.npy")
        self._text = _File(path / "text.tsv")

    def __len__(self) -> int:
        return self._len

    def __getitem__(self, index: int) -> tuple[str, str]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        place = self._first + _OFFSET.size * index
        (start,), (end,) = _OFFSET.iter_unpack(self._offsets.read(place, place + 2 * _OFFSET.size))
        source, target = self._text.read(start, end - 1).decode("utf-8").split("\t")
        return source, target


@cache
def _normalisation() -> str:
    """A hash of the code that normalises, its comments and layout aside."""
    code = ast.parse(Path(normalize.__file__).read_text("utf-8"))
    return hashlib.sha256((ast.dump(code) + HAN).encode()).hexdigest()


def open_store(corpus: Corpus, home: Path, hold_out: int = 0) -> TextStore:
    """The store of ``corpus`` under ``home``; built on first use, and again when a file or normalisation has changed.

    ``hold_out`` keeps about that many pairs (at most a fiftieth of them) apart as ``store.held_out``.
    """
    stamps = [(str(p.resolve()), p.stat().st_size, p.stat().st_mtime_ns) for p in corpus.paths]
    key = hashlib.sha256(json.dumps([_VERSION, _normalisation(), stamps, hold_out]).encode()).hexdigest()[:16]
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
    with (
        open(path / "text.tsv.part", "wb") as out,
        open(path / "held_out.tsv", "wb") as held,
        open(path / "offsets.part", "wb") as offsets,
    ):
        apart: set[str] = set()  # the sources held out
        position = 0
        offsets.write(_OFFSET.pack(position))
        for pair in corpus.pairs():
            source = normalize_source(pair.source.replace("\n", " ").replace("\r", " "))
            target = normalize_target(pair.target.replace("\n", " ").replace("\r", " "), tight=True)
            if not source or not target:
                counts["empty"] += 1
                continue
            line = f"{source}\t{target}\n".encode("utf-8", "replace")
            # The first pair, so that there is one; then one in fifty. Their sources are left out of the rest.
            one_in_fifty = zlib.crc32(source.encode("utf-8", "replace")) % 50 == 0
            if counts["held_out"] < hold_out and (not apart or one_in_fifty):
                apart.add(source)
                counts["held_out"] += 1
                held.write(line)
                continue
            if source in apart:
                counts["like_held_out"] += 1
                continue
            counts["pairs"] += 1
            out.write(line)
            position += len(line)
            offsets.write(_OFFSET.pack(position))
    if not counts["pairs"]:
        raise TranslitError(f"{corpus.name}: no sentence pairs in it; give a corpus with at least one")
    with open(path / "offsets.part", "rb") as part, open(path / "offsets.npy", "wb") as file:
        shape = {"descr": np.dtype(np.int64).str, "fortran_order": False, "shape": (counts["pairs"] + 1,)}
        np.lib.format.write_array_header_1_0(file, shape)
        shutil.copyfileobj(part, file)
    (path / "offsets.part").unlink()
    os.replace(path / "text.tsv.part", path / "text.tsv")
    (path / "report.json.part").write_text(json.dumps(counts), "utf-8")
    os.replace(path / "report.json.part", path / "report.json")  # last: it says that all is there


def _read_pairs(path: Path) -> list[tuple[str, str]]:
    rows = (line.split("\t") for line in path.read_text("utf-8").split("\n")[:-1])
    return [(source, target) for source, target in rows]
