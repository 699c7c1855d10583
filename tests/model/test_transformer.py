"""The model against the paper, against ``torch.nn.Transformer`` and against itself."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from translit.config import ModelConfig
from translit.errors import TranslitError
from translit.model.attention import MultiHeadAttention, causal_mask, scaled_dot_product_attention
from translit.model.dropout import Dropout
from translit.model.embedding import sinusoidal_positions
from translit.model.trace import Trace
from translit.model.transformer import Transformer, count_parameters, pad

SHAPE = {"source_vocab": 50, "target_vocab": 40, "d_model": 32, "n_heads": 4, "d_ff": 64}


def model(**changes: object) -> Transformer:
    torch.manual_seed(0)
    config = ModelConfig(**{**SHAPE, "encoder_layers": 2, "decoder_layers": 2, **changes})  # type: ignore[arg-type]
    return Transformer(config).eval()


def random_rows(count: int, vocab: int, seed: int = 0) -> list[list[int]]:
    g = torch.Generator().manual_seed(seed)
    lengths = torch.randint(2, 12, (count,), generator=g).tolist()
    return [torch.randint(4, vocab, (n,), generator=g).tolist() for n in lengths]


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_same_weights_as_torch_transformer_give_the_same_outputs(norm: str, activation: str) -> None:
    ours = model(norm=norm, activation=activation, dropout=0.0)
    theirs = nn.Transformer(
        32, 4, 2, 2, 64, 0.0, activation=activation, norm_first=norm == "pre", batch_first=True
    ).eval()
    if (
        norm == "post"
    ):  # torch adds a last norm in both cases; figure 1 of the paper has it only inside the layers
        theirs.encoder.norm = theirs.decoder.norm = None
    copy_weights(ours, theirs)
    source, target = pad(random_rows(5, 50)), pad(random_rows(5, 40, seed=1))
    padding = source == 0
    T = target.size(1)
    expected = theirs(
        ours.source_embedding(source),
        ours.target_embedding(target),
        tgt_mask=~causal_mask(T),
        src_key_padding_mask=padding,
        memory_key_padding_mask=padding,
    )
    states, _ = ours.decode(target, ours.encode(source))
    torch.testing.assert_close(states, expected, atol=1e-5, rtol=0)


def copy_weights(ours: Transformer, theirs: nn.Transformer) -> None:
    def attention(mine: MultiHeadAttention, other: nn.MultiheadAttention) -> None:
        other.in_proj_weight.data = torch.cat([mine.w_q.weight, mine.w_k.weight, mine.w_v.weight])
        other.in_proj_bias.data = torch.cat([mine.w_q.bias, mine.w_k.bias, mine.w_v.bias])
        other.out_proj.load_state_dict(mine.w_o.state_dict())

    for mine, other in zip(ours.encoder, theirs.encoder.layers, strict=True):
        attention(mine.self_attention, other.self_attn)
        other.linear1.load_state_dict(mine.feed_forward.w_1.state_dict())
        other.linear2.load_state_dict(mine.feed_forward.w_2.state_dict())
    for mine, other in zip(ours.decoder, theirs.decoder.layers, strict=True):
        attention(mine.self_attention, other.self_attn)
        attention(mine.cross_attention, other.multihead_attn)
        other.linear1.load_state_dict(mine.feed_forward.w_1.state_dict())
        other.linear2.load_state_dict(mine.feed_forward.w_2.state_dict())


def test_fused_and_written_out_attention_agree() -> None:
    torch.manual_seed(0)
    q, k, v = (torch.randn(3, 4, n, 8) for n in (5, 7, 7))
    mask = torch.rand(3, 1, 5, 7) > 0.3
    mask[..., 0] = True
    fused = nn.functional.scaled_dot_product_attention(q, k, v, mask)
    torch.testing.assert_close(scaled_dot_product_attention(q, k, v, mask), fused, atol=1e-5, rtol=0)


def test_attention_by_hand() -> None:
    """Two keys with scores 0 and ln 3 · √d_k / √d_k: weights 1/4 and 3/4."""
    q = torch.tensor([[[[1.0, 0.0]]]])
    k = torch.tensor([[[[0.0, 5.0], [math.log(3) * math.sqrt(2), 0.0]]]])
    v = torch.tensor([[[[4.0, 0.0], [0.0, 4.0]]]])
    trace = Trace()
    torch.testing.assert_close(
        scaled_dot_product_attention(q, k, v, None, trace), torch.tensor([[[[1.0, 3.0]]]])
    )
    torch.testing.assert_close(trace["weights"], torch.tensor([[[[0.25, 0.75]]]]))


def test_a_future_target_token_changes_no_earlier_logit() -> None:
    net = model()
    source, target = pad(random_rows(2, 50)), torch.randint(4, 40, (2, 9))
    before = net(source, target)
    for position in range(1, 9):
        changed = target.clone()
        changed[:, position:] = torch.randint(4, 40, (2, 9 - position))
        assert torch.equal(net(source, changed)[:, :position], before[:, :position])


def test_padding_changes_nothing() -> None:
    net = model()
    source, target = [5, 6, 7, 3], [2, 8, 9]
    alone = net(pad([source]), pad([target]))
    padded = net(pad([source, [9] * 20]), pad([target, [9] * 15]))[:1, :3]
    torch.testing.assert_close(padded, alone, atol=1e-5, rtol=0)


def test_a_batch_of_64_equals_64_batches_of_one() -> None:
    net = model()
    sources, targets = random_rows(64, 50), random_rows(64, 40, seed=1)
    together = net(pad(sources), pad(targets))
    for i, (source, target) in enumerate(zip(sources, targets, strict=True)):
        alone = net(pad([source]), pad([target]))[0]
        torch.testing.assert_close(together[i, : len(target)], alone, atol=1e-5, rtol=0)


def test_decoding_step_by_step_equals_decoding_at_once() -> None:
    net = model()
    source, target = pad(random_rows(4, 50)), torch.randint(4, 40, (4, 10))
    memory, past, steps = net.encode(source), None, []
    for chunk in (target[:, :1], target[:, 1:2], target[:, 2:6], target[:, 6:]):
        states, past = net.decode(chunk, memory, past)
        steps.append(net.logits(states))
    torch.testing.assert_close(torch.cat(steps, dim=1), net(source, target), atol=1e-5, rtol=0)


def test_positions_are_the_papers_formula_and_longer_ones_follow() -> None:
    table = sinusoidal_positions(50, 8)
    assert table[7, 2] == pytest.approx(math.sin(7 / 10_000 ** (2 / 8)), abs=1e-6)
    assert table[7, 3] == pytest.approx(math.cos(7 / 10_000 ** (2 / 8)), abs=1e-6)
    net = model()
    long = torch.randint(4, 40, (1, 600))  # beyond the table that a model starts with
    torch.testing.assert_close(net(long, long)[:, :20], net(long, long[:, :20]), atol=1e-5, rtol=0)


def test_tied_output_is_the_target_embedding() -> None:
    tied, untied = model(), model(tie_embeddings=False)
    assert tied.output.weight is tied.target_embedding.tokens.weight
    assert count_parameters(untied) - count_parameters(tied) == 40 * 32


def test_trace_records_without_changing_the_result() -> None:
    net = model()
    source, target = pad(random_rows(2, 50)), torch.randint(4, 40, (2, 5))
    trace = Trace()
    assert torch.equal(net(source, target, trace), net(source, target))
    weights = trace["decoder.1.cross_attention.weights"]
    assert weights.shape == (2, 4, 5, source.size(1))
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 5))
    assert (weights[source[:, None, None, :].expand_as(weights) == 0] == 0).all()


def test_a_dropped_head_contributes_nothing() -> None:
    net = model(encoder_layers=1, decoder_layers=1)
    source, target = pad(random_rows(1, 50)), torch.randint(4, 40, (1, 5))
    trace = Trace(drop_heads=[("decoder.0.cross_attention", 2)])
    dropped = net(source, target, trace)
    net.decoder[0].cross_attention.w_o.weight.data[:, 16:24] = 0  # the columns that read head 2
    torch.testing.assert_close(net(source, target), dropped, atol=1e-6, rtol=0)


def test_dropout_drops_its_share_keeps_the_mean_and_differs_each_time() -> None:
    torch.manual_seed(0)
    drop, x = Dropout(0.25).train(), torch.ones(400, 300)
    first, second = drop(x), drop(x)
    assert (first == 0).float().mean() == pytest.approx(0.25, abs=0.01)
    assert first.mean() == pytest.approx(1.0, abs=0.01)
    assert not torch.equal(first, second)
    assert torch.equal(drop.eval()(x), x)


@pytest.mark.parametrize(
    ("changes", "words"), [({"d_model": 30, "n_heads": 4}, "divisible"), ({"norm": "mid"}, "norm")]
)
def test_impossible_shapes_are_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(TranslitError, match=words):
        ModelConfig(**changes)  # type: ignore[arg-type]
