"""One sentence on its way through the model: how it is shown to it, and how the answer becomes Chinese text.

The first attempt hides what must be copied (addresses, placeholders, emoji, glossary terms) behind ``{0}``, ``{1}``
…, which the model has learnt to copy. When the check finds something wrong with the answer, a second attempt shows
the sentence differently; the better answer wins. Where a glossary term, an address or a placeholder is still
missing then, it is put into the first translation (``translit.insertion``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from translit.text.checks import Flag, check
from translit.text.normalize import normalize_source, normalize_target
from translit.text.protect import Masked, Span, find_pairs, find_spans, find_tokens, mask, unmask
from translit.text.tokenizer import PLACEHOLDERS


@dataclass(frozen=True)
class Attempt:
    """One way of showing a sentence to the model."""

    text: str  # what the model reads
    masked: Masked  # what is hidden in it
    required: tuple[str, ...] = ()  # what the translation must hold in these very letters
    no_repeat_ngram: int = 0


@dataclass(frozen=True)
class Draft:
    """A finished translation of one sentence, and what the check says about it."""

    text: str
    flags: tuple[Flag, ...] = ()
    log_prob: float = 0.0  # of all its tokens together
    tokens: int = 0
    alternatives: tuple[Draft, ...] = ()  # best first, the winner not among them
    repeats_term: bool = False  # the model has written the placeholder of a glossary term twice
    output: str = ""  # as the model wrote it, with its placeholders


class Glossary:
    """Terms and the translations they must get: ``{"gradient": "梯度"}``. Whole words, capitals do not matter."""

    def __init__(self, terms: dict[str, str]) -> None:
        self._terms = {self._key(term): target for term, target in terms.items()}
        # As written, too: folding turns Straße into strasse, which the pattern would not find in a text.
        longest_first = sorted({*terms, *self._terms}, key=len, reverse=True)
        words = (r"\s+".join(map(re.escape, term.split())) for term in longest_first)
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE) if terms else None

    def find(self, text: str) -> list[Span]:
        if self._pattern is None:
            return []
        found = (m for m in self._pattern.finditer(text) if self._key(m[0]) in self._terms)
        return [Span(m.start(), m.end(), "glossary") for m in found]

    def target(self, term: str) -> str:
        return self._terms[self._key(term)]

    @staticmethod
    def _key(term: str) -> str:
        return " ".join(term.casefold().split())


# ── Edges: what stands around a sentence and never needs translating ────────────────────────────────────────

_LIST_MARK = re.compile(
    r"[\s\ufeff]*(?:\(?\d{1,3}[.)]|[-*•‣·–—>#]+)\s+|(?:[\s\ufeff]|&(?:nbsp|#160|#xa0);)+", re.IGNORECASE
)
_SPACES = ("&nbsp;", "&#160;", "&#xa0;")
_BRACKETED = re.compile(r"(?:\((?=[^()]*\)$)|\[(?=[^\[\]]*\]$))\s*")
_EMOTICON_HINT = r"[:;=]['’]?-?[()DPp/|*](?!\w)|<3|\^"
_MAY_HOLD_EMOJI = re.compile(rf"[^\x00-\u2000]|\ufe0f|[\xa9\xae]|{_EMOTICON_HINT}")


def peel(text: str) -> tuple[str, str, str]:
    """``text`` as (before, core, after): list marks, emoji, spaces, tags, brackets around all; and what is between."""
    mark = _LIST_MARK.match(text)
    start, end = (mark.end() if mark else 0), len(text.rstrip())
    while text[max(0, end - 6) : end].lower() in _SPACES:
        end = len(text[: end - 6].rstrip())
    if _MAY_HOLD_EMOJI.search(text):
        spans = [(span.start, span.end) for span in find_spans(text, ("emoji",))]
        for first, last in spans:
            if not text[start:first].strip() and first >= start:
                start = last
        for first, last in reversed(spans):
            if not text[last:end].strip() and first >= start:
                end = first
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end = start + len(text[start:end].rstrip())
    if ">" in text:
        start, end = _without_tags_around(text, start, end)
    if bracket := _BRACKETED.match(text[start:end]):
        start, end = start + bracket.end(), start + len(text[start : end - 1].rstrip())
    return (text[:start], text[start:end], text[end:]) if start < end else ("", text, "")


def _without_tags_around(text: str, start: int, end: int) -> tuple[int, int]:
    """``start`` and ``end`` moved past tags that close, or open, what is not inside: ``<p>One.``, ``<p>One.</p>``."""
    tags = [span for span in find_spans(text, ("tag",)) if text[span.start] == "<"]
    other = {half.start: pair[1 - side] for pair in find_pairs(text) for side, half in enumerate(pair)}
    while tags and tags[0].start == start:
        closing = other.get(start)
        if closing is not None and closing.end != end:
            break
        start = tags.pop(0).end
        if closing is not None:
            end = tags.pop().start
            end = start + len(text[start:end].rstrip())
        start += len(text[start:end]) - len(text[start:end].lstrip())
    while tags and tags[-1].end == end and end > start and tags[-1].start not in other:
        end = start + len(text[start : tags.pop().start].rstrip())
    return start, end


# ── Attempts ────────────────────────────────────────────────────────────────────────────────────────────────

_COPIED = (
    "code", "tag", "url", "email", "placeholder", "path", "emoji", "handle", "hashtag", "scientific", "formula",
    "symbol",
)  # fmt: skip
_OF_ENGLISH = (*_COPIED, "foreign")  # a model that reads English cannot read the latter
_INSISTED = (  # a lost emoji is only flagged
    "glossary", "code", "tag", "url", "email", "placeholder", "path", "number", "version", "amount",
    "scientific", "formula", "symbol",
)  # fmt: skip
_MAY_HOLD_SPANS = re.compile(
    rf"[^\x00-\u024f]|\x1b|[<{{%$@`&/\\#_\xa9\xae]|\.\w|mailto:|\d[eE][-+\d]|10\^|[=>²³¹§¶±µ]"
    rf"|\|\||\d['′’] ?\d|\dHz|\d [kMGT]?Hz|,\d\d?€|\(\)|\+\+|(?:^|\s)-|\.[A-Z]|\S{{50}}|{_EMOTICON_HINT}"
)
_DIGITS = re.compile(r"(?:\d+ )?(?<![\d/])\d{1,2}/\d{1,2}(?![\d/])|\d(?:[\d.,:]*\d)?")


def first_attempt(
    sentence: str, glossary: Glossary, *, english: bool, known: Mapping[tuple[int, int], str] | None = None
) -> Attempt:
    """``english`` says that the model reads English: it gets no word of another script.

    ``known`` are pieces of the sentence with their translations: hidden, too.
    """
    known = known or {}
    spans = [*(Span(start, end, "tag") for start, end in known), *glossary.find(sentence)]
    if _MAY_HOLD_SPANS.search(sentence):
        spans += find_spans(sentence, _OF_ENGLISH if english else _COPIED)
    attempt = _attempt(sentence, spans, glossary, known)
    if _is_shouted(sentence):  # a model has seen few capitals, and they mean nothing in Chinese
        attempt = replace(attempt, text=attempt.text.capitalize())
    return replace(attempt, required=attempt.masked.originals) if spans else attempt


def crowded(sentence: str) -> bool:
    """Is there more to hide than the model has placeholders for?"""
    most = len(PLACEHOLDERS)
    return len(_MAY_HOLD_SPANS.findall(sentence)) > most and len(find_spans(sentence, _COPIED)) > most


def _is_shouted(sentence: str) -> bool:
    """Several words, all in capitals; a single one is more likely a name, such as NASA."""
    return sentence.isupper() and len(sentence.split()) > 1


def as_it_is(sentence: str, attempt: Attempt, *, chinese: bool) -> str:
    """The text of an attempt that needs no model, glossary terms translated; as ``finish`` if there are some."""
    if any(span.kind in _CHINESE_SPANS for span in attempt.masked.spans):
        return finish(sentence, attempt, attempt.text, chinese=chinese)
    return unmask(attempt.text, attempt.masked)[0]


def unread(attempt: Attempt) -> tuple[Flag, ...]:
    """What to say of an attempt that needs no model: there may be text in it that people read."""
    foreign = any(span.kind == "foreign" for span in attempt.masked.spans)
    return (*([Flag("copy", "not English, left as it is")] if foreign else []), *_inner_text(attempt))


# {count, plural, one {# message} other {# messages}}
_CHOICE = re.compile(r"\{(\w+),\s*(plural|select|selectordinal)\s*,")


def _inner_text(attempt: Attempt) -> list[Flag]:
    choices = [match for original in attempt.masked.originals if (match := _CHOICE.match(original))]
    return [Flag("inner-text", f"the texts in {{{m[1]}, {m[2]} …}} are left as they are") for m in choices]


_WORD = re.compile(r"[^\W\d_]{2}|\bI\b|[^\W\d_A-Za-z²³¹⁰-₎]")  # one letter may be a word in other scripts
_FORMULA = re.compile(r"[=<>+*/^|~]")


def needs_model(attempt: Attempt) -> bool:
    """False when no word is left: nothing but hidden spans, digits, marks, one letter, or a formula as ``x = y``."""
    text = attempt.text
    for token in attempt.masked.tokens:
        text = text.replace(token, "")
    if _WORD.search(text):
        return True
    return sum(map(str.isalpha, text)) > 1 and not _FORMULA.search(text)


def second_attempt(
    sentence: str, first: Attempt, flags: Sequence[Flag], glossary: Glossary
) -> Attempt | None:
    """Another way of showing ``sentence`` that may mend what ``flags`` say; None when there is none."""
    kinds = {flag.kind for flag in flags}
    again = first
    if kinds & {"lost", "url", "email", "placeholder", "tag"}:
        hidden = bool(first.masked.spans)
        again = _attempt(sentence, [] if hidden else find_spans(sentence), glossary)
    elif kinds & {"number", "unit"}:
        more = [Span(*place, "amount") for place in _amounts(sentence, in_words="number" in kinds)]
        if "number" in kinds:
            more += find_spans(sentence, ("version", "number"))  # 555-1234 is one
            more += [Span(*match.span(), "number") for match in _DIGITS.finditer(sentence)]
        known = {
            (span.start, span.end): original
            for span, original in zip(first.masked.spans, first.masked.originals, strict=True)
        }
        again = _attempt(sentence, [*first.masked.spans, *more], glossary, known)
    again = replace(again, required=first.required)
    if "stutter" in kinds:
        again = replace(again, no_repeat_ngram=2)  # 天天天 repeats nothing longer than 天天
    elif "loop" in kinds or "too-long" in kinds:
        again = replace(again, no_repeat_ngram=3)
    if kinds & {"copy", "not-chinese", "too-short", "empty"}:
        again = replace(again, text=_differently(again))
    return again if again != first else None


def _attempt(
    sentence: str,
    spans: Sequence[Span],
    glossary: Glossary,
    known: Mapping[tuple[int, int], str] | None = None,
) -> Attempt:
    if not spans:
        return Attempt(sentence, Masked(sentence, (), (), ()))
    chosen: list[Span] = []
    # Earlier in the list wins: glossary terms before other spans.
    for span in spans:
        if all(span.end <= other.start or span.start >= other.end for other in chosen):
            chosen.append(span)
    masked = mask(sentence, sorted(chosen, key=lambda span: span.start))
    targets = tuple(
        (known or {}).get((span.start, span.end)) or _chinese(span, original, sentence, glossary)
        for span, original in zip(masked.spans, masked.originals, strict=True)
    )
    return Attempt(masked.text, replace(masked, originals=targets))


def _chinese(span: Span, original: str, sentence: str, glossary: Glossary) -> str:
    """What a hidden ``span`` is to be in the translation."""
    if span.kind == "glossary":
        return glossary.target(original)
    if span.kind == "amount":
        return _amounts(sentence)[span.start, span.end]
    if span.kind == "emoji" and original[0] in ":;=<^" and span.start:
        return f" {original}"  # beside a word it would be punctuation
    return original


def _amounts(sentence: str, *, in_words: bool = True) -> dict[tuple[int, int], str]:
    """Where amounts stand, those with a unit first, and how Chinese writes them; ``in_words``: also "6 million"."""
    from translit.text import numbers, units  # loaded by the check, too, where there are numbers

    found = units.amounts(sentence) + (numbers.amounts(sentence) if in_words else [])
    return {(start, end): chinese for start, end, chinese in found}


def _differently(attempt: Attempt) -> str:
    """The same words for a model that stumbled over their dress: no capitals, or the other ending."""
    text = attempt.text
    if text.isupper():
        return text.capitalize()
    return text.rstrip(" .") if text.rstrip().endswith(".") else text.rstrip() + "."


# ── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def finish(sentence: str, attempt: Attempt, output: str, *, chinese: bool) -> str:
    """The model's ``output`` as text; ``chinese`` says that the target is Chinese and gets its typography."""
    text = _CONTROL.sub(" ", output)
    if not chinese:
        return unmask(text, attempt.masked)[0].strip()
    if not (attempt.masked.tokens or "{" in text or "｛" in text):  # nothing hidden, nothing invented
        return match_end(sentence, _with_minus(sentence, normalize_target(text)))
    # Terms and amounts are Chinese, which has a say in the punctuation around; the rest is not to be touched by it.
    written = tuple(
        original.translate(_BRACES) if span.kind in _CHINESE_SPANS else token
        for span, original, token in zip(
            attempt.masked.spans, attempt.masked.originals, attempt.masked.tokens, strict=True
        )
    )
    text, _ = unmask(text, replace(attempt.masked, originals=written))
    text = normalize_target(text)
    for token, original in zip(attempt.masked.tokens, attempt.masked.originals, strict=True):
        if original.startswith(" "):  # it brings its own
            text = text.replace(f" {token}", token)
    text, _ = unmask(text, attempt.masked)
    return match_end(sentence, _with_minus(sentence, text.translate(_BRACES_BACK)))


