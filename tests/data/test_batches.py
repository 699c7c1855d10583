"""Stores, shuffling and batches: complete, mixed by weight, within budget, repeatable."""

from __future__ import annotations

import itertools
import threading
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from translit.config import DataConfig
from translit.data import store as store_module
from translit.data.batches import Batches, Example, Position, cut_by_budget, make_batch, prefetch
from translit.data.bitext import Corpus
from translit.data.shuffle import shuffled
from translit.data.store import TextStore, open_store
from translit.errors import TranslitError
from translit.text import normalize
from translit.text.tokenizer import BOS, EOS, PAD, train_tokenizer

LINES = [f"number {i} and {'a ' * (i % 9)}more\t数字{i}和{'一个' * (i % 7)}更多" for i in range(200)]


@pytest.fixture
def store(tmp_path: Path) -> TextStore:
    (tmp_path / "a.tsv").write_text("\n".join(LINES) + "\n", "utf-8")
    return open_store(Corpus.parse(str(tmp_path / "a.tsv")), tmp_path / "store")


def batches(*corpora: tuple[TextStore, float], **changes: object) -> Batches:
    source = train_tokenizer([line.split("\t")[0] for line in LINES], 320)
    target = train_tokenizer([line.split("\t")[1] for line in LINES], 320, characters=True)
    config = DataConfig(**{"batch_tokens": 300, "pool": 64, "augment": 0.0, **changes})  # type: ignore[arg-type]
    return Batches(corpora, source, target, config, seed=7)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 64, 1000, 4097])
def test_shuffling_is_a_permutation(size: int) -> None:
    order = shuffled(np.arange(size), size, seed=3)
    assert sorted(order) == list(range(size))
    if size > 10:
        assert not np.array_equal(order, shuffled(np.arange(size), size, seed=4))
        assert abs(np.corrcoef(np.arange(size), order)[0, 1]) < 0.5


def test_store_keeps_pairs_in_order_and_counts_empty_ones(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(
        "  Hello ,\tworld 你好 , 世界\n\tempty source\nx\t\n\nBye\t再见\n", "utf-8"
    )
    opened = open_store(Corpus.parse(str(tmp_path / "a.tsv")), tmp_path / "store")
    assert [opened[i] for i in range(len(opened))] == [("Hello ,", "world你好，世界"), ("Bye", "再见")]
    assert opened.report["empty"] == 3


def test_store_is_read_by_several_threads_and_ends(store: TextStore) -> None:
    whole = [store[i] for i in range(len(store))]
    assert list(store) == whole  # which needs an IndexError after the last pair
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(store.__getitem__, [*range(len(store))] * 20)) == whole * 20


def test_building_and_reading_a_store_takes_no_memory_for_its_pairs(tmp_path: Path) -> None:
    (tmp_path / "big.tsv").write_text("".join(f"word {i}\t词{i}\n" for i in range(20_000)), "utf-8")
    tracemalloc.start()
    try:
        store = open_store(Corpus.parse(str(tmp_path / "big.tsv")), tmp_path / "store")
        assert sum(len(source) for source, _ in store) > 100_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 300_000  # a list of 20,000 positions alone would take 800,000 bytes


def test_store_is_rebuilt_when_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("a\t一\n")
    assert len(open_store(Corpus.parse(str(path)), tmp_path / "store")) == 1
    path.write_text("a\t一\nb\t二\n")
    assert len(open_store(Corpus.parse(str(path)), tmp_path / "store")) == 2


def test_store_is_rebuilt_when_the_code_that_normalises_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.tsv").write_text("a\t一\n")

    def built_by(changed: str) -> Path:
        (tmp_path / "normalize.py").write_text(Path(normalize.__file__).read_text("utf-8") + changed, "utf-8")
        with monkeypatch.context() as patch:
            patch.setattr(store_module.normalize, "__file__", str(tmp_path / "normalize.py"))
            store_module._normalisation.cache_clear()
            path = open_store(Corpus.parse(str(tmp_path / "a.tsv")), tmp_path / "store").path
        store_module._normalisation.cache_clear()
        return path

    assert built_by("") == built_by("# a comment\n") != built_by("x = 1\n")


def test_an_empty_corpus_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("")
    with pytest.raises(TranslitError, match="no sentence pairs"):
        open_store(Corpus.parse(str(tmp_path / "a.tsv")), tmp_path / "store")


