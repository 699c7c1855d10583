"""Every hyperparameter, its default and what it means: the only place where a default lives."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from translit.errors import TranslitError


def _check_ranges(config: object, **limits: tuple[float, float]) -> None:
    """Every field named lies within its limits, both included; NaN lies nowhere."""
    for name, (low, high) in limits.items():
        value = getattr(config, name)
        if not low <= value <= high:
            raise TranslitError(f"{name} is {value}; give a number from {low:,} to {high:,}")


def _check_choice(config: object, name: str, *choices: str) -> None:
    if (value := getattr(config, name)) not in choices:
        raise TranslitError(f"{name} is {value!r}; choose {' or '.join(choices)}")


@dataclass(frozen=True)
class ModelConfig:
    """The shape of a Transformer (Attention Is All You Need, §3 and table 3)."""

    source_vocab: int = 0  # number of source tokens (set from the tokenizer)
    target_vocab: int = 0  # number of target tokens (set from the tokenizer)
    d_model: int = 256  # width of every vector between layers
    n_heads: int = 4  # attention heads; each sees d_model / n_heads numbers
    d_ff: int = 1024  # inner width of the feed-forward network
    encoder_layers: int = 6
    decoder_layers: int = 3
    norm: Literal["pre", "post"] = "pre"  # "post" is the paper's; "pre" trains without a careful warm-up
    activation: Literal["relu", "gelu"] = "relu"
    dropout: float = 0.1
    tie_embeddings: bool = True  # the output layer reuses the target embedding (§3.4)

    def __post_init__(self) -> None:
        _check_ranges(self, source_vocab=(0, 10**7), target_vocab=(0, 10**7), d_model=(2, 10**5))
        _check_ranges(self, n_heads=(1, 1000), d_ff=(1, 10**6), dropout=(0, 0.99))
        _check_ranges(self, encoder_layers=(1, 1000), decoder_layers=(1, 1000))
        if self.d_model % self.n_heads:
            raise TranslitError(
                f"d_model {self.d_model} is not divisible by n_heads {self.n_heads}; choose another pair"
            )
        if self.d_model % 2:
            raise TranslitError(
                f"d_model {self.d_model} is odd, but sine and cosine come in pairs; choose an even one"
            )
        _check_choice(self, "norm", "pre", "post")
        _check_choice(self, "activation", "relu", "gelu")

    @property
    def d_k(self) -> int:
        """Width of one head's queries, keys and values."""
        return self.d_model // self.n_heads


@dataclass(frozen=True)
class DataConfig:
    """What is read and how it becomes batches."""

    source_vocab: int = 8000  # SentencePiece pieces of the source
    target_vocab: int = 6000  # SentencePiece pieces of the target
    characters: bool = True  # one Han character = one target token; false: subwords
    max_tokens: int = 128  # longer pairs are left out of training, and counted
    batch_tokens: int = 4096  # budget per batch, padding included: rows × (source width + target width)
    pool: int = 20_000  # pairs shuffled, sorted by length and cut into batches together
    augment: float = 0.0  # share of pairs shown in a variant: other names, {0}, lower case, typos …

    def __post_init__(self) -> None:
        # 256 bytes, 10 placeholders and 4 marks are in every vocabulary, and some letters must be.
        _check_ranges(self, source_vocab=(280, 10**7), target_vocab=(280, 10**7), max_tokens=(2, 10**5))
        _check_ranges(self, batch_tokens=(1, 10**9), pool=(1, 10**9), augment=(0, 1))


@dataclass(frozen=True)
class TrainConfig:
    """How it learns (§5)."""

    optimizer: Literal["muon", "adamw"] = "muon"  # Muon for the hidden matrices, AdamW for the rest
    lr: float = 2e-3  # peak learning rate
    warmup_steps: int = 400
    max_steps: int = 100_000
    max_epochs: int = 0  # stop after so many epochs, if that comes before max_steps; 0: max_steps decides
    max_minutes: float = 0.0  # wall time of all sittings; it decides instead of max_steps and max_epochs
    cooldown: float = 0.2  # last share of max_steps, over which the learning rate falls linearly to zero
    weight_decay: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.98
    clip_norm: float = 1.0
    accumulate: int = 1  # batches per optimizer step
    label_smoothing: float = 0.1  # §5.4
    guided_alignment: float = (
        0.0  # weight of teaching one head word alignments (0.05 to 0.3); 0: no head is taught
    )
    guided_layer: int = 0  # decoder layer of that head, from 1; 0: the last but one
    guided_head: int = 0  # which head of that layer, from 1; 0: the last
    precision: Literal["auto", "bf16", "fp32"] = "auto"  # auto: bf16 where the processor multiplies in it
    compile: bool = False  # torch.compile the layers: meant for a GPU; on a CPU the steps were slower
    eval_every: int = 500  # optimizer steps between dev evaluations and checkpoints
    patience: int = 10  # evaluations without a better dev loss before stopping; 0: never stop early
    average: int = 5  # checkpoints averaged into the final model
    seed: int = 1
    tensorboard: bool = False  # also write event files for TensorBoard (extra: tensorboard)

    def __post_init__(self) -> None:
        _check_ranges(self, lr=(0, 1000), warmup_steps=(0, 10**9), max_steps=(1, 10**9), cooldown=(0, 1))
        _check_ranges(self, max_minutes=(0, 10**6))
        _check_ranges(self, weight_decay=(0, 1000), beta1=(0, 0.99999), beta2=(0, 0.99999))
        _check_ranges(self, clip_norm=(1e-6, 10**9), accumulate=(1, 10**6), label_smoothing=(0, 0.99))
        _check_ranges(self, guided_alignment=(0, 100), guided_layer=(0, 1000), guided_head=(0, 1000))
        _check_ranges(self, eval_every=(1, 10**9), patience=(0, 10**9), average=(1, 10**6), seed=(0, 2**32))
        _check_choice(self, "optimizer", "muon", "adamw")
        _check_choice(self, "precision", "auto", "bf16", "fp32")


