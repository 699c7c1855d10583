"""The fast engine: the same weights run by CTranslate2, in int8 by default. Nothing here imports torch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import ctranslate2

from translit.decoding.settings import Hypothesis, SearchSettings, max_target_length
from translit.engines.base import available_cores
from translit.engines.conversion import converted
from translit.errors import TranslitError
from translit.model_directory import ModelDirectory
from translit.text.tokenizer import Tokenizer

_BATCH_TOKENS = 1024  # larger is hardly faster, and takes memory


class CTranslate2Engine:
    """Sentences in parallel, one core each."""

    name = "ctranslate2"

    def __init__(
        self, directory: ModelDirectory, compute_type: str = "int8", threads: int | None = None
    ) -> None:
        self.compute_type = compute_type
        self.threads = threads or available_cores()
        self._source = _Pieces(directory.source_tokenizer)
        self._target = _Pieces(directory.target_tokenizer)
        self._translator = self._load(converted(directory, compute_type), directory)

    def _load(self, path: Path, directory: ModelDirectory) -> ctranslate2.Translator:
        try:
            return ctranslate2.Translator(
                str(path), compute_type=self.compute_type, inter_threads=self.threads, intra_threads=1
            )
        except (RuntimeError, ValueError) as error:
            raise TranslitError(
                f"{directory.path}: CTranslate2 cannot load the model: {error}; delete {path} and try again"
            ) from None

    def translate(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> list[list[Hypothesis]]:
        prefixes = prefixes or [()] * len(sources)
        # CTranslate2 knows one length limit per call, and treats a batch with prefixes a little differently.
        groups: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, (source, prefix) in enumerate(zip(sources, prefixes, strict=True)):
            groups[max_target_length(len(source)) + len(prefix), len(prefix)].append(index)
        waiting: list[tuple[int, ctranslate2.AsyncTranslationResult]] = []
        for (limit, prefix_length), indices in sorted(groups.items(), reverse=True):
            answers = self._translator.translate_batch(
                [self._source.pieces(sources[i]) for i in indices],
                [self._target.pieces(prefixes[i]) for i in indices] if prefix_length else None,
                max_batch_size=max(1, (settings.batch_tokens or _BATCH_TOKENS) // settings.beam),
                batch_type="tokens",
                asynchronous=True,
                beam_size=settings.beam,
                num_hypotheses=settings.n_best,
                length_penalty=settings.length_penalty,
                no_repeat_ngram_size=settings.no_repeat_ngram,
                max_decoding_length=limit,
                max_input_length=0,
                return_scores=True,
            )
            waiting += zip(indices, answers, strict=True)
        results: list[list[Hypothesis]] = [[] for _ in sources]
        for index, answer in waiting:
            found = answer.result()
            results[index] = [
                Hypothesis(self._target.ids(pieces), score, [])
                for pieces, score in zip(found.hypotheses, found.scores, strict=True)
            ]
        return results

    def describe(self) -> str:
        return f"CTranslate2 {ctranslate2.__version__}, {self.compute_type}, {self.threads} threads"


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
