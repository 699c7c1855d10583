"""What the shipped model must say, whoever trains it next."""

from __future__ import annotations

import pytest

from translit.model_directory import find_model
from translit.translator import Translator


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator(find_model("en-zh").path)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("I love you", "我爱你"),
        ("i love you", "我爱你"),
        ("I love you.", "我爱你。"),
        ("I love you!", "我爱你！"),
        ("I LOVE YOU!", "我爱你！"),
        ("Hello!", "你好！"),
        ("", ""),
        ("  I love you  ", "  我爱你  "),
    ],
)
def test_everyday_sentences(translator: Translator, source: str, translation: str) -> None:
    assert translator.translate([source])[0].text == translation


def test_both_engines_say_the_same(translator: Translator) -> None:
    lines = ["Where is the station?", "She said she would call me back tomorrow.", "We need 3 tickets."]
    reference = Translator("en-zh", engine="torch").translate(lines)
    exact = Translator("en-zh", precision="float32").translate(lines)
    assert [t.text for t in exact] == [t.text for t in reference]


def test_it_is_small_enough_to_ship() -> None:
    size = sum(p.stat().st_size for p in find_model("en-zh").path.iterdir())
    assert size < 30 * 2**20