@dataclass(frozen=True)
class Preset:
    """A named, complete choice of hyperparameters."""

    about: str
    model: ModelConfig
    data: DataConfig = field(default_factory=DataConfig)
    train: TrainConfig = field(default_factory=TrainConfig)


PRESETS: dict[str, Preset] = {
    "nano": Preset(
        "4 numbers a vector, 2 heads: the size of the pen-and-paper tour",
        ModelConfig(
            d_model=4, n_heads=2, d_ff=8, encoder_layers=2, decoder_layers=2, norm="post", dropout=0.0
        ),
        DataConfig(source_vocab=1000, target_vocab=3000),
        TrainConfig(optimizer="adamw", max_steps=1000, eval_every=200),
    ),
    "tiny": Preset(
        "about ten minutes on a laptop",
        ModelConfig(d_model=192, n_heads=4, d_ff=768, encoder_layers=4, decoder_layers=2),
        DataConfig(source_vocab=6000, target_vocab=5000, augment=0.1),
        TrainConfig(max_steps=1000, warmup_steps=100, eval_every=200, cooldown=0.5),
    ),
    "tune": Preset(
        "what `--from MODEL` uses: small steps from a finished model (whose shape and tokenizers stay)",
        ModelConfig(),
        DataConfig(augment=0.1),
        TrainConfig(
            lr=3e-4, warmup_steps=50, max_steps=1000, eval_every=100, patience=5, cooldown=0.5, average=1
        ),
    ),
    "small": Preset(
        "the shipped model: hours on a laptop",
        ModelConfig(d_model=256, n_heads=4, d_ff=1024, encoder_layers=6, decoder_layers=3),
        DataConfig(source_vocab=12_000, target_vocab=8000, augment=0.15),
    ),
    "base": Preset(
        "the paper's base model, for a GPU",
        ModelConfig(
            d_model=512, n_heads=8, d_ff=2048, encoder_layers=6, decoder_layers=6, norm="post", dropout=0.1
        ),
        DataConfig(source_vocab=32_000, target_vocab=16_000, max_tokens=256, batch_tokens=50_000),
        TrainConfig(optimizer="adamw", lr=7e-4, warmup_steps=4000),
    ),
    "big": Preset(
        "the paper's big model, for several GPUs",
        ModelConfig(
            d_model=1024, n_heads=16, d_ff=4096, encoder_layers=6, decoder_layers=6, norm="post", dropout=0.3
        ),
        DataConfig(source_vocab=32_000, target_vocab=16_000, max_tokens=256, batch_tokens=50_000),
        TrainConfig(optimizer="adamw", lr=5e-4, warmup_steps=4000),
    ),
}

C = TypeVar("C", ModelConfig, DataConfig, TrainConfig)


def override(config: C, changes: dict[str, Any], place: str) -> C:
    """A copy of ``config`` with ``changes``; a wrong name, type or value is a TranslitError that names ``place``."""
    known = {f.name: f for f in dataclasses.fields(config)}
    checked: dict[str, Any] = {}
    for name, value in changes.items():
        if name not in known:
            raise TranslitError(f"{place}: unknown setting {name!r}; known are {', '.join(known)}")
        current = getattr(config, name)
        if isinstance(current, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not type(current):
            raise TranslitError(f"{place}: {name} is {value!r}; it must be like {current!r}")
        checked[name] = value
    try:
        return dataclasses.replace(config, **checked)
    except TranslitError as error:
        raise TranslitError(f"{place}: {error}") from None


def preset(name: str) -> Preset:
    """The named preset. Raises TranslitError when there is none."""
    if name not in PRESETS:
        raise TranslitError(f"preset {name!r} does not exist; choose one of {', '.join(PRESETS)}")
    return PRESETS[name]
