"""Word alignments of training pairs: symmetrised, stored beside the text, given to the right rows of a batch."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import translit.data.align as align_module
from translit.config import DataConfig
from translit.data.align import Link, align, grow_diag_final_and, open_alignments
from translit.data.batches import Batches, Example, make_batch
from translit.data.bitext import Corpus
from translit.data.store import TextStore, open_store
from translit.errors import TranslitError
from translit.text.tokenizer import BOS, EOS, Tokenizer, train_tokenizer

WORDS = {"one": "一", "two": "二", "three": "三", "four": "四", "five": "五", "six": "六"}
LINES = [
    f"{a} {b} {c}\t{WORDS[c]}{WORDS[a]}{WORDS[b]}" for a in WORDS for b in WORDS for c in WORDS if a != b != c
]


@pytest.fixture(scope="module")
def tokenizers() -> tuple[Tokenizer, Tokenizer]:
    sides = [[line.split("\t")[n] for line in LINES] for n in (0, 1)]
    return train_tokenizer(sides[0], 340), train_tokenizer(sides[1], 320, characters=True)


@pytest.fixture
def stores(tmp_path: Path) -> list[TextStore]:
    opened = []
    for name, lines in (("a", LINES[:80]), ("b", LINES[80:])):
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines) + "\n", "utf-8")
        opened.append(open_store(Corpus.parse(str(tmp_path / f"{name}.tsv")), tmp_path / "store"))
    return opened


def first_to_last(
    tokens: list, source: Tokenizer, target: Tokenizer
) -> Iterator[tuple[set[Link], set[Link]]]:
    """Stands for eflomal: the first source token with the last target token, whose ids tell the pair."""
    for s, t in tokens:
        links = {(0, len(t) - 1), (len(s) - 1, 0)}
        yield links, links


def test_symmetrisation_keeps_agreement_grows_it_and_joins_what_is_free() -> None:
    both = {(0, 0), (2, 2)}
    forward = both | {(2, 3), (4, 5)}  # 2-3 touches 2-2 and links a free target; 4-5 is far from all
    backward = both | {(1, 0), (0, 2)}  # 1-0 touches 0-0; 0-2 touches nothing, and both its ends are taken
    assert grow_diag_final_and(forward, backward) == both | {(2, 3), (4, 5), (1, 0)}
    assert grow_diag_final_and(set(), set()) == set()


def test_links_are_stored_for_every_store_and_found_again(
    stores: list[TextStore],
    tokenizers: tuple[Tokenizer, Tokenizer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(align_module, "align_both_ways", first_to_last)
    corpora = [(store, 1.0) for store in stores]
    links = open_alignments(corpora, *tokenizers, 20, tmp_path / "store")
    for number, store in enumerate(stores):
        for i in range(len(store)):
            source, target = (t.encode(text) for t, text in zip(tokenizers, store[i], strict=True))
            assert links.of(number, i).tolist() == [[0, len(target) - 1], [len(source) - 1, 0]]
    monkeypatch.setattr(align_module, "align_both_ways", None)  # not computed again
    again = open_alignments(corpora, *tokenizers, 20, tmp_path / "store")
    assert np.array_equal(again.of(1, 3), links.of(1, 3))


def test_only_so_many_pairs_are_aligned_and_only_short_ones(
    stores: list[TextStore],
    tokenizers: tuple[Tokenizer, Tokenizer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(align_module, "align_both_ways", first_to_last)
    corpora = [(store, 1.0) for store in stores]
    none = open_alignments(corpora, *tokenizers, 2, tmp_path / "store")
    assert none.report == {"pairs": 0, "links": 0}
    assert none.of(1, 3).shape == (0, 2)
    monkeypatch.setattr(align_module, "_MOST_PAIRS", 30)
    monkeypatch.setattr(align_module, "_VERSION", -1)
    some = open_alignments(corpora, *tokenizers, 20, tmp_path / "store")
    assert 28 <= some.report["pairs"] <= 32
    assert (
        sum(len(some.of(n, i)) > 0 for n, s in enumerate(stores) for i in range(len(s)))
        == some.report["pairs"]
    )


def test_a_batch_gives_each_target_token_one_unit_shared_among_its_links() -> None:
    links = np.array([[0, 0], [1, 1], [0, 1]], dtype=np.uint16)  # source, target
    batch = make_batch([Example([5, EOS], [BOS, 7, EOS]), Example([5, 6, EOS], [BOS, 7, 8, EOS], links)])
    assert batch.links is not None
    assert batch.shares is not None
    assert batch.links.tolist() == [[1, 0, 0], [1, 1, 1], [1, 1, 0]]  # row, target, source
    assert batch.shares.tolist() == [1.0, 0.5, 0.5]
    assert make_batch([Example([5, EOS], [BOS, 7, EOS])]).links is None


def test_rewritten_pairs_carry_no_links(
    stores: list[TextStore],
    tokenizers: tuple[Tokenizer, Tokenizer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(align_module, "align_both_ways", first_to_last)
    corpora = [(store, 1.0) for store in stores]
    links = open_alignments(corpora, *tokenizers, 20, tmp_path / "store")
    config = DataConfig(batch_tokens=300, pool=200, augment=0.9)
    data = Batches(corpora, *tokenizers, config, 7, links)
    originals = {pair for store in stores for pair in (store[i] for i in range(len(store)))}
    source, target = tokenizers
    seen = {True: 0, False: 0}
    for example in (e for batch in data.pool(0, 0) for e in batch):
        text = source.decode(example.source[:-1]), target.decode(example.target[1:-1])
        assert (example.links is not None) == (text in originals)
        seen[example.links is not None] += 1
        if example.links is not None:
            assert example.links.tolist() == [[0, len(example.target) - 3], [len(example.source) - 2, 0]]
    assert seen[True] > 10
    assert seen[False] > 5


def test_without_eflomal_one_line_says_what_to_install(
    tokenizers: tuple[Tokenizer, Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(TranslitError, match=r"translit-nmt\[align\]"):
        list(align([([5], [6])], *tokenizers))


def test_eflomal_finds_a_dictionary(tokenizers: tuple[Tokenizer, Tokenizer]) -> None:
    """Every word has one translation, but never at its own place."""
    pytest.importorskip("eflomal")
    pairs = [line.split("\t") for line in LINES]
    source, target = tokenizers
    tokens = [(source.encode(s), target.encode(t)) for s, t in pairs]
    right = total = 0
    for (s, t), links in zip(tokens, align(tokens, source, target), strict=True):
        words, characters = source.pieces(s), target.pieces(t)
        for i, j in links:
            total += 1
            right += WORDS.get(words[i].strip("▁")) == characters[j]
    assert total >= 2 * len(LINES)
    assert right / total > 0.95
