"""A notebook that a forward pass writes its intermediate numbers into, when somebody asks to see them."""

from __future__ import annotations

from collections.abc import Collection

from torch import Tensor


class Trace:
    """Named tensors of one forward pass, as ``"decoder.0.cross_attention.weights"`` → tensor.

    Modules receive a trace already standing at their own place and call ``record(weights=…)``; ``at("name")`` steps
    into a part. Passing ``None`` instead of a trace costs nothing. ``drop_heads`` names heads to silence, as
    ``("encoder.1.self_attention", 3)``, which is how the importance of a head is measured.
    ``only`` names the single place that is to be written down; parts that do not lead there receive None.
    """

    def __init__(self, drop_heads: Collection[tuple[str, int]] = (), only: str = "") -> None:
        self.values: dict[str, Tensor] = {}
        self.drop_heads = drop_heads
        self.only = only
        self.place = ""

    def at(self, name: str) -> Trace:
        """The same notebook, one level deeper."""
        inner = Trace.__new__(Trace)
        inner.values, inner.drop_heads, inner.only = self.values, self.drop_heads, self.only
        inner.place = f"{self.place}.{name}" if self.place else name
        return inner

    def record(self, **tensors: Tensor) -> None:
        for name, tensor in tensors.items():
            self.values[f"{self.place}.{name}" if self.place else name] = tensor

    def mask_heads(self, heads: Tensor) -> Tensor:
        """``heads`` (B, h, T, d_k) with the dropped heads of this place set to zero."""
        silent = [head for place, head in self.drop_heads if place == self.place]
        if not silent:
            return heads
        heads = heads.clone()
        heads[:, silent] = 0
        return heads

    def __getitem__(self, name: str) -> Tensor:
        return self.values[name]


def at(trace: Trace | None, name: str) -> Trace | None:
    """``trace.at(name)``, or None where nobody asked for a trace of this part."""
    if trace is None:
        return None
    inner = trace.at(name)
    return inner if f"{inner.only}.".startswith(f"{inner.place}.") or not inner.only else None
