"""Both engines agree; conversions are cached, never stale, and need no torch."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import write_tiny_model

from translit.config import ModelConfig, override
from translit.decoding.settings import SearchSettings
from translit.engines import conversion
from translit.engines.base import MAX_POSITIONS
from translit.engines.conversion import KEPT, converted, existing
from translit.engines.ctranslate2_engine import CTranslate2Engine
from translit.engines.torch_engine import TorchEngine
from translit.errors import TranslitError
from translit.model.transformer import Transformer
from translit.model_directory import CONFIG, SOURCE, TARGET, WEIGHTS, ModelDirectory, shapes
from translit.text.normalize import normalize_source
from translit.text.tokenizer import EOS
from translit.translator import Translator


def make_sources(vocab: int, count: int = 16, longest: int = 20) -> list[list[int]]:
    rng = random.Random(0)
    return [[rng.randrange(4, vocab) for _ in range(rng.randrange(1, longest))] + [EOS] for _ in range(count)]


@pytest.mark.parametrize(
    "changes",
    [{"norm": "pre"}, {"norm": "post", "activation": "gelu"}, {"tie_embeddings": False, "decoder_layers": 1}],
)
def test_engines_agree_in_fp32(tmp_path: Path, changes: dict[str, object]) -> None:
    directory = ModelDirectory.open(write_tiny_model(tmp_path / "model", **changes))
    ours, theirs = TorchEngine(directory), CTranslate2Engine(directory, "float32")
    sources = make_sources(directory.model.source_vocab)
    prefixes = [[5, 6, 7][: i % 4] for i in range(len(sources))]
    for settings in (
        SearchSettings(beam=1),
        SearchSettings(beam=4, n_best=4),
        SearchSettings(beam=3, length_penalty=0.0),
        SearchSettings(beam=2, length_penalty=0.6, no_repeat_ngram=3),
        SearchSettings(beam=2, suppress=(5, 9)),
    ):
        for forced in (None, prefixes):
            a, b = (engine.translate(sources, settings, forced) for engine in (ours, theirs))
            assert [[h.ids for h in hs] for hs in a] == [[h.ids for h in hs] for hs in b]
            scores_a, scores_b = ([h.score for hs in found for h in hs] for found in (a, b))
            assert scores_a == pytest.approx(scores_b, rel=1e-3)


def test_engines_find_targets_equally_likely(tiny_model_dir: Path) -> None:
    directory = ModelDirectory.open(tiny_model_dir)
    sources = make_sources(directory.model.source_vocab)
    targets = [[5 + (i * k) % 20 for k in range(i % 9)] for i in range(len(sources) - 1)]
    targets.append([5] * MAX_POSITIONS)
    ours, theirs = TorchEngine(directory), CTranslate2Engine(directory, "float32")
    a, b = (list(engine.begin_scoring(sources, targets)) for engine in (ours, theirs))
    assert a == pytest.approx(b, rel=1e-4)
    assert a[-1] == -math.inf
    assert max(a) < 0


SHIPPED = Path(__file__).parents[2] / "models" / "en-zh"
TATOEBA = Path(__file__).parents[3] / "shared" / "data" / "eval" / "tatoeba-dev" / "source.en"


@pytest.mark.skipif(not (SHIPPED / WEIGHTS).exists() or not TATOEBA.exists(), reason="needs model and data")
@pytest.mark.parametrize("beam", [1, 4])
def test_engines_agree_on_the_shipped_model(beam: int) -> None:
    directory = ModelDirectory.open(SHIPPED)
    lines = TATOEBA.read_text("utf-8").splitlines()[::80]
    sources = [[*directory.source_tokenizer.encode(normalize_source(line)), EOS] for line in lines]
    ours, theirs = TorchEngine(directory), CTranslate2Engine(directory, "float32")
    a, b = (engine.translate(sources, SearchSettings(beam)) for engine in (ours, theirs))
    assert [h.ids for (h,) in a] == [h.ids for (h,) in b]


def test_neighbours_change_nothing_in_int8(tiny_model_dir: Path) -> None:
    directory = ModelDirectory.open(tiny_model_dir)
    engine = CTranslate2Engine(directory)
    sources = make_sources(directory.model.source_vocab)
    settings = SearchSettings(beam=2)
    together = engine.translate(sources, settings)
    alone = [engine.translate([source], settings)[0] for source in sources]
    assert [h.ids for (h,) in together] == [h.ids for (h,) in alone]
    assert [h.score for (h,) in together] == pytest.approx([h.score for (h,) in alone], abs=1e-4)


def test_conversion_and_translation_without_torch(tiny_model_dir: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from translit.decoding.settings import SearchSettings\n"
        "from translit.engines.ctranslate2_engine import CTranslate2Engine\n"
        "from translit.model_directory import ModelDirectory\n"
        f"engine = CTranslate2Engine(ModelDirectory.open(Path({str(tiny_model_dir)!r})), 'float32')\n"
        "assert engine.translate([[5, 6, 3]], SearchSettings())\n"
        "assert 'torch' not in sys.modules"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tiny_model_dir / "config.json")}  # no place to write
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def model(tmp_path: Path, tiny_model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> ModelDirectory:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(tiny_model_dir, tmp_path / "model")
    return ModelDirectory.open(tmp_path / "model")


def cached_conversions() -> list[Path]:
    cache = conversion._user_cache()
    assert cache is not None
    return conversion._conversions(cache)


def age(directory: ModelDirectory) -> None:
    """Make the model's files look old enough for their times to be trusted."""
    for path in directory.path.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))


