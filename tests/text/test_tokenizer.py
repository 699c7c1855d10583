"""Tokenizers: one Han character a token, nothing lost, nothing normalised behind our back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translit.errors import TranslitError
from translit.text.tokenizer import BOS, EOS, PAD, PLACEHOLDERS, UNK, Tokenizer, train_tokenizer

TARGET = ["我爱你。", "你好，世界！我们用Python写程序。", "他们在公园里走路。", "见{0}和https://a.org"] * 10
SOURCE = ["I love you.", "Hello, world! We write programs in Python.", "They walk in the park."] * 10


@pytest.fixture(scope="module")
def target() -> Tokenizer:
    return train_tokenizer(TARGET, 340, characters=True)


@pytest.fixture(scope="module")
def source() -> Tokenizer:
    return train_tokenizer(SOURCE, 330)


def test_a_han_character_is_a_token_and_there_is_no_leading_space_token(target: Tokenizer) -> None:
    assert target.pieces(target.encode("我爱你。")) == ["我", "爱", "你", "。"]
    assert not any(len(p) > 1 and any("\u4e00" <= c <= "\u9fff" for c in p) for p in target.vocabulary)


def test_full_width_marks_stay_what_they_are(target: Tokenizer) -> None:
    assert target.decode(target.encode("好，好！Ａ")) == "好，好！Ａ"


def test_subword_targets_are_an_option() -> None:
    words = train_tokenizer(["我们喜欢我们的世界", "我们的世界"] * 20, 300, characters=False)
    assert any(len(p) > 1 and "我" in p for p in words.vocabulary)


@given(st.text(max_size=40))
def test_any_text_survives_on_the_target_side(text: str) -> None:
    tokenizer = _shared()
    assert tokenizer.decode(tokenizer.encode(text)) == text


def _shared(cache: list[Tokenizer] = []) -> Tokenizer:  # noqa: B006 — trained once for all examples
    if not cache:
        cache.append(train_tokenizer(TARGET, 340, characters=True))
    return cache[0]


@pytest.mark.parametrize("text", ["🙂👨‍👩‍👧", "龘靐", "a▁b ▁", "\x00\t\n", "  two  spaces ", "{0}{9}", "𠮷"])
def test_rare_characters_survive(target: Tokenizer, text: str) -> None:
    assert target.decode(target.encode(text)) == text


def test_placeholders_and_digits_are_single_tokens(source: Tokenizer, target: Tokenizer) -> None:
    for tokenizer in (source, target):
        assert all(
            len(tokenizer.encode(p)) - ("▁" in tokenizer.pieces(tokenizer.encode(p))) == 1
            for p in PLACEHOLDERS
        )
        digits = [p for p in tokenizer.pieces(tokenizer.encode("2026")) if p != "▁"]
        assert (
            "".join(p.strip("▁") if not p.startswith("<0x") else chr(int(p[3:5], 16)) for p in digits)
            == "2026"
        )
        assert len(digits) == 4


def test_special_tokens_have_their_places_and_write_nothing(target: Tokenizer) -> None:
    assert target.pieces([PAD, UNK, BOS, EOS]) == ["<pad>", "<unk>", "<s>", "</s>"]
    assert target.decode([BOS, *target.encode("你好"), EOS, PAD]) == "你好"


def test_pieces_and_ids_are_inverse(target: Tokenizer) -> None:
    assert target.ids(target.vocabulary) == list(range(len(target)))


def test_missing_damaged_and_empty(tmp_path: Path) -> None:
    with pytest.raises(TranslitError, match="No such file"):
        Tokenizer.load(tmp_path / "none.spm")
    (tmp_path / "empty.spm").touch()  # SentencePiece itself would take it for a model
    with pytest.raises(TranslitError, match="not a SentencePiece model"):
        Tokenizer.load(tmp_path / "empty.spm")
    (tmp_path / "bad.spm").write_bytes(b"not a model")
    with pytest.raises(TranslitError, match="not a SentencePiece model"):
        Tokenizer.load(tmp_path / "bad.spm")
    with pytest.raises(TranslitError, match="no text"):
        train_tokenizer(["", " "], 100)
