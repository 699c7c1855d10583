"""What can be wrong with one English–Chinese pair, seen by itself: each check is a function of two strings.

They were tuned on corpora made by people until what they flag was mostly worth it: under 0.5 % of pairs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from translit.text import checks, numbers
from translit.text.script import HAN, count_han, count_letters


@dataclass(frozen=True)
class Limits:
    """Where normal ends. The ratio is that of UTF-8 bytes, Chinese to English, 15 added to both sides.

    A Han character takes three bytes and says about as much as three Latin letters, and what is copied weighs
    the same on both sides; so the ratio of a good pair lies around 0.95 whatever it is about.
    """

    max_words: int = 200  # English, a side longer than this is cut or skipped by most models
    max_characters: int = 500  # Chinese
    min_ratio: float = 0.38
    max_ratio: float = 2.0


def log_size(text: str) -> float:
    """The logarithm of the UTF-8 bytes of ``text`` and 15 more, which evens out the chances of short texts."""
    return math.log(len(text.encode("utf-8", "replace")) + 15)


def key(text: str) -> str:
    """``text`` without case, spaces and punctuation; of a text that has nothing else, the text itself."""
    return "".join(_ALPHANUMERIC.findall(text.casefold())) or text


_ALPHANUMERIC = re.compile(r"[^\W_]+")

Check = Callable[[str, str, Limits], str]  # (source, target, limits) → what is wrong, or ""


# ── Sides and lengths ───────────────────────────────────────────────────────────────────────────────────────


def empty(source: str, target: str, limits: Limits) -> str:
    if source.strip() and target.strip():
        return ""
    blank = [name for name, text in (("source", source), ("target", target)) if not text.strip()]
    return " and ".join(blank) + " blank"


def identical(source: str, target: str, limits: Limits) -> str:
    """The same letters on both sides, or an English stretch left as it was. Names and code may stay."""
    if not _LATIN_STRETCH.search(target):
        if source.isascii() and _HAS_HAN.search(target):
            return ""
        if key(source) != key(target):
            return ""
    copied = [flag.detail for flag in checks.check(source, target) if flag.kind == "copy"]
    return copied[0] if copied else ""


_HAS_HAN = re.compile(f"[{HAN}]")
_LATIN_STRETCH = re.compile(r"(?:[A-Za-z]+[ ,]+){5}[A-Za-z]")


def length(source: str, target: str, limits: Limits) -> str:
    if len(source) > limits.max_words and (words := len(source.split())) > limits.max_words:
        return f"{words} words"
    if len(target) > limits.max_characters:
        return f"{len(target)} characters"
    return ""


def length_ratio(source: str, target: str, limits: Limits) -> str:
    ratio = math.exp(log_size(target) - log_size(source))
    if limits.min_ratio <= ratio <= limits.max_ratio:
        return ""
    return f"target too {'short' if ratio < 1 else 'long'} ({ratio:.2f})"


# ── Scripts and languages ───────────────────────────────────────────────────────────────────────────────────


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = _words(
    """the a an of to in is are was were be been i you he she it we they this that these those and or not
    on at for with as by from have has had do does did will would can could should if but what who when
    where how why my your his her its our their there no yes all any some up out so than then them me him
    us don't it's i'm"""
)
# The commonest little words of languages that turn up in English corpora.
_FOREIGN = {
    "German": _words(
        """der das und ist nicht ich ein eine einen einem einer mit sich auf für dem den des von zu wir sie es
        auch wie oder aber haben habe wenn bei nach zum zur aus dass als nur noch kann wird sind mein meine
        meiner dein sehr du mich mir im"""
    ),
    "French": _words(
        """le la les des une un est et dans pour que qui ne pas sur avec il elle je vous nous ce cette mais où
        du de au aux sa ses mon ses sont été était suis très c'est j'ai qu'il n'est d'un d'une"""
    ),
    "Spanish": _words(
        """el la los las que y una un es por con para de del se lo como pero más está yo tú su muy este esta
        mi sí al ya hay porque cuando donde qué quiero tengo fue nos"""
    ),
    "Italian": _words(
        """il che di è una un per non con sono della dei del gli nel nella questo questa ma come più anche si
        lo la le ho ha hai mi ti al alla perché un'altra c'è"""
    ),
    "Portuguese": _words(
        """o os que um uma não para com por é da dos das em na nos mais como mas foi ele ela você eu de se
        meu minha muito está são isso seu sua"""
    ),
    "Dutch": _words(
        """het een de van en niet ik je dat zijn met voor op aan ze maar ook er wat bij heeft naar om te als
        nog deze dit kan hij uit mijn"""
    ),
}
# Words of English that one of those has too: they speak for neither.
_SHARED = {
    "German": _words("an as in so was will on am is"),
    "French": _words("a as me on an or no"),
    "Spanish": _words("a as he me no has"),
    "Italian": _words("a i in me no so do"),
    "Portuguese": _words("a as do no me has"),
    "Dutch": _words("in is was of we me had her on has"),
}
# What those languages have in names, and English with them: Leonardo da Vinci, San Martín de los Andes.
_IN_NAMES = _words(
    "de del della di da das dos du des la le les lo los las el al van von der den het aan op zu são sur"
)
_ALL_FOREIGN = frozenset[str]().union(*_FOREIGN.values())
_MARKS = ".,;:!?…()[]«»„“”\"'¿¡"
_KANA_OR_HANGUL = re.compile("[ぁ-ゖァ-ヺ\u1100-\u11ff\u3131-\u318e가-힣]")
# The blocks of letters that are neither Latin nor Han: Greek to Georgian, Ethiopic to Mongolian, kana, Hangul …
_OTHER_SCRIPT = re.compile(
    "[\u0370-\u1dff\u3041-\u3096\u30a1-\u30fa\u3105-\u318e\ua000-\ud7ff\ufb00-\ufdff\ufe70-\ufefc]"
)
_WORD = re.compile(r"[A-Za-z]{2,}")


