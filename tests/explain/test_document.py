"""The JSON holds what its documentation promises, and the numbers are the record's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from translit.explain.document import document
from translit.explain.explanation import Explained, Explainer, Explanation


@pytest.fixture(scope="module")
def found(explainer: Explainer, forced: Explanation, searched: Explanation) -> dict[str, Any]:
    text = document(explainer, Explained("a b", "c d", [forced, searched]), layer=1, head=2)
    return json.loads(json.dumps(text))


def test_names_itself(found: dict[str, Any]) -> None:
    assert (found["format"], found["version"]) == ("translit-explain", 2)
    assert (found["text"], found["translation"]) == ("a b", "c d")
    assert found["model"]["d_k"] == found["model"]["d_model"] // found["model"]["n_heads"]


def test_shapes(found: dict[str, Any], forced: Explanation) -> None:
    config, given = forced.directory.model, found["sentences"][0]
    S, T = len(given["source"]["tokens"]), len(given["target"]["tokens"])
    U, W = len(given["source"]["words"]), len(given["target"]["words"])
    assert _shape(given["attention"]["cross"]) == [config.decoder_layers, config.n_heads, T, S]
    assert _shape(given["attention"]["decoder"]) == [config.decoder_layers, config.n_heads, T, T]
    assert _shape(given["attention"]["encoder"]) == [config.encoder_layers, config.n_heads, S, S]
    assert _shape(given["alignment"]["average"]) == [W, U]
    assert _shape(given["occlusion"]["delta"]) == [T, U]
    assert _shape(given["occlusion"]["words"]) == [W, U]
    assert len(given["steps"]) == len(given["inputs"]) == T
    assert len(given["lens"]["decoder"]) == config.decoder_layers + 1
    assert len(given["lens"]["encoder"]) == config.encoder_layers + 1
    assert [len(row["steps"]) for row in given["lens"]["encoder"]] == [T] * (config.encoder_layers + 1)


def test_numbers_are_the_records(found: dict[str, Any], forced: Explanation) -> None:
    given = found["sentences"][0]
    for step, log_probs in zip(given["steps"], forced.record.log_probs, strict=True):
        for candidate in (step["chosen"], *step["candidates"]):
            assert candidate["probability"] == pytest.approx(
                log_probs[candidate["id"]].exp().item(), rel=1e-5
            )
    row = given["attention"]["cross"][1][2][3]
    assert row == pytest.approx(forced.record.attention("cross")[1, 2, 3].tolist(), abs=5.1e-5)


def test_every_token_belongs_to_the_word_that_names_it(found: dict[str, Any]) -> None:
    for side in ("source", "target"):
        tokens, words = found["sentences"][0][side].values()
        for n, token in enumerate(tokens):
            assert n in words[token["word"]]["tokens"]


def test_a_given_translation_has_no_beam_and_a_search_has(found: dict[str, Any]) -> None:
    given, free = found["sentences"]
    assert given["beam"] is None
    nodes = free["beam"]["nodes"]
    assert [n["id"] for n in nodes] == list(range(len(nodes)))
    assert [n["token"] for n in nodes if n["winner"]] == [t["id"] for t in free["target"]["tokens"]]


def test_flow_shows_true_shapes_and_complete_rows_of_weights(found: dict[str, Any]) -> None:
    flow = found["sentences"][0]["flow"]
    assert (flow["layer"], flow["head"]) == (1, 2)
    assert "ffn.inner.relu" in {stage["key"] for stage in flow["stages"]}
    for stage in flow["stages"]:
        rows, columns = stage["shape"]
        assert len(stage["rows"]) == len(stage["values"]) == rows
        assert len(stage["values"][0]) == (len(stage["columns"]) if stage["columns"] else min(columns, 8))
        if stage["key"].endswith("weights"):
            assert [sum(row) for row in stage["values"]] == pytest.approx([1] * rows, abs=1e-2)
    of = {stage["key"]: stage for stage in flow["stages"]}
    d_model, heads = found["model"]["d_model"], found["model"]["n_heads"]
    assert of["self.concat"]["columns"] == [f"{head}:{i}" for head in range(1, heads + 1) for i in range(2)]
    assert of["self.concat"]["shape"][1] == d_model
    assert of["logits"]["columns"] == list(
        dict.fromkeys([token["piece"] for token in found["sentences"][0]["target"]["tokens"]])
    )
    assert of["logits"]["shape"][1] == found["model"]["target_vocab"]


def test_the_documentation_names_every_key(found: dict[str, Any]) -> None:
    text = (Path(__file__).parents[2] / "docs" / "explain-json.md").read_text("utf-8")
    levels = [found, found["model"], found["search"], found["sentences"][1], found["sentences"][1]["beam"]]
    levels += [found["sentences"][1][k] for k in ("alignment", "lens", "occlusion", "flow")]
    levels += [found["sentences"][1]["beam"]["nodes"][0], found["sentences"][1]["flow"]["stages"][0]]
    levels += [found["sentences"][1]["flow"]["blanks"][0], found["sentences"][1]["steps"][0]]
    missing = {key for level in levels for key in level if f"`{key}`" not in text and f"{key}" not in text}
    assert not missing


def _shape(nested: Any) -> list[int]:
    shape = []
    while isinstance(nested, list):
        shape.append(len(nested))
        nested = nested[0]
    return shape
