"""The terminal: aligned with wide characters, at any width, piped, without colour, in both languages."""

from __future__ import annotations

import io
import re
import string
from pathlib import Path

import pytest
import torch
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from tests.conftest import write_tiny_model

from translit.explain.captions import GLOSSARY, TEXTS
from translit.explain.explanation import Explained, Explainer, Explanation
from translit.explain.facts import Candidate, Step
from translit.explain.flow import flow
from translit.explain.language import Captions, Language
from translit.explain.terminal.glossary import show_glossary
from translit.explain.terminal.parts import token_labels
from translit.explain.terminal.pictures import (
    bar,
    beside,
    clip,
    heatmap,
    mask_picture,
    matrix,
    number_table,
    numbered_names,
    percent,
    shade,
    signed,
)
from translit.explain.terminal.steps import _step
from translit.explain.terminal.view import View, show
from translit.explain.words import Word
from translit.model_directory import ModelDirectory

VIEWS = {
    "overview": View(),
    "one head": View(kind="decoder", layer=1, head=2),
    "all": View(all=True),
    "beam": View(beam=True),
    "lens": View(lens=True),
    "why": View(why=True),
    "steps": View(flow=True),
}


def _printed(
    explainer: Explainer, explanation: Explanation, view: View, language: Language = "en", width: int = 80
) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)
    explained = Explained("text", "translation", [explanation])
    show(console, explainer, explained, Captions(TEXTS, language), view)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", VIEWS)
def test_no_line_is_wider_than_the_terminal_and_none_is_coloured(
    explainer: Explainer,
    forced: Explanation,
    searched: Explanation,
    name: str,
    language: Language,
    width: int,
) -> None:
    explanation = searched if name == "beam" else forced
    lines = _printed(explainer, explanation, VIEWS[name], language, width)
    assert lines
    assert max(map(cell_len, lines)) <= width
    assert "\x1b" not in "".join(lines)


def test_the_overview_shows_translation_rivals_and_a_table_per_head(
    explainer: Explainer, forced: Explanation
) -> None:
    text = "\n".join(_printed(explainer, forced, View()))
    assert forced.record.translation in text
    config = forced.directory.model
    layer = forced.aligned_head[0] + 1
    assert all(f"layer {layer} head {h + 1}" in text for h in range(config.n_heads))


def test_steps_show_percentages_of_the_model(explainer: Explainer, searched: Explanation) -> None:
    text = "\n".join(_printed(explainer, searched, View(), width=200))
    for step in searched.steps:
        assert percent(step.candidates[0].probability) in text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("favourite", [0.9, 0.7, 0.4, 0.1])
def test_two_steps_fit_side_by_side_whatever_is_said_below_them(language: Language, favourite: float) -> None:
    step = Step(["<s>"], Candidate(8, "爱", 0.01, 99), [Candidate(7, "我", favourite, 1)], entropy=9.87)
    lines = _step(1, step, 10, Captions(TEXTS, language))
    assert max(line.cell_len for line in lines) <= 38
    # The word is about the favourite, so it stands before the entropy, never behind it as if it were its name.
    assert re.search(r"\w · (entropy|熵) 9\.87 · ", lines[-1].plain)


def test_a_number_cut_in_two_gets_no_minus() -> None:
    words = [Word("25", (0, 1)), Word("friends", (2,)), Word("</s>", (3,))]
    assert token_labels(["▁2", "5", "▁friends", "</s>"], words) == ["2", "…5", "friends", "</s>"]


def test_tables_line_up_with_wide_characters() -> None:
    block = number_table(
        [[0.9, 0.1, 0.0], [0.2, 0.3, 0.5], [1.0, None, None]],
        ["我", "Python", "。"],
        ["I", "love", "</s>"],
        80,
    )
    lines = [line.plain for line in block]
    assert lines == [
        "          I  love  </s>",
        "    我  90█   10░     ·",
        "Python  20▒   30▒   50▓",
        "    。 100█",
    ]


