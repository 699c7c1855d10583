"""Questions put to the model about a record: what if a layer were the last, what if a word were missing.

Each runs the model again, always with the same written tokens (teacher forcing), so that steps can be
compared. Shapes: S source tokens, T steps, V target vocabulary, d = d_model, W target words, U source words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from translit.explain.facts import SEPARATORS, Candidate, candidate, spearman, top
from translit.explain.record import Record
from translit.explain.words import Word
from translit.model.transformer import Memory, Transformer, pad
from translit.text.tokenizer import BOS, EOS, Tokenizer

NOTICEABLE = 0.05  # nats: a smaller fall (5 % of the probability) is no need
_BATCH_TOKENS = 8192  # rows × (source + target) of one batch of occlusions


@dataclass(frozen=True)
class LensCell:
    """What would be written at one step if one layer had the last word."""

    candidates: list[Candidate]  # the most probable, best first
    chosen: Candidate  # the token that was really written


@dataclass(frozen=True)
class LensRow:
    """One layer of the lens; layer 0 is the embedding, before any layer."""

    layer: int
    cells: list[LensCell]  # T
    text: str | None  # encoder lens: the whole translation, written freely


@torch.inference_mode()
def decoder_lens(model: Transformer, record: Record, k: int, vocabulary: Sequence[str]) -> list[LensRow]:
    """Logit lens (nostalgebraist 2020): the output layer applied to what leaves every decoder layer.

    The last row is the model's real output.
    """
    states = [record.trace["target_embedding.output"][0], *record.states("decoder")]
    log_probs = [model.logits(model.decoder_norm(x)).double().log_softmax(-1) for x in states]  # (T, V) each
    return [LensRow(i, _cells(x, record, k, vocabulary), None) for i, x in enumerate(log_probs)]


@torch.inference_mode()
def encoder_lens(model: Transformer, record: Record, k: int, tokenizer: Tokenizer) -> list[LensRow]:
    """DecoderLens (Langedijk et al. 2024): the whole decoder reads encoder layer i instead of the last one.

    Two answers a layer: the probabilities at the steps of the real translation, and a translation written
    freely. The last row's probabilities are the model's real output; its text is greedy, so it may differ from
    what a beam found.
    """
    states = [record.trace["source_embedding.output"][0], *record.states("encoder")]
    memory = _memory_of_layers(model, states)
    target = torch.tensor([[BOS, *record.target_ids[:-1]]]).expand(len(states), -1)  # (layers, T)
    decoded, _ = model.decode(target, memory)
    log_probs = model.logits(decoded).double().log_softmax(-1)  # (layers, T, V)
    limit = 2 * len(record.target_ids) + 8
    texts = [tokenizer.decode(ids) for ids in _write_freely(model, memory, limit)]
    vocabulary = tokenizer.vocabulary
    return [
        LensRow(i, _cells(x, record, k, vocabulary), text)
        for i, (x, text) in enumerate(zip(log_probs, texts, strict=True))
    ]


def _memory_of_layers(model: Transformer, states: Sequence[Tensor]) -> Memory:
    """Every layer's output as if it were the encoder's last, one row each."""
    stacked = model.encoder_norm(torch.stack(list(states)))  # (layers, S, d)
    everywhere = torch.ones(len(states), 1, 1, stacked.size(1), dtype=torch.bool)
    return model.remember(stacked, everywhere)


def _write_freely(model: Transformer, memory: Memory, limit: int) -> list[list[int]]:
    """Greedy decoding of every row of ``memory``, at most ``limit`` tokens each; until all have ended."""
    rows = memory.states.size(0)
    token, past, written = torch.full((rows, 1), BOS), None, []
    ended = torch.zeros(rows, 1, dtype=torch.bool)
    for _ in range(limit):
        states, past = model.decode(token, memory, past)
        token = model.logits(states).argmax(-1)  # (rows, 1)
        written.append(token)
        ended |= token == EOS
        if ended.all():
            break
    ids = torch.cat(written, dim=1).tolist()
    return [row[: row.index(EOS)] if EOS in row else row for row in ids]


def _cells(log_probs: Tensor, record: Record, k: int, vocabulary: Sequence[str]) -> list[LensCell]:
    return [
        LensCell(top(row, k, vocabulary), candidate(row, token, vocabulary))
        for row, token in zip(log_probs, record.target_ids, strict=True)
    ]


# ── Occlusion ───────────────────────────────────────────────────────────────────────────────────────────────


@torch.inference_mode()
def occlusion(model: Transformer, record: Record, words: Sequence[Word]) -> Tensor:
    """How much each source word mattered: (T, U) drop in log-probability (nats) of each written token without
    it.

    The word's tokens are taken out of the source; the written tokens stay. ``</s>`` is never taken out: its
    column is 0. Positive: the word supported the token; negative: it spoke against it.
    """
    real = [u for u, word in enumerate(words) if word.text not in SEPARATORS]
    without = [[i for n, i in enumerate(record.source_ids) if n not in words[u].tokens] for u in real]
    target = torch.tensor([BOS, *record.target_ids[:-1]])  # (T,)
    written = torch.tensor(record.target_ids)[:, None]  # (T, 1)
    full = record.chosen_log_probs()  # (T,)
    delta = torch.zeros(len(record.target_ids), len(words), dtype=torch.float64)
    size = max(1, _BATCH_TOKENS // (len(record.source_ids) + len(target)))
    for start in range(0, len(real), size):
        source = pad(without[start : start + size])  # (B, S)
        log_probs = model(source, target.expand(len(source), -1)).double().log_softmax(-1)  # (B, T, V)
        given = log_probs.gather(-1, written.expand(len(source), -1, -1)).squeeze(-1)  # (B, T)
        delta[:, real[start : start + size]] = (full - given).T
    return delta


@dataclass(frozen=True)
class Agreement:
    """Do the words that were looked at most also matter most?"""

    same_top: float  # share of target words where attention and occlusion name the same source word
    words: int  # target words compared: those that need some source word
    spearman: float | None  # rank correlation over all pairs of a target and a source word, −1 to 1


def agreement(attention: Tensor, effect: Tensor, queries: Sequence[Word], keys: Sequence[Word]) -> Agreement:
    """Compare ``attention`` with occlusion's ``effect``, both (W, U) between words, without separators.

    A word that needs no single source word has no favourite to compare, but counts in the rank correlation.
    """
    rows = [w for w, word in enumerate(queries) if word.text not in SEPARATORS]
    columns = [u for u, word in enumerate(keys) if word.text not in SEPARATORS]
    if not rows or not columns:
        return Agreement(0.0, 0, None)
    a, b = attention[rows][:, columns], effect[rows][:, columns]
    in_need = b.amax(-1) >= NOTICEABLE
    words = int(in_need.sum())
    same = int((a.argmax(-1) == b.argmax(-1))[in_need].sum())
    return Agreement(same / max(words, 1), words, spearman(a, b))
