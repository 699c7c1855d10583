"""Sentence pairs as token ids, in batches of like length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from translit.text.normalize import normalize_source, normalize_target
from translit.text.tokenizer import BOS, EOS

if TYPE_CHECKING:
    from translit.model_directory import ModelDirectory

_BATCH_TOKENS = 4096  # rows × (source + target), padding included
Progress = Callable[[str, int, int], None]  # what, done, of how many


@dataclass(frozen=True)
class Example:
    """A sentence pair in token ids: source ends in ``</s>``, target is ``<s> … </s>``."""

    source: list[int]
    target: list[int]


def encode(directory: ModelDirectory, pairs: Sequence[tuple[str, str]]) -> list[Example]:
    """Sentence pairs as the model sees them."""
    source, target = directory.source_tokenizer, directory.target_tokenizer
    return [
        Example(
            [*source.encode(normalize_source(s)), EOS],
            [BOS, *target.encode(normalize_target(t)), EOS],
        )
        for s, t in pairs
    ]


def batches(examples: Sequence[Example]) -> Iterator[list[int]]:
    """Indexes of examples of like length, within the token budget."""
    order = sorted(range(len(examples)), key=lambda i: (len(examples[i].target), len(examples[i].source)))
    batch: list[int] = []
    width = 0
    for i in order:
        wider = max(width, len(examples[i].source) + len(examples[i].target))
        if batch and (len(batch) + 1) * wider > _BATCH_TOKENS:
            yield batch
            batch, wider = [], len(examples[i].source) + len(examples[i].target)
        batch.append(i)
        width = wider
    if batch:
        yield batch
