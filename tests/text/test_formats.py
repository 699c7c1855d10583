"""translit.text.formats: what is given out to translate, and that nothing but it changes."""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from translit.errors import TranslitError
from translit.text.formats import FORMATS, format_of, open_format
from translit.text.formats.subtitles import lay_out


def segments(name: str, text: str) -> list[str]:
    return open_format(name, text.encode()).segments


def translated(name: str, text: str, *translations: str) -> str:
    """``text`` with the given translations, or with 译 before each segment."""
    document = open_format(name, text.encode())
    return document.render(translations or ["译" + segment for segment in document.segments]).decode()


TXT = "  Hello there. \r\n\r\n\U0001f600 42\r\n\tLast line"

SRT = """\ufeff1\r
00:00:01,000 --> 00:00:02,000 X1:40\r
<i>I think that\r
we should go.</i>\r
\r
2\r
00:00:03,000 --> 00:00:04,000\r
- Who <b>is</b> it?\r
- It's me.\r
\r
\r
3\r
00:00:05,000 --> 00:00:06,000\r
♪\r
"""

VTT = """WEBVTT - a title

NOTE a comment
of two lines

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.000 align:start
<v Bob>Hello <c.loud>there</c>
you


NOTE another

00:03.000 --> 00:04.000
<00:03.100>Hi <00:03.500>all"""

MD = """---
title: Keep me
---
# Head **bold** title {#anchor}

> [!NOTE]
> Quote *one*
> two `code` here.

- item with
  more text
  - sub [link text](http://a.b/c_(d) "T") and <http://auto.link>

| Name | Value |
|---|:-:|
| x y | ![alt text](i.png) |

<div>
html *kept*
</div>

[ref]: http://x 'T'

One\\* two &copy; three  
hard __break__ <b>html</b> and [ref].

::: tip
Inside tip
:::

```py
code = "x"
```

    indented
"""

HTML = """<!DOCTYPE html>
<html><head><title>My page</title><script>var x = "<b>no</b>";</script><style>p { x: y }</style></head>
<body class=x>
<p>Hello <b>big</b> &amp; <a href="x?a=1&b=2" title="A tip">round
   world</a>&nbsp;!</p><pre>code here</pre>
<ul><li>One<li>Two <code>x = 1</code> three<br>four</ul>
<p><img src=a alt="A cat"> Look here</p><!-- comment --><p translate="no">Brand</p></body></html>
"""

PO = """# translator comment
msgid ""
msgstr ""
"Language: zh\\n"

#: a.c:1
#, c-format
msgid "Hello %s\\n"
msgstr ""

#. note
msgctxt "menu"
msgid ""
"Long one "
"line.\\nSecond \\"q\\"\\n"
msgstr ""

msgid "Done, "
"wrapped oddly"
msgstr "完"
"成"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""

#~ msgid "old"
#~ msgstr ""
"""

JSON = """{
  "key": "Hello \\"you\\"",
 "n": 3,   "list": ["A\\nB\\n", {"x" : "Caf\u00e9", "u": "123", "Key text": null}]
}"""

YAML = """# comment
en:
  a: &x Hello world # note
  b: 'it''s'
  c: "quoted\\n"
  d: |
    line one
      line two

  e: >-
    folded
    text
  f: no
  g: plain more
    line
  h: *x
  i: [a b, c]
  n: 12
"""

