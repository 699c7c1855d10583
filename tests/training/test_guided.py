"""Guided alignment: the taught head learns its links, by the loss of the definition; nothing else is traced."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from translit.config import ModelConfig, TrainConfig
from translit.data.batches import Example, make_batch
from translit.errors import TranslitError
from translit.model.trace import Trace
from translit.model.transformer import Transformer
from translit.text.tokenizer import BOS, EOS
from translit.training.guided import GuidedHead
from translit.training.loss import linear_cross_entropy
from translit.training.optimizer import MasterWeights, Optimizer

SHAPE = ModelConfig(16, 16, 32, 4, 64, encoder_layers=2, decoder_layers=3, dropout=0.0)


def guided_head(**settings: object) -> GuidedHead:
    head = GuidedHead.chosen(TrainConfig(**{"guided_alignment": 0.5, **settings}), SHAPE)  # type: ignore[arg-type]
    assert head is not None
    return head


def reversed_pairs(count: int) -> list[Example]:
    """Targets are the sources backwards, and so are the links."""
    rows = [torch.randint(4, 16, (int(n),)).tolist() for n in torch.randint(1, 7, (count,))]
    return [
        Example([*r, EOS], [BOS, *r[::-1], EOS], np.array([(len(r) - 1 - j, j) for j in range(len(r))]))
        for r in rows
    ]


def test_the_head_is_counted_from_one_and_zero_is_the_default() -> None:
    assert GuidedHead.chosen(TrainConfig(), SHAPE) is None
    assert (guided_head().layer, guided_head().head) == (1, 3)
    assert (guided_head(guided_layer=3).layer, guided_head(guided_head=1).head) == (2, 0)
    with pytest.raises(TranslitError, match="guided_layer 4"):
        guided_head(guided_layer=4)


def test_only_the_taught_place_is_written_down_and_the_output_is_the_same() -> None:
    torch.manual_seed(0)
    model = Transformer(SHAPE).eval()
    batch = make_batch(reversed_pairs(5))
    trace = guided_head().trace()
    traced = model(batch.source, batch.target_in, trace)
    assert {name.rpartition(".")[0] for name in trace.values} == {"decoder.1.cross_attention"}
    assert torch.equal(traced, model(batch.source, batch.target_in))


def test_the_loss_is_the_cross_entropy_of_the_attention() -> None:
    torch.manual_seed(0)
    model = Transformer(SHAPE).eval()
    links = np.array([[0, 0], [1, 0], [1, 2]])  # target 0 has two links, target 1 none, target 2 one
    batch = make_batch(
        [reversed_pairs(1)[0]._replace(links=None), Example([5, 6, EOS], [BOS, 7, 8, 9, EOS], links)]
    )
    head, trace, everything = guided_head(), guided_head().trace(), Trace()
    model(batch.source, batch.target_in, trace)
    model(batch.source, batch.target_in, everything)
    attention = everything["decoder.1.cross_attention.weights"][1, 3].detach()  # (T, S)
    expected = -math.log(attention[0, 0]) / 2 - math.log(attention[0, 1]) / 2 - math.log(attention[2, 1])
    assert head.loss(trace, batch).item() == pytest.approx(0.5 * expected, rel=1e-5)


def test_a_taught_head_learns_its_links_and_the_others_do_not() -> None:
    torch.manual_seed(0)
    model, head = Transformer(SHAPE), guided_head()
    config = TrainConfig(lr=5e-3, warmup_steps=10, max_steps=100, cooldown=0.5)
    optimizer = Optimizer(weights := MasterWeights(model, torch.bfloat16), config)
    batch = make_batch(reversed_pairs(8))
    for step in range(1, config.max_steps + 1):
        trace = head.trace()
        states, _ = model.decode(batch.target_in, model.encode(batch.source), trace=trace)
        flat = states.flatten(0, 1), model.output.weight, batch.target_out.flatten()
        loss = linear_cross_entropy(*flat, config.label_smoothing) + head.loss(trace, batch)
        (loss / batch.tokens).backward()
        weights.take_gradients()
        optimizer.step(step)
        weights.publish()
    trace = Trace()
    model.eval()(batch.source, batch.target_in, trace)
    assert batch.links is not None
    row, target, source = batch.links.unbind(1)
    attention = torch.stack(
        [trace[f"decoder.{i}.cross_attention.weights"][row, :, target, source] for i in range(3)]
    )
    right = attention.mean(1)  # (layers, heads): the share of attention on the linked token
    assert right[1, 3] > 0.8
    assert (right > 0.6).sum() == 1
