"""Greedy and beam search over a Transformer with cached keys and values.

The beam search takes the same decisions as CTranslate2 (``src/decoding.cc``), so that both engines agree:

* every step looks at the best 2·beam continuations of a sentence; at most ``beam`` of them can be an end, so
  ``beam`` others survive;
* an ended continuation becomes a hypothesis if it is among the best ``beam`` of its step;
* a sentence is done when it has ``beam`` hypotheses (without length penalty: when the best continuation has
  ended), or when it has reached its length limit, where its best ``beam`` continuations become hypotheses;
* hypotheses compete by log-probability / length^α, where ``</s>`` counts in both;
* a translation has at least one token: ``</s>`` is forbidden as the very first.

Shapes: R sentences still running, b beams each, t tokens written, V target tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from translit.decoding.processors import LogitsProcessor, ban, no_repeat_ngram
from translit.decoding.settings import Hypothesis, SearchSettings, max_target_length
from translit.model.attention import KeysValues
from translit.model.transformer import Memory, Transformer, pad
from translit.text.tokenizer import BOS, EOS, PAD

__all__ = ["BeamStep", "Candidate", "Hypothesis", "SearchSettings", "max_target_length", "search"]

_BATCH_TOKENS = 8192  # of a batch, see ``SearchSettings.batch_tokens``
_ENCODED = 1024  # source tokens that go through the encoder together; more is not faster
_IDLE = 8  # a greedy batch is packed anew when one row in so many has finished
_NEVER = -1e10  # CTranslate2's score of a candidate that must not win


@dataclass(frozen=True)
class Candidate:
    """One of the 2·beam best continuations of a step."""

    parent: int  # which beam of the step before it continues
    token: int
    log_prob: float  # of this token
    score: float  # log-probability of everything so far
    fate: Literal["kept", "ended", "dropped"]
    beam: int | None  # its place among the beams of the next step, if kept
    final_score: float | None  # score / length^α, if ended


@dataclass(frozen=True)
class BeamStep:
    """What an observer of the search is told: one step of one sentence."""

    sentence: int  # index in ``sources``
    step: int  # tokens written before this one, the forced prefix included
    candidates: list[Candidate]  # from best to worst
    done: bool  # the search of this sentence ends here


def search(
    model: Transformer,
    sources: Sequence[Sequence[int]],
    settings: SearchSettings = SearchSettings(),  # noqa: B008 — frozen
    prefixes: Sequence[Sequence[int]] | None = None,
    *,
    processors: Sequence[LogitsProcessor] = (),
    observer: Callable[[BeamStep], None] | None = None,
) -> list[list[Hypothesis]]:
    """Translate token ids; for each source the best ``settings.n_best`` hypotheses, best first.

    Args:
        sources: token ids, each ending in ``</s>``.
        prefixes: target tokens that each translation must begin with. They are part of ``Hypothesis.ids`` and
            count as certain (log-probability 0).
        processors: rules that forbid tokens, see ``decoding.processors``.
        observer: called with every step of every sentence; costs nothing when None.

    Sentences are sorted by length and batched here; the result has the order of ``sources`` and does not
    depend on who shares a batch with whom (scores: within 1e-5).
    """
    rules = list(processors)
    if settings.no_repeat_ngram:
        rules.append(no_repeat_ngram(settings.no_repeat_ngram))
    if settings.suppress:
        rules.append(ban(settings.suppress))
    prefixes = prefixes or [()] * len(sources)
    results: list[list[Hypothesis]] = [[] for _ in sources]
    with torch.inference_mode(), _evaluating(model):
        for batch in _batches(sources, prefixes, settings):
            start = _start(model, batch, sources, prefixes)
            if settings.beam == 1 and observer is None:
                found = _greedy(model, start, settings, rules)
            else:
                found = _beam(model, start, settings, rules, observer)
            for index, hypotheses in zip(batch, found, strict=True):
                results[index] = hypotheses
    return results


@contextmanager
def _evaluating(model: Transformer) -> Iterator[None]:
    """Dropout off, and back as it was."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


