"""A toy language pair and a model that has really learned it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from translit.data.bitext import Pair

LEXICON = dict(zip("abcdefgh", "天地人你我他大小", strict=True))


def make_toy_pairs(count: int, seed: int) -> list[Pair]:
    """``c a h`` and ``人天小``: letters with spaces, each with its own Han character, in the same order."""
    rng = random.Random(seed)
    rows = [rng.choices(list(LEXICON), k=rng.randint(3, 6)) for _ in range(count)]
    return [
        Pair(" ".join(row), "".join(LEXICON[letter] for letter in row), f"toy.tsv:{number}")
        for number, row in enumerate(rows, 1)
    ]


@pytest.fixture(scope="session")
def toy_pairs() -> Callable[[int, int], list[Pair]]:
    """Call it with a count and a seed."""
    return make_toy_pairs


@pytest.fixture(scope="session")
def toy_model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder trained on toy pairs for a second or two. Do not write into it."""
    import torch
    from safetensors.torch import save_file

    from translit.config import ModelConfig, TrainConfig
    from translit.data.batches import Example, make_batch
    from translit.model.transformer import Transformer
    from translit.model_directory import CONFIG, SOURCE, TARGET, WEIGHTS, describe_new
    from translit.text.tokenizer import BOS, EOS, train_tokenizer
    from translit.training.loss import linear_cross_entropy
    from translit.training.optimizer import MasterWeights, Optimizer

    config = TrainConfig(optimizer="adamw", lr=6e-3, warmup_steps=20, max_steps=150, cooldown=0.5)
    pairs = make_toy_pairs(64 * config.max_steps, 0)
    source = train_tokenizer((pair.source for pair in pairs[:500]), 300)
    target = train_tokenizer((pair.target for pair in pairs[:500]), 300, characters=True)
    examples = [Example([*source.encode(s), EOS], [BOS, *target.encode(t), EOS]) for s, t, _ in pairs]
    shape = ModelConfig(len(source), len(target), 48, 4, 96, encoder_layers=1, decoder_layers=1, dropout=0.0)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Transformer(shape)
        optimizer = Optimizer(weights := MasterWeights(model, torch.float32), config)
        for step in range(1, config.max_steps + 1):
            batch = make_batch(examples[64 * (step - 1) : 64 * step])
            states, _ = model.decode(batch.target_in, model.encode(batch.source))
            flat = states.flatten(0, 1), model.output.weight, batch.target_out.flatten()
            (linear_cross_entropy(*flat, config.label_smoothing) / batch.tokens).backward()
            weights.take_gradients()
            optimizer.step(step)
    path = tmp_path_factory.mktemp("models") / "toy"
    path.mkdir()
    state = {name: x.half().contiguous() for name, x in model.state_dict().items() if name != "output.weight"}
    save_file(state, path / WEIGHTS)
    (path / SOURCE).write_bytes(source.model)
    (path / TARGET).write_bytes(target.model)
    (path / CONFIG).write_text(describe_new(shape, "en", "zh", {}), "utf-8")
    return path
