"""From stores of text to batches of tokens: mixed, shuffled, augmented, sorted by length, cut by budget.

Everything is a function of the seed and the position, so a run can stop anywhere and go on as if it never had.
"""

from __future__ import annotations

import queue
import random
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor

from translit.config import DataConfig
from translit.data.align import Alignments
from translit.data.augment import augment
from translit.data.shuffle import shuffled
from translit.data.store import TextStore
from translit.errors import TranslitError
from translit.model.transformer import pad
from translit.text.tokenizer import BOS, EOS, Tokenizer

T = TypeVar("T")


class Example(NamedTuple):
    """A sentence pair in token ids."""

    source: list[int]  # ends in </s>
    target: list[int]  # from <s> to </s>
    links: np.ndarray | None = None  # (n, 2): source and target token of each alignment link, <s> not counted


class Position(NamedTuple):
    """Where in the data a run is: the next batch to read."""

    epoch: int = 0
    pool: int = 0
    batch: int = 0


@dataclass
class Batch:
    """Sentences of about one length, padded to a rectangle."""

    source: Tensor  # (B, S)
    target_in: Tensor  # (B, T): <s> 我 爱 你, what the decoder is shown (the target shifted right)
    target_out: Tensor  # (B, T): 我 爱 你 </s>, what it must answer
    tokens: int  # real tokens in source and target, padding not counted
    next: Position = field(default_factory=Position)  # where to go on after this batch
    links: Tensor | None = None  # (L, 3): row, target position, source position of each alignment link
    shares: Tensor | None = None  # (L,): one over the number of links that its target token has

    def to(self, device: torch.device) -> Batch:
        def move(x: Tensor) -> Tensor:
            return x.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else x.to(device)

        return replace(
            self,
            source=move(self.source),
            target_in=move(self.target_in),
            target_out=move(self.target_out),
            links=None if self.links is None else move(self.links),
            shares=None if self.shares is None else move(self.shares),
        )


def make_batch(examples: Sequence[Example], next_position: Position = Position()) -> Batch:  # noqa: B008
    """Pad ``examples`` into one batch, the target shifted right against itself."""
    sources, targets = [e.source for e in examples], [e.target for e in examples]
    batch = Batch(
        pad(sources),
        pad([t[:-1] for t in targets]),
        pad([t[1:] for t in targets]),
        sum(map(len, sources)) + sum(len(t) - 1 for t in targets),
        next_position,
    )
    linked = [(row, e.links) for row, e in enumerate(examples) if e.links is not None]
    if linked:
        links = np.concatenate([np.c_[np.full(len(n), row), n[:, 1], n[:, 0]] for row, n in linked]).astype(
            np.int64
        )
        _, token, count = np.unique(links[:, :2], axis=0, return_inverse=True, return_counts=True)
        batch.links = torch.from_numpy(links)
        batch.shares = torch.from_numpy((1 / count[token.reshape(-1)]).astype(np.float32))
    return batch


def cut_by_budget(examples: Sequence[Example], budget: int) -> list[list[Example]]:
    """Sorted by length, cut into batches whose padded size (rows × widths of both sides) stays within ``budget``."""
    batches: list[list[Example]] = []
    current: list[Example] = []
    width_s = width_t = 0
    for example in sorted(examples, key=lambda e: (len(e.target), len(e.source))):
        wider_s, wider_t = max(width_s, len(example.source)), max(width_t, len(example.target) - 1)
        if current and (len(current) + 1) * (wider_s + wider_t) > budget:
            batches.append(current)
            current, wider_s, wider_t = [], len(example.source), len(example.target) - 1
        current.append(example)
        width_s, width_t = wider_s, wider_t
    return [*batches, current] if current else batches


