"""Scores are sacreBLEU's own, with the tokenizer that the target language needs."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from sacrebleu.metrics import BLEU, CHRF

from translit.errors import TranslitError
from translit.evaluation.inputs import load_outputs, load_parallel
from translit.evaluation.metrics import (
    affordable_resamples,
    build_metrics,
    reference_streams,
    score_comet,
    score_corpus,
    sentence_chrf,
)

REFS = [["今天天气很好。"], ["我喜欢看书，也喜欢音乐。"], ["他去了北京。"]] * 10
OUTS = ["今天天气好。", "我喜欢看书,也喜欢音乐.", "他去北京了。"] * 10

FLORES = Path(__file__).parents[3] / "shared/data/eval/flores-dev"
PUBLISHED = {  # sacreBLEU 2.6, nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp, and chrF2
    "google": (48.77, 43.00),
    "microsoft": (47.83, 42.53),
    "bergamot-base": (38.24, 34.60),
    "argos": (32.04, 28.84),
    "opusmt": (30.97, 28.64),
    "nllb": (29.60, 26.46),
}


@pytest.mark.skipif(not FLORES.exists(), reason="the published systems' outputs are not here")
def test_published_systems() -> None:
    data = load_parallel(FLORES / "source.en", [FLORES / "reference.zh"])
    metrics = build_metrics(data.references or [], "zh")
    for system, expected in PUBLISHED.items():
        outputs = load_outputs(FLORES / f"systems/{system}.zh", data).outputs
        scores = [round(metric.corpus_score(outputs, None).score, 2) for metric in metrics.values()]
        assert (system, *scores) == (system, *expected)
    signature = str(metrics["BLEU"].get_signature())
    assert signature.startswith("nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:")


def test_scores_and_intervals_are_sacrebleus() -> None:
    bleu, chrf = score_corpus(OUTS, REFS, resamples=200)
    for ours, metric in ((bleu, BLEU(tokenize="zh")), (chrf, CHRF())):
        theirs = metric.corpus_score(OUTS, [[refs[0] for refs in REFS]], n_bootstrap=200)
        assert ours.score == theirs.score
        assert ours.interval == pytest.approx((theirs._mean - theirs._ci, theirs._mean + theirs._ci))
        assert ours.signature == str(metric.get_signature())


def test_normalising_typography_closes_the_gap_that_commas_make() -> None:
    bleu, chrf = score_corpus(OUTS, REFS, resamples=100)
    assert bleu.normalized is not None
    assert bleu.normalized > bleu.score
    assert bleu.normalized_interval is not None
    assert chrf.normalized is not None
    assert chrf.normalized > chrf.score


def test_every_reference_counts() -> None:
    one, _ = score_corpus(["走吧，朋友。"], [["去吧，我们走。"]], resamples=0)
    several, _ = score_corpus(["走吧，朋友。"], [["去吧，我们走。", "走吧，朋友。"]], resamples=0)
    assert one.score < 50
    assert several.score > one.score
    assert several.signature.startswith("nrefs:2|")
    varying, _ = score_corpus(["走吧。", "好。"], [["走。", "走吧。"], ["好。"]], resamples=0)
    assert varying.signature.startswith("nrefs:var|")


def test_reference_streams_pad_missing_references() -> None:
    assert reference_streams([["a", "b"], ["c"]]) == [["a", "c"], ["b", None]]


def test_no_interval_when_not_asked() -> None:
    scores = score_corpus(OUTS, REFS, resamples=0)
    assert [score.interval for score in scores] == [None, None]


def test_intervals_stay_on_the_scale() -> None:
    _, chrf = score_corpus(["走吧", "好"], [["走"], ["好"]], resamples=100)
    assert chrf.interval is not None
    assert 0 <= chrf.interval[0] <= chrf.interval[1] <= 100


def test_ter_counts_characters_for_chinese() -> None:
    *_, ter = score_corpus(["我喜欢看书"], [["我喜欢看报"]], ter=True, resamples=0)
    assert (ter.name, ter.score, ter.higher_is_better) == ("TER", 20.0, False)


def test_other_target_languages_use_13a_and_are_not_normalised() -> None:
    bleu, _ = score_corpus(["The cat sat."], [["The cat sat."]], "en", resamples=0)
    assert "tok:13a" in bleu.signature
    assert bleu.normalized is None


@pytest.mark.parametrize("code", ["zh", "zho", "cmn_Hans", "yue_Hant", "lzh", "wuu"])
def test_every_code_of_chinese_counts_characters(code: str) -> None:
    bleu, _ = score_corpus(OUTS, REFS, code, resamples=0)
    assert "tok:zh" in bleu.signature
    assert bleu.normalized is not None


@pytest.mark.parametrize(("code", "tokenizer"), [("jpn_Jpan", "ja-mecab"), ("kor", "ko-mecab")])
def test_three_letters_choose_the_tokenizer_of_two(
    monkeypatch: pytest.MonkeyPatch, code: str, tokenizer: str
) -> None:
    from sacrebleu.metrics import bleu

    asked: list[str] = []

    def tokenizer_of(name: str) -> type:
        asked.append(name)
        return original("13a")

    original = bleu._get_tokenizer
    monkeypatch.setattr(bleu, "_get_tokenizer", tokenizer_of)
    build_metrics([["走"]], code)
    assert asked == [tokenizer]


def test_spbleu_never_downloads_its_tokenizer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    with pytest.raises(TranslitError, match=r"^spBLEU: its tokenizer .* is not on this machine; fetch"):
        score_corpus(OUTS, REFS, spbleu=True)


def test_sentence_chrf() -> None:
    exact, best_of_two, nothing = sentence_chrf(
        ["今天好", "走吧", "猫"], [["今天好"], ["去哪儿", "走吧"], ["狗"]]
    )
    assert (exact, best_of_two, nothing) == (pytest.approx(100), pytest.approx(100), 0)


def test_resamples_shrink_for_large_test_sets() -> None:
    assert affordable_resamples(1000, 10_000) == 1000
    assert 100 <= affordable_resamples(1000, 1_000_000) < 1000
    assert affordable_resamples(0, 10) == 0


def test_comet_runs_a_local_checkpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = []

    def predict(rows: list[dict[str, str]], batch_size: int, gpus: int) -> SimpleNamespace:
        seen.extend(rows)
        return SimpleNamespace(scores=[0.8, 0.9], system_score=0.85)

    comet = ModuleType("comet")
    comet.load_from_checkpoint = lambda path: SimpleNamespace(predict=predict)  # type: ignore[attr-defined]
    comet.__spec__ = SimpleNamespace()  # type: ignore[assignment]
    monkeypatch.setitem(sys.modules, "comet", comet)
    with pytest.raises(TranslitError, match="no such COMET checkpoint"):
        score_comet(tmp_path / "gone.ckpt", ["a", "b"], ["甲", "乙"], [["甲"], ["乙"]])
    checkpoint = tmp_path / "model.ckpt"
    checkpoint.touch()
    score = score_comet(checkpoint, ["a", "b"], ["甲", "乙"], [["甲"], ["乙"]])
    assert score.score == pytest.approx(85)
    assert score.interval is not None
    assert 79 < score.interval[0] < 85 < score.interval[1] < 91
    assert seen[0] == {"src": "a", "mt": "甲", "ref": "甲"}
    assert "checkpoint:model.ckpt" in score.signature


def test_intervals_of_a_few_lines_of_which_some_score_zero() -> None:
    """sacreBLEU's own corpus_score fails here: some resamples score 0."""
    for score in score_corpus(
        ["今天天气很好。", "您好", "对"], [["今天天气很好。"], ["你好"], ["是"]], resamples=100
    ):
        assert score.interval is not None
        low, high = score.interval
        assert 0 <= low < high <= 100
