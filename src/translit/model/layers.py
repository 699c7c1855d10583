"""One encoder layer and one decoder layer (Attention Is All You Need, §3.1 and §3.3, figure 1)."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from translit.config import ModelConfig
from translit.model.attention import KeysValues, MultiHeadAttention
from translit.model.dropout import Dropout
from translit.model.trace import Trace, at


class FeedForward(nn.Module):
    """Linear → ReLU → Linear, the same for every position (§3.3)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.w_1 = nn.Linear(config.d_model, config.d_ff)
        self.w_2 = nn.Linear(config.d_ff, config.d_model)
        self.activation = F.relu if config.activation == "relu" else F.gelu

    def forward(self, x: Tensor, trace: Trace | None = None) -> Tensor:
        inner = self.activation(self.w_1(x))  # (B, T, d_ff)
        output: Tensor = self.w_2(inner)  # (B, T, d)
        if trace is not None:
            trace.record(inner=inner, output=output)
        return output


class AddNorm(nn.Module):
    """The residual connection and layer normalisation around one sub-layer.

    post-norm, the paper's: LayerNorm(x + sublayer(x)); pre-norm: x + sublayer(LayerNorm(x)).
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.d_model)
        self.dropout = Dropout(config.dropout)
        self.pre_norm = config.norm == "pre"

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor], trace: Trace | None = None) -> Tensor:
        if self.pre_norm:
            output = x + self.dropout(sublayer(self.norm(x)))
        else:
            output = self.norm(x + self.dropout(sublayer(x)))
        if trace is not None:
            trace.record(output=output)
        return output


class EncoderLayer(nn.Module):
    """Self-attention, Add & Norm, feed-forward, Add & Norm."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.add_norm_1 = AddNorm(config)
        self.feed_forward = FeedForward(config)
        self.add_norm_2 = AddNorm(config)

    def forward(self, x: Tensor, mask: Tensor, trace: Trace | None = None) -> Tensor:
        """x (B, S, d), mask (B, 1, 1, S) → (B, S, d)."""

        def attend(y: Tensor) -> Tensor:
            attention = self.self_attention
            return attention(y, attention.keys_values(y), mask, at(trace, "self_attention"))

        x = self.add_norm_1(x, attend, at(trace, "add_norm_1"))
        return self.add_norm_2(
            x, lambda y: self.feed_forward(y, at(trace, "feed_forward")), at(trace, "add_norm_2")
        )


class DecoderLayer(nn.Module):
    """Masked self-attention, encoder–decoder attention, feed-forward, each with Add & Norm."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.add_norm_1 = AddNorm(config)
        self.cross_attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.add_norm_2 = AddNorm(config)
        self.feed_forward = FeedForward(config)
        self.add_norm_3 = AddNorm(config)

    def forward(
        self,
        x: Tensor,
        memory: KeysValues,
        causal: Tensor | None,
        source_mask: Tensor,
        past: KeysValues | None = None,
        trace: Trace | None = None,
    ) -> tuple[Tensor, KeysValues]:
        """x (B, T, d) with the keys and values of the encoder's output and of the ``past`` tokens → (B, T, d).

        Also returns the keys and values of past and present, to be the ``past`` of the next step.
        """
        present: KeysValues | None = None

        def attend_to_itself(y: Tensor) -> Tensor:
            nonlocal present
            present = self.self_attention.keys_values(y)
            if past is not None:
                k, v = present
                present = torch.cat((past[0], k), dim=2), torch.cat((past[1], v), dim=2)
            return self.self_attention(y, present, causal, at(trace, "self_attention"))

        def attend_to_source(y: Tensor) -> Tensor:
            sentences = memory[0].size(0)
            if sentences == y.size(0):
                return self.cross_attention(y, memory, source_mask, at(trace, "cross_attention"))
            together = y.reshape(sentences, -1, y.size(2))  # all translations of a sentence read it together
            return self.cross_attention(together, memory, source_mask).view_as(y)

        x = self.add_norm_1(x, attend_to_itself, at(trace, "add_norm_1"))
        x = self.add_norm_2(x, attend_to_source, at(trace, "add_norm_2"))
        x = self.add_norm_3(
            x, lambda y: self.feed_forward(y, at(trace, "feed_forward")), at(trace, "add_norm_3")
        )
        assert present is not None
        return x, present
