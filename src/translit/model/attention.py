"""Attention: softmax(QKᵀ/√d_k)·V, and several heads of it side by side (Attention Is All You Need, §3.2).

Shapes: B sentences in the batch, T queries, S keys, h heads, d = d_model, d_k = d/h numbers per head.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from translit.model.trace import Trace

KeysValues = tuple[Tensor, Tensor]  # K and V, each (B, h, S, d_k)


def scaled_dot_product_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, trace: Trace | None = None
) -> Tensor:
    """softmax(QKᵀ/√d_k)·V (equation 1).

    q (B, h, T, d_k), k and v (B, h, S, d_k); mask is boolean, broadcastable to (B, h, T, S), True where a query may
    look. Returns (B, h, T, d_k). The fused kernel of PyTorch and the written-out formula give the same numbers;
    on a CPU the written-out one is faster for sentences, and only it can show its weights.
    """
    if q.device.type != "cpu" and trace is None:
        return F.scaled_dot_product_attention(q, k, v, mask)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, h, T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)  # (B, h, T, S), each row sums to 1
    if trace is not None:
        trace.record(q=q, k=k, v=v, scores=scores, weights=weights)
    return weights @ v  # (B, h, T, d_k)


class MultiHeadAttention(nn.Module):
    """Concat(head₁ … head_h)·W_O, where headᵢ attends with its own W_Q, W_K, W_V (§3.2.2).

    The h small matrices of each kind are stored side by side in one (d, d) matrix.
    """

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def keys_values(self, x: Tensor) -> KeysValues:
        """What others may ask about ``x`` (B, S, d): its keys and values, each (B, h, S, d_k)."""
        return self._split(self.w_k(x)), self._split(self.w_v(x))

    def forward(
        self, x: Tensor, keys_values: KeysValues, mask: Tensor | None, trace: Trace | None = None
    ) -> Tensor:
        """Every position of ``x`` (B, T, d) asks the keys and receives a blend of the values: (B, T, d)."""
        k, v = keys_values
        heads = scaled_dot_product_attention(self._split(self.w_q(x)), k, v, mask, trace)  # (B, h, T, d_k)
        if trace is not None:
            heads = trace.mask_heads(heads)
        concat = heads.transpose(1, 2).flatten(2)  # (B, T, d)
        output: Tensor = self.w_o(concat)
        if trace is not None:
            trace.record(concat=concat, output=output)
        return output

    def _split(self, x: Tensor) -> Tensor:
        B, T, _ = x.shape
        return x.view(B, T, self.n_heads, -1).transpose(1, 2)  # (B, h, T, d_k)


def causal_mask(size: int, device: torch.device | None = None) -> Tensor:
    """(size, size), True on and below the diagonal: a position sees itself and what came before it (§3.2.3)."""
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()
