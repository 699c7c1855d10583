"""How much each head matters: the rise of the loss when it is silenced (Michel et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from translit.explain.heads.examples import Example, Progress, batches
from translit.explain.heads.report import HeadFacts
from translit.model.trace import Trace
from translit.model.transformer import Transformer, pad
from translit.text.tokenizer import PAD


def sample(examples: Sequence[Example], count: int) -> list[Example]:
    """``count`` of them, spread evenly over the corpus."""
    count = min(count, len(examples))
    return [examples[i * len(examples) // count] for i in range(count)]


@torch.inference_mode()
def measure_importance(
    model: Transformer, examples: Sequence[Example], heads: Sequence[HeadFacts], progress: Progress
) -> tuple[float, list[float]]:
    """The loss (nats a token) of the intact model, and its rise for every head silenced."""
    rows = [[examples[i] for i in batch] for batch in batches(examples)]
    tensors = [(pad([e.source for e in b]), pad([e.target for e in b])) for b in rows]
    memories = [model.encode(x) for x, _ in tensors]  # for the decoder's heads, which leave the encoder alone
    tokens = sum(len(e.target) - 1 for e in examples)

    def loss(place: str | None = None, head: int = 0) -> float:
        total = 0.0
        for (x, y), memory in zip(tensors, memories, strict=True):
            trace = Trace([(place, head)]) if place else None
            if place and place.startswith("encoder"):
                memory = model.encode(x, trace)
            states, _ = model.decode(y[:, :-1], memory, trace=trace)
            real = y[:, 1:] != PAD
            total += torch.nn.functional.cross_entropy(
                model.logits(states[real]), y[:, 1:][real], reduction="sum"
            ).item()
        return total / tokens

    base = loss()
    rises = []
    for n, head in enumerate(heads, 1):
        rises.append(loss(head.place, head.head) - base)
        progress("importance", n, len(heads))
    return base, rises