SAMPLES = {
    "a.txt": (TXT, ["Hello there.", "Last line"]),
    "a.srt": (SRT, ["I think that we should go.", "Who {0}is{1} it?", "It's me."]),
    "a.vtt": (VTT, ["Hello {0}there{1} you", "Hi {0}all"]),
    "a.md": (
        MD,
        [
            "Head {0}bold{1} title", "Quote {0}one{1} two {2} here.", "item with more text",
            "sub {0}link text{1} and {2}", "Name", "Value", "x y", "alt text",
            "One{0} two © three", "hard {0}break{1} {2}html{3} and {4}ref{5}.", "Inside tip",
        ],
    ),
    "a.html": (
        HTML,
        [
            "My page", "Hello {0}big{1} & {2}round world{3}\u00a0!", "A tip", "One", "Two {0} three", "four", "A cat",
            "Look here",
        ],
    ),
    "a.po": (PO, ["Hello %s", "Long one line.", 'Second "q"', "%d files"]),
    "a.json": (JSON, ['Hello "you"', "A", "B", "Café"]),
    "a.yaml": (
        YAML,
        ["Hello world", "it's", "quoted", "line one", "line two", "folded text", "plain more line", "a b", "c"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_segments(name: str) -> None:
    text, expected = SAMPLES[name]
    assert segments(name, text) == expected


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_unchanged_segments_give_the_input_byte_for_byte(name: str, newline: str) -> None:
    text = SAMPLES[name][0].replace("\r\n", "\n").replace("\n", newline)
    for data in (text.encode(), text.rstrip().encode(), text.removeprefix("\ufeff").encode("utf-16")):
        document = open_format(name, data)
        assert document.render(document.segments) == data


@pytest.mark.parametrize("name", SAMPLES)
def test_line_breaks_do_not_matter_to_the_segments(name: str) -> None:
    text = SAMPLES[name][0].replace("\r\n", "\n")
    assert segments(name, text) == segments(name, text.replace("\n", "\r\n"))


@pytest.mark.parametrize("name", SAMPLES)
def test_count_must_match(name: str) -> None:
    with pytest.raises(ValueError, match="translations for"):
        open_format(name, SAMPLES[name][0].encode()).render(["x"])


def test_complaints_1_3_blank_lines_are_never_translated() -> None:
    assert segments("a.txt", "One\n\n \t\n\u3000\nTwo\n") == ["One", "Two"]


def test_complaint_8_emoji_lines_are_never_translated() -> None:
    assert segments("a.txt", "😀👍🏽\n12:30\nHi 😀\n") == ["Hi 😀"]


def test_complaint_2_plain_text_keeps_its_lines() -> None:
    assert translated("a.txt", TXT) == "  译Hello there. \r\n\r\n\U0001f600 42\r\n\t译Last line"
    assert translated("a.txt", "\n\n\n") == "\n\n\n"


@pytest.mark.parametrize("name", SAMPLES)
def test_empty_and_blank_files(name: str) -> None:
    for text in ("", "\n", "\r\n\r\n"):
        if name != "a.json":
            document = open_format(name, text.encode())
            assert document.segments == []
            assert document.render([]) == text.encode()


def test_complaint_15_srt_arrow() -> None:
    out = translated("a.srt", SRT)
    assert out == SRT.replace("I think that\r\nwe should go.", "译I think that we should go.").replace(
        "Who <b>is</b> it?", "译Who <b>is</b> it?"
    ).replace("It's me.", "译It's me.")
    times = [line for line in SRT.split("\r\n") if "-->" in line]
    assert [line for line in out.split("\r\n") if "-->" in line] == times


def test_complaint_15_two_line_cue_is_one_sentence_and_split_again() -> None:
    cue = (
        "1\n00:00:01,000 --> 00:00:02,000\n<i>I think that we should leave for\nthe station right now.</i>\n"
    )
    out = translated("a.srt", cue, "我觉得我们现在就应该出发去车站，不然就赶不上火车了。")
    assert out == (
        "1\n00:00:01,000 --> 00:00:02,000\n<i>我觉得我们现在就应该出发去车站，\n不然就赶不上火车了。</i>\n"
    )


def test_complaint_15_cue_numbers_without_blank_lines_between() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n\nstill two\n"
    assert segments("a.srt", text) == ["One", "Two", "still two"]


def test_subtitles_keep_who_speaks() -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\n<i>JOHN: Wait!</i>\n- DR. O'NEIL #2: I am\nhere: now\n"
    assert segments("a.srt", cue) == ["Wait!", "I am here: now"]
    assert translated("a.srt", cue, "等等！", "我在").endswith("<i>JOHN: 等等！</i>\n- DR. O'NEIL #2: 我在\n")


def test_a_dash_starts_a_speaker_also_under_a_line_without() -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\nCome on now\n- Yes, go\n"
    assert segments("a.srt", cue) == ["Come on now", "Yes, go"]


def test_vtt_entities_are_characters() -> None:
    cue = "WEBVTT\n\n00:01.000 --> 00:02.000\nYou &amp; me &lt;3 <i>now</i>\n"
    assert segments("a.vtt", cue) == ["You & me <3 {0}now{1}"]
    assert translated("a.vtt", cue, "你&我<3{0}现在{1}").endswith("\n你&amp;我&lt;3<i>现在</i>\n")
    assert segments("a.srt", cue.replace("WEBVTT\n", "")) == ["You &amp; me &lt;3 {0}now{1}"]


def test_layout_never_breaks_words_or_starts_a_line_with_a_mark() -> None:
    assert lay_out("短句。", 2) == ["短句。"]
    assert lay_out("a" * 40, 2) == ["a" * 40]  # nowhere to cut
    lines = lay_out("他在 International Business Machines 公司工作了整整二十年，之后退休。", 2)
    assert len(lines) == 2
    assert (
        "".join(lines).replace(" ", "") == "他在InternationalBusinessMachines公司工作了整整二十年，之后退休。"
    )
    assert lines[1][0] not in "，。"
    assert any("International" in line for line in lines)


def test_complaint_14_markdown() -> None:
    out = translated("a.md", MD)
    expected = MD.replace("# Head", "# 译Head").replace("> Quote *one*\n> two", "> 译Quote *one* two")
    expected = expected.replace("item with\n  more text", "译item with more text").replace(
        "sub [link", "译sub [link"
    )
    expected = expected.replace("| Name | Value", "| 译Name | 译Value").replace("| x y", "| 译x y")
    expected = expected.replace("alt text", "译alt text").replace("One\\* two &copy;", "译One\\* two ©")
    expected = expected.replace("hard __break__", "译hard **break**").replace("[ref].", "[ref][ref].")
    assert out == expected.replace("Inside tip", "译Inside tip")


def test_markdown_links_survive_any_order_and_loss() -> None:
    text = "See [the docs](http://a.b/c) and `code`.\n"
    assert translated("a.md", text, "{2}见{0}文档{1}。") == "`code`见[文档](http://a.b/c)。\n"
    assert translated("a.md", text, "见文档。") == "[见文档。`code`](http://a.b/c)\n"
    assert translated("a.md", text, "{1}见{0}文档{2}{2}。") == "[见文档`code`。](http://a.b/c)\n"


def test_markdown_emphasis_beside_chinese_punctuation_stays_emphasis() -> None:
    assert translated("a.md", "**Note:** read this.", "{0}注意：{1}请读。") == "**注意**：请读。"
    assert translated("a.md", "He _really_ came.", "他{0}真的{1}来了。") == "他*真的*来了。"
    assert translated("a.md", "Use **`x`** now.", "用{0}{1}{2}吧。") == "用 **`x`** 吧。"


def test_markdown_copies_keys_whole() -> None:
    text = "Use <kbd>Ctrl</kbd>+<kbd>*C*</kbd> to *stop*.\n"
    assert segments("a.md", text) == ["Use {0}+{1} to {2}stop{3}."]
    assert translated("a.md", text, "用{0}+{1}停。") == "用<kbd>Ctrl</kbd>+<kbd>*C*</kbd>停。\n"
    assert segments("a.md", "An <kbd>open element\n") == ["An"]
    assert segments("a.md", "A <kbd>[b</kbd>](x) c\n") == segments("a.md", "A [<kbd>b](x)</kbd> c\n") == ["A"]


def test_markdown_with_old_line_ends() -> None:
    assert segments("a.md", "# One\r\rTwo\rthree\r") == ["One", "Two three"]


@pytest.mark.parametrize(
    "link",
    [
        r'[text](http://x.com "a \"quoted\" title")',
        r"[text](https://x.org/a\(b)",
        "[text](https://x.org/a_((b)))",
        "[text](<https://x.org/a b>)",
        "[text](/u (a title))",
    ],
)
def test_markdown_links_of_every_form_are_followed(link: str) -> None:
    assert segments("a.md", f"See {link} for more.\n") == ["See {0}text{1} for more."]
    assert (
        translated("a.md", f"See {link} for more.\n", "更多见{0}文{1}。")
        == f"更多见{link.replace('text', '文')}。\n"
    )


def test_markdown_reference_links_keep_their_label() -> None:
    text = "See [my ref].\n\n[my ref]: http://x\n"
    assert translated("a.md", text, "见{0}参考{1}。") == "见[参考][my ref]。\n\n[my ref]: http://x\n"
    assert translated("a.md", text.replace("See ", "").replace("].", "]", 1), "{0}参考{1}").startswith(
        "[参考][my ref]\n"
    )


def test_html_text_only() -> None:
    out = translated("a.html", HTML)
    expected = (
        HTML.replace("<title>", "<title>译")
        .replace("Hello", "译Hello")
        .replace("round\n   world", "round world")
    )
    expected = expected.replace("&nbsp;", "\u00a0").replace('"A tip', '"译A tip').replace("<li>", "<li>译")
    assert out == expected.replace("<br>", "<br>译").replace("A cat", "译A cat").replace("Look", "译Look")


def test_html_what_is_not_translated_ends_where_it_ends() -> None:
    br = '<p>One<br class="notranslate">Two words</p><p>Three words</p>'
    assert segments("a.html", br) == ["One", "Two words", "Three words"]
    item = '<ul><li class="notranslate">API <b>x</b><li>Next item</ul><p>After words</p>'
    assert segments("a.html", item) == ["Next item", "After words"]
    last = '<ul><li>First item<li translate="no">API<ul><li>x</ul></ul><p>After words</p>'
    assert segments("a.html", last) == ["First item", "After words"]
    terms = '<dl><dt class="notranslate">API<dd>An interface<dt class="notranslate">URL</dl><p>After words'
    assert segments("a.html", terms) == ["An interface", "After words"]
    nested = '<ul><li class="notranslate">API<p>unclosed<li>Next item</ul>After words'
    assert segments("a.html", nested) == ["Next item", "After words"]


def test_html_specials_are_escaped_and_tags_stay_well_formed() -> None:
    text = '<p title="Say">A <b>x</b> and <i>y</i>.</p>'
    lost = translated("a.html", text, '说"', "a < b & c")
    assert lost == '<p title="说&quot;">a &lt; b &amp; c</p>'
    assert translated("a.html", text, "题", "{2}说{3}{0}好{1}") == '<p title="题"><i>说</i><b>好</b></p>'
    assert translated("a.html", text, "题", "说{0}{1}好") == '<p title="题">说好</p>'
    icon = '<p>A <i class="x"></i> cat</p>'
    assert translated("a.html", text, "题", "说{0} {1}好") == '<p title="题">说 好</p>'
    assert translated("a.html", icon, "{0}{1}猫") == '<p><i class="x"></i>猫</p>'
    assert translated("a.html", text, "题", "{2}说{0}好{3}<{1}") == '<p title="题">说好&lt;</p>'


RICH = 'A <i>b <b>c <code>d</code></b> e</i> <u>f</u> <a href="x">g <s>h</s></a>.'
TOKENS = [f"{{{number}}}" for number in range(11)]


@settings(max_examples=200)
@given(st.lists(st.sampled_from([*TOKENS, "译", " "]), max_size=16) | st.permutations(TOKENS))
def test_complaint_14_tags_stay_well_formed_whatever_the_model_does(parts: list[str]) -> None:
    out = translated("a.html", RICH, "".join(parts))
    tags = re.findall(r"<[^<>]*>", out)
    assert not Counter(tags) - Counter(re.findall(r"<[^>]*>", RICH))
    assert out.count("<code>d</code>") == out.count('<a href="x">') == 1
    open_tags: list[str] = []
    for tag in tags:
        if tag.startswith("</"):
            assert open_tags.pop().split()[0].rstrip(">") == tag.replace("/", "").rstrip(">")
        else:
            open_tags.append(tag)


@pytest.mark.parametrize(
    ("text", "segment"),
    [
        ("See https://x.org/_a_/b for more.", "See {0} for more."),
        ("See www.x.org/a*b*c, please.", "See {0}, please."),
        ("_See https://x.org/a_b_", "{0}See {1}{2}"),
        ("See [this](https://x.org/_a_) for more.", "See {0}this{1} for more."),
        ("See <https://x.org/_a_> for more.", "See {0} for more."),
    ],
)
def test_underscores_of_bare_addresses_are_no_emphasis(text: str, segment: str) -> None:
    assert segments("a.md", text) == [segment]
    assert translated("a.md", text, segment) == text


def test_task_boxes_and_footnotes_stay() -> None:
    text = "- [ ] Buy milk\n- [x] Tea\n1. [X] Go\n\nA term[^1] here[^two].\n\n[^1]: A note.\n[^two]: Two\n"
    document = open_format("a.md", text.encode())
    assert document.segments == [
        "Buy milk", "Tea", "Go", "A term{0} here{1}.", "A note.", "Two",
    ]  # fmt: skip
    out = translated("a.md", text, "买牛奶", "茶", "去", "词在这里。", "注。", "二")
    assert out == "- [ ] 买牛奶\n- [x] 茶\n1. [X] 去\n\n词在这里。[^1][^two]\n\n[^1]: 注。\n[^two]: 二\n"


@pytest.mark.parametrize(
    ("name", "text", "segment"),
    [
        ("a.yaml", 'a: "Press <b>Enter</b> now"\n', "Press {0}Enter{1} now"),
        ("a.yaml", "a: >\n  Press\n  <b>Enter</b> now\n", "Press {0}Enter{1} now"),
        ("a.json", '{"a": "Press <b class=\\"x\\">Enter</b> now"}', "Press {0}Enter{1} now"),
        ("a.json", '{"a": "<b>Press</b>"}', "Press"),
        ("a.json", '{"a": "Press 1 < 2 <now"}', "Press 1 < 2 <now"),
        ("a.po", 'msgid "Press <b>Enter</b> now"\nmsgstr ""\n', "Press {0}Enter{1} now"),
        ("a.po", 'msgid "Press<br/>"\nmsgstr ""\n', "Press"),
    ],
)
def test_tags_in_values_are_markup(name: str, text: str, segment: str) -> None:
    assert segments(name, text) == [segment]
    out = translated(name, text, segment.replace("Press", "按"))
    value = text.split('"')[1] if name == "a.po" else text.replace("\n  <", " <")
    assert value.replace("Press", "按") in out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '["Hi <b>you</b>,<br/>go \\n on"]'), ("a.yaml", 'a: "Hi <b>you</b>,<br/>go \\n on"\n'),
        ("a.po", 'msgid "Hi <b>you</b>,<br/>go \\n on"\nmsgstr ""\n'),
    ],
)  # fmt: skip
def test_a_break_in_a_value_ends_a_line(name: str, text: str) -> None:
    assert segments(name, text) == ["Hi {0}you{1},", "go", "on"]
    out = translated(name, text, "{0}你{1}好，", "走", "开").replace('\\n"\n"', "\\n")
    assert "<b>你</b>好，<br/>走 \\n 开" in out


