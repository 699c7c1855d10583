"""Reading pairs: every form, and every way they can be wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from translit.data.bitext import Corpus
from translit.errors import TranslitError


def write(path: Path, text: str | bytes) -> str:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def pairs(text: str) -> list[tuple[str, str]]:
    return [(p.source, p.target) for p in Corpus.parse(text).pairs()]


REFERENCES = '["我爱你", "我喜欢你"]\n"你好"\n'
EXPECTED = [("I love you", "我爱你"), ("Hello", "你好")]


def test_all_forms_read_the_same(tmp_path: Path) -> None:
    tsv = "I love you\t我爱你\nHello\t你好\textra column\n"
    forms = [
        write(tmp_path / "a.tsv", tsv),
        write(tmp_path / "a.tsv.gz", gzip.compress(tsv.encode())),
        write(tmp_path / "bom.tsv", b"\xef\xbb\xbf" + tsv.replace("\n", "\r\n").encode()),
        write(tmp_path / "a.jsonl", '{"source": "I love you", "target": "我爱你"}\n["Hello", "你好"]\n'),
        write(tmp_path / "a.en", "I love you\nHello\n") + "," + write(tmp_path / "a.zh", "我爱你\n你好\n"),
        str(tmp_path / "a.en") + "," + write(tmp_path / "refs.jsonl", REFERENCES),
        str(tmp_path / "a.en") + "," + write(tmp_path / "r.jsonl.gz", gzip.compress(REFERENCES.encode())),
    ]
    for form in forms:
        assert pairs(form) == EXPECTED, form
    assert Corpus.parse(forms[0] + ":2.5").weight == 2.5
    assert Corpus.parse(forms[4] + ":3").weight == 3


def test_a_blank_line_is_an_empty_pair(tmp_path: Path) -> None:
    assert pairs(write(tmp_path / "a.tsv", "a\tb\n\n \r\nc\td\n\n")) == [
        ("a", "b"), ("", ""), ("", ""), ("c", "d"), ("", ""),
    ]  # fmt: skip
    assert pairs(write(tmp_path / "a.jsonl", '["a", "b"]\n\n')) == [("a", "b"), ("", "")]


def test_places_are_file_and_line(tmp_path: Path) -> None:
    name = write(tmp_path / "a.tsv", "a\tb\nc\td\n")
    assert [p.place for p in Corpus.parse(name).pairs()] == [f"{name}:1", f"{name}:2"]


@pytest.mark.parametrize(
    ("files", "asked", "words"),
    [
        ({"a.tsv": "a\tb\nonly one\n"}, "a.tsv", r"a\.tsv:2: one column"),
        ({"a.tsv": b"a\tb\nc\t\xff\n"}, "a.tsv", r"a\.tsv:2: invalid UTF-8 at byte 2"),
        ({"a.jsonl": '{"source": "a"}\n'}, "a.jsonl", r"a\.jsonl:1: not a pair"),
        ({"a.jsonl": "[1, 2]\n"}, "a.jsonl", r"a\.jsonl:1: not a pair"),
        ({"a.en": "1\n2\n3\n", "a.zh": "1\n2\n"}, "a.en,a.zh", r"a\.zh: 2 lines, but .*a\.en has 3"),
        ({"a.en": "1\n", "a.zh": "1\n2\n"}, "a.en,a.zh", r"a\.zh: 2 lines, but .*a\.en has 1"),
        ({"a.en": "1\n2\n", "a.zh": "1\n"}, "a.en,a.zh", r"a\.zh: 1 line, but .*a\.en has 2"),
        ({"a.tsv.gz": b"not gzip"}, "a.tsv.gz", r"a\.tsv\.gz: cannot read"),
        ({}, "missing.tsv", r"missing\.tsv: no such file"),
        ({"a.tsv": "a\tb\n"}, "a.tsv:0", "weight 0"),
        ({"a.tsv": "a\tb\n"}, "a.tsv:-1", "a.tsv: weight '-1' is not a positive number"),
        ({"a.tsv": "a\tb\n"}, "a.tsv:abc", "a.tsv: weight 'abc' is not a positive number"),
        ({"a.tsv": "a\tb\n"}, "a.tsv:99999999", "is too large; give at most 1,000,000"),
        ({}, ".", "is a folder"),
        ({"a.jsonl": '"ab"\n'}, "a.jsonl", r"a\.jsonl:1: not a pair"),
        ({"a.jsonl": "[" * 100_000}, "a.jsonl", r"a\.jsonl:1: not a pair"),
        ({"a.en": "1\n", "a.jsonl": "[1]\n"}, "a.en,a.jsonl", r"a\.jsonl:1: not a JSON list of references"),
    ],
)
def test_bad_input_is_one_line_that_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str | bytes], asked: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in files.items():
        write(tmp_path / name, content)
    with pytest.raises(TranslitError, match=words) as caught:
        list(Corpus.parse(asked).pairs())
    assert "\n" not in str(caught.value)
