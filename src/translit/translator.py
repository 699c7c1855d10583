"""Text in, text out: ``Translator().translate(["I love you"])[0].text == "我爱你"``.

A line is cut into sentences, each sentence goes through the model (see ``translit.sentence``), and the line is put
together again around what was never touched: white space, list marks, emoji, lines without letters, Chinese.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from translit.config import DataConfig
from translit.decoding.settings import Hypothesis, SearchSettings
from translit.engines.base import MAX_SOURCE_TOKENS, Engine
from translit.errors import TranslitError
from translit.insertion import Repair, put_right
from translit.model_directory import ModelDirectory, find_model
from translit.pairs import Tagged
from translit.sentence import (
    Attempt,
    Draft,
    Glossary,
    as_it_is,
    crowded,
    finish,
    first_attempt,
    hides_lost_number,
    inspect,
    lost_kinds,
    needs_model,
    peel,
    repeats_term,
    second_attempt,
    unread,
)
from translit.text.checks import Flag
from translit.text.normalize import normalize_source
from translit.text.script import as_unicode, has_letters, is_chinese
from translit.text.split import Piece, join_zh, split, split_long
from translit.text.tokenizer import EOS

WINDOW = 2048  # lines that ``stream`` sorts by length and translates together
_TERM_PLACES, _PLACES = 24, 6  # where a lost glossary term, and anything else that is lost, is tried
_UNDER_WAY = 3  # so many lists of lines are worked on at the same time

ENGINES = ("auto", "ctranslate2", "torch")
PRECISIONS = ("int8", "float32")


@dataclass(frozen=True)
class Alternative:
    """Another translation that the search found."""

    text: str
    score: float


@dataclass(frozen=True)
class Translation:
    """A translated line."""

    source: str
    text: str
    score: float | None = None  # mean log-probability of a token; None where the model was not asked
    confidence: float | None = None  # 0 to 1; see ``Translator``
    alternatives: tuple[Alternative, ...] = ()  # best first
    flags: tuple[Flag, ...] = ()  # what the check found wrong; empty is good
    seconds: float = 0.0  # its share of the time of the lines translated with it


class Translator:
    """A loaded model. Several threads may use one translator; nothing it does opens a socket.

    Its confidence is the probability that a line is good, where ``translit calibrate --save`` has taught the model to
    tell; without that, it is the geometric mean probability of a token, which only compares lines with each other.

    Args:
        model: a model folder, or the name of a model that came with translit; None is the default model.
        engine: "ctranslate2" (fast), "torch" (the reference), or "auto": the fast one.
        precision: arithmetic of the fast engine, "int8" or "float32".
        beam: translations followed side by side; 1 is greedy search.
        alternatives: how many further translations to return with each line (less than ``beam``).
        length_penalty: above 1 favours longer translations; None is what suits the model.
        check: look for lost numbers, loops, untranslated text …, try once more, and flag what stays wrong.
        glossary: terms and the translation each must get, guaranteed: where the model drops one, it is put where the
            model finds it likeliest (see ``translit.insertion``).
        memory: whole lines or sentences, and the translation each gets without asking the model; the line goes first.
        min_confidence: leave a line untranslated, and flag it, when the model is less sure than this.
        threads: cores to use; None is all that the process may use.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        engine: Literal["auto", "ctranslate2", "torch"] | str = "auto",
        precision: Literal["int8", "float32"] = "int8",
        beam: int = 4,
        alternatives: int = 0,
        length_penalty: float | None = None,
        check: bool = True,
        glossary: Mapping[str, str] | None = None,
        memory: Mapping[str, str] | None = None,
        min_confidence: float = 0.0,
        threads: int | None = None,
    ) -> None:
        if alternatives < 0 or not 0 <= min_confidence <= 1:
            raise TranslitError(
                f"alternatives={alternatives}, min_confidence={min_confidence}: give a count, and a share from 0 to 1"
            )
        self.directory = find_model(model)
        # Some may read alike once they are finished, so all that the search has found are asked for.
        n_best = max(beam, alternatives + 1) if alternatives else 1
        alpha = self.directory.length_penalty if length_penalty is None else length_penalty
        self.settings = SearchSettings(beam=beam, n_best=n_best, length_penalty=alpha)
        self._most_alternatives = alternatives
        self.engine = _load_engine(engine, self.directory, precision, threads)
        self.check = check
        self.min_confidence = min_confidence
        if not all(map(str.strip, glossary or ())):
            raise TranslitError("the glossary has an empty term, which would be everywhere; take it out")
        self._glossary = Glossary(dict(glossary or {}))
        self._memory = {normalize_source(source): target for source, target in (memory or {}).items()}
        self._tokenizer = self.directory.source_tokenizer
        self._detokenizer = self.directory.target_tokenizer
        self._confidence = _confidence(self.directory)
        self._max_tokens = _longest_learnt(self.directory)
        self._from_english = self.directory.source_language == "en"
        self._to_chinese = self.directory.target_language == "zh"

    def translate(self, lines: Iterable[str]) -> list[Translation]:
        """Translate every line; as many come out as went in, in the same order. TypeError for a single string."""
        return list(self.stream(lines))

    def stream(self, lines: Iterable[str], window: int = WINDOW) -> Iterator[Translation]:
        """Translate endless input in bounded memory, in order, ``window`` lines at a time.

        A few windows are read ahead. Their size changes speed, never a translation.
        """
        if isinstance(lines, str):  # it would be translated letter by letter
            raise TypeError("lines is a str; pass a list of lines: translate([text])[0]")
        if window < 1:
            raise ValueError(f"window is {window}; give a number of lines from 1")
        source = iter(lines)
        for translations in self.windows(iter(lambda: list(itertools.islice(source, window)), [])):
            yield from translations

    def windows(self, windows: Iterable[Sequence[str]]) -> Iterator[list[Translation]]:
        """Translate lists of lines, each as a whole, in order.

        The engine never waits: while it works on one list, the one before it is finished, and the next is made ready.
        So lists are read ahead; an empty one asks for all that is under way before another is read.
        """
        under_way: deque[_Window] = deque()
        stopwatch = _Stopwatch()
        for lines in itertools.chain(windows, [[]]):
            if not under_way:
                stopwatch.lap()  # nobody pays for the time spent waiting for input
            new = [_Window(self._translate_window(lines, stopwatch))] if lines else []
            # The new one first: the engine works on it while we look at what it has done for the others.
            for window in (*new, *under_way):
                window.advance(to_the_end=not lines)
            under_way += new
            if len(under_way) > _UNDER_WAY:
                under_way[0].advance(to_the_end=True)
            while under_way and (done := under_way[0].translations) is not None:
                under_way.popleft()
                yield done

    def describe(self) -> dict[str, Any]:
        """What translates: model, languages, engine, search; for logs and reports."""
        return {
            "model": str(self.directory.path),
            "source_language": self.directory.source_language,
            "target_language": self.directory.target_language,
            "engine": self.engine.describe(),
            "beam": self.settings.beam,
            "length_penalty": self.settings.length_penalty,
            "check": self.check,
        }

    # ── Lines ───────────────────────────────────────────────────────────────────────────────────────────────

    def _translate_window(self, lines: Sequence[str], stopwatch: _Stopwatch) -> Work[list[Translation]]:
        plans = [self._plan(line) for line in lines]
        # A sentence that comes twice is translated once.
        sentences = list(dict.fromkeys(s for plan in plans for part in plan for s in part.sentences))
        drafts = yield from self._solve(sentences)
        seconds = stopwatch.lap() / len(lines)
        return [self._assemble(line, plan, drafts, seconds) for line, plan in zip(lines, plans, strict=True)]

    def _plan(self, line: str) -> list[_Part]:
        """The sentences of a line and what stands between them; no sentence where nothing is to be translated."""
        return [part for row in _LINE_BREAK.split(line) for part in self._plan_row(row)]

    def _plan_row(self, row: str) -> list[_Part]:
        if (remembered := self._remembered(row)) is not None:
            return [_Part(remembered)]
        if not self._is_translatable(row):
            return [_Part(row)]
        pieces = split(row, self.directory.source_language) if _MAY_END.search(row) else [Piece(row, "")]
        return [self._part(piece) for piece in pieces]

    def _remembered(self, text: str) -> str | None:
        """What the memory has for ``text``, with the spaces around it; None for nothing."""
        remembered = self._memory.get(normalize_source(text)) if self._memory and text.strip() else None
        if remembered is None:
            return None
        return text[: len(text) - len(text.lstrip())] + remembered + text[len(text.rstrip()) :]

    def _part(self, piece: Piece) -> _Part:
        before, core, after = peel(piece.text)
        if (remembered := self._remembered(core)) is not None:
            return _Part(before + remembered + after, tail=piece.tail)
        if self._to_chinese and after.startswith(")"):
            bracket = before.rindex("(")
            before, after = f"{before[:bracket]}（{before[bracket + 1 :]}", f"）{after[1:]}"
        if not self._is_translatable(core):
            return _Part(piece.text, tail=piece.tail)
        return _Part(before, tuple(split_long(core, self._fits)), after, piece.tail)

    def _is_translatable(self, text: str) -> bool:
        return has_letters(text) and not (self._to_chinese and is_chinese(text))

    def _fits(self, text: str) -> bool:
        return not crowded(text) and (self._is_short(text) or self._is_short(self._first_attempt(text).text))

    def _is_short(self, text: str) -> bool:
        # A token is at least one byte, so a short text needs no counting.
        size = len(text.encode("utf-8", "surrogatepass"))
        return size < self._max_tokens or len(self._encode(text)) <= self._max_tokens

    def _first_attempt(self, sentence: str) -> Attempt:
        return first_attempt(sentence, self._glossary, english=self._from_english)

    def _assemble(
        self, line: str, plan: Sequence[_Part], drafts: Mapping[str, Draft], seconds: float
    ) -> Translation:
        used = [drafts[s] for part in plan for s in part.sentences]
        if not used:
            return Translation(line, self._join(plan, {}), seconds=seconds)
        score = _mean_log_prob(used) if any(d.tokens for d in used) else None
        flags = tuple(flag for d in used for flag in d.flags)
        long = [part for part in plan if len(part.sentences) > 1]
        if long and self.check:
            flags += (
                Flag("split", f"a sentence is too long for the model, cut into {len(long[0].sentences)}"),
            )
        confidence = None if score is None else self._confidence(score)
        text = self._join(plan, drafts)
        if confidence is not None and confidence < self.min_confidence:
            flags += (Flag("low-confidence", f"left untranslated, confidence {confidence:.0%}"),)
            text = line
        return Translation(line, text, score, confidence, self._alternatives(plan, drafts), flags, seconds)

    def _join(self, plan: Sequence[_Part], drafts: Mapping[str, Draft]) -> str:
        texts = [part.before + "".join(drafts[s].text for s in part.sentences) + part.after for part in plan]
        pieces = [Piece(text, part.tail) for text, part in zip(texts, plan, strict=True)]
        if self._to_chinese:
            return join_zh(texts, pieces)
        return "".join(piece.text + piece.tail for piece in pieces)

    def _alternatives(self, plan: Sequence[_Part], drafts: Mapping[str, Draft]) -> tuple[Alternative, ...]:
        """The line with the k-th best translation of every sentence (its best, where it has fewer), for k = 2, 3 …"""
        if not self._most_alternatives:
            return ()
        sentences = [s for part in plan for s in part.sentences]
        found = []
        most = max((len(drafts[s].alternatives) for s in sentences), default=0)
        for k in range(min(most, self._most_alternatives)):
            chosen = {s: (*drafts[s].alternatives[k : k + 1], drafts[s])[0] for s in sentences}
            found.append(
                Alternative(self._join(plan, chosen), _mean_log_prob([chosen[s] for s in sentences]))
            )
        return tuple(sorted(found, key=lambda alternative: -alternative.score))

    # ── Sentences ───────────────────────────────────────────────────────────────────────────────────────────

    def _solve(self, sentences: Sequence[str]) -> Work[dict[str, Draft]]:
        """Translate every sentence; where the check finds fault, try again; insist on what must not be lost.

        Pairs of tags go around the translation of what they were around (see ``translit.pairs``). Where one finds no
        place, it is hidden from the model, tags and translation.
        """
        tagged = {s: found for s in sentences if (found := Tagged.of(s))}
        known: Mapping[str, Draft] = {}
        if tagged:  # its texts hold fewer tags, so there is an end
            texts = dict.fromkeys(text for found in tagged.values() for text in (found.plain, *found.insides))
            known = yield from self._solve(list(texts))
        drafts: dict[str, Draft] = {}
        attempts: dict[str, Attempt] = {}
        for s in sentences:
            insides = [known[inside].text for inside in tagged[s].insides] if s in tagged else []
            if s in tagged and (draft := self._placed(s, tagged[s], known[tagged[s].plain], insides)):
                drafts[s] = draft
            else:
                wholes = tagged[s].wholes(insides) if s in tagged else None
                attempts[s] = first_attempt(s, self._glossary, english=self._from_english, known=wholes)
        first = yield from self._run(attempts)
        first |= yield from self._likelier_as_labels(attempts, first)
        drafts |= first
        tried = {s: (attempts[s], draft) for s, draft in first.items()}
        if self.check:
            again = yield from self._retry(attempts, drafts)
            tried |= {s: tries for s, tries in again.items() if hides_lost_number(tries[0], drafts[s])}
        yield from self._insist(tried, drafts)
        return drafts

    def _likelier_as_labels(
        self, attempts: Mapping[str, Attempt], drafts: Mapping[str, Draft]
    ) -> Work[dict[str, Draft]]:
        """A capital may make a name of a label: “Cancel”, “Date of birth”. Those that are likelier in small letters."""
        small = {
            s: replace(attempt, text=attempt.text[0].lower() + attempt.text[1:])
            for s, attempt in attempts.items()
            if _LABEL.fullmatch(attempt.text)
        }
        others = yield from self._run(small)
        return {
            s: draft for s, draft in others.items() if _mean_log_prob([draft]) > _mean_log_prob([drafts[s]])
        }

    def _placed(self, sentence: str, tagged: Tagged, plain: Draft, insides: Sequence[str]) -> Draft | None:
        """The translation of ``sentence`` without its tags, with them; None if one of them finds no place."""
        text = tagged.placed(plain.text, insides)
        if text is None:
            return None
        flags: tuple[Flag, ...] = ()
        if self.check and self._to_chinese:
            text, flags = inspect(sentence, self._first_attempt(sentence), text)
        others = [(other, tagged.placed(other.text, insides)) for other in plain.alternatives]
        alternatives = tuple(replace(other, text=placed) for other, placed in others if placed is not None)
        return replace(plain, text=text, flags=flags, alternatives=alternatives)

    def _retry(
        self, attempts: Mapping[str, Attempt], drafts: dict[str, Draft]
    ) -> Work[dict[str, tuple[Attempt, Draft]]]:
        """Try flagged sentences once more, and keep the better one. Returns what was tried."""
        again = {
            s: second
            for s, attempt in attempts.items()
            if drafts[s].flags
            and (second := second_attempt(s, attempt, drafts[s].flags, self._glossary))
            and self._is_short(second.text)  # with a long address in sight it may be too long
        }
        second_drafts = yield from self._run(again)
        for s, second_draft in second_drafts.items():
            # A blank one has a single flag, and is the worst of all.
            if second_draft.text.strip() and len(second_draft.flags) < len(drafts[s].flags):
                drafts[s] = second_draft
        return {s: (again[s], draft) for s, draft in second_drafts.items()}

    def _insist(self, tried: Mapping[str, tuple[Attempt, Draft]], drafts: dict[str, Draft]) -> Work[None]:
        """Put what an attempt hides into its translation, where some of it is lost, or a term doubled.

        A glossary term is a promise; anything else is put back only if the result is better by the check.
        """
        promised: dict[str, bool] = {}
        for s, (attempt, _) in tried.items():
            if not attempt.masked.tokens:
                continue
            lost = lost_kinds(attempt, drafts[s].text)
            term = "glossary" in lost or drafts[s].repeats_term
            if term or (lost and self.check):
                promised[s] = term
        if not promised:
            return
        repairs = [
            Repair(
                self._encode(attempt.text),
                attempt.masked.tokens,
                draft.output,
                _TERM_PLACES if is_promised else _PLACES,
            )
            for (attempt, draft), is_promised in zip(
                map(tried.__getitem__, promised), promised.values(), strict=True
            )
        ]
        found = yield from put_right(self.engine, self._detokenizer, repairs, self.settings)
        for (s, is_promised), hypotheses in zip(promised.items(), found, strict=True):
            draft = self._draft(s, tried[s][0], hypotheses)
            if is_promised or len(draft.flags) < len(drafts[s].flags):
                drafts[s] = draft

    def _run(self, attempts: Mapping[str, Attempt]) -> Work[dict[str, Draft]]:
        drafts = {
            s: Draft(as_it_is(s, a, chinese=self._to_chinese), unread(a) if self.check else ())
            for s, a in attempts.items()
            if not needs_model(a)
        }
        groups: dict[int, list[str]] = defaultdict(list)
        for s, attempt in attempts.items():
            if s not in drafts:
                groups[attempt.no_repeat_ngram].append(s)
        answers = [
            (
                members,
                self.engine.begin(
                    [self._encode(attempts[s].text) for s in members],
                    replace(self.settings, no_repeat_ngram=ngram),
                ),
            )
            for ngram, members in groups.items()
        ]
        if answers:
            yield
        for members, answer in answers:
            for index, found in answer:
                s = members[index]
                drafts[s] = self._draft(s, attempts[s], found)
        return drafts

    def _encode(self, text: str) -> list[int]:
        readable = as_unicode(normalize_source(text))
        return [*self._tokenizer.encode(readable)[: MAX_SOURCE_TOKENS - 1], EOS]

    def _draft(self, sentence: str, attempt: Attempt, found: Sequence[Hypothesis]) -> Draft:
        best, *others = found
        output = self._detokenizer.decode(best.ids)
        tokens = len(best.ids) + 1
        text = finish(sentence, attempt, output, chinese=self._to_chinese)
        flags: tuple[Flag, ...] = ()
        if self.check and self._to_chinese:
            text, flags = inspect(sentence, attempt, text)
        return Draft(
            text,
            flags,
            log_prob=best.score * tokens**self.settings.length_penalty,
            tokens=tokens,
            alternatives=self._others(sentence, attempt, others, text) if others else (),
            repeats_term=bool(attempt.masked.tokens) and repeats_term(attempt, output),
            output=output,
        )

    def _others(
        self, sentence: str, attempt: Attempt, others: Sequence[Hypothesis], best: str
    ) -> tuple[Draft, ...]:
        """The other hypotheses, best first, without those that read alike or break the glossary."""
        drafts: dict[str, Draft] = {}
        for other in sorted(others, key=lambda other: other.score, reverse=True):
            output = self._detokenizer.decode(other.ids)
            text = finish(sentence, attempt, output, chinese=self._to_chinese)
            if not ("glossary" in lost_kinds(attempt, text) or repeats_term(attempt, output)):
                tokens = len(other.ids) + 1
                log_prob = other.score * tokens**self.settings.length_penalty
                drafts.setdefault(text, Draft(text, log_prob=log_prob, tokens=tokens))
        drafts.pop(best, None)
        return tuple(drafts.values())


