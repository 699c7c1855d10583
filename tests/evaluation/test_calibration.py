"""Calibration: the arithmetic by hand, the curve on data that it is known for, the command on a toy."""

from __future__ import annotations

import json
import math
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translit.cli import main
from translit.data.bitext import Pair
from translit.errors import TranslitError
from translit.evaluation.calibration import (
    Bin,
    Calibration,
    Confidence,
    calibrate,
    cross_validated,
    expected_calibration_error,
    fit_confidence,
    ranking_quality,
    reliability,
    save_confidence,
    token_predictions,
)
from translit.evaluation.calibration_view import write_svg
from translit.evaluation.inputs import EvalData
from translit.evaluation.scoring import Scorer
from translit.model_directory import ModelDirectory

ToyPairs = Callable[[int, int], list[Pair]]
Patch, Capture = pytest.MonkeyPatch, pytest.CaptureFixture[str]


def test_bins_by_hand() -> None:
    bins = reliability([0.9, 0.2, 0.8, 0.4], [True, False, False, True], bins=2)
    assert bins == [Bin(2, pytest.approx(0.3), 0.5), Bin(2, pytest.approx(0.85), 0.5)]
    assert expected_calibration_error(bins) == pytest.approx((0.2 + 0.35) / 2)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1), st.integers(1, 20))
def test_bins_share_out_all_predictions_evenly(predictions: list[tuple[float, bool]], count: int) -> None:
    bins = reliability(*zip(*predictions, strict=True), bins=count)
    sizes = [b.count for b in bins]
    assert len(bins) == min(count, len(predictions))
    assert sum(sizes) == len(predictions)
    assert max(sizes) - min(sizes) <= 1
    assert [b.confidence for b in bins] == sorted(b.confidence for b in bins)
    assert 0 <= expected_calibration_error(bins) <= 1


def simulated(slope: float, intercept: float, count: int = 20_000) -> tuple[list[float], list[bool]]:
    rng = random.Random(0)
    scores = [-rng.random() * 3 for _ in range(count)]
    return scores, [rng.random() < Confidence(slope, intercept, 30)(score) for score in scores]


def test_the_curve_behind_the_data_is_found_again() -> None:
    scores, good = simulated(2.0, 1.5)
    curve = fit_confidence(scores, good)
    assert curve.slope == pytest.approx(2.0, rel=0.05)
    assert curve.intercept == pytest.approx(1.5, rel=0.05)
    assert expected_calibration_error(reliability(cross_validated(scores, good), good)) < 0.02


def test_a_fold_never_takes_all_lines_of_a_kind() -> None:
    assert len(cross_validated([-i / 10 for i in range(10)], [i not in (0, 5) for i in range(10)])) == 10
    with pytest.raises(TranslitError, match="only 1 of the 10 lines is bad"):
        cross_validated([-i / 10 for i in range(10)], [i != 3 for i in range(10)])


@given(st.lists(st.tuples(st.floats(-20, 0), st.booleans()), min_size=2, max_size=200))
def test_the_curve_is_always_finite_and_goes_with_the_evidence(lines: list[tuple[float, bool]]) -> None:
    scores, good = zip(*lines, strict=True)
    if all(good) or not any(good):
        with pytest.raises(TranslitError, match=r"(all|none) of the \d+ lines are good"):
            fit_confidence(scores, good)
        return
    curve = fit_confidence(scores, good)
    means = [sum(s for s, g in lines if g is kind) / good.count(kind) for kind in (True, False)]
    assert math.isfinite(curve.slope)
    assert curve.slope * (means[0] - means[1]) >= -1e-6
    soft = (good.count(True) + 1) / (good.count(True) + 2), 1 / (good.count(False) + 2)
    total = sum(soft[0] if label else soft[1] for label in good)
    assert sum(map(curve, scores)) == pytest.approx(
        total, rel=1e-3
    )  # as at the best fit, so it has converged


