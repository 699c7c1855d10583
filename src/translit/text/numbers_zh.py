"""The values that the numerals of a Chinese text may have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import takewhile
from math import prod

from translit.text.numbers_en import DIGITS, share_values

NUMERAL_VALUES = {char: value for value, char in enumerate("零一二三四五六七八九")}
NUMERAL_VALUES |= {"〇": 0, "○": 0, "两": 2, "兩": 2, "俩": 2, "仨": 3} | {
    c: v for v, c in enumerate("壹贰叁肆伍陆柒捌玖", 1)
}
UNIT_VALUES = {
    "十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12,
}  # fmt: skip
UNIT_VALUES |= {"拾": 10, "佰": 100, "仟": 1000}
# Characters that imply values without being numerals: 半 (half), 刻 (quarter hour), 双 (pair), 首 (first) …
_IMPLIED: dict[str, tuple[float, ...]] = {
    "半": (0.5, 30, 50, 6), "刻": (15, 45), "双": (2,), "对": (2,), "打": (12,), "首": (1,), "初": (1,),
    "元": (1,), "单": (1,), "廿": (20,), "卅": (30,), "无": (0,), "没": (0,), "整": (0, 100), "全": (100,),
    "头": (1,), "每": (1,),
    "百": (100,), "千": (1000,), "万": (10**4,), "亿": (10**8,),
}  # fmt: skip

NUMERALS = "".join(NUMERAL_VALUES)
UNITS = "".join(UNIT_VALUES)
_RUN = re.compile(
    rf"(?:(?:{DIGITS})\s*|[{NUMERALS}{UNITS}]|(?<=[\d{NUMERALS}{UNITS}])[多余几来个](?=[{UNITS}]))+", re.ASCII
)
TOKEN = re.compile(rf"{DIGITS}|[{NUMERALS}{UNITS}]", re.ASCII)
# 三点五 is 3.5; so are 3米5, 3元5 and 3秒5.
_POINT = re.compile(rf"([{NUMERALS}十百千\d]+)([点时米元块秒度])([{NUMERALS}\d]+)", re.ASCII)
_SPACED = re.compile(r"\d{1,3}(?:\s\d{3})+", re.ASCII)
# 两千多千米, 50兆, 3个百分点: the last character may belong to the unit. (兆 is a million on the mainland.)
UNIT_PREFIX = re.compile("千?兆|千(?=[米克瓦卡帕焦赫伏吨]|字节|比特)|百(?=分点|帕)")
RANGE_SIGN = re.compile(r"\s*[到至或~～\-–—－]\s*")
_FRACTION = re.compile(rf"([{NUMERALS}十百\d]+)分之([{NUMERALS}十百\d]+)", re.ASCII)
_DOZENS = re.compile(rf"([{NUMERALS}十\d]+)打", re.ASCII)
_TENTHS = re.compile(rf"([{NUMERALS}\d](?:\.\d)?)\s*[成折角毛旬]([{NUMERALS}\d]?)", re.ASCII)
FULL_WIDTH = str.maketrans("０１２３４５６７８９：．％，", "0123456789:.%,")


def runs(text: str) -> Iterator[re.Match[str]]:
    """The stretches of Chinese ``text`` that write a number in digits, numerals or both (3.2万)."""
    return _RUN.finditer(text.translate(FULL_WIDTH))


def values_zh(text: str) -> set[Decimal]:
    """Every value that Chinese ``text`` may stand for."""
    text = text.translate(FULL_WIDTH)
    values = {value for match in runs(text) for value in values_at(match)}
    values |= {Decimal(str(value)) for char in set(text) for value in _IMPLIED.get(char, ())}
    for whole, unit, fraction in _POINT.findall(text):
        digits = "".join(str(NUMERAL_VALUES.get(char, char)) for char in fraction)
        values |= {value + Decimal(f"0.{digits}") for value in _run_readings(whole)}
        if unit in "米元块":
            values.add(Decimal(digits.ljust(2, "0")))  # 一米六: one metre sixty
    for under, over in _FRACTION.findall(text):
        values |= {
            part
            for u in _run_readings(under)
            if u
            for o in _run_readings(over)
            for part in share_values(o, u)
        }
    for dozens in _DOZENS.findall(text):
        values |= {12 * value for value in _run_readings(dozens)}
    for tenths, hundredths in _TENTHS.findall(text):
        value = Decimal(NUMERAL_VALUES.get(tenths, tenths)) * 10 + Decimal(
            NUMERAL_VALUES.get(hundredths, hundredths) or 0
        )
        values |= {value, 100 - value}
    if "半" in text:
        values |= {value + Decimal("0.5") for value in values}
    return values


def values_at(match: re.Match[str]) -> set[Decimal]:
    """What the stretch ``match`` may mean where it stands: its scale may be a unit's, or that of a range's end."""
    readings = _run_readings(match[0])
    here = match.string[match.start() : match.end() + 2]
    if UNIT_PREFIX.search(here) and (bare := _RUN.match(UNIT_PREFIX.sub("", here))):
        readings |= _run_readings(bare[0])
    if here[len(match[0]) :].startswith("折"):
        readings |= {100 - value * (10 if value < 10 else 1) for value in readings if value < 100}
    if here[len(match[0]) :].startswith(("斤", "里")):
        readings |= {value / 2 for value in readings}  # half a kilogram, half a kilometre
    sign = RANGE_SIGN.match(match.string, match.end())
    if sign and (high := _RUN.match(match.string, sign.end())):
        scale = prod(
            UNIT_VALUES[char] for char in takewhile(UNIT_VALUES.__contains__, reversed(high[0].strip()))
        )
        readings |= {value * scale for value in readings}  # 2到3万
    return readings


def _run_readings(run: str) -> set[Decimal]:
    tokens = TOKEN.findall(run)
    readings = {evaluate(tokens)}
    readings |= {
        Decimal(token.replace(",", ""))
        for token, after in zip(tokens, [*tokens[1:], ""], strict=True)
        if token[0].isdigit() and token.isascii() and UNIT_VALUES.get(after, 0) < 100  # 3.1万 is never 3.1
    }
    if _SPACED.fullmatch(run.strip()):
        readings.add(Decimal(re.sub(r"\s", "", run)))
    numerals = [NUMERAL_VALUES[token] for token in tokens if token in NUMERAL_VALUES]
    if len(numerals) == len(tokens):  # 二〇二〇 digit by digit; 两三 天 either
        readings |= {Decimal("".join(map(str, numerals)))} | set(map(Decimal, numerals))
    readings |= set(_colloquial(tokens)) | set(_parts(tokens))
    return readings


def evaluate(tokens: list[str]) -> Decimal:
    """The value of a mixed numeral: 一亿2000万 → 120,000,000."""
    total = section = number = Decimal(0)
    after_digit = False
    for token in tokens:
        if unit := UNIT_VALUES.get(token):
            if unit < 10**4:
                section += (number or 1) * unit
            elif section + number or not total:
                total += (section + number or 1) * unit
                section = Decimal(0)
            else:  # 万亿
                total *= unit
            number, after_digit = Decimal(0), False
        else:
            digit = Decimal(NUMERAL_VALUES.get(token, token.replace(",", "")))
            number = number * 10 + digit if after_digit and token in NUMERAL_VALUES else digit
            after_digit = True
    return total + section + number


def _colloquial(tokens: list[str]) -> Iterator[Decimal]:
    """一万二 is 12,000 and 三百二 320: a last digit after a unit counts tenths of that unit."""
    if len(tokens) >= 3 and tokens[-1] in NUMERAL_VALUES and UNIT_VALUES.get(tokens[-2], 0) >= 100:
        yield evaluate(tokens[:-1]) + Decimal(NUMERAL_VALUES[tokens[-1]]) * UNIT_VALUES[tokens[-2]] / 10


def _parts(tokens: list[str]) -> Iterator[Decimal]:
    """The values of the stretches between two units: 十七八 holds 17 and 18, 两三百 200 and 300."""
    for index in range(len(tokens) - 1):
        if tokens[index] in NUMERAL_VALUES and tokens[index + 1] in NUMERAL_VALUES:
            yield evaluate(tokens[: index + 1])
            yield evaluate(tokens[:index] + tokens[index + 1 :])
            units = [token for token in tokens[index + 2 :] if token in UNIT_VALUES]
            yield evaluate([*tokens[: index + 1], *units])
