"""The Transformer: an encoder reads the source, a decoder writes the target (Attention Is All You Need, figure 1)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from translit.config import ModelConfig
from translit.model.attention import KeysValues, causal_mask
from translit.model.embedding import Embedding
from translit.model.layers import DecoderLayer, EncoderLayer
from translit.model.trace import Trace, at
from translit.text.tokenizer import PAD


@dataclass
class Memory:
    """What the decoder knows about the source, computed once per sentence."""

    states: Tensor  # (B, S, d): the encoder's output
    mask: Tensor  # (B, 1, 1, S): True on real tokens, False on padding
    keys_values: list[KeysValues]  # per decoder layer, the cross-attention's K and V, each (B, h, S, d_k)

    def select(self, rows: Tensor) -> Memory:
        """The memory of the sentences ``rows``, in that order."""
        keys_values = [(k.index_select(0, rows), v.index_select(0, rows)) for k, v in self.keys_values]
        return Memory(self.states.index_select(0, rows), self.mask.index_select(0, rows), keys_values)

    @staticmethod
    def join(parts: list[Memory]) -> Memory:
        """The memories of several batches as that of one, padded to the longest source of all."""
        if len(parts) == 1:
            return parts[0]
        S = max(part.mask.size(3) for part in parts)

        def joined(tensors: list[Tensor], dim: int) -> Tensor:
            """Padded in ``dim`` (the positions of the source, counted from the end), then on top of each other."""
            return torch.cat([F.pad(x, (0, 0) * (-dim - 1) + (0, S - x.size(dim))) for x in tensors])

        return Memory(
            joined([part.states for part in parts], -2),
            joined([part.mask for part in parts], -1),
            [
                (joined([k for k, _ in layer], -2), joined([v for _, v in layer], -2))
                for layer in zip(*(part.keys_values for part in parts), strict=True)
            ],
        )


class Transformer(nn.Module):
    """Encoder–decoder with its embeddings and its output layer."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = Embedding(config.source_vocab, config.d_model, config.dropout)
        self.target_embedding = Embedding(config.target_vocab, config.d_model, config.dropout)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        # With pre-norm the last layer's sum leaves un-normalised: one more norm on top of each stack.
        last_norm = nn.LayerNorm if config.norm == "pre" else nn.Identity
        self.encoder_norm = last_norm(config.d_model)
        self.decoder_norm = last_norm(config.d_model)
        self.output = nn.Linear(config.d_model, config.target_vocab, bias=False)
        self.initialize()
        if config.tie_embeddings:
            self.output.weight = self.target_embedding.tokens.weight

    def initialize(self) -> None:
        """Xavier for the matrices; embeddings so that √d_model · embedding has variance 1."""
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.tokens.weight, std=self.config.d_model**-0.5)

    def forward(self, source: Tensor, target: Tensor, trace: Trace | None = None) -> Tensor:
        """source (B, S) and target (B, T), which begins with ``<s>`` → logits (B, T, V) of each next token."""
        states, _ = self.decode(target, self.encode(source, trace), trace=trace)
        return self.logits(states)

    def encode(self, source: Tensor, trace: Trace | None = None) -> Memory:
        """source (B, S), padded with ``<pad>`` at the end → the decoder's view of it."""
        mask = (source != PAD)[:, None, None, :]  # (B, 1, 1, S)
        x = self.source_embedding(source, trace=at(trace, "source_embedding"))  # (B, S, d)
        for i, layer in enumerate(self.encoder):
            x = layer(x, mask, at(trace, f"encoder.{i}"))
        return self.remember(self.encoder_norm(x), mask)

    def remember(self, states: Tensor, mask: Tensor) -> Memory:
        """Encoder output (B, S, d) → memory, with every decoder layer's keys and values ready."""
        keys_values = [layer.cross_attention.keys_values(states) for layer in self._decoder]
        # In one piece: every step of the decoder will read them, and would have to gather them each time.
        return Memory(states, mask, [(k.contiguous(), v.contiguous()) for k, v in keys_values])

    def decode(
        self,
        target: Tensor,
        memory: Memory,
        past: list[KeysValues] | None = None,
        trace: Trace | None = None,
    ) -> tuple[Tensor, list[KeysValues]]:
        """target (B, T), a continuation of the ``past`` tokens, → states (B, T, d) and the new past.

        B may be b times what ``memory`` holds: the first b rows are then translations of its first sentence …
        """
        start = past[0][0].size(2) if past else 0
        x = self.target_embedding(target, start, at(trace, "target_embedding"))  # (B, T, d)
        T = target.size(1)
        # One new token may look at everything there is; several must not look ahead of themselves.
        causal = causal_mask(start + T, target.device)[start:] if T > 1 else None  # (T, start + T)
        present = []
        for i, layer in enumerate(self._decoder):
            x, keys_values = layer(
                x,
                memory.keys_values[i],
                causal,
                memory.mask,
                past[i] if past else None,
                at(trace, f"decoder.{i}"),
            )
            present.append(keys_values)
        return self.decoder_norm(x), present

    def logits(self, states: Tensor) -> Tensor:
        """states (…, d) → one score for every target token (…, V); softmax makes them probabilities."""
        scores: Tensor = self.output(states)
        return scores

    @property
    def _decoder(self) -> list[DecoderLayer]:
        return list(self.decoder)  # type: ignore[arg-type]  # ModuleList is typed as holding plain modules


def count_parameters(model: nn.Module) -> int:
    """Numbers that training can change; tied weights count once."""
    return sum(p.numel() for p in model.parameters())


def pad(rows: list[list[int]], device: torch.device | str | None = None) -> Tensor:
    """Lists of token ids → (B, longest), filled up with ``<pad>``."""
    width = max(map(len, rows), default=0)
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows], device=device)