def test_cue_lines_that_end_a_sentence_stay_apart() -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\n<i>I love you.\nWhere is Mr.\nSmith?</i>\n"
    assert segments("a.srt", cue) == ["I love you.", "Where is Mr. Smith?"]
    assert translated("a.srt", cue, "我爱你。", "史密斯先生在哪里？") == (
        "1\n00:00:01,000 --> 00:00:02,000\n<i>我爱你。\n史密斯先生在哪里？</i>\n"
    )


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "a.html",
            '<!doctype html><html class="x" lang="en-GB"><p>Hi',
            '<!doctype html><html class="x" lang="zh"><p>译Hi',
        ),
        ("a.html", '<html lang="fr"><p lang="en">Hi', '<html lang="fr"><p lang="en">译Hi'),
        ("a.po", '# Me\n\nmsgid ""\nmsgstr ""\n"X: y\\n"\n"Language: \\n"\n', None),
        ("a.po", '# Me\n\nmsgid ""\nmsgstr ""\n"Language: en_US\\n"\n', None),
    ],
)
def test_the_language_of_the_file_follows(name: str, before: str, after: str | None) -> None:
    if after is None:
        after = (
            re.sub("Language: [a-zA-Z_]*", "Language: zh", before) + '\n#, fuzzy\nmsgid "Hi"\nmsgstr "译Hi"\n'
        )
        before += '\nmsgid "Hi"\nmsgstr ""\n'
    document = open_format(name, before.encode())
    assert document.render(["译Hi"], "zh").decode() == after
    assert document.render(["Hi"], "zh").decode() == before