def test_pictures_fold_instead_of_breaking() -> None:
    names = [f"word{i}" for i in range(40)]
    weights = [[1 / 40] * 40] * 2
    for block in (
        heatmap(weights, ["我", "爱"], names, 50),
        heatmap(weights, ["我", "爱"], names, 50, numbered=True),
        number_table(weights, ["我", "爱"], names, 50),
        numbered_names(names, 50),
    ):
        text = "\n".join(line.plain for line in block)
        assert max(cell_len(line.plain) for line in block) <= 52
        assert all(f"word{i}" in text for i in range(40)) or "1 2 3" in text


def test_a_staircase_stands_on_its_columns() -> None:
    block = heatmap([[0.9, 0.1], [0.0, 0.5]], ["我", "爱"], ["I", "love"], 80, ["← I", "← love"])
    assert [line.plain for line in block] == [
        "    I",
        "    │ love",
        "我  ██░░  ← I",
        "爱  · ▓▓  ← love",
    ]


def test_notes_stand_below_where_they_leave_no_room() -> None:
    weights, rows, columns = [[0.9, 0.1], [0.0, 0.5]], ["我", "爱"], ["I", "love"]
    block = heatmap(weights, rows, columns, 30, ["我 ← I 90 %", "爱 ← love 50 %"])
    assert [line.plain for line in block[2:]] == [
        "我  ██░░",
        "爱  · ▓▓",
        "",
        "我 ← I 90 %  爱 ← love 50 %",
    ]


def test_blocks_side_by_side() -> None:
    left, right = [Text("我我"), Text("a")], [Text("b")]
    assert [line.plain for line in beside([left, right], 20)] == ["我我   b", "a"]
    assert [line.plain for line in beside([left, right], 6)] == ["我我", "a", "", "b"]


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100.0 %"), (0.9999, ">99.9 %"), (0.0, "0.0 %"), (0.0001, "<0.1 %"), (0.123, "12.3 %")],
)
def test_percent_never_rounds_to_certainty(share: float, text: str) -> None:
    assert percent(share) == text


def test_small_pieces() -> None:
    assert bar(0.5, 3) == "█▌ "
    assert [shade(x) for x in (0.0, 0.1, 0.3, 0.5, 0.8)] == list("·░▒▓█")
    assert (signed(-0.001), signed(-1.5)) == ("0.00", "−1.50")
    assert (clip("我爱你", 5), clip("我爱你", 5, left=True)) == ("我爱…", "…爱你")


def test_captions_have_the_same_places_in_both_languages() -> None:
    for name, (english, chinese) in TEXTS.items():
        fields = [{f for _, f, _, _ in string.Formatter().parse(t) if f} for t in (english, chinese)]
        assert fields[0] == fields[1], name
        assert re.search("[一-鿿]", chinese) or name in (
            "heads.column.aer",
            "heads.column.aer_annotated",
            "heads.column.aer_after",
        ), name


def test_glossary_lists_every_term() -> None:
    for column, language in enumerate(("en", "zh")):
        out = io.StringIO()
        show_glossary(Console(file=out, width=80), Captions(TEXTS, language))
        assert all(both[column][0] in out.getvalue() for both in GLOSSARY.values())


