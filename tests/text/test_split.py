"""translit.text.split: sentences and their exact inverse, Chinese joining, and cutting what is too long."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from translit.text.split import Piece, join_zh, split, split_long


def texts(paragraph: str) -> list[str]:
    return [piece.text for piece in split(paragraph)]


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("One sentence only", ["One sentence only"]),
        ("Dr. Lee left D.C. on Jan. 5. He ran.", ["Dr. Lee left D.C. on Jan. 5.", "He ran."]),
        ("See e.g. this. It cost $3.50! Go 3.2 ran.", ["See e.g. this.", "It cost $3.50!", "Go 3.2 ran."]),
        ('"Why?" she asked. "No."', ['"Why?" she asked.', '"No."']),
        ("He said, \"Stop! Don't move.\" He left.", ["He said, \"Stop! Don't move.\"", "He left."]),
        ("It fell... Then it rose.", ["It fell...", "Then it rose."]),
        ("STOP! DO NOT ENTER.", ["STOP!", "DO NOT ENTER."]),
        ("No space.Here it goes.", ["No space.", "Here it goes."]),
        ("1. First item. 2. Second item.", ["1. First item.", "2. Second item."]),
        ("你好。世界！", ["你好。", "世界！"]),
    ],
)  # fmt: skip
def test_sentences(paragraph: str, sentences: list[str]) -> None:
    assert texts(paragraph) == sentences


@pytest.mark.parametrize(
    "sentence",
    [
        "I met Ms. Smith yesterday.",
        "You've got Mr. Right.",
        "Dr. No is a film.",
        "We live in Ft. Worth.",
        "See Vol. 2 of the book.",
        "There were approx. 50 people.",
        "The max. speed is 90.",
        "We are open Mon. to Sun. from nine.",
        "It starts at 5 p.m. Monday.",
    ],
)
def test_abbreviations_end_no_sentence(sentence: str) -> None:
    assert texts(f"{sentence} It is late.") == [sentence, "It is late."]


def test_what_looks_like_an_abbreviation_may_end_one() -> None:
    assert texts("I met Max. He was late.") == ["I met Max.", "He was late."]
    assert texts("We came at 5 p.m. Then we left.") == ["We came at 5 p.m.", "Then we left."]
    assert texts("The wall is 6 ft. Worth a try.") == ["The wall is 6 ft.", "Worth a try."]


def test_white_space_is_kept_apart() -> None:
    assert split("  A cat.  It ran. \n") == [Piece("", "  "), Piece("A cat.", "  "), Piece("It ran.", " \n")]
    assert split("") == []
    assert split(" \t ") == [Piece("", " \t ")]
    assert split("A cat.\x1fIt ran.") == [Piece("A cat.", "\x1f"), Piece("It ran.", "")]


@settings(max_examples=60)
@given(st.text(st.characters(), max_size=200) | st.text("aB .!?\"'1\n…。 )-\u200d\ud800", max_size=200))
def test_complaint_2_joined_pieces_are_the_input(paragraph: str) -> None:
    pieces = split(paragraph)
    assert "".join(piece.text + piece.tail for piece in pieces) == paragraph
    assert all(piece.text == piece.text.strip() for piece in pieces)


def test_chinese_sentences_are_joined_without_spaces() -> None:
    pieces = split("I came.  I saw. I won.")
    assert join_zh(["我来了。", "我看见了。", "我赢了。"], pieces) == "我来了。我看见了。我赢了。"


def test_space_stays_where_it_means_something() -> None:
    assert join_zh(["Windows.", "Linux."], split("Windows. Linux.")) == "Windows. Linux."
    assert join_zh([], []) == ""
    assert join_zh(["一。", "二。"], split("One.\nTwo.\n")) == "一。\n二。\n"
    assert join_zh(["", "一。", "二。"], split("  One. Two. ")) == "  一。二。 "


def test_join_needs_a_translation_for_each_piece() -> None:
    with pytest.raises(ValueError, match="1 translations for 2 pieces"):
        join_zh(["一。"], split("One. Two."))


def test_complaint_16_long_sentence_is_cut_at_clauses() -> None:
    sentence = (
        "He came late; nobody knew why, but everybody saw it: the coat was wet and the shoes were gone."
    )
    parts = split_long(sentence, lambda text: len(text) <= 40)
    assert parts == [
        "He came late; ", "nobody knew why, but everybody saw it: ", "the coat was wet ",
        "and the shoes were gone.",
    ]  # fmt: skip


def test_what_is_copied_is_not_cut_apart() -> None:
    words = ["See", "https://a.org/x:y", "at", "10:30,", "<b", 'class="x y">', "{a", "b}", "./x.py:"] * 2
    parts = split_long(" ".join(words), lambda text: len(text.split()) <= 2)
    assert "".join(parts) == " ".join(words)
    assert all('<b class="x y"' in part or "<b" not in part for part in parts)
    assert not any(part.endswith(("https:", "10:")) for part in parts)


def test_what_fits_is_not_cut() -> None:
    assert split_long("One, two; three.", lambda text: True) == ["One, two; three."]


def test_ten_thousand_words() -> None:
    line = "word " * 10_000
    parts = split_long(line, lambda text: len(text.split()) <= 200)
    assert "".join(parts) == line
    assert len(parts) == 50


def test_emoji_sequences_are_not_cut_apart() -> None:
    family = "👩‍👩‍👧‍👦"
    assert split_long(family * 3, lambda text: len(text) <= 8) == [family] * 3


@settings(max_examples=60)
@given(st.text("ab ,;:—and.é́中，👍🏽\u200d\ud800", max_size=120), st.integers(1, 20))
def test_complaint_17_every_part_fits_and_nothing_is_lost(sentence: str, limit: int) -> None:
    parts = split_long(sentence, lambda text: len(text) <= limit)
    assert "".join(parts) == sentence
    assert all(part for part in parts)
    if limit >= 20 or sentence.isascii():
        assert all(len(part) <= max(limit, 1) for part in parts)
