"""Which arithmetic a training chooses."""

import pytest
import torch

from translit.training import precision
from translit.training.distributed import World
from translit.training.precision import arithmetic, multiplies_bf16


@pytest.mark.parametrize(
    ("capabilities", "wanted"),
    [
        ({"avx2": True, "avx512_bf16": False}, torch.float32),
        ({"avx2": True, "avx512_f": True}, torch.float32),
        ({"avx512_bf16": True}, torch.bfloat16),
        ({"amx_bf16": True}, torch.bfloat16),
        ({"neon": True, "bf16": True}, torch.bfloat16),
    ],
)
def test_auto_follows_the_processor(monkeypatch, capabilities, wanted):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)  # not on a Mac
    multiplies_bf16.cache_clear()
    try:
        assert arithmetic("auto", "cpu", World()) == wanted
    finally:
        multiplies_bf16.cache_clear()


def test_what_is_asked_for_is_done(monkeypatch):
    for fast in (True, False):
        monkeypatch.setattr(precision, "multiplies_bf16", lambda device_type, fast=fast: fast)
        assert arithmetic("bf16", "cpu", World()) == torch.bfloat16
        assert arithmetic("fp32", "cpu", World()) == torch.float32


def test_all_processes_agree(monkeypatch):
    """One of them cannot: none does."""
    monkeypatch.setattr(precision, "multiplies_bf16", lambda device_type: True)
    monkeypatch.setattr(World, "any", lambda self, flag: True)
    assert arithmetic("auto", "cpu", World()) == torch.float32
