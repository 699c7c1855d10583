"""The pen-and-paper Transformer: its numbers are the model's, and a calculator agrees with each of them."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import string
import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner, Result

from translit.cli import main
from translit.cli.app import app
from translit.errors import TranslitError
from translit.explain.language import Captions, Language
from translit.explain.tour.captions import TEXTS
from translit.explain.tour.compute import OnPaper, build, ids, run
from translit.explain.tour.exercises import answer_sheet, is_right, mark, parse_number, questions
from translit.explain.tour.lesson import Lesson, load, to_toml
from translit.explain.tour.panels import Tour, compute_tour
from translit.explain.tour.steps import LAYER_NORM_EPSILON, Step, round_half_up, show
from translit.explain.tour.view import View, _bound
from translit.model import attention


@pytest.fixture(scope="module")
def tour() -> Tour:
    return compute_tour(load())


@pytest.fixture(scope="module", params=["default", "drawn"])
def any_tour(request: pytest.FixtureRequest, tour: Tour) -> Tour:
    """The default tour, and one that differs from it in everything that options can change."""
    if request.param == "default":
        return tour
    return compute_tour(load(seed=3, heads=4, layers=1), positions=True, decimals=5)


def translit(*arguments: str, stdin: str = "", columns: int = 80) -> Result:
    return CliRunner().invoke(
        app, ["tour", *arguments], input=stdin, env={"COLUMNS": str(columns), "LANG": "C"}
    )


# The numbers of the article


def test_the_given_vectors_enter_the_encoder_unchanged(tour: Tour) -> None:
    x = tour.steps["encoder.X"].result
    assert list(x.rows) == ["我", "爱", "你"]
    assert x.values == [[0.1, -0.2, 0.3, 0.1], [-0.1, 0.2, 0.2, -0.3], [0.2, 0.1, -0.1, 0.2]]


def test_shapes_are_those_of_two_heads_of_two(tour: Tour) -> None:
    for head in ("head1", "head2"):
        for letter in "QKV":
            step = tour.steps[f"encoder.1.self.{head}.{letter}"]
            assert [m.shape for m in (*step.operands, step.result)] == ["3×4", "4×2", "3×2"]
        assert tour.steps[f"encoder.1.self.{head}.scores"].result.shape == "3×3"
    output = tour.steps["encoder.1.self.output"]
    assert [m.shape for m in (*output.operands, output.result)] == ["3×4", "4×4", "3×4"]
    assert tour.steps["decoder.1.cross.head1.scores"].result.shape == "4×3"
    assert tour.steps["output.probabilities"].result.shape == "4×4"


def test_first_written_out_cell(tour: Tour) -> None:
    step = tour.steps["encoder.1.self.head1.Q"]
    assert tour.examples[step.result.name] == (0, 0)
    assert step.arithmetic(0, 0) == ["0.1·0.31 + (−0.2)·0.25 + 0.3·0.08 + 0.1·(−0.17) = −0.012"]


def test_second_layer_is_fed_by_the_first(tour: Tour) -> None:
    for stack, norm in (("encoder", "norm_2"), ("decoder", "norm_3")):
        source = tour.steps[f"{stack}.2.self.head1.Q"].operands[0]
        assert source is tour.steps[f"{stack}.1.{norm}"].result
    assert tour.steps["decoder.2.cross.head1.K"].operands[0] is tour.steps["encoder.2.norm_2"].result


def test_no_word_looks_ahead(tour: Tour) -> None:
    for layer, head in product((1, 2), (1, 2)):
        shares = np.array(tour.steps[f"decoder.{layer}.self.head{head}.attention"].result.values)
        assert (np.triu(shares, 1) == 0).all()
        assert (np.tril(shares) > 0).sum() == 10


def test_default_weights_copy_all_seven_sentences() -> None:
    lesson = load()
    for size in (1, 2, 3):
        for words in combinations(["我", "爱", "你"], size):
            sentence = dataclasses.replace(lesson, source=list(words), target=list(words))
            probabilities = run(sentence)["probabilities"][0]
            assert probabilities.argmax(-1).tolist() == ids(sentence)[2][0].tolist()


# Every number, recomputed


def _rounded(x: np.ndarray, decimals: int) -> np.ndarray:
    return np.vectorize(lambda y: round_half_up(y, decimals))(x)


def _recompute(step: Step, lesson: Lesson) -> np.ndarray:
    a, *others = (np.array(m.values) for m in step.operands)
    digits = step.decimals
    match step.operation:
        case "scaled":
            return _rounded(a * math.sqrt(lesson.d_model), digits)
        case "sum":
            return _rounded(a + others[0], digits)
        case "product" | "relu":
            result = a @ others[0] + (others[1] if len(others) > 1 else 0)
            return _rounded(result.clip(min=0) if step.operation == "relu" else result, digits)
        case "scores":
            scores = _rounded(_rounded(a @ others[0], digits) / math.sqrt(a.shape[1]), digits)
            return scores if len(others) == 1 else np.where(others[1] == 1, scores, -math.inf)
        case "softmax":
            powers = np.exp(a)
            return _rounded(powers / powers.sum(axis=1, keepdims=True), digits)
        case "concat":
            return np.concatenate([a, *others], axis=1)
        case "layer_norm":
            centred = a - _rounded(a.mean(axis=1, keepdims=True), digits + 2)
            variance = _rounded((centred**2).mean(axis=1, keepdims=True), digits + 2)
            return _rounded(centred / np.sqrt(variance + LAYER_NORM_EPSILON), digits)
        case "loss":
            return _rounded(-np.log(a), digits)
    raise AssertionError(step.operation)


def test_numpy_gives_every_matrix(any_tour: Tour) -> None:
    for step in any_tour.steps.values():
        if step.operation != "wave":
            expected = _recompute(step, any_tour.lesson)
            np.testing.assert_allclose(step.result.values, expected, atol=1e-9, err_msg=step.result.name)


def _calculate(expression: str) -> float:
    """What a calculator makes of an expression as the tour prints it."""
    for pattern, replacement in (
        ("−", "-"),
        ("·", "*"),
        (r"e\^(\([^)]*\)|[\d.]+)", r"exp(\1)"),
        (r"√(\d+)", r"sqrt(\1)"),
        ("√", "sqrt"),
        (r"-ln ([\d.]+)", r"-log(\1)"),
        ("²", "**2"),
        (r"\^", "**"),
        ("∞", "inf"),
    ):
        expression = re.sub(pattern, replacement, expression)
    names = {name: getattr(math, name) for name in ("exp", "sqrt", "log", "sin", "cos", "inf")}
    return float(eval(expression, {"__builtins__": {"max": max}}, names))


def test_written_out_arithmetic_is_right_in_every_cell(any_tour: Tour) -> None:
    for step in any_tour.steps.values():
        if step.operation == "concat":
            continue
        unit = 10.0**-step.decimals
        for i, row in enumerate(step.result.values):
            for j, value in enumerate(row):
                lines = step.arithmetic(i, j)
                for line in lines:
                    *_, expression, result = line.split(" = ")
                    difference = abs(_calculate(expression) - _calculate(result))
                    if not math.isnan(difference):  # −∞ − −∞
                        assert difference <= 0.5 * unit + 1e-9, line
                assert _calculate(lines[-1].split(" = ")[-1]) == (0.0 if value == 0 else value)


def test_concat_says_where_a_cell_comes_from(tour: Tour) -> None:
    step = tour.steps["encoder.1.self.concat"]
    assert step.arithmetic(1, 2) == [f"head2.output[爱, 1] = {show(step.result.values[1][2])}"]


def test_wave_is_the_models(any_tour: Tour) -> None:
    if any_tour.positions:
        wave = np.array(any_tour.steps["encoder.wave"].result.values)
        assert wave[0].tolist() == [0, 1, 0, 1]
        waves = [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]
        assert wave[1].tolist() == [round_half_up(x, any_tour.decimals) for x in waves]


def test_wave_is_as_exact_as_a_calculator() -> None:
    """cos(1/10000^(2/4)) is 0.99995000042: a hair above the half."""
    assert compute_tour(load(), positions=True).steps["encoder.wave"].result.values[1][3] == 1


def test_long_sentences_get_no_wave_unasked() -> None:
    """The model's own table of positions would grow from 256 tokens on."""
    lesson = dataclasses.replace(load(), source=["我"] * 300)
    assert torch.equal(*run(lesson, decimals=None)["source_embedding.output"][0, [0, 299]])


