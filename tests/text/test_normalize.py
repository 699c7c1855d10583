"""Normalisation: what changes, and what must never change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from translit.text.normalize import normalize_source, normalize_target


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("你好,世界!", "你好，世界！"),
        ("现在几点?", "现在几点？"),
        ("你 好 吗 ?", "你好吗？"),
        ('他说: "你好." 然后走了.', "他说：“你好。”然后走了。"),
        ("我用 Python, 然后 7:30 到 3.5, 1,000 个.", "我用 Python，然后 7:30 到 3.5, 1,000 个。"),
        ("见 https://a.b/c,d?x=1 吗?", "见 https://a.b/c,d?x=1 吗？"),
        ("写信给 a.b@c.com!", "写信给 a.b@c.com！"),
        ("北京(北大店)和世卫(WHO)的foo(x)", "北京（北大店）和世卫（WHO）的foo(x)"),
        ("等等… 好...", "等等……好……"),
        ("{name},你好!", "{name}，你好！"),
        ("<b>你好</b>,世界", "<b>你好</b>，世界"),
        ("价格是5.", "价格是5。"),
        ("你好 :)", "你好 :)"),
        ("`你 好`", "`你 好`"),
        ("Hello, world!", "Hello, world!"),  # no Han character: not Chinese, not touched
        ("", ""),
    ],
)
def test_chinese_typography(text: str, expected: str) -> None:
    assert normalize_target(text) == expected
    assert normalize_target(expected) == expected


def test_tight_drops_the_space_between_han_and_latin_only() -> None:
    assert normalize_target("用 Visual Studio 写 3 行", tight=True) == "用Visual Studio写3行"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  I\u00a0love   you ", "I love you"),
        ("“Don’t” … ‘x’", "\"Don't\" ... 'x'"),
        ("cafe\u0301", "café"),
        ("12,5 is — 7:30", "12,5 is — 7:30"),
        ("ﬁnd the oﬃce", "find the office"),  # as copied from a PDF
        ("trans\u00adlation", "translation"),
        ("\u200eHello\u200f, \u2060 \u202aworld\u202c", "Hello, world"),
        ("A\x00B \x07 \x1b dog\x7f", "AB dog"),
        ("non\u2011breaking, \u22125", "non-breaking, -5"),
        ("Ｉ ｌｏｖｅ ７", "I love 7"),
        ("«Oui»", '"Oui"'),
        ("𝐈 𝑙𝑜𝑣𝑒 𝟟", "I love 7"),
        ("5pm or 10:30A.M., 5 pm, 3pms, mp3am, 1pm.", "5 pm or 10:30 A.M., 5 pm, 3pms, mp3am, 1 pm."),
        ("你好，世界！", "你好，世界！"),  # punctuation of Chinese sources stays
        ("می\u200cخواهم", "می\u200cخواهم"),  # a joiner that spells
    ],
)
def test_source_normalisation(text: str, expected: str) -> None:
    assert normalize_source(text) == expected


@given(st.text(max_size=60))
def test_normalising_never_fails_and_keeps_letters_and_digits(text: str) -> None:
    import unicodedata

    def kept(s: str) -> list[str]:
        return [c for c in s if c.isalnum()]

    assert kept(normalize_target(text)) == kept(unicodedata.normalize("NFC", text))


@given(st.text(alphabet='你好我，。,.!?: aB1"()', max_size=30))
def test_target_normalisation_settles_after_two_passes(text: str) -> None:
    twice = normalize_target(normalize_target(text))
    assert normalize_target(twice) == normalize_target(normalize_target(twice))


def test_a_very_long_line_takes_linear_time() -> None:
    """Quadratic time would take minutes here."""
    assert normalize_target("我" * 300_000) == "我" * 300_000
    assert normalize_target("我(a)" * 20_000) == "我（a）" * 20_000
    assert normalize_target("发给a.b+c@d-e.com吧,好") == "发给a.b+c@d-e.com吧，好"
