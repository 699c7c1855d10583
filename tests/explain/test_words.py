"""Tokens grouped into words: every token once, in order, as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translit.explain.words import group_words, piece_spans, piece_text


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (["▁I", "▁lo", "ve", "▁you", ".", "</s>"], ["I", "love", "you", ".", "</s>"]),
        (["▁don", "'", "t", "▁stop"], ["don't", "stop"]),
        (["我", "爱", "你", "</s>"], ["我", "爱", "你", "</s>"]),
        (["我们", "爱", "Py", "thon", "。"], ["我们", "爱", "Python", "。"]),  # a subword is one word
        (["2", "0", "2", "4", "年"], ["2024", "年"]),
        (["▁", "un", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "x"], ["un", "😀", "x"]),
        (["<0xE6>", "<0x9C>", "<0x8B>", "友"], ["朋", "友"]),
        (["<0xFF>", "<0xE4>", "a"], ["�", "�", "a"]),  # bytes that are not UTF-8
        (["▁of▁course", "▁"], ["of course"]),
        (["▁"], ["␣"]),
        ([], []),
    ],
)
def test_words(pieces: list[str], words: list[str]) -> None:
    assert [w.text for w in group_words(pieces)] == words


@given(
    st.lists(st.sampled_from(["▁", "▁a", "b", "我", "，", ".", "<0xE6>", "<0x9C>", "<0x8B>", "</s>", "12"]))
)
def test_every_token_belongs_to_one_word_in_order(pieces: list[str]) -> None:
    tokens = [t for word in group_words(pieces) for t in word.tokens]
    assert tokens == list(range(len(pieces)))


def test_spans_cut_the_text() -> None:
    pieces = ["▁love", "<0xE4>", "<0xBD>", "<0xA0>", "!"]
    text, spans = piece_spans(pieces)
    assert text == " love你!"
    assert [text[a:b] for a, b in spans] == [" love", "你", "你", "你", "!"]


def test_piece_text_keeps_a_lone_space_visible() -> None:
    assert (piece_text("▁love"), piece_text("▁")) == ("love", "␣")
