"""Where each head looks: neighbours, separators, punctuation, rare words, how far, how widely.

Shapes: B sentences a batch, T queries, S keys, L layers, h heads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from translit.explain.facts import SEPARATORS, entropy, is_punctuation
from translit.explain.heads.examples import Example, Progress, batches
from translit.explain.heads.report import HeadFacts
from translit.explain.record import PLACES, Kind
from translit.explain.words import piece_text
from translit.model.trace import Trace
from translit.model.transformer import Transformer, pad
from translit.text.tokenizer import BOS, EOS, PAD

if TYPE_CHECKING:
    from translit.model_directory import ModelDirectory

_RARE = 0.1  # the least frequent tokens that together make up this share of the text


class Categories:
    """Which token ids are separators, punctuation, rare: tables (V,) of 0 and 1."""

    def __init__(self, vocabulary: Sequence[str], sentences: Sequence[Sequence[int]]) -> None:
        self.separators = torch.tensor([float(p in SEPARATORS) for p in vocabulary])
        self.punctuation = torch.tensor(
            [float(is_punctuation(piece_text(p)) and p != "▁") for p in vocabulary]
        )
        counts = Counter(i for sentence in sentences for i in sentence if i not in (BOS, EOS))
        self.rare = torch.zeros(len(vocabulary))
        left = _RARE * counts.total()
        for token, count in reversed(counts.most_common()):
            if (left := left - count) < 0:
                break
            self.rare[token] = 1


@torch.inference_mode()
def attention_facts(
    model: Transformer, directory: ModelDirectory, examples: Sequence[Example], progress: Progress
) -> list[HeadFacts]:
    source = Categories(directory.source_tokenizer.vocabulary, [e.source for e in examples])
    target = Categories(directory.target_tokenizer.vocabulary, [e.target for e in examples])
    totals: dict[Kind, Totals] = {kind: Totals() for kind in PLACES}
    done = 0
    for batch in batches(examples):
        trace = Trace()
        x = pad([examples[i].source for i in batch])  # (B, S)
        y = pad([examples[i].target[:-1] for i in batch])  # (B, T)
        model(x, y, trace)
        for kind, total in totals.items():
            queries, keys = (x if kind == "encoder" else y), (y if kind == "decoder" else x)
            categories = target if kind == "decoder" else source
            stack, name = PLACES[kind]
            layers = model.config.encoder_layers if stack == "encoder" else model.config.decoder_layers
            weights = torch.stack([trace[f"{stack}.{i}.{name}.weights"] for i in range(layers)], 1)
            total.add(weights, queries, keys, categories, kind)
        done += len(batch)
        progress("attention", done, len(examples))
    return [fact for kind, total in totals.items() for fact in total.facts(kind)]


class Totals:
    """Sums over queries of what the heads of one kind did, (L, h) each."""

    def __init__(self) -> None:
        self.sums: dict[str, Tensor] = {}
        self.counts: dict[str, int] = {}

    def add(self, weights: Tensor, queries: Tensor, keys: Tensor, categories: Categories, kind: Kind) -> None:
        """weights (B, L, h, T, S); queries (B, T) and keys (B, S) are token ids.

        The decoder's first query does not count: <s> has nothing but itself to look at.
        """
        cross = kind == "cross"
        real = queries != PAD  # (B, T)
        if kind == "decoder":
            real = real & (torch.arange(real.size(1)) > 0)
        self._sum("entropy", entropy(weights), real)
        for name in ("separators", "punctuation", "rare"):
            marked = getattr(categories, name)[keys]  # (B, S)
            self._sum(name, torch.einsum("blhts,bs->blht", weights, marked), real)
        T, S = weights.shape[-2:]
        where_from = torch.arange(T, dtype=torch.float32).expand(len(queries), T)  # (B, T)
        if cross:  # the place on the diagonal that belongs to the query
            lengths = (keys != PAD).sum(1), real.sum(1)
            where_from = where_from * (lengths[0] / lengths[1])[:, None]
        distance = (where_from[:, :, None] - torch.arange(S)).abs()  # (B, T, S)
        self._sum("distance", torch.einsum("blhts,bts->blht", weights, distance), real)
        if not cross:
            self._sum("same", weights.diagonal(0, -2, -1), real)
            self._sum("previous", weights.diagonal(-1, -2, -1), real[:, 1:])
            self._sum("next", weights.diagonal(1, -2, -1), real[:, 1:])

    def _sum(self, name: str, values: Tensor, real: Tensor) -> None:
        """Add ``values`` (B, L, h, T) where the query is ``real`` (B, T)."""
        total = torch.einsum("blht,bt->lh", values.double(), real.double())
        self.sums[name] = self.sums.get(name, 0) + total
        self.counts[name] = self.counts.get(name, 0) + int(real.sum())

    def facts(self, kind: Kind) -> list[HeadFacts]:
        means = {name: total / max(self.counts[name], 1) for name, total in self.sums.items()}
        layers, heads = means["entropy"].shape
        if kind == "decoder":
            del means["next"]  # hidden by the mask

        def mean(name: str, layer: int, head: int) -> float:
            return means[name][layer, head].item()

        def near(name: str, layer: int, head: int) -> float | None:
            return mean(name, layer, head) if name in means else None

        return [
            HeadFacts(
                kind=kind,
                layer=layer,
                head=head,
                entropy=mean("entropy", layer, head),
                previous=near("previous", layer, head),
                same=near("same", layer, head),
                next=near("next", layer, head),
                separators=mean("separators", layer, head),
                punctuation=mean("punctuation", layer, head),
                rare=mean("rare", layer, head),
                distance=mean("distance", layer, head),
            )
            for layer in range(layers)
            for head in range(heads)
        ]
