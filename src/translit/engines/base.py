"""What every engine can do: token ids in, hypotheses out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from translit.decoding.settings import Hypothesis, SearchSettings

MAX_SOURCE_TOKENS = 320  # with </s>; longer text must be split first. CTranslate2 wants a last position.


class Engine(Protocol):
    """Runs the weights of one model. Safe to call from several threads."""

    name: str

    def translate(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> list[list[Hypothesis]]:
        """The best ``settings.n_best`` hypotheses of every source, best first.

        ``sources`` are token ids ending in ``</s>``, each at most ``MAX_SOURCE_TOKENS``; ``prefixes`` are
        target ids that each translation begins with. The engine sorts and batches; who shares a batch with whom
        changes nothing.
        """
        ...

    def describe(self) -> str:
        """The engine in a few words, for people: name, version, arithmetic, threads."""
        ...


def available_cores() -> int:
    """Cores this process may use: what ``taskset`` or a container allows, not what the machine has."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
