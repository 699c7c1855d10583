"""Dropout that costs little on a CPU."""

from __future__ import annotations

import torch
from torch import Tensor, nn

_POOL_SIZE = 1 << 22


class Dropout(nn.Module):
    """Sets each number to zero with probability ``p`` while training, and scales the others by 1/(1-p) (§5.4).

    Drawing fresh random numbers for every activation costs a CPU ten times a LayerNorm. So on a CPU the masks are
    slices, at random places, of one large pool of random zeros and ones.
    """

    _pools: dict[tuple[float, torch.dtype], Tensor] = {}  # noqa: RUF012 — shared by all layers on purpose

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        if x.device.type != "cpu" or x.numel() > _POOL_SIZE // 2 or torch.compiler.is_compiling():
            return nn.functional.dropout(x, self.p)
        pool = self._pool(x.dtype)
        start = int(torch.randint(_POOL_SIZE - x.numel(), ()))
        return x * pool[start : start + x.numel()].view(x.shape)

    def _pool(self, dtype: torch.dtype) -> Tensor:
        key = (self.p, dtype)
        if key not in self._pools:
            # A generator of its own: the pool is the same in every run and leaves the training's randomness alone.
            generator = torch.Generator().manual_seed(0)
            keep = torch.rand(_POOL_SIZE, generator=generator) >= self.p
            self._pools[key] = keep.to(dtype) / (1 - self.p)
        return self._pools[key]
