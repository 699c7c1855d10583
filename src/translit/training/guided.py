"""Guided alignment: one cross-attention head learns to look at the word being translated.

An attention head need not look where a person would. Teaching one head statistical word alignments, beside the
translation, makes its attention an alignment, and leaves the other heads free (Garg et al. 2019, *Jointly Learning to
Align and Translate with Transformer Models*, §3.2; here without their second pass over the whole target, so the head
tells where the model looks while it chooses the next token).
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from translit.config import ModelConfig, TrainConfig
from translit.data.batches import Batch
from translit.errors import TranslitError
from translit.model.trace import Trace


@dataclass(frozen=True)
class GuidedHead:
    """The head that is taught, and how much that counts."""

    layer: int  # of the decoder, from 0
    head: int  # from 0
    weight: float  # of its loss beside the translation's

    @classmethod
    def chosen(cls, training: TrainConfig, model: ModelConfig) -> GuidedHead | None:
        """The head of the settings, None when nothing is guided. Raises TranslitError when the model lacks it."""
        if not training.guided_alignment:
            return None
        layer = training.guided_layer or max(1, model.decoder_layers - 1)
        head = training.guided_head or model.n_heads
        if layer > model.decoder_layers or head > model.n_heads:
            raise TranslitError(
                f"training.guided_layer {layer}, guided_head {head}: the decoder has {model.decoder_layers} layers "
                f"of {model.n_heads} heads; choose among them, or 0 for the default"
            )
        return cls(layer - 1, head - 1, training.guided_alignment)

    @property
    def place(self) -> str:
        """The name of its sub-layer in a trace."""
        return f"decoder.{self.layer}.cross_attention"

    def trace(self) -> Trace:
        """What a forward pass must write down for ``loss``."""
        return Trace(only=self.place)

    def loss(self, trace: Trace, batch: Batch) -> Tensor:
        """Weighted cross-entropy of the head's attention against the alignment, summed over the batch, in nats.

        A target token with n links should give each of them 1/n of its attention; one without links counts nothing.
        """
        assert batch.links is not None
        assert batch.shares is not None
        scores = trace[f"{self.place}.scores"][:, self.head]  # (B, T, S)
        log_attention = scores.float().log_softmax(dim=-1)  # weights in bf16 would round small ones to 0
        row, target, source = batch.links.unbind(1)  # (L,) each
        return -self.weight * (batch.shares * log_attention[row, target, source]).sum()
