"""The fast engine: the same weights run by CTranslate2, in int8 by default. Nothing here imports torch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import ctranslate2

from translit.decoding.settings import Hypothesis, SearchSettings, max_target_length
from translit.engines.base import MAX_POSITIONS, available_cores
from translit.engines.conversion import converted
from translit.errors import TranslitError
from translit.model_directory import ModelDirectory
from translit.text.tokenizer import Tokenizer

_BATCH_TOKENS = 256  # larger is no faster, and takes memory: 1024 needed 264 MB for 10,000 lines, this 158


class CTranslate2Engine:
    """Sentences in parallel, one core each."""

    name = "ctranslate2"

    def __init__(
        self, directory: ModelDirectory, compute_type: str = "int8", threads: int | None = None
    ) -> None:
        self.compute_type = compute_type
        self.threads = threads or available_cores()
        self._ahead = (
            4 * self.threads
        )  # batches given to CTranslate2 before the first is back; it forgets none
        self._translator = self._load(converted(directory, compute_type), directory)
        self._source = _Pieces(directory.source_tokenizer)
        self._target = _Pieces(directory.target_tokenizer)

    def _load(self, path: Path, directory: ModelDirectory) -> ctranslate2.Translator:
        try:
            return ctranslate2.Translator(
                str(path),
                compute_type=self.compute_type,
                inter_threads=self.threads,
                intra_threads=1,
                max_queued_batches=-1,  # else ``begin`` would wait for a place in the queue
            )
        except (RuntimeError, ValueError) as error:
            raise TranslitError(
                f"{directory.path}: CTranslate2 cannot load the model: {error}; delete {path} and try again"
            ) from None

    def begin(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        prefixes = prefixes or [()] * len(sources)
        batches = _batches(sources, prefixes, settings)
        waiting = [self._submit(batch, sources, prefixes, settings) for batch in batches[: self._ahead]]
        return self._collect(batches, waiting, sources, prefixes, settings)

    def _collect(
        self,
        batches: list[list[int]],
        waiting: list[list[ctranslate2.AsyncTranslationResult]],
        sources: Sequence[Sequence[int]],
        prefixes: Sequence[Sequence[int]],
        settings: SearchSettings,
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        for number, batch in enumerate(batches):
            if len(waiting) < len(batches):
                waiting.append(self._submit(batches[len(waiting)], sources, prefixes, settings))
            for index, answer in zip(batch, waiting[number], strict=True):
                found = answer.result()
                hypotheses = zip(found.hypotheses, found.scores, strict=True)
                yield index, [Hypothesis(self._target.ids(pieces), score, []) for pieces, score in hypotheses]
            waiting[number] = []

    def _submit(
        self,
        batch: list[int],
        sources: Sequence[Sequence[int]],
        prefixes: Sequence[Sequence[int]],
        settings: SearchSettings,
    ) -> list[ctranslate2.AsyncTranslationResult]:
        first = batch[0]
        return self._translator.translate_batch(
            [self._source.pieces(sources[i]) for i in batch],
            [self._target.pieces(prefixes[i]) for i in batch] if prefixes[first] else None,
            asynchronous=True,
            beam_size=settings.beam,
            num_hypotheses=settings.n_best,
            length_penalty=settings.length_penalty,
            no_repeat_ngram_size=settings.no_repeat_ngram,
            suppress_sequences=[[piece] for piece in self._target.pieces(settings.suppress)] or None,
            max_decoding_length=max_target_length(len(sources[first])) + len(prefixes[first]),
            max_input_length=0,
            return_scores=True,
        )

    def begin_scoring(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> Iterator[float]:
        fitting = [i for i, target in enumerate(targets) if len(target) < MAX_POSITIONS]
        answers = self._translator.score_batch(
            [self._source.pieces(sources[i]) for i in fitting],
            [self._target.pieces(targets[i]) for i in fitting],
            max_batch_size=_BATCH_TOKENS,
            batch_type="tokens",
            max_input_length=0,
            asynchronous=True,
        )
        waiting = dict(zip(fitting, answers, strict=True))
        return (
            math.fsum(waiting[i].result().log_probs) if i in waiting else -math.inf
            for i in range(len(targets))
        )

    def translate(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> list[list[Hypothesis]]:
        found = dict(self.begin(sources, settings, prefixes))
        return [found[i] for i in range(len(sources))]

    def describe(self) -> str:
        return f"CTranslate2 {ctranslate2.__version__}, {self.compute_type}, {self.threads} threads"


def _batches(
    sources: Sequence[Sequence[int]], prefixes: Sequence[Sequence[int]], settings: SearchSettings
) -> list[list[int]]:
    """Indices of like lengths, longest first, and of one length limit and one length of prefix in each batch.

    (CTranslate2 knows one limit per call, and treats a batch with prefixes a little differently.)
    """
    room = (settings.batch_tokens or _BATCH_TOKENS) // settings.beam
    order = sorted(range(len(sources)), key=lambda i: (len(prefixes[i]), len(sources[i])), reverse=True)
    batches: list[list[int]] = []
    previous = None
    for index in order:
        key = len(prefixes[index]), max_target_length(len(sources[index]))
        if key != previous or (len(batches[-1]) + 1) * len(sources[batches[-1][0]]) > room:
            batches.append([])
            previous = key
        batches[-1].append(index)
    return batches


class _Pieces:
    """Token ids ↔ pieces, each looked up once (CTranslate2 speaks in pieces)."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._piece: dict[int, str] = {}
        self._id: dict[str, int] = {}

    def pieces(self, ids: Iterable[int]) -> list[str]:
        known = self._piece
        return [known[i] if i in known else self._learn(i) for i in ids]

    def ids(self, pieces: Iterable[str]) -> list[int]:
        known = self._id
        return [known[p] if p in known else self._learn_piece(p) for p in pieces]

    def _learn(self, token: int) -> str:
        self._piece[token] = self._tokenizer.piece(token)
        return self._piece[token]

    def _learn_piece(self, piece: str) -> int:
        (self._id[piece],) = self._tokenizer.ids([piece])
        return self._id[piece]
