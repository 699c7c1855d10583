"""Rules that forbid tokens, or insist on some, while a translation is being written."""

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


def require(tokens: Sequence[int], ends: Sequence[int], limit: int) -> LogitsProcessor:
    """Have each of ``tokens`` (all different) written exactly once.

    ``ends`` are ``</s>`` and the marks that end a sentence. None of them may be written while a token is missing:
    the missing token takes the chances of the likeliest one, so it stands where the model would have ended. After
    ``limit`` tokens the search stops; shortly before, what is missing is written one after the other.
    """
    wanted, stops = torch.tensor(list(tokens)), torch.tensor(list(ends))  # (K), (E)

    def process(logits: Tensor, ids: Tensor) -> Tensor:
        required, end = wanted.to(logits.device), stops.to(logits.device)
        written = (ids[:, :, None] == required).any(dim=1)  # (N, K)
        incomplete = ~written.all(dim=1)  # (N)
        urgent = (~written).sum(dim=1) >= limit - ids.size(1)  # (N)
        following = required[(~written).int().argmax(dim=1)]  # (N): the first that is missing
        row = torch.arange(len(ids), device=logits.device)
        chance = torch.maximum(logits[row, following], logits[:, end].amax(dim=1))  # (N)

        logits = logits.clone()
        logits[:, required] = logits[:, required].masked_fill(written, -math.inf)
        logits[:, end] = logits[:, end].masked_fill(incomplete[:, None], -math.inf)
        logits[incomplete & urgent] = -math.inf
        logits[row[incomplete], following[incomplete]] = torch.where(urgent, 0.0, chance)[incomplete]
        return logits

    return process