def language(source: str, target: str, limits: Limits) -> str:
    """English on the left and Chinese on the right?"""
    return _not_english(source) or _not_chinese(source, target)


def _not_english(source: str) -> str:
    if not source.isascii():
        letters = count_letters(source)
        if (han := count_han(source)) > 1 and 2 * han > letters:
            return "source is Chinese"
        if 2 * len(_OTHER_SCRIPT.findall(source)) > letters:
            return "source is in another script"
    words = source.casefold().split()
    if len(words) < 5 or _ALL_FOREIGN.isdisjoint(words):
        return ""
    # Not OS, EST and .com, which are words elsewhere.
    words = [
        word.strip(_MARKS).casefold() for word in source.split() if not (len(word) > 1 and word.isupper())
    ]
    for language, known in _FOREIGN.items():
        foreign = [word for word in words if word in known]
        english = sum(
            word in _ENGLISH and word not in known and word not in _SHARED[language] for word in words
        )
        if len(set(foreign)) > 1 and len(foreign) > 2 * english and not _IN_NAMES.issuperset(foreign):
            return f"source looks {language}"
    return ""


def _not_chinese(source: str, target: str) -> str:
    if other := len(_OTHER_SCRIPT.findall(target)):
        han = count_han(target)
        if 3 * len(_KANA_OR_HANGUL.findall(target)) > han + other:
            return "target is Japanese or Korean"
        if other > han:
            return "target is in another script"
    if _HAS_HAN.search(target) or not _WORD.search(target) or key(source) == key(target):
        return ""
    return "no Chinese in the target" if any(map(str.islower, _WORD.findall(source))) else ""


@cache
def _script_only(wanted: str, other: str) -> re.Pattern[str]:
    """The Han characters that one national standard has and the other has not: a table without a table."""

    def holds(char: str, standard: str) -> bool:
        return char.encode(standard, "ignore") != b""

    han = map(chr, range(0x4E00, 0xA000))
    return re.compile(f"[{''.join(char for char in han if holds(char, wanted) and not holds(char, other))}]")


