"""Spans that a translation must copy: addresses, placeholders, markup, paths, code, formulas, emoji, odd numbers …

``find_spans`` finds them, ``mask`` puts a short token in the place of each, and ``unmask`` puts them back and
proves that each came back exactly once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Span:
    """``text[start:end]`` must be copied; ``kind`` is one of ``KINDS``, or "foreign"."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class Masked:
    """A text whose spans are hidden: ``tokens[i]`` stands for ``originals[i]``, cut out at ``spans[i]``."""

    text: str
    spans: tuple[Span, ...]
    tokens: tuple[str, ...]
    originals: tuple[str, ...]


_TLD = "com|org|net|edu|gov|int|io|dev|app|ai|co|info|me|tv|cn|uk|de|fr|jp|kr|ru|eu|us|ca|au|in|br"
_EXTENSION = (
    "py|js|ts|jsx|tsx|json|ya?ml|toml|ini|cfg|conf|txt|md|rst|csv|tsv|xml|html?|css|sh|bat|exe|dll|so|zip|tar|gz|log|"
    "c|h|cpp|hpp|rs|go|java|rb|php|sql|png|jpe?g|gif|svg|pdf|docx?|xlsx?|pptx?|mp3|mp4|wav|po|srt|vtt|lock|env"
)
# Colours, cursor, character sets; titles and links (ECMA-48).
_ESCAPE = r"\x1b\[[0-?]*[\ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)"
_EMOJI = "\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u231a\u231b\u2328\u23cf-\u23fa\u2139\u3030\u303d"

EMOTICON = r"(?<![^\s>])(?:[:;]['’]?-?[()DPp/|*]|=-?[()D]|<3|\^_*\^)(?![^\s.,!?<)，。！？；：、）])"  # :-) ;) =D <3 ^_^

# Signs that the model's vocabulary may lack: §, ™, arrows, mathematics, boxes, shapes.
_SYMBOLS = "§¶†‡•©®±\u2100-\u214f\u2190-\u21ff\u2200-\u23ff\u2460-\u25ff\u27c0-\u27ff\u2900-\u2bff"

# Letters of other scripts than Latin, from Greek to Han.
_NOT_LATIN = (
    "\u0370-\u1dff\u2e80-\u2fff\u3005-\u3007\u3041-\u31ff\u3400-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc"
    "\U00010000-\U0001d3ff\U00020000-\U0003347f"
)

_NO_ATTRIBUTE = r"(?:and|or|but|not|is|are|then|than|the|of|to|in|if)\b"  # a<b and c>d is no tag

# 2x, c², 10⁻³ or x^2; and x <= 5 && 2x + 1 != 7, in which < may not open a tag.
_RAISED = r"(?:[\u207a\u207b]?[²³¹\u2070-\u2079]+|\^-?[A-Za-z0-9]+)"
_TERM = rf"(?:\d+(?:[.,]\d+)*[A-Za-z]?(?:{_RAISED})?|[A-Za-z](?:[A-Za-z]?{_RAISED})?)(?!\w)"
_RELATION = r"(?:\ ?(?:[<>=!]=|[=≠≈≤≥])\ ?|\ [<>]\ |<(?!\w+\s*/?>|\w+\s+[\w:@.-]+\s*=)|>)"
_SIGN = r"\ ?[-−+*/×÷]\ ?"
_AND = r"\ ?(?:&&|\|\|)\ ?"
_EQUATION = (
    rf"{_TERM}(?:{_SIGN}{_TERM})*{_RELATION}[-−]?{_TERM}(?:(?:{_RELATION}|{_SIGN}|{_AND})[-−]?{_TERM})*"
)

