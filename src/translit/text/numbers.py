"""Numbers compared by value across English and Chinese: 20,000 = 2万 = 两万, 7:30 p.m. = 19:30 = 晚上七点半.

Both readers are generous: they give every value that a piece of text may stand for, so that a complaint means
that no reading fits. English numbers in digits must be kept, and so must large ones in words ("thirty-two");
small words ("one of them", "a couple") may be dropped.
"""

from __future__ import annotations

import re
from decimal import Decimal

from translit.text.numbers_en import (
    DIGITS,
    LEAST_REQUIRED,
    MAGNITUDES,
    NUMBER_WORDS,
    SCALES,
    SMALL,
    TENS,
    WORD,
    Number,
    decades_in_digits,
    large_words,
    numbers_en,
    run_values,
    values_en,
)
from translit.text.numbers_zh import (
    FULL_WIDTH,
    NUMERAL_VALUES,
    NUMERALS,
    RANGE_SIGN,
    TOKEN,
    UNIT_PREFIX,
    UNIT_VALUES,
    UNITS,
    evaluate,
    runs,
    values_at,
    values_zh,
)

_PLAIN = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
# Digits that are part of a name or a unit: Chinese writes 新冠 and 平方公里.
_RENAMED = re.compile(r"\bCOVID[-‑–]?19\b", re.IGNORECASE)
_POWERS = re.compile(r"\b([kcm]?m)[23]\b")
# "ten to eight" is 7点50分 and "half past two" 2点30分: a clock read in words gives other numbers.
_CLOCK_WORDS = re.compile(r"\b(?:to|past|half|quarter)\b", re.IGNORECASE)
_CLOCK_UNITS = re.compile(r"\s*(?:[点时分:]|小时)")
_MINUTES_TO = re.compile(
    r"\b(\d\d?|quarter|five|ten|twenty|twenty-five) (?:to|till) (\d\d?)\b", re.I | re.ASCII
)
_HOUR_MINUTE = re.compile(r"\b(\d\d?):(\d\d)\b", re.ASCII)


# How Chinese may write a fraction that English writes with one sign.
_FRACTIONS = {
    "½": ("半", "二分之一", "1/2", "0.5", ".5"), "¼": ("四分之一", "1/4", "0.25", ".25", "刻"),
    "¾": ("四分之三", "3/4", "0.75", ".75", "三刻"), "⅓": ("三分之一", "1/3"), "⅔": ("三分之二", "2/3"),
}  # fmt: skip


def lost(source: str, translation: str) -> list[str]:
    """The numbers of the English ``source``, in digits or large in words, that ``translation`` lacks."""
    return [number.text for number in _lost(source, translation)]


def _lost(source: str, translation: str) -> list[Number]:
    source = _POWERS.sub(r"\1", source.translate(FULL_WIDTH))
    source = decades_in_digits(source)
    if "新冠" in translation or "冠状" in translation:
        source = _RENAMED.sub("", source)
    wanted = numbers_en(source)
    missing = [
        Number(sign, frozenset())
        for sign, forms in _FRACTIONS.items()
        if sign in source and not any(form in translation for form in (sign, *forms))
    ]
    wanted += large_words(source)
    written = {*_WHOLE.findall(translation), *WORD.findall(translation)}  # most stay as they are
    written |= set(_FRACTION.findall(translation))
    wanted = [number for number in wanted if number.text not in written or _is_scaled(number)]
    if not wanted:
        return missing
    have = values_zh(translation)
    have |= _told_otherwise(source, have)
    return missing + [number for number in wanted if not number.values & have]


def _told_otherwise(source: str, have: set[Decimal]) -> set[Decimal]:
    """The numbers of a clock that Chinese counts from the other hour: 10 to 5 as 四点五十, 9:45 as 十点差一刻."""
    told: set[Decimal] = set()
    for before, to in _MINUTES_TO.findall(source):
        minutes = sum(
            15 if word == "quarter" else NUMBER_WORDS.get(word) or int(word)
            for word in before.lower().split("-")
        )
        if 60 - minutes in have and {int(to) - 1, int(to) + 11} & have:
            told |= {Decimal(minutes), Decimal(to)}
    for hour, minutes in _HOUR_MINUTE.findall(source):
        if 60 - int(minutes) in have and {int(hour) + 1, int(hour) - 11} & have:
            told |= {Decimal(hour), Decimal(minutes)}
    return told


def _is_scaled(number: Number) -> bool:
    """Does it say more than its digits do, as the 5 of "5 million"?"""
    digits = number.text.replace(",", "")
    return _PLAIN.fullmatch(digits) is not None and Decimal(digits) not in number.values


