"""The one faithfulness check: what ``translate`` guards with and what ``evaluate`` counts as error classes.

``check`` looks at an English source and its Chinese translation as strings and names what is surely wrong. It prefers
silence to a false alarm: on human translations it hardly ever speaks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from translit.text import numbers
from translit.text.protect import find_spans
from translit.text.script import HAN, count_han

KINDS = (
    "number", "url", "email", "placeholder", "tag", "final-punctuation", "half-width", "loop", "empty", "copy",
    "too-short", "too-long", "unknown-character", "not-chinese",
)  # fmt: skip


@dataclass(frozen=True)
class Flag:
    """One thing wrong with a translation: ``kind`` is one of ``KINDS``, ``detail`` says what, for people."""

    kind: str
    detail: str


def check(source: str, translation: str) -> list[Flag]:
    """What is wrong with ``translation`` (Chinese) as a translation of ``source`` (English); empty if nothing is."""
    if not source.strip():
        return [Flag("too-long", "the source is blank")] if translation.strip() else []
    if not translation.strip():
        return [Flag("empty", "the translation is blank")]
    flags = [*_copied_spans(source, translation), *_unknown_characters(source, translation)]
    flags += _loop(source, translation)
    if copied := _copy(source, translation):
        return [*flags, copied]
    text, target = _without_spans(source), _without_spans(translation)
    flags += _numbers(text, target)
    flags += _language(text, target)
    flags += _final_punctuation(source, translation)
    flags += _half_width(translation)
    flags += _length(text, target)
    return flags


# ── Spans that must be copied ───────────────────────────────────────────────────────────────────────────────────────

_SPAN_FLAGS = {"url": "url", "email": "email", "placeholder": "placeholder", "code": "placeholder", "tag": "tag"}


def _spans(text: str) -> Counter[tuple[str, str]]:
    return Counter(
        (_SPAN_FLAGS[span.kind], text[span.start : span.end]) for span in find_spans(text, _SPAN_FLAGS)
    )


def _copied_spans(source: str, translation: str) -> Iterator[Flag]:
    wanted, found = _spans(source), _spans(translation)
    for (kind, span), count in wanted.items():
        if (times := min(found[kind, span], translation.count(span))) < count:
            yield Flag(kind, f"{span} is missing" if not times else f"{span}: {count} in the source, {times} here")
    for kind, span in found.keys() - wanted.keys():
        if span not in source:
            yield Flag(kind, f"{span} is not in the source")


def _without_spans(text: str) -> str:
    """``text`` with every span that is compared letter by letter blanked out."""
    chars = list(text)
    for span in find_spans(text, _SPAN_FLAGS):
        chars[span.start : span.end] = " " * (span.end - span.start)
    return "".join(chars)


# ── Numbers ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _numbers(source: str, translation: str) -> Iterator[Flag]:
    for number in numbers.lost(source, translation):
        yield Flag("number", f"{number} is missing")
    for number in numbers.invented(source, translation):
        yield Flag("number", f"{number} is not in the source")


# ── Characters ──────────────────────────────────────────────────────────────────────────────────────────────────────

# The replacement character, SentencePiece's ⁇ and ▁, control and private-use characters; unknown-token marks.
_UNKNOWN = re.compile(r"[\ufffd⁇▁\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff]|<unk>|\[UNK\]")


def _unknown_characters(source: str, translation: str) -> Iterator[Flag]:
    for mark in dict.fromkeys(_UNKNOWN.findall(translation)):
        if mark not in source:
            yield Flag("unknown-character", f"{mark!a} is not in the source")


_HALF_WIDTH = re.compile(rf"[{HAN}][\"'”’»」』）)】》]?\s?[,.;:?!](?![\w/])|(?<![\d\s])[,;:?!]\s?[{HAN}]|[{HAN}]\s?\(|\([{HAN}]|[{HAN}]\)")


def _half_width(translation: str) -> Iterator[Flag]:
    found = list(dict.fromkeys(match[0] for match in _HALF_WIDTH.finditer(_without_spans(translation))))
    if found:
        yield Flag("half-width", "half-width punctuation: " + " ".join(found[:3]))


# ── The end of the sentence ─────────────────────────────────────────────────────────────────────────────────────────

_ENDS = {"。": ".", "．": ".", "｡": ".", "？": "?", "！": "!", "：": ":", "；": ";", "，": ",", "…": "…", "⋯": "…"}
_NAMES = {".": "full stop", "?": "question mark", "!": "exclamation mark", ":": "colon", "…": "ellipsis", "": "no mark"}
# What each English ending may become. Chinese often ends an exclamation or an ellipsis with 。
_ALLOWED = {".": ".!…?", "?": "?", "!": "!.", ":": ":", "…": "….?!", "": ""}
# Closing quotes, brackets and Markdown emphasis may follow the mark.
_AFTER_END = " \t\r\n\u00a0\u3000\"'”’»›」』）)】]》〉*_`“‘"
_ABBREVIATION = re.compile(r"(?:\b(?:[A-Za-z]|etc|Inc|Ltd|Co|Corp|Jr|Sr|St|vs|No|al|approx|Mr|Mrs|Dr|Ph\.D|[ap]\.m)\.)$")
_DOUBLED = re.compile(r"(?:。\s*[。.]|\.\s*。|[？?]\s*。|！\s*。|。\s*[！？])$")


def _end(text: str) -> str:
    """The final mark of ``text`` in its English form (``.?!:…``), "" for none; closing quotes and brackets may follow it."""
    text = text.rstrip(_AFTER_END)
    if text.endswith(("...", "。。。")):
        return "…"
    last = _ENDS.get(text[-1:], text[-1:])
    if last in "?!" and text[-2:-1] and _ENDS.get(text[-2], text[-2]) == "?":
        return "?"  # ?! asks
    return last if last in _NAMES else ""


def _final_punctuation(source: str, translation: str) -> Iterator[Flag]:
    want, got = _end(source), _end(translation)
    allowed = _ALLOWED[want]
    if want == "." and _ABBREVIATION.search(source.rstrip(_AFTER_END)):
        return
    if got not in (allowed or [""]) or (allowed and not got):
        yield Flag("final-punctuation", f"{_NAMES[want]} in the source, {_NAMES[got]} here")
    elif _DOUBLED.search(translation.rstrip(_AFTER_END)):
        yield Flag("final-punctuation", "the final mark is doubled")


# ── Loops ───────────────────────────────────────────────────────────────────────────────────────────────────────────

_REPEAT = re.compile(r"(.{1,24}?)\1{2,}", re.DOTALL)
_WORD_REPEAT = re.compile(r"\b(\w[^.]{0,60}?)(?:\W+\1\b){1,}", re.IGNORECASE)
# How often a unit of so many characters may follow itself: 哈哈哈哈哈, 走啊走啊走啊.
_MOST_REPEATS = {1: 5, 2: 3, 3: 3}


def _loop(source: str, translation: str) -> Iterator[Flag]:
    source_repeats = None
    for match in _REPEAT.finditer(translation):
        unit = match[1]
        times = len(match[0]) // len(unit)
        if times <= _MOST_REPEATS.get(len(unit), 2) or not any(map(str.isalnum, unit)) or unit.isdigit():
            continue
        if source_repeats is None:
            source_repeats = _most_repeats(source)
        if times > source_repeats + 1:
            yield Flag("loop", f"{unit.strip()} {times} times in a row")
            return
    if (share := _repeated_share(translation)) > 0.5 and share > _repeated_share(source) + 0.25:
        yield Flag("loop", f"{share:.0%} of the translation repeats itself")


def _most_repeats(text: str) -> int:
    repeats = [len(match[0]) // len(match[1]) for match in _REPEAT.finditer(text)]
    repeats += [len(re.findall(re.escape(match[1]), match[0], re.I)) for match in _WORD_REPEAT.finditer(text)]
    return max(repeats, default=1)


def _repeated_share(text: str, n: int = 4) -> float:
    """Which share of the character n-grams of ``text`` occurred before in it; 0 for short texts."""
    grams = [text[index : index + n] for index in range(len(text) - n + 1)]
    return 1 - len(set(grams)) / len(grams) if len(grams) >= 16 else 0.0


# ── Language and length ─────────────────────────────────────────────────────────────────────────────────────────────

_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")


def _copy(source: str, translation: str) -> Flag | None:
    """An untranslated source: the same letters. Names and acronyms (Tom Hanks, NASA, iPhone) may stay."""
    words = _WORD.findall(_without_spans(source))
    if not _translatable(words):
        return None
    if _letters(source) == _letters(translation):
        return Flag("copy", "the translation is the source")
    if longest := _longest_copied_run(words, translation):
        return Flag("copy", f"untranslated: {longest}")
    return None


def _translatable(words: list[str]) -> bool:
    """Do ``words`` need translating? A word in lower case does, and so do three words in a row or a shouted two."""
    lower = any(word[0].islower() and word == word.lower() and len(word) > 1 for word in words)
    return lower or len(words) >= 3 or (len(words) == 2 and all(word.isupper() and len(word) > 3 for word in words))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _longest_copied_run(words: list[str], translation: str, least: int = 5) -> str:
    """A run of ``least`` source words, some in lower case, that stands in the translation unchanged."""
    if len(_WORD.findall(translation)) < least:
        return ""
    flat = " ".join(_WORD.findall(translation)).casefold()
    for start in range(len(words) - least + 1):
        run = words[start : start + least]
        if sum(word.islower() for word in run) >= 3 and " ".join(run).casefold() in flat:
            return " ".join(run)
    return ""


def _language(source: str, translation: str) -> Iterator[Flag]:
    if not count_han(translation) and _WORD.search(translation) and _translatable(_WORD.findall(source)):
        yield Flag("not-chinese", "no Chinese characters")


def _length(source: str, translation: str) -> Iterator[Flag]:
    """Length in comparable units against limits that hold for 99.9 % of human translations."""
    words, size = len(_WORD.findall(source)), _size(translation)
    if words >= 5 and size < 0.45 * words - 1:
        yield Flag("too-short", f"{words} words became {size} characters")
    elif size > 4.5 * words + 14:
        yield Flag("too-long", f"{words} words became {size} characters")


def _size(text: str) -> int:
    """Han characters, where a word or a number in between counts as two."""
    return count_han(text) + 2 * len(re.findall(r"[^\W\d_]+", re.sub(f"[{HAN}]", " ", text))) + 2 * len(re.findall(r"\d+", text))