def test_a_second_start_converts_and_hashes_nothing(
    model: ModelDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    age(model)
    first = converted(model, "int8")

    def never(*_: object) -> None:
        raise AssertionError("the cache was not used")

    monkeypatch.setattr(conversion, "_build", never)
    monkeypatch.setattr(conversion, "content_hash", never)
    assert converted(model, "int8") == first


def test_a_changed_model_is_never_served_from_the_cache(model: ModelDirectory) -> None:
    age(model)
    first = converted(model, "int8")
    weights = model.path / WEIGHTS
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)  # same size
    age(model)  # same time
    assert converted(model, "int8") != first


def test_a_model_written_a_moment_ago_is_hashed_every_time(model: ModelDirectory) -> None:
    weights = model.path / WEIGHTS
    weights.write_bytes(weights.read_bytes())
    folder = converted(model, "int8")
    assert not list((folder.parent / "notes").iterdir())
    assert converted(model, "int8") == folder


def test_the_same_content_elsewhere_is_converted_once(model: ModelDirectory, tmp_path: Path) -> None:
    first = converted(model, "int8")
    shutil.copytree(model.path, tmp_path / "copy")
    assert converted(ModelDirectory.open(tmp_path / "copy"), "int8") == first
    assert cached_conversions() == [first]


def test_arithmetic_is_part_of_the_name(model: ModelDirectory) -> None:
    assert converted(model, "int8") != converted(model, "float32")


def test_old_conversions_are_forgotten(model: ModelDirectory) -> None:
    newest = converted(model, "int8")
    for i in range(2 * KEPT):
        old = newest.parent / f"old{i}"
        shutil.copytree(newest, old)
        os.utime(old / "model.bin", (i, i))
    assert converted(model, "float32") in cached_conversions()
    assert len(cached_conversions()) == KEPT
    assert newest in cached_conversions()