# In order: where two kinds could start at the same place, the first one wins.
_PATTERNS = {
    "code": r"""
        (?<!`)(?P<tick>`+)(?!`)[^\n]+?(?<!`)(?P=tick)(?!`)
        |<(?P<element>code|kbd|samp|var|tt)>[^<>\n]*</(?P=element)>""",
    "tag": rf"""
        </?[A-Za-z][\w:.-]*(?:\s+(?!{_NO_ATTRIBUTE})[\w:@.-]+(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=]+))?)*\s*/?>
        |<!--(?:(?!<!--|-->)[^\n])*-->|{_ESCAPE}|&(?:[A-Za-z]{{2,31}}|\#\d{{1,7}}|\#x[\da-fA-F]{{1,6}});""",
    "url": rf"""
        (?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9+.-]{{1,15}}://|www\.|mailto:)[^\s<>"`{{}}|\\^\u2018-\u201f\u3000-\uffef]+
        |(?<![\w@.-])(?:[A-Za-z0-9-]{{1,63}}\.){{1,5}}(?:{_TLD})\b(?![.-]?\w|@)
            (?:[/?\#:][^\s<>"`{{}}|\\^\u2018-\u201f\u3000-\uffef]*)?""",
    "email": r"(?<![\w.%+-])(?:[\w.%+-]{1,32}['’])?[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,5}[A-Za-z]{2,24}(?![\w-])",
    "placeholder": r"""
        \{\{[^{}\n]{1,80}\}\}|\{[%\#][^{}\n]{0,200}[%\#]\}|[$%\#]\{[^{}\n]{1,80}\}(?:/[\w.@+-]*[\w@+-])*
        |%<\w{1,40}>[-+\#0\ ]*\d*(?:\.\d+)?[A-Za-z]|\{[\w.:!\[\]-]{0,60}\}
        |\{\w+,\s*\w+(?:,(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)?\}
        |%\([A-Za-z_][\w.]*\)[-+\#0\ ]*\d*(?:\.\d+)?[A-Za-z](?:%%)?
        |(?<![\d%])%(?:\d+\$)?[-+\#0]*\d*(?:\.\d+)?(?:hh?|ll?|z)?[diouxXeEfgGcsp@](?![A-Za-z])(?:%%)?|%%
        |(?<![\d%])%\d{1,2}(?![\d%])|\$[A-Za-z_]\w*(?:/[\w.@+-]*[\w@+-])*""",
    "path": rf"""
        (?<![\w:\\])[A-Za-z]:\\(?:[\w.@+-]+\\?)*
        |(?<![\w/.<~])(?:~|\.{{1,2}})?(?:/[\w.@+-]*[\w@+-])+/?(?![\w])
        |(?<![\w/.@-])(?:[\w@+-]+[./])+(?:{_EXTENSION})\b(?![.-]?\w)
        |(?<![\w/.@-])(?:[A-Za-z]\w*_\w+|__\w+__)(?!\w)
        |(?<![\w.])[A-Za-z_]\w*(?:\.\w+)*\(\)|(?<!\w)(?:[A-Za-z]\w*\+\+(?![\w+])|[CFJ]\#(?!\w)|[A-Z]&[A-Z](?![\w&]))
        |(?<!\S)(?:--[A-Za-z][\w-]*(?:=[^\s,;]*[\w/])?(?![\w-])|-[A-Za-z](?=[\s.,;:!?)]|$)|\.[A-Z]{{2,}}(?!\w))
        |(?<!\S)[!-;=?-~]{{50,}}(?!\S)""",
    "scientific": r"""
        (?<![\w.,])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+(?![\w-]|[.,]\d)|\ ?[×x]\ ?10\^-?\d+)""",
    "formula": rf"""
        (?<![\w.,/?&=-]){_EQUATION}
        |(?<![<>=!&|+*:-])(?:[<>=!:+*-]=|&&|\|\||[-=]>)(?![<>=!&|])|(?<=\s)[<>](?=[\s.,;:!?)]|$)
        |(?<![\w.,])\d+(?:[.,]\d+)*\ ?
            (?:(?:[kcdm]?m|ft|in|yd|mi)[²³]|[kMGT]?Hz|[µμ][A-Za-z]{{1,2}}|[\u3371-\u33df])(?!\w)
        |(?<![\w.,])(?:[A-Za-z]{{1,2}}|\d+(?:[.,]\d+)*)?{_RAISED}(?!\w)
        |(?<![\w.])[A-Z][A-Za-z0-9()]*[\u2080-\u2089][A-Za-z0-9()\u2080-\u208e\u207a\u207b]*
        |(?<![\w'])\d{{1,2}}['′’]\ ?\d{{1,2}}(?:\.\d+)?(?:["″”]|'')
        |[€$£]\ ?\d+,\d\d?(?![\d,])|(?<![\w.,])\d{{1,3}}(?:\.\d{{3}})+,\d\d?(?![\d,.]\d)|(?<![\w.,])\d+,\d\d?\ ?€""",
    "symbol": rf"[{_SYMBOLS}]+",
    "version": r"""
        (?<![\w.,])v?\d+(?:\.\d+){2,}(?:[-+.]?(?:alpha|beta|rc|dev|post|a|b)\.?\d*)?(?![\w])
        |(?<![\w.])v\d+(?:\.\d+)*(?!\w)""",
    "emoji": rf"""
        [0-9\#*]\ufe0f?\u20e3|[\U0001f1e6-\U0001f1ff]{{2}}
        |[{_EMOJI}](?:[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]|\u200d[{_EMOJI}\u2190-\u21ff])*
        |[\u00a9\u00ae\u203c\u2049\u2122\u2190-\u21ff]\ufe0f|{EMOTICON}""",
    "handle": r"(?<![\w@.])@[A-Za-z_](?:[\w.-]{0,38}\w)?",
    "hashtag": r"(?<![\w&\#/])\#[A-Za-z_]\w*",
    "number": r"""
        (?<![\w.,])\+\d(?:[\d().\ -]{4,20})\d(?!\w)|\(\d{3}\)\ ?\d{3}[-.\ ]\d{4}(?!\w)
        |(?<![\w.,-])\d{4}-\d\d-\d\d(?:T\d\d:[\d:.]*\dZ?)?(?![\w-])
        |(?<![\w.,-])(?:\d-)?\d{3}[-.]\d{3,4}(?:[-.]\d{3,4}){0,2}(?![\w-]|[.,]\d)
        |(?<![\w.,])\d+\.\d{3,}(?!\w|[.,]\d)|(?<![\w.,])0\d{2,}(?!\w|[.,]\d)|(?<![\w.,])\d{5,}(?!\w|[.,]\d)
        |(?<![\w.,])\d{1,3}(?:,\d{2,3}){2,}(?:\.\d+)?(?!\w|[.,]\d)|(?<![\w])0x[\da-fA-F]+(?!\w)
        |(?<![\w-])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?!\w)|(?<!\w)(?=[a-f]*\d)[\da-f]{7,40}(?!\w)""",
    "foreign": rf"[{_NOT_LATIN}]+(?:[\ '’,.·،-]{{1,2}}[{_NOT_LATIN}]+)*",
}

