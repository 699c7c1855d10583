"""The contracts of Translator: nothing lost, nothing garbled, nothing dependent on neighbours."""

from __future__ import annotations

import gc
import itertools
import json
import math
import shutil
import threading
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from translit import Translation, Translator
from translit.decoding.settings import Hypothesis, SearchSettings
from translit.errors import TranslitError
from translit.files import read_pairs
from translit.model_directory import find_model
from translit.sentence import Glossary, peel
from translit.text.tokenizer import EOS


@pytest.fixture(scope="module")
def translator(tiny_model_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Translator]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
        yield Translator(tiny_model_dir, beam=2)


class Scripted:
    """An engine that answers from a table: what the model reads (and " [4]", without repeats) → what it writes."""

    name = "scripted"

    def __init__(self, owner: Translator, answers: dict[str, str]) -> None:
        self.owner = owner
        self.answers = answers
        self.log_probs: dict[str, float] = {}  # of what it writes when it reads this
        self.asked: list[tuple[str, int]] = []

    def begin(
        self,
        sources: Sequence[Sequence[int]],
        settings: SearchSettings,
        prefixes: Sequence[Sequence[int]] | None = None,
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        found = []
        for source in sources:
            assert source[-1] == EOS
            text = self.owner.directory.source_tokenizer.decode(source)
            self.asked.append((text, settings.no_repeat_ngram))
            answer = self.answers.get(text, "好。")
            if settings.no_repeat_ngram:
                answer = self.answers.get(f"{text} [{settings.no_repeat_ngram}]", answer)
            outputs = answer.split("|")
            ids = [self.owner.directory.target_tokenizer.encode(output) for output in outputs]
            best = self.log_probs.get(text, -0.1)
            found.append([Hypothesis(i, best * (n + 1), []) for n, i in enumerate(ids)][: settings.n_best])
        return reversed(list(enumerate(found)))  # any order is allowed

    def begin_scoring(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> Iterator[float]:
        return iter([-1.0] * len(targets))

    def describe(self) -> str:
        return "scripted"


@pytest.fixture
def scripted(tiny_model_dir: Path):  # type: ignore[no-untyped-def]  # a factory
    def make(answers: dict[str, str], **options: object) -> Translator:
        made = Translator(tiny_model_dir, **options)  # type: ignore[arg-type]
        made.engine = Scripted(made, answers)
        return made

    return make


def one(translator: Translator, line: str) -> Translation:
    (translation,) = translator.translate([line])
    assert translation.source == line
    return translation


# ── Structure ───────────────────────────────────────────────────────────────────────────────────────────────

ANY_LINE = st.text(st.characters(exclude_categories=()), max_size=60)  # lone surrogates and controls included
SNIPPETS = [
    *(
        "I love you",
        "Hello. ",
        "  ",
        "\t",
        "😀",
        "{0}",
        "https://a.org/x?y=1",
        "5,000",
        "我爱你",
        "NO!",
        "…",
        "\r",
    ),
    *(
        "a@b.org",
        "%s",
        "<b>",
        "\u200d",
        "\ufe0f",
        "سلام",
        "１２",
        "\ud800",
        "\x00",
        "▁",
        "1. ",
        "-",
        "word " * 30,
    ),
]
LIKELY_LINE = st.lists(st.sampled_from(SNIPPETS)).map("".join)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(ANY_LINE | LIKELY_LINE, max_size=5))
def test_any_unicode_comes_through(translator: Translator, lines: list[str]) -> None:
    """Complaints 1, 3, 8 and 17 of ../shared/complaints.md."""
    found = translator.translate(lines)
    assert [t.source for t in found] == lines
    for line, translation in zip(lines, found, strict=True):
        assert len(translation.text.splitlines()) == len(line.splitlines())
        if not line.strip():
            assert translation.text == line


UNCHANGED = [
    *(
        "",
        " ",
        "\t \u3000",
        "123",
        "3.14 + 2 = 5.14",
        "😀😀",
        "!!!",
        "—",
        "👨‍👩‍👧 ❤️",
        "{name}",
        "\ud800",
        "\x07",
    ),
    *("我爱你", "  你好，世界！ ", "我用 Python 写代码。", "https://example.org/a"),
    *("x = y + z", "A\tB", "max_length", "(1999)"),
]


@pytest.mark.parametrize("line", UNCHANGED)
def test_what_needs_no_translation_is_returned_unchanged(translator: Translator, line: str) -> None:
    """Complaints 1, 3 and 8."""
    translation = one(translator, line)
    assert translation.text == line
    assert translation.score is None
    assert not translation.flags


def test_white_space_around_and_line_breaks_inside_stay(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaint 2."""
    translator = scripted({"Hi.": "你好。"})
    assert one(translator, "  Hi.\t ").text == "  你好。\t "
    assert one(translator, "Hi.\r").text == "你好。\r"
    assert one(translator, "Hi.\nHi.\r\n\r\nHi.").text == "你好。\n你好。\r\n\r\n你好。"


def test_text_in_another_script_is_left_and_flagged(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"My name is {0}.": "我叫{0}。"})
    for line in ("مرحبا بالعالم", "Привет, мир!", "日本語のテキスト", "한국어 텍스트"):
        left = one(translator, line)
        assert left.text == line
        assert [flag.detail for flag in left.flags] == ["not English, left as it is"]
    assert one(translator, "My name is Иван Петров.").text == "我叫Иван Петров。"
    assert [asked for asked, _ in translator.engine.asked] == ["My name is {0}."]


def test_texts_inside_a_placeholder_are_not_passed_over_in_silence(scripted) -> None:  # type: ignore[no-untyped-def]
    choice = "{n, plural, one {# message} other {# messages}}"
    translator = scripted({"You have {0}.": "你有{0}。"})
    for line, text in ((f"You have {choice}.", f"你有{choice}。"), (choice, choice)):
        translation = one(translator, line)
        assert translation.text == text
        assert [flag.detail for flag in translation.flags] == [
            "the texts in {n, plural …} are left as they are"
        ]
    assert len(translator.engine.asked) == 1  # there is nothing to try again


def test_cells_brackets_and_a_byte_order_mark_stay(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"Hi.": "你好。", "Hi": "你好"})
    assert one(translator, "Hi.\tHi\t\t5\tHi").text == "你好。\t你好\t\t5\t你好"
    assert one(translator, "[Hi]").text == "[你好]"
    assert one(translator, "(1) (Hi.)").text == "(1) （你好。）"
    assert one(translator, "\ufeffHi").text == "\ufeff你好"


def test_sentences_are_translated_one_by_one_and_joined_as_chinese(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"I love you.": "我爱你。", "Where is it?": "在哪里？"})
    assert one(translator, "I love you. Where is it?").text == "我爱你。在哪里？"


def test_a_sentence_is_never_cut_off(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaints 16 and 17."""
    translator = scripted({})
    words = ["".join(letters) for letters in itertools.product("abcdefghij", repeat=4)]  # 10,000
    translation = one(translator, " ".join(words))
    asked = [text for text, _ in translator.engine.asked]
    lengths = itertools.accumulate(len(text.replace(" ", "")) for text in asked)
    first = asked[: list(lengths).index(len("".join(words))) + 1]  # what is flagged is read again behind that
    assert "".join(first).replace(" ", "") == "".join(words)
    assert all(len(translator.directory.source_tokenizer.encode(text)) < 128 for text in first)
    assert "split" in {flag.kind for flag in translation.flags}
    assert translation.text.count("好") > 10_000 / 128


def test_a_sentence_with_more_to_copy_than_placeholders_is_cut(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({})
    one(translator, "We saw " + ", ".join(f"{{name{n}}} here" for n in range(25)))
    first = [text for text, _ in translator.engine.asked][:3]
    assert [text.count("{") for text in first] == [10, 10, 5]


def test_list_marks_and_emoji_stay_outside_the_model(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaints 6 and 8."""
    translator = scripted({"Buy milk": "买牛奶"})
    assert one(translator, "1. Buy milk 🛒🛒").text == "1. 买牛奶 🛒🛒"
    assert one(translator, "😀 Buy milk").text == "😀 买牛奶"
    assert one(translator, "Buy milk :)").text == "买牛奶 :)"
    assert one(translator, "&nbsp;Buy milk &#160; &nbsp;").text == "&nbsp;买牛奶 &#160; &nbsp;"
    assert [asked for asked, _ in translator.engine.asked] == ["Buy milk", "buy milk"] * 4  # a label?


# ── Independence ────────────────────────────────────────────────────────────────────────────────────────────


def test_neighbours_change_nothing(translator: Translator) -> None:
    """Complaint 18."""
    lines = ["I love you", "Where is the station?", "", "He has 3 cats.", "I love you", "x " * 50]
    together = [t.text for t in translator.translate(lines)]
    assert together == [one(translator, line).text for line in lines]
    assert together == [t.text for t in translator.stream(lines, window=2)]


def test_stream_reads_only_a_few_windows_ahead(translator: Translator) -> None:
    """Complaint 27."""
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield "Good morning!"

    stream = translator.stream(endless(), window=7)
    for _ in range(50):
        next(stream)
    assert taken <= 50 + 4 * 7


def test_an_empty_window_asks_for_what_is_under_way(translator: Translator) -> None:
    asked: list[str] = []

    def windows() -> Iterator[list[str]]:
        for text in ("Good morning!", "I love you", ""):
            for window in ([text], []):
                asked.append(text)
                yield window

    found = []
    for window in translator.windows(windows()):
        found += [t.source for t in window]
        assert asked[-1] == found[-1]
    assert found == ["Good morning!", "I love you", ""]


def test_a_stream_keeps_nothing(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaint 27: memory stays where it is, however long the input."""
    translator = scripted({})
    sizes = []
    tracemalloc.start()
    try:
        for number, _ in enumerate(
            translator.stream((f"This is number {n}." for n in range(2500)), window=50)
        ):
            if number % 500 == 499:
                translator.engine.asked.clear()  # what the stand-in for an engine remembers
                gc.collect()
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[-1] - sizes[1] < 100_000  # bytes, for 1,500 lines


def test_threads_may_share_a_translator(translator: Translator) -> None:
    lines = ["I love you", "Good morning!", "Where is the station?"]
    expected = [t.text for t in translator.translate(lines)]
    results: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: results.append([t.text for t in translator.translate(lines)]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_both_engines_translate_alike(tiny_model_dir: Path) -> None:
    lines = ["I love you", "He has 3 cats and 12 dogs.", "Hello, world"]
    fast, reference = (
        Translator(tiny_model_dir, engine=e, precision="float32", beam=3) for e in ("ctranslate2", "torch")
    )
    assert [t.text for t in fast.translate(lines)] == [t.text for t in reference.translate(lines)]


# ── The guard ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("I love you!", "我爱你。", "我爱你！"),
        ("I love you", "我爱你。", "我爱你"),
        ("Is it you?", "是你。", "是你？"),
        ("I love you.", "我爱你", "我爱你。"),
        ("Wait...", "等等。", "等等……"),
        ('He said "no."', '他说"不"', "他说“不。”"),
        ("It is me.", "是我!", "是我！"),
        ("Hello, world", "你好,世界.", "你好，世界"),
        ("Is it you?!", "是你！", "是你？"),
    ],
)
def test_the_end_is_the_end_of_the_source(scripted, source, output, expected) -> None:  # type: ignore[no-untyped-def]
    """Complaints 9, 10 and 11."""
    assert one(scripted({source: output}), source).text == expected


def test_what_must_be_copied_is_hidden_from_the_model(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaints 13 and 14."""
    translator = scripted({"See {0} and mail {1} now.": "现在看{0}并写信给{1}。"})
    translation = one(translator, "See https://a.org/x?y=1 and mail me@b.org now.")
    assert translation.text == "现在看https://a.org/x?y=1并写信给me@b.org。"
    assert not translation.flags


def test_punctuation_is_never_changed_inside_what_is_copied(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"Run {0} or {1}, see {2}.": "运行{0}或{1}, 见{2}."})
    assert one(translator, "Run ./a.sh or ${b, c}, see &amp;.").text == "运行./a.sh或${b, c}，见&amp;。"
    terms = scripted({"The {0}, {1}.": "{0}, {1}."}, glossary={"gradient": "梯度", "loss": "损失"})
    assert one(terms, "The gradient, loss.").text == "梯度，损失。"


def test_placeholders_that_the_model_invents_are_dropped(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"See {0} now.": "现在看{0}｛ 7 ｝。", "Use {0} and {1}.": "用{0}和{2}{1}。"})
    assert one(translator, "See https://a.org now.").text == "现在看https://a.org。"
    assert one(translator, "Use {1} and {0}.").text == "用{1}和{0}。"
    assert one(scripted({"Use it.": "用{0}它。"}), "Use it.").text == "用它。"


def test_a_lost_span_is_tried_again_in_the_open_then_flagged(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"I am 😀 today.": "我今天😀。", "I am {0} today.": "我今天很高兴。"})
    assert one(translator, "I am 😀 today.").text == "我今天😀。"
    lost = one(scripted({"I am {0} today.": "我今天很高兴。"}), "I am 😀 today.")
    assert "lost" in {flag.kind for flag in lost.flags}


def test_an_address_that_was_hidden_and_dropped_is_shown(scripted) -> None:  # type: ignore[no-untyped-def]
    answers = {"Mail {0} now.": "现在写信。", "Mail me@b.org now.": "现在给me@b.org写信。"}
    translation = one(scripted(answers), "Mail me@b.org now.")
    assert translation.text == "现在给me@b.org写信。"
    assert not translation.flags


def test_a_loop_is_tried_again_without_repeats(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaints 4, 5 and 6."""
    translator = scripted({"A salad, please.": "沙拉" * 30 + "。"})
    translation = one(translator, "A salad, please.")
    assert translator.engine.asked == [("A salad, please.", 0), ("A salad, please.", 3)]
    answers = {"A salad, please.": "沙拉" * 30, "A salad, please. [3]": "请来份沙拉。"}
    mended = one(scripted(answers), "A salad, please.")
    assert mended.text == "请来份沙拉。"
    assert not mended.flags
    assert "loop" in {
        flag.kind for flag in translation.flags
    }  # the scripted engine repeats itself all the same


def test_a_stutter_is_tried_again_without_repeats(scripted) -> None:  # type: ignore[no-untyped-def]
    answers = {"Sleep well.": "睡得好好好。", "Sleep well. [2]": "睡个好觉。"}
    mended = one(scripted(answers), "Sleep well.")
    assert mended.text == "睡个好觉。"
    assert not mended.flags


def test_shouting_that_comes_back_untranslated_is_tried_again_quietly(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaint 7."""
    answers = {"WE LOVE GREEN TEA": "WE LOVE GREEN TEA", "We love green tea": "我们爱绿茶"}
    translation = one(scripted(answers), "WE LOVE GREEN TEA")
    assert translation.text == "我们爱绿茶"
    assert not translation.flags


def test_a_wrong_number_is_tried_again_as_a_placeholder(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaint 12."""
    answers = {"It costs 244890 yen.": "它要40日元。", "It costs {0} yen.": "它要{0}日元。"}
    assert one(scripted(answers), "It costs 244890 yen.").text == "它要244890日元。"
    call = "Call +1 (555) 123-4567 at 10:30."
    phone = scripted({call: "请在10:30打电话5551234567。", "Call {0} at {1}.": "在{1}打{0}。"})
    assert one(phone, call).text == "在10:30打+1 (555) 123-4567。"


def test_an_amount_is_tried_again_as_a_placeholder(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaint 12."""
    answers = {"It lost 6 million tons.": "它损失了6000万吨。", "It lost {0} tons.": "它损失了{0}吨。"}
    assert one(scripted(answers), "It lost 6 million tons.").text == "它损失了600万吨。"
    answers = {"All fourteen came.": "所有人都来了。", "All {0} came.": "所有{0}人都来了。"}
    assert one(scripted(answers), "All fourteen came.").text == "所有14人都来了。"


def test_a_lost_currency_is_tried_again_behind_a_placeholder(scripted) -> None:  # type: ignore[no-untyped-def]
    answers = {"In 2019 it cost €99.99.": "2019年它要99.99。", "In 2019 it cost {0}.": "2019年它要{0}。"}
    translator = scripted(answers)
    translation = one(translator, "In 2019 it cost €99.99.")
    assert translation.text == "2019年它要99.99欧元。"
    assert not translation.flags
    degrees = scripted({"It is -15 °C outside.": "外面有15度。", "It is {0} outside.": "外面有{0}。"})
    assert one(degrees, "It is -15 °C outside.").text == "外面有-15摄氏度。"


def test_a_currency_lost_twice_is_put_where_it_fits(scripted) -> None:  # type: ignore[no-untyped-def]
    translation = one(scripted({"It costs €5.": "它要5。", "It costs {0}.": "它要钱。"}), "It costs €5.")
    assert "5欧元" in translation.text
    assert not translation.flags


def test_tags_go_around_the_translation_of_their_words(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaint 14."""
    answers = {"Press Enter now.": "现在按回车。|现在请按回车。|请按。", "Enter": "回车"}
    translator = scripted(answers, alternatives=2)
    translation = one(translator, "Press <b>Enter</b> now.")
    assert translation.text == "现在按<b>回车</b>。"
    assert not translation.flags
    assert [other.text for other in translation.alternatives] == ["现在请按<b>回车</b>。"]
    assert sorted(asked for asked, _ in translator.engine.asked) == ["Enter", "Press Enter now.", "enter"]


def test_tags_whose_words_find_no_place_are_hidden_with_them(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaint 14."""
    answers = {"It is very big.": "它大极了。", "very": "非常。", "It is {0} big.": "它{0}大。"}
    translation = one(scripted(answers), "It is <em>very</em> big.")
    assert translation.text == "它<em>非常</em>大。"
    assert not translation.flags
    lost = one(scripted(answers | {"It is {0} big.": "它大。"}), "It is <em>very</em> big.")
    assert "<em>非常</em>" in lost.text
    number = {"{0} 20 cats.": "{0}猫。", "{0} {1} cats.": "{0}{1}只猫。", "See": "看", "See 20 cats.": "猫。"}
    assert one(scripted(number), "<i>See</i> 20 cats.").text == "<i>看</i>20只猫。"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("<p>One.", ("<p>", "One.", "")),
        ("One.</p> ", ("", "One.", "</p> ")),
        ("1. <div> <p>A <b>b</b>c</p></div>", ("1. <div> <p>", "A <b>b</b>c", "</p></div>")),
        ("<b>A</b> b <i>c</i>", ("", "<b>A</b> b <i>c</i>", "")),
        ("<br>A<br/>", ("<br>", "A", "<br/>")),
        ("&quot;A&quot;", ("", "&quot;A&quot;", "")),
        ("<p>(A)</p>", ("<p>(", "A", ")</p>")),
        ("<p></p>", ("", "<p></p>", "")),
        ("<p>A</p></p>", ("", "<p>A</p>", "</p>")),
    ],
)
def test_tags_around_a_sentence_stay_outside_the_model(text: str, parts: tuple[str, str, str]) -> None:
    assert peel(text) == parts


def test_sentences_in_one_pair_of_tags(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"Hello.": "你好。", "I am Tom.": "我是汤姆。"})
    assert one(translator, "<p>Hello. I am Tom.</p>").text == "<p>你好。我是汤姆。</p>"


def test_tags_a_term_and_code(scripted) -> None:  # type: ignore[no-untyped-def]
    answers = {"The {0} of {1} is low.": "{1}的{0}低。"}
    translator = scripted(answers, glossary={"learning rate": "学习率"})
    translation = one(translator, "The <b>learning rate</b> of <code>fit now</code> is low.")
    assert translation.text == "<code>fit now</code>的<b>学习率</b>低。"
    assert not translation.flags


def test_a_number_lost_twice_is_put_where_it_fits(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaint 12."""
    answers = {"It costs 244890 yen.": "它要钱。", "It costs {0} yen.": "它要日元。"}
    translation = one(scripted(answers), "It costs 244890 yen.")
    assert "244890" in translation.text
    assert not translation.flags


def test_a_slip_in_a_number_needs_no_second_try(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaint 12."""
    translator = scripted({"It costs 244890 yen.": "它要24490日元。"})
    assert one(translator, "It costs 244890 yen.").text == "它要244890日元。"
    assert len(translator.engine.asked) == 1


def test_the_first_answer_stays_when_the_second_is_no_better(scripted) -> None:  # type: ignore[no-untyped-def]
    answers = {"It costs 5 yen.": "它要6日元。", "It costs {0} yen.": "它要7日元8角。"}
    translation = one(scripted(answers), "It costs 5 yen.")
    assert translation.text == "它要6日元。"
    assert {flag.kind for flag in translation.flags} == {"number"}


def test_without_check_nothing_is_tried_again_or_flagged(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"A salad, please.": "沙拉" * 30}, check=False)
    assert not one(translator, "A salad, please.").flags
    assert len(translator.engine.asked) == 1


def test_spaces_inside_copied_parts_stay(scripted) -> None:  # type: ignore[no-untyped-def]
    translation = one(scripted({"Run {0} now.": "现在运行{0}。"}), "Run `a  b` now.")
    assert translation.text == "现在运行`a  b`。"
    assert translation.flags == ()


def test_an_emoticon_inside_stands_apart(scripted) -> None:  # type: ignore[no-untyped-def]
    for answer in ("我喜欢{0}，谢谢！", "我喜欢 {0}，谢谢！"):
        translation = one(scripted({"I like it {0} Thanks!": answer}), "I like it :) Thanks!")
        assert translation.text == "我喜欢 :)，谢谢！"
        assert translation.flags == ()


@pytest.mark.parametrize("source", ["Hi there.\u200b", "Hi there.\u200e", "\u202eHi there.\u202c"])
def test_a_mark_before_something_invisible_ends_the_sentence(scripted, source: str) -> None:  # type: ignore[no-untyped-def]
    translation = one(scripted({"Hi there.": "你好"}), source)
    assert translation.text.strip("\u200b\u200e\u202c\u202e") == "你好。"
    assert translation.flags == ()


def test_a_blank_second_attempt_is_not_better(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"cats sleep": "\ufffd", "cats sleep.": "{7}"})
    assert one(translator, "cats sleep").text == "\ufffd"


def test_an_empty_window_is_refused(scripted) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="window is 0"):
        list(scripted({}).stream(["a"], window=0))


def test_output_never_holds_a_line_break(scripted) -> None:  # type: ignore[no-untyped-def]
    assert one(scripted({"Hi there": "你\n好\u2028啊"}), "Hi there").text == "你好啊"


# ── What people add ─────────────────────────────────────────────────────────────────────────────────────────


def test_glossary_terms_get_their_translation(scripted) -> None:  # type: ignore[no-untyped-def]
    answers = {"The {0} is small.": "{0}很小。"}
    translator = scripted(answers, glossary={"learning  rate": "学习率", "rate": "比率"})
    assert one(translator, "The Learning rate is small.").text == "学习率很小。"
    assert one(translator, "learning rate").text == "学习率"  # needs no model


def test_terms_alone_get_chinese_punctuation(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({}, glossary={"gradient": "梯度", "loss": "损失"})
    assert one(translator, "Gradient?").text == "梯度？"
    assert one(translator, "Gradient, loss.").text == "梯度，损失。"


def test_a_term_may_hold_a_placeholder(scripted) -> None:  # type: ignore[no-untyped-def]
    answers = {"The {0} and the {1} are here.": "{0}和{1}在这里。"}
    translator = scripted(answers, glossary={"user": "用户{0}", "guest": "客人{5}"})
    assert one(translator, "The user and the guest are here.").text == "用户{0}和客人{5}在这里。"


def test_alternatives_keep_the_terms_of_the_glossary(scripted) -> None:  # type: ignore[no-untyped-def]
    answers = {"The {0} is small.": "{0}很小。|比率很小。|{0}{0}很小。|{0}小。"}
    translator = scripted(answers, glossary={"rate": "费率"}, alternatives=3)
    assert [a.text for a in one(translator, "The rate is small.").alternatives] == ["费率小。"]


@pytest.mark.parametrize("engine", ["ctranslate2", "torch"])
@pytest.mark.parametrize("options", [{"beam": 1}, {"beam": 4, "alternatives": 1}, {"check": False}])
def test_glossary_terms_are_guaranteed(tiny_model_dir: Path, engine: str, options: dict[str, object]) -> None:
    """A model of random weights seldom writes the right placeholder by itself."""
    glossary = {"gradient": "梯度", "learning rate": "学习率", "loss": "损失"}
    translator = Translator(tiny_model_dir, engine=engine, glossary=glossary, **options)  # type: ignore[arg-type]
    lines = [
        "The gradient is small.",
        "Loss, gradient and learning rate: which one?",
        "I love you",
        "A gradient " * 9,
    ]
    for line, translation in zip(lines, translator.translate(lines), strict=True):
        for term, target in glossary.items():
            assert translation.text.count(target) == line.casefold().count(term), (line, translation.text)
        assert "lost" not in {flag.kind for flag in translation.flags}


def test_a_term_that_the_model_doubles_is_written_once(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"The {0} is small.": "{0}的｛0｝很小。"}, glossary={"gradient": "梯度"})
    assert one(translator, "The gradient is small.").text.count("梯度") == 1


def test_a_lost_address_is_put_back_if_that_is_better(scripted) -> None:  # type: ignore[no-untyped-def]
    """Complaints 13 and 14."""
    translation = one(scripted({}), "Please send it to me@b.org and https://a.org/x today.")
    kinds = {flag.kind for flag in translation.flags}
    assert ("me@b.org" in translation.text and "https://a.org/x" in translation.text) != ("email" in kinds)
    unchecked = one(scripted({}, check=False), "Please send it to me@b.org today.")
    assert unchecked.text == "好。"


def test_a_label_in_title_case_is_read_in_small_letters_where_that_is_likelier(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"Cancel": "坎塞", "cancel": "取消", "London": "伦敦", "london": "隆东"})
    translator.engine.log_probs = {"Cancel": -4.0, "cancel": -1.0, "London": -1.0, "london": -4.0}
    assert one(translator, "Cancel").text == "取消"
    assert one(translator, "- London").text == "- 伦敦"
    for sentence in ("Cancel.", "CANCEL", "I cancel it", "Cancel London"):
        translator.engine.asked.clear()
        one(translator, sentence)
        assert len(translator.engine.asked) == 1  # no label, so no second reading


def test_memory_wins(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({}, memory={"Good  morning, Tom!": "汤姆早！"})
    assert one(translator, " Good morning, Tom! ").text == " 汤姆早！ "
    assert not translator.engine.asked


def test_memory_knows_sentences_of_a_line_and_the_line_before_them(scripted) -> None:  # type: ignore[no-untyped-def]
    memory = {"Good morning, Tom!": "汤姆早！", "It is late.": "不早了。", "It is late. Go.": "快走。"}
    translator = scripted({"Go.": "走吧。"}, memory=memory)
    assert one(translator, "Good morning, Tom! It is late.").text == "汤姆早！不早了。"
    assert not translator.engine.asked
    assert one(translator, "It is late. Good morning, Tom! Go.").text == "不早了。汤姆早！走吧。"
    assert one(translator, "It is late. Go.").text == "快走。"
    assert one(translator, "- It is late. 😀").text == "- 不早了。😀"  # marks around it do not matter


def test_alternatives(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"I love you": "我爱你|我爱你。|我喜欢你"}, alternatives=2)
    translation = one(translator, "I love you")
    assert translation.text == "我爱你"
    assert [a.text for a in translation.alternatives] == [
        "我喜欢你"
    ]  # the second was the first with another end


def test_alternatives_of_several_sentences_are_best_first(scripted) -> None:  # type: ignore[no-untyped-def]
    """Where a sentence has no third translation, its best one stands, and the whole line is what is compared."""
    answers = {"It is late.": "晚了。|很晚了，很晚很晚了。|太晚了。", "Go.": "走吧。|走。"}
    translation = one(scripted(answers, alternatives=2), "It is late. Go.")
    scores = [a.score for a in translation.alternatives]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    assert {a.text for a in translation.alternatives} == {"很晚了，很晚很晚了。走。", "太晚了。走吧。"}


def test_scores_compare_whatever_the_length_penalty(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"I love you": "我爱你|我喜欢你"}, alternatives=1, length_penalty=2.0)
    translation = one(translator, "I love you")
    tokens = [len(translator.directory.target_tokenizer.encode(text)) + 1 for text in ("我爱你", "我喜欢你")]
    assert translation.score == pytest.approx(-0.1 * tokens[0])  # what the search gave, × tokens² / tokens
    assert translation.alternatives[0].score == pytest.approx(-0.2 * tokens[1])


def test_unsure_lines_are_left_and_flagged(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"I love you": "我爱你"}, min_confidence=0.95)
    translation = one(translator, "I love you")
    assert translation.text == "I love you"
    assert [flag.kind for flag in translation.flags] == ["low-confidence"]


def test_score_and_confidence_are_per_token(translator: Translator) -> None:
    translation = one(translator, "I love you")
    assert translation.score is not None
    assert translation.confidence is not None
    assert translation.score < 0 < translation.confidence < 1


def test_confidence_follows_the_curve_that_calibration_left(tiny_model_dir: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_model_dir, tmp_path / "model")
    config = tmp_path / "model" / "config.json"
    stored = json.loads(config.read_text("utf-8"))
    stored["info"]["confidence"] = {"slope": 2.0, "intercept": 1.0, "good": 30.0}
    config.write_text(json.dumps(stored), "utf-8")
    translation = one(Translator(tmp_path / "model"), "I love you")
    assert translation.score is not None
    assert translation.confidence == pytest.approx(1 / (1 + math.exp(-(2.0 * translation.score + 1.0))))


def test_describe_says_what_translates(translator: Translator) -> None:
    facts = translator.describe()
    assert "CTranslate2" in facts["engine"]
    assert facts["beam"] == 2


def test_a_long_address_does_not_cut_its_sentence(scripted) -> None:  # type: ignore[no-untyped-def]
    """The model reads {0}; only what it reads must be short. With the address in sight it is not asked again."""
    url = "https://example.com/" + "a/b?x=1&y=2" * 100
    translator = scripted({"Open {0} now.": "现在打开{0}。"})
    (translation,) = translator.translate([f"Open {url} now."])
    assert translation.text == f"现在打开{url}。"
    assert not translation.flags
    translator = scripted({"Open {0} now.": "打开。"})
    (translation,) = translator.translate([f"Open {url} now."])
    assert url in translation.text  # put in where the model finds it likeliest
    assert all("example" not in text for text, _ in translator.engine.asked)


def test_a_model_that_learnt_very_long_sentences_is_shown_no_longer_ones(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    """What the engine would cut off silently is a sentence of its own, and flagged."""
    shutil.copytree(tiny_model_dir, tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text("utf-8"))
    config["info"]["data"] = {"max_tokens": 1000}
    (tmp_path / "model" / "config.json").write_text(json.dumps(config), "utf-8")
    translator = Translator(tmp_path / "model")
    translator.engine = Scripted(translator, {})
    words = [a + b + c for a, b, c in itertools.product("abcdefgh", repeat=3)]
    (translation,) = translator.translate([" ".join(words)])
    asked = "".join(text for text, _ in translator.engine.asked).replace(" ", "")
    assert asked.startswith("".join(words))
    assert "split" in {flag.kind for flag in translation.flags}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"precision": "int4"}, "precision 'int4' does not exist; choose one of int8, float32"),
        ({"threads": -1}, "threads is -1; give a number from 1"),
        ({"min_confidence": 5}, "min_confidence=5: give"),
        ({"alternatives": -1}, "alternatives=-1, "),
        ({"glossary": {" ": "x"}}, "the glossary has an empty term"),
    ],
)
def test_wrong_options_are_told(tiny_model_dir: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(TranslitError, match=message):
        Translator(tiny_model_dir, **options)  # type: ignore[arg-type]


def test_unknown_engine(tiny_model_dir: Path) -> None:
    with pytest.raises(TranslitError, match="engine 'onnx' does not exist; choose one of auto"):
        Translator(tiny_model_dir, engine="onnx")


def test_a_single_string_is_refused_with_the_fix(translator: Translator) -> None:
    with pytest.raises(TypeError, match=r"pass a list of lines: translate\(\[text\]\)\[0\]"):
        translator.translate("I love you")


def test_alternatives_that_read_alike_make_room_for_others(scripted) -> None:  # type: ignore[no-untyped-def]
    found = one(scripted({"I love you": "我爱你|我爱你。|我喜欢你"}, alternatives=1), "I love you")
    assert [a.text for a in found.alternatives] == ["我喜欢你"]


def test_the_length_penalty_of_the_model(tmp_path: Path) -> None:
    """A model may name the α that suits it; whoever asks for another gets that."""
    model = tmp_path / "model"
    shutil.copytree(find_model().path, model)
    config = json.loads((model / "config.json").read_text("utf-8"))
    config["info"]["length_penalty"] = 2.5
    (model / "config.json").write_text(json.dumps(config), "utf-8")
    assert Translator(model).describe()["length_penalty"] == 2.5
    assert Translator(model, length_penalty=1.0).describe()["length_penalty"] == 1.0
    config["info"]["length_penalty"] = "long"
    (model / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(TranslitError, match=r"info\.length_penalty is 'long'"):
        Translator(model)


def test_glossary_terms_are_found_as_they_are_written() -> None:
    """Letters whose folded form is another: ß, İ; and ı, which a pattern takes for an i."""
    glossary = Glossary({"Straße": "街", "İzmir": "伊兹密尔", "Diyarbakir": "迪亚巴克尔"})
    for text, target in (("the Straße", "街"), ("in İzmir", "伊兹密尔"), ("in DIYARBAKIR", "迪亚巴克尔")):
        (span,) = glossary.find(text)
        assert glossary.target(text[span.start : span.end]) == target
    assert glossary.find("in Diyarbakır") == []


def test_further_columns_of_pairs_are_notes(tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text("gradient\t梯度\tmath term\n", "utf-8")
    assert read_pairs(tmp_path / "terms.tsv") == {"gradient": "梯度"}


def test_format_signs_powers_of_ten_and_formulas_are_hidden(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"It is {0} full.": "它{0}满了。"})
    assert one(translator, "It is %d%% full.").text == "它%d%%满了。"
    assert one(translator, "It is 5e-3 full.").text == "它5e-3满了。"
    for formula in (
        "x != 7",
        ">=",
        "E = mc²",
        "x = -5",
        "60 m²",
        "6'2\"",
        "||",
        "->",
        "H₂O",
        "€4,20",
        "™",
        "C++",
        "--no-check",
    ):
        translation = one(translator, f"It is {formula} full.")
        assert (translation.text, translation.flags) == (f"它{formula}满了。", ())


def test_a_minus_stands_at_its_number(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"It is -5 °C outside.": "外面是 - 5 °C。"})
    assert one(translator, "It is -5 °C outside.").text == "外面是-5 °C。"


def test_a_fraction_is_hidden_whole(scripted) -> None:  # type: ignore[no-untyped-def]
    translator = scripted({"It costs 2 1/2 yen.": "它要日元。", "It costs {0} yen.": "它要{0}日元。"})
    assert one(translator, "It costs 2 1/2 yen.").text == "它要2 1/2日元。"