def test_probabilities_without_rounding_add_up_to_one(tour: Tour) -> None:
    for row in tour.exact["output.probabilities"].values:
        assert sum(row) == pytest.approx(1, abs=1e-6)


# The one model


def test_unrounded_numbers_are_the_transformers() -> None:
    lesson = load()
    source, target, _ = ids(lesson)
    with torch.no_grad():
        logits = build(lesson)(source, target)
    assert torch.equal(run(lesson, decimals=None)["logits"], logits)


def test_another_weight_gives_other_numbers(tour: Tour) -> None:
    lesson = load()
    lesson.encoder[0]["self_attention"]["w_v"][0][0] += 0.5
    changed = compute_tour(lesson)
    assert (
        changed.steps["encoder.1.self.head1.V"].result.values
        != tour.steps["encoder.1.self.head1.V"].result.values
    )
    assert changed.steps["output.logits"].result.values != tour.steps["output.logits"].result.values


def test_attention_is_the_models_own(tour: Tour, monkeypatch: pytest.MonkeyPatch) -> None:
    original = attention.scaled_dot_product_attention
    monkeypatch.setattr(attention, "scaled_dot_product_attention", lambda *a: 2 * original(*a))
    doubled = compute_tour(load()).steps["encoder.1.self.head1.output"].result.values
    single = tour.steps["encoder.1.self.head1.output"].result.values
    np.testing.assert_allclose(doubled, 2 * np.array(single), atol=1e-9)


