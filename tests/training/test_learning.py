"""The pieces of learning: loss, schedule, optimizers; and whether a small model really learns."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from translit.config import ModelConfig, TrainConfig
from translit.data.batches import Example, make_batch
from translit.decoding.search import SearchSettings, search
from translit.model.transformer import Transformer
from translit.text.tokenizer import BOS, EOS, PAD
from translit.training.loss import linear_cross_entropy
from translit.training.optimizer import MasterWeights, Optimizer, learning_rate


def test_chunked_loss_and_gradients_equal_pytorchs() -> None:
    torch.manual_seed(0)
    states, weight = torch.randn(1300, 16, requires_grad=True), torch.randn(40, 16, requires_grad=True)
    targets = torch.randint(0, 40, (1300,))  # some are padding, and there are several chunks
    ours = linear_cross_entropy(states, weight, targets, 0.1)
    theirs = F.cross_entropy(
        states @ weight.T, targets, ignore_index=PAD, reduction="sum", label_smoothing=0.1
    )
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=0)
    mine = torch.autograd.grad(2 * ours, (states, weight))
    expected = torch.autograd.grad(2 * theirs, (states, weight))
    for a, b in zip(mine, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


def test_learning_rate_warms_up_decays_and_cools_down() -> None:
    config = TrainConfig(lr=1.0, warmup_steps=100, max_steps=1000, cooldown=0.2)
    assert learning_rate(1, config) == pytest.approx(0.01)
    assert learning_rate(100, config) == pytest.approx(1.0)
    assert learning_rate(400, config) == pytest.approx(0.5)  # 1/√step
    assert learning_rate(901, config) == pytest.approx((100 / 901) ** 0.5 / 2)
    assert 0 < learning_rate(1000, config) < 0.002
    forever = TrainConfig(lr=1.0, warmup_steps=100, max_steps=1000, cooldown=0.0)
    assert learning_rate(1000, forever) == pytest.approx(0.1**0.5)


def test_master_weights_keep_what_bf16_would_lose() -> None:
    model = torch.nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(1.0)
    weights = MasterWeights(model, torch.bfloat16)
    assert model.weight.dtype == torch.bfloat16
    for _ in range(16):  # 1/1024 is below bf16's step at 1.0; sixteen of them are not
        weights.master["weight"].data += 1 / 1024
        weights.publish()
    assert float(model.weight.detach()) == 1 + 1 / 64


def test_muon_takes_the_hidden_matrices_and_adamw_the_rest() -> None:
    model = Transformer(ModelConfig(source_vocab=20, target_vocab=20, d_model=8, n_heads=2, d_ff=16))
    weights = MasterWeights(model, torch.float32)
    adamw, muon = Optimizer(weights, TrainConfig(optimizer="muon")).parts
    count = {id(p) for p in muon.param_groups[0]["params"]}
    hidden = [
        p for n, p in model.named_parameters() if n.startswith(("encoder.", "decoder.")) and p.dim() == 2
    ]
    assert count == {id(p) for p in hidden}
    assert len(adamw.param_groups[0]["params"]) + len(hidden) == len(list(model.parameters()))
    assert len(Optimizer(weights, TrainConfig(optimizer="adamw")).parts) == 1


@pytest.mark.parametrize("task", ["copy", "reverse"])
def test_a_small_model_learns(task: str) -> None:
    """After Sockeye's system tests: 99 % of unseen sequences must come out exactly right."""
    torch.manual_seed(0)
    vocab = 4 + 8
    shape = ModelConfig(vocab, vocab, 64, 4, 128, encoder_layers=2, decoder_layers=1, dropout=0.0)
    model = Transformer(shape)
    config = TrainConfig(lr=4e-3, warmup_steps=50, max_steps=400, cooldown=0.5, label_smoothing=0.0)
    weights = MasterWeights(model, torch.float32)
    optimizer = Optimizer(weights, config)

    def examples(count: int) -> list[Example]:
        rows = [torch.randint(4, vocab, (int(n),)).tolist() for n in torch.randint(1, 8, (count,))]
        return [Example([*r, EOS], [BOS, *(r if task == "copy" else r[::-1]), EOS]) for r in rows]

    for step in range(1, config.max_steps + 1):
        batch = make_batch(examples(64))
        states, _ = model.decode(batch.target_in, model.encode(batch.source))
        loss = linear_cross_entropy(
            states.flatten(0, 1), model.output.weight, batch.target_out.flatten(), 0.0
        )
        (loss / batch.tokens).backward()
        weights.take_gradients()
        optimizer.step(step)
    unseen = examples(200)
    outputs = search(model.eval(), [example.source for example in unseen], SearchSettings(beam=1))
    right = sum(best.ids == target[1:-1] for (best, *_), (_, target, _) in zip(outputs, unseen, strict=True))
    assert right >= 0.99 * len(unseen)
