"""translit.text.protect: what is found, and that every span comes back exactly once."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from translit.text.protect import KINDS, find_pairs, find_spans, mask, unmask


def found(text: str) -> list[tuple[str, str]]:
    return [(span.kind, text[span.start : span.end]) for span in find_spans(text)]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("See https://a.org/A_(b), (www.x.org/a).", [("url", "https://a.org/A_(b)"), ("url", "www.x.org/a")]),
        ("请看https://a.org/x。然后", [("url", "https://a.org/x")]),
        ("Visit example.com, not this.that.", [("url", "example.com")]),
        ("Mail a.b+c@d.co.uk!", [("email", "a.b+c@d.co.uk")]),
        ("Ask joe.o'neil@a.org, or 'b@c.org'.", [("email", "joe.o'neil@a.org"), ("email", "b@c.org")]),
        ("\x1b(B\x1b[m \x1b[?25h", [("tag", t) for t in ("\x1b(B", "\x1b[m", "\x1b[?25h")]),
        ("\x1b]8;;http://a.org\x1b\\Go", [("tag", "\x1b]8;;http://a.org\x1b\\")]),
        ("Use $HOME/bin or ${X}/docs.", [("placeholder", "$HOME/bin"), ("placeholder", "${X}/docs")]),
        ("\x1b[1;31mError\x1b[0m", [("tag", "\x1b[1;31m"), ("tag", "\x1b[0m")]),
        ("{name} {{x}} ${x} {0}", [("placeholder", p) for p in ("{name}", "{{x}}", "${x}", "{0}")]),
        ("%s %(name)s %1$d %5.2f", [("placeholder", p) for p in ("%s", "%(name)s", "%1$d", "%5.2f")]),
        ("%{a b} #{x} %<n>.2f", [("placeholder", p) for p in ("%{a b}", "#{x}", "%<n>.2f")]),
        ("{n, plural, one {#} other {{n}}}!", [("placeholder", "{n, plural, one {#} other {{n}}}")]),
        ("50% discount, 100%, $5", []),
        ("%d%% of %(total).2f%%, 5%% of it", [("placeholder", p) for p in ("%d%%", "%(total).2f%%", "%%")]),
        ("I am 100%% sure.", []),
        ("5e-3, -1.2E6 or 3×10^8", [("scientific", n) for n in ("5e-3", "-1.2E6", "3×10^8")]),
        ("5e, 3ex and 2e-x", []),
        ("If x <= 5 && y!=3 || a < 4, use >.", [("formula", "x <= 5 && y!=3 || a < 4"), ("formula", ">")]),
        ("5<b>x</b> = 3, so 2x + 1 = 7", [("tag", "<b>"), ("tag", "</b>"), ("formula", "2x + 1 = 7")]),
        ("ages >= 18 and a = bc, x = -5.", [("formula", ">="), ("formula", "x = -5")]),
        ("File -> Open, => or x += 1", [("formula", f) for f in ("->", "=>", "+=")]),
        ("a --> b === c, **=**, bb=33c, :-=", []),
        ("50 m², 1,200 km², E = mc² or 10⁻³", [("formula", f) for f in ("50 m²", "1,200 km²", "E = mc²", "10⁻³")]),
        ("the study² of (a+b)²", [("formula", "²")]),
        ("6'2\" or 5’ 10”", [("formula", "6'2\""), ("formula", "5’ 10”")]),
        ("'92' and 7'35''", [("formula", "7'35''")]),
        ("if a<b and c>d, x<y or y>z", [("formula", f) for f in ("a<b", "c>d", "x<y", "y>z")]),
        ('2<a href="x">a<b>c', [("tag", '<a href="x">'), ("tag", "<b>")]),
        ("Nice ^_^ and ^^", [("emoji", "^_^"), ("emoji", "^^")]),
        ("E=mc^2 of 10^6 or x^n", [("formula", f) for f in ("E=mc^2", "10^6", "x^n")]),
        ("H₂O, Fe₂(SO₄)₃ and CO₂.", [("formula", f) for f in ("H₂O", "Fe₂(SO₄)₃", "CO₂")]),
        ("5 µg, 3.5 GHz, 100 ㎡", [("formula", f) for f in ("5 µg", "3.5 GHz", "100 ㎡")]),
        ("€4,20 or 4,5 €, 1.234,56; $1,200 and 4,20", [("formula", f) for f in ("€4,20", "4,5 €", "1.234,56")]),
        ("→ Brand™ § 5 ± 2", [("symbol", s) for s in ("→", "™", "§", "±")]),
        ("C++, i++, C#, .NET, foo.bar(), R&D", [("path", c) for c in ("C++", "i++", "C#", ".NET", "foo.bar()", "R&D")]),
        ("Use --no-check, --size=5 or -v.", [("path", o) for o in ("--no-check", "--size=5", "-v")]),
        ("well-known -- a - b, AT&T, f(x), pre-A", []),
        ("key " + 20 * "MIIEv+/=", [("path", 20 * "MIIEv+/=")]),
        ('<a href="x">b</a> <br/> a <b', [("tag", t) for t in ('<a href="x">', "</a>", "<br/>")]),
        ("R&amp;D", [("tag", "&amp;")]),
        ("Run `git log` and ``a`b``.", [("code", "`git log`"), ("code", "``a`b``")]),
        ("In /etc/hosts and/or ~/x.txt", [("path", "/etc/hosts"), ("path", "~/x.txt")]),
        ("src/main.py or C:\\Users\\me", [("path", "src/main.py"), ("path", "C:\\Users\\me")]),
        ("v1.2.3 at 10.0.0.1, not 3.14", [("version", "v1.2.3"), ("version", "10.0.0.1")]),
        ("Ok :-) fine ;) (x :D) <3", [("emoji", e) for e in (":-)", ";)", ":D", "<3")]),
        ("Note: (a) x=) 5 <3x :path", []),
        ("I ❤️ 👩‍👩‍👧‍👦 🇨🇳 👍🏽 1️⃣", [("emoji", e) for e in ("❤️", "👩‍👩‍👧‍👦", "🇨🇳", "👍🏽", "1️⃣")]),
        ("@alice: #winning in G#", [("handle", "@alice"), ("hashtag", "#winning")]),
        ("Call +1 (555) 123-4567 or 555-1234.", [("number", "+1 (555) 123-4567"), ("number", "555-1234")]),
        ("007, 244890, 3.14159", [("number", "007"), ("number", "244890"), ("number", "3.14159")]),
        ("20,000 in 1980-1990 at 7:30", []),
        ("2024-05-01 or 2024-05-01T10:30:00Z", [("number", "2024-05-01"), ("number", "2024-05-01T10:30:00Z")]),
        ("max_length of __init__, ____ or _x_", [("path", "max_length"), ("path", "__init__")]),
    ],
)  # fmt: skip
def test_spans(text: str, spans: list[tuple[str, str]]) -> None:
    assert found(text) == spans


def test_only_wanted_kinds() -> None:
    text = "{x} at https://a.org"
    assert [span.kind for span in find_spans(text, ("url",))] == ["url"]


def test_complaint_12_irregular_numbers_are_protected() -> None:
    assert found("2.200.112 and 244890") == [("version", "2.200.112"), ("number", "244890")]


def test_complaint_13_urls_emails_phones() -> None:
    text = "Write to a@b.org, see https://b.org/?q=€1, call +49 30 1234567."
    assert [kind for kind, _ in found(text)] == ["email", "url", "number"]
    masked = mask(text, find_spans(text))
    assert masked.text == "Write to {0}, see {1}, call {2}."
    assert unmask("写信至{0}，见{1}，致电{2}。", masked) == (
        "写信至a@b.org，见https://b.org/?q=€1，致电+49 30 1234567。",
        [],
    )


def test_complaint_14_placeholders_and_code_with_proof() -> None:
    text = "Use `x = {y}` and {{name}}."
    masked = mask(text, find_spans(text))
    assert masked.text == "Use {0} and {1}."
    restored, missing = unmask("用{1}和{1}。", masked)
    assert restored == "用{{name}}和{{name}}。"
    assert [text[span.start : span.end] for span in missing] == ["`x = {y}`", "{{name}}"]  # lost; repeated


def test_complaint_8_emoji_and_what_follows_it_survive() -> None:
    text = "Good morning 🌞 everyone 👋🏽!"
    masked = mask(text, find_spans(text))
    assert unmask("早上好{0}各位{1}！", masked) == ("早上好🌞各位👋🏽！", [])


def test_tokens_are_recognised_with_spaces_and_full_width_braces() -> None:
    masked = mask("{a} {b}", find_spans("{a} {b}"))
    assert unmask("｛0｝和{ 1 }", masked) == ("{a}和{b}", [])


def test_a_token_that_the_text_holds_already_is_not_used_again() -> None:
    text = "{0} https://a.org"
    masked = mask(text, find_spans(text, ("url",)))
    assert masked.text == "{0} {1}"
    assert unmask("{0}见{1}", masked) == ("{0}见https://a.org", [])


def test_tokens_that_are_hidden_themselves_are_free() -> None:
    """Of a text that holds {0} … {9}, all are hidden, behind the ten tokens that a model knows."""
    text = " ".join(f"{{{i}}}" for i in range(10))
    masked = mask(text, find_spans(text))
    assert masked.text == text
    assert unmask("{9}" + text, masked)[0] == "{9}" + text


def test_own_mask_and_ten_spans() -> None:
    text = " ".join(f"{{n{i}}}" for i in range(12))
    masked = mask(text, find_spans(text), placeholder_of=lambda index: f"⟦{index}⟧")
    assert masked.text.split()[10:] == ["⟦10⟧", "⟦11⟧"]
    assert unmask(masked.text, masked) == (text, [])


@settings(max_examples=60)
@given(st.text("ab {}<>/`%$@#.:0123456789-é中👍‍️,&;=\"'(", max_size=200))
@example("{0 }")
def test_mask_and_unmask_are_inverse(text: str) -> None:
    spans = find_spans(text)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert {span.kind for span in spans} <= set(KINDS)
    masked = mask(text, spans)
    assert unmask(masked.text, masked) == (text, [])


@pytest.mark.parametrize(
    "unit",
    [
        "`",
        "<a ",
        "{",
        "a.b-",
        "1.2.",
        "%",
        "www.",
        "<!-- ",
        "{a, b,{",
        "x@y.",
        "<a b=",
        "/a",
        "1,",
        "1²",
        "1'2",
    ],
)
def test_no_pattern_explodes(unit: str) -> None:
    find_spans(unit * 10_000)  # quadratic patterns would take minutes here


def test_tags_are_paired_by_name() -> None:
    text = 'A <b class="x">b <i>c</i><br></B> </p> <hr/> <u> &amp; <a>d</a>'
    pairs = [
        (text[opening.start : opening.end], text[closing.start : closing.end])
        for opening, closing in find_pairs(text)
    ]
    assert pairs == [('<b class="x">', "</B>"), ("<i>", "</i>"), ("<a>", "</a>")]


def test_code_between_tags_is_code() -> None:
    text = "Run <code>git log</code> and <b>go</b>, <kbd>x</b>"
    assert [(text[s.start : s.end], s.kind) for s in find_spans(text)] == [
        ("<code>git log</code>", "code"),
        ("<b>", "tag"),
        ("</b>", "tag"),
        ("<kbd>", "tag"),
        ("</b>", "tag"),
    ]