def test_a_failed_conversion_leaves_nothing_behind(
    model: ModelDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(conversion, "convert", full_disk)
    with pytest.raises(TranslitError, match="No space left on device"):
        converted(model, "int8")
    assert cached_conversions() == []
    assert list((tmp_path / "cache").rglob("notes"))
    assert not list((tmp_path / "cache").rglob("part-*"))


def test_the_leftovers_of_a_killed_process_are_no_conversions_and_go(model: ModelDirectory) -> None:
    newest = converted(model, "int8")
    for name in ("part-old", "part-new"):
        shutil.copytree(newest, newest.parent / name)
    os.utime(newest.parent / "part-old", (1, 1))
    assert cached_conversions() == [newest]
    converted(model, "float32")
    assert [p.name for p in newest.parent.glob("part-*")] == ["part-new"]  # it may be under way


def test_what_another_process_takes_away_meanwhile_is_passed_over(model: ModelDirectory) -> None:
    newest = converted(model, "int8")
    (newest.parent / "notes" / "renamed").symlink_to("nowhere")  # listed, and not there when it is looked at
    assert converted(model, "float32").is_dir()


@pytest.mark.parametrize("noted", [True, False])
def test_a_cache_that_cannot_be_written_is_read(
    model: ModelDirectory, monkeypatch: pytest.MonkeyPatch, noted: bool
) -> None:
    if noted:
        age(model)
    first = converted(model, "int8")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    assert converted(model, "int8") == first
    assert converted(model, "float32").parent != first.parent  # not in it


def test_a_user_without_a_home_gets_a_folder_of_his_own(
    model: ModelDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    assert existing(model, "int8") is None
    assert (converted(model, "int8") / "model.bin").is_file()


@pytest.mark.parametrize(
    "changes", [{}, {"norm": "post", "tie_embeddings": False}, {"encoder_layers": 1, "decoder_layers": 3}]
)
def test_every_weight_has_its_shape(changes: dict[str, object]) -> None:
    small = {"source_vocab": 30, "target_vocab": 20, "d_model": 8, "d_ff": 12}
    config = override(ModelConfig(), {**small, **changes}, "tests")
    built = {name: tuple(t.shape) for name, t in Transformer(config).state_dict().items()}
    if config.tie_embeddings:
        del built["output.weight"]
    assert shapes(config) == built


@pytest.mark.parametrize("engine", [TorchEngine, CTranslate2Engine])
@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("n_heads", 2, "was trained with n_heads 4, .*, config.json says n_heads 2, "),
        ("activation", "gelu", "was trained with .* relu, config.json says .* gelu"),
        ("norm", "post", "decoder_norm.bias has no place in this model"),
        ("encoder_layers", 1, "encoder.1.* has no place in this model"),
        ("decoder_layers", 1, "decoder.1.* has no place in this model"),
        ("d_model", 16, r"is \(32, 32\), config.json asks for \(16, 16\)"),
        ("d_ff", 48, r"w_1.* is \(64, 32\), config.json asks for \(48, 32\)"),
        ("source_vocab", 400, r"source_embedding.* config.json asks for \(400, 32\)"),
        ("tie_embeddings", False, "output.weight is missing"),
    ],
)
def test_another_config_is_one_clear_error(
    model: ModelDirectory, engine: type, setting: str, value: object, message: str
) -> None:
    """Whatever of config.json contradicts the weights; else the output would be garbage."""
    config = json.loads((model.path / CONFIG).read_text("utf-8"))
    config["model"][setting] = value
    (model.path / CONFIG).write_text(json.dumps(config), "utf-8")
    with pytest.raises(TranslitError, match=r"weights\.safetensors: .*" + message):
        engine(ModelDirectory.open(model.path))


@pytest.mark.parametrize("engine", [TorchEngine, CTranslate2Engine])
def test_missing_weights(tmp_path: Path, model: ModelDirectory, engine: type) -> None:
    other = write_tiny_model(tmp_path / "other", decoder_layers=1)
    shutil.copy(other / WEIGHTS, model.path / WEIGHTS)
    with pytest.raises(TranslitError, match=r"weights\.safetensors: .*decoder\.1"):
        engine(model)


@pytest.mark.parametrize("engine", [TorchEngine, CTranslate2Engine])
def test_truncated_weights(model: ModelDirectory, engine: type) -> None:
    weights = model.path / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(TranslitError, match="cannot read the weights"):
        engine(model)


@pytest.mark.parametrize("engine", [TorchEngine, CTranslate2Engine])
def test_weights_in_numbers_that_numpy_does_not_know(model: ModelDirectory, engine: type) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    weights = {name: tensor.to(torch.bfloat16) for name, tensor in load_file(model.path / WEIGHTS).items()}
    save_file(weights, model.path / WEIGHTS)
    with pytest.raises(TranslitError, match=r"stored as BF16, which .*; store it as F16"):
        engine(model)


def test_swapped_tokenizers_do_not_translate(model: ModelDirectory) -> None:
    """They came out as garbage."""
    source, target = model.path / SOURCE, model.path / TARGET
    sizes = model.model.source_vocab, model.model.target_vocab
    assert sizes[0] != sizes[1]
    converted(model, "int8")
    source.rename(model.path / "other.spm")
    target.rename(source)
    (model.path / "other.spm").rename(target)
    for opening in (
        lambda directory: Translator(directory.path, engine="torch"),
        lambda directory: Translator(directory.path),
        lambda directory: directory.target_tokenizer,
    ):
        with pytest.raises(TranslitError, match=r"\.spm: has \d+ tokens, config.json asks for \d+; restore"):
            opening(ModelDirectory.open(model.path))
