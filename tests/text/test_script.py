"""translit.text.script: which script a string is in."""

from __future__ import annotations

import pytest

from translit.text.script import count_han, han_ratio, has_letters, is_chinese, is_right_to_left


@pytest.mark.parametrize("text", ["你好。", "我喜欢 Python", "二〇二〇年", "價錢是100元", "𠀀𠀁𠀂"])
def test_chinese(text: str) -> None:
    assert is_chinese(text)


@pytest.mark.parametrize(
    "text",
    ["", "Hello", "Say 你好", "The word 你好 means hello", "ありがとう", "日本語の本です", "안녕", "123 😀"],
)
def test_not_chinese(text: str) -> None:
    assert not is_chinese(text)


@pytest.mark.parametrize("text", ["", " \t", "😀👍🏽", "12:30, 50%", "— … !?", "±×÷"])
def test_nothing_to_translate(text: str) -> None:
    assert not has_letters(text)


@pytest.mark.parametrize("text", ["a", "é", "你", "1st", "שלום"])
def test_something_to_translate(text: str) -> None:
    assert has_letters(text)


def test_han_ratio() -> None:
    assert han_ratio("你好") == 1
    assert han_ratio("你好ab, 12!") == 0.5
    assert han_ratio("12!") == 0
    assert count_han("〇一〇a。") == 3


def test_right_to_left() -> None:
    assert is_right_to_left("«שלום» hello")
    assert is_right_to_left("12 مرحبا")
    assert not is_right_to_left("Hello שלום")
    assert not is_right_to_left("12 !")