def traditional(source: str, target: str, limits: Limits) -> str:
    """More characters of Big5 alone (說國) than of GB 2312 alone (说国); a single one may be a rare name."""
    found = _script_only("big5", "gb2312").findall(target)
    if len(found) < 2 or len(found) <= len(_script_only("gb2312", "big5").findall(target)):
        return ""
    return "Traditional: " + "".join(dict.fromkeys(found))[:8]


# ── Damage ──────────────────────────────────────────────────────────────────────────────────────────────────

_BROKEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ufffe\uffff\ue000-\uf8ff\ud800-\udfff]"
    r"|\r(?!\n)"  # alone it ends no line here: a file with such ends would be one pair
)
# What bytes 80–BF, the second and third of a UTF-8 character, become when read as Windows-1252 or Latin-1.
_TAIL = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
# What Chinese in UTF-8 is mostly made of when read as GBK, and Chinese itself hardly ever.
_GBK = (
    "锛鐨殑銆浠紝鍙鎴杩鍦瀹鐢屽鏄鍒勫竴鍏湪鍚澶屼槸鏂屾敤勬鍔缁涔勭彲綘鏉嶅鏃鎵湁岃垜笉傛鏍搴佸鏁鍥戜嗗繖閫鈥"
)
# Likewise, but in names and in Traditional text too: not enough by themselves.
_GBK_OR_REAL = "璇璁琛瀛灏簡鏈細嬪"
_MOJIBAKE = re.compile(
    f"[ÂÃ]{_TAIL}|â{_TAIL}{{2}}|(?:[ä-é]{_TAIL}{{2}}){{2}}|ï¼{_TAIL}|ï»¿|[ÐÑ]{_TAIL}[ÐÑ]{_TAIL}"
    # GBK read as Latin-1; U+FFFD and uninitialised memory read as GBK; UTF-8 read as GBK.
    "|(?<![A-Za-z])[\xa1-\xff]{6,}|锟斤|烫烫烫|屯屯屯"
    # Two that differ: a rare character that is meant comes back in its text.
    f"|(?P<one>[{_GBK}]).{{0,3}}(?!(?P=one))[{_GBK}{_GBK_OR_REAL}]|[{_GBK_OR_REAL}].{{0,3}}[{_GBK}]"
)
# Most texts hold no character that either could match, and are done with after this.
_SUSPECT = re.compile(f"{_BROKEN.pattern}|[À-ïÐÑ锟烫屯{_GBK}]")


def encoding(source: str, target: str, limits: Limits) -> str:
    for side, text in (("source", source), ("target", target)):
        if not _SUSPECT.search(text):
            continue
        if match := _BROKEN.search(text):
            return f"U+{ord(match[0]):04X} in the {side}"
        if match := _MOJIBAKE.search(text):
            return f"mojibake in the {side}: {match[0][:8]}"
    return ""


# What stands in a corpus where nobody wrote a sentence, and Chinese that would translate just that.
_REMARK = re.compile(
    r"(?:transl(?:ator'?s?|ation|\.)?|T/?N)\.? ?notes?\b.*|T/?N:.*"
    r"|placeholder(?:-\w+)?|PH|TBD|TODO|FIXME|lorem ipsum.*",
    re.IGNORECASE,
)
_ABOUT_REMARKS = re.compile("译注|译者|翻译|注释|占位|待办|待定|乱数假文|酸碱|[\\[{<=]")


def remark(source: str, target: str, limits: Limits) -> str:
    """``Transl. Note: wrong``, ``PH`` or ``placeholder`` for a sentence. As entries of a dictionary they are short."""
    if not _REMARK.fullmatch(source) or _ABOUT_REMARKS.search(target) or count_han(target) < 3:
        return ""
    return f"no sentence: {source[:30]}"


