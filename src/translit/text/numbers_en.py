"""The numbers of an English text, each with every value that may stand for it in Chinese."""

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

SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "k": 1000, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12, "dozen": 12,
    "mln": 10**6, "mil": 10**6, "lakh": 10**5, "crore": 10**7,
}  # fmt: skip
# Also kelvin, metres, mils, bytes; lakhs may keep their name.
_AMBIGUOUS = {"k", "m", "mn", "mil", "b", "lakh", "crore"}

SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_MONTHS = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
]  # fmt: skip
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12,
}  # fmt: skip
NUMBER_WORDS = {word: value for value, word in enumerate(SMALL)}
NUMBER_WORDS |= {word: 10 * value for value, word in enumerate(TENS, 2)}
NUMBER_WORDS |= {word + "th": value for word, value in NUMBER_WORDS.items()} | _ORDINALS
NUMBER_WORDS |= {word[:-1] + "ieth": 10 * value for value, word in enumerate(TENS, 2)}
MAGNITUDES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
MAGNITUDES |= {word + suffix: value for word, value in MAGNITUDES.items() for suffix in ("s", "th")}
_YEARS = {"decades": 10, "centuries": 100}
MAGNITUDES |= _YEARS

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

DIGITS = r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?(?!,?\d)|\d+(?:\.\d+)?"
_NUMBER = re.compile(
    rf"""
    (?P<hour>\b[0-2]?\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?!\d)
    |(?<![\d/.,])(?:(?P<whole>\d+)[\ -])?(?P<over>[1-9]\d?)/(?P<under>[1-9]\d?)(?![\d/])
    |(?P<mixed>\d+)[\ ]?(?P<sign>[½¼¾⅓⅔])
    |(?P<spaced>(?<![\d.,])\d{{1,3}}(?:[\ \u00a0\u2009\u202f]\d{{3}})+(?![\d.,]?\d))
    |(?P<verbatim>\d+(?:\.\d+){{2,}}|(?<![\d.,:/-])0\d{{2,}}(?![\d.]))
    |(?P<digits>(?<![\w.])\.\d+(?!\w|\.\d)|{DIGITS})
    """,
    re.VERBOSE | re.ASCII,
)
# Fractions with a sign of their own, as their parts.
_SIGNS = {"½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3)}
# What follows a number and changes its value: a scale (maybe behind a range's other end), a clock, a decade.
_SCALE_AFTER = re.compile(
    rf"(?:\s*(?:-|–|—|to|and|or)\s*\$?(?:{DIGITS}))?[\s-]?({'|'.join(SCALES)})s?\b",
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
_MONEY_BEFORE = re.compile(r"[$€£¥₹₩]\s?$")
_YEAR_BEFORE = re.compile(r"(\d\d)\d\d[-–/]$", re.ASCII)
_SEPTEMBER = re.compile(r"\bsept(?:\.|ember)?\s$", re.IGNORECASE)
_CENTURY_LEFT_OUT = re.compile(r"(?<!\w)['’‘]$")  # '95
_DECADE_AFTER = re.compile(r"['’]?s\b", re.ASCII | re.IGNORECASE)
WORD = re.compile(r"[A-Za-z]+")
_TOKEN = re.compile(r"[A-Za-z]+|[\d,.;:!?()/\"“”–—]")


def numbers_en(text: str) -> list[Number]:
    """The numbers in digits of English ``text``, each with the values that may stand for it in Chinese."""
    return [number for match in _NUMBER.finditer(text) for number in _read_en(match, text)]


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
        scaled = value * SCALES[name]
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
    text = decades_in_digits(text)
    values = {value for number in numbers_en(text) for value in number.values}
    words = WORD.findall(text)
    values |= {Decimal(str(value)) for word in words for value in _IMPLIED.get(word.lower(), ())}
    values |= {_roman(word) for word in words if _ROMAN.keys() >= set(word)}
    for run in _word_runs(text):
        values = values.union(*run_values(run))
    for over, under in [_SIGNS[char] for char in _SIGNS.keys() & set(text)] + _fractions_in_words(text):
        values |= share_values(Decimal(over), Decimal(under)) | {Decimal(over), Decimal(under)}
    for share, scale in _SHARE_OF.findall(text.lower()):
        values |= {Decimal(str(part)) * SCALES[scale] for part in _IMPLIED[share] if part < 1}
    return values


# half a million, a quarter of a million, three quarters of a billion
_SHARE_OF = re.compile(
    rf"\b(half|quarter|quarters)\s+(?:of\s+)?an?\s+({'|'.join(s for s in SCALES if len(s) > 2)})\b"
)


# nineteen-thirties
_DECADE_IN_WORDS = re.compile(
    rf"\b(eighteen|nineteen|twenty)[\s-]+({'|'.join(word[:-1] + 'ies' for word in TENS)})\b", re.IGNORECASE
)


def decades_in_digits(text: str) -> str:
    """``text`` with 1930s for "nineteen-thirties"."""
    return _DECADE_IN_WORDS.sub(
        lambda match: f"{NUMBER_WORDS[match[1].lower()]}{NUMBER_WORDS[match[2].lower()[:-3] + 'y']}s", text
    )


# one fifth, three-tenths: not twenty-fifth, nor thirty-one thirds
_PARTS = "|".join(word for word in NUMBER_WORDS if word.endswith(("th", "third")))
_FRACTION_IN_WORDS = re.compile(rf"(?<!ty[\s-])\b({'|'.join(SMALL[1:])})[\s-]+({_PARTS})s?\b")


def _fractions_in_words(text: str) -> list[tuple[int, int]]:
    return [
        (NUMBER_WORDS[over], NUMBER_WORDS[under]) for over, under in _FRACTION_IN_WORDS.findall(text.lower())
    ]


def share_values(over: Decimal, under: Decimal) -> set[Decimal]:
    """A fraction as a decimal and as percent: 0.25 and 25; two thirds are 66 or 67 of a hundred."""
    percent = 100 * over / under
    return {over / under, percent} | ({percent // 1, round(percent, 0)} if percent < 1000 else set())


_INSIDE_RUN = {"and", "a", "half", "point", ","}


def _word_runs(text: str) -> Iterator[list[str]]:
    """The stretches of number words: "eight hundred and ninety-one" is one, with commas as they stand in it."""
    run: list[str] = []
    previous = ""
    for word in [*_TOKEN.findall(text.lower()), ""]:
        number = word in NUMBER_WORDS or word in MAGNITUDES
        at_one_point = word == "point" and run == ["one"] and previous == "at"
        if number and run[-1:] == ["and"] and run[-2] not in MAGNITUDES:  # sixty and eighty million
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


def run_values(run: list[str]) -> tuple[set[Decimal], set[Decimal]]:
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
        elif (small := NUMBER_WORDS.get(word)) is not None:
            if groups and groups[-1] % 10 == 0 and groups[-1] >= 20 and small < 10:
                groups[-1] += small
            else:
                groups.append(small)
            parts |= {Decimal(small), Decimal(groups[-1])}
            section += small
        elif (scale := MAGNITUDES[word]) == 100:
            section = (section or _ONE) * 100
        else:
            total += (section or _ONE) * scale
            section = Decimal(0)
        parts |= {section, total}
    whole = {total + section}
    if len(groups) >= 2 and MAGNITUDES.keys().isdisjoint(run):
        # A year (nineteen eighty-four), a price or a decimal (six point nine), digits (four one one).
        head, tail = str(groups[0]), "".join(map(str, groups[1:]))
        whole |= {Decimal(head + tail), Decimal(f"{head}.{tail}"), Decimal(groups[0] * 100 + groups[1])}
        whole |= {Decimal(group) for group in groups}
    if run[-1:] == ["second"] and len(run) > 1:
        whole |= run_values(run[:-1])[0]  # a thirty-second advertisement
    return whole, parts


def _with_commas(run: list[str]) -> tuple[set[Decimal], set[Decimal]]:
    """The same for words with commas: one number (one million, two hundred thousand) or several (ten, twenty)."""
    pieces = [list(piece) for comma, piece in groupby(run, ",".__eq__) if not comma]
    for end in range(2, min(len(pieces), _MOST_JOINED) + 1):
        pieces.append([word for piece in pieces[:end] for word in piece])
    whole: set[Decimal] = set()
    parts: set[Decimal] = set()
    for piece in pieces:
        whole, parts = whole | run_values(piece)[0], parts | run_values(piece)[1]
    return whole, parts


_MOST_JOINED = 5  # more stretches than that are a list


def _decimal(run: list[str]) -> tuple[set[Decimal], set[Decimal]]:
    """The same for words with a point among them: one point two five million is 1,250,000."""
    at = run.index("point")
    digits = list(takewhile(NUMBER_WORDS.__contains__, run[at + 1 :]))
    spoken = re.sub(
        r"\b([2-9])0 (?=[1-9]\b)", r"\1", " ".join(str(NUMBER_WORDS[word]) for word in digits)
    )  # twenty-five
    (whole, parts), (_, rest) = run_values(run[:at]), run_values(run[at + 1 :])
    fraction = Decimal("0." + (spoken.replace(" ", "") or "0"))
    scale = prod(MAGNITUDES.get(word, 1) for word in run[at + 1 + len(digits) :])
    return {(value + fraction) * scale for value in whole}, parts | rest


LEAST_REQUIRED = 13  # smaller numbers in words are often idiom: one another, ten to one, a dozen


def large_words(text: str) -> Iterator[Number]:
    """The numbers of at least thirteen that English ``text`` writes in words."""
    words = WORD.findall(text.lower())
    # "sixty to eighty million": the scale may be that of a later number.
    scales = {Decimal(MAGNITUDES[word]) for word in words if MAGNITUDES.get(word, 0) >= 1000}
    for run in _word_runs(_FRACTION_IN_WORDS.sub("", text.lower())):
        count = [word for word in run if word in (",", "point") or word not in _YEARS.keys() | _INSIDE_RUN]
        whole = run_values(count)[0]
        fraction = any(word.endswith("th") for word in count if word in MAGNITUDES)
        if not fraction and any(word in NUMBER_WORDS for word in count) and max(whole) >= LEAST_REQUIRED:
            values = whole | run_values(run)[0]
            name = " ".join(word for word in count if word != ",")
            yield Number(name, frozenset(values | {v * scale for v in values for scale in scales}))


def _roman(word: str) -> Decimal:
    numerals = [_ROMAN[char] for char in word]
    return Decimal(sum(-a if a < b else a for a, b in zip(numerals, [*numerals[1:], 0], strict=True)))