def test_probabilities_stay_probabilities_far_out() -> None:
    curve = Confidence(5.0, 1.0, 30)
    assert curve(-1e6) == pytest.approx(0)
    assert curve(1e6) == pytest.approx(1)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=30))
def test_ranking_is_the_share_of_pairs_in_the_right_order(lines: list[tuple[int, bool]]) -> None:
    good = [score for score, is_good in lines if is_good]
    bad = [score for score, is_good in lines if not is_good]
    found = ranking_quality([float(score) for score, _ in lines], [is_good for _, is_good in lines])
    if not good or not bad:
        assert math.isnan(found)
        return
    wins = sum((g > b) + (g == b) / 2 for g in good for b in bad)
    assert found == pytest.approx(wins / (len(good) * len(bad)))


def test_best_guesses_of_a_model_that_has_learnt(toy_pairs: ToyPairs, toy_model_dir: Path) -> None:
    directory = ModelDirectory.open(toy_model_dir)
    pairs = toy_pairs(100, 7)
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    confidences, right = token_predictions(directory, sources, targets)
    assert len(confidences) == len(right) == sum(len(target) + 1 for target in targets)
    assert right.mean() > 0.9
    # Where the best guess is right, its probability is the one that forced decoding gives the token.
    scores = Scorer(directory, threads=1).score([pair[:2] for pair in pairs])
    forced = sorted(math.exp(log_prob) for score in scores if score for log_prob in score.log_probs)
    assert max(forced) == pytest.approx(confidences.max(), abs=1e-5)
    assert sum(forced) == pytest.approx(confidences[right].sum(), rel=0.05)


def test_the_curve_is_kept_in_the_model(toy_model_dir: Path, tmp_path: Path) -> None:
    shutil.copytree(toy_model_dir, tmp_path / "model")
    directory = ModelDirectory.open(tmp_path / "model")
    assert Confidence.of(directory) is None
    curve = Confidence(3.0, 1.0, 30.0)
    save_confidence(directory, curve, {"lines": 40})
    again = ModelDirectory.open(directory.path)
    assert Confidence.of(again) == curve
    assert again.info["confidence"]["lines"] == 40
    assert (again.model, again.source_language) == (directory.model, directory.source_language)
    save_confidence(again, Confidence(1.0, 1.0, 30.0), {})
    assert Confidence.of(ModelDirectory.open(directory.path)) == Confidence(1.0, 1.0, 30.0)
    shutil.rmtree(directory.path)
    with pytest.raises(TranslitError, match=r"config\.json: cannot write: No such file"):
        save_confidence(directory, curve, {})


@pytest.mark.parametrize(
    "stored",
    [
        *(None, "high", {"slope": 1}),
        *({"slope": damage, "intercept": 1, "good": 1} for damage in ("x", math.nan, math.inf, 10**400)),
    ],
)
def test_a_damaged_curve_is_no_curve(toy_model_dir: Path, stored: object) -> None:
    directory = ModelDirectory.open(toy_model_dir)
    directory.info["confidence"] = stored
    assert Confidence.of(directory) is None


def test_lines_that_were_not_translated_do_not_count(monkeypatch: Patch) -> None:
    def predictions(_: object, sources: list[str], targets: list[str]) -> tuple[list[float], list[bool]]:
        assert sources == ["a"] * 4 + ["b"] * 4
        assert targets == ["天地人"] * 8
        return [0.9], [True]

    lines = [("天地人", -0.1)] * 4 + [("", None), ("12", None)] + [("大小", -2.0)] * 4
    translations = [SimpleNamespace(text=text, score=score) for text, score in lines]
    translator = SimpleNamespace(translate=lambda _: translations, directory=None, describe=dict)
    monkeypatch.setattr("translit.evaluation.calibration.token_predictions", predictions)
    data = EvalData(
        "x", ["a"] * 4 + ["", "12"] + ["b"] * 4, [["天地人"]] * 4 + [[""], ["12"]] + [["天地人"]] * 4
    )
    found = calibrate(data, translator)  # type: ignore[arg-type]
    assert sum(b.count for b in found.tokens) == 1
    assert sum(b.count for b in found.lines) == 8