@given(st.floats(-1000, 1000), st.integers(2, 6))
def test_paper_rounds_like_school(x: float, decimals: int) -> None:
    with OnPaper(decimals):
        rounded = (torch.tensor([x], dtype=torch.float64) * 1).item()
    assert rounded == round_half_up(x, decimals)
    assert abs(rounded - x) <= 0.5 * 10.0**-decimals + 1e-6 * 10.0**-decimals + 1e-9


def test_halves_go_away_from_zero() -> None:
    assert [round_half_up(x, 1) for x in (0.25, -0.25, 0.35, -0.04)] == [0.3, -0.3, 0.4, 0.0]
    assert math.copysign(1, round_half_up(-0.04, 1)) == 1


# Files


def test_the_default_file_is_what_write_file_writes(tmp_path: Path) -> None:
    assert translit("--write-file", str(tmp_path / "my.toml")).exit_code == 0
    packaged = Path(sys.modules["translit.explain.tour.lesson"].__file__ or "").with_name("lesson.toml")
    assert (tmp_path / "my.toml").read_text("utf-8") == packaged.read_text("utf-8")
    with pytest.raises(TranslitError, match="exists"):
        main_error("--write-file", str(tmp_path / "my.toml"))


def test_a_drawn_lesson_survives_its_file(tmp_path: Path) -> None:
    lesson = load(seed=9, heads=1, layers=3)
    (tmp_path / "my.toml").write_text(to_toml(lesson), "utf-8")
    assert load(tmp_path / "my.toml") == lesson


def test_own_vectors_of_another_size(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        'heads = 3\nsource = ["I", "do"]\ntarget = ["是"]\nvocabulary = ["是", "</s>"]\n[vectors]\n'
        'I = [1, 2, 3, 4, 5, 6]\ndo = [1, 0, 0, 0, 0, 0]\n"是" = [0, 0, 0, 0, 0, 1]\n"<s>" = [0, 0, 1, 0, 0, 0]\n',
        "utf-8",
    )
    tour = compute_tour(load(path, seed=1))
    assert tour.steps["encoder.X"].result.values[0] == [1, 2, 3, 4, 5, 6]  # though √6 has no end of decimals
    assert tour.steps["encoder.1.self.head3.Q"].result.shape == "2×2"
    assert tour.steps["output.probabilities"].result.shape == "2×2"


