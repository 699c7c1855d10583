"""Tokens and positions become vectors (Attention Is All You Need, §3.4 and §3.5)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from translit.model.dropout import Dropout
from translit.model.trace import Trace


def sinusoidal_positions(length: int, d_model: int) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(the same): (length, d_model)."""
    position = torch.arange(length).unsqueeze(1)  # (length, 1)
    frequency = torch.exp(-math.log(10_000) * torch.arange(0, d_model, 2) / d_model)  # (d/2,)
    angle = position * frequency  # (length, d/2)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)  # (length, d): sin, cos, sin, cos, …


class Embedding(nn.Module):
    """Token embedding · √d_model + position."""

    positions: Tensor

    def __init__(self, vocab: int, d_model: int, dropout: float) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab, d_model)
        self.dropout = Dropout(dropout)
        self.register_buffer("positions", sinusoidal_positions(256, d_model), persistent=False)

    def forward(self, ids: Tensor, start: int = 0, trace: Trace | None = None) -> Tensor:
        """ids (B, T), the first of them at position ``start`` → (B, T, d)."""
        end = start + ids.size(1)
        if end > self.positions.size(0):  # no sentence is too long: grow the table
            longer = sinusoidal_positions(2 * end, self.positions.size(1))
            self.positions = longer.to(self.positions)
        scaled = self.tokens(ids) * math.sqrt(self.positions.size(1))  # (B, T, d)
        position = self.positions[start:end]  # (T, d)
        x = scaled + position
        if trace is not None:
            trace.record(scaled=scaled, positions=position, output=x)
        dropped: Tensor = self.dropout(x)
        return dropped
