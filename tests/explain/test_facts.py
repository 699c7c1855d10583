"""Facts are pure functions: checked on numbers small enough to see."""

from __future__ import annotations

import math

import pytest
import torch

from translit.explain.explanation import Explanation
from translit.explain.facts import (
    choose_alignment_head,
    entropy,
    is_punctuation,
    sinks,
    spearman,
    word_weights,
)
from translit.explain.words import Word


def test_entropy_in_bits() -> None:
    rows = torch.tensor([[1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25] * 4])
    assert entropy(rows).tolist() == [0, 1, 2]


def test_words_receive_the_sum_and_give_the_mean() -> None:
    weights = torch.tensor([[0.5, 0.2, 0.3], [0.1, 0.3, 0.6]])
    both, last = Word("ab", (0, 1)), Word("c", (2,))
    merged = word_weights(weights, [Word("xy", (0, 1))], [both, last])
    assert torch.allclose(merged, torch.tensor([[0.55, 0.45]]))


def test_the_alignment_head_looks_at_every_word_in_turn() -> None:
    """A diagonal head beats one that always looks at one word, and one that looks everywhere."""
    diagonal = torch.eye(3)
    stuck = torch.zeros(3, 3).index_fill(1, torch.tensor([1]), 1.0)
    everywhere = torch.full((3, 3), 1 / 3)
    cross = torch.stack((torch.stack((stuck, everywhere)), torch.stack((everywhere, diagonal))))
    words = [Word(c, (i,)) for i, c in enumerate("abc")]
    assert choose_alignment_head(cross, words) == (1, 1)


def test_sinks_are_separators_or_punctuation(searched: Explanation) -> None:
    for kind in ("cross", "encoder"):
        for sink in sinks(searched.record, kind):
            piece = searched.record.source_pieces[sink.key]
            assert piece == "</s>" or is_punctuation(piece)
            weights = searched.record.attention(kind)[sink.layer, sink.head]
            assert sink.share == pytest.approx(weights.mean(0)[sink.key].item())


@pytest.mark.parametrize(
    ("a", "b", "rank"),
    [
        ([1, 2, 3], [10, 20, 30], 1),
        ([1, 2, 3], [3, 2, 1], -1),
        ([1, 2, 2, 3], [1, 2, 3, 4], 3 / math.sqrt(10)),  # ties share their ranks
        ([1, 1, 1], [1, 2, 3], None),
    ],
)
def test_spearman(a: list[int], b: list[int], rank: float | None) -> None:
    assert spearman(torch.tensor(a), torch.tensor(b)) == pytest.approx(rank)


def test_punctuation() -> None:
    assert [is_punctuation(t) for t in ("。", "?!", "a.", "", "我")] == [True, True, False, False, False]
