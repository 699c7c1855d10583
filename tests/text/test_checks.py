"""translit.text.checks and the numbers under it: what must be flagged, and what must not."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from translit.text import units
from translit.text.checks import KINDS, check
from translit.text.numbers import amounts, mended
from translit.text.numbers_en import values_en
from translit.text.numbers_zh import values_zh

SHARED = Path(__file__).parents[3] / "shared"


def kinds(source: str, translation: str) -> set[str]:
    return {flag.kind for flag in check(source, translation)}


SAME_NUMBERS = [
    ("I have 3 cats.", "我有三只猫。"),
    ("I have three cats.", "我有3只猫。"),
    ("One of them left.", "有人走了。"),
    ("It cost 20,000 yuan.", "花了2万元。"),
    ("It cost 20,000 yuan.", "花了两万元。"),
    ("It cost 20,000 yuan, they say.", "据说花了20000元。"),
    ("It cost 20,000 yuan.", "花了20,000元。"),
    ("3.2 million people live here.", "这里住着320万人。"),
    ("3.2 million people live here.", "这里住着三百二十万人。"),
    ("From 2 to 3 million people came.", "来了200万到300万人。"),
    ("It was built in the 1980s.", "它建于20世纪80年代。"),
    ("It was built in the 1980s.", "它建于1980年代。"),
    ("It was built in the 1980s.", "它建于上世纪八十年代。"),
    ("See you on May 5.", "5月5日见。"),
    ("See you on May 5.", "五月五号见。"),
    ("We start at 7:30 p.m.", "我们19:30开始。"),
    ("We start at 7:30 p.m.", "我们晚上7点30分开始。"),
    ("We start at 7:30 p.m.", "我们晚上七点半开始。"),
    ("We start at 9:00.", "我们九点开始。"),
    ("Open from 9 am to 5 pm.", "9点至17点开放。"),
    ("The firmware is 2.200.112.", "固件是2.200.112。"),
    ("50% of them agree.", "他们当中百分之五十同意。"),
    ("50% of them agree.", "他们当中有一半同意。"),
    ("About 70% agree.", "大约七成同意。"),
    ("He came 1st.", "他得了第一。"),
    ("Two thirds (2/3) of it is gone.", "三分之二没了。"),
    ("It was 1.5 metres long.", "它长一米半。"),
    ("She was born in 2003.", "她生于二〇〇三年。"),
    ("The 19th century was long.", "十九世纪很长。"),
    ("Wait 15 minutes.", "等一刻钟。"),
    ("Wait 6 months.", "等半年。"),
    ("It ran from 1995-96.", "从1995年到1996年。"),
    ("The light-year is 9.5 trillion km.", "一光年是9.5万亿公里。"),
    ("He earns $120k a year.", "他年薪12万美元。"),
    ("He earns 20k a month.", "他一个月挣两万。"),
    ("We ran a 10k in a 4k video.", "我们在4k视频里跑了10公里。"),
    ("The debt is $31tn.", "债务为31万亿美元。"),
    ("We open at 12:00 a.m.", "我们0:00开门。"),
    ("We open at 5:30 p.m.", "我们17:30开门。"),
    ("We open at 5:30 am.", "我们早上5:30开门。"),
    ("I have １２３ cats.", "我有123只猫。"),
    ("Three and a half billion years ago.", "35亿年前。"),
    ("It is ten to eight.", "现在7点50分。"),
    ("In nineteen eighty-four it ended.", "它在1984年结束。"),
    ("Eight hundred and ninety-one people voted.", "有891人投票。"),
    ("Between sixty and eighty million died.", "六千万到八千万人死去。"),
    ("The COVID-19 virus spread.", "新冠病毒传播开来。"),
    ("An area of 2.2 million km2.", "面积220万平方公里。"),
    ("It is 12,000 m high.", "它高一万二千米。"),
    ("Call 555-1234 now.", "请拨打555-1234。"),
    ("Half a million people came.", "来了50万人。"),
    ("It costs a quarter of a million.", "它值25万。"),
    ("Three quarters of a billion is a lot.", "7.5亿很多。"),
    ("It is 1 200 km away.", "它在1200公里外。"),
    ("1\u202f200\u202f000 people came.", "来了120万人。"),
    ("In room 12 345 people waited.", "12号房里有345人在等。"),
    ("Add 1 1/2 cups of milk.", "加一杯半牛奶。"),
    ("Add 1/2 cup of milk.", "加半杯牛奶。"),
    ("Add 3/4 of it.", "加四分之三。"),
    ("We met on 3/4.", "我们3月4日见过面。"),
    ("It was after 9/11.", "那是在911之后。"),
]


@pytest.mark.parametrize(("source", "translation"), SAME_NUMBERS)
def test_same_number_in_another_form_is_no_error(source: str, translation: str) -> None:
    assert check(source, translation) == []


OTHER_NUMBERS = [
    ("I have 3 cats.", "我有四只猫。"),
    ("It cost 20,000 yuan.", "花了20万元。"),
    ("It cost 20,000 yuan.", "花了2000元。"),
    ("3.2 million people live here.", "这里住着32万人。"),
    ("It was built in the 1980s.", "它建于20世纪70年代。"),
    ("See you on May 5.", "5月6日见。"),
    ("We start at 7:30 p.m.", "我们晚上8:30开始。"),
    ("50% of them agree.", "他们当中百分之十五同意。"),
    ("Eight hundred and ninety-one people voted.", "有八百一十九人投票。"),
    ("Pay now.", "请付250元。"),
    ("It began at 5:30 a.m.", "17:30开始。"),
    ("See you at 7 am.", "晚上19点见。"),
    ("The debt is $31tn.", "债务为31美元。"),
    ("The firm lost £5m.", "该公司亏损5英镑。"),
    ("Over 3 million people came.", "来了3人多。"),
    ("He earns $120k a year.", "他年薪120美元。"),
    ("He won 7–2.", "他以72获胜。"),
    ("Half a million people came.", "来了500万人。"),
    ("It is 1 200 km away.", "它在120公里外。"),
    ("1\u202f200 people came.", "来了200人。"),
    ("Add 1 1/2 cups of milk.", "加1杯牛奶。"),
    ("Wait 2 1/2 years.", "等2年。"),
    ("It is open 24/7.", "它24小时开放。"),
    ("Add 3/4 of it.", "加一些。"),
]


@pytest.mark.parametrize(("source", "translation"), OTHER_NUMBERS)
def test_another_number_is_flagged(source: str, translation: str) -> None:
    assert "number" in kinds(source, translation)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("The number is 2.200.112.", "号码是2,200,12。"),
        ("The number is 2.200.112.", "号码是2.200.11。"),
        ("The fine is 500 dollars.", "罚款是50美元。"),
        ("The fine is 500 dollars, or 60.", "罚款是500，50或者60美元。"),
        ("Order 244890 was sent.", "订单24,490已发出。"),
        ("Order 244890 was sent.", "订单24490已发出。"),
        ("Install Python 3.10 or later.", "安装Python3.1万或更高。"),
        ("Add 2½ cups of milk.", "加2杯牛奶。"),
    ],
)
def test_complaint_12_garbled_number(source: str, translation: str) -> None:
    assert "number" in kinds(source, translation)


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("It costs 244890 yen.", "它要24490日元。", "它要244890日元。"),
        ("It has been here since 1187.", "自187年以来就在这里。", "自1187年以来就在这里。"),
        ("Some 18,000 drivers", "大约18万名司机", "大约18,000名司机"),
        ("She was born in 1968.", "她生于1986年。", "她生于1968年。"),
        ("It cost 700 million euros.", "花了7000万欧元。", "花了7亿欧元。"),
        ("It won by 0.2 seconds.", "以02秒获胜。", "以0.2秒获胜。"),
        ("It costs 1,887 yen.", "它要5日元。", None),  # not a slip
        ("From 62 to 65 by 2035", "6205年6525年", None),  # which is which?
        ("He has 5 cats.", "他有6只猫。", None),  # too little to go by
        ("In 1988 and 1989", "1988年和1989年", None),  # nothing wrong
        ("The tower is 27 m tall.", "这座塔高72米。", "这座塔高27米。"),  # metres, not millions
        ("Call 02079460000 now.", "请拨02079460001。", "请拨02079460000。"),
        ("PIN 0048213 is wrong.", "密码0048231错了。", "密码0048213错了。"),
        ("It costs 31 hundred.", "要310。", "要3100。"),
    ],
)
def test_a_slip_in_a_number_is_mended(source: str, translation: str, expected: str | None) -> None:
    """Complaint 12."""
    assert mended(source, translation) == (expected or translation)
    assert expected is None or "number" not in kinds(source, expected)


def test_number_detail_names_the_number() -> None:
    assert [flag.detail for flag in check("It took 40 days.", "花了14天。")] == [
        "40 is missing",
        "14 is not in the source",
    ]


@settings(max_examples=60)
@given(st.integers(0, 10**12))
def test_every_grouping_of_an_integer_reads_as_its_value(n: int) -> None:
    assert n in values_en(f"{n:,}") | values_en(str(n))
    assert n in values_zh(f"共{n}人") & values_zh(f"共{n:,}人")


@settings(max_examples=60)
@given(st.integers(1, 9999), st.sampled_from([("万", 10**4), ("亿", 10**8)]))
def test_chinese_magnitudes(n: int, magnitude: tuple[str, int]) -> None:
    assert n * magnitude[1] in values_zh(f"约{n}{magnitude[0]}")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("一百七十二万九千四百一十", 1729410), ("一亿2000万", 120_000_000), ("三百二", 320),
        ("一万二", 12000), ("2万5千", 25000), ("80多万", 800_000), ("３．５万", 35000), ("十七八", 17),
        ("1万亿", 10**12), ("廿", 20),
    ],
)  # fmt: skip
def test_chinese_numerals(text: str, value: int) -> None:
    assert value in values_zh(text)


@pytest.mark.parametrize(
    ("source", "good", "bad", "kind"),
    [
        ("See https://a.org/x?b=1.", "请看 https://a.org/x?b=1。", "请看 https://a.org/y?b=1。", "url"),
        ("Ask bob@example.com.", "请问bob@example.com。", "请问鲍勃@example.com。", "email"),
        ("Hello, {name}!", "你好，{name}！", "你好，{名字}！", "placeholder"),
        ("%(count)s of %d files", "%(count)s／%d个文件", "%(count)s／个文件", "placeholder"),
        ("Run `git log` now.", "现在运行`git log`。", "现在运行`git 日志`。", "placeholder"),
        ("Click <b>Save</b>.", "点击<b>保存</b>。", "点击<b>保存。", "tag"),
    ],
)
def test_complaints_13_14_spans_must_come_back(source: str, good: str, bad: str, kind: str) -> None:
    assert check(source, good) == []
    assert kind in kinds(source, bad)


def test_spans_are_counted_and_not_invented() -> None:
    assert kinds("Hi ${name}", "${name}，你好${name}") == {"placeholder"}
    assert kinds("Press <b>Enter</b>.", "<b>按</b><b>回车。") == {"tag"}
    assert kinds("<b>Bold</b> text", "</b>文字<b>粗") == {"tag"}
    assert kinds("A <br> b <i>c</i>", "<i>丙</i>甲<br>乙") == set()
    assert kinds("See a.org.", "请看a.org，a.org。") == set()
    assert kinds("Use `x` or x.", "用`x`或x。") == set()
    assert kinds("Use {x} and {x}.", "用{x}。") == {"placeholder"}
    assert kinds("Use it.", "用{x}。") == {"placeholder"}
    assert "tag" in kinds("Bed & breakfast is good.", "住宿&amp;早餐很好。")


def test_words_between_tags_are_not_lost() -> None:
    assert kinds("Press <b>Enter</b>", "按下<b>-</b>") == {"tag"}
    assert kinds("I <b>love <i>you</i></b>.", "我<b><i> </i></b>爱你。") == {"tag"}
    assert kinds("I <b>love <i>you</i></b>.", "我<b><i>爱你</i></b>。") == set()
    assert kinds("A <b></b> and a <b>cat</b>.", "一只<b></b>和一只<b>猫</b>。") == set()
    assert kinds("A <b></b> and a <b>cat</b>.", "一只<b></b>和一只<b></b>猫。") == {"tag"}
    assert kinds("It is <b>--</b> here.", "它<b>——</b>在这里。") == set()
    assert kinds("One<br>two<br>three", "一<br><br>二三") == set()
    (flag,) = check("Press <b>Enter</b>", "按下<b></b>")
    assert flag.detail == "nothing stands between <b> and its closing"


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Stop.", "停。"), ("Really?", "真的吗？"), ("Stop!", "住手！"), ("Well…", "嗯……"),
        ("Well...", "嗯……"),        ("He said:", "他说："), ("Settings", "设置"),
        ('He said, "Go."', "他说：“走吧。”"),
        ("(It rained.)", "（下雨了。）"), ("**Note.**", "**注意。**"),
        ("It starts at 7 p.m.", "晚上7点开始。"),
        ("Pens, paper, etc.", "笔、纸等"), ("What?!", "什么？！"),
    ],
)  # fmt: skip
def test_final_punctuation_kept(source: str, translation: str) -> None:
    assert "final-punctuation" not in kinds(source, translation)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("He left early.", "他走得早"), ("He left early", "他走得早。"), ("Really?", "真的。"),
        ("He said:", "他说。"),
        ("I like it.", "我喜欢，"),
    ],
)  # fmt: skip
def test_complaint_9_final_punctuation_lost(source: str, translation: str) -> None:
    assert "final-punctuation" in kinds(source, translation)


@pytest.mark.parametrize("ending", ["。。", "。.", ".。", "？。", "。 。"])
def test_complaint_10_doubled_full_stop(ending: str) -> None:
    source = "Is it?" if "？" in ending else "It is so."
    assert "final-punctuation" in kinds(source, "就是这样" + ending)


@pytest.mark.parametrize(
    "bad", ["你好,世界。", "是吗?好的。", "他说:好。", "苹果(红的)很甜。", "对!很好。", "他走了."]
)
def test_complaint_11_half_width_punctuation(bad: str) -> None:
    assert "half-width" in kinds("Hello, world.", bad)


@pytest.mark.parametrize(
    "good", ["你好，世界。", "比分是3:2，他赢了。", "见 https://a.org/中。", "在 1,000 米处。"]
)
def test_half_width_marks_inside_numbers_are_right(good: str) -> None:
    assert "half-width" not in kinds("x", good)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("A fresh salad.", "沙拉沙拉沙拉沙拉沙拉沙拉沙拉沙拉。"),
        ("salad", "salad salad salad salad salad salad"),
        ("Thank you all for coming.", "(笑声)(掌声)(掌声)(掌声)(掌声)"),
        (
            "You must have a permit.",
            "您必须持有许可才能过夜。您必须持有许可才能过夜。您必须持有许可才能过夜。",
        ),
    ],
)
def test_complaints_4_5_6_loop(source: str, translation: str) -> None:
    assert "loop" in kinds(source, translation)


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("Ha ha ha!", "哈哈哈！"), ("Ha ha ha ha ha ha!", "哈哈哈哈哈哈！"),
        ("No, no, no, no!", "不，不，不，不！"),
        ("They walked and walked and walked.", "他们走啊走啊走啊。"), ("It costs 1,000,000.", "要1000000。"),
        ("----------------- end", "-----------------结束"),
    ],
)  # fmt: skip
def test_repetition_of_the_source_is_no_loop(source: str, translation: str) -> None:
    assert "loop" not in kinds(source, translation)


@pytest.mark.parametrize(
    ("source", "translation", "found"),
    [
        ("It's getting colder.", "一天天天天冷了。", {"stutter"}),
        ("The stars are bright.", "星星星很亮。", {"stutter"}),
        ("Every day is fine.", "天天都好。", set()), ("Ha!", "哈哈哈！", set()), ("Good, good.", "好好好。", set()),
        ("Three A's make an AAA hotel.", "三个A的是AAA级酒店。", set()),
    ],
)  # fmt: skip
def test_a_character_three_times_in_a_row_is_a_stutter(
    source: str, translation: str, found: set[str]
) -> None:
    assert kinds(source, translation) == found


@pytest.mark.parametrize(
    ("source", "translation"),
    [("hello how are you", "hello how are you"), ("OPEN WINDOW", "OPEN WINDOW"), ("hello", "Hello")],
)
def test_complaints_7_9_untranslated_copy(source: str, translation: str) -> None:
    assert kinds(source, translation) == {"copy"}


@pytest.mark.parametrize(
    "name", ["NASA", "Tom Hanks", "iPhone", "TCP/IP", "C++", "42", "https://example.com/a"]
)
def test_names_may_stay_as_they_are(name: str) -> None:
    assert check(name, name) == []


@pytest.mark.parametrize("text", ["这句话已经是中文了，不需要再翻译。", "😀 12:30", "----"])
def test_what_needs_no_translation_may_be_copied(text: str) -> None:
    assert check(text, text) == []


def test_half_untranslated() -> None:
    english = "the price of oil has been going up"
    assert "copy" in kinds(f"He told us that {english}.", f"他告诉我们{english}。")


def test_other_kinds() -> None:
    assert kinds("Good morning.", " ") == {"empty"}
    assert kinds("", "你好。") == {"too-long"}
    assert check("", "") == check(" ", "") == []
    assert "not-chinese" in kinds("Good morning to all.", "Guten Morgen allen.")
    assert "unknown-character" in kinds("Good morning.", "早上\ufffd好。")
    assert "unknown-character" in kinds("Good morning.", "早上 ⁇ 好。")
    assert "unknown-character" not in kinds("A \ufffd sign.", "一个\ufffd标志。")


def test_complaint_16_only_the_first_sentence_translated() -> None:
    source = (
        "The issue started on the first day when dozens of local residents began to complain to the office. "
        "They said that they had not received their traditional cards from the people they knew."
    )
    assert "too-short" in kinds(source, "问题从第一天开始。")


def test_complaint_4_runs_far_too_long() -> None:
    assert "too-long" in kinds("Good morning.", "早上好，今天我们要去公园里走一走，看看花，然后回家吃饭。")


@settings(max_examples=60)
@given(st.text(), st.text())
def test_any_text_can_be_checked(source: str, translation: str) -> None:
    assert {flag.kind for flag in check(source, translation)} <= set(KINDS)


@settings(max_examples=60)
@given(st.text("abc <>{}`%$&/@.:0123456789", max_size=300))
def test_any_markup_against_itself_has_no_span_flag(text: str) -> None:
    assert not kinds(text, text) & {"url", "email", "placeholder", "tag"}


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is absent")
def test_false_alarms_on_human_translations_are_rare() -> None:
    pairs = [
        line.split("\t")[:2]
        for path in sorted((SHARED / "starter").glob("*.tsv"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    sample = random.Random(5).sample(pairs, 4000)
    flags = [flag for source, translation in sample for flag in check(source, translation)]
    assert len(flags) / len(sample) < 0.005


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is absent")
def test_complaint_11_is_seen_in_published_systems() -> None:
    flores = SHARED / "data/eval/flores-dev"
    source = (flores / "source.en").read_text(encoding="utf-8").splitlines()[:200]

    def share(path: Path) -> float:
        lines = path.read_text(encoding="utf-8").splitlines()
        return sum("half-width" in kinds(s, t) for s, t in zip(source, lines, strict=False)) / len(source)

    assert share(flores / "reference.zh") < 0.02
    assert share(flores / "systems/bergamot-base.zh") > 0.7


@pytest.mark.skipif(not SHARED.exists(), reason="../shared is absent")
def test_tatoeba_references_keep_their_numbers() -> None:
    folder = SHARED / "data/eval/tatoeba-dev"
    source = (folder / "source.en").read_text(encoding="utf-8").splitlines()
    references = (folder / "refs.zh.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [(s, r) for s, row in zip(source, references, strict=True) for r in json.loads(row)]
    sound = [(s, r) for s, r in pairs if not s.startswith("Transl. Note")]  # a known fault of the data
    assert not [pair for pair in sound if "number" in kinds(*pair)]


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("exports of 6 million tons, down from 7.4 million", ["600万", "740万"]),
        ("Ten thousand pairs of shoes", ["1万"]),
        ("a hundred and two years old", ["102"]),
        ("A fifteen-year-old paid two hundred thousand three hundred dollars", ["15", "20.03万"]),
        ("a debt of 1.5 trillion", ["1.5万亿"]),
        (
            "All fourteen of the twenty-five cost 3 hundred, seventy nine, 1.5 billion",
            ["14", "25", "300", "79", "15亿"],
        ),
        ("1,500", []),  # as it is
        ("the twenty-first century, the thousandth copy, forty-second street", []),
        ("sixty to eighty million, 2 to 3 million, half a million, fifty-fifty", []),
        ("tens of thousands in nineteen eighty-four, one of them twice", []),
    ],
)
def test_amounts_in_chinese(english: str, chinese: list[str]) -> None:
    assert [written for _, _, written in amounts(english)] == chinese


SAME_UNITS = [
    ("It costs €99.99.", "它要99.99欧元。"),
    ("It costs €5.", "它要€5。"),
    ("He paid US$5 million.", "他付了500万美元。"),
    ("He paid $5.", "他付了五块钱。"),
    ("It costs ¥300.", "它要300日元。"),
    ("It costs ¥300.", "它要300元人民币。"),
    ("It costs £5 or €6.", "它要5英镑或6欧元。"),
    ("It costs 50 USD.", "它要50美元。"),
    ("Half: 50% of them agree.", "一半：他们当中有半数同意。"),
    ("It is -5 °C.", "零下五度。"),
    ("It changed by -5%.", "降了5%。"),
    ("It is 95°F.", "华氏95度。"),
    ("It lies at 35°W.", "它位于西经35度。"),
    ("He won 100 CUPS.", "他赢了100个杯子。"),
    ("It costs HK$50 or A$20.", "它要50港币或20元。"),
    ("Add 5 lbs and 2 kg.", "加5磅和2千克。"),
    ("It is 5 km and 3 mm long.", "它长5千米零3毫米。"),
    ("He drove at 60 km/h.", "他以60千米的时速行驶。"),
    ("It covers 60 km² or 5 mg-units.", "它占地60平方千米，即5个单位。"),
    ("He ran 5km.", "他跑了5km。"),
    ("Replace it by $1.", "用$1替换它。"),
]


@pytest.mark.parametrize(("source", "translation"), SAME_UNITS)
def test_a_unit_may_be_a_sign_or_a_word(source: str, translation: str) -> None:
    assert check(source, translation) == []


@pytest.mark.parametrize(
    ("source", "translation", "detail"),
    [
        ("It costs €99.99.", "它要99.99。", "€ of €99.99 is missing"),
        ("It costs €99.99.", "它要99.99美元。", "€ of €99.99 is missing"),
        ("It costs 20 € or £5.", "它要20欧元或5。", "£ of £5 is missing"),
        ("It costs ₹500.", "它要500日元。", "₹ of ₹500 is missing"),
        ("He paid US$5 million.", "他付了500万。", "US$ of US$5 million is missing"),
        ("It starts at EUR 45.", "从45小时开始。", "EUR of EUR 45 is missing"),
        ("Sales rose by 50%.", "销量上升了50。", "% of 50% is missing"),
        ("It is 20°C.", "有20。", "°C of 20°C is missing"),
        ("It is 95°F.", "有95度。", "°F of 95°F is missing"),
        ("It is -15 °C here.", "这里有15度。", "- of -15 °C is missing"),
        ("It fell to -15°C.", "降到了15度。", "- of -15°C is missing"),
        ("It costs HK$50.", "它要50美元。", "HK$ of HK$50 is missing"),
        ("It costs 20 USD.", "它要20澳元。", "USD of 20 USD is missing"),
        ("It weighs 5 lbs.", "它重5公斤。", "lbs of 5 lbs is missing"),
        ("Take 5mg.", "服用5克。", "mg of 5mg is missing"),
        ("I earn 20k.", "我挣20克。", "k of 20k is missing"),
    ],
)
def test_a_lost_unit_is_flagged(source: str, translation: str, detail: str) -> None:
    assert [(flag.kind, flag.detail) for flag in check(source, translation)] == [("unit", detail)]


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("It costs €99.99 or £1,500.", ["99.99欧元", "1,500英镑"]),
        ("US$5 million, $2.5bn, $120k, HK$20 and U.S.$ 4", ["500万美元", "25亿美元", "12万美元", "20港元", "4美元"]),
        ("20 € and EUR 45, 50 USD or $50 CAD", ["20欧元", "45欧元", "50美元", "50加元"]),
        ("¥3000", ["¥3000"]),  # yuan or yen
        ("20k of 1.5k", ["2万", "1500"]),
        ("$2-3 million, $20–$30 and 5-10%", ["200万-300万美元", "20-30美元", "5-10%"]),
        ("-5 °C, 95°F, 100℃, 90°", ["-5摄氏度", "95华氏度", "100摄氏度", "90度"]),
        ("5 lbs, 10-20 km, 60 km/h, 3 mph", ["5磅", "10-20公里", "3英里/小时"]),
        ("35°W, 1080p, $x, 5 m, 20, a$b, 10%d, 1.2.3%, 3 MAD, $5th", []),
    ],
)  # fmt: skip
def test_amounts_with_a_unit_in_chinese(english: str, chinese: list[str]) -> None:
    assert [written for _, _, written in units.amounts(english)] == chinese


def test_nothing_but_what_is_copied_is_empty() -> None:
    assert "empty" in kinds("&nbsp;Hello&nbsp;", "&nbsp; &nbsp;")
    assert kinds("&nbsp; Hello", "&nbsp; 你好") == set()


def test_emoticons_are_no_punctuation() -> None:
    assert kinds("Thank you :)", "谢谢你 :)") == set()
    assert kinds("Thank you: I know.", "谢谢你: 我知道。") == {"half-width"}