def main_error(*arguments: str) -> None:
    """Run the command; a TranslitError comes through."""
    result = translit(*arguments)
    if result.exception is not None:
        raise result.exception


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("heads = [", "TOML"),
        ("hads = 2", "hads"),
        ("heads = 3", "heads: 3"),
        ("heads = true", "heads"),
        ('source = ["他"]', "source: 他"),
        ("target = 3", "target"),
        ('vocabulary = ["我", "爱", "你"]', "vocabulary: </s>"),
        ('vocabulary = ["我", "爱", "你", "我", "</s>"]', "vocabulary"),
        ('[vectors]\n"我" = [0.1, 0.2, 0.3]\n', "vectors"),
        ('[vectors]\n"我" = [0.1, 0.2]\n"<s>" = [0.1]\n', "vectors, <s>"),
        ('[vectors]\n"我" = [0.1, nan]\n', "vectors, 我: nan"),
        ('[vectors]\n"我" = [0.1, 12345]\n', "vectors, 我: 12345"),
        ('[vectors]\n"我" = [0.1, 0.12345]\n', "vectors, 我: 0.12345 has more than 4 decimals"),
        ('[vectors]\n"我" = [1, 2]\n"爱" = [1, 2]\n"你" = [1, 2]\n"<s>" = [1, 2]\n', "self_attention.w_q"),
        ("encoder = 3", "encoder"),
        ("[[encoder]]\nx = 1", "encoder 1: self_attention"),
        ("output = 3", "output"),
        ("output.w = [[1], [2], [3], [4]]", "output.w, row 1"),
    ],
)
def test_a_wrong_file_is_told_in_one_line(tmp_path: Path, text: str, key: str) -> None:
    path = tmp_path / "my.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(TranslitError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert key in message
    assert "\n" not in message


HUGE = "1" + 400 * "0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("encoder = 3", "encoder: must be one or more layers, each begun by [[encoder]]"),
        ("decoder = []", "decoder: must be one or more layers, each begun by [[decoder]]"),
        (f'[vectors]\n"我" = [0.1, {HUGE}]', "vectors, 我: this number is too large for pen and paper"),
        (f"heads = {20 * HUGE}", "a number or a nest of brackets is far too long; shorten it"),
        (f"heads = {5000 * '['}", "a number or a nest of brackets is far too long; shorten it"),
    ],
)
def test_a_wrong_file_is_told_even_when_weights_are_drawn(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "my.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(TranslitError) as caught:
        load(path, seed=1)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_a_wrong_file_exits_with_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["translit", "tour", "--file", str(tmp_path / "none.toml")])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TranslitError, match=re.escape(f"{tmp_path / 'none.toml'}: cannot be read")):
        load(tmp_path / "none.toml")


# Options


def test_heads_share_the_same_weights_out(tour: Tour) -> None:
    one = compute_tour(load(heads=1))
    q = one.steps["encoder.1.self.head1.Q"].result.values
    halves = [tour.steps[f"encoder.1.self.head{h}.Q"].result.values for h in (1, 2)]
    assert q == [a + b for a, b in zip(*halves, strict=True)]
    with pytest.raises(TranslitError, match="--heads: 3"):
        load(heads=3)


def test_layers_are_kept_and_added() -> None:
    stored, more, less = load(), load(layers=3), load(layers=1)
    assert (more.encoder[:2], more.decoder[:2]) == (stored.encoder, stored.decoder)
    assert len(more.encoder) == len(more.decoder) == 3
    assert less.encoder == stored.encoder[:1]


def test_a_seed_draws_the_same_weights_again() -> None:
    assert load(seed=1) == load(seed=1)
    assert load(seed=1).encoder != load(seed=2).encoder
    assert load(seed=1).vectors == load().vectors


@pytest.mark.parametrize("tolerance", ["nan", "inf"])
def test_a_tolerance_is_a_number(tolerance: str) -> None:
    with pytest.raises(TranslitError, match=f"--tolerance {tolerance}: is no number"):
        main_error("--tolerance", tolerance, "--quiz")


