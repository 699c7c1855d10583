"""Exports compute what our engine computes, prove it, and can be used as their READMEs say."""

from __future__ import annotations

import io
import json
import math
import re
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import PAIRS, write_tiny_model

from translit.cli import main
from translit.decoding.settings import SearchSettings, max_target_length
from translit.engines.ctranslate2_engine import CTranslate2Engine
from translit.engines.torch_engine import load_transformer
from translit.errors import TranslitError
from translit.export import check
from translit.export import export as export_module
from translit.export.check import EXACT, Comparison
from translit.export.export import FORMATS, export
from translit.export.to_ctranslate2 import CTranslate2Export
from translit.model_directory import ModelDirectory
from translit.text.tokenizer import BOS, EOS, PAD

LOVE = "I love you."


def run_readme(folder: Path) -> str:
    """What the Python of a README prints, run in its folder, where translit cannot be imported."""
    (code,) = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.DOTALL)
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), redirect_stdout(printed):
        warnings.simplefilter("ignore")
        patch.chdir(folder)
        for name in [name for name in sys.modules if name.partition(".")[0] == "translit"]:
            patch.delitem(sys.modules, name)
        patch.setitem(sys.modules, "translit", None)
        exec(code, {"__name__": "__main__"})
    return printed.getvalue()


@pytest.fixture(scope="module")
def tiny(tiny_model_dir: Path) -> ModelDirectory:
    return ModelDirectory.open(tiny_model_dir)


def with_length_penalty(model: Path) -> ModelDirectory:
    ModelDirectory.open(model).save_info({"length_penalty": 1.8})
    return ModelDirectory.open(model)


def translations(directory: ModelDirectory, beam: int, *texts: str) -> list[str]:
    sources = [[*directory.source_tokenizer.encode(text), EOS] for text in texts]
    settings = SearchSettings(beam=beam, length_penalty=directory.length_penalty)
    found = CTranslate2Engine(directory, "float32").translate(sources, settings)
    return [directory.target_tokenizer.decode(best.ids) for (best,) in found]


# ── CTranslate2 ─────────────────────────────────────────────────────────────────────────────────────────────


def test_ctranslate2_in_full_precision(tmp_path: Path) -> None:
    tiny = with_length_penalty(write_tiny_model(tmp_path / "model"))
    found = export(tiny, "ctranslate2", tmp_path / "out", "float32")
    assert found.exact
    assert found.same == found.sentences
    assert 0 < found.largest < EXACT
    assert "length_penalty=1.8" in (tmp_path / "out/README.md").read_text("utf-8")
    assert run_readme(tmp_path / "out") == translations(tiny, 4, LOVE)[0] + "\n"


@pytest.mark.parametrize("quantization", [None, "int8", "int16", "float16"])
def test_ctranslate2_rounded(tiny: ModelDirectory, tmp_path: Path, quantization: str | None) -> None:
    found = export(tiny, "ctranslate2", tmp_path / "out", quantization)
    assert not found.exact
    assert 0 < found.mean <= found.largest
    assert (tmp_path / "out").is_dir() == found.agrees


# ── ONNX ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_onnx(tmp_path: Path) -> None:
    for name in FORMATS["onnx"].needs:
        pytest.importorskip(name)
    tiny = ModelDirectory.open(write_tiny_model(tmp_path / "model", encoder_layers=1))  # torch traces slowly
    found = export(tiny, "onnx", tmp_path / "out")
    assert found.exact
    assert found.same == found.sentences
    assert 0 < found.largest < EXACT
    readme = tmp_path / "out/README.md"  # its limit is not ours, which a random model needs
    limit = max_target_length(len(tiny.source_tokenizer.encode(LOVE)) + 1)
    readme.write_text(readme.read_text("utf-8").replace("limit=200", f"limit={limit}"), "utf-8")
    assert run_readme(tmp_path / "out") == translations(tiny, 1, LOVE)[0] + "\n"


# ── Hugging Face ────────────────────────────────────────────────────────────────────────────────────────────


SHAPES: dict[str, dict[str, object]] = {
    "pre": {"norm": "pre"},
    "post": {"norm": "post", "activation": "gelu"},
    "pre, untied": {"norm": "pre", "tie_embeddings": False, "decoder_layers": 1},
    "post, untied": {"norm": "post", "tie_embeddings": False, "n_heads": 2},
}


