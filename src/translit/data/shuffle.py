"""A shuffled order of any length, without holding it in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shuffled(positions: NDArray[np.int64], size: int, seed: int) -> NDArray[np.int64]:
    """Where each of ``positions`` in 0…size-1 goes in a pseudo-random permutation chosen by ``seed``.

    A four-round Feistel network over the next power of four, walked until it lands inside ``size`` (Black and
    Rogaway, *Ciphers with Arbitrary Finite Domains*, 2002): the same order every time, no table, no memory.
    """
    half = max(1, (max(size - 1, 1).bit_length() + 1) // 2)
    mask = np.uint64((1 << half) - 1)
    keys = np.random.default_rng(seed).integers(1, 1 << 62, size=4, dtype=np.uint64) | np.uint64(1)
    values = positions.astype(np.uint64)
    outside = np.ones(len(values), dtype=bool)
    while outside.any():
        values[outside] = _feistel(values[outside], half, mask, keys)
        outside = values >= np.uint64(size)
    return values.astype(np.int64)


def _feistel(
    values: NDArray[np.uint64], half: int, mask: np.uint64, keys: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    left, right = values >> np.uint64(half), values & mask
    for key in keys:
        mixed = (right + key) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(32))) * key
        left, right = right, left ^ ((mixed >> np.uint64(29)) & mask)
    return (left << np.uint64(half)) | right
