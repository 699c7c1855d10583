"""Our own normalisation: visible, lossless where it matters, and the same in training and in translation.

SentencePiece's default rule (NFKC) would fold ，？！ to ASCII for ever; so both tokenizers run with the identity
rule and text is normalised here instead.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable

from translit.text.protect import EMOTICON
from translit.text.script import HAN

_HAN = HAN + "〇々"
FULL_WIDTH = "，。！？；：、（）《》〈〉「」『』【】…—“”‘’·"

_SPACES = re.compile(r"[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff\u200b]+")

# Marks as keyboards write them; ligatures, which PDF files have, and full-width letters as plain ones.
_SAME = {
    **dict.fromkeys("“”„«»″", '"'),
    **dict.fromkeys("‘’‚‛‹›′´", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2212", "-"),  # hyphen, non-breaking hyphen, figure dash, minus sign
    "―": "—",
    "…": "...",
    **dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
    **{chr(0xFEE0 + ord(char)): char for char in string.ascii_letters + string.digits},  # full width
    **{
        chr(code): unicodedata.normalize("NFKC", chr(code)) for code in range(0x1D400, 0x1D800)
    },  # 𝐛𝐨𝐥𝐝, 𝑖𝑡𝑎𝑙𝑖𝑐
}
_CLOCK = re.compile(r"(?<![\w.])(\d\d?(?::\d\d)?)(?=[ap]\.?m\b)", re.ASCII | re.IGNORECASE)  # 5pm

# Nobody sees these, and to the model each is a riddle: control characters, soft hyphens, marks of direction, joiners of
# words. (Those that end a line are white space; zero-width joiners spell words of Persian and Hindi.)
_INVISIBLE = (
    *range(0x00, 0x09), *range(0x0E, 0x1C), 0x1F, *range(0x7F, 0x85), *range(0x86, 0xA0), 0xAD, 0x200E, 0x200F,
    *range(0x202A, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x206A),
)  # fmt: skip
_PLAIN = str.maketrans({**_SAME, **{chr(code): "" for code in _INVISIBLE}})

# Text that must never be rewritten: URLs, e-mail addresses, tags, code, placeholders, emoticons. An address is looked
# for only where a word begins: from every character of a long line it would take quadratic time.
_UNTOUCHED = (
    r"https?://[^\s\u3000-\u303f\uff00-\uffef\u4e00-\u9fff]+|www\.[^\s\u3000-\u303f\uff00-\uffef\u4e00-\u9fff]+"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*\w|<[^<>]*>|`[^`]*`|\{[^{}]*\}|\[\[[^\]]*\]\]|%\([^)]*\)[sd]"
    f"|{EMOTICON}"
)

_TO_FULL_WIDTH = str.maketrans(",;:?!", "，；：？！")

# Without any of these, every pattern below changes nothing.
_MAY_CHANGE = re.compile('[ ,;:?!."()…]|。。')

# Strings, not compiled: a class of Han characters takes re 2 ms, so it is left until a text needs it. re keeps it then.
_HAS_HAN = f"[{_HAN}]"
_SPACE_BETWEEN = f"(?<=[{_HAN}{FULL_WIDTH}]) +(?=[{_HAN}{FULL_WIDTH}])"
_SPACE_AROUND_MARK = "(?<=[，。！？；：、（《「“]) +| +(?=[，。！？；：、）》」”])"
_SPACE_HAN_LATIN = f"(?<=[{_HAN}]) +(?=[A-Za-z0-9])|(?<=[A-Za-z0-9%]) +(?=[{_HAN}])"
_BEFORE = f"[{_HAN}{FULL_WIDTH}\"')\\]]"
_MARK_AFTER_HAN = f"(?<={_BEFORE}) ?([,;:?!]+)(?!\\d)"
_MARK_BEFORE_HAN = f"(?<=[A-Za-z0-9%\ue000]) ?([,;:?!]+) ?(?=[{_HAN}“《「（])"
_MARK_AT_END = "([,;:?!]+)(?=[\"'”’）)]*$)"
_STOP = f"(?<={_BEFORE}) ?\\.(?![\\w.])|(?<=[\\w%\ue000])\\.(?=[\"'”’）)]*$)"
_ELLIPSIS = f"(?<=[{_HAN}{FULL_WIDTH}]) ?(?:\\.{{3,}}|。{{3,}}|…(?!…)(?<!……))|^\\.{{3,}}(?=[{_HAN}])"
_BRACKETS = r"\(([^()（）]*)\)"
_HAN_END = f"[{_HAN}{FULL_WIDTH}] ?$"


def normalize_source(text: str) -> str:
    """Source text as the model reads it: NFC, straight quotes, one kind of hyphen, no ligatures, nothing invisible,
    single spaces, no space at either end, but one before the pm of 5pm."""
    plain = _SPACES.sub(" ", unicodedata.normalize("NFC", text).translate(_PLAIN)).strip()
    return _CLOCK.sub(r"\1 ", plain)


def normalize_target(text: str, *, tight: bool = False) -> str:
    """Chinese typography: NFC, full-width punctuation beside Han characters, no space between Han characters.

    Numbers, decimals, times, Latin words, URLs, tags and placeholders are left alone, and so is a text without any
    Han character. ``tight`` also drops the space between Han and Latin letters or digits (``用 Python 写`` →
    ``用Python写``), which training data has in some files and not in others.
    """
    text = _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()
    if not _MAY_CHANGE.search(text) or not re.search(_HAS_HAN, text):
        return text
    text = _outside(text, _typography)
    return re.sub(_SPACE_HAN_LATIN, "", text) if tight else text


def _outside(text: str, rewrite: Callable[[str], str]) -> str:
    """Apply ``rewrite`` to ``text`` with every untouchable span hidden behind one private-use character."""
    spans: list[str] = []

    def hide(match: re.Match[str]) -> str:
        spans.append(match.group())
        return "\ue000"

    hidden = re.sub(_UNTOUCHED, hide, text) if "\ue000" not in text else text
    rewritten = rewrite(hidden)
    found = iter(spans)
    return re.sub("\ue000", lambda _: next(found), rewritten) if spans else rewritten


def _typography(text: str) -> str:
    text = re.sub(_ELLIPSIS, "……", text)
    text = re.sub(_BRACKETS, lambda m: _widen_brackets(m, text), text)
    for pattern in (_MARK_AFTER_HAN, _MARK_BEFORE_HAN, _MARK_AT_END):
        text = re.sub(pattern, lambda m: m.group(1).translate(_TO_FULL_WIDTH), text)
    text = re.sub(_STOP, "。", text).replace("。。", "。")
    text = re.sub("“{2,}", "“", re.sub("”{2,}", "”", _curl_quotes(text)))
    return re.sub(_SPACE_AROUND_MARK, "", re.sub(_SPACE_BETWEEN, "", text))


def _widen_brackets(match: re.Match[str], text: str) -> str:
    inside, start = match.group(1), match.start()
    if re.search(_HAS_HAN, inside) or re.search(_HAN_END, text[max(0, start - 2) : start]):
        return f"（{inside.strip()}）"
    return match.group()


def _curl_quotes(text: str) -> str:
    """``"…"`` → “…”, when the straight quotes of the line pair up."""
    parts = text.split('"')
    if len(parts) < 3 or len(parts) % 2 == 0:
        return text
    return "".join(part + ("“" if i % 2 == 0 else "”") for i, part in enumerate(parts[:-1])) + parts[-1]