def _batches(
    sources: Sequence[Sequence[int]], prefixes: Sequence[Sequence[int]], settings: SearchSettings
) -> Iterator[list[int]]:
    """Indices of sentences of like length and equal prefix length, longest first, within the token budget."""
    order = sorted(range(len(sources)), key=lambda i: (len(prefixes[i]), len(sources[i])), reverse=True)
    batch: list[int] = []
    for index in order:
        if batch:
            cost = (len(batch) + 1) * settings.beam * len(sources[batch[0]])
            if cost > (settings.batch_tokens or _BATCH_TOKENS) or len(prefixes[index]) != len(
                prefixes[batch[0]]
            ):
                yield batch
                batch = []
        batch.append(index)
    if batch:
        yield batch


@dataclass
class _Rows:
    """The sentences of a batch still being translated; n = R in greedy search, R·b in beam search."""

    sentences: list[int]  # (R) index in ``sources``
    slots: list[int]  # (R) index in the batch
    limits: list[int]  # (R) how many target tokens each may have
    memory: Memory  # of R rows
    ids: Tensor  # (n, t) written so far, without <s>
    log_probs: Tensor  # (n, t)
    fed: Tensor  # (n, new) the tokens the decoder has not seen yet
    prefix: int = 0  # how many of the t were forced
    past: list[KeysValues] | None = None
    scores: Tensor = field(default_factory=lambda: torch.zeros(0))  # (R, b) sums of log-probabilities

    def __len__(self) -> int:
        return len(self.sentences)


def _start(
    model: Transformer,
    batch: list[int],
    sources: Sequence[Sequence[int]],
    prefixes: Sequence[Sequence[int]],
) -> _Rows:
    device = model.output.weight.device
    prefix = torch.tensor([list(prefixes[i]) for i in batch], dtype=torch.long, device=device)  # (R, P)
    return _Rows(
        sentences=batch,
        slots=list(range(len(batch))),
        limits=[max_target_length(len(sources[i])) + len(prefixes[i]) for i in batch],
        memory=_encode(model, [list(sources[i]) for i in batch]),
        ids=prefix,
        log_probs=torch.zeros(prefix.shape, device=device),
        fed=F.pad(prefix, (1, 0), value=BOS),  # (R, 1 + P)
        prefix=prefix.size(1),
        scores=torch.zeros(len(batch), 1, device=device),
    )