def test_segments_know_their_line_and_markup() -> None:
    document = open_format("a.md", b"# One\n\nSee [this](x)\nand *that*.\n\nTwo\n")
    assert document.lines == [1, 3, 6]
    assert document.inline[0] is document.inline[2] is None
    assert document.inline[1] is not None
    assert document.inline[1].shown == ["[", "](x)", "*", "*"]
    assert open_format("a.po", PO.encode()).inline == [None] * 4


def test_po_fills_and_marks_fuzzy() -> None:
    expected = (
        PO.replace("#, c-format", "#, fuzzy, c-format")
        .replace('%s\\n"\nmsgstr ""', '%s\\n"\nmsgstr "译Hello %s\\n"')
        .replace('msgctxt "menu"', '#, fuzzy\nmsgctxt "menu"')
        .replace('\\"q\\"\\n"\nmsgstr ""', '\\"q\\"\\n"\nmsgstr ""\n"译Long one line.\\n"\n"译Second \\"q\\"\\n"')
        .replace('msgid "%d file"', '#, fuzzy\nmsgid "%d file"')
        .replace('msgstr[0] ""', 'msgstr[0] "译%d files"')
    )  # fmt: skip
    assert translated("a.po", PO) == expected


def test_po_is_read_by_polib() -> None:
    polib = pytest.importorskip("polib")
    entries = {entry.msgid: entry for entry in polib.pofile(translated("a.po", PO))}
    assert entries["Hello %s\n"].msgstr == "译Hello %s\n"
    assert entries["Hello %s\n"].flags == ["fuzzy", "c-format"]
    assert entries['Long one line.\nSecond "q"\n'].msgstr == '译Long one line.\n译Second "q"\n'
    assert entries["%d file"].msgstr_plural == {0: "译%d files"}
    assert not entries["Done, wrapped oddly"].fuzzy


