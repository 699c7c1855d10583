"""Fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from translit.model.transformer import Transformer

settings.register_profile("untimed", deadline=None)  # a busy machine is no bug
settings.load_profile("untimed")

EOS = 3
PAIRS = [
    ("I love you", "我爱你"),
    ("Where is the station?", "车站在哪里？"),
    ("He has 3 cats and 12 dogs.", "他有3只猫和12只狗。"),
    ("Good morning!", "早上好！"),
    ("We are learning how a Transformer works.", "我们正在学习Transformer是怎么工作的。"),
    ("She reads a book every evening.", "她每天晚上都看书。"),
    ("Hello, world", "你好，世界"),
    ("Please send {0} to me by e-mail.", "请把{0}用电子邮件发给我。"),
]


def write_tiny_model(
    path: Path, *, seed: int = 0, source: str = "en", target: str = "zh", **changes: object
) -> Path:
    """Write a complete model folder with random weights at ``path``; ``changes`` go into its ModelConfig.

    Its translations are nonsense, but they are the same nonsense every time, and they end.
    """
    import torch
    from safetensors.torch import save_file

    from translit.config import ModelConfig, override
    from translit.model.transformer import Transformer
    from translit.model_directory import CONFIG, SOURCE, TARGET, WEIGHTS, describe_new, shapeless
    from translit.text.tokenizer import train_tokenizer

    path.mkdir(parents=True, exist_ok=True)
    tokenizers = {
        SOURCE: train_tokenizer([s for s, _ in PAIRS], 500),
        TARGET: train_tokenizer([t for _, t in PAIRS], 500, characters=True),
    }
    for name, tokenizer in tokenizers.items():
        (path / name).write_bytes(tokenizer.model)
    small = {
        "d_model": 32,
        "n_heads": 4,
        "d_ff": 64,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "dropout": 0.0,
    }
    vocabularies = {"source_vocab": len(tokenizers[SOURCE]), "target_vocab": len(tokenizers[TARGET])}
    config = override(ModelConfig(), {**small, **vocabularies, **changes}, "tests")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Transformer(config)
        _enliven(model)
    state = {k: v.half().contiguous() for k, v in model.state_dict().items()}
    if config.tie_embeddings:
        del state["output.weight"]
    save_file(state, path / WEIGHTS, shapeless(config))
    info = {"steps": 0, "about": "random weights, for tests"}
    (path / CONFIG).write_text(describe_new(config, source, target, info), "utf-8")
    return path


def _enliven(model: Transformer) -> None:
    """Random weights alone repeat one token for ever: make the layers speak up and ends more likely."""
    import torch

    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 2 and "embedding" not in name and name != "output.weight":
                parameter *= 4
        last = model.decoder_norm if model.config.norm == "pre" else model.decoder[-1].add_norm_3.norm
        end = model.output.weight[EOS]
        last.bias += (2 if model.config.norm == "pre" else 5) * end / end.norm()


@pytest.fixture(scope="session")
def tiny_model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete model folder with random weights. Do not write into it."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines converted by a test must not land in the user's cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