_LABEL = re.compile(r"[A-Z][a-z]+(?: [a-z]+){0,3}")


def _mean_log_prob(drafts: Sequence[Draft]) -> float:
    """Of a token of all ``drafts`` together."""
    return sum(d.log_prob for d in drafts) / sum(d.tokens for d in drafts)


Result = TypeVar("Result")
Work = Generator[
    None, None, Result
]  # yields when it has given the engine something to do; returns the result


class _Window:
    """A list of lines under way."""

    def __init__(self, work: Work[list[Translation]]) -> None:
        self._work = work
        self.translations: list[Translation] | None = None  # when all is done

    def advance(self, *, to_the_end: bool) -> None:
        """Take what the engine has done, and give it the next thing to do."""
        try:
            while self.translations is None:
                next(self._work)
                if not to_the_end:
                    return
        except StopIteration as done:
            self.translations = done.value


class _Stopwatch:
    def __init__(self) -> None:
        self._last = time.perf_counter()

    def lap(self) -> float:
        """Seconds since the last call."""
        last, self._last = self._last, time.perf_counter()
        return self._last - last


@dataclass(frozen=True)
class _Part:
    """A piece of a line: sentences to translate, and what stands around them and stays."""

    before: str
    sentences: tuple[str, ...] = ()  # several where one sentence was too long for the model
    after: str = ""
    tail: str = field(default="")  # white space behind it