# All but "foreign": whether a model can read another script than Latin depends on its language.
KINDS = tuple(kind for kind in _PATTERNS if kind != "foreign")

# Beside one of these, %% is the sign of a format string; "100%% sure" may be a slip.
_PRINTF = re.compile(
    r"(?<!%)(?:%%)*%(?:\([A-Za-z_][\w.]*\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?[a-zA-Z@](?![A-Za-z])", re.ASCII
)
_CLOSERS = {")": "(", "]": "["}


@cache
def _pattern() -> re.Pattern[str]:
    # ASCII: Chinese text has no spaces, so 问 must not count as a word character next to www.
    groups = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items())
    return re.compile(groups, re.ASCII | re.VERBOSE)


def find_spans(text: str, kinds: Iterable[str] = KINDS) -> list[Span]:
    """The spans of ``text`` to copy, in order and without overlap, of the given ``kinds``."""
    wanted = frozenset(kinds)
    spans = []
    printf = "%%" not in text or _PRINTF.search(text)
    for match in _pattern().finditer(text):
        # lastgroup names the outermost group that closed last: the kind.
        kind = match.lastgroup or ""
        if kind in wanted and (printf or match[0] != "%%"):
            end = _trimmed_end(text, match.start(), match.end()) if kind == "url" else match.end()
            spans.append(Span(match.start(), end, kind))
    return spans


