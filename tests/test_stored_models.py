"""A small model of every format version is kept here: each must load for ever and translate as it did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from translit.decoding.settings import SearchSettings
from translit.engines.ctranslate2_engine import CTranslate2Engine
from translit.engines.torch_engine import TorchEngine
from translit.errors import TranslitError
from translit.model_directory import (
    CONFIG,
    DEFAULT_MODEL,
    FORMAT,
    TARGET,
    WEIGHTS,
    ModelDirectory,
    find_model,
)
from translit.text.tokenizer import EOS
from translit.translator import Translator

STORED = sorted(Path(__file__).parent.glob("stored_models/format-*"))
EXPECTED = {"The cat likes the horse.": "猫喜欢马。", "The fish hears the bird.": "鱼听见鸟。"}


def test_every_format_has_its_stored_model() -> None:
    assert [p.name for p in STORED] == [f"format-{n}" for n in range(1, FORMAT + 1)]


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.name)
@pytest.mark.parametrize("beam", [1, 4])
def test_stored_models_translate_as_they_did(path: Path, beam: int) -> None:
    """Complaint 23."""
    directory = ModelDirectory.open(path)
    sources = [[*directory.source_tokenizer.encode(s), EOS] for s in EXPECTED]
    for engine in (
        TorchEngine(directory),
        CTranslate2Engine(directory, "float32"),
        CTranslate2Engine(directory),
    ):
        found = engine.translate(sources, SearchSettings(beam=beam))
        assert [directory.target_tokenizer.decode(best.ids) for best, *_ in found] == list(EXPECTED.values())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A model folder that a test may break."""
    folder = tmp_path / "model"
    folder.mkdir()
    for file in STORED[-1].iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def load(path: Path) -> None:
    directory = ModelDirectory.open(path)
    _ = directory.target_tokenizer
    TorchEngine(directory)


def message(path: Path) -> str:
    with pytest.raises(TranslitError) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_broken_models_say_what_is_broken(copy: Path, tmp_path: Path) -> None:
    assert "no such model folder" in message(tmp_path / "nowhere")
    whole = {name: (copy / name).read_bytes() for name in (CONFIG, WEIGHTS, TARGET)}
    for name, words in ((CONFIG, "damaged"), (WEIGHTS, "weights"), (TARGET, "not a SentencePiece model")):
        (copy / name).write_bytes(whole[name][:100])
        assert words in message(copy)
        (copy / name).unlink()
        assert f"{name} missing" in message(copy)
        (copy / name).write_bytes(whole[name])
    ModelDirectory.open(copy)


def test_a_newer_format_asks_for_an_upgrade(copy: Path) -> None:
    """Complaint 23."""
    config = json.loads((copy / CONFIG).read_text("utf-8"))
    (copy / CONFIG).write_text(json.dumps({**config, "format": FORMAT + 1}), "utf-8")
    assert "upgrade translit" in message(copy)


def test_a_pickle_is_never_loaded(copy: Path) -> None:
    """Complaint 22."""
    torch.save({"w": torch.ones(1)}, copy / WEIGHTS)
    assert "cannot read the weights" in message(copy) or "cannot read it" in message(copy)


def test_models_are_found_by_path_by_name_and_by_environment(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_model(copy).path == copy
    monkeypatch.setenv("TRANSLIT_MODEL", str(copy))
    assert find_model().path == copy
    with pytest.raises(TranslitError, match="model 'xx-yy' not found"):
        find_model("xx-yy")


def test_a_folder_of_its_name_hides_no_model_that_came_with_translit(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRANSLIT_MODEL", raising=False)
    monkeypatch.chdir(copy.parent)
    named = Path(DEFAULT_MODEL)
    named.mkdir()
    shipped = find_model().path
    assert shipped.is_absolute()
    assert find_model(DEFAULT_MODEL).path == shipped
    named.rmdir()
    copy.rename(named)
    assert find_model().path == shipped
    assert find_model(DEFAULT_MODEL).path == named
    (named / TARGET).unlink()
    with pytest.raises(TranslitError, match=r"^en-zh: the model is incomplete, target\.spm missing"):
        find_model(DEFAULT_MODEL)


def test_shouting_is_read_as_speaking() -> None:
    """Complaint 7: a line in capitals came back untranslated, or as something else."""
    translator = Translator(STORED[-1])
    quiet, loud = translator.translate(["The cat likes the horse.", "THE CAT LIKES THE HORSE."])
    assert loud.text == quiet.text == "猫喜欢马。"
