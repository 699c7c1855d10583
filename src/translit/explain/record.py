"""The record of one real decode: everything the model computed while it wrote one sentence.

The translation is searched (or given), then ``record_pass`` runs the same model once more over the finished
tokens with a ``Trace``. That one pass computes what the step-by-step search computed, because the causal mask
hides the future.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from translit.model.trace import Trace
from translit.text.tokenizer import BOS, EOS, Tokenizer

if TYPE_CHECKING:
    from translit.model.transformer import Transformer

Kind = Literal["cross", "decoder", "encoder"]
# Where the trace keeps each kind of attention: the stack and the name of the sub-layer.
PLACES: dict[Kind, tuple[str, str]] = {
    "cross": ("decoder", "cross_attention"),
    "decoder": ("decoder", "self_attention"),
    "encoder": ("encoder", "self_attention"),
}


@dataclass(frozen=True)
class Record:
    """One sentence as the model saw and wrote it.

    S source tokens, T steps, V target vocabulary, L layers, h heads.
    """

    text: str  # as the model read it
    translation: str
    source_ids: list[int]  # S, ends in </s>
    target_ids: list[int]  # T, what was written at each step, </s> too unless the search hit its length limit
    source_pieces: list[str]  # S
    target_pieces: list[str]  # T
    log_probs: Tensor  # (T, V) float64: log-probability of every token at every step
    trace: Trace  # every intermediate number of the pass
    given: bool  # the translation was given (teacher forcing), not searched

    @property
    def inputs(self) -> list[str]:
        """The T tokens that the decoder read: ``<s>``, then all it wrote but the last."""
        return ["<s>", *self.target_pieces[:-1]]

    def attention(self, kind: Kind) -> Tensor:
        """All weights of one kind, (L, h, queries, keys); each row sums to 1.

        cross: T × S. decoder: T × T, query t asks while token t is being chosen, key 0 is ``<s>``. encoder: S
        × S.
        """
        stack, name = PLACES[kind]
        layers = len(self.states(stack))
        return torch.cat([self.trace[f"{stack}.{i}.{name}.weights"] for i in range(layers)])

    def states(self, stack: str) -> list[Tensor]:
        """What leaves each layer of "encoder" or "decoder": L tensors (S or T, d)."""
        last = "add_norm_2" if stack == "encoder" else "add_norm_3"
        found, i = [], 0
        while (name := f"{stack}.{i}.{last}.output") in self.trace.values:
            found.append(self.trace[name][0])
            i += 1
        return found

    def chosen_log_probs(self) -> Tensor:
        """(T,) log-probability of each token that was written."""
        return self.log_probs[torch.arange(len(self.target_ids)), self.target_ids]


@torch.inference_mode()
def record_pass(
    model: Transformer,
    text: str,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    tokenizers: tuple[Tokenizer, Tokenizer],
    *,
    given: bool,
) -> Record:
    """Run ``model`` over a source (ending in ``</s>``) and the tokens it wrote, and keep everything."""
    source_tokenizer, target_tokenizer = tokenizers
    trace = Trace()
    source = torch.tensor([list(source_ids)])  # (1, S)
    target = torch.tensor([[BOS, *target_ids[:-1]]])  # (1, T): shifted right
    logits = model(source, target, trace)[0]  # (T, V)
    return Record(
        text=text,
        translation=target_tokenizer.decode([i for i in target_ids if i != EOS]),
        source_ids=list(source_ids),
        target_ids=list(target_ids),
        source_pieces=source_tokenizer.pieces(source_ids),
        target_pieces=target_tokenizer.pieces(target_ids),
        log_probs=logits.double().log_softmax(-1),
        trace=trace,
        given=given,
    )