# Where Python's str.splitlines would break: a line that comes in must not go out as two.
# A tab ends a cell, which is a text of its own.
_LINE_BREAK = re.compile("(\r\n|[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])")
_MAY_END = re.compile(r"[.!?…。！？][\"'”’)\]]*\s+\S")


def _confidence(directory: ModelDirectory) -> Callable[[float], float]:
    """Mean log-probability of a token → confidence."""
    if "confidence" in directory.info:
        from translit.evaluation.calibration import Confidence

        if (learnt := Confidence.of(directory)) is not None:
            return learnt
    return lambda score: math.exp(min(score, 0.0))


def _longest_learnt(directory: ModelDirectory) -> int:
    """Tokens of the longest sentence the model saw in training; beyond it, it would guess."""
    data = directory.info.get("data")
    longest = data.get("max_tokens") if isinstance(data, dict) else None
    # One less than the engines take, so that what ``_encode`` cuts off is seen to be too long.
    return min(longest if isinstance(longest, int) else DataConfig.max_tokens, MAX_SOURCE_TOKENS - 1)


def _load_engine(name: str, directory: ModelDirectory, precision: str, threads: int | None) -> Engine:
    if name not in ENGINES:
        raise TranslitError(f"engine {name!r} does not exist; choose one of {', '.join(ENGINES)}")
    if precision not in PRECISIONS:
        raise TranslitError(f"precision {precision!r} does not exist; choose one of {', '.join(PRECISIONS)}")
    if threads is not None and threads < 1:
        raise TranslitError(f"threads is {threads}; give a number from 1, or None for all cores")
    if name == "torch":
        from translit.engines.torch_engine import TorchEngine

        if threads is not None:
            import torch

            torch.set_num_threads(threads)
        return TorchEngine(directory)
    from translit.engines.ctranslate2_engine import CTranslate2Engine

    return CTranslate2Engine(directory, precision, threads)
