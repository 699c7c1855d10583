"""Label-smoothed cross-entropy (Attention Is All You Need, §5.4) without ever holding all the logits.

For V = 8,000 target tokens the logits of a batch are thirty times larger than the states they come from. So the
output layer, the softmax, the loss and their gradients are computed a few hundred positions at a time.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from translit.text.tokenizer import PAD

_CHUNK = 512  # positions at a time: large enough for the matrix product, small enough for the cache


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: Tensor, targets: Tensor, smoothing: float) -> Tensor:
        V = weight.size(0)
        total = states.new_zeros((), dtype=torch.float32)
        grad_states = torch.empty_like(states)
        grad_weight = torch.zeros(weight.shape, dtype=torch.float32, device=weight.device)
        for start in range(0, states.size(0), _CHUNK):
            x, y = states[start : start + _CHUNK], targets[start : start + _CHUNK, None]  # (n, d), (n, 1)
            log_p = (x @ weight.T).float().log_softmax(dim=-1)  # (n, V)
            # Cross-entropy against (1-ε) on the right token and ε spread evenly over all V.
            total -= (1 - smoothing) * log_p.gather(1, y).sum() + smoothing / V * log_p.sum()
            grad = log_p.exp_().sub_(smoothing / V)  # p - q, the gradient with respect to the logits
            grad.scatter_add_(1, y, grad.new_full(y.shape, smoothing - 1))
            grad = grad.to(states.dtype)
            grad_states[start : start + _CHUNK] = grad @ weight
            grad_weight += grad.T @ x
        ctx.save_for_backward(grad_states, grad_weight.to(weight.dtype))
        return total

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None, None]:
        grad_states, grad_weight = ctx.saved_tensors
        return grad_states * grads[0], grad_weight * grads[0], None, None


def linear_cross_entropy(states: Tensor, weight: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    """The summed loss, in nats, of predicting ``targets`` (n,) from ``states`` (n, d) through ``weight`` (V, d).

    Padding is not counted. On a GPU PyTorch's own loss is used: it has the memory, and choosing the real tokens
    would make it wait for the processor at every step.
    """
    if states.is_cuda:
        logits = (states @ weight.T).float()
        return F.cross_entropy(logits, targets, ignore_index=PAD, reduction="sum", label_smoothing=smoothing)
    real = targets != PAD
    loss: Tensor = _LinearCrossEntropy.apply(states[real], weight, targets[real], smoothing)
    return loss