def test_held_out_pairs_are_not_trained_on(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("\n".join(LINES) + "\n", "utf-8")
    opened = open_store(Corpus.parse(str(tmp_path / "a.tsv")), tmp_path / "store", hold_out=50)
    kept = {opened[i] for i in range(len(opened))}
    assert opened.held_out
    assert not kept & set(opened.held_out)
    assert len(kept) + len(opened.held_out) == 200


def test_what_is_held_out_once_is_not_trained_on_elsewhere(tmp_path: Path) -> None:
    often = "Thank you.\t谢谢。"
    (tmp_path / "a.tsv").write_text("\n".join(["\t", often, *LINES, often]) + "\n", "utf-8")
    opened = open_store(Corpus.parse(str(tmp_path / "a.tsv")), tmp_path / "store", hold_out=1)
    assert opened.held_out == [("Thank you.", "谢谢。")]
    assert len(opened) == 200


def test_what_is_held_out_of_the_first_corpus_is_left_out_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("\n".join(LINES) + "\n", "utf-8")
    (tmp_path / "b.tsv").write_text("\n".join(LINES) + "\n", "utf-8")
    first = open_store(Corpus.parse(str(tmp_path / "a.tsv")), tmp_path / "store", hold_out=50)
    second = open_store(Corpus.parse(str(tmp_path / "b.tsv")), tmp_path / "store")
    data = batches((first, 1.0), (second, 1.0), pool=1000)
    shown = sum(len(batch) for batch in data.pool(0, 0))
    assert first.held_out
    assert len(data) - shown == len(first.held_out)


def test_an_epoch_shows_every_pair_once(store: TextStore) -> None:
    data = batches((store, 1.0))
    seen = Counter(data.pairs(range(len(data)), epoch=0))
    assert seen == Counter(store[i] for i in range(len(store)))


def test_weights_mix_corpora(store: TextStore, tmp_path: Path) -> None:
    (tmp_path / "b.tsv").write_text("\n".join(f"other {i}\t其他{i}" for i in range(40)) + "\n", "utf-8")
    other = open_store(Corpus.parse(str(tmp_path / "b.tsv")), tmp_path / "store")
    data = batches((store, 0.5), (other, 3.0))
    assert len(data) == 100 + 120
    epochs = [list(data.pairs(range(len(data)), epoch)) for epoch in (0, 1)]
    for epoch in epochs:
        assert Counter(p for p in epoch if p[0].startswith("other")) == Counter(
            {other[i]: 3 for i in range(40)}
        )
    halves = [{p for p in epoch if p[0].startswith("number")} for epoch in epochs]
    heads = len(halves[0] & {store[i] for i in range(100)})
    assert 30 < heads < 70  # from all over the corpus, not its first half
    assert halves[0].isdisjoint(halves[1])
    assert len(halves[0] | halves[1]) == 200


def test_batches_stay_within_their_padded_budget(store: TextStore) -> None:
    data = batches((store, 1.0))
    for batch in itertools.islice(data.stream(), 30):
        assert batch.source.numel() + batch.target_in.numel() <= 300
        assert batch.tokens == int((batch.source != PAD).sum() + (batch.target_out != PAD).sum())


def test_one_long_pair_is_a_batch_of_its_own() -> None:
    long, short = Example([5] * 400, [5] * 300), Example([5] * 3, [5] * 3)
    assert [len(b) for b in cut_by_budget([long, short, short], 100)] == [2, 1]


def test_targets_are_shifted_right() -> None:
    batch = make_batch([Example([5, 6, EOS], [BOS, 7, 8, EOS]), Example([5, EOS], [BOS, 9, EOS])])
    assert batch.target_in.tolist() == [[BOS, 7, 8], [BOS, 9, PAD]]
    assert batch.target_out.tolist() == [[7, 8, EOS], [9, EOS, PAD]]


def test_a_stream_goes_on_from_any_position(store: TextStore) -> None:
    data = batches((store, 1.0), augment=0.5)
    whole = list(itertools.islice(data.stream(), 40))  # more than one epoch
    for start in (0, 7, 23, 38):
        again = next(data.stream(whole[start].next))
        assert again.source.tolist() == whole[start + 1].source.tolist()
        assert again.next == whole[start + 1].next
    assert whole[-1].next.epoch >= 1


def test_too_long_pairs_are_left_out_and_counted(store: TextStore) -> None:
    data = batches((store, 1.0), max_tokens=20)
    list(itertools.islice(data.stream(), 10))
    assert data.too_long > 0
    assert next(data.stream(Position())).source.size(1) <= 20


def test_prefetch_keeps_order_and_hands_over_errors() -> None:
    assert list(prefetch(range(100), ahead=3)) == list(range(100))

    def failing() -> itertools.count[int]:
        yield 1  # type: ignore[misc]
        raise TranslitError("a.tsv:2: broken")

    items = prefetch(failing())
    assert next(items) == 1
    with pytest.raises(TranslitError, match="broken"):
        next(items)


def test_nothing_is_prepared_any_more_once_the_iterator_is_closed() -> None:
    before = threading.active_count()
    items = prefetch(itertools.count())
    assert next(items) == 0
    items.close()
    assert threading.active_count() == before
    finite = prefetch(range(100), ahead=1)  # its last word must not wait for a reader who is gone
    next(finite)
    finite.close()
    assert threading.active_count() == before
