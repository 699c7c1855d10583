"""The one faithfulness check: what ``translate`` guards with and what ``evaluate`` counts as error classes.

``check`` looks at an English source and its Chinese translation as strings and names what is surely wrong. It
prefers silence to a false alarm: on human translations it hardly ever speaks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from translit.text.normalize import normalize_source
from translit.text.protect import EMOTICON, find_pairs, find_spans
from translit.text.script import HAN, count_han, has_letters, is_chinese

KINDS = (
    "number", "unit", "url", "email", "placeholder", "tag", "final-punctuation", "half-width", "loop", "stutter",
    "empty", "copy", "too-short", "too-long", "unknown-character", "not-chinese",
)  # fmt: skip


@dataclass(frozen=True)
class Flag:
    """One thing wrong with a translation: ``kind`` is one of ``KINDS``, ``detail`` says what, for people."""

    kind: str
    detail: str


@dataclass(frozen=True)
class _Side:
    """A text, its ``spans`` to copy as counted (kind, span), and the ``rest`` with those blanked out."""

    text: str
    rest: str
    spans: Counter[tuple[str, str]]

    @cached_property
    def words(self) -> list[str]:
        """Words in Latin letters."""
        return _WORD.findall(self.rest)

    @classmethod
    def of(cls, text: str) -> _Side:
        spans = find_spans(text, _SPAN_FLAGS) if _SPAN_HINT.search(text) else []
        if not spans:
            return cls(text, text, Counter())
        rest = list(text)
        for span in spans:
            rest[span.start : span.end] = " " * (span.end - span.start)
        return cls(text, "".join(rest), Counter((_SPAN_FLAGS[s.kind], text[s.start : s.end]) for s in spans))


_SPAN_FLAGS = {
    "url": "url",
    "email": "email",
    "placeholder": "placeholder",
    "code": "placeholder",
    "tag": "tag",
}
# Most sentences hold none of these characters, and looking for them is cheap.
_SPAN_HINT = re.compile(r"[\x1b<{%$@`&]|://|\.[A-Za-z]|mailto:")


def check(source: str, translation: str) -> list[Flag]:
    """What is wrong with the Chinese ``translation`` of the English ``source``; empty if nothing is."""
    if not source.strip():
        return [Flag("too-long", "the source is blank")] if translation.strip() else []
    if not translation.strip():
        return [Flag("empty", "the translation is blank")]
    if translation == source and (is_chinese(source) or not has_letters(source)):
        return []  # nothing to translate
    en, zh = _Side.of(source), _Side.of(translation)
    flags = [*_copied_spans(en, zh), *_unknown_characters(source, translation)]
    flags += [*_stutter(source, translation)] or _loop(source, translation)
    if copied := _copy(en, zh):
        return [*flags, copied]
    flags += _numbers(en.rest, zh.rest)
    flags += _units(en.rest, zh.rest)
    flags += _language(en, zh)
    flags += _final_punctuation(source, translation)
    flags += _half_width(zh.rest)
    flags += _length(en, zh)
    return flags


# ── Spans that must be copied ───────────────────────────────────────────────────────────────────────────────


def _copied_spans(source: _Side, translation: _Side) -> Iterator[Flag]:
    for (kind, span), count in source.spans.items():
        found = translation.spans[kind, span]
        times = min(found, translation.text.count(span))
        # People do name an address twice; a placeholder that comes twice is filled in twice.
        if times < count or (kind in ("placeholder", "tag") and found > source.text.count(span)):
            yield Flag(
                kind, f"{span} is missing" if not times else f"{span}: {count} in the source, {times} here"
            )
    for kind, span in translation.spans.keys() - source.spans.keys():
        if span not in source.text:
            yield Flag(kind, f"{span} is not in the source")
    if any(kind == "tag" for kind, _ in source.spans):
        if not _early_closing(source.text) and (closing := _early_closing(translation.text)):
            yield Flag("tag", f"{closing} stands before its opening")
        for opening in _around_nothing(translation.text) - _around_nothing(source.text):
            yield Flag("tag", f"nothing stands between {opening} and its closing")


def _around_nothing(text: str) -> Counter[str]:
    """The opening tags of pairs in ``text`` with no letter or digit between them."""
    empty: Counter[str] = Counter()
    for opening, closing in find_pairs(text):
        inside = text[opening.end : closing.start]
        for tag in reversed(find_spans(inside, ("tag",))):
            inside = inside[: tag.start] + inside[tag.end :]
        if not any(map(str.isalnum, inside)):
            empty[text[opening.start : opening.end]] += 1
    return empty


def _early_closing(text: str) -> str:
    """The first tag of ``text`` that closes what is not open; "" if there is none."""
    is_open: Counter[str] = Counter()
    for span in find_spans(text, ("tag",)):
        tag = text[span.start : span.end]
        name = tag.strip("</>").split()[0].lower() if tag[0] == "<" else ""
        if tag.startswith("</"):
            if not is_open[name]:
                return tag
            is_open[name] -= 1
        elif name and not tag.endswith("/>"):
            is_open[name] += 1
    return ""


# ── Numbers ─────────────────────────────────────────────────────────────────────────────────────────────────


_DIGIT = re.compile(r"[\d½¼¾⅓⅔]")
_TENS = re.compile(r"(?:twen|thir|for|fif|six|seven|eigh|nine)ty")


def _may_hold_number(source: str) -> bool:
    """Is there a digit in it, or a number word of thirteen or more? (Most sentences need no closer look.)"""
    text = source.lower()
    return (
        any(word in text for word in ("teen", "hundred", "thousand", "illion"))
        or _DIGIT.search(text) is not None
        or ("ty" in text and _TENS.search(text) is not None)
    )


def _numbers(source: str, translation: str) -> Iterator[Flag]:
    if not (_NUMBER.search(translation) or _may_hold_number(source)):
        return
    from translit.text import numbers  # takes 10 ms, and most sentences hold no number

    for number in numbers.lost(source, translation):
        yield Flag("number", f"{number} is missing")
    for number in numbers.invented(source, translation):
        yield Flag("number", f"{number} is not in the source")


# Most sentences hold none of these, and looking for them is cheap.
_UNIT_HINT = re.compile(r"[^\x00-#&-~\xa0]|[$%]|[A-Z]{3}|\d\s?(?:[kc]m|[km]g|lb|m[lmp]|[KkMGT]B)|\dk\b")


def _units(source: str, translation: str) -> Iterator[Flag]:
    if _DIGIT.search(source) and _UNIT_HINT.search(source):
        from translit.text import units  # as the numbers

        for unit in units.lost(source, translation):
            yield Flag("unit", f"{unit} is missing")


# ── Characters ──────────────────────────────────────────────────────────────────────────────────────────────

# The replacement character, SentencePiece's ⁇ and ▁, control and private-use characters, unknown-token marks.
_UNKNOWN = re.compile(r"[\ufffd⁇▁\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff]|<unk>|\[UNK\]")


def _unknown_characters(source: str, translation: str) -> Iterator[Flag]:
    for mark in dict.fromkeys(_UNKNOWN.findall(translation)):
        if mark not in source:
            yield Flag("unknown-character", f"{mark!a} is not in the source")


@cache
def _half_width_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"[{HAN}][\"'”’»」』）)】》]?\s?[,.;:?!](?![\w/=])|(?<![\d\s])[,;:?!]\s?[{HAN}]"
        rf"|[{HAN}]\(|\([{HAN}]|[{HAN}]\)"
    )


def _half_width(translation: str) -> Iterator[Flag]:
    # Good translations hold no such mark, and the pattern takes 4 ms to compile.
    if _ASCII_MARK.search(translation):
        found = dict.fromkeys(
            match[0] for match in _half_width_pattern().finditer(re.sub(EMOTICON, "", translation))
        )
        if found:
            yield Flag("half-width", "half-width punctuation: " + " ".join(list(found)[:3]))


_ASCII_MARK = re.compile(r"[,.;:?!()]")


# ── The end of the sentence ─────────────────────────────────────────────────────────────────────────────────

_ENDS = dict(zip("。．｡？！：；，…⋯", "...?!:;,……", strict=True))
_NAMES = {
    ".": "full stop", "?": "question mark", "!": "exclamation mark", ":": "colon", "…": "ellipsis",
    "": "no mark",
}  # fmt: skip
# What each English ending may become. Chinese often ends an exclamation or an ellipsis with 。
_ALLOWED = {".": ".!…?", "?": "?", "!": "!.", ":": ":", "…": "….?!", "": ""}
# Closing quotes, brackets and Markdown emphasis may follow the mark.
_AFTER_END = " \t\r\n\u00a0\u3000\"'”’»›」』）)】]》〉*_`“‘"
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-z]|etc|Inc|Ltd|Co|Corp|Jr|Sr|St|vs|No|al|approx|Mr|Mrs|Dr|Ph\.D|[ap]\.m)\.)$"
)
_DOUBLED = re.compile(r"(?:。\s*[。.]|\.\s*。|[？?]\s*。|！\s*。|。\s*[！？])$")


def _end(text: str) -> str:
    """The final mark of ``text`` in English form (``.?!:…``), "" for none. Closing quotes may follow it."""
    text = text.rstrip(_AFTER_END)
    if text.endswith(("...", "。。。")):
        return "…"
    last = _ENDS.get(text[-1:], text[-1:])
    if last in "?!" and text[-2:-1] and _ENDS.get(text[-2], text[-2]) == "?":
        return "?"  # ?! asks
    return last if last in _NAMES else ""


def _final_punctuation(source: str, translation: str) -> Iterator[Flag]:
    # What nobody sees may stand behind the mark.
    want, got = _end(source if source.isascii() else normalize_source(source)), _end(translation)
    allowed = _ALLOWED[want]
    if want == "." and _ABBREVIATION.search(source.rstrip(_AFTER_END)):
        return
    if got not in (allowed or [""]) or (allowed and not got):
        yield Flag("final-punctuation", f"{_NAMES[want]} in the source, {_NAMES[got]} here")
    elif _DOUBLED.search(translation.rstrip(_AFTER_END)):
        yield Flag("final-punctuation", "the final mark is doubled")


# ── Loops ───────────────────────────────────────────────────────────────────────────────────────────────────

_REPEAT = re.compile(r"(.{1,24}?)\1{2,}", re.DOTALL)
_WORD_REPEAT = re.compile(r"\b(\w[^.]{0,60}?)(?:\W+\1\b){1,}", re.IGNORECASE)
# How often a unit of so many characters may follow itself: 哈哈哈哈哈, 走啊走啊走啊.
_MOST_REPEATS = {1: 5, 2: 3, 3: 3}


def _loop(source: str, translation: str) -> Iterator[Flag]:
    if len(translation) - len(set(translation)) < 5:  # too few characters have come before
        return
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


# Three times the same character is a word only as a sound (哈哈哈), or where the source says things twice: 好好好.
_STUTTER = re.compile(r"([^\W\d_a-zA-Z])\1\1+")  # a class of Han characters would take 2 ms at every start
_SOUNDS = set("哈呵嘿嘻咯啊呀哎哦噢喔呜嗯哇啦嘘咚叮当砰啪轰汪喵咩哞嘟滴嗡呱叽沙")


def _stutter(source: str, translation: str) -> Iterator[Flag]:
    for match in _STUTTER.finditer(translation):
        times = len(match[0])
        is_word = count_han(match[1]) and match[1] not in _SOUNDS and match[0] not in source
        if is_word and times > _most_repeats(source) + 1:
            yield Flag("stutter", f"{match[1]} {times} times in a row")
            return


def _most_repeats(text: str) -> int:
    repeats = [len(match[0]) // len(match[1]) for match in _REPEAT.finditer(text)]
    repeats += [len(re.findall(re.escape(match[1]), match[0], re.I)) for match in _WORD_REPEAT.finditer(text)]
    return max(repeats, default=1)


def _repeated_share(text: str, n: int = 4) -> float:
    """Which share of the character n-grams of ``text`` occurred before in it; 0 for short texts."""
    grams = [text[index : index + n] for index in range(len(text) - n + 1)]
    return 1 - len(set(grams)) / len(grams) if len(grams) >= 16 else 0.0


# ── Language and length ─────────────────────────────────────────────────────────────────────────────────────

_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:['’-][A-Za-zÀ-ɏ]+)*")


def _copy(source: _Side, translation: _Side) -> Flag | None:
    """An untranslated source: the same letters. Names and acronyms (Tom Hanks, NASA, iPhone) may stay."""
    if not (translation.words and _translatable(source.words)):
        return None
    if _letters(source.text) == _letters(translation.text):
        return Flag("copy", "the translation is the source")
    if longest := _longest_copied_run(source.words, translation.words):
        return Flag("copy", f"untranslated: {longest}")
    return None


def _translatable(words: list[str]) -> bool:
    """Do ``words`` need translating? A word in lower case does, and so do three in a row or a shouted two."""
    lower = any(word[0].islower() and word == word.lower() and len(word) > 1 for word in words)
    return (
        lower
        or len(words) >= 3
        or (len(words) == 2 and all(word.isupper() and len(word) > 3 for word in words))
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _longest_copied_run(words: list[str], translation: list[str], least: int = 6) -> str:
    """A run of ``least`` source words, some in lower case, that stands in the translation unchanged."""
    if len(translation) < least:
        return ""
    flat = " ".join(translation).casefold()
    for start in range(len(words) - least + 1):
        run = words[start : start + least]
        if sum(map(str.islower, run)) >= least - 1 and " ".join(run).casefold() in flat:
            return " ".join(run)
    return ""


def _language(source: _Side, translation: _Side) -> Iterator[Flag]:
    if source.words and not any(map(str.isalnum, translation.rest)):
        yield Flag("empty", "nothing but what is copied")
    if translation.words and not count_han(translation.rest) and _translatable(source.words):
        yield Flag("not-chinese", "no Chinese characters")


def _length(source: _Side, translation: _Side) -> Iterator[Flag]:
    """Length against limits that 3 in 34,000 sound human translations cross (flores, tatoeba, starter).

    A translation has at least half as many characters as the source has words, and in long sentences, where
    chance evens out, three quarters; at most three times as many and ten.
    """
    words, size = _words(source), _size(translation.rest)
    least = min(0.45 + 0.0165 * (words - 5), 0.78)
    if words >= 5 and size < least * words:
        yield Flag("too-short", f"{words} words became {size} characters")
    elif size > 3 * words + 10:
        yield Flag("too-long", f"{words} words became {size} characters")


_NUMBER = re.compile(r"\d+")


def _words(source: _Side) -> int:
    """Words and numbers, where two letters of a script other than Latin count as one word."""
    text = source.rest
    others = sum(char > "ɏ" and char.isalpha() for char in text) if not text.isascii() else 0
    return len(source.words) + len(_NUMBER.findall(text)) + others // 2


def _size(text: str) -> int:
    """Han characters, where a word of another script or a number in between counts as two."""
    others, han = re.subn(_HAN, " ", text)
    between = len(_BETWEEN_HAN.findall(others)) if _BETWEEN_HAN.search(others) else 0
    return han + 2 * between


_HAN = f"[{HAN}〇]"
_BETWEEN_HAN = re.compile(r"[^\W\d_]+|\d+")