_NEGATIVE = re.compile(r"(?<![\w)\]}%°-])[-\u2212](\d[\d.,]*)", re.ASCII)


def _with_minus(source: str, text: str) -> str:
    """``text`` with the minus of a number of ``source`` at the number: 是-5 °C, not 是 - 5 °C."""
    for number in dict.fromkeys(_NEGATIVE.findall(source)):
        number = re.escape(number.rstrip(".,"))
        apart = rf"(?:(?<=[^\x00-\u2e7f]) )?(?<![A-Za-z0-9)])(?<![A-Za-z0-9)] )[-\u2212] ?(?={number}(?!\d))"
        text = re.sub(apart, "-", text)
    return text


_CHINESE_SPANS = ("glossary", "amount")
# A term may hold {0} itself, which is not the placeholder of another span.
_BRACES = str.maketrans("{}", "\ue0f0\ue0f1")
_BRACES_BACK = str.maketrans("\ue0f0\ue0f1", "{}")


def inspect(sentence: str, attempt: Attempt, text: str) -> tuple[str, tuple[Flag, ...]]:
    """``text`` with a slip in a number mended, and what is wrong with it.

    A lost span that the check has named is named once.
    """
    flags = check(sentence, text)
    if any(flag.kind == "number" for flag in flags):
        from translit.text.numbers import mended  # loaded by the check, too, where there are numbers

        text = mended(sentence, text)
        flags = check(sentence, text)
    for span in dict.fromkeys(attempt.required):
        wanted, got = attempt.required.count(span), text.count(span)
        if got < wanted and not any(span in flag.detail for flag in flags):
            flags.append(Flag("lost", f"{span} is missing" if not got else f"{span}: {got} of {wanted} came"))
    return text, (*flags, *_inner_text(attempt))