class Batches:
    """All batches of a mixture of corpora, epoch after epoch.

    An epoch shows each corpus ``weight`` times (0.5: half of the pairs, from all over the corpus, the rest next
    time), all mixed by a permutation that is different in every epoch and never stored. What is held out of the
    first corpus is left out of all.
    """

    def __init__(
        self,
        corpora: Sequence[tuple[TextStore, float]],
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        config: DataConfig,
        seed: int,
        alignments: Alignments | None = None,
    ) -> None:
        self.corpora = corpora
        self.source_tokenizer = source_tokenizer
        self.target_tokenizer = target_tokenizer
        self.config = config
        self.seed = seed
        self.alignments = alignments  # for guided alignment
        self.shares = [max(1, round(len(store) * weight)) for store, weight in corpora]
        self.ends = np.cumsum(self.shares)
        self.held_out = {source for source, _ in corpora[0][0].held_out}
        self.too_long = 0  # pairs left out so far because of their length

    def __len__(self) -> int:
        """Pairs in one epoch."""
        return int(self.ends[-1])

    def batches_per_epoch(self) -> float:
        """About how many batches an epoch has, judged by its first pool."""
        return len(self.pool(0, 0)) * max(1.0, len(self) / self.config.pool)

    def pairs(self, positions: range, epoch: int) -> Iterator[tuple[str, str]]:
        """The pairs at ``positions`` of the shuffled ``epoch``."""
        for which, index in self._places(positions, epoch):
            yield self.corpora[which][0][index]

    def _places(self, positions: range, epoch: int) -> Iterator[tuple[int, int]]:
        """Corpus and number of the pairs at ``positions`` of the shuffled ``epoch``."""
        order = shuffled(np.arange(positions.start, positions.stop), len(self), self.seed * 1_000_003 + epoch)
        corpora = np.searchsorted(self.ends, order, side="right")
        indices = np.empty_like(order)
        for which in np.unique(corpora):
            here, share, size = corpora == which, self.shares[which], len(self.corpora[which][0])
            turn = (epoch * share + order[here] - (self.ends[which] - share)) % size
            indices[here] = shuffled(turn, size, self.seed)  # a file may be sorted: a share is not its head
        return zip(corpora.tolist(), indices.tolist(), strict=True)

    def encode(self, pair: tuple[str, str], links: np.ndarray | None = None) -> Example | None:
        """Token ids with their marks; None when a side is longer than ``max_tokens``."""
        source = [*self.source_tokenizer.encode(pair[0]), EOS]
        target = [BOS, *self.target_tokenizer.encode(pair[1]), EOS]
        if max(len(source), len(target) - 1) > self.config.max_tokens:
            self.too_long += 1
            return None
        return Example(source, target, links)

    def pool(self, epoch: int, number: int) -> list[list[Example]]:
        """The batches of one pool, in the random order in which they are shown."""
        size = self.config.pool
        rng = random.Random(f"{self.seed} {epoch} {number}")
        found = [
            (place, pair)
            for place in self._places(range(number * size, min((number + 1) * size, len(self))), epoch)
            if (pair := self.corpora[place[0]][0][place[1]])[0] not in self.held_out
        ]
        pairs = [pair for _, pair in found]
        examples = []
        for i, (place, pair) in enumerate(found):
            neighbours = pairs[i - 1], pairs[(i - 2) % len(pairs)]
            shown = augment(pair, neighbours, rng) if rng.random() < self.config.augment else pair
            # A rewritten sentence has other tokens: the links of the pair do not hold for it.
            links = self.alignments.of(*place) if self.alignments and shown == pair else None
            if example := self.encode(shown, links):
                examples.append(example)
        rng.shuffle(examples)  # so that sorting leaves equal lengths in random order
        batches = cut_by_budget(examples, self.config.batch_tokens)
        rng.shuffle(batches)
        return batches

    def stream(self, start: Position = Position()) -> Iterator[Batch]:  # noqa: B008
        """Batches for ever, beginning at ``start``. Raises TranslitError when every pair is too long."""
        epoch, pool, skip = start
        pools = -(-len(self) // self.config.pool)
        empty = 0  # pools in a row
        while True:
            batches = self.pool(epoch, pool)
            empty = 0 if batches else empty + 1
            if empty == pools:
                raise TranslitError(
                    f"training corpus: every pair is longer than data.max_tokens = {self.config.max_tokens}; raise it"
                )
            following = Position(epoch, pool + 1) if pool + 1 < pools else Position(epoch + 1)
            for i, examples in enumerate(batches):
                if i >= skip:
                    last = i + 1 == len(batches)
                    yield make_batch(examples, following if last else Position(epoch, pool, i + 1))
            epoch, pool, skip = *following[:2], 0


def prefetch(items: Iterable[T], ahead: int = 8) -> Generator[T, None, None]:
    """The same items, prepared by a thread while the caller works; an error there is raised here.

    Closing the iterator waits for the thread: Python aborts when one is inside a library as the program ends.
    """
    ready: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(ahead)
    stop = threading.Event()

    def hand_over(item: T | None, error: BaseException | None) -> bool:
        while not stop.is_set():
            try:
                ready.put((item, error), timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def fill() -> None:
        try:
            for item in items:
                if not hand_over(item, None):
                    return
            hand_over(None, StopIteration())
        except BaseException as error:
            hand_over(None, error)

    thread = threading.Thread(target=fill, daemon=True)
    thread.start()
    try:
        while True:
            item, error = ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item  # type: ignore[misc]  # no error means there is an item
    finally:
        stop.set()
        thread.join()
