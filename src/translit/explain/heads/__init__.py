"""What every head does, measured over a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from translit.explain.gold import AlignedPair, Tree
from translit.explain.heads.alignment import alignment_errors
from translit.explain.heads.attention import attention_facts
from translit.explain.heads.examples import Progress, encode
from translit.explain.heads.importance import measure_importance, sample
from translit.explain.heads.relations import measure_relations
from translit.explain.heads.report import HeadFacts, HeadReport, Relation
from translit.model.transformer import Transformer

if TYPE_CHECKING:
    from translit.model_directory import ModelDirectory

__all__ = ["HeadFacts", "HeadReport", "Relation", "measure"]


def measure(
    model: Transformer,
    directory: ModelDirectory,
    pairs: Sequence[tuple[str, str]],
    *,
    aligned: Sequence[AlignedPair] = (),
    trees: Sequence[Tree] = (),
    importance: int = 32,
    progress: Progress = lambda what, done, total: None,
) -> HeadReport:
    """Measure every head of ``model`` over ``pairs``.

    Args:
        aligned: pairs with hand-made alignments, for the alignment error rates.
        trees: source sentences with dependency trees, for the relations of the encoder's heads.
        importance: sentences on which each head is silenced in turn; 0 leaves it out.
    """
    examples = encode(directory, pairs)
    heads = attention_facts(model, directory, examples, progress)
    alignment = alignment_errors(model, directory, aligned, progress) if aligned else None
    if alignment:
        rates = alignment.rates
        heads = [replace(h, aer=rates[h.layer, h.head]) if h.kind == "cross" else h for h in heads]
    unmatched_trees = 0
    if trees:
        found, unmatched_trees = measure_relations(model, directory, trees, progress)
        heads = [replace(h, relations=found[h.layer, h.head]) if h.kind == "encoder" else h for h in heads]
    silenced = sample(examples, importance)
    loss = None
    if silenced:
        loss, rises = measure_importance(model, silenced, heads, progress)
        heads = [replace(h, importance=rise) for h, rise in zip(heads, rises, strict=True)]
    return HeadReport(
        heads=heads,
        sentences=len(examples),
        tokens=sum(len(e.source) + len(e.target) - 1 for e in examples),
        loss=loss,
        masked_sentences=len(silenced),
        aligned_sentences=alignment.sentences if alignment else 0,
        unmatched=alignment.unmatched if alignment else 0,
        average_aer=alignment.average if alignment else None,
        diagonal_aer=alignment.diagonal if alignment else None,
        trees=len(trees) - unmatched_trees,
        unmatched_trees=unmatched_trees,
    )
