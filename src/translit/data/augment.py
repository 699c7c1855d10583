"""Variants of a training pair that real users type: other names and numbers, what must be copied, lower case, typos.

A variant changes what is said (a name, a number, a placeholder, a second sentence), how it is typed (no capitals,
no full stop, a slip of the finger), or both; and both sides alike, so that the pair stays a right one. It is drawn
anew whenever a pair is seen, from a seeded generator: the model meets many variants without a larger corpus, and a
run can be repeated. A change that does not fit a pair leaves it alone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache

from translit.data.names import names
from translit.text.protect import find_spans
from translit.text.tokenizer import PLACEHOLDERS

Pair = tuple[str, str]

_END_MARKS = {".": "。", "?": "？", "!": "！"}


def augment(pair: Pair, neighbours: Sequence[Pair], rng: random.Random) -> Pair:
    """One random variant of ``pair``; ``neighbours`` are pairs that may be joined to it, one after the other."""
    which = rng.random()
    if which < 0.15:
        pair = joined(pair, neighbours, rng)
    elif which < 0.2:
        pair = carrier(pair, rng)
    elif which < 0.23:
        pair = emoji(pair, rng)
    elif which < 0.6:
        pair = _first_that_fits(_CONTENT, pair, rng)
    if rng.random() < 0.7:
        pair = _first_that_fits(_TYPING, pair, rng)
        if rng.random() < 0.3:  # people who spare the capitals spare the marks too
            pair = end_mark(pair, rng)
    return pair


def _first_that_fits(changes: Sequence[tuple[Change, int]], pair: Pair, rng: random.Random) -> Pair:
    """``pair`` after one change: the first, in an order drawn by their weights, that does anything to it."""
    # Sorting by u^(1/w) draws without replacement (Efraimidis & Spirakis 2006).
    for change, _ in sorted(changes, key=lambda c: -(rng.random() ** (1 / c[1]))):
        if (changed := change(pair, rng)) != pair:
            return changed
    return pair


# ── What is said ────────────────────────────────────────────────────────────────────────────────────────────


def joined(pair: Pair, neighbours: Sequence[Pair], rng: random.Random) -> Pair:
    """Two or three short sentences as one input, each of them ended on both sides."""
    parts = [pair, *neighbours[: rng.choice((1, 1, 2))]]
    if sum(len(source) for source, _ in parts) > 200 or not all(map(_ended, parts)):
        return pair
    return " ".join(source for source, _ in parts), "".join(target for _, target in parts)


def _ended(pair: Pair) -> bool:
    return bool(pair[0]) and _END_MARKS.get(pair[0][-1]) == pair[1][-1:]


_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
# After the first name, these go on with a longer one: 汤姆森, 玛丽亚.
_LONGER = "亚娅娜森逊斯丝莎洛蒂塔妮"
_TITLE = "先生|女士|小姐|太太|夫人|老师|教授|医生|博士|经理|师傅|同学"
_BEFORE_PLACE = frozenset("In From To At Is Are Was Does Did And But When Where If Has Have Of For".split())  # noqa: SIM905


@cache
def _names_by_kind() -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for english, name in names().items():
        kinds.setdefault(name.kind, []).append(english)
    return kinds


def _shared_names(pair: Pair) -> list[tuple[str, str]]:
    """Names of the table that ``pair`` has on both sides equally often: (English, Chinese as written there)."""
    source, target = pair
    found: dict[str, str] = {}
    words = list(_WORD.finditer(source))
    for i, match in enumerate(words):
        english = match[0].removesuffix("'s")
        if (name := names().get(english)) is None or english in found:
            continue
        if name.kind in ("city", "country") and not _is_place_alone(source, words, i):
            continue
        count = sum(word[0].removesuffix("'s") == english for word in words)
        for chinese in name.chinese:
            if target.count(chinese) == count and _stands_alone(name.kind, chinese, target):
                found[english] = chinese
                break
    # Not where one is in the other: of Lisa and Elizabeth, 伊丽莎白 is one.
    spellings = list(found.values())
    return [(e, c) for e, c in found.items() if sum(c in spelling for spelling in spellings) == 1]


def _is_place_alone(source: str, words: Sequence[re.Match[str]], i: int) -> bool:
    """No part of a longer name (Mexico City, Inner Mongolia), and no article before it (an Osaka hotel)."""
    before = words[i - 1][0] if i and words[i - 1].end() + 1 == words[i].start() else ""
    after = source[words[i].end() : words[i].end() + 2]
    is_longer = before[:1].isupper() and before not in _BEFORE_PLACE
    return not is_longer and before not in ("a", "an") and not (after[:1] == " " and after[1:].isupper())


def _stands_alone(kind: str, chinese: str, target: str) -> bool:
    if kind == "surname":
        return len(re.findall(f"{chinese}(?:{_TITLE})", target)) == target.count(chinese)
    longer = _LONGER if kind in ("man", "woman") else "国"  # 蒙古国
    return len(chinese) > 1 and not re.search(f"{chinese}[{longer}]", target)  # 肯 and 安 are words first


def other_name(pair: Pair, rng: random.Random) -> Pair:
    """Tom → Peter, 汤姆 → 彼得: a name of the table for one of its kind; or an unknown one, to be copied."""
    shared = _shared_names(pair)
    if not shared:
        return pair
    source, target = pair
    new: dict[str, str] = {}  # for both sides: what stands there → what is to stand there
    for english, chinese in shared:
        kind = names()[english].kind
        other = rng.choice(_names_by_kind()[kind])
        other_chinese = names()[other].chinese[0]
        if kind in ("man", "woman") and rng.random() < 0.15:
            other = other_chinese = _invented(rng)
        if other in source or other_chinese in target or other_chinese in new.values():
            continue  # two persons would become one: Clara and Klara are both 克拉拉
        new |= {english: other, chinese: other_chinese}

    def swapped(word: re.Match[str]) -> str:
        english = word[0].removesuffix("'s")
        return new.get(english, english) + word[0][len(english) :]

    # In one pass: a name put in may have another in it, as 伊丽莎白 has 丽莎.
    old = "|".join(chinese for _, chinese in shared if chinese in new)
    return _WORD.sub(swapped, source), re.sub(old, lambda match: new[match[0]], target) if old else target


_SYLLABLES = (
    "ba be bo da do el fa fi ga go ha he jo ka ke ki la le li lo ma me mi mo na ne ni no or pa ra re ri ro sa se "
    "si so ta te ti to u va ve vi ya yo za zo"
)
_LAST = ("n", "r", "s", "l", "x", "nd", "ck", "sh", "", "", "", "")


def _invented(rng: random.Random) -> str:
    return (
        "".join(rng.choices(_SYLLABLES.split(), k=rng.choice((2, 2, 3)))) + rng.choice(_LAST)
    ).capitalize()


# A number, and not a part of a date, a version, a word (H2O) or a longer number.
_NUMBER = re.compile(r"(?<![\w.,:/+-])\d+(?:[.,:]\d+)*(?![\w/:+-]|[.,]\d)", re.ASCII)
# 3点 and 3月 go with other words of the sentence (in the morning, Friday); 三十 and 3十 are no such numbers.
_BOUND = re.compile(r"[点點时月日号世纪年代十]")


def other_number(pair: Pair, rng: random.Random) -> Pair:
    """350 → 427 on both sides: as many digits, where the number is written alike and nothing hangs on it."""
    source, target = pair
    for match in _NUMBER.finditer(source):
        old = match[0]
        places = [m for m in _NUMBER.finditer(target) if m[0] == old]
        if len(places) != 1 or len(re.findall(rf"(?<!\d){re.escape(old)}(?!\d)", source)) != 1:
            continue
        after = target[places[0].end() :].lstrip()[:1]
        if ":" in old or old.count(".") > 1 or old == "1" or (old[0] == "0" and old.isdigit()):
            continue
        is_year = re.fullmatch(r"1[0-9]\d\d|20\d\d", old) is not None
        if _BOUND.match(after) and not (is_year and after == "年"):
            continue
        new = str(rng.randint(1100, 2030)) if is_year else _other_digits(old, rng)
        source = source[: match.start()] + new + source[match.end() :]
        target = target[: places[0].start()] + new + target[places[0].end() :]
        return source, target
    return pair


def _other_digits(number: str, rng: random.Random) -> str:
    """As many digits at the same places; the first is 2 to 9, so that a plural stays one."""
    first = number[0] if number[0] == "0" else str(rng.randint(2, 9))
    return first + re.sub(r"\d", lambda _: str(rng.randrange(10)), number[1:])


_QUOTED = re.compile(r'"([^".,!?]{1,30})"'), re.compile(r"“([^“”，。！？]{1,15})”")
# In Latin letters on both sides: Google, iPhone 15, NASA; an address; and, seldom, a number.
_COPIED = re.compile(
    r"https?://[^\s\u3000-\uffef]*[\w/]|[\w.+-]+@[\w-]+\.[\w.]*\w|(?<![\w&.])[A-Z][A-Za-z]+(?![\w'])"
)


def placeholder(pair: Pair, rng: random.Random) -> Pair:
    """A name, a quoted word or what stands in Latin letters on both sides becomes ``{0}``, ``{1}`` …"""
    source, target = pair
    shared = [(english, chinese) for english, chinese in _shared_names(pair) if source.count(english) == 1]
    for copied in _COPIED.findall(source):
        # Not 霍斯（Howth）, where 霍斯 is the name.
        if source.count(copied) == target.count(copied) == 1 and f"（{copied}" not in target:
            shared.append((copied, copied))
    quoted, quoted_zh = (pattern.findall(side) for pattern, side in zip(_QUOTED, pair, strict=True))
    if len(quoted) == len(quoted_zh) == 1 and source.count(quoted[0]) == target.count(quoted_zh[0]) == 1:
        shared.append((quoted[0], quoted_zh[0]))
    if rng.random() < 0.05:  # a number is read better than copied: {0} must not come to mean one
        whole = _NUMBER.findall(target)  # 88 is not in 8800
        shared += [
            (number, number)
            for number in _NUMBER.findall(source)
            if number in whole and source.count(number) == target.count(number) == 1
        ]
    rng.shuffle(shared)
    chosen = shared[: rng.choice((1, 1, 1, 2, 3))]
    for english, chinese in sorted(chosen, key=lambda names: source.index(names[0])):
        if source.count(english) == 1 and target.count(chinese) == 1 and (free := _free(source, rng)):
            source, target = source.replace(english, free), target.replace(chinese, free)
    return source, target


def _free(source: str, rng: random.Random) -> str:
    """A placeholder that ``source`` does not have: mostly the next one, now and then another. "" when all are used."""
    free = [mark for mark in PLACEHOLDERS if mark not in source]
    return "" if not free else free[0] if rng.random() < 0.8 else rng.choice(free)


# Sentences that hold an address, a file or what a program fills in. X is what must be copied.
_CARRIERS = {
    "url": (
        ("Visit X.", "请访问X。"), ("See X for details.", "详情请见X。"), ("Our website is X.", "我们的网站是X。"),
        ("You can find it at X.", "你可以在X找到它。"), ("Click X to continue.", "点击X继续。"),
        ("Please open X.", "请打开X。"), ("Download it from X.", "从X下载。"), ("Have you seen X?", "你看过X吗？"),
        ("For more information, go to X.", "欲了解更多信息，请前往X。"), ("The link is X.", "链接是X。"),
    ),
    "email": (
        ("Write to X.", "请写信到X。"), ("My email is X.", "我的邮箱是X。"), ("Please contact X.", "请联系X。"),
        ("Send it to X.", "把它发到X。"), ("You can reach me at X.", "你可以通过X联系我。"),
        ("Send an email to X if you have any questions.", "如有任何问题，请发邮件至X。"),
    ),
    "any": (
        ("Hello, X!", "你好，X！"), ("Welcome to X!", "欢迎来到X！"), ("Hi X, how are you?", "你好X，你好吗？"),
        ("Where is X?", "X在哪里？"), ("I like X.", "我喜欢X。"), ("What is X?", "X是什么？"),
        ("X is not available.", "X不可用。"), ("X has sent you a message.", "X给你发了一条消息。"),
        ("Do you want to delete X?", "你要删除X吗？"), ("I bought X yesterday.", "我昨天买了X。"),
        ("Thank you, X.", "谢谢你，X。"), ("Please tell X.", "请告诉X。"), ("X was saved.", "X已保存。"),
        ("This is X.", "这是X。"), ("Do you know X?", "你知道X吗？"), ("I talked with X.", "我和X谈过了。"),
    ),
}  # fmt: skip
_SITES = "example.com example.org shop.example.net news.site.io my-blog.dev wiki.site.cn docs.tool.app"
_PAGES = "about news/2024 help a/b.html item?id=42 faq docs/start index.php?p=7 img/1.png en/ contact"
_BOXES = "info support anna.lee j.smith hello sales tom88 office wang_li no-reply li.ming service"


def carrier(pair: Pair, rng: random.Random) -> Pair:
    """The pair, and a sentence with an address or a placeholder before or after it."""
    if not _ended(pair) or len(pair[0]) > 160:
        return pair
    kind = rng.choice(("url", "email", "any", "any"))
    carried = _free(pair[0], rng)
    if not carried or (kind != "any" and rng.random() < 0.5):
        carried = _address(kind, rng)
    source, target = (text.replace("X", carried) for text in rng.choice(_CARRIERS[kind]))
    order = 1 if rng.random() < 0.3 else -1
    return " ".join((pair[0], source)[::-order]), "".join((pair[1], target)[::-order])


def _address(kind: str, rng: random.Random) -> str:
    site = rng.choice(_SITES.split())
    if kind == "email":
        return f"{rng.choice(_BOXES.split())}@{site}"
    page = f"/{rng.choice(_PAGES.split())}" if rng.random() < 0.6 else ""
    return rng.choice(("https://", "https://www.", "http://", "www.")) + site + page


_EMOJI = "😀 😂 😊 😍 😭 😅 🙏 👍 🎉 ❤️ 🔥 🌹 🎂 😎 🤔 👋 ☀️ 🍜 🐶 ✨"


def emoji(pair: Pair, rng: random.Random) -> Pair:
    """An emoji at the same end of both sides."""
    mark = rng.choice(_EMOJI.split()) * rng.choice((1, 1, 1, 2, 3))
    if rng.random() < 0.2:
        return f"{mark} {pair[0]}", f"{mark}{pair[1]}"
    return pair[0] + rng.choice((" ", " ", "")) + mark, pair[1] + mark


# ── How it is typed ─────────────────────────────────────────────────────────────────────────────────────────

# Without any of these there is no address, placeholder or code, whose letters must stay as they are.
_MAY_HOLD_SPANS = re.compile(r"[@{<`%$#/\\&]|\w\.\w")


def _retype(source: str, change: Callable[[str], str]) -> str:
    """``change`` applied to all of ``source`` but what must be copied letter by letter."""
    if not _MAY_HOLD_SPANS.search(source):
        return change(source)
    parts, position = [], 0
    for span in find_spans(source):
        parts += [change(source[position : span.start]), source[span.start : span.end]]
        position = span.end
    return "".join([*parts, change(source[position:])])


def lower_case(pair: Pair, rng: random.Random) -> Pair:
    """No capitals at all; or only the first one left out, and "i"."""
    if rng.random() < 0.7:
        return _retype(pair[0], str.lower), pair[1]
    source = re.sub(r"\bI\b", "i", pair[0]) if rng.random() < 0.5 else pair[0]
    first = _WORD.match(source)
    if first and (first[0][1:].islower() or len(first[0]) == 1):  # not NASA, not iPhone
        source = source[0].lower() + source[1:]
    return source, pair[1]


def capitals(pair: Pair, rng: random.Random) -> Pair:
    """A shouted sentence. One or two words in capitals stay what they are: names (NASA, NEW YORK)."""
    return (_retype(pair[0], str.upper), pair[1]) if len(pair[0].split()) > 2 else pair


_SMALL_WORDS = frozenset("a an the and or but of to in on at by for with from as".split())  # noqa: SIM905


def title_case(pair: Pair, rng: random.Random) -> Pair:
    """A Headline of the Kind, Without Its Full Stop."""
    source, target = pair
    if (
        not 3 <= len(source.split()) <= 14
        or source[-1] not in ".?"
        or not _ended(pair)
        or _MAY_HOLD_SPANS.search(source)
    ):
        return pair
    words = (
        word if word in _SMALL_WORDS else word[0].upper() + word[1:]
        for word in source[:-1].split(" ")
        if word
    )
    mark = "" if source[-1] == "." else "?"
    return " ".join(words) + mark, target[:-1] + (_END_MARKS[mark] if mark else "")


_ABBREVIATION = re.compile(r"(?:\.|\.\w|\b(?:Mr|Mrs|Dr|St|Jr|Sr|vs|etc|Inc|Ltd|Co|No|[A-Z]))\.$")


def end_mark(pair: Pair, rng: random.Random) -> Pair:
    """Without the final mark on both sides; now and then with another one, the same on both."""
    source, target = pair
    if not _ended(pair) or _ABBREVIATION.search(source) or len(source) < 3:
        return pair
    others = {".": ("!", "!!"), "?": ("??", "?!"), "!": ("!!", "!!!", ".")}[source[-1]]
    mark = rng.choice(others) if rng.random() < 0.15 else ""
    return source[:-1] + mark, target[:-1] + "".join(_END_MARKS[char] for char in mark)


# Not those that would be another word: were, well, hell, ill, wed.
_CONTRACTED = re.compile(
    r"\b(?:\w+n't|I'm|(?:it|that|what|he|she|who|where|there|let|how)'s|(?:I|you|they|we)'ve|(?:you|they)'re)\b",
    re.I,
)


def apostrophes(pair: Pair, rng: random.Random) -> Pair:
    """dont, im, its: as people type them."""
    return _CONTRACTED.sub(lambda match: match[0].replace("'", ""), pair[0]), pair[1]


_LONG_WORD = re.compile(r"(?<![\w@./{'-])[a-z]{5,}(?![\w@./}'-])")
_NEAR = dict(
    zip("abcdefghijklmnopqrstuvwxyz", "snvfrdghojklkmoqatdyibedtx", strict=True)
)  # on a QWERTY keyboard
# What a slip in a frequent word of five letters or more could turn it into: a word too, so the pair would be wrong.
_REAL_WORDS = frozenset(
    re.findall(
        r"\w+",
        "angel angle angles apples arose back bake baked baking band bank barely barley bars bass bats bead "
        "beak bean beast beating bend best bills bind bitter blond blow board bond book boom bother bought "
        "bows bred bring broad bush caches caching canceled cane cared cart carve case cases cash cast casual "
        "causal cause chat chef chin choose chose clan cleaned clock coal cold colors compete competed cone "
        "conform cons contact convert corps cost counties crate crates crave cubs cured curse curses dairy "
        "dawn demon desert dessert diary died diner dinner dive diver divers dives diving dove drink drove "
        "endure endures eternal exits faction fame fast father fathers favor favorite feed feet fiend fight "
        "fights filed files finds fired fist flat flies fond font food forked forms forth four foxes fried "
        "friend fries fund funded gain garage gave genetic gods gown handed handing hard hated haven heating "
        "herd hers hired hose insect kids kilometers kilometres laps last later latter layer leaned leaning "
        "lest lied lies lighting liked liking lined lining lose losses loved lover loves loving lunch lying "
        "maker male match matched meal metal meters metres money morning moth moths moves naive naked neatly "
        "neighbors nose noting nurses owed pace paced pain pains pane pans pants paris patent patents paying "
        "pays peach peasant petty phase phases pills place plans plants plot pond poplar pots power previous "
        "price prices proper quiet quite quote rage raging raid rally rely reuse reused rides riding rise "
        "rising rods root roses runs sack sacks sacred sage sail sake sale sales salon same sand sash save "
        "saves saying says seal seam seat seed seeds seeing seen self sell selling sells send sending sent "
        "sets shone shopping shops short shorts shot shots shut sick side sides sight signing signs silver "
        "sing singing sings sins site sits size sized slid sliver sock sole songs soon sore sort sorts sown "
        "sows spies spilt spit spite spots staring starring stars stated stating stats statues steam step "
        "stick stiff sting stirs stock stocks stores string striped stripped stroke strokes strong stuck suck "
        "sunset super supper swing tail taking tale tales tank tanks tapped tech tend tends there thirty "
        "though thought three through tick tied ties tile tiles timer tired tires tons tough traced tracing "
        "trail trams traveling travelled travelling tread treads treat tree trial trick tricks tried tries "
        "trough trust tuned tuning united untied vice warmed warming wars water were what whole widow widows "
        "with wrote",
    )
)


def typo(pair: Pair, rng: random.Random) -> Pair:
    """One or two slips of the finger in long words: letters swapped, one dropped, doubled, or its neighbour hit."""
    source = pair[0]
    for _ in range(rng.choice((1, 1, 2))):
        words = [match for match in _LONG_WORD.finditer(source) if match[0] not in pair[1]]
        if not words:
            break
        word = rng.choice(words)
        slip = _slip(word[0], rng)
        if slip not in _REAL_WORDS:
            source = source[: word.start()] + slip + source[word.end() :]
    return source, pair[1]


def _slip(word: str, rng: random.Random) -> str:
    i = rng.randrange(1, len(word) - 2)
    a, b = word[i], word[i + 1]
    return word[:i] + rng.choice((b + a, b, a + a + b, _NEAR[a] + b)) + word[i + 2 :]


Change = Callable[[Pair, random.Random], Pair]
_CONTENT: tuple[tuple[Change, int], ...] = ((other_name, 3), (other_number, 2), (placeholder, 2))
_TYPING: tuple[tuple[Change, int], ...] = (
    (lower_case, 8), (end_mark, 5), (typo, 4), (apostrophes, 2), (capitals, 1), (title_case, 1),
)  # fmt: skip