def mended(source: str, translation: str) -> str:
    """``translation`` with the number it lacks in place of the one it invents, where they differ by a slip.

    One digit too many or too few, another one or two swapped: 187年 for 1187. Where more is wrong, or where the
    other number may be right in its place (10厘米 for 100 mm, 3到5万), nothing changes.
    """
    wanted, instead = _lost(source, translation), invented(source, translation)
    if len(wanted) != 1 or len(instead) != 1 or translation.count(instead[0]) != 1:
        return translation
    (number,), (wrong,) = wanted, instead
    if not number.values or not _is_slip(re.sub(r"\D", "", number.text), re.sub(r"\D", "", wrong)):
        return translation
    before, after = translation.split(wrong)
    if "/" in number.text and (rest := _UNDER.match(after)):  # 21/2 for 2 1/2
        wrong, after = wrong + rest[0], after[rest.end() :]
        if not _is_slip(re.sub(r"\D", "", number.text), re.sub(r"\D", "", wrong)):
            return translation
    right = _in_chinese(number)
    if (
        before.endswith("/")
        or after.startswith("/")
        or _RANGE_END.search(before)
        or _RANGE_START.match(after)
        or UNIT_PREFIX.search(wrong + after[:2])
        or not _of_one_size(right, wrong, number.text)
        or _measured_otherwise(source, number.text, after)
    ):
        return translation
    return before + right + after


_UNDER = re.compile(r"/\d+", re.ASCII)
_RANGE_END = re.compile(rf"[\d{NUMERALS}{UNITS}]{RANGE_SIGN.pattern}$", re.ASCII)
_RANGE_START = re.compile(rf"{RANGE_SIGN.pattern}[\d{NUMERALS}{UNITS}]", re.ASCII)


def _of_one_size(right: str, wrong: str, original: str) -> bool:
    """Can ``wrong`` be a slip for ``right``, not the same amount in another scale (1.5 gigatons as 15亿吨)?"""
    if not NUMERAL_VALUES.keys().isdisjoint(wrong):  # 周六100 is two things
        return False
    garbled = re.match(r"0\d", wrong)  # 02 for 0.2
    if not garbled and ("." in wrong) not in ("." in right, "." in original):
        return False
    if [char for char in wrong if char in UNIT_VALUES] == [char for char in right if char in UNIT_VALUES]:
        return True
    one, other = evaluate(TOKEN.findall(right)), evaluate(TOKEN.findall(wrong))
    return one == 10 * other or other == 10 * one  # 18万 for 18,000


# Measures that another number may go with, and what they are in English: 100 mm is 10厘米, 120 minutes 2小时.
_MEASURES = {
    "公里|千米": "km|kilomet", "厘米|公分": "cm|centimet", "毫米": "mm|millimet", "米|公尺": r"m\b|met(?:er|re)",
    "英里": r"mi(?:les?)?\b|mph", "英尺": "ft|foot|feet", "英寸": r"in(?:\b|ch)", "磅": "lb|pound", "吨": r"t(?:\b|on)",
    "公斤": "kg|kilo", "毫克": "mg|milligram", "克": r"g(?:\b|ram)", "毫升": "ml|millilit", "升": r"l(?:\b|it)",
    "公顷": r"ha\b|hect", "英亩": "acre", "个?(?:小时|钟头)": r"h(?:\b|ou?r)", "分钟": "min", "秒": r"s(?:\b|ec)",
    "天": "day", "周年": "", "周|个?星期": "week", "个?月": "month", "[%％]": "%|per",
    "年": r"(?![\s-]*(?:month|week|decade|centur))",
    r"华氏|℉|°\s?F": r"(?:°|degrees?)\s?F", "摄氏|℃|度|°": r"(?:°|degree)(?!s?\s?F)",
    "[斤两里尺寸亩毛角折成毫]|分之": r"\b\B",
}  # fmt: skip


def _measured_otherwise(source: str, number: str, after: str) -> bool:
    """Does a measure come ``after`` it in Chinese that the ``number`` of the English ``source`` has not?"""
    for chinese, english in _MEASURES.items():
        if re.match(rf"\s*(?:平方|立方)?(?:{chinese})", after):
            scale = rf"(?:[\s-]?(?:{'|'.join(SCALES)})\b)?"
            measure = rf"{re.escape(number)}{scale}[\s-]{{0,3}}(?:(?:sq\w*|cu\w*)\.?\s)?(?:{english})"
            return not re.search(measure, source, re.IGNORECASE | re.ASCII)
    return False


def _is_slip(right: str, wrong: str) -> bool:
    """Do two rows of digits differ by one digit, by two neighbours that changed places, or by zeros at the end?"""
    if len(right) < 2 or not wrong:
        return False
    if right.rstrip("0") == wrong.rstrip("0"):
        return True
    while right and wrong and right[0] == wrong[0]:
        right, wrong = right[1:], wrong[1:]
    while right and wrong and right[-1] == wrong[-1]:
        right, wrong = right[:-1], wrong[:-1]
    return max(len(right), len(wrong)) <= 1 or (len(right) == 2 and right == wrong[::-1])