def repeats_term(attempt: Attempt, output: str) -> bool:
    """Does the model's ``output`` hold the placeholder of a glossary term more than once?"""
    found = [index for _, _, index in find_tokens(output, attempt.masked.tokens)]
    return any(attempt.masked.spans[i].kind == "glossary" and found.count(i) > 1 for i in found)


def hides_lost_number(attempt: Attempt, draft: Draft) -> bool:
    """Is a number or its unit wrong in ``draft``, and does ``attempt`` hide numbers from the model?"""
    hidden = any(span.kind in ("number", "version", "amount") for span in attempt.masked.spans)
    return hidden and any(flag.kind in ("number", "unit") for flag in draft.flags)


def lost_kinds(attempt: Attempt, text: str) -> set[str]:
    """The kinds of what ``attempt`` hides, ``text`` lacks, and a translation must not lose."""
    originals = attempt.masked.originals
    return {
        span.kind
        for span, original in zip(attempt.masked.spans, originals, strict=True)
        if span.kind in _INSISTED and text.count(original) < originals.count(original)
    }


_MARKS, _AFTER = ".!?:;,。！？：；，", "\"'”’»)]）」』*_`"
_CHINESE = {".": "。", "!": "！", "?": "？", ":": "：", ";": "；", ",": "，", "…": "……"}
_ENGLISH = {chinese[0]: mark for mark, chinese in _CHINESE.items()}


def match_end(source: str, translation: str) -> str:
    """``translation`` with the final mark that ``source`` has: ``I love you!`` never becomes ``我爱你。``

    A full stop may also have become ！, ？ or ……, which some sentences need.
    """
    # What nobody sees may stand behind the mark.
    want = _end(source if source.isascii() else normalize_source(source))[2]
    start, end, got = _end(translation)
    if want == got or (want == "." and got in ("!", "?", "…")):
        return translation
    body = translation[:start]
    return body + _CHINESE.get(want, "") + translation[end:] if body.strip() else translation


def _end(text: str) -> tuple[int, int, str]:
    """Where the final marks of ``text`` start and end, and the last of them in its English form, "" for none."""
    end = len(text)
    while end and (text[end - 1] in _AFTER or text[end - 1].isspace()):
        end -= 1
    inner = text[:end]
    start = len(inner.rstrip("…" if inner.endswith("…") else _MARKS))
    marks = inner[start:]
    if marks.startswith(("...", "…")):
        return start, end, "…"
    if marks.endswith(("?!", "？！")):
        return start, end, "?"
    return start, end, _ENGLISH.get(marks[-1:], marks[-1:])
