"""translit.inline: markup in a sentence is put back around its words, or named where it is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from translit.inline import translate_segments
from translit.text.checks import Flag
from translit.text.formats import open_format
from translit.translator import Translation


class Table:
    """A translator that knows some texts; to others it answers 好。 with a flag."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers

    def translate(self, lines: Sequence[str]) -> list[Translation]:
        unknown = (Flag("too-short", "x"),)
        return [
            Translation(line, self.answers.get(line, "好。"), flags=() if line in self.answers else unknown)
            for line in lines
        ]


def through(name: str, text: str, answers: dict[str, str]) -> tuple[str, list[str]]:
    """The translated file, and what is flagged."""
    document = open_format(name, text.encode())
    found = translate_segments(Table(answers), document)  # type: ignore[arg-type]  # all of it that is used
    assert [t.source for t in found] == document.segments
    return document.render([t.text for t in found]).decode(), [f.detail for t in found for f in t.flags]


@pytest.mark.parametrize(
    ("source", "answers", "expected"),
    [
        ("I love *you*.", {"I love you.": "我爱你。", "you": "你。"}, "我爱*你*。"),
        ("See **it *now***.", {"See it now.": "现在看它。", "it now": "现在看它", "now": "现在"}, "***现在*看它**。"),
        ("Press **NASA** `x`.", {"Press NASA {2}.": "按NASA {2}。", "NASA": "宇航局"}, "按**NASA** `x`。"),
        ("[a](x) or *b*", {"a or b": "甲或乙", "a": "甲", "b": "乙"}, "[甲](x)或*乙*"),
        ("Word[^1].", {"Word.": "词。"}, "词[^1]。"),
        ("*Go!* Stay.", {"Go! Stay.": "走！留。", "Go!": "走！"}, "*走*！留。"),
        ("One.[^1] Two.", {"One. Two.": "一。二。"}, "一。[^1]二。"),
        ("If so,[^1] go, 3.5.", {"If so, go, 3.5.": "若是，走，3.5。"}, "若是，[^1]走，3.5。"),
        ("A cat ![](i) sat.", {"A cat sat.": "猫坐着。", "cat": "猫"}, "猫![](i)坐着。"),
        ("A `cat`[^1] sat.", {"A {0} sat.": "{0}坐着。"}, "`cat`[^1]坐着。"),
        ("Run `ls` on it.", {"Run {0} on it.": "运行它。", "Run": "运行"}, "运行`ls`它。"),
    ],
)  # fmt: skip
def test_pairs_go_around_the_translation_of_what_they_were_around(
    source: str, answers: dict[str, str], expected: str
) -> None:
    out, flags = through("a.md", source, answers)
    assert flags == []
    assert out == expected


def test_numbers_of_notes_stay_behind_their_word() -> None:
    text = '<p>A cat.<sup><a href="#1">[1]</a></sup> It sat<sup>2</sup> on <a href="#3">[3]</a> us.</p>'
    answers = {"A cat. It sat on us.": "猫。坐在我们上面。", "sat": "坐", "on": "上面"}
    assert through("a.html", text, answers) == (
        '<p>猫。<sup><a href="#1">[1]</a></sup>坐<sup>2</sup>在我们上面<a href="#3">[3]</a>。</p>',
        [],
    )


def test_a_good_answer_with_markup_is_the_second_choice() -> None:
    answers = {"I love {0}you{1}.": "{0}汝{1}我爱也。", "I love you.": "我爱你。", "you": "汝"}
    assert through("a.html", "<p>I love <i>you</i>.</p>", answers) == ("<p><i>汝</i>我爱也。</p>", [])


def test_looks_that_find_no_place_are_left_out_and_named() -> None:
    out, flags = through("a.html", "<p>I love <i>you</i>.</p>", {"I love you.": "我爱你。", "you": "汝"})
    assert out == "<p>我爱你。</p>"
    assert flags == ["italics around “you” was lost"]


