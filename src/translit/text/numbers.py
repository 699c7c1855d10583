"""Numbers compared by value across English and Chinese: 20,000 = 2万 = 两万, 7:30 p.m. = 19:30 = 晚上七点半.

Both readers are generous: they give every value that a piece of text may stand for, so that a complaint means
that no reading fits. English numbers in digits must be kept, and so must large ones in words ("thirty-two");
small words ("one of them", "a couple") may be dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby, takewhile
from math import prod


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
    "mln": 10**6, "mil": 10**6, "lakh": 10**5, "crore": 10**7,
}  # fmt: skip
# Also kelvin, metres, mils, bytes; lakhs may keep their name.
_AMBIGUOUS = {"k", "m", "mn", "mil", "b", "lakh", "crore"}

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
    "quarter": (0.25, 15, 45, 25, 3, 4), "quarters": (0.75, 75, 3, 4), "dozen": (12,), "dozens": (12, 10),
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
    |(?P<mixed>\d+)[\ ]?(?P<sign>[½¼¾⅓⅔])
    |(?P<spaced>(?<![\d.,])\d{{1,3}}(?:[\ \u00a0\u2009\u202f]\d{{3}})+(?![\d.,]?\d))
    |(?P<verbatim>\d+(?:\.\d+){{2,}}|(?<![\d.,:/-])0\d{{2,}}(?![\d.]))
    |(?P<digits>(?<![\w.])\.\d+(?!\w|\.\d)|{_DIGITS})
    """,
    re.VERBOSE | re.ASCII,
)
# Fractions with a sign of their own, as their parts.
_SIGNS = {"½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3)}
# What follows a number and changes its value: a scale (maybe behind a range's other end), a clock, a decade.
_SCALE_AFTER = re.compile(
    rf"(?:\s*(?:-|–|—|to|and|or)\s*\$?(?:{_DIGITS}))?[\s-]?({'|'.join(_SCALES)})s?\b",
    re.ASCII | re.IGNORECASE,
)
_CLOCK_AFTER = re.compile(r"(?:\s*(?:-|–|to|and|or)\s*\d{1,2})?\s?(?:[ap]\.?m\b|o['’]clock)", re.I | re.ASCII)
_CLOCK_HOURS = re.compile(r"([01]\d|2[0-4])[0-5]\d hours\b", re.I | re.ASCII)  # 1800 hours
# A kilowatt is 千瓦, a megawatt 兆瓦 or 千千瓦: the number takes what the unit lacks.
_PREFIX_AFTER = re.compile(
    r"[\s-]?(?:(kilo(?!s\b|met|gram)|mega|giga|tera)[a-z]+|([kMGT])W(?![a-z]))", re.ASCII
)
_PREFIXES = {"k": 1, "m": 2, "g": 3, "t": 4}  # powers of a thousand
_HALF_OF_DAY = re.compile(r"\s?([ap])\.?m\b", re.I | re.ASCII)
_PLAIN = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_MONEY_BEFORE = re.compile(r"[$€£¥₹₩]\s?$")
_YEAR_BEFORE = re.compile(r"(\d\d)\d\d[-–/]$", re.ASCII)
_SEPTEMBER = re.compile(r"\bsept(?:\.|ember)?\s$", re.IGNORECASE)
_CENTURY_LEFT_OUT = re.compile(r"(?<!\w)['’‘]$")  # '95
_DECADE_AFTER = re.compile(r"['’]?s\b", re.ASCII | re.IGNORECASE)
_EN_WORD = re.compile(r"[A-Za-z]+")
_EN_TOKEN = re.compile(r"[A-Za-z]+|[\d,.;:!?()/\"“”–—]")


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
    elif match["sign"]:
        whole, (over, under) = Decimal(match["mixed"]), _SIGNS[match["sign"]]
        scaled = _values_en(whole + Decimal(over) / under, text[match.end() : match.end() + 40], False)
        # 一又二分之一; ``_lost`` looks for the sign itself.
        yield Number(match[0], frozenset(scaled | {whole}))
    elif match["verbatim"]:
        digits = Decimal(match["verbatim"].replace(".", ""))
        for part in _date(match["verbatim"]) or [digits]:
            yield Number(match["verbatim"], frozenset({digits, part}))
    else:
        is_money = bool(_MONEY_BEFORE.search(text, max(0, match.start() - 2), match.start()))
        value = Decimal(match["digits"].replace(",", ""))
        values = _values_en(value, text[match.end() : match.end() + 40], is_money)
        if _CLOCK_HOURS.match(text, match.start()):
            values |= _hours(value // 100, "")
        if match["digits"].startswith("."):
            values.add(Decimal(match["digits"][1:]))  # .22 may stay as it is
        elif match.start() and text[match.start() - 1] == ".":
            values.add(Decimal("0." + match["digits"].replace(",", "").replace(".", "")))  # batted.291
        if value == 11 and _SEPTEMBER.search(text, 0, match.start()):
            values.add(Decimal(911))
        if value < 100 and _CENTURY_LEFT_OUT.search(text, max(0, match.start() - 2), match.start()):
            values |= {1900 + value, 2000 + value}
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


def _date(digits: str) -> list[Decimal]:
    """Day, month and year of 12.05.2020 or 2020.05.12; empty for a version, an address, a telephone number."""
    parts = [Decimal(part) for part in digits.split(".")]
    if len(parts) == 3 and parts[0] > parts[2]:
        parts.reverse()
    is_date = len(parts) == 3 and all(1 <= part <= 31 for part in parts[:2]) and 1800 <= parts[2] < 2100
    return parts if is_date else []


def _values_en(value: Decimal, after: str, is_money: bool) -> set[Decimal]:
    """What ``value`` may be in Chinese, with the scale, the clock or the decade that comes ``after`` it."""
    if scale := _SCALE_AFTER.match(after):
        name = scale[1].lower()
        scaled = value * _SCALES[name]
        # "2 to 3 million" may be two or two million; "5 m" is metres as likely as millions, "$5m" is not.
        unsure = (name in _AMBIGUOUS and not is_money) or any(map(str.isdigit, scale[0]))
        return {scaled, value} if unsure else {scaled}
    if prefix := _PREFIX_AFTER.match(after):
        power = _PREFIXES[(prefix[1] or prefix[2])[0].lower()]
        return {value * 1000**left for left in range(power + 1)}
    if _CLOCK_AFTER.match(after) and value < 100:
        return {*_hours(value, after), *_hours(value // 1, after)}  # 10.30 a.m.
    if _DECADE_AFTER.match(after) and 10 <= value < 10**4 and value % 10 == 0:
        # the 1980s: 1980年代, 20世纪80年代; the 1900s: 20世纪; the 80s: 80年代, 1980年代, 20世纪80年代.
        return {value, value % 100, value // 100 + 1} if value >= 100 else {value, 1900 + value, Decimal(20)}
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
    text = _DECADE_IN_WORDS.sub(_decade_in_digits, text)
    values = {value for number in numbers_en(text) for value in number.values}
    words = _EN_WORD.findall(text)
    values |= {Decimal(str(value)) for word in words for value in _IMPLIED.get(word.lower(), ())}
    values |= {_roman(word) for word in words if _ROMAN.keys() >= set(word)}
    for run in _word_runs(text):
        values = values.union(*_run_values(run))
    for over, under in [_SIGNS[char] for char in _SIGNS.keys() & set(text)] + _fractions_in_words(text):
        values |= _share(Decimal(over), Decimal(under)) | {Decimal(over), Decimal(under)}
    for share, scale in _SHARE_OF.findall(text.lower()):
        values |= {Decimal(str(part)) * _SCALES[scale] for part in _IMPLIED[share] if part < 1}
    return values


# half a million, a quarter of a million, three quarters of a billion
_SHARE_OF = re.compile(
    rf"\b(half|quarter|quarters)\s+(?:of\s+)?an?\s+({'|'.join(s for s in _SCALES if len(s) > 2)})\b"
)


# nineteen-thirties
_DECADE_IN_WORDS = re.compile(
    rf"\b(eighteen|nineteen|twenty)[\s-]+({'|'.join(word[:-1] + 'ies' for word in _TENS)})\b", re.IGNORECASE
)


def _decade_in_digits(match: re.Match[str]) -> str:
    return f"{_WORDS[match[1].lower()]}{_WORDS[match[2].lower()[:-3] + 'y']}s"


# one fifth, three-tenths: not twenty-fifth, nor thirty-one thirds
_PARTS = "|".join(word for word in _WORDS if word.endswith(("th", "third")))
_FRACTION_IN_WORDS = re.compile(rf"(?<!ty[\s-])\b({'|'.join(_SMALL[1:])})[\s-]+({_PARTS})s?\b")


def _fractions_in_words(text: str) -> list[tuple[int, int]]:
    return [(_WORDS[over], _WORDS[under]) for over, under in _FRACTION_IN_WORDS.findall(text.lower())]


def _share(over: Decimal, under: Decimal) -> set[Decimal]:
    """A fraction as a decimal and as percent: 0.25 and 25; two thirds are 66 or 67 of a hundred."""
    percent = 100 * over / under
    return {over / under, percent} | ({percent // 1, round(percent, 0)} if percent < 1000 else set())


_INSIDE_RUN = {"and", "a", "half", "point", ","}


def _word_runs(text: str) -> Iterator[list[str]]:
    """The stretches of number words: "eight hundred and ninety-one" is one, with commas as they stand in it."""
    run: list[str] = []
    previous = ""
    for word in [*_EN_TOKEN.findall(text.lower()), ""]:
        number = word in _WORDS or word in _MAGNITUDES
        at_one_point = word == "point" and run == ["one"] and previous == "at"
        if number and run[-1:] == ["and"] and run[-2] not in _MAGNITUDES:  # sixty and eighty million
            yield run[:-1]
            run = [word]
        elif number or (run and word in _INSIDE_RUN and not at_one_point):
            run.append(word)
        elif run:
            while run[-1] in (",", "point"):
                run.pop()
            yield run
            run = []
        if not run:
            previous = word


def _run_values(run: list[str]) -> tuple[set[Decimal], set[Decimal]]:
    """What a stretch of number words may mean as a whole, and the values of its parts."""
    if "," in run:
        return _with_commas(run)
    if "point" in run[1:-1]:
        return _decimal(run)
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
    if run[-1:] == ["second"] and len(run) > 1:
        whole |= _run_values(run[:-1])[0]  # a thirty-second advertisement
    return whole, parts


def _with_commas(run: list[str]) -> tuple[set[Decimal], set[Decimal]]:
    """The same for words with commas: one number (one million, two hundred thousand) or several (ten, twenty)."""
    pieces = [list(piece) for comma, piece in groupby(run, ",".__eq__) if not comma]
    for end in range(2, min(len(pieces), _MOST_JOINED) + 1):
        pieces.append([word for piece in pieces[:end] for word in piece])
    whole: set[Decimal] = set()
    parts: set[Decimal] = set()
    for piece in pieces:
        whole, parts = whole | _run_values(piece)[0], parts | _run_values(piece)[1]
    return whole, parts


_MOST_JOINED = 5  # more stretches than that are a list


def _decimal(run: list[str]) -> tuple[set[Decimal], set[Decimal]]:
    """The same for words with a point among them: one point two five million is 1,250,000."""
    at = run.index("point")
    digits = list(takewhile(_WORDS.__contains__, run[at + 1 :]))
    spoken = re.sub(
        r"\b([2-9])0 (?=[1-9]\b)", r"\1", " ".join(str(_WORDS[word]) for word in digits)
    )  # twenty-five
    (whole, parts), (_, rest) = _run_values(run[:at]), _run_values(run[at + 1 :])
    fraction = Decimal("0." + (spoken.replace(" ", "") or "0"))
    scale = prod(_MAGNITUDES.get(word, 1) for word in run[at + 1 + len(digits) :])
    return {(value + fraction) * scale for value in whole}, parts | rest


_LEAST_REQUIRED = 13  # smaller numbers in words are often idiom: one another, ten to one, a dozen


def _large_words(text: str) -> Iterator[Number]:
    """The numbers of at least thirteen that English ``text`` writes in words."""
    words = _EN_WORD.findall(text.lower())
    # "sixty to eighty million": the scale may be that of a later number.
    scales = {Decimal(_MAGNITUDES[word]) for word in words if _MAGNITUDES.get(word, 0) >= 1000}
    for run in _word_runs(_FRACTION_IN_WORDS.sub("", text.lower())):
        count = [word for word in run if word in (",", "point") or word not in _YEARS.keys() | _INSIDE_RUN]
        whole = _run_values(count)[0]
        fraction = any(word.endswith("th") for word in count if word in _MAGNITUDES)
        if not fraction and any(word in _WORDS for word in count) and max(whole) >= _LEAST_REQUIRED:
            values = whole | _run_values(run)[0]
            name = " ".join(word for word in count if word != ",")
            yield Number(name, frozenset(values | {v * scale for v in values for scale in scales}))


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
_ZH_POINT = re.compile(rf"([{_D}十百千\d]+)([点时米元块秒度])([{_D}\d]+)", re.ASCII)
_SPACED = re.compile(r"\d{1,3}(?:\s\d{3})+", re.ASCII)
# 两千多千米, 50兆, 3个百分点: the last character may belong to the unit. (兆 is a million on the mainland.)
_UNIT_PREFIX = re.compile("千?兆|千(?=[米克瓦卡帕焦赫伏吨]|字节|比特)|百(?=分点|帕)")
_RANGE_SIGN = re.compile(r"\s*[到至或~～\-–—－]\s*")
_ZH_FRACTION = re.compile(rf"([{_D}十百\d]+)分之([{_D}十百\d]+)", re.ASCII)
_ZH_DOZENS = re.compile(rf"([{_D}十\d]+)打", re.ASCII)
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
    values = {value for match in _zh_runs(text) for value in _readings(match)}
    values |= {Decimal(str(value)) for char in set(text) for value in _ZH_IMPLIED.get(char, ())}
    for whole, unit, fraction in _ZH_POINT.findall(text):
        digits = "".join(str(_ZH_DIGITS.get(char, char)) for char in fraction)
        values |= {value + Decimal(f"0.{digits}") for value in _run_readings(whole)}
        if unit in "米元块":
            values.add(Decimal(digits.ljust(2, "0")))  # 一米六: one metre sixty
    for under, over in _ZH_FRACTION.findall(text):
        values |= {
            part for u in _run_readings(under) if u for o in _run_readings(over) for part in _share(o, u)
        }
    for dozens in _ZH_DOZENS.findall(text):
        values |= {12 * value for value in _run_readings(dozens)}
    for tenths, hundredths in _ZH_TENTHS.findall(text):
        value = Decimal(_ZH_DIGITS.get(tenths, tenths)) * 10 + Decimal(
            _ZH_DIGITS.get(hundredths, hundredths) or 0
        )
        values |= {value, 100 - value}
    if "半" in text:
        values |= {value + Decimal("0.5") for value in values}
    return values


def _readings(match: re.Match[str]) -> set[Decimal]:
    """What the stretch ``match`` may mean where it stands: its scale may be a unit's, or that of a range's end."""
    readings = _run_readings(match[0])
    here = match.string[match.start() : match.end() + 2]
    if _UNIT_PREFIX.search(here) and (bare := _ZH_RUN.match(_UNIT_PREFIX.sub("", here))):
        readings |= _run_readings(bare[0])
    if here[len(match[0]) :].startswith("折"):
        readings |= {100 - value * (10 if value < 10 else 1) for value in readings if value < 100}
    if here[len(match[0]) :].startswith(("斤", "里")):
        readings |= {value / 2 for value in readings}  # half a kilogram, half a kilometre
    sign = _RANGE_SIGN.match(match.string, match.end())
    if sign and (high := _ZH_RUN.match(match.string, sign.end())):
        scale = prod(_ZH_UNITS[char] for char in takewhile(_ZH_UNITS.__contains__, reversed(high[0].strip())))
        readings |= {value * scale for value in readings}  # 2到3万
    return readings


def _run_readings(run: str) -> set[Decimal]:
    tokens = _ZH_TOKEN.findall(run)
    readings = {_evaluate(tokens)}
    readings |= {
        Decimal(token.replace(",", ""))
        for token, after in zip(tokens, [*tokens[1:], ""], strict=True)
        if token[0].isdigit() and token.isascii() and _ZH_UNITS.get(after, 0) < 100  # 3.1万 is never 3.1
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
    source = _POWERS.sub(r"\1", source.translate(_FULL_WIDTH))
    source = _DECADE_IN_WORDS.sub(_decade_in_digits, source)
    if "新冠" in translation or "冠状" in translation:
        source = _RENAMED.sub("", source)
    wanted = numbers_en(source)
    missing = [
        Number(sign, frozenset())
        for sign, forms in _FRACTIONS.items()
        if sign in source and not any(form in translation for form in (sign, *forms))
    ]
    wanted += _large_words(source)
    written = {*_WHOLE.findall(translation), *_EN_WORD.findall(translation)}  # most stay as they are
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
            15 if word == "quarter" else _WORDS.get(word) or int(word) for word in before.lower().split("-")
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
    right = _in_chinese(number)
    if (
        _RANGE_END.search(before)
        or _RANGE_START.match(after)
        or _UNIT_PREFIX.search(wrong + after[:2])
        or not _of_one_size(right, wrong, number.text)
        or _measured_otherwise(source, number.text, after)
    ):
        return translation
    return before + right + after


_RANGE_END = re.compile(rf"[\d{_D}{_U}]{_RANGE_SIGN.pattern}$", re.ASCII)
_RANGE_START = re.compile(rf"{_RANGE_SIGN.pattern}[\d{_D}{_U}]", re.ASCII)


def _of_one_size(right: str, wrong: str, original: str) -> bool:
    """Can ``wrong`` be a slip for ``right``, not the same amount in another scale (1.5 gigatons as 15亿吨)?"""
    if not _ZH_DIGITS.keys().isdisjoint(wrong):  # 周六100 is two things
        return False
    garbled = re.match(r"0\d", wrong)  # 02 for 0.2
    if not garbled and ("." in wrong) not in ("." in right, "." in original):
        return False
    if [char for char in wrong if char in _ZH_UNITS] == [char for char in right if char in _ZH_UNITS]:
        return True
    one, other = _evaluate(_ZH_TOKEN.findall(right)), _evaluate(_ZH_TOKEN.findall(wrong))
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
            scale = rf"(?:[\s-]?(?:{'|'.join(_SCALES)})\b)?"
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
            values = {Decimal(match["digits"].replace(",", "")) * _MAGNITUDES[match["scale"].lower()]}
        else:
            words = [word for word in _EN_WORD.findall(match[0].lower()) if word not in ("a", "an", "and")]
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
        if known.isdisjoint(_readings(match))
        and not (clock and _CLOCK_UNITS.match(match.string, match.end()))
    ]
