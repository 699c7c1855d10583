"""What can be put right in a Chinese sentence without touching what it says: spellings, words and names.

Corpora that were converted from Traditional characters, or collected from everywhere, spell one word in several
ways: 什么 and 甚么, 汤姆 and Tom. A small model that learns both writes both; so ``repair`` chooses the spelling
of mainland China, which the rest of the data has.
"""

from __future__ import annotations

import re

from translit.data.names import names

# Characters that conversion left over or got wrong, and spellings that Simplified Chinese does not have.
_SPELLINGS = {
    "甚么": "什么", "甚麽": "什么", "什麽": "什么", "怎麽": "怎么", "那麽": "那么", "这麽": "这么",
    "妳": "你", "牠": "它", "後": "后", "裏": "里", "裡": "里", "佔": "占", "嚐": "尝", "併": "并", "儘": "尽",
    "湯": "汤", "瑪": "玛", "麗": "丽", "樂": "乐", "显着": "显著", "卓着": "卓著", "土着": "土著", "着名": "著名",
}  # fmt: skip
# Words of Taiwan and Hong Kong, each with what the source must name: 公分 is also a gram, 雪梨 also a pear.
_WORDS = (
    ("计程车", "出租车", "taxi|cab"), ("脚踏车", "自行车", "bicycle|bike|cycl"), ("公车", "公交车", r"\bbus(?:es)?\b"),
    ("义大利", "意大利", "Ital"), ("纽西兰", "新西兰", "New Zealand"), ("雪梨", "悉尼", "Sydney"),
    ("沙乌地", "沙特", "Saudi"), ("伊莉萨白", "伊丽莎白", "Elizabeth"), ("玛莉", "玛丽", "Mary"),
    ("计画", "计划", "plan|project|program"), ("公尺", "米", "met(?:er|re)"), ("公分", "厘米", r"centimet|\bcm"),
    ("部落格", "博客", "blog"), ("硬碟", "硬盘", "disk|drive"), ("光碟", "光盘", "disc|CD|DVD"),
    ("滑鼠", "鼠标", "mouse"), ("萤幕", "屏幕", "screen|monitor"), ("荧幕", "屏幕", "screen|monitor"),
    ("太空人", "宇航员", "astronaut"), ("幼稚园", "幼儿园", "kindergarten|nursery"),
)  # fmt: skip
# 着 is right where it belongs to another word, as in 明显着急, 泥土着火, 写着名字: so only where it cannot.
_END = "[，。；、：！？,.;!?）)”」》]|$"
_SAFE = {
    "显着": f"(?<![明彰凸突尽浮])显着(?=[的地性]|{_END}|提[高升]|增[加长强]|减[少小轻]|下降|降低|上升|改[善变进]"
    "|变化|差[异别]|影响|效[果益]|成[效就绩]|不同|特[点征色]|优势|进[步展]|[高低优大小多少好强]于|区别|作用)",
    "卓着": f"卓着(?=的|{_END})",
    "土着": f"土着(?=人|居民|民族|部[落族]|文化|语言?|们|社[区会]|族群|音乐|艺术|妇女|儿童|{_END})",
    "着名": "(?:(?<=[最更很些个位座所的是国界际])|(?<=[一两几]家)|(?<=非常)|(?<=十分)|(?<![^，。；、：！？“「（]))"
    f"着名(?![字单称片牌为利贵])|(?<![写刻印签记挂留报叫喊带味])着名(?=[的于]|{_END})",
}
_ANY_SPELLING = re.compile("|".join(_SAFE.get(wrong, wrong) for wrong in _SPELLINGS))
_ANY_WORD = re.compile("|".join(word for word, _, _ in _WORDS))
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'.·-]*")
_LATIN_NAME = re.compile(r"(?<![\w'·.(（“\"-])(?<![(（] )[A-Z][a-z]{2,}(?![\w'·)）”\"-])", re.ASCII)
# Names that are more often something else where they are left in Latin letters: languages, programs, titles.
_NOT_PEOPLE = frozenset(
    [
        "Adam",
        "Ruby",
        "Julia",
        "Hugo",
        "Max",
        "Mark",
        "Oscar",
        "Felix",
        "Frank",
        "Grace",
        "Rose",
        "Victoria",
        "Dylan",
    ]
)


def repair(source: str, target: str) -> str:
    """``target`` in the spelling of mainland China, with first names that ``source`` has in Chinese characters.

    A name stays where other Latin words stand with it (Tom Hanks, 约翰（John）, a text about programs).
    """
    if _ANY_SPELLING.search(target):
        target = _ANY_SPELLING.sub(lambda match: _SPELLINGS[match[0]], target)
    if _ANY_WORD.search(target):
        for word, usual, meaning in _WORDS:
            if word in target and re.search(meaning, source, re.IGNORECASE):
                target = target.replace(word, usual)
    words = _LATIN_WORD.findall(target)
    if words and all(_in_chinese(word, source) != word for word in words):
        return _LATIN_NAME.sub(lambda match: _in_chinese(match[0], source), target)
    return target


def _in_chinese(word: str, source: str) -> str:
    name = names().get(word)
    if name is None or name.kind not in ("man", "woman") or word in _NOT_PEOPLE:
        return word
    return name.chinese[0] if re.search(rf"\b{word}\b(?! [A-Z])", source) else word