@pytest.mark.parametrize(
    ("source", "translation", "written"),
    [
        ("&Open File…", "打开文件……", "打开文件(&O)……"),
        ("E&xit", "退出", "退出(&X)"),
        ("_Save As:", "另存为：", "另存为(_S)："),
        ("R&D", "研发", "研发"),
        ("S&amp;P one", "标普", "标普"),
        ("use snake_case_names now", "用", "用"),
    ],
)
def test_po_shortcuts_of_menus_go_to_the_end(source: str, translation: str, written: str) -> None:
    out = translated("a.po", f'msgid "{source}"\nmsgstr ""\n', translation)
    assert out == f'#, fuzzy\nmsgid "{source}"\nmsgstr "{written}"\n'


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
def test_names_in_code_are_not_text(name: str) -> None:
    values = ["btn_ok", "onClick", "user.name", "zh-CN", "MM/DD/YYYY", "hh:mm:ss a"]
    texts = ["OK", "Log-in", "I am here.", "well", "Add-ons", "Mama, dada"]
    assert segments(name, json.dumps(values + texts)) == texts


def test_markdown_copies_formulas_and_emoji_names() -> None:
    text = "Let $a^2 + b_1$ be :smile: and $x$, not $5 or $6 (it costs $5/kg, US$ 6).\n"
    assert segments("a.md", text) == ["Let {0} be {1} and {2}, not $5 or $6 (it costs $5/kg, US$ 6)."]
    assert translated("a.md", text, "{2}和{0}").startswith("$x$和$a^2 + b_1$")


