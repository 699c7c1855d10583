"""Our Muon, whose work is divided among processes, against PyTorch's."""

import pytest
import torch
from torch import nn

from translit.config import TrainConfig
from translit.training.distributed import World
from translit.training.optimizer import Muon, orthogonal


def test_muon_is_that_of_pytorch():
    torch.manual_seed(0)
    ours = [nn.Parameter(torch.randn(shape)) for shape in ((8, 8), (6, 24), (24, 6))]
    theirs = [nn.Parameter(p.detach().clone()) for p in ours]
    config = TrainConfig(lr=0.01, weight_decay=0.1)
    muon = Muon(ours, config, World())
    reference = torch.optim.Muon(
        theirs, lr=0.01, weight_decay=0.1, momentum=0.95, adjust_lr_fn="match_rms_adamw"
    )
    before = [p.detach().clone() for p in ours]
    for _ in range(3):
        for p, q in zip(ours, theirs, strict=True):
            p.grad = torch.randn(p.shape)
            q.grad = p.grad.clone()
        muon.step()
        reference.step()
    for p, q, start in zip(ours, theirs, before, strict=True):
        assert (p - start).abs().max() > 0.005
        torch.testing.assert_close(p, q, atol=2e-4, rtol=0)


def test_orthogonal():
    """Singular values end between 0.6 and 1.3 whatever they were, on matrices of any form."""
    torch.manual_seed(0)
    for shape in ((16, 16), (8, 32), (32, 8)):
        update = orthogonal(torch.randn(shape) * 100)
        assert update.shape == shape
        values = torch.linalg.svdvals(update.float())
        assert values.min() > 0.6
        assert values.max() < 1.3


def test_the_way_over_the_gram_matrix_ends_at_the_same():
    """fp32 takes it where it is shorter, fp64 never does; also where singular values are tiny or zero."""
    torch.manual_seed(0)
    thin = torch.randn(8, 2) @ torch.randn(2, 64)
    for wide in (torch.randn(8, 64), thin, thin + 1e-3 * torch.randn(8, 64), torch.zeros(8, 64)):
        torch.testing.assert_close(orthogonal(wide), orthogonal(wide.double()).float(), atol=1e-4, rtol=0)


@pytest.mark.parametrize(("precision", "wanted"), [("fp32", torch.float32), ("bf16", torch.bfloat16)])
def test_muon_keeps_to_the_precision_that_was_asked_for(precision, wanted):
    muon = Muon([nn.Parameter(torch.randn(4, 4))], TrainConfig(precision=precision), World())
    assert muon.arithmetic == wanted