@pytest.fixture(scope="module", params=SHAPES)
def exported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ModelDirectory, Path, Comparison]:
    """A model, its export for Hugging Face, and how they compare."""
    pytest.importorskip("transformers")
    path = tmp_path_factory.mktemp("huggingface")
    directory = with_length_penalty(write_tiny_model(path / "model", **SHAPES[request.param]))
    return directory, path / "out", export(directory, "huggingface", path / "out")


def test_huggingface(exported: tuple[ModelDirectory, Path, Comparison]) -> None:
    directory, folder, found = exported
    assert found.exact
    assert found.same == found.sentences
    assert 0 < found.largest < EXACT
    expected = "MarianMTModel" if directory.model.norm == "post" else "PegasusForConditionalGeneration"
    assert json.loads((folder / "config.json").read_text("utf-8"))["architectures"] == [expected]
    assert json.loads((folder / "generation_config.json").read_text("utf-8"))["length_penalty"] == 1.8


@pytest.mark.filterwarnings("ignore:Recommended")
def test_huggingface_tokenizer(exported: tuple[ModelDirectory, Path, Comparison]) -> None:
    from transformers import AutoTokenizer

    directory, folder, _ = exported
    tokenizer = AutoTokenizer.from_pretrained(folder)
    offset = len(directory.target_tokenizer) if directory.model.norm == "pre" else 0
    texts = [source for source, _ in PAIRS] + ["Zoë 😀", "<pad> </s> are words here"]
    for text in texts:
        ids = [*directory.source_tokenizer.encode(text), EOS]
        assert tokenizer(text).input_ids == [i + offset for i in ids]
    assert tokenizer(texts, padding=True).input_ids[0][-1] == PAD
    for _, text in [*PAIRS, ("", "你好 😀")]:
        ids = [BOS, *directory.target_tokenizer.encode(text), EOS, PAD, PAD]
        assert tokenizer.decode(ids, skip_special_tokens=True) == text


def test_huggingface_readme(exported: tuple[ModelDirectory, Path, Comparison]) -> None:
    directory, folder, _ = exported
    if not directory.model.tie_embeddings:
        pytest.skip("the same README")
    readme = folder / "README.md"
    readme.write_text(readme.read_text("utf-8").replace("num_beams=4", "num_beams=1"), "utf-8")
    expected = translations(directory, 1, LOVE, "Where is the station?")
    assert run_readme(folder) == "".join(f"{text.strip()}\n" for text in expected)


# ── The comparison ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def damaged(tiny: ModelDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own engine with one number changed: exports are right, and must be found to differ."""
    model = load_transformer(tiny)
    model.decoder_norm.bias.data[0] += 0.01  # type: ignore[operator, union-attr]  # a LayerNorm
    monkeypatch.setattr("translit.engines.torch_engine.load_transformer", lambda *_: model)


@pytest.mark.usefixtures("damaged")
def test_a_difference_is_found_and_nothing_is_left_behind(tiny: ModelDirectory, tmp_path: Path) -> None:
    found = export(tiny, "ctranslate2", tmp_path / "out", "float32")
    assert not found.agrees
    assert found.largest > EXACT
    assert list(tmp_path.iterdir()) == []


def test_one_wrong_token_is_a_difference() -> None:
    assert Comparison(8, 8, 0.0, 0.0, exact=True).agrees
    assert not Comparison(8, 7, 0.0, 0.0, exact=True).agrees
    assert not Comparison(8, 8, 0.01, 0.0, exact=True).agrees
    assert Comparison(8, 7, 0.6, 0.1, exact=False).agrees
    assert not Comparison(8, 8, 0.9, 0.6, exact=False).agrees


def test_no_number_is_a_difference_wherever_it_stands(tiny: ModelDirectory, tmp_path: Path) -> None:
    export(tiny, "ctranslate2", tmp_path / "out", "float32")
    exported = CTranslate2Export(tiny, tmp_path / "out")
    log_probs = exported.log_probs

    def damaged(*rows: Any) -> list[list[float]]:
        found = log_probs(*rows)
        found[-1][-1] = math.nan
        return found

    exported.log_probs = damaged  # type: ignore[method-assign]
    assert not check.compare(tiny, exported, exact=True).agrees
    assert not check.compare(tiny, exported, exact=False).agrees


