"""Exports compute what our engine computes, prove it, and can be used as their READMEs say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PAIRS, write_tiny_model
from translit.cli import main
from translit.decoding.settings import SearchSettings
from translit.engines.ctranslate2_engine import CTranslate2Engine
from translit.engines.torch_engine import load_transformer
from translit.errors import TranslitError
from translit.export import check
from translit.export import export as export_module
from translit.export.check import EXACT, Comparison
from translit.export.export import FORMATS, export
from translit.export.to_ctranslate2 import CTranslate2Export
from translit.model_directory import ModelDirectory
from translit.text.tokenizer import EOS, PAD

LOVE = "I love you."


def run_readme(folder: Path) -> str:
    """What the Python of a README prints, run in its folder, without translit."""
    (code,) = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.DOTALL)
    code = f"import sys; sys.modules['translit'] = None\n{code}"
    command = [sys.executable, "-X", "utf8", "-W", "ignore", "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tiny(tiny_model_dir: Path) -> ModelDirectory:
    return ModelDirectory.open(tiny_model_dir)


def translations(directory: ModelDirectory, beam: int, *texts: str) -> list[str]:
    sources = [[*directory.source_tokenizer.encode(text), EOS] for text in texts]
    found = CTranslate2Engine(directory, "float32").translate(sources, SearchSettings(beam=beam))
    return [directory.target_tokenizer.decode(best.ids) for (best,) in found]


# ── CTranslate2 ─────────────────────────────────────────────────────────────────────────────────────────────


def test_ctranslate2_in_full_precision(tiny: ModelDirectory, tmp_path: Path) -> None:
    found = export(tiny, "ctranslate2", tmp_path / "out", "float32")
    assert found.exact
    assert found.same == found.sentences
    assert 0 < found.largest < EXACT
    assert run_readme(tmp_path / "out") == translations(tiny, 4, LOVE)[0] + "\n"


@pytest.mark.parametrize("quantization", [None, "int8", "int16", "float16"])
def test_ctranslate2_rounded(tiny: ModelDirectory, tmp_path: Path, quantization: str | None) -> None:
    found = export(tiny, "ctranslate2", tmp_path / "out", quantization)
    assert not found.exact
    assert 0 < found.mean <= found.largest
    assert (tmp_path / "out").is_dir() == found.agrees


# ── ONNX ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_onnx(tiny: ModelDirectory, tmp_path: Path) -> None:
    for name in FORMATS["onnx"].needs:
        pytest.importorskip(name)
    found = export(tiny, "onnx", tmp_path / "out")
    assert found.exact
    assert found.same == found.sentences
    assert 0 < found.largest < EXACT
    assert run_readme(tmp_path / "out") == translations(tiny, 1, LOVE)[0] + "\n"


# ── Hugging Face ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changes", "architecture"),
    [
        ({"norm": "pre"}, "PegasusForConditionalGeneration"),
        ({"norm": "post", "activation": "gelu"}, "MarianMTModel"),
        ({"norm": "pre", "tie_embeddings": False, "decoder_layers": 1}, "PegasusForConditionalGeneration"),
        ({"norm": "post", "tie_embeddings": False, "n_heads": 2}, "MarianMTModel"),
    ],
)
def test_huggingface(tmp_path: Path, changes: dict[str, object], architecture: str) -> None:
    pytest.importorskip("transformers")
    directory = ModelDirectory.open(write_tiny_model(tmp_path / "model", **changes))
    found = export(directory, "huggingface", tmp_path / "out")
    assert found.exact
    assert found.same == found.sentences
    assert 0 < found.largest < EXACT
    assert json.loads((tmp_path / "out/config.json").read_text("utf-8"))["architectures"] == [architecture]


@pytest.mark.filterwarnings("ignore:Recommended")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_huggingface_tokenizer(tmp_path: Path, norm: str) -> None:
    transformers = pytest.importorskip("transformers")
    directory = ModelDirectory.open(write_tiny_model(tmp_path / "model", norm=norm))
    export(directory, "huggingface", tmp_path / "out")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    offset = len(directory.target_tokenizer) if norm == "pre" else 0
    texts = [source for source, _ in PAIRS] + ["Zoë 😀", "<pad> </s> are words here"]
    for text in texts:
        assert tokenizer(text).input_ids == [
            i + offset for i in [*directory.source_tokenizer.encode(text), EOS]
        ]
    assert tokenizer(texts, padding=True).input_ids[0][-1] == PAD
    for _, text in [*PAIRS, ("", "你好 😀")]:
        ids = [2, *directory.target_tokenizer.encode(text), EOS, PAD, PAD]
        assert tokenizer.decode(ids, skip_special_tokens=True) == text


def test_huggingface_readme(tiny: ModelDirectory, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    export(tiny, "huggingface", tmp_path / "out")
    readme = tmp_path / "out/README.md"
    readme.write_text(readme.read_text("utf-8").replace("num_beams=4", "num_beams=1"), "utf-8")
    expected = translations(tiny, 1, LOVE, "Where is the station?")
    assert run_readme(tmp_path / "out").split("\n")[:-1] == [text.strip() for text in expected]


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
