"""The record is the real decode: probabilities, attention and tokens of the very same model."""

from __future__ import annotations

import math

import pytest
import torch

from translit.decoding.search import search
from translit.errors import TranslitError
from translit.explain.explanation import Explainer, Explanation
from translit.explain.record import PLACES, Kind
from translit.model.trace import Trace
from translit.sentence import Glossary
from translit.text.tokenizer import BOS, EOS
from translit.translator import Translator


def test_probabilities_of_every_step_sum_to_one(searched: Explanation) -> None:
    sums = searched.record.log_probs.exp().sum(-1)
    assert torch.allclose(sums, torch.ones_like(sums), rtol=0, atol=1e-6)


def test_shown_probabilities_are_those_of_the_model(searched: Explanation) -> None:
    for step, log_probs in zip(searched.steps, searched.record.log_probs, strict=True):
        probabilities = log_probs.exp()
        assert [c.probability for c in step.candidates] == probabilities.topk(5).values.tolist()
        assert all(c.probability == probabilities[c.id].item() for c in step.candidates)
        assert step.chosen.rank == 1 + (probabilities > probabilities[step.chosen.id]).sum().item()


@pytest.mark.parametrize("kind", PLACES)
def test_attention_equals_a_recomputation_from_q_and_k(forced: Explanation, kind: Kind) -> None:
    stack, name = PLACES[kind]
    weights = forced.record.attention(kind)
    for layer in range(len(weights)):
        q, k = (forced.record.trace[f"{stack}.{layer}.{name}.{x}"][0] for x in "qk")
        scores = torch.einsum("htd,hsd->hts", q, k) / math.sqrt(q.size(-1))
        if kind == "decoder":
            future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, -math.inf)
        assert torch.allclose(weights[layer], scores.softmax(-1), rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", PLACES)
def test_every_row_of_attention_sums_to_one(searched: Explanation, kind: Kind) -> None:
    sums = searched.record.attention(kind).sum(-1)
    assert torch.allclose(sums, torch.ones_like(sums), atol=1e-5)


def test_the_translation_is_that_of_the_search(explainer: Explainer, searched: Explanation) -> None:
    best = search(explainer.model, [searched.record.source_ids], explainer.settings)[0][0]
    ended = len(best.log_probs) > len(best.ids)
    assert searched.record.target_ids == [*best.ids, *([EOS] if ended else [])]
    # At the first step the search forbids </s> and shares its probability out among the rest.
    assert searched.record.chosen_log_probs().tolist()[1:] == pytest.approx(best.log_probs[1:], abs=1e-4)


@pytest.mark.parametrize(
    "text", ["I love you", "GOOD MORNING! Send {0} to a@b.org.", "1. Hello, world 😀", "He has 3 cats"]
)
def test_the_translation_is_that_of_the_translator(explainer: Explainer, text: str) -> None:
    translator = Translator(explainer.directory.path, engine="torch", beam=3)
    assert explainer.explain(text).translation == translator.translate([text])[0].text


def test_text_that_the_model_never_sees_is_an_error(explainer: Explainer) -> None:
    for text, why in (("  ", "is empty"), ("我爱你", "nothing in the text needs the model")):
        with pytest.raises(TranslitError, match=why):
            explainer.explain(text)


def test_one_pass_equals_decoding_step_by_step(explainer: Explainer, forced: Explanation) -> None:
    """What the record took from a single pass, a cached decode finds token by token."""
    model, record = explainer.model, forced.record
    past = None
    with torch.inference_mode():
        memory = model.encode(torch.tensor([record.source_ids]))
        for t, token in enumerate([BOS, *record.target_ids[:-1]]):
            states, past = model.decode(torch.tensor([[token]]), memory, past)
            log_probs = model.logits(states[0, -1]).double().log_softmax(-1)
            assert torch.allclose(log_probs, record.log_probs[t], atol=1e-4)


def test_a_given_translation_is_followed(forced: Explanation) -> None:
    assert forced.record.translation == "我爱你，老Python。"
    assert forced.record.target_ids[-1] == EOS
    assert forced.tree is None


def test_translating_records_nothing(explainer: Explainer, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an explanation costs, only an explanation pays."""

    def record(*_: object, **__: object) -> None:
        raise AssertionError("recorded without being asked")

    monkeypatch.setattr(Trace, "record", record)
    assert search(explainer.model, [[5, 6, EOS]], explainer.settings)


def test_a_translation_put_right_is_explained_with_its_own_tokens(explainer: Explainer) -> None:
    mine = Explainer(explainer.directory)
    mine._translator._glossary = Glossary(
        {"station": "车站"}
    )  # a promise: the tiny model never keeps it itself
    explained = mine.explain("Where is the station?")
    (one,) = explained.sentences
    assert one.unrepaired is not None
    assert "{0}" not in one.unrepaired
    assert "{0}" in one.record.translation
    assert (one.record.given, one.tree) == (True, None)
    assert one.final == explained.translation
    assert "车站" in explained.translation


def test_what_stands_between_tags_is_no_sentence(explainer: Explainer) -> None:
    explained = explainer.explain("I <b>love</b> you")
    assert [one.final for one in explained.sentences] == [explained.translation]