def find_pairs(text: str) -> list[tuple[Span, Span]]:
    """The opening and closing tags of ``text`` that belong together, in the order of the opening ones."""
    pairs: list[tuple[Span, Span]] = []
    is_open: list[tuple[str, Span]] = []
    for span in find_spans(text, ("tag",)):
        tag = text[span.start : span.end]
        name = re.split(r"[\s/>]", tag.lstrip("</"), maxsplit=1)[0].lower()
        if tag.startswith("</"):
            depth = next((i for i in reversed(range(len(is_open))) if is_open[i][0] == name), None)
            if depth is not None:
                pairs.append((is_open[depth][1], span))
                del is_open[depth:]  # what was not closed stands alone, as <br>
        elif re.match("<[A-Za-z]", tag) and not tag.endswith("/>"):
            is_open.append((name, span))
    return sorted(pairs, key=lambda pair: pair[0].start)


def _trimmed_end(text: str, start: int, end: int) -> int:
    """Where a URL ends, without the sentence's punctuation: ``(see www.a.org/b_(c))`` keeps one bracket."""
    while end > start:
        last = text[end - 1]
        opener = _CLOSERS.get(last)
        unbalanced = opener is not None and text.count(last, start, end) > text.count(opener, start, end)
        if not unbalanced and last not in ".,;:!?'*_":
            break
        end -= 1
    return end


def braces(index: int) -> str:
    """The default mask: ``{0}``, ``{1}`` … which the shipped model learnt to copy."""
    return f"{{{index}}}"


def mask(text: str, spans: Iterable[Span], placeholder_of: Callable[[int], str] = braces) -> Masked:
    """Replaces each span by ``placeholder_of(0)``, ``placeholder_of(1)`` …, skipping any that stay in ``text``.

    ``spans`` are in order and do not overlap, as ``find_spans`` gives them.
    """
    spans = tuple(spans)
    parts, tokens, position, index = [], [], 0, 0
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(text)]
    staying = "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    for span in spans:
        while placeholder_of(index) in staying:
            index += 1
        tokens.append(placeholder_of(index))
        parts += [text[position : span.start], tokens[-1]]
        position, index = span.end, index + 1
    parts.append(text[position:])
    originals = tuple(text[span.start : span.end] for span in spans)
    return Masked("".join(parts), spans, tuple(tokens), originals)


_ANY_MASK = re.compile(r"[{｛]\s*[0-9０-９]{1,3}\s*[}｝]")
_FULL_WIDTH = str.maketrans({chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)})


def find_tokens(translation: str, tokens: Sequence[str]) -> list[tuple[int, int, int]]:
    """Where the mask tokens stand in ``translation``: (start, end, index of the token), in order.

    Spaces inside a token and full-width forms (``｛ 0 ｝``) count as it: models write them now and then.
    """
    if not tokens:
        return []
    index_of = {token: index for index, token in enumerate(tokens)}
    pattern = re.compile("|".join(map(_tolerant, sorted(tokens, key=len, reverse=True))))
    return [
        (match.start(), match.end(), index_of[_plain(match[0])]) for match in pattern.finditer(translation)
    ]


def _plain(token: str) -> str:
    """A token as a model may write it, as it was given."""
    return "".join(token.translate(_FULL_WIDTH).split())


def unmask(translation: str, masked: Masked) -> tuple[str, list[Span]]:
    """Puts the originals back; also gives the spans that did not come back exactly once (lost, or repeated).

    A mask that ``masked.text`` does not hold is the model's invention, and is dropped.
    """
    known = _plain(masked.text)
    translation = _ANY_MASK.sub(lambda match: match[0] if _plain(match[0]) in known else "", translation)
    parts: list[str] = []
    seen: Counter[int] = Counter()
    position = 0
    for start, end, index in find_tokens(translation, masked.tokens):
        parts += [translation[position:start], masked.originals[index]]
        seen[index] += 1
        position = end
    parts.append(translation[position:])
    return "".join(parts), [span for index, span in enumerate(masked.spans) if seen[index] != 1]


def _tolerant(token: str) -> str:
    """A pattern for ``token`` with optional spaces between its characters, each half or full width."""
    return r"\s*".join(
        f"[{re.escape(char)}{chr(ord(char) + 0xFEE0)}]" if "!" <= char <= "~" else re.escape(char)
        for char in token
    )
