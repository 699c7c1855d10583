"""``translit info``: what it shows of a model, for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from translit.cli.app import app


@pytest.fixture
def shown(tiny_model_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is shown at 80 columns of a model with a story."""
    model = tmp_path / "model"
    model.mkdir()
    for file in tiny_model_dir.iterdir():
        if file.is_file():
            (model / file.name).write_bytes(file.read_bytes())
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
