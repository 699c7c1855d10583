"""translit.text.numbers: the same amount in another scale or form is right, and is not mended away."""

from __future__ import annotations

import pytest

from translit.text.checks import check
from translit.text.numbers import amounts, mended


def numbers(source: str, translation: str) -> list[str]:
    return [flag.detail for flag in check(source, translation) if flag.kind == "number"]


RIGHT = [
    # another scale
    ("The plant makes 2,400 megawatts.", "这座电站发电2400兆瓦。"),
    ("It makes 500 MW.", "它发电50万千瓦。"),
    ("It makes 500 MW.", "它发电500兆瓦。"),
    ("It makes 1.5 gigawatts.", "它发电150万千瓦。"),
    ("It emits 1.5 gigatons.", "它排放15亿吨。"),
    ("It takes 50 megabytes.", "它占50兆。"),
    ("It runs at 100 MHz.", "它以100兆赫运行。"),
    ("It is 3 km away.", "它在3千米外。"),
    ("It rose by 3 percentage points.", "它上升了3个百分点。"),
    ("He paid 15 lakh rupees.", "他付了150万卢比。"),
    ("It cost 3.5 mln euros.", "它花了350万欧元。"),
    ("He refused the $17 mil.", "他拒绝了1700万美元。"),
    ("It weighs 10 kg.", "它重20斤。"),
    ("Buy 2 dozen eggs.", "买两打鸡蛋。"),
    # ranges that share a scale
    ("Some 30 to 50 thousand came.", "来了3到5万人。"),
    ("It costs 150,000 to 200,000 yuan.", "要15到20万元。"),
    ("Between 20,000 and 30,000 people came.", "来了2到3万人。"),
    ("Some 200-300 people came.", "来了两三百人。"),
    # decimals and fractions
    ("He hit .300 last year.", "他去年的打击率是0.300。"),
    ("Jeter batted.291 that year.", "那年杰特的打击率是0.291。"),
    ("The p value was .05.", "p值为0.05。"),
    ("It is a .22 rifle.", "这是一支点22步枪。"),
    ("It is 10½ feet long.", "它长10.5英尺。"),
    ("Add 1½ cups.", "加1.5杯。"),
    ("Add 2¾ cups.", "加2.75杯。"),
    ("Add 2¾ cups.", "加二又四分之三杯。"),
    ("Add ¼ cup.", "加0.25杯。"),
    ("25% left.", "四分之一走了。"),
    ("75% left.", "四分之三走了。"),
    ("About one fifth left.", "约20%离开了。"),
    ("Three quarters of them left.", "75%的人离开了。"),
    ("It is 15% off.", "打八五折。"),
    ("It is 12% off.", "打88折。"),
    ("It is 20% off.", "打8折。"),
    # decades, years, dates, the clock
    ("In the 90s it was new.", "1990年代它是新的。"),
    ("It was the '80s.", "那是20世纪80年代。"),
    ("IN THE 1950S IT WAS NEW.", "20世纪50年代它是新的。"),
    ("It was the nineteen-thirties.", "那是二十世纪三十年代。"),
    ("It began in '95.", "它始于1995年。"),
    ("Class of '08", "2008届"),
    ("It was after September 11th.", "那是在911之后。"),
    ("It was 12.05.2020.", "那是2020年5月12日。"),
    ("It was 12.05.2020.", "那是12.05.2020。"),
    ("We meet at 10.30 a.m. today.", "我们今天上午10:30见面。"),
    ("It is quarter to 5.", "现在四点三刻。"),
    ("It is 10 to 5.", "现在四点五十。"),
    ("It is 9:45.", "现在十点差一刻。"),
    ("They left at 1800 hours.", "他们18点离开了。"),
    # words
    ("One point five million people came.", "来了一百五十万人。"),
    ("It cost two point five billion.", "它花了25亿。"),
    ("At one point two hundred people came.", "一度有两百人来了。"),
    ("Of the one hundred, twenty-five left.", "100人中有25人离开了。"),
    ("One million, two hundred thousand people came.", "来了120万人。"),
    ("It was twenty. Five left.", "那是二十。五个人走了。"),
    ("It is a thirty-second advertisement.", "这是三十秒的广告。"),
    ("He is one meter sixty tall.", "他一米六高。"),
    ("From the Fourth to Eighth Centuries, it grew.", "第四至八世纪，它在发展。"),
    ("There is an Orange 3 here.", "这里有Orange 3十字路口。"),
    ("There are thirty-one third graders.", "有31名三年级学生。"),
    ("COVID-19 spread.", "新型冠状病毒传播。"),
]