def test_requests_that_contradict_each_other() -> None:
    with pytest.raises(TranslitError, match="--json and --quiz"):
        main_error("--quiz", "--json")


# The sheet, its marks, the quiz


def _filled_in(tour: Tour) -> str:
    """The answer sheet with every cell right."""
    answers = iter([x for step in tour.steps.values() for row in step.result.values for x in row])
    _, body = answer_sheet(tour).split("\n\n", 1)
    return re.sub(r'"\?"', lambda _: str(next(answers)), body)


def test_a_right_sheet_is_marked_right(any_tour: Tour, tmp_path: Path) -> None:
    path = tmp_path / "sheet.toml"
    path.write_text(_filled_in(any_tour), "utf-8")
    answers = mark(any_tour, path, 0)
    assert len(answers) == sum(
        len(s.result.values) * len(s.result.values[0]) for s in any_tour.steps.values()
    )
    assert all(answer.right for answer in answers)


def test_a_wrong_cell_is_found(tmp_path: Path) -> None:
    path = tmp_path / "sheet.toml"
    path.write_text('[encoder.1.self.head1]\nQ = [[-0.0121, "−0.105"], [0.086, 0.378], ["?", ""]]\n', "utf-8")
    result = translit("--check", str(path))
    assert result.exit_code == 1
    assert "−0.0121 ✓" in result.stdout
    assert "0.378 ✗" in result.stdout
    assert "encoder.1.self.head1.Q[爱, 2]: you have 0.378, it is −0.378" in result.stdout
    assert "3 of 4 cells right (tolerance 0.001)." in result.stdout
    strict = json.loads(translit("--check", str(path), "--tolerance", "0", "--json").stdout)
    assert [cell["right"] for cell in strict["cells"]] == [False, True, True, False]