def _encode(model: Transformer, sources: list[list[int]]) -> Memory:
    """Encode ``sources``, longest first, in groups of like length: padding costs as much as words do."""
    device = model.output.weight.device
    parts, group = [], [sources[0]]
    for source in sources[1:]:
        tokens = len(group) * len(group[0])
        if tokens > _ENCODED or (tokens > _ENCODED // 4 and len(source) < 0.9 * len(group[0])):
            parts.append(model.encode(pad(group, device)))
            group = []
        group.append(source)
    return Memory.join([*parts, model.encode(pad(group, device))])


def _next_logits(model: Transformer, rows: _Rows, rules: Sequence[LogitsProcessor]) -> Tensor:
    """Run the decoder on the tokens it has not seen: scores of each next token (n, V)."""
    states, rows.past = model.decode(rows.fed, rows.memory, rows.past)
    logits = model.logits(states[:, -1]).float()
    if not rows.ids.size(1):
        logits[:, EOS] = -math.inf
    for rule in rules:
        logits = rule(logits, rows.ids)
    return logits


# ── Greedy ──────────────────────────────────────────────────────────────────────────────────────────────────


def _greedy(
    model: Transformer, rows: _Rows, settings: SearchSettings, rules: Sequence[LogitsProcessor]
) -> list[list[Hypothesis]]:
    """Take the most probable token, always."""
    found: list[list[Hypothesis]] = [[] for _ in rows.sentences]
    active = list(range(len(rows)))  # those that go on; the others idle, because packing costs time, too
    while active:
        log_prob, token = _next_logits(model, rows, rules).log_softmax(dim=1).max(dim=1)  # (R), (R)
        rows.ids = torch.cat((rows.ids, token[:, None]), dim=1)
        rows.log_probs = torch.cat((rows.log_probs, log_prob[:, None]), dim=1)
        rows.fed = token[:, None]
        length = rows.ids.size(1)
        tokens = token.tolist()
        for row in [r for r in active if tokens[r] == EOS or length >= rows.limits[r]]:
            ids, log_probs = rows.ids[row].tolist(), rows.log_probs[row].tolist()
            found[rows.slots[row]].append(_hypothesis(ids, log_probs, sum(log_probs), settings))
            active.remove(row)
        if len(active) <= len(rows) - max(1, len(rows) // _IDLE):
            _keep(rows, active)
            active = list(range(len(rows)))
    return found


def _keep(rows: _Rows, kept: list[int]) -> None:
    """Drop the finished sentences from a greedy batch."""
    index = torch.tensor(kept, dtype=torch.long, device=rows.ids.device)
    _keep_sentences(rows, kept)
    _reorder(rows, index)
    rows.memory = rows.memory.select(index)
    rows.fed = rows.fed[index]


# ── Beam ────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class _Step:
    """The 2b best continuations of each of R sentences, from best to worst, and what becomes of them."""

    scores: Tensor  # (R, 2b) sums of log-probabilities
    origins: Tensor  # (R, 2b) which beam each continues
    tokens: Tensor  # (R, 2b)
    log_probs: Tensor  # (R, 2b) of the tokens
    complete: Tensor  # (R, b) which of the first b become hypotheses
    survivors: Tensor  # (R, b) which of the 2b go on
    last: list[bool]  # (R) has the sentence reached its length limit?


def _beam(
    model: Transformer,
    rows: _Rows,
    settings: SearchSettings,
    rules: Sequence[LogitsProcessor],
    observer: Callable[[BeamStep], None] | None,
) -> list[list[Hypothesis]]:
    """Follow the ``beam`` best beginnings of every sentence side by side."""
    found: list[list[Hypothesis]] = [[] for _ in rows.sentences]
    top_ended = [False] * len(rows)  # has the best continuation of a sentence ever been an end?
    while len(rows):
        step = _step(_next_logits(model, rows, rules), rows, settings.beam)
        fresh = _hypotheses(rows, step, settings)
        done = []
        for row, slot in enumerate(rows.slots):
            found[slot] += fresh[row]
            top_ended[slot] |= bool(fresh[row]) and bool(step.complete[row, 0])
            done.append(step.last[row] or _enough(found[slot], top_ended[slot], settings))
            if observer is not None:
                observer(_observed(rows, step, row, fresh[row], done[row]))
        _advance(rows, [row for row, end in enumerate(done) if not end], step)
    return [sorted(h, key=lambda x: x.score, reverse=True)[: settings.n_best] for h in found]


def _step(logits: Tensor, rows: _Rows, beam: int) -> _Step:
    """Choose among all continuations; ``logits`` (R·b, V), at the first step (R, V)."""
    scores, origins, tokens = _best(logits, rows, 2 * beam)
    if rows.prefix and rows.ids.size(1) == rows.prefix:
        scores, tokens = _distrust_early_ends(scores, tokens)
    ends = tokens == EOS  # (R, 2b)
    last = [rows.ids.size(1) + 1 >= limit for limit in rows.limits]
    at_limit = torch.tensor(last, device=tokens.device)[:, None]  # (R, 1)
    return _Step(
        scores=scores,
        origins=origins,
        tokens=tokens,
        log_probs=scores - rows.scores.gather(1, origins),
        complete=((ends | at_limit) & (scores > _NEVER))[:, :beam],
        # Stable: the survivors stay in the order of their scores.
        survivors=ends.int().argsort(dim=1, stable=True)[:, :beam],
        last=last,
    )


def _best(logits: Tensor, rows: _Rows, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """The ``count`` best continuations of every sentence: total scores, which beam they continue, token."""
    # The best of each beam, (n, 2b): no others can win.
    best = logits.log_softmax(dim=1).topk(min(count, logits.size(1)), dim=1)
    totals = (rows.scores.view(-1, 1) + best.values).view(
        len(rows), -1
    )  # (R, b·2b), at the first step (R, 2b)
    scores, places = totals.topk(min(count, totals.size(1)), dim=1)  # (R, 2b)
    tokens = best.indices.view(len(rows), -1).gather(1, places)
    origins = places // best.indices.size(1)
    if (missing := count - scores.size(1)) > 0:  # a vocabulary smaller than the beam
        scores = F.pad(scores, (0, missing), value=_NEVER)
        origins, tokens = F.pad(origins, (0, missing)), F.pad(tokens, (0, missing), value=PAD)
    return scores, origins, tokens


def _distrust_early_ends(scores: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Right after a forced prefix only the best continuation may be an end (CTranslate2 issue 277)."""
    early = tokens == EOS
    early[:, 0] = False
    return scores.masked_fill(early, _NEVER), tokens.masked_fill(early, PAD)


def _hypotheses(rows: _Rows, step: _Step, settings: SearchSettings) -> list[list[Hypothesis]]:
    """What each of the R sentences has finished in this step."""
    beams = rows.scores.size(1)
    fresh: list[list[Hypothesis]] = [[] for _ in range(len(rows))]
    for row, k in step.complete.nonzero().tolist():
        parent = row * beams + int(step.origins[row, k])
        ids = [*rows.ids[parent].tolist(), int(step.tokens[row, k])]
        log_probs = [*rows.log_probs[parent].tolist(), float(step.log_probs[row, k])]
        fresh[row].append(_hypothesis(ids, log_probs, float(step.scores[row, k]), settings))
    return fresh


def _enough(found: list[Hypothesis], top_ended: bool, settings: SearchSettings) -> bool:
    if settings.length_penalty == 0:  # then nothing later can beat a best continuation that has ended
        return top_ended and len(found) >= settings.n_best
    return len(found) >= settings.beam


def _advance(rows: _Rows, kept: list[int], step: _Step) -> None:
    """Let the survivors of the ``kept`` sentences take their places as the beams of the next step."""
    beams = rows.scores.size(1)  # 1 at the first step, when all beams of a sentence are still the same
    index = torch.tensor(kept, dtype=torch.long, device=step.tokens.device)  # (R')
    survivors = step.survivors[index]  # (R', b)
    origins, tokens, scores, log_probs = (
        x[index].gather(1, survivors) for x in (step.origins, step.tokens, step.scores, step.log_probs)
    )
    parents = (index[:, None] * beams + origins).flatten()  # (R'·b)
    if len(kept) < len(rows):
        rows.memory = rows.memory.select(index)
    _keep_sentences(rows, kept)
    _reorder(rows, parents)
    rows.fed = tokens.view(-1, 1)
    rows.ids = torch.cat((rows.ids, rows.fed), dim=1)
    rows.log_probs = torch.cat((rows.log_probs, log_probs.view(-1, 1)), dim=1)
    rows.scores = scores


def _observed(rows: _Rows, step: _Step, row: int, fresh: list[Hypothesis], done: bool) -> BeamStep:
    """The step of one sentence as plain numbers."""
    places = {} if done else {k: beam for beam, k in enumerate(step.survivors[row].tolist())}
    complete = step.complete[row].tolist() + [False] * step.complete.size(1)
    ended = iter(fresh)
    columns = zip(
        step.origins[row].tolist(),
        step.tokens[row].tolist(),
        step.log_probs[row].tolist(),
        step.scores[row].tolist(),
        strict=True,
    )
    candidates = [
        Candidate(
            *values,
            fate="ended" if complete[k] else "kept" if k in places else "dropped",
            beam=places.get(k),
            final_score=next(ended).score if complete[k] else None,
        )
        for k, values in enumerate(columns)
    ]
    return BeamStep(rows.sentences[row], rows.ids.size(1), candidates, done)


# ── Both ────────────────────────────────────────────────────────────────────────────────────────────────────


def _keep_sentences(rows: _Rows, kept: list[int]) -> None:
    rows.sentences = [rows.sentences[r] for r in kept]
    rows.slots = [rows.slots[r] for r in kept]
    rows.limits = [rows.limits[r] for r in kept]


def _reorder(rows: _Rows, parents: Tensor) -> None:
    """Row i continues what row ``parents[i]`` has written."""
    assert rows.past is not None
    rows.past = [(k.index_select(0, parents), v.index_select(0, parents)) for k, v in rows.past]
    rows.ids = rows.ids.index_select(0, parents)
    rows.log_probs = rows.log_probs.index_select(0, parents)


def _hypothesis(ids: list[int], log_probs: list[float], score: float, settings: SearchSettings) -> Hypothesis:
    score /= len(ids) ** settings.length_penalty
    return Hypothesis(ids[:-1] if ids[-1] == EOS else ids, score, log_probs)
