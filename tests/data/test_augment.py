"""Augmentation: each variant changes both sides alike, and leaves alone what it could make wrong."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from translit.data import augment
from translit.data.augment import Pair
from translit.data.names import names
from translit.text.protect import find_spans

TOM = ("Tom paid 350 dollars to Anna in Paris.", "汤姆在巴黎付给了安娜350美元。")
LINK = (
    "Write to Anna@x.org or see https://X.org/A?id=7 before Friday.",
    "请写信到Anna@x.org或在周五前看https://X.org/A?id=7。",
)
TIME = ("What time is it?", "现在几点？")
MORNING = ("Good morning!", "早上好！")
PAIRS = (
    TOM,
    LINK,
    TIME,
    MORNING,
    ("NASA isn't open.", "NASA不开放。"),
    ("Hi", "嗨"),
    ('"Hm."', "“嗯。”"),
    ("...", "……"),
)


def results(change: Callable[[Pair, random.Random], Pair], pair: Pair, seeds: int = 60) -> set[Pair]:
    return {change(pair, random.Random(seed)) for seed in range(seeds)}


def test_a_variant_is_a_function_of_the_seed_and_has_two_sides() -> None:
    for pair in PAIRS:
        for seed in range(200):
            one, two = (augment.augment(pair, (TIME, TOM), random.Random(seed)) for _ in range(2))
            assert one == two
            assert all(side.strip() == side != "" for side in one)


def test_what_must_be_copied_is_copied_by_every_variant() -> None:
    for pair in PAIRS:
        for seed in range(300):
            source, target = augment.augment(pair, (MORNING,), random.Random(seed))
            spans = [
                source[s.start : s.end] for s in find_spans(source, ("url", "email", "placeholder", "emoji"))
            ]
            assert [span for span in spans if source.count(span) != target.count(span)] == []


def test_final_marks_agree() -> None:
    ends = {".": "。", "?": "？", "!": "！"}
    for pair in (TOM, LINK, TIME, MORNING):
        for seed in range(300):
            source, target = augment.augment(pair, (MORNING, TIME), random.Random(seed))
            assert ends.get(source[-1], "") == (target[-1] if target[-1] in ends.values() else "")


def test_names_are_swapped_for_names_of_their_kind_on_both_sides() -> None:
    for source, target in results(augment.other_name, TOM):
        match = re.fullmatch(r"(\w+) paid 350 dollars to (\w+) in (\w+)\.", source)
        assert match
        for english, kind in zip(match.groups(), ("man", "woman", "city"), strict=True):
            if english in names():
                assert names()[english].kind == kind
                assert names()[english].chinese[0] in target
            else:  # invented: copied
                assert english in target
        assert "汤姆" not in target or "Tom" in source


@pytest.mark.parametrize(
    "pair",
    [
        ("Tom is here.", "他在这里。"),  # no name on the Chinese side
        ("Mary sang.", "玛丽亚唱了歌。"),  # another name
        ("Tom met Tommy.", "汤姆遇到了汤姆。"),  # not equally often
        ("He lives in Mexico City.", "他住在墨西哥城。"),
        ("He likes Inner Mongolia.", "他喜欢内蒙古。"),
        ("He lives in Mongolia.", "他住在蒙古国。"),
        ("Ken agrees.", "肯同意。"),  # 肯 is a word too
        ("Wang is king.", "王是王。"),
    ],
)
def test_a_name_that_is_not_surely_the_same_stays(pair: Pair) -> None:
    assert results(augment.other_name, pair) == {pair}


def test_two_names_never_become_one_and_none_is_cut() -> None:
    for pair in (("Linda met Lisa.", "琳达遇见了丽莎。"), ("Rachel met Mary.", "蕾切尔遇见了玛丽。")):
        for source, target in results(augment.other_name, pair, 3000):
            english, chinese = re.findall(r"(\w+) met (\w+)\.", source)[0], target[:-1].split("遇见了")
            assert len({*english}) == len({*chinese}) == 2
            for name, written in zip(english, chinese, strict=True):
                assert written == name or written in names()[name].chinese  # or an invented one


def test_a_name_inside_another_stays() -> None:
    pair = "Lisa and Elizabeth left.", "伊丽莎白走了。"
    assert all("Lisa" in source for source, _ in results(augment.other_name, pair))


def test_a_surname_is_swapped_beside_its_title() -> None:
    swapped = results(augment.other_name, ("Mr. Wang is here.", "王先生在这里。"))
    assert len(swapped) > 5
    assert all(target.endswith("先生在这里。") for _, target in swapped)


def test_numbers_are_swapped_for_numbers_of_their_shape() -> None:
    for source, target in results(augment.other_number, ("It weighs 12.5 kg.", "它重12.5公斤。")):
        numbers = re.findall(r"[2-9]\d\.\d", source)
        assert len(numbers) == 1
        assert numbers == re.findall(r"\d\d\.\d", target)
    years = {source for source, _ in results(augment.other_number, ("He died in 1907.", "他死于1907年。"))}
    assert all(1100 <= int(re.findall(r"\d+", source)[0]) <= 2030 for source in years)


@pytest.mark.parametrize(
    "pair",
    [
        ("1 apple", "1个苹果"),  # apples
        ("May 7", "5月7日"),
        ("at 7 in the morning", "早上7点"),
        ("7 or 7", "7或7"),
        ("H2O and COVID-19", "H2O和COVID-19"),
        ("on 3/4", "在3/4"),
        ("10,000 yen", "1万日元"),
        ("version 1.2.3", "版本1.2.3"),
        ("3 and 30", "3和3十"),
    ],
)
def test_a_number_on_which_something_hangs_stays(pair: Pair) -> None:
    assert results(augment.other_number, pair) == {pair}


def test_names_words_and_addresses_become_placeholders_and_numbers_seldom() -> None:
    hidden = results(augment.placeholder, TOM, 400)
    assert all(
        "{" in source and sorted(re.findall(r"{\d}", source)) == sorted(re.findall(r"{\d}", target))
        for source, target in hidden
    )
    assert {word for word in ("Tom", "Anna", "Paris") for source, _ in hidden if word not in source} == {
        "Tom",
        "Anna",
        "Paris",
    }
    numbers = sum("350" not in augment.placeholder(TOM, random.Random(seed))[0] for seed in range(400))
    assert 0 < numbers < 20
    assert ('He said "{0}".', "他说了“{0}”。") in results(
        augment.placeholder, ('He said "hello".', "他说了“你好”。")
    )
    million = ("He earned $88 million.", "他赚了8800万美元。")
    assert results(augment.placeholder, million, 400) == {million}
    gloss = ("He lives in Howth.", "他住在霍斯（Howth）。")
    assert results(augment.placeholder, gloss) == {gloss}


def test_carriers_and_emoji_are_put_on_both_sides() -> None:
    for source, target in results(augment.carrier, MORNING):
        assert MORNING[0] in source
        assert MORNING[1] in target
        assert len(source) > len(MORNING[0]) + 3
        assert "X" not in source + target
    for source, target in results(augment.emoji, MORNING):
        assert source.replace("Good morning!", "").strip() == target.replace("早上好！", "") != ""


def test_two_or_three_sentences_are_joined_when_all_are_ended() -> None:
    bye = ("Bye.", "再见。")
    joined = {augment.joined(MORNING, (bye, TIME), random.Random(seed)) for seed in range(20)}
    assert joined == {
        ("Good morning! Bye.", "早上好！再见。"),
        ("Good morning! Bye. What time is it?", "早上好！再见。现在几点？"),
    }
    assert augment.joined(MORNING, (("no mark", "没有"),), random.Random(0)) == MORNING
    assert augment.joined(MORNING, (("a " * 120 + ".", "啊。"),), random.Random(0)) == MORNING


def test_lower_case_spares_what_is_copied() -> None:
    assert results(augment.lower_case, LINK) == {
        ("write to Anna@x.org or see https://X.org/A?id=7 before friday.", LINK[1]),
        ("write to Anna@x.org or see https://X.org/A?id=7 before Friday.", LINK[1]),
    }
    assert ("NASA isn't open.", "NASA不开放。") in results(
        augment.lower_case, ("NASA isn't open.", "NASA不开放。")
    )


def test_only_sentences_are_shouted() -> None:
    rng = random.Random(0)
    assert augment.capitals(TIME, rng) == ("WHAT TIME IS IT?", "现在几点？")
    assert augment.capitals(MORNING, rng) == MORNING
    assert "https://X.org/A?id=7" in augment.capitals(LINK, rng)[0]


def test_end_marks_change_on_both_sides() -> None:
    ends = results(augment.end_mark, TIME, 200)
    assert ("What time is it", "现在几点") in ends
    assert ("What time is it??", "现在几点？？") in ends
    assert results(augment.end_mark, ("At 5 p.m.", "下午五点。")) == {("At 5 p.m.", "下午五点。")}
    assert results(augment.end_mark, ("Well...", "嗯。")) == {("Well...", "嗯。")}
    assert results(augment.end_mark, ("Is it?", "是。")) == {("Is it?", "是。")}


def test_a_headline_loses_its_full_stop() -> None:
    rng = random.Random(0)
    assert augment.title_case(("He lives in a big house.", "他住大房子。"), rng) == (
        "He Lives in a Big House",
        "他住大房子",
    )
    assert augment.title_case(TIME, rng) == ("What Time Is It?", "现在几点？")


def test_apostrophes_go_where_no_other_word_comes_out() -> None:
    rng = random.Random(0)
    assert (
        augment.apostrophes(("I'm sure it's fine, don't cry.", ""), rng)[0] == "Im sure its fine, dont cry."
    )
    assert (
        augment.apostrophes(("We'll see; we're here. I'd go to Tom's.", ""), rng)[0]
        == "We'll see; we're here. I'd go to Tom's."
    )


def test_slips_hit_long_english_words_only() -> None:
    for source, target in results(augment.typo, ("The yellow {0} at x.org/yellow is Anna's.", "黄色{0}")):
        assert target == "黄色{0}"
        assert re.fullmatch(r"The y\w+w \{0\} at x\.org/yellow is Anna's\.", source)
    assert results(augment.typo, ("I can go to Berlin.", "")) == {("I can go to Berlin.", "")}
    assert all(
        source not in augment._REAL_WORDS
        for source, _ in results(augment.typo, ("quiet", ""), 300) - {("quiet", "")}
    )


def test_the_table_of_names_is_sound() -> None:
    assert len(names()) > 350
    for english, name in names().items():
        assert name.kind in ("man", "woman", "surname", "city", "country")
        assert re.fullmatch("[A-Z][a-z]+", english)
        assert all(re.fullmatch("[\u4e00-\u9fff]+", spelling) for spelling in name.chinese)
