"""Which grammatical relations the encoder's heads follow (after Clark et al. 2019)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from translit.explain.gold import Tree, word_shares
from translit.explain.heads.examples import Progress
from translit.explain.heads.report import Relation
from translit.model.trace import Trace
from translit.model.transformer import Transformer
from translit.text.normalize import normalize_source
from translit.text.tokenizer import EOS

if TYPE_CHECKING:
    from translit.model_directory import ModelDirectory

_MIN_RELATION = 20  # a relation seen less often proves nothing


@torch.inference_mode()
def measure_relations(
    model: Transformer,
    directory: ModelDirectory,
    trees: Sequence[Tree],
    progress: Progress,
) -> tuple[dict[tuple[int, int], list[Relation]], int]:
    """For every (layer, head) of the encoder, how well it follows each relation that is frequent enough; and how many
    trees were left out, because their words do not spell the text.

    A head follows a relation as far as the word that it looks at most, itself left out, is the other end.
    """
    hits: Counter[tuple[str, str, int]] = Counter()  # (relation, direction, head number) → right answers
    offsets: Counter[tuple[str, str, int]] = Counter()  # (relation, direction, distance) → occurrences
    counts: Counter[tuple[str, str]] = Counter()
    layers = range(model.config.encoder_layers)
    tokenizer, size = directory.source_tokenizer, model.config.n_heads
    unmatched = 0
    for n, tree in enumerate(trees, 1):
        progress("relations", n, len(trees))
        ids = [*tokenizer.encode(normalize_source(tree.text)), EOS]
        shares = word_shares(tokenizer.pieces(ids[:-1]), [normalize_source(w) for w in tree.words])
        if shares is None:
            unmatched += 1
            continue
        trace = Trace()
        model.encode(torch.tensor([ids]), trace)
        weights = torch.cat([trace[f"encoder.{i}.self_attention.weights"] for i in layers], 1)[0]  # (N, S, S)
        between = torch.einsum("tw,nts,su->nwu", shares, weights[:, :-1, :-1], shares)  # (N, W, W)
        best = between.masked_fill(torch.eye(len(tree.words), dtype=torch.bool), -1.0).argmax(-1).tolist()
        for word, (head, name) in enumerate(zip(tree.heads, tree.relations, strict=True)):
            if head < 0 or name == "punct":
                continue
            for direction, a, b in (("to head", word, head), ("to dependent", head, word)):
                counts[name, direction] += 1
                offsets[name, direction, b - a] += 1
                hits.update((name, direction, at) for at, row in enumerate(best) if row[a] == b)
    fixed: dict[tuple[str, str], int] = {}  # right answers of always looking at the best fixed distance
    for (name, direction, _), count in offsets.items():
        fixed[name, direction] = max(fixed.get((name, direction), 0), count)
    frequent = {key: count for key, count in counts.items() if count >= _MIN_RELATION}
    found = {
        divmod(at, size): [
            Relation(
                name, direction, hits[name, direction, at] / count, fixed[name, direction] / count, count
            )
            for (name, direction), count in frequent.items()
        ]
        for at in range(len(layers) * size)
    }
    return found, unmatched