def test_a_blank_sheet_and_right_answers(tmp_path: Path) -> None:
    path = tmp_path / "sheet.toml"
    assert translit("--write-answers", str(path)).exit_code == 0
    with pytest.raises(TranslitError, match="no cell is filled in"):
        main_error("--check", str(path))
    path.write_text("output.loss = [[0.4259], [0.2117], [0.1142], [0.2739]]\n", "utf-8")
    result = translit("--check", str(path))
    assert result.exit_code == 0
    assert "4 of 4 cells right" in result.stdout


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = [[1]]", "x: no matrix has this name"),
        ("output.loss = [[1]]", "output.loss: must be a list of 4 rows"),
        ("output.loss = [[1], [2], [3], 4]", "output.loss, row 4: must be a list of 1 numbers"),
        ('output.loss = [["x"], [2], [3], [4]]', 'output.loss, row 1: "x" is not a number'),
        (f"output.loss = [[{HUGE}], [2], [3], [4]]", f"output.loss, row 1: {HUGE[:20]}… is not a number"),
    ],
)
def test_a_wrong_sheet_is_told_in_one_line(tour: Tour, tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "sheet.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(TranslitError) as caught:
        mark(tour, path, 0.001)
    assert str(caught.value).startswith(f"{path}: {problem}")


def test_a_sheet_knows_its_tour(tmp_path: Path) -> None:
    sheet, part, options = tmp_path / "s.toml", "encoder.1.self.head1.Q", ("--seed", "7", "--decimals", "3")
    assert translit("--write-answers", str(sheet), "--part", part, *options).exit_code == 0
    text = sheet.read_text("utf-8")
    assert text.startswith(
        '# Put a number in place of any "?", then:  translit tour --seed 7 --decimals 3 --check'
    )
    values = compute_tour(load(seed=7), decimals=3).steps[part].result.values
    cells = iter([x for row in values for x in row])
    head, body = text.split("\n\n", 1)
    sheet.write_text(f"{head}\n" + re.sub(r'"\?"', lambda _: str(next(cells)), body), "utf-8")
    assert translit("--check", str(sheet), *options).exit_code == 0
    with pytest.raises(TranslitError) as caught:
        main_error("--check", str(sheet))
    command = f"translit tour --seed 7 --decimals 3 --check {sheet}"
    assert str(caught.value) == f"{sheet}: its cells belong to other numbers; run `{command}`"


def test_a_sheet_of_a_file_that_has_changed(tmp_path: Path) -> None:
    numbers, sheet = tmp_path / "my.toml", tmp_path / "s.toml"
    numbers.write_text("heads = 2\n", "utf-8")
    assert translit("--file", str(numbers), "--write-answers", str(sheet)).exit_code == 0
    numbers.write_text("heads = 1\n", "utf-8")
    with pytest.raises(TranslitError, match="if that file has changed, write a new sheet"):
        main_error("--file", str(numbers), "--check", str(sheet))


def test_numbers_as_people_type_them() -> None:
    assert [parse_number(text) for text in ("−0.25", " .5 ", "0,5", "−∞", "nan", "x", "")] == [
        *(-0.25, 0.5, 0.5, -math.inf),
        *(None, None, None),
    ]
    assert is_right(-math.inf, -math.inf, 0)
    assert not is_right(math.inf, -math.inf, 1)


def test_quiz_on_a_pipe(tour: Tour) -> None:
    asked = questions(tour, 0)
    right = "".join(f"{question.value}\n" for question in asked)
    result = translit("--quiz", stdin=right)
    assert result.exit_code == 0
    assert f"{len(asked)} of {len(asked)} right." in result.stdout


def test_quiz_shows_the_way(tour: Tour) -> None:
    result = translit("--quiz", stdin="7\n8\n\nq\n")
    first = questions(tour, 0)[0]
    assert result.exit_code == 1
    assert f"✗ no, it is {show(first.value)}:" in result.stdout
    assert first.step.arithmetic(first.i, first.j)[-1].split(" = ")[0][:30] in result.stdout
    assert "0 of 2 right." in result.stdout


def test_quiz_asks_again_before_it_tells_the_answer(tour: Tour) -> None:
    first, second = questions(tour, 0)[:2]
    result = translit("--quiz", stdin=f"1/3\n99\n{first.value}\nabc\n{second.value}\n99\nq\n")
    assert result.exit_code == 1
    assert "“1/3” is not a number" in result.stdout
    assert result.stdout.count("once more") == 2
    assert "it is" not in result.stdout
    assert "2 of 3 right." in result.stdout  # the third was answered wrongly, and then left


def test_quiz_and_sheet_about_one_part(tour: Tour, tmp_path: Path) -> None:
    part = "encoder.1.self.head1"
    assert {q.step.result.name.rpartition(".")[0] for q in questions(tour, 0, part)} == {part}
    sheet = tmp_path / "sheet.toml"
    assert translit("--write-answers", str(sheet), "--part", part).exit_code == 0
    names = re.findall(r"^(\S+) = \[", sheet.read_text("utf-8"), re.MULTILINE)
    assert names == [name for name in tour.steps if name.startswith(f"{part}.")]
    with pytest.raises(TranslitError, match="no frame and no matrix has this name"):
        main_error("--quiz", "--part", "encoder.9")
    with pytest.raises(TranslitError, match="--json and --part"):
        main_error("--json", "--part", part)


def test_quiz_asks_about_every_kind_of_step(any_tour: Tour) -> None:
    for seed in range(5):
        asked = {question.step.operation for question in questions(any_tour, seed)}
        assert asked >= {"product", "scores", "softmax", "relu", "layer_norm", "loss"}
        for question in questions(any_tour, seed):
            view = View(Console(width=80), Captions(TEXTS, "en"), any_tour)
            assert view.equation(question.step, None, answer=False)[-1].plain != ""


# What is seen


@pytest.mark.parametrize(("width", "language"), [(80, "zh"), (200, "en")])
def test_frames_are_aligned(
    any_tour: Tour, width: int, language: Language, capsys: pytest.CaptureFixture[str]
) -> None:
    View(Console(width=width, highlight=False, markup=False), Captions(TEXTS, language), any_tour).show()
    lines = capsys.readouterr().out.splitlines()
    framed = [line for line in lines if line.startswith(("│", "╭", "╰"))]
    assert len(framed) > 500
    assert {cell_len(line) for line in framed} == {min(width, 100)}
    assert all(
        line.endswith(" ─╮") or line.endswith("──╮") for line in framed if line.startswith("╭")
    )  # no title was cut
    assert max(map(cell_len, lines)) <= width
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_narrow_terminal_cuts_nothing(language: Language, capsys: pytest.CaptureFixture[str]) -> None:
    tour = compute_tour(load(), positions=True)
    captions = Captions(TEXTS, language)
    View(Console(width=40, highlight=False, markup=False), captions, tour).show()
    output = capsys.readouterr().out
    lines = [line.strip("│ ") for line in output.splitlines() if line.startswith("│")]
    assert {cell_len(line) for line in output.splitlines() if line.startswith("│")} == {40}
    assert "你  0.9093 −0.4161  0.0200  0.9998" in lines  # the wave, in one piece below its formula
    text = " ".join(lines)
    for command in captions("outro").splitlines():
        assert command.partition("|")[0] in text
    losses = [show(row[0], 4) for row in tour.steps["output.loss"].result.values]
    assert all(f" {loss} " in text for loss in losses)


def test_a_bound_is_rounded_up() -> None:
    bounds = [_bound(x) for x in (0, 0.000183, 0.0002, 0.00021, 0.95, 1e-12)]
    assert bounds == ["0", "0.0002", "0.0002", "0.0003", "1", "0.00000001"]


def test_every_matrix_and_a_cell_of_it_are_shown(tour: Tour) -> None:
    output = translit("--lang", "en", columns=200).stdout
    for panel in tour.panels:
        assert f"╰─ {panel.place} ─" in output
        for step in panel.steps:
            assert " ".join(step.arithmetic(*tour.examples[step.result.name])[-1].split()[:2]) in output
    assert "<s> 我 爱 ____" in output


def test_training_view(tour: Tour) -> None:
    output = translit("--part", "output").stdout
    assert re.search(r"<s> ____ +我 +█+[▏▎▍▌▋▊▉]? +65\.3% +0\.4259", output)
    assert re.search(r"<s> 我 爱 你 ____ +</s> ", output)
    assert "mean loss" in output


def test_part_shows_one_part_only() -> None:
    output = translit("--part", "decoder.2.cross.head2").stdout
    assert output.count("╭─") == 4
    assert "<s> → 我 (" in output  # the head that reads the source from left to right
    assert "我 → 爱 (" in output
    assert "爱 → 你 (" in output
    with pytest.raises(TranslitError, match="no frame and no matrix has this name"):
        main_error("--part", "encoder.1.sel")


def test_part_may_be_one_matrix(tour: Tour) -> None:
    ((number, panel),) = tour.part("encoder.1.self.head1.Q")
    assert (number, panel.kind) == (2, "qkv")
    assert [step.result.name for step in panel.steps] == ["encoder.1.self.head1.Q"]
    assert len({tour.part(name)[0][0] for name in tour.steps}) == len(tour.panels)


def test_pause_can_stop() -> None:
    part = translit("--pause", "--part", "decoder.2.cross.head2", stdin="\nq\n")
    assert (part.exit_code, part.stdout.count("╰─")) == (0, 2)
    assert (
        translit("--pause", "--layers", "1", stdin="\nq\n").stdout.count("╰─") == 3
    )  # the introduction and two frames


def test_json_holds_the_same_numbers(tour: Tour) -> None:
    record = json.loads(translit("--json").stdout)
    assert record["format"] == 1
    steps = [step for panel in record["panels"] for step in panel["steps"]]
    assert [step["result"]["name"] for step in steps] == list(tour.steps)
    for step in steps:
        expected = tour.steps[step["result"]["name"]].result.values
        assert step["result"]["values"] == [
            [x if math.isfinite(x) else None for x in row] for row in expected
        ]
        assert step["example"]["lines"]


def test_captions_have_the_same_placeholders_in_both_languages() -> None:
    def placeholders(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for name, (english, chinese) in TEXTS.items():
        assert english, name
        assert placeholders(english) == placeholders(chinese), name


def test_every_panel_is_explained(any_tour: Tour) -> None:
    for panel in any_tour.panels:
        assert panel.kind in TEXTS
        assert f"{panel.kind}.why" in TEXTS
