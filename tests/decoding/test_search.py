"""The cached, batched search against slow references that are obviously right."""

from __future__ import annotations

import itertools
import math
import random

import pytest
import torch

from translit.config import ModelConfig
from translit.decoding import search as search_module
from translit.decoding.processors import ban
from translit.decoding.search import BeamStep, Hypothesis, SearchSettings, max_target_length, search
from translit.errors import TranslitError
from translit.model.transformer import Transformer
from translit.text.tokenizer import BOS, EOS, PAD

V = 30


def make_model(vocab: int = V, seed: int = 0, norm: str = "pre") -> Transformer:
    """A random model that is sharp enough to have opinions and soft enough to end."""
    torch.manual_seed(seed)
    config = ModelConfig(
        source_vocab=V, target_vocab=vocab, d_model=16, n_heads=2, d_ff=32, encoder_layers=2,
        decoder_layers=2, norm=norm, dropout=0.3, tie_embeddings=False,
    )  # fmt: skip
    model = Transformer(config)
    with torch.no_grad():
        model.output.weight *= 3
        last = model.decoder_norm if norm == "pre" else model.decoder[-1].add_norm_3.norm
        last.bias += 0.8 * model.output.weight[EOS]
    return model


def make_sources(count: int, seed: int = 0, longest: int = 12) -> list[list[int]]:
    rng = random.Random(seed)
    return [[rng.randrange(4, V) for _ in range(rng.randrange(longest))] + [EOS] for _ in range(count)]