def test_markdown_copies_every_kind_of_formula() -> None:
    text = "As $$a^2$$, \\(x^2\\) and \\[b_1\\] show, see \\[the note\\].\n"
    assert segments("a.md", text) == ["As {0}, {1} and {2} show, see {3}the note{4}."]
    assert segments("a.md", "$$x^2$$ and $a^2$ are known.\n\n$$\nx\n$$\n") == ["{0} and {1} are known."]


def test_markdown_reads_an_escaped_dollar() -> None:
    assert segments("a.md", "It costs \\$5.\n") == ["It costs $5."]
    assert translated("a.md", "It costs \\$5.\n", "要$5。") == "要\\$5。\n"


def test_markdown_keeps_the_pipes_inside_cells() -> None:
    table = "| a | b |\n|---|---|\n| Yes \\| no | `x\\|y` counts |\n"
    assert segments("a.md", table) == ["a", "b", "Yes {0} no", "{0} counts"]
    out = translated("a.md", table, "甲", "乙", "是{0}否", "{0}算数")
    assert out == "| 甲 | 乙 |\n|---|---|\n| 是\\|否 | `x\\|y`算数 |\n"


def test_markdown_keeps_template_tags_and_boxes_beside_text() -> None:
    for text, kept in (
        ("Hello {% if x %} friend.\n", "{% if x %}"),
        ("{% include 'a.html' %} Good morning.\n", "{% include 'a.html' %}"),
        ("- {% y %} Good morning.\n", "{% y %}"),
        ("> [!NOTE] Good morning.\n", "[!NOTE]"),
        ("| a |\n|---|\n| Good {% y %} morning |\n", "{% y %}"),
    ):
        assert segments("a.md", text), text
        assert kept in translated("a.md", text), text
    alone = "{% if x %}\nHello.\n{% endif %}\n\n> [!TIP]\n> Hi.\n"
    assert segments("a.md", alone) == ["Hello.", "Hi."]
    assert segments("a.md", "I gave {% of it.\n\nWhere?\n\n5 %} more.\n") == [
        "I gave {% of it.",
        "Where?",
        "5 %} more.",
    ]


def test_markdown_that_begins_with_a_rule_has_no_front_matter() -> None:
    assert segments("a.md", "---\n\nHello.\n\n---\n\nBye.\n") == ["Hello.", "Bye."]
    assert segments("a.md", "---\ntitle: x\n---\n\nBye.\n") == ["Bye."]


def test_sounds_and_songs_of_a_cue_stand_apart() -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\n{}\n\n"
    for lines in (
        ("(laughs)", "Where are you"),
        ("♪ I love you ♪", "[door opens]"),
        ("go", "<i>(sighs)</i>", "on"),
    ):
        assert len(segments("a.srt", cue.format("\n".join(lines)))) == len(lines)


def test_html_head_and_buttons() -> None:
    text = (
        '<meta name="description" content="About cats"><meta property="og:title" content="Cats &amp; us">'
        '<meta name="viewport" content="width=device-width"><input type="submit" value="Send now"><input value="x y">'
    )
    assert segments("a.html", text) == ["About cats", "Cats & us", "Send now"]
    assert translated("a.html", text, "关于猫", "猫&我们", "发送").count("&amp;") == 1


def test_json_values_only() -> None:
    out = translated("a.json", JSON)
    assert json.loads(out)["list"][0] == "译A\n译B\n"
    assert out == JSON.replace("Hello", "译Hello").replace('"A\\nB', '"译A\\n译B').replace("Café", "译Café")
    assert translated("a.json", '{"a": "caf\\u00e9"}') == '{"a": "\\u8bd1caf\\u00e9"}'


def test_lone_surrogates_in_json_survive() -> None:
    text = '{"a": "broken \\ud800 \ufeff x"}'
    assert json.loads(translated("a.json", text))["a"] == "译broken \ud800 \ufeff x"


def test_yaml_values_only() -> None:
    out = translated("a.yaml", YAML)
    expected = YAML.replace("Hello", "译Hello").replace("'it", "'译it").replace('"quoted', '"译quoted')
    expected = expected.replace("line one", "译line one").replace("line two", "译line two")
    expected = expected.replace("folded\n    text", "译folded text").replace(
        "plain more\n    line", "译plain more line"
    )
    assert out == expected.replace("[a b, c]", "[译a b, 译c]")


