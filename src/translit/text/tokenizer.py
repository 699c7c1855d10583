"""SentencePiece tokenizers: one for the source, one for the target, both without SentencePiece's own normalisation.

The target side treats every Han character as one token (``我 爱 你``), so that the steps of a translation are
characters; Latin letters become subwords, digits stay single, and anything unseen falls back to bytes, so any
normalised text survives ``decode(encode(text))`` unchanged (but for ▁ in a source, SentencePiece's mark of a space).
"""

from __future__ import annotations

import io
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece as spm

from translit.errors import TranslitError
from translit.text.script import HAN

PAD, UNK, BOS, EOS = 0, 1, 2, 3
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
PLACEHOLDERS = tuple(f"{{{i}}}" for i in range(10))  # "{0}" … "{9}": one token each, easy to copy

_SPACE_MARK = "▁"  # what SentencePiece writes for a space
_DELIMITER = "\t"
_SINGLE = re.compile(f"([{HAN}\u3000-\u303f\uff00-\uffef“”‘’…—·])")


class Tokenizer:
    """A trained SentencePiece model: text ↔ token ids ↔ pieces (the tokens as strings)."""

    def __init__(self, model: bytes) -> None:
        self.model = model
        self._sp = spm.SentencePieceProcessor(model_proto=model)
        self._space_mark_bytes = [self._sp.PieceToId(f"<0x{b:02X}>") for b in _SPACE_MARK.encode()]

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """Read a ``.spm`` file. Raises TranslitError when it is missing or damaged."""
        try:
            model = path.read_bytes()
            if not model:  # SentencePiece would take it, and fail at the first word
                raise RuntimeError
            return cls(model)
        except (OSError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not a SentencePiece model"
            raise TranslitError(f"{path}: cannot read the tokenizer: {reason}; restore the file") from None

    def __len__(self) -> int:
        return int(self._sp.GetPieceSize())

    def encode(self, text: str) -> list[int]:
        """Token ids of ``text``, without ``<s>`` or ``</s>``."""
        if _SPACE_MARK not in text:
            return list(self._sp.EncodeAsIds(text))
        # A literal ▁ would come back as a space: spell it in bytes.
        ids: list[int] = []
        for i, part in enumerate(text.split(_SPACE_MARK)):
            if i:
                ids += self._space_mark_bytes
            ids += self._sp.EncodeAsIds(part)
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``; special tokens write nothing."""
        return str(self._sp.DecodeIds([i for i in ids if i > EOS]))

    def piece(self, token: int) -> str:
        """The token as SentencePiece spells it, for example ``▁love`` or ``<0xF0>``."""
        return str(self._sp.IdToPiece(token))

    def pieces(self, ids: Iterable[int]) -> list[str]:
        return [self.piece(i) for i in ids]

    def ids(self, pieces: Iterable[str]) -> list[int]:
        return [int(self._sp.PieceToId(piece)) for piece in pieces]

    @property
    def vocabulary(self) -> list[str]:
        """Every piece, in the order of the ids."""
        return self.pieces(range(len(self)))


def train_tokenizer(
    sentences: Iterable[str],
    vocab_size: int,
    *,
    characters: bool = False,
    max_sentences: int = 2_000_000,
    seed: int = 1,
) -> Tokenizer:
    """Train a SentencePiece unigram model on normalised text.

    ``characters`` keeps each Han character (and each full-width mark) a token of its own, by telling SentencePiece
    never to learn a piece across it. When the corpus is too small for ``vocab_size``, the vocabulary is smaller.
    """
    lines = _sample(sentences, max_sentences, seed)
    if not lines:
        raise TranslitError("tokenizer: no text to learn from; give a corpus with at least one line")
    delimiter = _DELIMITER if characters else ""
    if characters:
        lines = [_SINGLE.sub(f"{_DELIMITER}\\1{_DELIMITER}", line) for line in lines]
    model = io.BytesIO()
    try:
        spm.SentencePieceTrainer.Train(
            sentence_iterator=iter(lines),
            model_writer=model,
            model_type="unigram",
            vocab_size=vocab_size,
            hard_vocab_limit=False,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            # The target must not begin with a "▁" step; a source word is the same token at the start as inside.
            add_dummy_prefix=not characters,
            byte_fallback=True,
            split_digits=True,
            character_coverage=_coverage(lines, vocab_size),
            required_chars=_SPACE_MARK,  # a corpus without a single space must still learn to write one
            pretokenization_delimiter=delimiter,
            user_defined_symbols=list(PLACEHOLDERS),
            pad_id=PAD,
            unk_id=UNK,
            bos_id=BOS,
            eos_id=EOS,
            pad_piece=SPECIAL[PAD],
            num_threads=2,
            minloglevel=2,
            max_sentence_length=16384,
        )
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1]
        raise TranslitError(
            f"tokenizer: SentencePiece could not learn {vocab_size} pieces: {reason}"
        ) from None
    return Tokenizer(model.getvalue())


def _coverage(lines: list[str], vocab_size: int) -> float:
    """The share of the text whose characters become tokens; the rest is spelt in bytes.

    Nearly all of it, but never more different characters than two thirds of what the vocabulary has room for.
    """
    counts = Counter(c for line in lines for c in line)
    room = max(1, (vocab_size - 256) * 2 // 3)
    covered = sum(n for _, n in counts.most_common(room)) / counts.total()
    return min(0.9998, covered)


def _sample(sentences: Iterable[str], limit: int, seed: int) -> list[str]:
    """At most ``limit`` non-empty lines, each equally likely (reservoir sampling, Vitter 1985)."""
    kept: list[str] = []
    rng = random.Random(seed)
    for n, line in enumerate(s for s in sentences if s.strip()):
        if n < limit:
            kept.append(line)
        elif (slot := rng.randrange(n + 1)) < limit:
            kept[slot] = line
    return kept
