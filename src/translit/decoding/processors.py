"""Rules that forbid tokens while a translation is being written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

# (logits (N, V), ids written so far (N, t) without <s>) → logits (N, V), -inf where a token is forbidden
LogitsProcessor = Callable[[Tensor, Tensor], Tensor]


def no_repeat_ngram(n: int) -> LogitsProcessor:
    """Forbid every token that would complete an n-gram already written."""

    def process(logits: Tensor, ids: Tensor) -> Tensor:
        if ids.size(1) < n:
            return logits
        windows = ids.unfold(1, n, 1)  # (N, t - n + 1, n): every n-gram so far
        last = ids[:, ids.size(1) - n + 1 :].unsqueeze(1)  # (N, 1, n - 1): how the next n-gram begins
        row, place = (windows[:, :, :-1] == last).all(dim=2).nonzero(as_tuple=True)
        return logits.index_put((row, windows[row, place, -1]), logits.new_tensor(-math.inf))

    return process


def ban(tokens: Sequence[int]) -> LogitsProcessor:
    """Forbid ``tokens`` everywhere."""
    banned = torch.tensor(list(tokens), dtype=torch.long)

    def process(logits: Tensor, ids: Tensor) -> Tensor:
        return logits.index_fill(1, banned.to(logits.device), -math.inf)

    return process
