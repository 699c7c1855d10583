"""In which arithmetic to train: bf16 where the processor multiplies in it, fp32 where it would only pretend to."""

from __future__ import annotations

from functools import cache

import torch

from translit.training.distributed import World

# x86: matrix units of server processors, and the vector instructions of recent ones; ARM: those of recent ones.
_BF16_INSTRUCTIONS = "amx_bf16", "avx512_bf16", "bf16", "sve_bf16"


@cache
def multiplies_bf16(device_type: str) -> bool:
    """Whether bf16 matrix products are faster than fp32 ones on this device ("cpu" or "cuda").

    A processor without such instructions computes them number by number: seen on one with AVX2 only, eighty
    times slower.
    """
    if device_type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device_type != "cpu" or not torch.backends.mkldnn.is_available():
        return False
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name, False) for name in _BF16_INSTRUCTIONS)


def arithmetic(precision: str, device_type: str, world: World) -> torch.dtype:
    """The type of the numbers in the model for ``training.precision``: "bf16", "fp32" or "auto".

    "auto" is the faster one, bf16 only if all processes have it: they send each other such numbers.
    """
    slow = precision == "auto" and world.any(not multiplies_bf16(device_type))
    bf16 = precision != "fp32" and not slow
    return torch.bfloat16 if bf16 else torch.float32