def test_yaml_quotes_what_needs_quotes() -> None:
    assert translated("a.yaml", 'a: "A\\x7f"\n') == 'a: "译A\\u007f"\n'
    assert translated("a.yaml", "a: Yes sir\n", "是: 的") == 'a: "是: 的"\n'
    assert translated("a.yaml", "a: 'x y'\n", "it's") == "a: 'it''s'\n"


def test_complaint_24_errors_name_file_and_line() -> None:
    cases = {
        "bad.txt": b"fine\nbad \xff byte\n",
        "bad.json": b'{\n "a": "b",\n}',
        "bad.yaml": b"a: b\nc: [d\n",
        "bad.po": b'msgid "a"\nrubbish\n',
    }
    for name, data in cases.items():
        with pytest.raises(TranslitError, match=rf"^{name}:[23]: ") as caught:
            open_format(name, data)
        assert "\n" not in str(caught.value)
    for name, text in (("a.json", '{"a": ' + "9" * 5000 + "}"), ("a.yaml", "[" * 3000)):
        with pytest.raises(TranslitError, match=rf"^{name}: "):
            open_format(name, text.encode())


def test_invalid_bytes_can_be_replaced() -> None:
    document = open_format("a.txt", b"bad \xff byte\n", errors="replace")
    assert document.segments == ["bad � byte"]


def test_format_is_known_by_extension_or_given() -> None:
    assert format_of("a/b.MD") == "md"
    assert format_of("a/b.exe") is None
    assert open_format("-", b"# Hi\n", format="md").segments == ["Hi"]
    with pytest.raises(TranslitError, match="unknown format"):
        open_format("a.exe", b"")


def test_docx() -> None:
    docx = pytest.importorskip("docx")
    word = docx.Document()
    paragraph = word.add_paragraph("Hello ")
    paragraph.add_run("bold").bold = True
    paragraph.add_run(" world.")
    word.add_heading("A title", 1)
    word.add_table(1, 1).cell(0, 0).text = "Cell"
    word.sections[0].header.paragraphs[0].text = "Head\tRight"
    file = io.BytesIO()
    word.save(file)
    document = open_format("a.docx", file.getvalue())
    assert sorted(document.segments) == ["A title", "Cell", "Head", "Hello {0}bold{1} world.", "Right"]
    assert document.render(document.segments) == file.getvalue()
    out = docx.Document(io.BytesIO(document.render(["译" + segment for segment in document.segments])))
    assert [(run.text, run.bold) for run in out.paragraphs[0].runs] == [
        ("译Hello ", None),
        ("bold", True),
        (" world.", None),
    ]
    assert out.paragraphs[1].style.name == "Heading 1"
    assert out.tables[0].cell(0, 0).text == "译Cell"
    assert out.sections[0].header.paragraphs[0].text == "译Head\t译Right"
    with pytest.raises(TranslitError, match=r"^b\.docx: not a DOCX file"):
        open_format("b.docx", b"no zip")


def test_docx_links_and_pictures() -> None:
    docx = pytest.importorskip("docx")
    from docx.oxml import OxmlElement

    word = docx.Document()
    for before, after in (("See ", "."), ("", "")):
        paragraph = word.add_paragraph(before)
        link = OxmlElement("w:hyperlink")
        link.append(word.add_paragraph().add_run("the docs")._r)
        paragraph._p.append(link)
        paragraph.add_run(after)
    file = io.BytesIO()
    word.save(file)
    document = open_format("a.docx", file.getvalue())
    assert document.segments == ["See {0}the docs{1}.", "the docs"]
    out = docx.Document(io.BytesIO(document.render(["见{0}文档{1}。", "文档"])))
    assert [p.text for p in out.paragraphs if p.text] == ["见文档。", "文档"]
    assert [link.text for p in out.paragraphs for link in p.hyperlinks] == ["文档", "文档"]


