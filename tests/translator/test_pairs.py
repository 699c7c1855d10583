"""translit.pairs: tags in plain text and where they go in a translation."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from translit.pairs import Tagged


def test_a_sentence_without_its_tags() -> None:
    found = Tagged.of("I <b>really <i>love</i></b> you<br>, <u>2</u> <a>, </a>.")
    assert found is not None
    assert found.plain == "I really love you<br>, <u>2</u> <a>, </a>."  # pairs around no word stay
    assert found.insides == ("really love", "love")


@pytest.mark.parametrize("sentence", ["I love you", "a < b </", "One<br>two</p>", "<b>2</b>", "<b></b> a"])
def test_no_pair_around_words(sentence: str) -> None:
    assert Tagged.of(sentence) is None


@pytest.mark.parametrize(
    ("sentence", "text", "insides", "expected"),
    [
        ("I <b>really <i>love</i></b> you.", "我真的爱你。", ["真的爱", "爱"], "我<b>真的<i>爱</i></b>你。"),
        ("<b>A <i>b</i></b>.", "甲乙。", ["甲。", "乙"], None),  # one is inside the other
        ("I <b>love</b> you.", "爱你爱我。", ["爱"], None),  # which?
        ("I <b>love</b> you.", "我喜欢你。", ["爱"], None),
        ("<b>Go!</b> I <b>see</b>.", "走！我看。", ["走！", "看"], "<b>走！</b>我<b>看</b>。"),
        ("Press <b>NASA</b>.", "按NASA。", ["宇航局"], "按<b>NASA</b>。"),
        ("Put <i>a</i> in <u class='a'>2</u>.", "把<u class='a'>2</u>放。", ["a"], None),  # not in a tag
        ("R&amp;D, <i>a.org</i>", "研发&amp;在a.org", ["a.org"], "研发&amp;在<i>a.org</i>"),
    ],
)  # fmt: skip
def test_pairs_go_around_the_translation_of_their_words(
    sentence: str, text: str, insides: list[str], expected: str | None
) -> None:
    found = Tagged.of(sentence)
    assert found is not None
    assert found.placed(text, insides) == expected


def test_pairs_as_wholes() -> None:
    sentence = "I <b>really <i>love</i></b> <u>you</u>."
    found = Tagged.of(sentence)
    assert found is not None

    def wholes(*insides: str) -> dict[str, str]:
        return {sentence[a:b]: text for (a, b), text in found.wholes(insides).items()}

    assert wholes("真的爱。", "爱", "你") == {
        "<b>really <i>love</i></b>": "<b>真的<i>爱</i></b>",
        "<u>you</u>": "<u>你</u>",
    }
    assert wholes("真心", "爱", "你") == {"<i>love</i>": "<i>爱</i>", "<u>you</u>": "<u>你</u>"}


@settings(max_examples=60)
@example("b <i>b b </i>")
@given(
    st.lists(st.sampled_from(["<b>", "</b>", "<i>", "</i>", "<br>", "a", "b ", "2", " ", "<", "&lt;"])).map(
        "".join
    )
)
def test_every_text_loses_its_pairs_in_the_end(sentence: str) -> None:
    while (found := Tagged.of(sentence)) is not None:
        assert all(len(text) < len(sentence) for text in (found.plain, *found.insides))
        if (text := found.placed(found.plain, found.insides)) is not None:
            assert text.replace(" ", "") == sentence.replace(" ", "")
        sentence = found.plain
