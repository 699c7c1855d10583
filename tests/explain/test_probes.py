"""Lens and occlusion, against the model run by hand."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from translit.explain.explanation import Explainer, Explanation
from translit.explain.probes import _memory_of_layers, _write_freely, agreement
from translit.explain.words import Word
from translit.text.tokenizer import BOS


def test_the_last_row_of_both_lenses_is_the_real_output(forced: Explanation) -> None:
    real = forced.record.chosen_log_probs().exp().tolist()
    for rows in (forced.decoder_lens, forced.encoder_lens):
        assert [cell.chosen.probability for cell in rows[-1].cells] == pytest.approx(real, abs=1e-5)


def test_the_lens_has_a_row_for_the_input_and_each_layer(forced: Explanation) -> None:
    config = forced.directory.model
    assert [r.layer for r in forced.decoder_lens] == list(range(config.decoder_layers + 1))
    assert [r.layer for r in forced.encoder_lens] == list(range(config.encoder_layers + 1))


def test_encoder_lens_is_the_decoder_reading_that_layer(explainer: Explainer, forced: Explanation) -> None:
    model, record = explainer.model, forced.record
    with torch.inference_mode():
        mask = torch.ones(1, 1, 1, len(record.source_ids), dtype=torch.bool)
        memory = model.remember(model.encoder_norm(record.states("encoder")[0][None]), mask)
        states, _ = model.decode(torch.tensor([[BOS, *record.target_ids[:-1]]]), memory)
        best = model.logits(states[0]).argmax(-1).tolist()
    assert [cell.candidates[0].id for cell in forced.encoder_lens[1].cells] == best


def test_occlusion_is_the_loss_of_a_source_without_the_word(
    explainer: Explainer, forced: Explanation
) -> None:
    record, words = forced.record, forced.source_words
    love = next(u for u, w in enumerate(words) if w.text == "love")
    without = [i for n, i in enumerate(record.source_ids) if n not in words[love].tokens]
    target = torch.tensor([[BOS, *record.target_ids[:-1]]])
    with torch.inference_mode():
        log_probs = explainer.model(torch.tensor([without]), target)[0].double().log_softmax(-1)
    fall = record.chosen_log_probs() - log_probs[torch.arange(len(log_probs)), record.target_ids]
    assert torch.allclose(forced.occlusion[:, love], fall, atol=1e-5)
    assert (forced.occlusion[:, -1] == 0).all()  # </s> is never taken out


def test_agreement_counts_equal_favourites() -> None:
    words = [Word(c, (i,)) for i, c in enumerate("abc")]
    rows = [*words[:2], Word("</s>", (2,))]
    attention = torch.tensor([[0.9, 0.1, 0.0], [0.1, 0.2, 0.7], [1.0, 0.0, 0.0]])
    effect = torch.tensor([[2.0, 0.1, 0.0], [0.3, 1.0, 0.2], [0.0, 0.0, 0.0]])
    found = agreement(attention, effect, rows, words)
    assert (found.words, found.same_top) == (2, 0.5)  # the row of </s> does not count


def test_agreement_leaves_out_words_that_need_none() -> None:
    words = [Word(c, (i,)) for i, c in enumerate("ab")]
    attention = torch.tensor([[0.9, 0.1], [0.1, 0.9]])
    effect = torch.tensor([[2.0, 0.1], [0.01, 0.04]])
    found = agreement(attention, effect, words, words)
    assert (found.words, found.same_top) == (1, 1.0)
    nothing = agreement(attention, torch.zeros(2, 2), words, words)
    assert (nothing.words, nothing.same_top) == (0, 0.0)


def test_free_writing_stops_when_all_have_ended(
    explainer: Explainer, forced: Explanation, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, decode = explainer.model, explainer.model.decode
    calls: list[int] = []

    def counted(*inputs: Any) -> Any:
        calls.append(1)
        return decode(*inputs)

    monkeypatch.setattr(model, "decode", counted)
    with torch.inference_mode():
        memory = _memory_of_layers(model, forced.record.states("encoder"))
        written = _write_freely(model, memory, 200)
    assert len(calls) == min(1 + max(map(len, written)), 200)
    assert len(calls) < 200
