"""``translit info``: what it shows of a model, for people."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from translit.cli import main
from translit.cli.app import app
from translit.errors import TranslitError


@pytest.fixture
def model(tiny_model_dir: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    model = tmp_path / "model"
    model.mkdir()
    for file in tiny_model_dir.iterdir():
        if file.is_file():
            (model / file.name).write_bytes(file.read_bytes())
    return model


@pytest.fixture
def shown(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is shown at 80 columns of a model with a story."""
    config = json.loads((model / "config.json").read_text("utf-8"))
    config["info"] = {"steps": 1200, "started_from": "", "data": {"max_tokens": 128, "shuffled": True}}
    (model / "config.json").write_text(json.dumps(config), "utf-8")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TRANSLIT_CACHE", str(tmp_path))
    result = CliRunner().invoke(app, ["info", str(model)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_part_stands_under_its_heading_in_the_order_of_the_data(shown: str) -> None:
    lines = shown.splitlines()
    part = lines[lines.index("parameters") + 1 : lines.index("training") - 1]
    names = [line.rstrip("0123456789, ").strip() for line in part]
    assert names == [
        *("source embedding", "target embedding = output layer"),
        *("encoder: self attention", "encoder: feed forward", "encoder: norm"),
        *("decoder: self attention", "decoder: cross attention", "decoder: feed forward", "decoder: norm"),
        "together",
    ]


def test_settings_are_told_in_words_and_empty_ones_not_at_all(shown: str) -> None:
    told = {tuple(line.strip().rsplit("  ", 1)) for line in shown.splitlines() if "  " in line.strip()}
    rows = {name.strip(): value for name, value in told}
    assert rows["steps"] == "1,200"
    assert rows["data: max tokens"] == "128"
    assert rows["data: shuffled"] == "True"
    assert "started" not in shown


def test_a_weight_too_many_is_told_and_not_counted(model: Path) -> None:
    import numpy as np
    from safetensors.numpy import load_file, save_file

    weights = load_file(model / "weights.safetensors")
    save_file({**weights, "lm_head.weight": np.zeros(1)}, model / "weights.safetensors")
    result = CliRunner().invoke(app, ["info", str(model)])
    assert isinstance(result.exception, TranslitError)
    assert "lm_head.weight has no place in this model" in str(result.exception)


@pytest.mark.skipif(os.name == "nt", reason="file names are bytes elsewhere")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_name_that_is_not_utf8_is_shown(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    strange = model.rename(model.parent / os.fsdecode(b"caf\xe9"))
    monkeypatch.setattr("sys.argv", ["translit", "info", str(strange), *options])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    shown = capsys.readouterr().out
    assert "caf\\udce9" in shown
    assert not options or json.loads(shown)["model"] == str(strange)
