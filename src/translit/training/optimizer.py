"""Optimizers, the learning-rate schedule, and fp32 master copies of bf16 weights."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from translit.config import TrainConfig
from translit.training.distributed import World
from translit.training.precision import arithmetic


def learning_rate(step: int, config: TrainConfig) -> float:
    """Linear warm-up, then 1/√step (§5.3, "Noam"), then a linear fall to zero over the last ``cooldown`` share.

    ``step`` counts from 1. The peak, ``config.lr``, is reached at ``warmup_steps``.
    """
    warmup = max(1, config.warmup_steps)
    rate = config.lr * min(step / warmup, (warmup / step) ** 0.5)
    cooldown = config.cooldown * config.max_steps
    left = config.max_steps - step + 1
    return rate * min(1.0, left / cooldown) if cooldown >= 1 else rate


class MasterWeights:
    """The optimizer's own fp32 copies of the weights of a bf16 model.

    A small step is lost when added to a bf16 number (8 bits of mantissa), so the optimizer moves fp32 copies and
    the model receives them rounded. For an fp32 model the copies are the weights themselves.
    """

    def __init__(self, model: nn.Module, precision: torch.dtype) -> None:
        """Keep the weights of ``model``, which is fp32, and round it to ``precision``."""
        exact = {name: p.detach().clone() for name, p in model.named_parameters()}  # tied weights appear once
        model.to(precision)
        self.model = dict(model.named_parameters())
        self.same = precision == torch.float32
        self.master = self.model if self.same else {n: nn.Parameter(p) for n, p in exact.items()}

    def take_gradients(self) -> list[Tensor]:
        """Hand the model's gradients to the master copies, as fp32, and return them."""
        if not self.same:
            for name, p in self.model.items():
                assert p.grad is not None
                self.master[name].grad = p.grad.float()
                p.grad = None
        return [p.grad for p in self.master.values() if p.grad is not None]

    @torch.no_grad()
    def publish(self) -> None:
        """Round the master copies into the model."""
        if not self.same:
            for name, p in self.model.items():
                p.copy_(self.master[name])


ROUNDS, A, B, C = 5, 3.4445, -4.775, 2.0315  # of the iteration below, by Jordan et al. 2024


def orthogonal(matrix: Tensor) -> Tensor:
    """The nearest matrix with all singular values near 1: a quintic Newton–Schulz iteration, X ← (A + BG + CG²) X with
    the Gram matrix G = XXᵀ. It is content with bf16.

    In fp32 a matrix at least twice as wide as high needs only its small G for that: 38 % fewer operations at
    256 × 1024, and the same result up to rounding, which in bf16 would be too much.
    """
    x = matrix if matrix.size(0) <= matrix.size(1) else matrix.T
    x = x / x.norm().clamp(min=1e-7)
    if x.dtype == torch.float32 and 2 * x.size(0) <= x.size(1):
        x = _all_rounds(x @ x.T) @ x
    else:
        for _ in range(ROUNDS):
            x = torch.addmm(x, _bend(x @ x.T), x, beta=A)
    return x if x.shape == matrix.shape else x.T.contiguous()


def _bend(gram: Tensor) -> Tensor:
    return torch.addmm(gram, gram, gram, beta=B, alpha=C)


def _all_rounds(gram: Tensor) -> Tensor:
    """The product of the factors of all rounds; as polynomials of one symmetric matrix they commute."""
    product = torch.eye(len(gram), device=gram.device)
    for _ in range(ROUNDS):
        factor = _bend(gram)
        factor.diagonal().add_(A)
        product = factor @ product
        gram = factor @ gram @ factor
    return product


class Muon(torch.optim.Optimizer):
    """``torch.optim.Muon`` with ``match_rms_adamw``, its work divided among the processes.

    Making the updates orthogonal costs a quarter of a step of a small model on one core. With several processes
    each does its share of the matrices and sends the others what came out.
    """

    def __init__(self, params: list[nn.Parameter], config: TrainConfig, world: World) -> None:
        super().__init__(params, {"lr": config.lr, "weight_decay": config.weight_decay, "momentum": 0.95})
        self.world = world
        self.arithmetic = arithmetic(config.precision, params[0].device.type, world)

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            params = sorted(group["params"], key=torch.numel)  # so that the shares below cost about the same
            updates = [self._nesterov(p, group["momentum"]).to(self.arithmetic) for p in params]
            rank, size = self.world.rank, self.world.size
            updates[rank::size] = [orthogonal(update) for update in updates[rank::size]]
            for owner in range(size):
                self.world.broadcast(updates[owner::size], owner)
            for p, update in zip(params, updates, strict=True):
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(update, alpha=-group["lr"] * 0.2 * max(p.shape) ** 0.5)

    def _nesterov(self, p: nn.Parameter, momentum: float) -> Tensor:
        """The gradient, smoothed over the last steps. Every process keeps all of this memory, so all can save it."""
        assert p.grad is not None
        memory = self.state[p].setdefault("momentum_buffer", torch.zeros_like(p))
        memory.lerp_(p.grad, 1 - momentum)
        return p.grad.lerp(memory, momentum)


class Optimizer:
    """Muon for the hidden matrices and AdamW for embeddings, norms and biases; or AdamW for everything.

    Muon (Jordan et al. 2024) makes the update of a matrix orthogonal: every direction learns at the same speed. It
    is scaled so that one learning rate suits both kinds.
    """

    def __init__(self, weights: MasterWeights, config: TrainConfig, world: World = World()) -> None:  # noqa: B008
        self.config = config
        muon: list[nn.Parameter] = []
        adam: list[nn.Parameter] = []
        for name, p in weights.master.items():
            hidden = p.dim() == 2 and "embedding" not in name and "output" not in name
            (muon if hidden and config.optimizer == "muon" else adam).append(p)
        self.parts: list[torch.optim.Optimizer] = [
            torch.optim.AdamW(
                adam,
                lr=config.lr,
                betas=(config.beta1, config.beta2),
                eps=1e-9,
                weight_decay=config.weight_decay,
                fused=True,
            )
        ]
        if muon:
            self.parts.append(Muon(muon, config, world))
        self.all = [*adam, *muon]

    def step(self, step: int) -> Tensor:
        """Clip, move every weight at the scheduled rate, drop the gradients. Returns the gradient norm before."""
        norm = torch.nn.utils.clip_grad_norm_(self.all, self.config.clip_norm)
        rate = learning_rate(step, self.config)
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()
            part.zero_grad()
        return norm

    def state(self) -> dict[str, Tensor]:
        """Every tensor of the optimizers' memory under a flat name."""
        return {
            f"{i}.{index}.{key}": value if isinstance(value, Tensor) else torch.tensor(value)
            for i, part in enumerate(self.parts)
            for index, memory in part.state_dict()["state"].items()
            for key, value in memory.items()
        }

    def load_state(self, tensors: dict[str, Tensor]) -> None:
        for i, part in enumerate(self.parts):
            state: dict[int, dict[str, Tensor]] = {}
            for name, tensor in tensors.items():
                number, index, key = name.split(".")
                if int(number) == i:
                    state.setdefault(int(index), {})[key] = tensor
            part.load_state_dict({"state": state, "param_groups": part.state_dict()["param_groups"]})
