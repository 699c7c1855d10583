"""Numbers compared by value across English and Chinese: 20,000 = 2万 = 两万, 7:30 p.m. = 19:30 = 晚上七点半.

Both readers are generous: they give every value that a piece of text may stand for, so that a complaint means
that no reading fits. English numbers in digits must be kept, and so must large ones in words ("thirty-two");
small words ("one of them", "a couple") may be dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Number:
    """A number as written, ``text``, and every value that may stand for it in the other language."""

    text: str
    values: frozenset[Decimal]


_ONE = Decimal(1)

# ── English ─────────────────────────────────────────────────────────────────────────────────────────────────

_SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "k": 1000, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12, "dozen": 12,
}  # fmt: skip
_AMBIGUOUS = {"k", "m", "mn", "b"}  # also kelvin, metres, bytes

_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_MONTHS = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
]  # fmt: skip
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12,
}  # fmt: skip
_WORDS = {word: value for value, word in enumerate(_SMALL)}
_WORDS |= {word: 10 * value for value, word in enumerate(_TENS, 2)}
_WORDS |= {word + "th": value for word, value in _WORDS.items()} | _ORDINALS
_WORDS |= {word[:-1] + "ieth": 10 * value for value, word in enumerate(_TENS, 2)}
_MAGNITUDES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_MAGNITUDES |= {word + suffix: value for word, value in _MAGNITUDES.items() for suffix in ("s", "th")}
_YEARS = {"decades": 10, "centuries": 100}
_MAGNITUDES |= _YEARS

# Words that may become a number in Chinese.
_IMPLIED: dict[str, tuple[float, ...]] = {
    "once": (1,), "single": (1,), "each": (1,), "every": (1,), "per": (1,), "next": (1, 2),
    "both": (2,), "pair": (2,), "couple": (2,), "twice": (2,), "double": (2,), "doubled": (2,), "twin": (2,),
    "triple": (3,), "tripled": (3,), "thrice": (3,), "quadruple": (4,), "half": (0.5, 30, 50, 6, 5),
    "quarter": (0.25, 15, 45, 25, 3, 4), "quarters": (0.75, 3, 4), "dozen": (12,), "dozens": (12, 10),
    "score": (20,), "decade": (10,), "decades": (10, 20, 30), "century": (100,), "noon": (12,),
    "midnight": (0, 12, 24),
    "fortnight": (2, 14), "teens": (10, 13, 19), "weekend": (6, 7), "eve": (31, 24), "christmas": (12, 25),
    "twenties": (20, 29), "thirties": (30, 39), "forties": (40, 49), "fifties": (50, 59), "sixties": (60, 69),
    "seventies": (70, 79), "eighties": (80, 89), "nineties": (90, 99), "tens": (10,), "clock": (24,),
}  # fmt: skip
_IMPLIED |= {month: (number,) for number, month in enumerate(_MONTHS, 1)}
_IMPLIED |= {month[:3]: (number,) for number, month in enumerate(_MONTHS, 1)} | {"sept": (9,)}
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

_DIGITS = r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?(?!,?\d)|\d+(?:\.\d+)?"
_EN_NUMBER = re.compile(
    rf"""
    (?P<hour>\b[0-2]?\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?!\d)
    |(?<![\d/.,])(?:(?P<whole>\d+)[\ -])?(?P<over>[1-9]\d?)/(?P<under>[1-9]\d?)(?![\d/])
    |(?P<spaced>(?<![\d.,])\d{{1,3}}(?:[\ \u00a0\u2009\u202f]\d{{3}})+(?![\d.,]?\d))
    |(?P<verbatim>\d+(?:\.\d+){{2,}}|(?<![\d.,:/-])0\d{{2,}}(?![\d.]))
    |(?P<digits>{_DIGITS})
    """,
    re.VERBOSE | re.ASCII,
)
# What follows a number and changes its value: a scale (maybe behind a range's other end), a clock, a decade.
_SCALE_AFTER = re.compile(
    rf"(?:\s*(?:-|–|—|to|and|or)\s*\$?(?:{_DIGITS}))?[\s-]?({'|'.join(_SCALES)})s?\b",
    re.ASCII | re.IGNORECASE,
)
_CLOCK_AFTER = re.compile(
    r"(?:\s*(?:-|–|to|and|or)\s*\d{1,2})?\s?(?:[ap]\.?m\b|o['’]clock|hours?\b|h\b)", re.I | re.ASCII
)
_HALF_OF_DAY = re.compile(r"\s?([ap])\.?m\b", re.I | re.ASCII)
_PLAIN = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_MONEY_BEFORE = re.compile(r"[$€£¥₹₩]\s?$")
_YEAR_BEFORE = re.compile(r"(\d\d)\d\d[-–/]$", re.ASCII)
_DECADE_AFTER = re.compile(r"['’]?s\b", re.ASCII)
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)\b", re.ASCII | re.IGNORECASE)
_EN_WORD = re.compile(r"[A-Za-z]+")


def numbers_en(text: str) -> list[Number]:
    """The numbers in digits of English ``text``, each with the values that may stand for it in Chinese."""
    return [number for match in _EN_NUMBER.finditer(text) for number in _read_en(match, text)]


def _read_en(match: re.Match[str], text: str) -> Iterator[Number]:
    if match["hour"]:
        hours = _hours(Decimal(match["hour"]), text[match.end() : match.end() + 6])
        yield Number(match["hour"], hours)
        for part in (match["minute"], match["second"]):
            if part and int(part):
                yield Number(part, frozenset({Decimal(part)}))
    elif match["over"]:
        yield from _fraction(match)
    elif match["spaced"]:
        *before, last = match["spaced"].split()
        values = {Decimal("".join([*before, last]))}
        # 1 200 may be two numbers, which a space that does not break never stands between.
        yield Number(match["spaced"], frozenset(values | {Decimal(last)} if " " in match[0] else values))
    elif match["verbatim"]:
        digits = match["verbatim"].replace(".", "")
        yield Number(match["verbatim"], frozenset({Decimal(digits)}))
    else:
        is_money = bool(_MONEY_BEFORE.search(text, max(0, match.start() - 2), match.start()))
        values = _values_en(match["digits"], text[match.end() : match.end() + 40], is_money)
        if century := _YEAR_BEFORE.search(text, max(0, match.start() - 5), match.start()):
            values.add(Decimal(century[1] + match["digits"][:2]))  # 1995-96
        yield Number(match["digits"], frozenset(values))


def _fraction(match: re.Match[str]) -> Iterator[Number]:
    """3/4 and 1 1/2: one number where it may be a fraction (24/7 and 50/50 are not), else two."""
    over, under = Decimal(match["over"]), Decimal(match["under"])
    if over < under <= 16:
        # 3/4 may become 0.75 or 四分之三, or be the 4th of March; 9/11 is 911; 1 1/2 is 1.5 or 一又二分之一.
        whole = Decimal(match["whole"] or 0)
        others = {under} - {whole} if whole else {over, under, Decimal(match["over"] + match["under"])}
        yield Number(match[0], frozenset({whole + over / under} | others))
    else:
        for part in ("whole", "over", "under"):
            if match[part]:
                yield Number(match[part], frozenset({Decimal(match[part])}))


def _values_en(digits: str, after: str, is_money: bool) -> set[Decimal]:
    value = Decimal(digits.replace(",", ""))
    if scale := _SCALE_AFTER.match(after):
        name = scale[1].lower()
        scaled = value * _SCALES[name]
        # "2 to 3 million" may be two or two million; "5 m" is metres as likely as millions, "$5m" is not.
        unsure = (name in _AMBIGUOUS and not is_money) or any(map(str.isdigit, scale[0]))
        return {scaled, value} if unsure else {scaled}
    if _CLOCK_AFTER.match(after):
        return set(_hours(value, after))
    if _DECADE_AFTER.match(after) and value % 10 == 0 and value >= 10:
        # the 1980s: 1980年代, 20世纪80年代; the 1900s: 20世纪.
        return {value, value % 100, value // 100 + 1}
    return {value}


def _hours(hour: Decimal, after: str) -> frozenset[Decimal]:
    """The hours that ``hour`` may be in the other way of counting; "a.m." or "p.m." right ``after`` it decides."""
    half = _HALF_OF_DAY.match(after)
    if half and hour <= 12:
        other = hour % 12 + (12 if half[1].lower() == "p" else 0)
        return frozenset({hour, other, Decimal(24)} if other == 0 else {hour, other})
    return frozenset({hour, hour + 12, hour - 12} if hour <= 24 else {hour})


def values_en(text: str) -> set[Decimal]:
    """Every value that English ``text`` may stand for in Chinese digits, number words and months included."""
    values = {value for number in numbers_en(text) for value in number.values}
    words = _EN_WORD.findall(text)
    values |= {Decimal(str(value)) for word in words for value in _IMPLIED.get(word.lower(), ())}
    values |= {_roman(word) for word in words if _ROMAN.keys() >= set(word)}
    for run in _word_runs(words):
        values = values.union(*_run_values(run))
    for share, scale in _SHARE_OF.findall(text.lower()):
        values |= {Decimal(str(part)) * _SCALES[scale] for part in _IMPLIED[share] if part < 1}
    return values


# half a million, a quarter of a million, three quarters of a billion
_SHARE_OF = re.compile(
    rf"\b(half|quarter|quarters)\s+(?:of\s+)?an?\s+({'|'.join(s for s in _SCALES if len(s) > 2)})\b"
)


_INSIDE_RUN = {"and", "a", "half", "point"}


def _word_runs(words: Iterable[str]) -> Iterator[list[str]]:
    """The stretches of number words: "eight hundred and ninety-one" is one."""
    run: list[str] = []
    for word in [*map(str.lower, words), ""]:
        number = word in _WORDS or word in _MAGNITUDES
        if number and run[-1:] == ["and"] and run[-2] not in _MAGNITUDES:  # sixty and eighty million
            yield run[:-1]
            run = [word]
        elif number or (run and word in _INSIDE_RUN):
            run.append(word)
        elif run:
            yield run
            run = []


def _run_values(run: list[str]) -> tuple[set[Decimal], set[Decimal]]:
    """What a stretch of number words may mean as a whole, and the values of its parts."""
    total = section = Decimal(0)
    groups: list[int] = []  # 19, 84 of "nineteen eighty-four"
    parts: set[Decimal] = set()
    for word in run:
        if word == "half":
            section += Decimal("0.5")
        elif word in _INSIDE_RUN:
            continue
        elif (small := _WORDS.get(word)) is not None:
            if groups and groups[-1] % 10 == 0 and groups[-1] >= 20 and small < 10:
                groups[-1] += small
            else:
                groups.append(small)
            parts |= {Decimal(small), Decimal(groups[-1])}
            section += small
        elif (scale := _MAGNITUDES[word]) == 100:
            section = (section or _ONE) * 100
        else:
            total += (section or _ONE) * scale
            section = Decimal(0)
        parts |= {section, total}
    whole = {total + section}
    if len(groups) >= 2 and _MAGNITUDES.keys().isdisjoint(run):
        # A year (nineteen eighty-four), a price or a decimal (six point nine), digits (four one one).
        head, tail = str(groups[0]), "".join(map(str, groups[1:]))
        whole |= {Decimal(head + tail), Decimal(f"{head}.{tail}"), Decimal(groups[0] * 100 + groups[1])}
        whole |= {Decimal(group) for group in groups}
    return whole, parts


_LEAST_REQUIRED = 13  # smaller numbers in words are often idiom: one another, ten to one, a dozen


def _large_words(text: str) -> Iterator[Number]:
    """The numbers of at least thirteen that English ``text`` writes in words."""
    words = _EN_WORD.findall(text.lower())
    # "sixty to eighty million": the scale may be that of a later number.
    scales = {Decimal(_MAGNITUDES[word]) for word in words if _MAGNITUDES.get(word, 0) >= 1000}
    for run in _word_runs(words):
        count = [word for word in run if word not in _INSIDE_RUN and word not in _YEARS]
        whole = _run_values(count)[0]
        fraction = any(word.endswith("th") for word in count if word in _MAGNITUDES)
        if not fraction and any(word in _WORDS for word in count) and max(whole) >= _LEAST_REQUIRED:
            values = whole | _run_values(run)[0]
            yield Number(" ".join(count), frozenset(values | {v * scale for v in values for scale in scales}))


def _roman(word: str) -> Decimal:
    numerals = [_ROMAN[char] for char in word]
    return Decimal(sum(-a if a < b else a for a, b in zip(numerals, [*numerals[1:], 0], strict=True)))


# ── Chinese ─────────────────────────────────────────────────────────────────────────────────────────────────

_ZH_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")}
_ZH_DIGITS |= {"〇": 0, "○": 0, "两": 2, "兩": 2, "俩": 2, "仨": 3} | {
    c: v for v, c in enumerate("壹贰叁肆伍陆柒捌玖", 1)
}
_ZH_UNITS = {
    "十": 10,
    "百": 100,
    "千": 1000,
    "万": 10**4,
    "萬": 10**4,
    "亿": 10**8,
    "億": 10**8,
    "兆": 10**12,
}
_ZH_UNITS |= {"拾": 10, "佰": 100, "仟": 1000}
# Characters that imply values without being numerals: 半 (half), 刻 (quarter hour), 双 (pair), 首 (first) …
_ZH_IMPLIED: dict[str, tuple[float, ...]] = {
    "半": (0.5, 30, 50, 6), "刻": (15, 45), "双": (2,), "对": (2,), "打": (12,), "首": (1,), "初": (1,),
    "元": (1,), "单": (1,), "廿": (20,), "卅": (30,), "无": (0,), "没": (0,), "整": (0, 100), "全": (100,),
    "头": (1,), "每": (1,),
    "百": (100,), "千": (1000,), "万": (10**4,), "亿": (10**8,),
}  # fmt: skip

_D = "".join(_ZH_DIGITS)
_U = "".join(_ZH_UNITS)
_ZH_RUN = re.compile(rf"(?:(?:{_DIGITS})\s*|[{_D}{_U}]|(?<=[\d{_D}{_U}])[多余几来个](?=[{_U}]))+", re.ASCII)
_ZH_TOKEN = re.compile(rf"{_DIGITS}|[{_D}{_U}]", re.ASCII)
# 三点五 is 3.5; so are 3米5, 3元5 and 3秒5.
_ZH_POINT = re.compile(rf"([{_D}十百千\d]+)[点时米元块秒度]([{_D}\d]+)", re.ASCII)
_SPACED = re.compile(r"\d{1,3}(?:\s\d{3})+", re.ASCII)
_KILO = re.compile("千(?=[米克瓦卡])")  # 两千多千米: the second 千 belongs to the unit
_ZH_TENTHS = re.compile(rf"([{_D}\d](?:\.\d)?)\s*[成折角毛旬]([{_D}\d]?)", re.ASCII)
_ASCII_DIGIT = re.compile(r"\d", re.ASCII)
_DIGIT_ROW = re.compile(r"\d+", re.ASCII)
_FULL_WIDTH = str.maketrans("０１２３４５６７８９：．％，", "0123456789:.%,")


def _zh_runs(text: str) -> Iterator[re.Match[str]]:
    """The stretches of Chinese ``text`` that write a number in digits, numerals or both (3.2万)."""
    return _ZH_RUN.finditer(text.translate(_FULL_WIDTH))


def values_zh(text: str) -> set[Decimal]:
    """Every value that Chinese ``text`` may stand for."""
    text = text.translate(_FULL_WIDTH)
    if "千" in text:
        text += " " + _KILO.sub("", text)
    values = {value for match in _zh_runs(text) for value in _run_readings(match[0])}
    values |= {Decimal(str(value)) for char in set(text) for value in _ZH_IMPLIED.get(char, ())}
    for whole, fraction in _ZH_POINT.findall(text):
        digits = "".join(str(_ZH_DIGITS.get(char, char)) for char in fraction)
        values |= {value + Decimal(f"0.{digits}") for value in _run_readings(whole)}
    for tenths, hundredths in _ZH_TENTHS.findall(text):
        value = Decimal(_ZH_DIGITS.get(tenths, tenths)) * 10 + Decimal(
            _ZH_DIGITS.get(hundredths, hundredths) or 0
        )
        values |= {value, 100 - value}
    if "半" in text:
        values |= {value + Decimal("0.5") for value in values}
    return values


def _run_readings(run: str) -> set[Decimal]:
    tokens = _ZH_TOKEN.findall(run)
    readings = {_evaluate(tokens)}
    readings |= {
        Decimal(token.replace(",", ""))
        for token, after in zip(tokens, [*tokens[1:], ""], strict=True)
        if token[0].isdigit() and token.isascii() and _ZH_UNITS.get(after, 0) < 10**4  # 3.1万 is never 3.1
    }
    if _SPACED.fullmatch(run.strip()):
        readings.add(Decimal(re.sub(r"\s", "", run)))
    numerals = [_ZH_DIGITS[token] for token in tokens if token in _ZH_DIGITS]
    if len(numerals) == len(tokens):  # 二〇二〇 digit by digit; 两三 天 either
        readings |= {Decimal("".join(map(str, numerals)))} | set(map(Decimal, numerals))
    readings |= set(_colloquial(tokens)) | set(_parts(tokens))
    return readings


def _evaluate(tokens: list[str]) -> Decimal:
    """The value of a mixed numeral: 一亿2000万 → 120,000,000."""
    total = section = number = Decimal(0)
    after_digit = False
    for token in tokens:
        if unit := _ZH_UNITS.get(token):
            if unit < 10**4:
                section += (number or _ONE) * unit
            elif section + number or not total:
                total += (section + number or _ONE) * unit
                section = Decimal(0)
            else:  # 万亿
                total *= unit
            number, after_digit = Decimal(0), False
        else:
            digit = Decimal(_ZH_DIGITS.get(token, token.replace(",", "")))
            number = number * 10 + digit if after_digit and token in _ZH_DIGITS else digit
            after_digit = True
    return total + section + number


def _colloquial(tokens: list[str]) -> Iterator[Decimal]:
    """一万二 is 12,000 and 三百二 320: a last digit after a unit counts tenths of that unit."""
    if len(tokens) >= 3 and tokens[-1] in _ZH_DIGITS and _ZH_UNITS.get(tokens[-2], 0) >= 100:
        yield _evaluate(tokens[:-1]) + Decimal(_ZH_DIGITS[tokens[-1]]) * _ZH_UNITS[tokens[-2]] / 10


def _parts(tokens: list[str]) -> Iterator[Decimal]:
    """The values of the stretches between two units: 十七八 holds 17 and 18, 两三百 200 and 300."""
    for index in range(len(tokens) - 1):
        if tokens[index] in _ZH_DIGITS and tokens[index + 1] in _ZH_DIGITS:
            yield _evaluate(tokens[: index + 1])
            yield _evaluate(tokens[:index] + tokens[index + 1 :])
            units = [token for token in tokens[index + 2 :] if token in _ZH_UNITS]
            yield _evaluate([*tokens[: index + 1], *units])


# ── Both ────────────────────────────────────────────────────────────────────────────────────────────────────


# Digits that are part of a name or a unit: Chinese writes 新冠 and 平方公里.
_RENAMED = re.compile(r"\bCOVID[-‑–]?19\b", re.IGNORECASE)
_POWERS = re.compile(r"\b([kcm]?m)[23]\b")
# "ten to eight" is 7点50分 and "half past two" 2点30分: a clock read in words gives other numbers.
_CLOCK_WORDS = re.compile(r"\b(?:to|past|half|quarter)\b", re.IGNORECASE)
_CLOCK_UNITS = re.compile(r"\s*(?:[点时分:]|小时)")


# How Chinese may write a fraction that English writes with one sign.
_FRACTIONS = {
    "½": ("半", "二分之一", "1/2", "0.5", ".5"), "¼": ("四分之一", "1/4", "0.25", ".25", "刻"),
    "¾": ("四分之三", "3/4", "0.75", ".75", "三刻"), "⅓": ("三分之一", "1/3"), "⅔": ("三分之二", "2/3"),
}  # fmt: skip


def lost(source: str, translation: str) -> list[str]:
    """The numbers of the English ``source``, in digits or large in words, that ``translation`` lacks."""
    return [number.text for number in _lost(source, translation)]


def _lost(source: str, translation: str) -> list[Number]:
    source = _POWERS.sub(r"\1", source.translate(_FULL_WIDTH))
    missing = [
        Number(sign, frozenset())
        for sign, forms in _FRACTIONS.items()
        if sign in source and not any(form in translation for form in (sign, *forms))
    ]
    wanted = numbers_en(_RENAMED.sub("", source) if "新冠" in translation else source)
    wanted += _large_words(source)
    written = {*_WHOLE.findall(translation), *_EN_WORD.findall(translation)}  # most stay as they are
    wanted = [number for number in wanted if number.text not in written or _is_scaled(number)]
    if not wanted:
        return missing
    have = values_zh(translation)
    return missing + [number for number in wanted if not number.values & have]


def _is_scaled(number: Number) -> bool:
    """Does it say more than its digits do, as the 5 of "5 million"?"""
    digits = number.text.replace(",", "")
    return _PLAIN.fullmatch(digits) is not None and Decimal(digits) not in number.values


def mended(source: str, translation: str) -> str:
    """``translation`` with the number it lacks in place of the one it invents, where they differ by a slip.

    One digit too many or too few, another one or two swapped: 187年 for 1187. Where more is wrong, nothing changes.
    """
    wanted, instead = _lost(source, translation), invented(source, translation)
    if len(wanted) != 1 or len(instead) != 1 or translation.count(instead[0]) != 1:
        return translation
    (number,), (wrong,) = wanted, instead
    if not number.values or not _is_slip(re.sub(r"\D", "", number.text), re.sub(r"\D", "", wrong)):
        return translation
    return translation.replace(wrong, _in_chinese(number))


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
    if not (_is_scaled(number) or _EN_WORD.search(number.text)):
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
    value = Decimal(digits.replace(",", "")) * _SCALES[scale.lower()]
    return _in_chinese(Number(f"{digits} {scale}", frozenset({value})))


_SCALE_NAMES = "hundred|thousand|million|billion|trillion"
_CARDINALS = "|".join([*_SMALL[1:], *_TENS])
_ORDINAL_NAMES = "|".join(word for word in _WORDS if word not in (*_SMALL, *_TENS))
_AMOUNT = re.compile(
    rf"""
    (?P<digits>(?<![\d.,]){_DIGITS})[\s-](?P<scale>{_SCALE_NAMES})
    |(?:an?\s+(?:{_SCALE_NAMES})|(?:{_CARDINALS}))\b(?:(?:[\s-]+|\s+and\s+)(?:{_CARDINALS}|{_SCALE_NAMES})\b)*
    """,
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
# "sixty to eighty million" and "half a million" say something else than their parts.
_RANGE = re.compile(r"\s*(?:-|–|—|to|and|or)\s*", re.IGNORECASE)
_BEFORE_AMOUNT = re.compile(r"(?:\w|\bhalf\s+|\d\s*(?:-|–|—|to|and|or)\s*\$?)$", re.IGNORECASE)
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
            values = {Decimal(match["digits"].replace(",", "")) * _MAGNITUDES[match["scale"].lower()]}
        else:
            words = [word for word in _EN_WORD.findall(match[0].lower()) if word not in _INSIDE_RUN]
            values = _run_values(words)[0]
        if len(values) == 1 and max(values) >= _LEAST_REQUIRED:
            found.append((*match.span(), _in_chinese(Number(match[0], frozenset(values)))))
    return found


_WHOLE = re.compile(r"\d+(?:[.,]\d+)*", re.ASCII)


def invented(source: str, translation: str) -> list[str]:
    """The numbers in ASCII digits of the Chinese ``translation`` that the English ``source`` cannot explain.

    0 and 1 are never reported: they come out of too many words (nil, goalless, an, the).
    """
    written = [match for match in _zh_runs(translation) if _ASCII_DIGIT.search(match[0])]
    if not written:
        return []
    source = source.translate(_FULL_WIDTH)
    copied = set(_DIGIT_ROW.findall(source))
    written = [m for m in written if not (m[0].isascii() and copied.issuperset(_DIGIT_ROW.findall(m[0])))]
    if not written:
        return []
    known = values_en(source) | {Decimal(0), Decimal(1)}
    clock = _CLOCK_WORDS.search(source)
    return [
        match[0].strip()
        for match in written
        if known.isdisjoint(_run_readings(match[0]))
        and not (clock and _CLOCK_UNITS.match(match.string, match.end()))
    ]
