"""What every engine can do: token ids in, hypotheses out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from translit.decoding.settings import Hypothesis, SearchSettings

MAX_SOURCE_TOKENS = 320  # with </s>; longer text must be split first
MAX_POSITIONS = 32 * (
    3 * MAX_SOURCE_TOKENS // 32 + 2
)  # of a target, <s> the first; CTranslate2 wants a last one


class Engine(Protocol):
    """Runs the weights of one model. Safe to call from several threads."""

    name: str

    def begin(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Begin to translate, and give each source's index and hypotheses as soon as they are there, in any order.

        The hypotheses are the best ``settings.n_best``, best first. ``sources`` are token ids ending in ``</s>``,
        each at most ``MAX_SOURCE_TOKENS``; ``prefixes`` are target ids that each translation begins with. The
        engine sorts and batches; who shares a batch with whom changes nothing.
        """
        ...

    def begin_scoring(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> Iterator[float]:
        """Begin to read ``targets`` (token ids, without ``</s>``), and give log p(target | source) of each, in order.

        A target with no room in ``MAX_POSITIONS`` gets -inf.
        """
        ...

    def translate(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> list[list[Hypothesis]]:
        """The hypotheses of every source, in order: ``begin`` to the end."""
        ...

    def describe(self) -> str:
        """The engine in a few words, for people: name, version, arithmetic, threads."""
        ...


def available_cores() -> int:
    """Cores this process may use: what ``taskset`` or a container allows, not what the machine has."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