def _words(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def test_a_narrow_terminal_cuts_no_sentence(explainer: Explainer, forced: Explanation) -> None:
    overview = _words(_printed(explainer, forced, View(), width=40))
    assert "█ > 75 share of attention" in overview
    assert "Probability Rank" in overview  # no header is broken
    lens = _words(_printed(explainer, forced, View(lens=True), width=30))
    assert "Written freely (greedily) from each encoder layer:" in lens


@pytest.mark.parametrize(("width", "bars"), [(80, True), (40, False)])
def test_a_given_translation_has_bars_where_there_is_room(
    explainer: Explainer, forced: Explanation, width: int, bars: bool
) -> None:
    text = "\n".join(_printed(explainer, forced, View(), width=width))
    step = max(forced.steps, key=lambda s: s.chosen.probability)
    table = text.partition("token by token")[2].partition("Which word")[0]
    assert (bar(step.chosen.probability, 20).strip() in table) == bars


def test_shades_of_a_fall_are_told_in_nats(explainer: Explainer, forced: Explanation) -> None:
    text = _words(_printed(explainer, forced, View(why=True)))
    assert "░ ≥ 0.15 ▒ ≥ 0.6 ▓ ≥ 1.4 █ ≥ 2.2" not in text  # rounded, they would be false
    for fall, mark in ((0.15, "░"), (0.6, "▒"), (1.35, "▓"), (2.25, "█")):
        assert f"{mark} ≥ {fall:g}" in text
        assert shade(fall / 3 + 1e-9) == mark
        assert shade(fall / 3 - 1e-9) != mark


def test_pictures_say_where_they_are_cut() -> None:
    assert [line.plain for line in mask_picture([[1, 0, 0]], ["I"], 12)] == ["I ■ · ·"]
    assert [line.plain for line in mask_picture([[1, 0, 0]], ["I"], 7)] == ["I ■ · ·"]
    assert [line.plain for line in mask_picture([[1, 0, 0]], ["I"], 6)] == ["I ■ …"]
    assert [line.plain for line in matrix([[0.5, 1.5]], ["I"], -2, 2)] == ["I    0.50 …"]


def test_the_flow_names_the_layer_of_each_stack(tmp_path: Path) -> None:
    model = write_tiny_model(tmp_path / "model", encoder_layers=2, decoder_layers=1, activation="gelu")
    explainer = Explainer(ModelDirectory.open(model))
    explanation = explainer.explain_given("I love you", "我爱你").sentences[0]
    text = _words(_printed(explainer, explanation, View(flow=True, layer=1)))
    assert "layer 2 of the encoder, layer 1 of the decoder" in text
    assert "2 layers in all" in text
    assert "1 layers in all" not in text
    assert "shrinks what is negative to nearly 0" in text
    assert "× 32 What leaves the encoder after its last layer" in text
    stages = {stage.key: stage for stage in flow(explanation.model, explanation.record, 1, 0)}
    encoded = explanation.model.encode(torch.tensor([explanation.record.source_ids])).states[0]
    torch.testing.assert_close(stages["memory"].values, encoded)
    written = [explanation.record.target_pieces.index(piece) for piece in stages["logits"].columns or []]
    ids = [explanation.record.target_ids[step] for step in written]
    with torch.inference_mode():
        logits = explanation.model.logits(stages["last"].values)
    torch.testing.assert_close(stages["logits"].values, logits[:, ids])
    tables = _words(_printed(explainer, explanation, View(all=True, layer=1)))
    assert "Encoder self-attention" in tables
    assert "Cross-attention" not in tables  # the decoder has no second layer


def test_the_flow_shows_the_norm_where_it_is(tmp_path: Path) -> None:
    """Pre-norm: Norm(x) before every sub-layer, made of what entered it. Post-norm: none but that of Add & Norm."""
    keys = {}
    for norm in ("pre", "post"):
        model = write_tiny_model(tmp_path / norm, encoder_layers=2, decoder_layers=2, norm=norm)
        explanation = Explainer(ModelDirectory.open(model)).explain_given("I love you", "我爱你").sentences[0]
        stages = flow(explanation.model, explanation.record, 1, 0)
        keys[norm] = [(stage.part, stage.key) for stage in stages]
    assert keys["pre"].count(("encoder", "norm")) == 2
    assert keys["pre"].count(("decoder", "norm")) == 3
    assert not [key for _, key in keys["post"] if key == "norm"]

    model = write_tiny_model(tmp_path / "two", encoder_layers=2, decoder_layers=2)
    explanation = Explainer(ModelDirectory.open(model)).explain_given("I love you", "我爱你").sentences[0]
    stages = flow(explanation.model, explanation.record, 1, 0)
    first = next(stage for stage in stages if stage.key == "norm").values
    q = next(stage for stage in stages if stage.key == "self.q").values
    attention = explanation.model.encoder[1].self_attention
    with torch.inference_mode():
        torch.testing.assert_close(attention.w_q(first)[:, : q.size(1)], q)
