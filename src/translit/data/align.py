"""Which source token each target token translates: statistical word alignments of the training pairs.

eflomal (Östling & Tiedemann 2016, a Bayesian IBM-1/HMM/fertility model; extra ``align``) aligns the tokens in both
directions; the two are joined by grow-diag-final-and (Koehn et al. 2003, as in Moses). Guided alignment
(``translit.training.guided``) teaches them to one attention head.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from translit.data.store import TextStore
from translit.errors import TranslitError
from translit.text.tokenizer import Tokenizer

Link = tuple[int, int]  # (source token, target token), from 0, special tokens not counted
_VERSION = 1  # raise it when the aligner or the symmetrisation changes
_MOST_PAIRS = 300_000  # enough statistics; a pair without links only lacks the guided loss
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


class Alignments:
    """The links of the pairs of several stores, memory-mapped: ``alignments.of(store_number, pair_number)``."""

    def __init__(self, path: Path) -> None:
        self.report: dict[str, int] = json.loads((path / "report.json").read_text("utf-8"))
        self._starts = np.load(path / "starts.npy")  # (stores + 1,): where each store's pairs begin
        self._offsets = np.load(
            path / "offsets.npy", mmap_mode="r"
        )  # (pairs + 1,): where each pair's links begin
        self._links = np.load(path / "links.npy", mmap_mode="r" if self.report["links"] else None)

    def of(self, store: int, pair: int) -> np.ndarray:
        """(n, 2) source and target token of every link; n = 0 for a pair that was not aligned."""
        index = int(self._starts[store]) + pair
        return np.asarray(self._links[int(self._offsets[index]) : int(self._offsets[index + 1])])


def open_alignments(
    corpora: Sequence[tuple[TextStore, float]],
    source: Tokenizer,
    target: Tokenizer,
    max_tokens: int,
    home: Path,
) -> Alignments:
    """The alignments of ``corpora`` (stores and weights) under ``home``; computed on first use, then found again.

    At most 300,000 pairs are aligned, each store in the share it has in training, spread evenly; pairs longer than
    ``max_tokens`` are never trained on, nor aligned. eflomal samples at random, without a seed: a second computation
    differs in a few links. Raises TranslitError when eflomal is not installed.
    """
    tokenizers = [hashlib.sha256(t.model).hexdigest() for t in (source, target)]
    stores = [(str(store.path.name), weight) for store, weight in corpora]
    key = hashlib.sha256(json.dumps([_VERSION, tokenizers, stores, max_tokens]).encode()).hexdigest()[:16]
    path = home / f"alignment-{key}"
    if not (path / "report.json").is_file():
        try:
            _build(corpora, source, target, max_tokens, path)
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
    return Alignments(path)


def _build(
    corpora: Sequence[tuple[TextStore, float]],
    source: Tokenizer,
    target: Tokenizer,
    max_tokens: int,
    path: Path,
) -> None:
    starts = np.cumsum([0, *(len(store) for store, _ in corpora)])
    shares = [len(store) * min(1.0, weight) for store, weight in corpora]
    scale = min(1.0, _MOST_PAIRS / sum(shares))
    chosen: list[int] = []  # pair numbers over all stores
    tokens: list[tuple[list[int], list[int]]] = []
    for (store, _), start, share in zip(corpora, starts, shares, strict=False):
        count = max(1, round(share * scale))
        for i in (n * len(store) // count for n in range(count)):
            pair = store[i]
            ids = source.encode(pair[0]), target.encode(pair[1])
            if ids[0] and ids[1] and max(map(len, ids)) < max_tokens:
                chosen.append(int(start) + i)
                tokens.append(ids)
    counts = np.zeros(int(starts[-1]) + 1, dtype=np.int64)
    links: list[Link] = []
    if tokens:
        for pair_number, found in zip(chosen, align(tokens, source, target), strict=True):
            counts[pair_number + 1] = len(found)
            links += found
    path.mkdir(parents=True, exist_ok=True)
    np.save(path / "starts.npy", starts)
    np.save(path / "offsets.npy", counts.cumsum())
    np.save(
        path / "links.npy",
        np.array(links, dtype=np.uint16 if max_tokens < 2**16 else np.uint32).reshape(-1, 2),
    )
    (path / "report.json.part").write_text(json.dumps({"pairs": len(tokens), "links": len(links)}), "utf-8")
    os.replace(path / "report.json.part", path / "report.json")  # last: it says that all is there


def align(
    tokens: Sequence[tuple[list[int], list[int]]], source: Tokenizer, target: Tokenizer
) -> Iterator[list[Link]]:
    """The links of every pair of token ids (no side empty, special tokens left out), sorted, in the order given."""
    for forward, backward in align_both_ways(tokens, source, target):
        yield sorted(grow_diag_final_and(forward, backward))


def align_both_ways(
    tokens: Sequence[tuple[list[int], list[int]]], source: Tokenizer, target: Tokenizer
) -> Iterator[tuple[set[Link], set[Link]]]:
    """For every pair the links that give each target token at most one source token, and the other way round."""
    try:
        from eflomal import Aligner
    except ImportError:
        raise TranslitError(
            "guided alignment needs eflomal: pip install 'translit-nmt[align]' (it needs a C compiler), "
            "or set training.guided_alignment = 0"
        ) from None
    words = [(_case_folded(source), [s for s, _ in tokens]), (_case_folded(target), [t for _, t in tokens])]
    lines = [[" ".join(str(folded[i]) for i in ids) for ids in side] for folded, side in words]
    with TemporaryDirectory(prefix="translit-") as scratch:
        names = [f"{scratch}/{name}" for name in ("forward", "backward")]
        # One sampler, not three: a third of the time, and the links are smoothed by symmetrisation anyway.
        Aligner(n_samplers=1).align(*lines, links_filename_fwd=names[0], links_filename_rev=names[1])
        with open(names[0]) as forward, open(names[1]) as backward:
            for one, other in zip(forward, backward, strict=True):
                yield _links(one), _links(other)


def grow_diag_final_and(forward: set[Link], backward: set[Link]) -> set[Link]:
    """The links both directions agree on, grown by neighbouring links of either, then by links between free tokens."""
    union = forward | backward
    links = forward & backward
    sources, targets = {i for i, _ in links}, {j for _, j in links}
    new = sorted(links)
    while new:
        grown = []
        for i, j in new:
            for di, dj in _NEIGHBOURS:
                link = (i + di, j + dj)
                if link in union and link not in links and (link[0] not in sources or link[1] not in targets):
                    links.add(link)
                    sources.add(link[0])
                    targets.add(link[1])
                    grown.append(link)
        new = grown
    for direction in (forward, backward):
        for i, j in sorted(direction):
            if i not in sources and j not in targets:
                links.add((i, j))
                sources.add(i)
                targets.add(j)
    return links


def _case_folded(tokenizer: Tokenizer) -> list[int]:
    """For every token the first one that differs from it at most in case: ``▁Love`` and ``▁love`` share statistics."""
    first: dict[str, int] = {}
    return [first.setdefault(piece.lower(), i) for i, piece in enumerate(tokenizer.vocabulary)]


def _links(line: str) -> set[Link]:
    return {(int(i), int(j)) for i, _, j in (link.partition("-") for link in line.split())}
