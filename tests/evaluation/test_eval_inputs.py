"""Reading test sets and outputs; every complaint names its place in one line."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from translit.errors import TranslitError
from translit.evaluation.inputs import (
    EvalData,
    base_language,
    check_language,
    is_chinese_language,
    load_outputs,
    load_parallel,
    load_set,
    load_tsv,
    read_lines,
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def complaint(*, of: str) -> pytest.RaisesExc[TranslitError]:
    """The error must match and be one line."""
    return pytest.raises(TranslitError, match=of, check=lambda error: "\n" not in str(error))


def test_tsv_with_one_and_more_references(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.tsv", "Go.\t走。\nHi!\t你好！\t嗨！\n")
    data = load_tsv(path)
    assert data.name == "dev.tsv"
    assert data.sources == ["Go.", "Hi!"]
    assert data.references == [["走。"], ["你好！", "嗨！"]]


def test_parallel_files_and_jsonl_join_their_references(tmp_path: Path) -> None:
    source = write(tmp_path / "s.en", "Go.\nHi!\n")
    first = write(tmp_path / "a.zh", "走。\n你好！\n")
    second = write(tmp_path / "b.jsonl", json.dumps(["去。", "走吧。"]) + "\n" + json.dumps(["嗨！"]) + "\n")
    data = load_parallel(source, [first, second])
    assert data.references == [["走。", "去。", "走吧。"], ["你好！", "嗨！"]]
    assert load_parallel(source, []).references is None
    assert load_parallel(None, [first]).sources is None


def test_a_corpus_is_what_the_other_commands_take(tmp_path: Path) -> None:
    source = write(tmp_path / "a.en", "Go.\nRun.\n")
    first, second = write(tmp_path / "a.zh", "走。\n跑。\n"), write(tmp_path / "b.zh", "去。\n奔。\n")
    assert load_set(f"{source},{first}", None, []).references == [["走。"], ["跑。"]]
    assert load_set(f"{source},{first},{second}", None, []) == load_parallel(source, [first, second])
    pairs = write(tmp_path / "pairs.jsonl", '{"source": "Go.", "target": "走。"}\n')
    assert load_set(str(pairs), None, []) == EvalData("pairs.jsonl", ["Go."], [["走。"]])
    with pytest.raises(TranslitError, match=r"a.en,b: already holds"):
        load_set("a.en,b", source, [])


def test_gzip_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    path = tmp_path / "dev.tsv.gz"
    path.write_bytes(gzip.compress("\ufeffGo.\t走。\r\n".encode()))
    assert load_tsv(path) == EvalData("dev.tsv.gz", ["Go."], [["走。"]])


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("一\r\n\u2028二\n\n".encode())))
    assert read_lines("-") == ["一", "\u2028二", ""]


def test_one_column(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.tsv", "Go.\t走。\nHi!\n")
    with complaint(of=r"dev\.tsv:2: one column"):
        load_tsv(path)


def test_empty_reference(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.tsv", "Go.\t走。\nHi!\t \n")
    with complaint(of=r"dev\.tsv:2: the reference is empty"):
        load_tsv(path)


def test_blank_pair_is_kept_and_a_blank_second_reference_is_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.tsv", "Go.\t走。\t\n\t\n")
    assert load_tsv(path).references == [["走。"], [""]]


@pytest.mark.parametrize("line", ["[]", "{}", "[1]", "走"])
def test_jsonl_that_is_no_list_of_strings(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "refs.jsonl", '["走"]\n' + line + "\n")
    with complaint(of=r"refs\.jsonl:2: not a JSON list"):
        load_parallel(None, [path])


def test_json_is_read_as_score_reads_it(tmp_path: Path) -> None:
    source = write(tmp_path / "s.en", "Go.\nHi!\n")
    refs = write(tmp_path / "refs.ndjson", '"走。"\n["你好！", "嗨！"]\n')
    assert load_set(f"{source},{refs}", None, []).references == [["走。"], ["你好！", "嗨！"]]
    pairs = write(tmp_path / "pairs.ndjson", '["Go.", "走。"]\n')
    assert load_set(str(pairs), None, []) == EvalData("pairs.ndjson", ["Go."], [["走。"]])


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    refs = write(tmp_path / "refs.jsonl", '["我爱你\\ud83d"]\n["\\ud83d\\ude00"]\n')
    assert load_parallel(None, [refs]).references == [["我爱你\ufffd"], ["😀"]]
    pairs = write(tmp_path / "pairs.jsonl", '{"source": "\\udc00I", "target": "我\\ud83d"}\n')
    assert load_set(str(pairs), None, []) == EvalData("pairs.jsonl", ["\ufffdI"], [["我\ufffd"]])


def test_a_blank_line_is_an_empty_pair(tmp_path: Path) -> None:
    data = load_tsv(write(tmp_path / "dev.tsv", "Go.\t走。\n\n"))
    assert (data.sources, data.references) == (["Go.", ""], [["走。"], [""]])
    assert [data.is_blank(0), data.is_blank(1), data.is_blank(1, "", "走")] == [False, True, False]


def test_counts_that_differ(tmp_path: Path) -> None:
    source = write(tmp_path / "s.en", "Go.\nHi!\n")
    ref = write(tmp_path / "r.zh", "走。\n")
    with complaint(of=r"r\.zh: 1 lines, but .*s\.en has 2"):
        load_parallel(source, [ref])
    with complaint(of=r"r\.zh: 1 lines, but s\.en has 2"):
        load_outputs(ref, load_parallel(source, []))


def test_nothing_given_no_lines_and_no_file(tmp_path: Path) -> None:
    with complaint(of="nothing to score against"):
        load_parallel(None, [])
    with complaint(of="no lines"):
        load_tsv(write(tmp_path / "dev.tsv", ""))
    with complaint(of=r"gone\.tsv"):
        load_tsv(tmp_path / "gone.tsv")


def test_wrong_language_and_swapped_columns() -> None:
    with complaint(of="swapped"):
        check_language(EvalData("x", ["走。", "你好"], [["Go."], ["Hi"]]), "zh")
    with complaint(of="no Chinese character"):
        check_language(EvalData("x", ["Los!"], [["Go."]]), "zh-CN")
    check_language(EvalData("x", ["Los!"], [["Go."]]), "en")
    check_language(EvalData("x", ["12"], [["12"]]), "zh")


def test_language_codes() -> None:
    assert all(map(is_chinese_language, ["zh", "zh-CN", "zh_Hans", "ZH", "cmn", "yue_Hant", "lzh"]))
    assert not is_chinese_language("zhx")
    assert list(map(base_language, ["jpn_Jpan", "ja-JP", "kor", "kok", "deu"])) == [
        *("ja", "ja", "ko", "kok", "deu")
    ]
    for wrong in ("Chinese", "", "z", "中文"):
        with complaint(of=f"--target-lang {wrong}: not a language code"):
            check_language(EvalData("x", None, [["走。"]]), wrong)


def test_a_damaged_gzip_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv.gz"
    path.write_bytes(b"\x1f\x8b\x08" + bytes(7) + b"\xff" * 20)  # a sound header, then no deflate stream
    with pytest.raises(TranslitError, match=r"pairs\.tsv\.gz: cannot read: .*invalid block type"):
        load_tsv(path)