@pytest.mark.parametrize(("source", "translation"), RIGHT)
def test_the_same_amount_in_another_form_is_neither_flagged_nor_mended(source: str, translation: str) -> None:
    assert numbers(source, translation) == []
    assert mended(source, translation) == translation


WRONG = [
    ("I slept for 8 hours.", "我睡了20个小时。"),
    ("It takes 24 hours.", "需要12小时。"),
    ("There are 3 of us.", "我们有3千人。"),
    ("There are 3 of us.", "我们有3百人。"),
    ("It makes 500 MW.", "它发电600兆瓦。"),
    ("Between 20,000 and 30,000 people came.", "来了4到5万人。"),
    ("It takes 5 to 10 minutes.", "需要5到9分钟。"),
    ("The p value was .05.", "p值为0.5。"),
    ("Add 1½ cups.", "加1杯。"),
    ("In the 90s it was new.", "1970年代它是新的。"),
    ("It began in '95.", "它始于1985年。"),
    ("25% left.", "三分之一走了。"),
    ("It is 20% off.", "打7折。"),
    ("It is 9:45.", "现在十点。"),
    ("One point five million people came.", "来了一百六十万人。"),
    ("One point five million people came.", "来了五百万人。"),
    ("In ninety minutes.", "在八十分钟内。"),
    ("It was 12.05.2020.", "那是2020年6月12日。"),
]


@pytest.mark.parametrize(("source", "translation"), WRONG)
def test_another_amount_is_flagged(source: str, translation: str) -> None:
    assert numbers(source, translation)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("It holds 1.5 zillion litres.", "它能装15亿升。"),
        ("It is 100 mm wide.", "它宽10厘米。"),
        ("It is 250 cm wide.", "它宽2.5米。"),
        ("It takes 120 minutes.", "需要2小时。"),
        ("It took 30 months.", "花了3年。"),
        ("It costs 50 cents.", "它要5毛。"),
        ("A share of 0.5 is much.", "占50%是很多的。"),
        ("It is 50 °F today.", "今天10度。"),
        ("It has 10 to 20 rooms.", "它有12到20个房间。"),
        ("It is a little action after the 10k.", "周六100公里比赛后的小活动。"),
    ],
)
def test_what_may_be_right_in_its_place_is_not_mended(source: str, translation: str) -> None:
    assert mended(source, translation) == translation


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("He died in 427.", "他死于437年。", "他死于427年。"),
        ("It is 120 mm wide.", "它宽12毫米。", "它宽120毫米。"),
        ("It takes 120 minutes.", "需要12分钟。", "需要120分钟。"),
        ("It covers 3,000 square miles.", "它占地300平方英里。", "它占地3,000平方英里。"),
        ("It is 27 million km away.", "它在270万公里外。", "它在2700万公里外。"),
        ("Some 18 thousand drivers", "大约18万名司机", "大约1.8万名司机"),
        ("There are 3.74 billion users.", "有3.74亿用户。", "有37.4亿用户。"),
        ("It is 50 °F today.", "今天5华氏度。", "今天50华氏度。"),
    ],
)
def test_a_slip_before_its_own_measure_is_mended(source: str, translation: str, expected: str) -> None:
    assert mended(source, translation) == expected
    assert numbers(source, expected) == []


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("one point five million people", ["150万"]),
        ("One point two five billion", ["12.5亿"]),
        ("twenty point five", ["20.5"]),
        ("one point twenty-five million", ["125万"]),
        ("At one point five million people came.", []),
        ("at that point twenty people came", []),
    ],
)
def test_amounts_with_a_point_in_words(text: str, chinese: list[str]) -> None:
    assert [found for _, _, found in amounts(text)] == chinese


def test_a_long_list_of_number_words_and_a_very_long_number_can_be_read() -> None:
    counting = ", ".join(["one", "twenty", "thirty"] * 30)
    assert numbers(f"He said {counting}.", "他说1、20、30。") == []
    for text in ("9" * 40 + "s", "9" * 40 + " a.m.", "9" * 40 + " megawatts", "9" * 40):
        assert numbers(text, f"1分之{text}") == []


def test_a_mixed_fraction_is_mended_whole() -> None:
    assert mended("Add 2 1/2 cups.", "加21/2杯。") == "加2 1/2杯。"
    assert numbers("Add 2 1/2 cups.", "加2 1/2杯。") == []


def test_a_doubled_fraction_is_flagged() -> None:
    assert numbers("Add 1/2 cup.", "加1/1/2杯。") == ["1/1/2 is not in the source"]
    assert numbers("It was on 1/1/2.", "那是在1/1/2。") == []
