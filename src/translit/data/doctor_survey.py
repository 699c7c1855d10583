"""What only the whole corpus shows: pairs that came before, stretches whose sides slipped, evaluation data.

One reading collects two hashes a pair; what is left of them is then two numbers and flags, eleven bytes a pair. Ten
million pairs take half a gigabyte at the peak, whatever their length.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from translit.data.bitext import Corpus, is_jsonl
from translit.data.doctor_lines import Row, rows
from translit.data.doctor_pair import key, log_size

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Groups:
    """Which lines are one: each has the number of its group, and a group can be marked."""

    def __init__(self, hashes: array[int]) -> None:
        import numpy as np

        values = np.frombuffer(hashes, dtype=np.int64) if hashes else np.zeros(0, np.int64)
        order = np.argsort(values)  # np.unique would do it, in twice the memory
        ordered = values[order]
        begins = np.zeros(len(values), dtype=bool)
        begins[1:] = ordered[1:] != ordered[:-1]
        self._number = np.empty(len(values), np.int32)
        self._number[order] = np.cumsum(begins, dtype=np.int32)
        self._marked = np.zeros(len(values), dtype=bool)  # more than there are groups

    def mark(self, index: int) -> None:
        self._marked[self._number[index]] = True

    def is_marked(self, index: int) -> bool:
        return bool(self._marked[self._number[index]])


@dataclass
class Survey:
    """What is known of every line of the corpora, in reading order."""

    same: _Groups
    alike: _Groups  # but for case, spaces and punctuation
    shift: NDArray[np.int8]  # where a stretch has slipped: source i fits target i + shift; 0 elsewhere

    def keep(self, index: int) -> None:
        """Line ``index`` is kept: from now on, those like it repeat it. What repeats only a sick line is no repeat."""
        self.same.mark(index)
        self.alike.mark(index)

    def detail(self, index: int) -> dict[str, str]:
        """What is wrong with line ``index``, by the name of the check, after those kept so far."""
        found = {}
        if self.same.is_marked(index):
            found["duplicate"] = "seen before"
        elif self.alike.is_marked(index):
            found["near-duplicate"] = "seen before but for case, spaces or punctuation"
        if shift := int(self.shift[index]):
            found["misaligned"] = (
                f"fits the target {abs(shift)} line{'s' * (abs(shift) > 1)} {_SIDE[shift > 0]} better"
            )
        return found


_SIDE = {True: "below", False: "above"}


def survey(corpora: Sequence[Corpus]) -> Survey:
    """Read ``corpora`` once and find pairs that are alike, also across files, and misaligned stretches."""
    import numpy as np

    exact, near = array("q"), array("q")
    shifts = []
    for corpus in corpora:

        def remember(row: Row) -> None:
            """Blank sides and malformed lines get a number of their own: they repeat nothing."""
            whole = not row.problem and row.source.strip() and row.target.strip()
            exact.append(hash((row.source, row.target)) if whole else len(exact))
            near.append(hash((key(row.source), key(row.target))) if whole else len(near))

        shifts.append(misaligned(rows(corpus), remember))
    shift = np.concatenate(shifts) if shifts else np.zeros(0, np.int8)
    return Survey(_Groups(exact), _Groups(near), shift)


# ── Misaligned stretches ────────────────────────────────────────────────────────────────────────────────────
#
# How well source i fits target j, as a log likelihood: by their lengths (Gale and Church, "A Program for
# Aligning Sentences in Bilingual Corpora", 1993) and by what stands in both in the same letters, names and
# digits. Evidence that source i belongs to target i + shift is the fit there minus the fit at home. Right
# pairs lose by that and single oddities win little, so a stretch whose running sum climbs high has slipped
# (CUSUM, Page 1954).

SHIFTS = (-2, -1, 1, 2)
_MEAN, _SPREAD = -0.06, 0.22  # of the logarithm of target to source, over 20 corpora
_ANCHOR_WEIGHT = 2.0
_MOST_A_LINE = 3.0  # so that no line decides alone
_SHIFT_COST = 0.3  # a line is at home unless something speaks against it
_ENOUGH = 12.0

_ANCHOR = re.compile(r"[A-Za-z]{2,}|\d+", re.ASCII)


@dataclass(frozen=True)
class _Sides:
    """What the fit of two sides is measured by."""

    source: str  # in lower case
    source_size: float  # logarithms
    target_size: float
    anchors: list[str]  # the Latin words and the digits of the target

    @classmethod
    def of(cls, row: Row) -> _Sides:
        anchors = _ANCHOR.findall(row.target.lower())
        return cls(row.source.lower(), log_size(row.source), log_size(row.target), anchors)

    def fit(self, other: _Sides) -> float:
        """Log likelihood, but for a constant, that this source belongs to the target of ``other``."""
        z = (other.target_size - self.source_size - _MEAN) / _SPREAD
        fit = -0.5 * z * z
        if other.anchors:
            found = sum(anchor in self.source for anchor in other.anchors)
            fit += _ANCHOR_WEIGHT * (2 * found / len(other.anchors) - 1)
        return fit


def misaligned(lines: Iterable[Row], seen: Callable[[Row], None] = lambda row: None) -> NDArray[np.int8]:
    """For each line 0, or the shift of the slipped stretch it is in. ``seen`` is called with every line."""
    import numpy as np

    found = {shift: _Cusum() for shift in SHIFTS}
    size = 0
    for size, (row, evidence) in enumerate(_evidence(lines), 1):
        seen(row)
        for shift, value in evidence.items():
            found[shift].add(size - 1, value)
    shifts = np.zeros(size, dtype=np.int8)
    # Where home is wrong, other shifts may seem better too; the strongest evidence, written last, wins.
    stretches = [(*stretch, shift) for shift, cusum in found.items() for stretch in cusum.stretches()]
    for _, start, end, shift in sorted(stretches):
        shifts[start:end] = shift
    return shifts


def _evidence(lines: Iterable[Row]) -> Iterator[tuple[Row, dict[int, float]]]:
    """Each line with the evidence for each shift; a shift past either end of the file has none."""
    reach = max(SHIFTS)
    window: deque[tuple[Row, _Sides] | None] = deque([None] * (2 * reach + 1), 2 * reach + 1)
    for line in _padded(lines, reach):
        window.append(line)
        if (here := window[reach]) is None:
            continue
        row, sides = here
        home = sides.fit(sides)
        evidence = {}
        for shift in SHIFTS:
            if there := window[reach + shift]:
                value = sides.fit(there[1]) - home - _SHIFT_COST
                evidence[shift] = max(-_MOST_A_LINE, min(_MOST_A_LINE, value))
        yield row, evidence


def _padded(lines: Iterable[Row], reach: int) -> Iterator[tuple[Row, _Sides] | None]:
    for row in lines:
        yield row, _Sides.of(row)
    yield from [None] * reach


class _Cusum:
    """Finds the stretches of a sequence whose sum is high, in one pass and in constant memory a stretch."""

    def __init__(self) -> None:
        self._done: list[tuple[float, int, int]] = []
        self._sum = self._peak = 0.0
        self._start = self._end = 0

    def add(self, index: int, value: float) -> None:
        if self._sum <= 0:
            self._close()
            self._start = index
        self._sum += value
        if self._sum > self._peak:
            self._peak, self._end = self._sum, index + 1
        elif self._peak - self._sum > _ENOUGH:  # the stretch is over, however high it had climbed
            self._close()

    def _close(self) -> None:
        if self._peak >= _ENOUGH:
            self._done.append((self._peak, self._start, self._end))
        self._sum = self._peak = 0.0

    def stretches(self) -> list[tuple[float, int, int]]:
        """The sum of each stretch, its first index and the index after its last."""
        self._close()
        return self._done


# ── Evaluation data ─────────────────────────────────────────────────────────────────────────────────────────


def evaluation_keys(paths: Iterable[Path]) -> dict[str, str]:
    """The key of every text in evaluation files → the file's name. Plain text, TSV, JSON lines; ``.gz`` too.

    All columns and all strings count. Texts without a letter or a digit do not.
    """
    keys: dict[str, str] = {}
    for path in paths:
        for row in rows(Corpus((path,))):
            texts = _json_strings(row.line) if is_jsonl(path) else row.line.split("\t")
            keys.update((key(text), path.name) for text in texts if any(map(str.isalnum, text)))
    return keys


def _json_strings(line: str) -> list[str]:
    try:
        return list(_strings(json.loads(line)))
    except ValueError:
        return [line]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)
