"""Facts about the writing of a string: Chinese or not, any letters at all, right to left or not."""

from __future__ import annotations

import re
import unicodedata

# Unified ideographs with extensions and the compatibility block, for a character class. Three ranges and no
# more: with a fourth (〇, which Unicode counts as a number) re takes milliseconds to compile each class.
HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003347f"

# Strings: compiling such a class takes 2 ms, so re does it, and keeps it, when a text first needs it.
_HAN = f"[{HAN}]"
_KANA_OR_HANGUL = "[ぁ-ゟァ-ヺー-ヿ\u1100-\u11ff\u3130-\u318f가-힣]"
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'’.-]*")


_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


def as_unicode(text: str) -> str:
    """``text`` with � for every lone surrogate: half a pair, as JSON can spell it, or a byte that was not UTF-8.

    Such can be neither encoded nor written. The length stays the same.
    """
    return text if text.isascii() else _HALF_A_PAIR.sub("\ufffd", text)


def count_han(text: str) -> int:
    """How many Han characters ``text`` holds."""
    return 0 if text.isascii() else len(re.findall(_HAN, text)) + text.count("〇")


def count_letters(text: str) -> int:
    """How many letters of any script ``text`` holds (digits, punctuation and emoji are not letters)."""
    return sum(map(str.isalpha, text)) + text.count("〇")


def has_letters(text: str) -> bool:
    """False for a line of only digits, punctuation, emoji or space: there is nothing to translate in it."""
    return any(map(str.isalpha, text))


def han_ratio(text: str) -> float:
    """Share of Han characters among the letters of ``text``, 0 to 1 (0 where there are no letters)."""
    letters = count_letters(text)
    return count_han(text) / letters if letters else 0.0


def is_chinese(text: str) -> bool:
    """Is ``text`` Chinese already, so that it should come back unchanged?

    A Han character weighs about half an English word. Names may stay in Latin letters (我喜欢 Python), but an
    English sentence that quotes a Chinese word (Say 你好) is English. Kana or Hangul mean Japanese or Korean.
    """
    han = count_han(text)
    return han > 2 * len(_LATIN_WORD.findall(text)) and not re.search(_KANA_OR_HANGUL, text)


def is_right_to_left(text: str) -> bool:
    """Is the first strong letter of ``text`` right to left (Unicode Bidirectional Algorithm, rule P2)?"""
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