_SOUND = r"""
    applause|applauding|laughter|laughs?|laughing|cheer(?:s|ing)?|chuckl(?:es?|ing)|giggl(?:es?|ing)
    |sigh(?:s|ing)?|gasp(?:s|ing)?|cough(?:s|ing)?|groan(?:s|ing)?|grunt(?:s|ing)?|sobb?(?:s|ing)?
    |scream(?:s|ing)?|clears?\ throat|speaking\ [a-z]+|inaudible|indistinct|unintelligible|crosstalk|silence
    |phone\ ringing|door\ (?:opens|closes|slams)"""
_MORE = r"(?:and|continues?|playing|stops|fades)\b"
_NOISE = re.compile(
    rf"""
    [\[(（【［*]\s*(?:[a-z]+\s)?(?:{_SOUND})(?:\s{_MORE}[^\])）]*)?[.!]?\s*[\])）】］*]
    |[\[(（]\s*(?:[a-z]+\s){{0,2}}music\s{_MORE}[^\])）]*[\])）]|\[\s*(?:[a-z]+\s){{0,2}}music\s*\]
    |[\[(（【［]\s*[{HAN}]{{0,2}}(?:[笑掌]声|笑|鼓掌|欢呼声?|音乐声|叹气|咳嗽声?|尖叫声?|哭声|听不清)\s*[\])）】］]
    |[\[【［]\s*[{HAN}]{{0,2}}音乐\s*[\]】］]|[♪♫]|\{{\\[a-z]+\d*[^}}]*\}}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MAY_BE_NOISE = re.compile(r"[\[(（【［*♪♫]|\{\\")


def noise(source: str, target: str, limits: Limits) -> str:
    """Sounds in brackets, music notes and styles, as subtitles have them: (笑声), [Applause], ♪, {\\an8}."""
    for text in (source, target):
        if _MAY_BE_NOISE.search(text) and (match := _NOISE.search(text)):
            return match[0]
    return ""


_TAG = re.compile(
    r"</?(?:a|abbr|b|big|blockquote|body|br|center|code|div|em|font|h[1-6]|head|hr|html|i|img|li|ol|p|pre|script|small"
    r"|span|strike|strong|style|sub|sup|table|tbody|td|th|tr|tt|u|ul)\b[^<>]*>",
    re.IGNORECASE,
)
_ENTITY = re.compile(
    r"&(?:nbsp|amp|lt|gt|quot|apos|ldquo|rdquo|hellip|mdash|ndash|#\d{2,6}|#x[\da-f]{2,5});", re.IGNORECASE
)
_CODE = re.compile(r"`[^`]*`")


def html(source: str, target: str, limits: Limits) -> str:
    """A tag that stands on one side only, or an escape never undone. Code in backticks may hold both."""
    if not ("<" in source or "<" in target or "&" in source or "&" in target):
        return ""
    source, target = _CODE.sub("", source), _CODE.sub("", target)
    if match := _ENTITY.search(source) or _ENTITY.search(target):
        return match[0]
    tags, others = (sorted(tag.casefold() for tag in _TAG.findall(text)) for text in (source, target))
    if bool(tags) == bool(others):
        return ""
    return f"{(tags or others)[0]} only in the {'source' if tags else 'target'}"


# ── Numbers ─────────────────────────────────────────────────────────────────────────────────────────────────

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*", re.ASCII)
# Every number in words that is large enough to be compared has one of these in it.
_LARGE = (
    *("hundred", "thousand", "illion", "decade", "centur", "teen"),
    *("twent", "thirt", "forty", "forti", "fift", "sixt", "sevent", "eight", "ninet"),
)


def number(source: str, target: str, limits: Limits) -> str:
    """A number that only one side has, compared by value: 20,000 is 2万."""
    lowered = source.lower()
    if not any(part in lowered for part in _LARGE):
        digits = _DIGITS.findall(source)
        if sorted(digits) == sorted(_DIGITS.findall(target)):
            return ""  # most pairs end here; reading numbers by value takes twenty times as long
    if lost := numbers.lost(source, target):
        return f"{lost[0]} is missing"
    if added := numbers.invented(source, target):
        return f"{added[0]} is not in the source"
    return ""
