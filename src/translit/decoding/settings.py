"""What a search is asked for and what it answers: shared by all engines, without torch."""

from __future__ import annotations

from dataclasses import dataclass

from translit.errors import TranslitError

MAX_BEAM = 100  # more takes memory and time; quality falls much sooner (Koehn and Knowles 2017, section 3.6)


@dataclass(frozen=True)
class SearchSettings:
    """How to look for the best translation."""

    beam: int = 4  # translations followed side by side; 1 is greedy search
    n_best: int = 1  # how many finished translations to return, at most ``beam``
    length_penalty: float = 1.0  # α: hypotheses compete by log-probability / length^α
    no_repeat_ngram: int = 0  # forbid to write any n tokens in a row twice; 0: allow
    suppress: tuple[int, ...] = ()  # tokens that must not be written, except in a forced prefix
    batch_tokens: int = 0  # budget of one batch: rows × beam × padded source length; 0: what suits the engine

    def __post_init__(self) -> None:
        if not 1 <= self.beam <= MAX_BEAM:
            raise TranslitError(
                f"beam is {self.beam}; choose from 1 to {MAX_BEAM} (beyond 30 or so translations get worse)"
            )
        if not 1 <= self.n_best <= self.beam:
            raise TranslitError(
                f"n-best is {self.n_best} with beam {self.beam}; choose from 1 to the size of the beam"
            )


@dataclass(frozen=True)
class Hypothesis:
    """One finished translation."""

    ids: list[int]  # target tokens, without <s> and </s>
    score: float  # log-probability / (tokens with </s>)^α: higher is better, never above 0
    log_probs: list[
        float
    ]  # one per token of ``ids``, then one for </s> unless the length limit cut it off; none from CTranslate2


def max_target_length(source_tokens: int) -> int:
    """The most target tokens a source of so many tokens (``</s>`` included) may become.

    Two to three times as many as good translations need. Only a few different values come out, so that
    engines which know one limit per batch can sort sentences into batches of one limit.
    """
    return 32 * (3 * source_tokens // 32 + 1)
