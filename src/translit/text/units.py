"""Signs that belong to a number: currencies (€99.99, 50 USD), percent (50%), degrees (20 °C), measures (5 kg).

A translation keeps them as signs or as Chinese words: €5 is 5欧元.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from translit.text.numbers import in_chinese


@dataclass(frozen=True)
class _Unit:
    """How Chinese writes a unit behind its number, and the ``forms`` one of which it must use.

    ``other`` may stand instead where the number is another, too: 10斤 for 5 kg.
    """

    chinese: str
    forms: str  # a regular expression
    other: str = ""


_AS_IT_IS = "with its number"

_YUAN = "(?<![欧美港澳加坡台韩])[元圆]|[¥￥块币钱円]|RMB|CNY|JPY"
# Signs, name and country of the dollars that have signs of their own; "$" alone may be any.
_DOLLARS = {
    "US$ USD": ("美元", "美"), "HK$ HKD": ("港元", "港"), "NT$ TWD": ("新台币", "台"),
    "A$ AU$ AUD": ("澳元", "澳"), "C$ CA$ CAD": ("加元", "加"), "NZ$ NZD": ("新西兰元", "新西兰|纽"),
    "S$ SGD": ("新加坡元", "新加坡|新币|新元"),
}  # fmt: skip
_OF_NO_OTHER = "(?<![美港澳加新坡台欧日韩兰])元|[$＄圆块刀币钱]"
_EURO = "(?<![东南西北中])欧(?![洲盟美亚])"
_WON = "韩[元币圆]|(?<![欧美港澳加坡台日])元"
# Before or behind the number.
_CURRENCIES = {
    sign: _Unit(name, f"{country}|{_OF_NO_OTHER}")
    for signs, (name, country) in _DOLLARS.items()
    for sign in signs.split()
}
_CURRENCIES |= {
    "$": _Unit("美元", "(?<![欧日韩])[元圆]|[$＄块刀币钱]|美金"),
    "R$": _Unit("雷亚尔", "雷亚尔"), "BRL": _Unit("雷亚尔", "雷亚尔"),
    "€": _Unit("欧元", f"{_EURO}|EUR"), "EUR": _Unit("欧元", f"{_EURO}|€"),
    "£": _Unit("英镑", "镑|GBP"), "GBP": _Unit("英镑", "[镑£]"),
    "CHF": _Unit("瑞士法郎", "法郎"),
    "¥": _Unit(_AS_IT_IS, _YUAN), "JPY": _Unit("日元", _YUAN),  # ¥ is the yuan or the yen
    "CNY": _Unit("元", _YUAN), "RMB": _Unit("元", _YUAN),
    "₹": _Unit("卢比", "卢比|INR"), "INR": _Unit("卢比", "卢比|₹"),
    "₩": _Unit("韩元", f"{_WON}|KRW"), "KRW": _Unit("韩元", f"{_WON}|₩"),
    "₽": _Unit("卢布", "卢布|RUB"), "RUB": _Unit("卢布", "卢布|₽"),
    "₺": _Unit("里拉", "里拉"), "₪": _Unit("谢克尔", "谢克尔"), "₫": _Unit("越南盾", "盾"), "฿": _Unit("泰铢", "铢"),
    "₴": _Unit("格里夫纳", "格里夫纳"), "₦": _Unit("奈拉", "奈拉"), "₱": _Unit("比索", "比索"),
}  # fmt: skip
_DEGREE = "(?<![温程高速进角制态限长宽深浓密强幅力湿年季])度"  # not 温度
# Behind the number only.
_BEHIND = {
    "%": _Unit("%", r"[%％半折分全倍趴百]|[\d一二两三四五六七八九几]\s*成"),
    "¢": _Unit("美分", "[分¢毛角]"),
    "°C": _Unit("摄氏度", rf"(?<!华氏){_DEGREE}|°(?!\s?F)|℃|摄氏"),
    "°F": _Unit("华氏度", r"华氏|℉|°\s?F"),
    "°": _Unit("度", f"{_DEGREE}|[°º℃纬经角]"),
}
_BYTES = {"KB": "kB|字节", "kB": "KB|字节", "MB": r"兆|字节|\dM", "GB": r"千兆|字节|\dG", "TB": r"字节|\dT"}
_MEASURES = {
    "kg": _Unit("公斤", "公斤|千克|KG|Kg", "斤"), "mg": _Unit("毫克", "毫克"),
    "lb": _Unit("磅", "磅"), "lbs": _Unit("磅", "磅"),
    "km": _Unit("公里", "公里|千米|KM|Km", "(?<!英)里"), "cm": _Unit("厘米", "厘米|公分"), "mm": _Unit("毫米", "毫米"),
    "ml": _Unit("毫升", "毫升"), "mph": _Unit("英里/小时", "英里|哩|迈"),
    **{unit: _Unit(f" {unit}", forms) for unit, forms in _BYTES.items()},
}  # fmt: skip
_BEHIND |= _MEASURES
# 20k is 2万, or 两万; a 10k race may be ten kilometres, and a 4k picture stays one.
_BEHIND["k"] = _Unit("", r"[千万亿kK]|公里|\d{4}|\d,\d{3}|[零〇]")
_SPELLINGS = {"℃": "°C", "℉": "°F", "￥": "¥", "￡": "£", "U.S.$": "US$"}

_SIGNS = "|".join(map(re.escape, sorted([*_CURRENCIES, "￥", "￡", "U.S.$"], key=len, reverse=True)))
_NUMBER = r"(?:\d{1,3}(?:,\d{2,3})+|\d+)(?:\.\d+)?(?![\d])"
_SPACE = r"[ \u00a0\u202f]?"
_AMOUNT = re.compile(
    rf"""
    (?<![\w.,:/$€£¥])(?:(?P<before>{_SIGNS}){_SPACE})?(?P<minus>(?<![%°º℃℉])[-−])?
    (?P<low>{_NUMBER})(?:(?P<dash>[-–—])(?:{_SIGNS})?(?P<high>{_NUMBER}))?
    (?P<scale>[-\ \u00a0]?(?i:hundred|thousand|million|billion|trillion)\b|{_SPACE}(?i:k|mn?|bn?|tn)\b)?
    (?:{_SPACE}(?P<behind>%(?![\w(])|°{_SPACE}[CF]\b|[℃℉¢]|°(?!\w)|(?:{_SIGNS})(?![\w$])
        |(?:{"|".join(_MEASURES)})(?![\w/²³-])))?
    """.replace(_SPACE, _SPACE.replace(" ", "\\ ")),
    re.VERBOSE | re.ASCII,
)


def _find(text: str) -> Iterator[tuple[re.Match[str], str, _Unit]]:
    """The amounts of English ``text`` that have a unit, the sign of it, and the unit."""
    for match in _AMOUNT.finditer(text):
        sign = match["behind"] or match["before"] or (match["scale"] == "k" and "k")
        if sign and (match["behind"] or not _WORD_CHARACTER.match(text, match.end())):
            name = _SPELLINGS.get(sign) or re.sub(r"\s", "", sign)
            yield match, sign, _CURRENCIES.get(name) or _BEHIND[name]


_WORD_CHARACTER = re.compile(r"\w")


def lost(source: str, translation: str) -> list[str]:
    """The units of the English ``source``, and the minus signs before them, that ``translation`` lacks."""
    missing = {}
    for match, sign, unit in _find(source):
        other = unit.other if match["low"] not in translation else ""
        if sign not in translation and not re.search(
            f"{unit.forms}|{other}" if other else unit.forms, translation
        ):
            missing[sign] = f"{sign} of {match[0]}"
        elif match["minus"] and not (_BELOW if "°" in unit.forms else _LESS).search(translation):
            missing[match["minus"]] = f"{match['minus']} of {match[0]}"
    return list(missing.values())


# Minus, and the words for it: below zero; a decrease, a loss.
_BELOW = re.compile("[-−－–负零下]")
_LESS = re.compile("[-−－–负零下减降跌亏缩少低]")


def amounts(text: str) -> list[tuple[int, int, str]]:
    """Numbers of English ``text`` with a unit: where they stand, and how Chinese writes them.

    ``US$6 million`` is 600万美元, ``20 °C`` 20摄氏度.
    """
    return [(*match.span(), _chinese(match, unit)) for match, _, unit in _find(text)]


def _chinese(match: re.Match[str], unit: _Unit) -> str:
    if unit.chinese == _AS_IT_IS:
        return match[0]
    scale = (match["scale"] or "").strip(" -\u00a0\u202f")
    ends = [in_chinese(end, scale) for end in match.group("low", "high") if end]
    return ("-" if match["minus"] else "") + "-".join(ends) + unit.chinese