@pytest.fixture
def model() -> Transformer:
    return make_model()


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random models hardly ever stop: a low limit keeps the tests fast; some sentences reach it."""
    monkeypatch.setattr(search_module, "max_target_length", lambda n: n + 5)


@torch.inference_mode()
def next_log_probs(model: Transformer, source: list[int], ids: list[int]) -> list[float]:
    """One sentence, no cache, no padding: the whole model again for every token."""
    logits = model(torch.tensor([source]), torch.tensor([[BOS, *ids]]))[0, -1]
    if not ids:
        logits[EOS] = -math.inf  # a translation has at least one token
    return logits.log_softmax(-1).tolist()


def reference_beam(
    model: Transformer, source: list[int], beam: int, alpha: float = 1.0, prefix: tuple[int, ...] = ()
) -> list[tuple[float, list[int]]]:
    """Beam search with lists; best first. Returns (score, ids)."""
    limit = len(source) + 5 + len(prefix)
    alive, done = [(0.0, list(prefix))], []
    while True:
        continued = sorted(
            (
                (score + log_prob, [*ids, token])
                for score, ids in alive
                for token, log_prob in enumerate(next_log_probs(model, source, ids))
            ),
            reverse=True,
        )[: 2 * beam]
        last = len(alive[0][1]) + 1 >= limit
        done += [c for c in continued[:beam] if c[1][-1] == EOS or last]
        alive = [c for c in continued if c[1][-1] != EOS][:beam]
        if last or (len(done) >= beam if alpha else any(c[1][-1] == EOS for c in continued[:1])):
            break
    return sorted(
        ((score / len(ids) ** alpha, [i for i in ids if i != EOS]) for score, ids in done), reverse=True
    )


def assert_same(found: list[Hypothesis], expected: list[Hypothesis]) -> None:
    assert [h.ids for h in found] == [h.ids for h in expected]
    for a, b in zip(found, expected, strict=True):
        assert a.score == pytest.approx(b.score, abs=1e-5)
        assert a.log_probs == pytest.approx(b.log_probs, abs=1e-5)


def test_greedy_takes_the_most_probable_token_of_the_uncached_model(model: Transformer) -> None:
    sources = make_sources(12)
    ended = 0
    for source, (hypothesis,) in zip(sources, search(model, sources, SearchSettings(beam=1)), strict=True):
        model.eval()
        ids: list[int] = []
        log_probs: list[float] = []
        while EOS not in ids and len(ids) < len(source) + 5:
            step = next_log_probs(model, source, ids)
            ids.append(max(range(V), key=step.__getitem__))
            log_probs.append(step[ids[-1]])
        ended += ids[-1] == EOS
        assert hypothesis.ids == [i for i in ids if i != EOS]
        assert hypothesis.log_probs == pytest.approx(log_probs, abs=1e-5)
    assert 0 < ended < len(sources)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize(("beam", "alpha"), [(2, 1.0), (4, 1.0), (5, 0.6), (3, 0.0)])
def test_beam_equals_an_uncached_reference(norm: str, beam: int, alpha: float) -> None:
    model = make_model(norm=norm).eval()
    sources = make_sources(6)
    found = search(
        model, sources, SearchSettings(beam=beam, n_best=beam if alpha else 1, length_penalty=alpha)
    )
    for source, hypotheses in zip(sources, found, strict=True):
        expected = reference_beam(model, source, beam, alpha)
        assert [h.ids for h in hypotheses] == [ids for _, ids in expected][: len(hypotheses)]
        assert [h.score for h in hypotheses] == pytest.approx(
            [s for s, _ in expected][: len(hypotheses)], abs=1e-5
        )


def test_a_beam_that_holds_everything_finds_the_best_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "max_target_length", lambda n: 3)
    monkeypatch.setattr("translit.decoding.settings.MAX_BEAM", 216)
    vocab = 6
    model = make_model(vocab=vocab, seed=3).eval()
    (hypotheses,) = search(model, [[7, 8, EOS]], SearchSettings(beam=vocab**3, length_penalty=0.6))
    scores: dict[tuple[int, ...], float] = {}
    for length in (1, 2, 3):
        for ids in itertools.product(range(vocab), repeat=length):
            if EOS in ids[:-1] or ids == (EOS,) or (length < 3 and ids[-1] != EOS):
                continue
            total = sum(next_log_probs(model, [7, 8, EOS], list(ids[:i]))[t] for i, t in enumerate(ids))
            text = tuple(i for i in ids if i != EOS)
            scores[text] = total / length**0.6
    best = max(scores, key=scores.__getitem__)
    assert tuple(hypotheses[0].ids) == best
    assert hypotheses[0].score == pytest.approx(scores[best], abs=1e-5)


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("budget", [100, 100_000])
def test_neighbours_in_the_batch_change_nothing(model: Transformer, beam: int, budget: int) -> None:
    sources = make_sources(64)
    together = search(model, sources, SearchSettings(beam, beam, batch_tokens=budget))
    for source, found in zip(sources, together, strict=True):
        assert_same(found, search(model, [source], SearchSettings(beam, beam))[0])


@pytest.mark.parametrize("beam", [1, 4])
def test_every_hypothesis_begins_with_its_prefix(model: Transformer, beam: int) -> None:
    sources = make_sources(10)
    prefixes = [(), (5,), (6, 7), (), (8, 9, 10), (5,), (), (11,), (12, 13), ()]
    model.eval()
    for source, prefix, hypotheses in zip(
        sources, prefixes, search(model, sources, SearchSettings(beam, beam), prefixes), strict=True
    ):
        for h in hypotheses:
            assert tuple(h.ids[: len(prefix)]) == prefix
            assert h.log_probs[: len(prefix)] == [0.0] * len(prefix)
            for i, token in enumerate(h.ids[len(prefix) :], len(prefix)):
                expected = next_log_probs(model, source, h.ids[:i])[token]
                assert h.log_probs[i] == pytest.approx(expected, abs=1e-5)
    assert_same(
        search(model, sources[:1], SearchSettings(beam), [()])[0],
        search(model, sources[:1], SearchSettings(beam))[0],
    )


@pytest.mark.parametrize("beam", [1, 3])
def test_the_best_own_beginning_as_prefix_gives_the_same_translation(model: Transformer, beam: int) -> None:
    sources = make_sources(8)
    for source, (free, *_) in zip(sources, search(model, sources, SearchSettings(1)), strict=True):
        forced = search(model, [source], SearchSettings(1), [free.ids[:2]])[0][0]
        assert forced.ids[: len(free.ids)] == free.ids


@pytest.mark.parametrize("beam", [1, 4])
def test_length_is_bounded_by_the_source(model: Transformer, beam: int) -> None:
    sources = make_sources(20)
    never_ends = ban([EOS])
    for source, hypotheses in zip(
        sources, search(model, sources, SearchSettings(beam, beam), processors=[never_ends]), strict=True
    ):
        assert [len(h.ids) for h in hypotheses] == [len(source) + 5] * beam


def test_score_is_log_probability_over_length(model: Transformer) -> None:
    for hypotheses in search(model, make_sources(10), SearchSettings(4, 4, length_penalty=0.7)):
        assert hypotheses == sorted(hypotheses, key=lambda h: -h.score)
        for h in hypotheses:
            assert h.ids
            assert h.score == pytest.approx(sum(h.log_probs) / len(h.log_probs) ** 0.7, abs=1e-4)


@pytest.mark.parametrize("beam", [1, 4])
def test_no_ngram_is_repeated(model: Transformer, beam: int) -> None:
    def repeats(ids: list[int]) -> bool:
        grams = list(itertools.pairwise(ids))
        return len(grams) != len(set(grams))

    sources = make_sources(20)
    assert any(repeats(h[0].ids) for h in search(model, sources, SearchSettings(beam)))
    assert not any(repeats(h[0].ids) for h in search(model, sources, SearchSettings(beam, no_repeat_ngram=2)))


@pytest.mark.parametrize("beam", [1, 4])
def test_banned_tokens_are_never_written(model: Transformer, beam: int) -> None:
    sources = make_sources(10)
    favourite = search(model, sources, SearchSettings(beam))[0][0].ids[0]
    for hypotheses in search(model, sources, SearchSettings(beam), processors=[ban([favourite])]):
        assert favourite not in hypotheses[0].ids


@pytest.mark.parametrize("beam", [1, 3])
def test_an_observer_sees_the_whole_tree(model: Transformer, beam: int) -> None:
    sources = make_sources(5)
    steps: list[BeamStep] = []
    found = search(model, sources, SearchSettings(beam), observer=steps.append)
    for a, b in zip(found, search(model, sources, SearchSettings(beam)), strict=True):
        assert_same(a, b)
    for sentence, (best,) in enumerate(found):
        # Rebuild every beam from what the observer was told; the winner must be among the ended ones.
        beams: dict[int | None, list[int]] = {0: []}
        ended: list[tuple[float, list[int]]] = []
        mine = [s for s in steps if s.sentence == sentence]
        assert [s.step for s in mine] == list(range(len(mine)))
        assert [s.done for s in mine] == [False] * (len(mine) - 1) + [True]
        for step in mine:
            assert len(step.candidates) == 2 * beam
            for c in (c for c in step.candidates if c.fate == "ended"):
                assert c.final_score is not None
                ended.append((c.final_score, [i for i in [*beams[c.parent], c.token] if i != EOS]))
            beams = {c.beam: [*beams[c.parent], c.token] for c in step.candidates if c.fate == "kept"}
            assert step.done or sorted(b for b in beams if b is not None) == list(range(beam))
        score, ids = max(ended, key=lambda e: e[0])
        assert ids == best.ids
        assert score == best.score


def test_training_mode_is_left_as_it_was_and_dropout_is_off(model: Transformer) -> None:
    model.train()
    first, second = (search(model, make_sources(3), SearchSettings(2)) for _ in range(2))
    assert first == second
    assert model.training
    model.eval()
    search(model, make_sources(1))
    assert not model.training


def test_nothing_to_translate(model: Transformer) -> None:
    assert search(model, []) == []
    assert len(search(model, [[EOS]])[0]) == 1


def test_limits_come_in_few_sizes_and_leave_room() -> None:
    limits = [max_target_length(n) for n in range(1, 129)]
    assert all(limit >= 2.5 * n for n, limit in enumerate(limits, 1))
    assert len(set(limits)) <= 13


@pytest.mark.parametrize(("beam", "n_best"), [(0, 1), (1_000_000, 1), (2, 3), (2, 0)])
def test_impossible_settings(beam: int, n_best: int) -> None:
    with pytest.raises(TranslitError, match="beam"):
        SearchSettings(beam, n_best)


def test_padding_is_not_a_token_of_the_search() -> None:
    assert PAD == 0  # _best and _distrust_early_ends fill up with it


@pytest.mark.parametrize("beam", [1, 3])
def test_packing_changes_nothing(model: Transformer, monkeypatch: pytest.MonkeyPatch, beam: int) -> None:
    sources = make_sources(40)
    plain = search(model, sources, SearchSettings(beam))
    monkeypatch.setattr(search_module, "_ENCODED", 12)  # many small groups go through the encoder
    monkeypatch.setattr(search_module, "_IDLE", 1)  # finished rows stay until all have finished
    for a, b in zip(search(model, sources, SearchSettings(beam)), plain, strict=True):
        assert_same(a, b)
