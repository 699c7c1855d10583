"""The record of an evaluation: errors, lengths, worst lines, comparisons."""

from __future__ import annotations

import shlex

import pytest

from translit.errors import TranslitError
from translit.evaluation.errors import LABELS, count_errors, flag_line
from translit.evaluation.evaluate import Evaluation, Settings, evaluate, explain_command
from translit.evaluation.inputs import EvalData, System
from translit.evaluation.lengths import length_labels, score_by_length
from translit.text.checks import KINDS

SOURCES = [
    "I have 3 cats.",
    "Paris is far.",
    "We went to Paris in 1990 by train.",
    "It's late.",
    "She reads a book every evening before she goes to bed.",
]
REFERENCES = [
    ["我有3只猫。"],
    ["巴黎很远。"],
    ["我们1990年坐火车去了巴黎。"],
    ["很晚了。"],
    ["她每天晚上睡觉前都看书。"],
]
GOOD = ["我有3只猫。", "巴黎很远。", "我们1990年坐火车去了巴黎。", "很晚了。", "她每晚睡前都看书。"]
BAD = ["我有4只猫。", "巴黎很远。", "我们坐火车去。", "", "她看书,每天."]


def data(times: int = 1) -> EvalData:
    return EvalData("dev.tsv", SOURCES * times, REFERENCES * times)


def run(outputs: list[str], *others: list[str], times: int = 1, **settings: object) -> Evaluation:
    systems = [System(f"other{i}", other * times) for i, other in enumerate(others)]
    chosen = Settings(**({"resamples": 0} | settings))  # type: ignore[arg-type]
    return evaluate(data(times), System("ours", outputs * times, "out.zh"), systems, chosen)


def kinds(evaluation: Evaluation) -> dict[str, list[int]]:
    return {item.kind: item.lines for item in evaluation.errors}


def test_every_kind_of_the_checks_has_a_label() -> None:
    assert set(KINDS) <= set(LABELS)


def test_error_classes_are_counted_and_point_at_their_lines() -> None:
    found = kinds(run(BAD))
    assert found["number"] == [1, 3]
    assert found["empty"] == [4]
    assert found["half-width"] == [5]
    assert kinds(run(GOOD)) == {}


def test_lengths_against_the_nearest_reference() -> None:
    def against(output: str, *references: str) -> list[str]:
        return [flag.kind for flag in flag_line(None, output, references)]

    assert against("我" * 4, "我" * 20) == ["shorter-than-reference"]
    assert against("我" * 4, "我" * 20, "我们走") == []
    assert against("我" * 20, "我" * 5) == ["longer-than-reference"]
    assert against("是", "是的。") == []
    assert against("", "是的。") == ["empty"]


def test_checks_that_know_chinese_stay_silent_for_other_targets() -> None:
    german, english = "Ich ging gestern sehr früh nach Hause.", "I went home very early yesterday."
    assert {flag.kind for flag in flag_line(german, english, None, "zh")} >= {"not-chinese"}
    assert flag_line(german, english, None, "en") == []


def test_errors_are_counted_once_a_line_and_sorted_by_frequency() -> None:
    flags = [flag_line("a 1", out, None) for out in ("", "", "")] + [
        flag_line("See http://a.b/c and http://d.e/f", "看", None)
    ]
    classes = count_errors(flags)
    assert classes[0].kind == "empty"
    assert classes[0].lines == [1, 2, 3]
    assert {item.kind: item.lines for item in classes}["url"] == [4]


def test_worst_lines_come_first() -> None:
    evaluation = run(BAD, worst=2)
    assert evaluation.worst[0] == 4
    assert len(evaluation.worst) == 2
    assert evaluation.lines[1].chrf == pytest.approx(100)
    assert run(BAD, worst=0).worst == []


def test_blank_lines_are_neither_worst_nor_tied() -> None:
    blank = EvalData("dev.tsv", [*SOURCES, "", ""], [*REFERENCES, [""], [""]])
    ours, other = System("ours", [*BAD, "", ""]), System("other", [*GOOD, " ", "啊"])
    found = evaluate(blank, ours, [other], Settings(resamples=0, worst=7))
    assert found.worst[0] == 4  # empty where there was something to say
    assert sorted(found.worst) == [1, 2, 3, 4, 5]
    (comparison,) = found.comparisons
    everything = comparison.groups[0]
    assert (everything.lines, everything.wins, everything.ties, everything.losses) == (6, 1, 1, 4)
    assert [line.line for line in comparison.better] == [7]  # where the other made something of nothing
    nothing = EvalData("blank", [""], [[""]])
    (comparison,) = evaluate(
        nothing, System("a", [""]), [System("b", [""])], Settings(resamples=0)
    ).comparisons
    assert comparison.groups == []


