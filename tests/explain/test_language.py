"""Captions in two languages, and how the language is chosen."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from translit.errors import TranslitError
from translit.explain.language import Captions, choose_language, fold

TEXTS = {"head": ("head {number}", "第 {number} 个头")}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_captions_fill_placeholders_in_each_language() -> None:
    assert Captions(TEXTS, "en")("head", number=2) == "head 2"
    assert Captions(TEXTS, "zh")("head", number=2) == "第 2 个头"
    assert "head" in Captions(TEXTS, "en")


def test_unknown_caption_is_an_error() -> None:
    with pytest.raises(KeyError):
        Captions(TEXTS, "en")("tail")


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "zh:en"}, "zh"),
        ({"LANG": "C"}, "en"),
    ],
)
def test_language_follows_the_locale(
    environment: pytest.MonkeyPatch, variables: dict[str, str], language: str
) -> None:
    for name, value in variables.items():
        environment.setenv(name, value)
    assert choose_language() == language


def test_a_wish_beats_the_locale(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("LANG", "zh_CN.UTF-8")
    assert choose_language("en") == "en"


def test_other_languages_are_refused_in_one_line() -> None:
    with pytest.raises(TranslitError, match=r"--lang fr.*choose one"):
        choose_language("fr")


@pytest.mark.parametrize("width", [8, 13, 30])
def test_folding_keeps_the_text_and_the_width(width: int) -> None:
    text = "每个词按份额取走各个值，softmax 再来一次：（加权平均）。No word may look ahead."
    lines = fold(text, width)
    assert max(cell_len(line) for line in lines) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert not any(line.startswith(tuple("，：）。")) or line.endswith("（") for line in lines)


def test_folding_leaves_a_long_word_whole() -> None:
    assert fold("see encoder.1.self.head1.Q", 10) == ["see", "encoder.1.self.head1.Q"]
