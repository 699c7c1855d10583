"""What the shipped model must say, whoever trains it next."""

from __future__ import annotations

import pytest

from translit.model_directory import find_model
from translit.text.script import is_chinese
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


@pytest.mark.parametrize(
    ("source", "facts"),
    [
        ("Call +1 (555) 123-4567 at 10:30 pm.", ["+1 (555) 123-4567"]),
        ("Order 244890 is version 2.200.112 of 2024-05-01.", ["244890", "2.200.112", "2024-05-01"]),
        ("It costs $1,234.56, €99.99 or £5.", ["1,234.56", "99.99", "5"]),
        ("Visit https://a.org/a_(b)?q=1#x, or mail a.b+c@d.co.uk now!", ["https://a.org/a_(b)?q=1#x", "a.b+c@d.co.uk"]),
        ("Hello %s, you have %d new {thing} and ${var}, {{x}}.", ["%s", "%d", "{thing}", "${var}", "{{x}}"]),
        ("Set max_length in ./config.yaml with `run --all`.", ["max_length", "config.yaml", "`run --all`"]),
        ("Press <b>Enter</b> &amp; wait.", ["<b>", "</b>", "&amp;"]),
        ("I am 😀 today, and my friend is sad.", ["😀"]),
        ("My name is Иван Петров.", ["Иван Петров"]),
        ("我喜欢 Python 编程 and you like Java.", ["我喜欢", "编程"]),
        ("مرحبا بالعالم", ["مرحبا بالعالم"]),
    ],
)  # fmt: skip
def test_every_fact_is_kept_or_flagged(translator: Translator, source: str, facts: list[str]) -> None:
    """Complaints 8, 12, 13 and 14, whatever the model makes of it."""
    (found,) = translator.translate([source])
    said = " ".join(flag.detail for flag in found.flags)
    for fact in facts:
        assert fact in found.text or fact in said, (fact, found)


@pytest.mark.parametrize(
    "source",
    ["salad", "salad salad salad", "THE STATION IS CLOSED", "milk, eggs, bread, tea", "SOPA DE ERVILHA"],
)
def test_short_and_listlike_input_does_not_run_on(translator: Translator, source: str) -> None:
    """Complaints 4, 6 and 7."""
    (found,) = translator.translate([source])
    assert found.text != source or found.flags
    assert len(found.text) <= 3 * len(source.split()) + 10 or found.flags


@pytest.mark.parametrize(
    "text", ["Where is the station?", "I will go home now", "She reads a book every day"]
)
def test_a_full_stop_changes_no_more_than_the_full_stop(translator: Translator, text: str) -> None:
    """Complaints 9, 10 and 11."""
    bare, stopped = translator.translate([text, text.rstrip("?") + "."])
    assert all(is_chinese(t.text) and not t.flags for t in (bare, stopped))
    assert stopped.text.count("。") == 1
    assert "。" not in bare.text


def test_both_engines_say_the_same(translator: Translator) -> None:
    lines = ["Where is the station?", "She said she would call me back tomorrow.", "We need 3 tickets."]
    reference = Translator("en-zh", engine="torch").translate(lines)
    exact = Translator("en-zh", precision="float32").translate(lines)
    assert [t.text for t in exact] == [t.text for t in reference]


def test_it_is_small_enough_to_ship() -> None:
    size = sum(p.stat().st_size for p in find_model("en-zh").path.iterdir())
    assert size < 30 * 2**20