def test_another_translation_is_found(tiny: ModelDirectory, tmp_path: Path) -> None:
    export(tiny, "ctranslate2", tmp_path / "out", "float32")
    exported = CTranslate2Export(tiny, tmp_path / "out")
    assert check.compare(tiny, exported, exact=True).agrees
    greedy = exported.greedy
    exported.greedy = lambda sources, limit: [ids[:-1] for ids in greedy(sources, limit)]  # type: ignore[method-assign]
    assert check.compare(tiny, exported, exact=True).same < len(check.SENTENCES)


# ── Requests ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("to", "quantization", "message"),
    [
        ("pt", None, "--to is 'pt'; choose one of ctranslate2, onnx, huggingface"),
        ("ctranslate2", "int3", "--quantization is 'int3'; choose one of int8"),
    ],
)
def test_impossible_requests(
    tiny: ModelDirectory, tmp_path: Path, to: str, quantization: str | None, message: str
) -> None:
    with pytest.raises(TranslitError, match=re.escape(message)):
        export(tiny, to, tmp_path / "out", quantization)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("to", ["onnx", "huggingface"])
def test_only_ctranslate2_is_quantized(
    tiny: ModelDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    with pytest.raises(TranslitError, match="leave the option out"):
        export(tiny, to, tmp_path / "out", "int8")


@pytest.mark.parametrize("to", ["onnx", "huggingface"])
def test_a_missing_extra_is_one_line_with_the_command(
    tiny: ModelDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(TranslitError) as error:
        export(tiny, to, tmp_path / "out")
    assert f"pip install 'translit-nmt[{to}]'" in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_there_is_never_overwritten(tiny: ModelDirectory, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine")
    with pytest.raises(TranslitError, match="is already there"):
        export(tiny, "ctranslate2", tmp_path / "out")
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_an_empty_folder_may_be_filled(tiny: ModelDirectory, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    export(tiny, "ctranslate2", tmp_path / "out", "float32")
    assert (tmp_path / "out/model.bin").is_file()


def test_a_failure_leaves_nothing_behind(
    tiny: ModelDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("translit.export.to_ctranslate2.convert", full_disk)
    with pytest.raises(TranslitError, match="No space left on device"):
        export(tiny, "ctranslate2", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_the_model_card_goes_along(tmp_path: Path) -> None:
    model = write_tiny_model(tmp_path / "model")
    (model / "README.md").write_text("# Card\n", "utf-8")
    export(ModelDirectory.open(model), "ctranslate2", tmp_path / "out", "float32")
    assert (tmp_path / "out" / export_module.CARD).read_text("utf-8") == "# Card\n"
    assert "ctranslate2.Translator(folder)" in (tmp_path / "out/README.md").read_text("utf-8")


# ── The command ─────────────────────────────────────────────────────────────────────────────────────────────


def call(monkeypatch: pytest.MonkeyPatch, *args: object) -> int:
    monkeypatch.setattr("sys.argv", ["translit", "export", *map(str, args)])
    with pytest.raises(SystemExit) as end:
        main()
    assert isinstance(end.value.code, int)
    return end.value.code


def test_command(
    tiny: ModelDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--to", "ctranslate2", "-m", tiny.path, "-o", tmp_path / "out", "--quantization", "float32")
    assert call(monkeypatch, *where) == 0
    output = capsys.readouterr().out
    assert "same translation, token by token   8 of 8" in output
    assert f" MB: {tmp_path / 'out'}" in output
    assert call(monkeypatch, *where) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.usefixtures("damaged")
def test_command_with_a_failed_check(
    tiny: ModelDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--to", "ctranslate2", "-m", tiny.path, "-o", tmp_path / "out", "--quantization", "float32")
    assert call(monkeypatch, *where) == 1
    told = capsys.readouterr()
    assert "not written" in told.err
    assert "same translation" in told.out
    assert list(tmp_path.iterdir()) == []
