"""Placeholders that a model loses come back where it likes them best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from translit.decoding.settings import Hypothesis, SearchSettings
from translit.insertion import Repair, put_right
from translit.model_directory import ModelDirectory
from translit.text.tokenizer import EOS, PLACEHOLDERS, Tokenizer


class Opinionated:
    """An engine that likes some texts, and goes on from some beginnings as it is told."""

    name = "opinionated"

    def __init__(self, tokenizer: Tokenizer, liked: dict[str, float], goes_on: dict[str, str]) -> None:
        self.tokenizer, self.liked, self.goes_on = tokenizer, liked, goes_on
        self.suppressed: set[str] = set()

    def begin(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        assert prefixes is not None
        self.suppressed = {self.tokenizer.decode([token]) for token in settings.suppress}
        for index, prefix in enumerate(prefixes):
            start = self.tokenizer.decode(prefix)
            yield (
                index,
                [Hypothesis(self.tokenizer.encode(start + self.goes_on.get(start, "")), -0.1, [])],
            )

    def begin_scoring(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> Iterator[float]:
        texts = [self.tokenizer.decode(target) for target in targets]
        return iter([self.liked.get(t, -5.0) * (len(ids) + 1) for t, ids in zip(texts, targets, strict=True)])

    def translate(self, *_: object) -> list[list[Hypothesis]]:
        raise AssertionError

    def describe(self) -> str:
        return "opinionated"


@pytest.fixture(scope="module")
def tokenizer(tiny_model_dir) -> Tokenizer:  # type: ignore[no-untyped-def]
    return ModelDirectory.open(tiny_model_dir).target_tokenizer


def right(
    tokenizer: Tokenizer,
    text: str,
    tokens: Sequence[str],
    liked: dict[str, float] | None = None,
    goes_on: dict[str, str] | None = None,
    n_best: int = 1,
) -> list[str]:
    engine = Opinionated(tokenizer, liked or {}, goes_on or {})
    work = put_right(engine, tokenizer, [Repair([5, EOS], tokens, text)], SearchSettings(4, n_best))
    try:
        while True:
            next(work)
    except StopIteration as done:
        ((*hypotheses,),) = done.value
        return [tokenizer.decode(h.ids) for h in hypotheses]


def test_a_missing_placeholder_goes_where_it_is_likeliest(tokenizer: Tokenizer) -> None:
    liked = {"我{0}爱你。": -1.0, "我爱{0}你。": -0.5}
    assert right(tokenizer, "我爱你。", ["{0}"], liked, n_best=2) == ["我爱{0}你。", "我{0}爱你。"]


def test_the_model_may_write_on_from_there(tokenizer: Tokenizer) -> None:
    liked = {"我爱{0}你。": -0.5, "我爱{0}。": -0.2}
    assert right(tokenizer, "我爱你。", ["{0}"], liked, {"我爱{0}": "。"}) == ["我爱{0}。"]


def test_what_it_writes_on_is_of_no_use_if_it_loses_another(tokenizer: Tokenizer) -> None:
    liked = {"{0}我爱{1}。": -0.5, "{0}。": -0.1}
    assert right(tokenizer, "我爱{1}。", ["{0}", "{1}"], liked, {"{0}": "。"}) == ["{0}我爱{1}。"]


def test_a_placeholder_that_came_twice_is_taken_out_once(tokenizer: Tokenizer) -> None:
    liked = {"{0}是我的。": -0.5}
    assert right(tokenizer, "{0}是我的｛ 0 ｝。", ["{0}"], liked) == ["{0}是我的。"]


def test_placeholders_that_nobody_asked_for_go(tokenizer: Tokenizer) -> None:
    assert right(tokenizer, "{3}我爱{0}。", ["{0}"]) == ["我爱{0}。"]


@settings(max_examples=60)
@given(
    text=st.lists(
        st.sampled_from(["我", "ab", " ", "。", "12", "{", "}", "0", *PLACEHOLDERS]), max_size=9
    ).map("".join),
    count=st.integers(1, 12),
)
def test_each_is_there_once_whatever_the_model_wrote(tokenizer: Tokenizer, text: str, count: int) -> None:
    tokens = [f"{{{i}}}" for i in range(count)]
    (found,) = right(tokenizer, text, tokens)
    assert [found.count(token) for token in tokens] == [1] * count