@pytest.mark.parametrize(
    "source", ["It's $5 `now`", "-v is an option", "plain", 'say "hi" \\ there', "a;rm -rf b"]
)
def test_explain_command_survives_the_shell(source: str) -> None:
    words = shlex.split(explain_command(source, "my models/small"))
    assert words[:4] == ["translit", "explain", "--model", "my models/small"]
    assert words[4:] in ([source], ["--", source])
    assert ("--" in words) == source.startswith("-")
    words = shlex.split(explain_command(source, None, "-5 度"))
    assert words[:4] == ["translit", "explain", "--target", "-5 度"]
    assert words[4:] in ([source], ["--", source])


def test_length_labels() -> None:
    assert length_labels(EvalData("x", ["a", "a b c d e f", "一二三四五六", "w " * 50], None)) == [
        "1–5",
        "6–10",
        "6–10",
        "41+",
    ]
    assert length_labels(EvalData("x", None, [["一" * 10], ["一" * 11]])) == ["1–10", "11–20"]


def test_scores_by_length_cover_every_line_in_order() -> None:
    buckets = score_by_length(data(), BAD, "zh")
    assert [(bucket.label, bucket.lines) for bucket in buckets] == [("1–5", 3), ("6–10", 1), ("11–20", 1)]
    assert all(bucket.ratio < 1 for bucket in buckets)


def test_a_better_system_wins_significantly() -> None:
    (comparison,) = run(GOOD, BAD, times=8).comparisons
    assert [item.metric for item in comparison.metrics] == ["BLEU", "chrF2"]
    assert all(item.difference > 0 and item.p_value < 0.01 for item in comparison.metrics)
    assert "ar:10000" in comparison.metrics[0].signature
    groups = {group.group: group for group in comparison.groups}
    assert (groups["all lines"].wins, groups["all lines"].ties, groups["all lines"].losses) == (32, 8, 0)
    assert groups["with numbers"].lines == 16
    assert groups["with names"].lines == 8  # the first word of a sentence does not tell
    assert groups["1–5 source words"].lines == 24
    assert comparison.better[0].output == ""
    assert comparison.better[0].line == 4
    assert comparison.worse == []


def test_a_system_against_itself_is_no_different() -> None:
    (comparison,) = run(BAD, BAD, times=4, test="bootstrap").comparisons
    assert all(item.difference == 0 and item.p_value == 1 for item in comparison.metrics)
    assert "bs:1000" in comparison.metrics[0].signature
    assert comparison.groups[0].ties == 20
    assert comparison.better == comparison.worse == []


def test_several_systems_keep_their_order() -> None:
    first, second = run(BAD, GOOD, BAD, times=2).comparisons
    assert (first.other, second.other) == ("other0", "other1")
    assert first.metrics[0].difference < 0 == second.metrics[0].difference


def test_without_references_only_errors_are_found() -> None:
    evaluation = evaluate(EvalData("s.en", SOURCES, None), System("ours", BAD))
    assert evaluation.scores == evaluation.lengths == evaluation.worst == []
    assert kinds(evaluation)["empty"] == [4]


def test_without_sources_scores_are_the_same() -> None:
    with_sources = run(BAD)
    without = evaluate(EvalData("r.zh", None, REFERENCES), System("ours", BAD), (), Settings(resamples=0))
    assert without.scores == with_sources.scores
    assert kinds(without)["empty"] == [4]
    assert without.lines[0].explain is None


def test_bad_requests_are_one_line() -> None:
    with pytest.raises(TranslitError, match=r"^out\.zh: 1 lines, but dev\.tsv has 5"):
        evaluate(data(), System("ours", ["走"], "out.zh"))
    with pytest.raises(TranslitError, match=r"^a comparison needs references"):
        evaluate(EvalData("s.en", SOURCES, None), System("ours", BAD), [System("other", GOOD)])
    with pytest.raises(TranslitError, match=r"^t-test: no such test; choose one of randomization, bootstrap"):
        run(BAD, test="t-test")


def test_warnings_for_few_lines_and_the_wrong_file() -> None:
    few, *_ = run(GOOD).warnings
    assert few == "dev.tsv: on 5 lines scores and intervals say little; use 100 or more"
    assert run(GOOD, times=20).warnings == []
    english = ["I went home."] * 5
    assert run(english, times=20).warnings == [
        "out.zh: 0% of the lines hold a Chinese character; is this the right file?"
    ]


def test_a_warning_for_chinese_references_in_another_language() -> None:
    references = EvalData("r.zh", None, REFERENCES * 20)
    (warning,) = evaluate(references, System("ours", GOOD * 20), (), Settings("en", resamples=0)).warnings
    assert warning.startswith("r.zh: most references hold Chinese characters, but BLEU for en ")
    german = EvalData("r.de", None, [["Ich ging nach Hause."], ["12"]] * 50)
    assert evaluate(german, System("ours", ["Los."] * 100), (), Settings("de", resamples=0)).warnings == []
