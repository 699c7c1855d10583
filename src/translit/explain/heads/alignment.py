"""Alignment error rates of the cross-attention heads against alignments made by hand.

Shapes: B sentences a batch, T target tokens, S source tokens, N = layers · heads, W target words, U source
words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from translit.errors import TranslitError
from translit.explain.facts import is_punctuation
from translit.explain.gold import AlignedPair, word_shares
from translit.explain.heads.examples import Example, Progress, batches, encode
from translit.explain.heads.report import Aer
from translit.model.trace import Trace
from translit.model.transformer import Transformer, pad
from translit.model_directory import CONFIG
from translit.text.normalize import normalize_source, normalize_target

if TYPE_CHECKING:
    from translit.model_directory import ModelDirectory


@dataclass(frozen=True)
class Alignment:
    """What came out of the comparison."""

    rates: dict[tuple[int, int], Aer]  # (layer, head) → its rates
    average: Aer  # of the mean of all heads
    diagonal: float  # of the trivial alignment along the diagonal
    sentences: int
    unmatched: int  # sentences without words, or whose annotated words do not spell the text


def alignment_error_rate(found: int, right: int, sure: int) -> float:
    """AER with sure links only: 1 − 2·|A ∩ S| / (|A| + |S|) (Och & Ney 2003). 0 is perfect, 1 all wrong."""
    return 1 - 2 * right / (found + sure) if found + sure else 0.0


class _Links:
    """Counts of links over a corpus; ``right`` for each of N alignments."""

    def __init__(self, size: int) -> None:
        self.found = self.sure = 0
        self.right = [0] * size

    def add(self, best: Tensor, rows: Sequence[int], links: set[tuple[int, int]]) -> None:
        """best (N, W): the source word that each target word was linked to; only target words ``rows`` count."""
        self.found += len(rows)
        self.sure += len(links)
        for n, chosen in enumerate(best.tolist()):
            self.right[n] += sum((chosen[j], j) in links for j in rows)

    def rates(self) -> list[float]:
        return [alignment_error_rate(self.found, right, self.sure) for right in self.right]


@torch.inference_mode()
def alignment_errors(
    model: Transformer, directory: ModelDirectory, aligned: Sequence[AlignedPair], progress: Progress
) -> Alignment:
    """Force the given translation, link each target word to the source word it looks at most, count errors.

    Punctuation is neither linked nor linked to: the annotators aligned words only. Raises TranslitError when no
    sentence can be used.
    """
    examples = encode(directory, [(p.source, p.target) for p in aligned])
    layers, heads = model.config.decoder_layers, model.config.n_heads
    counts = _Counts(layers * heads + 1)  # the last: the mean of all heads
    unmatched = done = 0
    for batch in batches(examples):
        trace = Trace()
        # </s> too is read, so that every token has a row one step later.
        model(pad([examples[i].source for i in batch]), pad([examples[i].target for i in batch]), trace)
        cross = torch.cat([trace[f"decoder.{i}.cross_attention.weights"] for i in range(layers)], 1)
        cross = torch.cat((cross, cross.mean(1, keepdim=True)), 1)  # (B, N, T + 1, S)
        for row, i in enumerate(batch):
            pair, example = aligned[i], examples[i]
            shares = token_shares(directory, pair, example)
            if shares is None:
                unmatched += 1
            else:
                counts.add(cross[row, :, : len(example.target), : len(example.source)], pair, *shares)
        done += len(batch)
        progress("alignment", done, len(aligned))
    if unmatched == len(aligned):  # else every rate would be a perfect 0
        raise TranslitError(
            f"--align: none of the {unmatched} sentences can be used: they are empty, or their words do not spell the "
            "text; check the .tok files"
        )
    *rates, average = counts.rates()
    return Alignment(
        rates={divmod(n, heads): aer for n, aer in enumerate(rates)},
        average=average,
        diagonal=counts.diagonal.rates()[0],
        sentences=len(aligned) - unmatched,
        unmatched=unmatched,
    )


class _Counts:
    """The links of N alignments, counted in each of the ways that ``Aer`` tells."""

    def __init__(self, size: int) -> None:
        self.all, self.annotated, self.after = (_Links(size) for _ in range(3))
        self.diagonal = _Links(1)

    def add(self, weights: Tensor, pair: AlignedPair, to_source: Tensor, to_target: Tensor) -> None:
        """weights (N, T + 1, S) of one pair; to_source (S, U), to_target (T, W)."""
        words = [j for j, word in enumerate(pair.target_words) if not is_punctuation(word)]
        aligned = {j for _, j in pair.links}
        marks = torch.tensor([is_punctuation(word) for word in pair.source_words], dtype=torch.bool)
        T = len(to_target)
        now, later = (
            _best_words(w, to_source, to_target, marks) for w in (weights[:, :T], weights[:, 1 : T + 1])
        )
        self.all.add(now, words, pair.links)
        self.annotated.add(now, [j for j in words if j in aligned], pair.links)
        self.after.add(later, words, pair.links)
        scale = len(pair.source_words) / len(pair.target_words)
        straight = [min(int((j + 0.5) * scale), len(marks) - 1) for j in range(len(pair.target_words))]
        self.diagonal.add(torch.tensor([straight]), words, pair.links)

    def rates(self) -> list[Aer]:
        columns = zip(self.all.rates(), self.annotated.rates(), self.after.rates(), strict=True)
        return [Aer(*rates) for rates in columns]


def token_shares(
    directory: ModelDirectory, pair: AlignedPair, example: Example
) -> tuple[Tensor, Tensor] | None:
    """(S, U) and (T, W): how the model's tokens divide into the annotators' words; None if there are no words, or
    if they do not spell the texts."""
    target_words = _normalized_target_words(pair)
    if not pair.source_words or not target_words:
        return None
    source_pieces = directory.source_tokenizer.pieces(example.source[:-1])
    target_pieces = directory.target_tokenizer.pieces(example.target[1:-1])
    source = word_shares(source_pieces, [normalize_source(w) for w in pair.source_words])
    target = word_shares(target_pieces, target_words)
    if source is None or target is None:
        return None
    return torch.nn.functional.pad(source, (0, 0, 0, 1)), target  # </s> belongs to no word


def _normalized_target_words(pair: AlignedPair) -> list[str] | None:
    """The target words with the typography that the model's text has: cut from it, word length by word length.

    None where that cuts at the wrong places, because a mark has changed its length (... → ……).
    """
    text = normalize_target(pair.target).replace(" ", "")
    words, start = [], 0
    for word in pair.target_words:
        words.append(text[start : start + len(word)])
        start += len(word)
    same = [_letters(word) for word in words] == [_letters(word) for word in pair.target_words]
    return words if same else None


def _letters(word: str) -> str:
    """Without the marks, which typography may change."""
    return "".join(c for c in unicodedata.normalize("NFC", word) if c.isalnum())


def named_aligner(directory: ModelDirectory) -> tuple[int, int] | None:
    """The (layer, head) that the model's config names as its aligner; None if it names none.

    Raises TranslitError when the model has no such head.
    """
    named = directory.info.get("alignment_head")
    if named is None:
        return None
    layers, heads = directory.model.decoder_layers, directory.model.n_heads
    known = [[layer, head] for layer in range(layers) for head in range(heads)]
    if named not in known or any(type(n) is not int for n in named):
        raise TranslitError(
            f"{directory.path / CONFIG}: info.alignment_head is {named!r}, but layers are 0 to {layers - 1} and heads "
            f"0 to {heads - 1}; correct it, or measure it with `translit heads --align FOLDER --save`"
        )
    return named[0], named[1]


def _best_words(weights: Tensor, to_source: Tensor, to_target: Tensor, marks: Tensor) -> Tensor:
    """weights (N, T, S) → (N, W): for each target word the source word with the most attention."""
    between = torch.einsum("tw,nts,su->nwu", to_target, weights, to_source)
    return between.masked_fill(marks, -1.0).argmax(-1)
