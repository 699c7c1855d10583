"""The scripts beside the shipped model that made it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from translit.engines.torch_engine import TorchEngine
from translit.model_directory import ModelDirectory

RECIPE = Path(__file__).parents[1] / "models" / "en-zh" / "recipe"


def run(script: str, *args: Path | str) -> None:
    subprocess.run([sys.executable, RECIPE / script, *args], check=True)


def test_a_grown_model_translates_as_before(tiny_model_dir: Path, tmp_path: Path) -> None:
    layers = ModelDirectory.open(tiny_model_dir).model.encoder_layers
    run("grow.py", tiny_model_dir, str(2 * layers), tmp_path / "deep")
    old, deep = ModelDirectory.open(tiny_model_dir), ModelDirectory.open(tmp_path / "deep")
    assert deep.model.encoder_layers == 2 * layers
    assert deep.weights().keys() > old.weights().keys()
    sources = [[*old.source_tokenizer.encode(text), 3] for text in ("I love you.", "Where is the station?")]
    targets = [old.target_tokenizer.encode(text) for text in ("我爱你。", "车站在哪里？")]
    scores = [list(TorchEngine(model).begin_scoring(sources, targets)) for model in (old, deep)]
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-5)


def test_the_mean_of_two_equal_models_is_that_model(tiny_model_dir: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_model_dir, tmp_path / "copy")
    run("average.py", f"{tiny_model_dir}:0.25", f"{tmp_path / 'copy'}:0.75", tmp_path / "mean")
    old, mean = (
        ModelDirectory.open(tiny_model_dir).weights(),
        ModelDirectory.open(tmp_path / "mean").weights(),
    )
    for name, weight in old.items():
        np.testing.assert_allclose(mean[name], weight, rtol=2e-3, atol=1e-7)