NOTES = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>
<w:footnote w:id="1"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> See the book.</w:t></w:r></w:p>
</w:footnote></w:footnotes>"""


def test_docx_notes_fields_and_text_boxes() -> None:
    docx = pytest.importorskip("docx")
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part
    from docx.oxml import parse_xml

    word = docx.Document()
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    notes = Part(PackURI("/word/footnotes.xml"), kind, NOTES.encode(), word.part.package)
    word.part.relate_to(notes, RELATIONSHIP_TYPE.FOOTNOTES)

    def add(inside: str) -> None:
        space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        word._body._element.insert(-1, parse_xml(f"<w:p {space}>{inside}</w:p>"))

    def run(text: str) -> str:
        return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'

    def field(instruction: str, shown: str) -> str:
        marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
        code = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
        return marks[0] + code + marks[1] + run(shown) + marks[2]

    add(run("A term") + '<w:r><w:footnoteReference w:id="1"/></w:r>' + run(" here."))
    add(
        run("Page ") + field("PAGE", "7") + run(" of the ") + field('HYPERLINK "http://x"', "list") + run(".")
    )
    add(
        '<w:r><w:rPr><w:b/></w:rPr><w:t>One run</w:t><w:footnoteReference w:id="1"/><w:t> of all.</w:t></w:r>'
    )
    add('<w:r><w:t>Then</w:t><w:br w:type="page"/></w:r>')
    add(f'<w:ins w:id="1" w:author="x">{run("New text")}</w:ins>')
    add(f"<w:sdt><w:sdtPr/><w:sdtContent>{run('Your name')}</w:sdtContent></w:sdt>")
    add(f"<w:r><w:pict><w:txbxContent><w:p>{run('In a box.')}</w:p></w:txbxContent></w:pict></w:r>")
    file = io.BytesIO()
    word.save(file)
    document = open_format("a.docx", file.getvalue())
    answers = {
        "A term{0} here.": "这里有词{0}。", "Page {0} of the {1}list{2}.": "{1}表{2}的第{0}页。", "New text": "新字",
        "Your name": "你的名字", "In a box.": "框里。", "See the book.": "见书。",
        "One run{0} of all.": "一段{0}里。", "Then": "然后",
    }  # fmt: skip
    assert sorted(document.segments) == sorted(answers)
    assert document.render(document.segments) == file.getvalue()
    data = document.render([answers[segment] for segment in document.segments])
    out = zipfile.ZipFile(io.BytesIO(data))
    assert " 见书。" in out.read("word/footnotes.xml").decode()
    xml = out.read("word/document.xml").decode()
    assert xml.count("<w:b/>") == 3  # as bold as before
    assert xml.index("一段") < xml.rindex("footnoteReference") < xml.index("里。")
    assert all(text in xml for text in ("然后", 'w:type="page"', "新字", "你的名字", "框里。"))
    fields = re.findall("fldCharType=.(begin|separate|end)|<w:t(?: [^>]*)?>([^<]*)", xml)
    shown = "|".join(mark or text for mark, text in fields)
    assert (
        "begin|separate|表|end|的第|begin|separate|7|end|页。" in shown
    )  # whole, though they changed places
    assert xml.index("这里有词") < xml.index("footnoteReference") < xml.index("页")


LINES = {name: text.replace("\r\n", "\n").split("\n") for name, (text, _) in SAMPLES.items()}
MESSY = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.mark.parametrize("name", [n for n in SAMPLES if n not in ("a.json", "a.yaml", "a.po")])
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), noise=st.lists(MESSY, max_size=6))
def test_any_mixture_of_lines_comes_back(name: str, seed: int, noise: list[str]) -> None:
    rng = random.Random(seed)
    lines = [*LINES[name], *noise]
    rng.shuffle(lines)
    data = rng.choice(["\n", "\r\n", "\r"]).join(lines).encode()
    document = open_format(name, data)
    assert document.render(document.segments) == data
    document.render(["译"] * len(document.segments))  # all markup lost: no crash


@settings(max_examples=60)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_complaint_2_any_text_keeps_its_line_count(text: str) -> None:
    document = open_format("a.txt", text.encode())
    out = document.render(["译" + segment for segment in document.segments]).decode()
    assert out.count("\n") == text.count("\n")
    assert out.replace("译", "") == text.replace("译", "")


VALUES = st.recursive(
    st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(MESSY, inner, max_size=3),
)


@settings(max_examples=60)
@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_any_json_comes_back(value: object, ascii_only: bool, indent: int | None) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode(errors="replace")
    document = open_format("a.json", data)
    assert document.render(document.segments) == data
    json.loads(document.render(['译"\\\n{0}'] * len(document.segments)))


@settings(max_examples=60)
@given(
    st.dictionaries(st.sampled_from("abcdef"), MESSY | st.integers(), max_size=4),
    st.sampled_from([None, "'", '"', "|", ">"]),
)
def test_any_yaml_comes_back_and_stays_valid(value: dict[str, object], style: str | None) -> None:
    yaml = pytest.importorskip("yaml")
    data = yaml.safe_dump(value, default_style=style, allow_unicode=True).encode()
    document = open_format("a.yaml", data)
    assert document.render(document.segments) == data
    out = yaml.safe_load(document.render(["译: [文] #'\""] * len(document.segments)))
    assert set(out) == set(value)


def test_all_formats_are_tried() -> None:
    assert {format_of(name) for name in SAMPLES} | {
        "docx",
        "text",
        "markdown",
        "htm",
        "xhtml",
        "pot",
        "yml",
    } == set(FORMATS)