def _in_chinese(number: Number) -> str:
    """A number as Chinese writes it: in the digits it has, or 2700万 for "27 million" and 40 for "forty"."""
    if not (_is_scaled(number) or WORD.search(number.text)):
        return number.text  # 27 of "27 m", which may be metres; a telephone number
    value = max(number.values)
    for unit, size in (("万亿", Decimal(10**12)), ("亿", Decimal(10**8)), ("万", Decimal(10**4))):
        if value >= size:
            return f"{(value / size).normalize():f}{unit}"
    return f"{value.normalize():f}"


def in_chinese(digits: str, scale: str) -> str:
    """Digits and an English scale ("" for none) as Chinese writes them: 2.5 and "billion", or "bn", are 25亿."""
    if not scale:
        return digits
    value = Decimal(digits.replace(",", "")) * SCALES[scale.lower()]
    return _in_chinese(Number(f"{digits} {scale}", frozenset({value})))


_SCALE_NAMES = "hundred|thousand|million|billion|trillion"
_CARDINALS = "|".join([*SMALL[1:], *TENS])
_ORDINAL_NAMES = "|".join(word for word in NUMBER_WORDS if word not in (*SMALL, *TENS))
_AMOUNT = re.compile(
    rf"""
    (?P<digits>(?<![\d.,]){DIGITS})[\s-](?P<scale>{_SCALE_NAMES})
    |(?:an?\s+(?:{_SCALE_NAMES})|(?:{_CARDINALS}))\b
     (?:(?:[\s-]+|\s+and\s+|(?<!\bat\ one)\s+point\s+)(?:{_CARDINALS}|{_SCALE_NAMES})\b)*
    """,
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
# "sixty to eighty million" and "half a million" say something else than their parts.
_RANGE = re.compile(r"\s*(?:-|–|—|to|and|or)\s*", re.IGNORECASE)
_BEFORE_AMOUNT = re.compile(r"(?:\w|\b(?:half|point)\s+|\d\s*(?:-|–|—|to|and|or)\s*\$?)$", re.IGNORECASE)
_AFTER_AMOUNT = re.compile(rf"\w|[\s-]+(?:{_ORDINAL_NAMES})\b", re.IGNORECASE)


def amounts(text: str) -> list[tuple[int, int, str]]:
    """Numbers of English ``text`` with a scale or in words: where they stand, and how Chinese writes them.

    ``6 million`` is 600万, ``forty`` 40. Left out are small words, as in ``lost``, and what may be read in two ways.
    """
    found = []
    matches = list(_AMOUNT.finditer(text))
    for before, match, after in zip([None, *matches], matches, [*matches[1:], None]):  # noqa: B905
        ranges = (
            before and _RANGE.fullmatch(text, before.end(), match.start()),
            after and _RANGE.fullmatch(text, match.end(), after.start()),
        )
        if (
            any(ranges)
            or _BEFORE_AMOUNT.search(text, 0, match.start())
            or _AFTER_AMOUNT.match(text, match.end())
        ):
            continue
        if match["digits"]:
            values = {Decimal(match["digits"].replace(",", "")) * MAGNITUDES[match["scale"].lower()]}
        else:
            words = [word for word in WORD.findall(match[0].lower()) if word not in ("a", "an", "and")]
            values = run_values(words)[0]
        if len(values) == 1 and max(values) >= LEAST_REQUIRED:
            found.append((*match.span(), _in_chinese(Number(match[0], frozenset(values)))))
    return found


_ASCII_DIGIT = re.compile(r"\d", re.ASCII)
_FRACTION = re.compile(r"(?<![\d/.,])(?:\d+ )?\d{1,2}/\d{1,2}(?![\d/])", re.ASCII)
_DOUBLED = re.compile(r"(?<![\d/])(\d{1,2})/(\1/\d{1,2})(?![\d/])", re.ASCII)  # 1/1/2 for 1/2
_DIGIT_ROW = re.compile(r"\d+", re.ASCII)
_WHOLE = re.compile(r"\d+(?:[.,]\d+)*", re.ASCII)


def invented(source: str, translation: str) -> list[str]:
    """The numbers in ASCII digits of the Chinese ``translation`` that the English ``source`` cannot explain.

    0 and 1 are never reported: they come out of too many words (nil, goalless, an, the).
    """
    written = [match for match in runs(translation) if _ASCII_DIGIT.search(match[0])]
    if not written:
        return []
    source = source.translate(FULL_WIDTH)
    doubled = [
        match[0] for match in _DOUBLED.finditer(translation) if match[2] in source and match[0] not in source
    ]
    copied = set(_DIGIT_ROW.findall(source))
    written = [m for m in written if not (m[0].isascii() and copied.issuperset(_DIGIT_ROW.findall(m[0])))]
    if not written:
        return doubled
    known = values_en(source) | {Decimal(0), Decimal(1)}
    clock = _CLOCK_WORDS.search(source)
    return doubled + [
        match[0].strip()
        for match in written
        if known.isdisjoint(values_at(match))
        and not (clock and _CLOCK_UNITS.match(match.string, match.end()))
    ]