def test_links_that_find_no_place_go_to_the_end() -> None:
    text = "Read [the manual](m.md) first.\n"
    out, flags = through("a.md", text, {"Read the manual first.": "先读说明书。", "the manual": "手册"})
    assert out == "先读说明书（[手册](m.md)）。\n"
    assert flags == ["link around “the manual” was moved to the end"]


def test_code_that_is_lost_is_named_as_it_is_written() -> None:
    out, flags = through("a.md", "Run `ls -l` now.\n", {"Run {0} now.": "运行吧。"})
    assert out == "运行吧。`ls -l`\n"
    assert flags == ["`ls -l` was moved to the end"]


def test_a_footnote_whose_place_is_in_doubt_goes_to_the_end() -> None:
    answers = {"A cat is a cat, no?": "猫就是猫吗？", "cat": "猫"}
    out, flags = through("a.md", "A cat[^1] is a cat, no?\n", answers)
    assert out == "猫就是猫吗[^1]？\n"
    assert flags == ["[^1] was moved to the end"]


def test_nothing_is_translated_in_vain() -> None:
    table = Table({"I love you.": "我爱你。", "you": "你。", "Go.": "走。"})
    asked: list[str] = []

    def translate(lines: Iterable[str]) -> list[Translation]:
        return Table.translate(table, [line for line in lines if asked.append(line) is None])  # type: ignore[func-returns-value]

    table.translate = translate  # type: ignore[assignment, method-assign]
    translate_segments(table, open_format("a.md", b"I love *you*.\n\nGo.\n"))  # type: ignore[arg-type]
    assert asked == ["I love you.", "you", "Go."]


def test_what_stays_untranslated_stays_as_it_is_written() -> None:
    text = "我 *爱* 你 [x](y)\n"
    assert through("a.md", text, {"我 爱 你 x": "我 爱 你 x", "爱": "爱", "x": "x"}) == (text, [])


@pytest.mark.parametrize(
    ("source", "translation", "inside"),
    [
        ("Take **2** of 12.", "从12拿走。", "2"),
        ("It is **it**.", "它是它。", "它"),
        ("Use `a` **0**.", "用{0}。", "0"),
        ("Use **it** now.", "用 吧。", " "),
    ],
)
def test_a_place_must_be_the_only_one_and_a_word_of_its_own(
    source: str, translation: str, inside: str
) -> None:
    plain = source.replace("**", "").replace("`a`", "{0}")
    out, flags = through("a.md", source, {plain: translation, "2": "2", "it": inside, "0": "0"})
    assert "**" not in out
    assert any("was lost" in flag for flag in flags)


RICH = 'A <i>b <b>c <code>d</code></b> e</i> <u></u> <!--n--> <a href="x">g <s>h</s></a> <a><img></a> 2.'
PIECES = [*(f"{{{number}}}" for number in range(14)), "译", "b c", "g h", "h", "2", "。", " "]


@settings(max_examples=200)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=16).map("".join), min_size=6, max_size=6))
def test_whatever_the_model_does_the_file_stays_well_formed(answers: list[str]) -> None:
    document = open_format("a.html", RICH.encode())
    given_out = iter(answers)

    class Wild:
        def translate(self, lines: Iterable[str]) -> list[Translation]:
            return [Translation(line, next(given_out, "好")) for line in lines]

    (found,) = translate_segments(Wild(), document)  # type: ignore[arg-type]  # all of it that is used
    out = document.render([found.text]).decode()
    for written in ("<code>d</code>", "<u></u>", "<!--n-->", '<a href="x">', "<img>"):
        assert out.count(written) == 1
    assert not Counter(re.findall(r"<[^<>]*>", out)) - Counter(re.findall(r"<[^<>]*>", RICH))
    open_tags: list[str] = []
    for slash, name in re.findall(r"<(/?)([a-z]+)", out.replace("<img>", "")):
        if slash:
            assert open_tags.pop() == name
        else:
            open_tags.append(name)
    assert open_tags == []