def small_calibration() -> Calibration:
    bins = [Bin(4, 0.5, 0.5)]
    return Calibration("dev.tsv", {"beam": 4}, bins, bins, 0.75, Confidence(2.0, 1.0, 30.0))


def test_a_diagram_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(TranslitError, match="folder: cannot write: Is a directory"):
        write_svg(tmp_path / "folder", small_calibration())
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


def test_a_reader_who_has_seen_enough_loses_no_file(
    tiny_model_dir: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    def closed(*_: object) -> None:
        raise BrokenPipeError

    shutil.copytree(tiny_model_dir, model := tmp_path / "model")
    (tmp_path / "dev.tsv").write_text("I\t我\n", "utf-8")
    monkeypatch.setattr("translit.evaluation.calibration.calibrate", lambda *_: small_calibration())
    monkeypatch.setattr("translit.evaluation.calibration_view.show", closed)
    monkeypatch.setattr("translit.cli._drop_output", lambda: None)
    where = ("-m", model, "--save", "--svg", tmp_path / "x.svg")
    assert run(monkeypatch, tmp_path / "dev.tsv", *where) == 0
    assert Confidence.of(ModelDirectory.open(model)) == small_calibration().curve
    ElementTree.parse(tmp_path / "x.svg")


# ── The command ─────────────────────────────────────────────────────────────────────────────────────────────


def run(monkeypatch: Patch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["translit", "calibrate", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


@pytest.fixture
def test_set(toy_pairs: ToyPairs, tmp_path: Path) -> Path:
    """Sentences that the toy model knows, and as many with letters that it has never seen."""
    known = [f"{s}\t{t}\n" for s, t, _ in toy_pairs(20, 9)]
    unknown = [f"{' '.join('xyz'[i % 3] * (2 + i % 4))}\t山水上下来去\n" for i in range(20)]
    path = tmp_path / "dev.tsv"
    path.write_text("".join(known + unknown), "utf-8")
    return path


def test_calibrating_a_model(
    test_set: Path, toy_model_dir: Path, tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    shutil.copytree(toy_model_dir, model := tmp_path / "model")
    svg = tmp_path / "reliability.svg"
    assert run(monkeypatch, test_set, "-m", model, "--bins", 4, "--svg", svg, "--save") == 0
    out, err = capsys.readouterr()
    assert "40 lines: is the translation good?" in out
    assert max(map(len, out.splitlines())) <= 80
    assert f"diagram: {svg}" in err
    assert len(list(ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}circle"))) == 8
    directory = ModelDirectory.open(model)
    curve = Confidence.of(directory)
    assert curve is not None
    assert curve(-0.2) > 0.5 > curve(-3.0)
    assert directory.info["confidence"]["ranking"] > 0.9

    assert run(monkeypatch, test_set, "-m", model, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["schema"], record["version"]) == ("translit-calibration", 1)
    assert record["curve"] == {"slope": curve.slope, "intercept": curve.intercept, "good": 30.0}
    assert sum(b["count"] for b in record["lines"]) == 40


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to score against"),
        (["dev.tsv", "-s", "dev.tsv"], "dev.tsv: already holds source and reference"),
        (["-s", "dev.tsv"], "calibration needs sources and references"),
        (["dev.tsv", "--good", "101"], "calibration: none of the 40 lines are good (chrF2 from 101)"),
        (["dev.tsv", "--svg", "gone/x.svg"], "gone/x.svg: there is no folder gone"),
        (["dev.tsv", "--svg", "."], ".: is a folder; give the name of a file"),
    ],
)
@pytest.mark.usefixtures("test_set")
def test_bad_requests(
    tmp_path: Path,
    toy_model_dir: Path,
    monkeypatch: Patch,
    capsys: Capture,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRANSLIT_MODEL", str(toy_model_dir))
    assert run(monkeypatch, *arguments) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"translit: {message}")
