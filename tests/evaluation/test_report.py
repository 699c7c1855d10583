"""The terminal and the reports: everything shown, nothing broken by odd text."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from translit.errors import TranslitError
from translit.evaluation.evaluate import Evaluation, Settings, evaluate
from translit.evaluation.html import to_html
from translit.evaluation.inputs import EvalData, System
from translit.evaluation.report import check_report_paths, to_json, to_markdown, write_report
from translit.evaluation.terminal import show, wrap
from translit.evaluation.wording import made_by, shown

SOURCES = ["Use <b>[bold]</b> & {name} | now.", "It's 5 o'clock, said the man in the long black coat.", "Go."]
REFERENCES = [["现在用<b>[粗体]</b>和{name}。"], ["穿黑色长外套的男人说，五点了。", "五点了。"], ["走。"]]
OUTPUTS = ["用<script>alert(1)</script> | [red]和", "男人说,现在是五点。" * 6, "走。"]
OTHERS = ["现在用<b>[粗体]</b>和{name}。", "五点了。", "走吧。"]


def evaluation(worst: int = 2) -> Evaluation:
    return evaluate(
        EvalData("dev.tsv", SOURCES, REFERENCES),
        System("ours", OUTPUTS, "out.zh", {"engine": "ctranslate2", "beam": 4}),
        [System("theirs", OTHERS)],
        Settings(resamples=50, worst=worst),
        "translit evaluate dev.tsv",
    )


@pytest.fixture(scope="module")
def result() -> Evaluation:
    return evaluation()


def printed(result: Evaluation, width: int = 80) -> str:
    stream = StringIO()
    show(Console(file=stream, width=width, highlight=False, markup=False, emoji=False), result)
    return stream.getvalue()


def test_terminal_shows_scores_signatures_errors_and_comparison(result: Evaluation) -> None:
    text = printed(result)
    assert text.startswith("ours on dev.tsv: 3 lines, 1 to 2 references a line\n")
    assert "Made by engine ctranslate2, beam 4" in text
    assert made_by({"source_language": "en", "check": True}) == "Made by source language en, check on"
    for score in result.scores:
        assert f"{score.score:.2f}" in text
        assert f"\n  {score.signature}\n" in text
    for expected in (
        "half-width punctuation",
        "ours against theirs",
        "p-value",
        "with numbers",
        "Lost by most",
    ):
        assert expected in text
    assert "tokenizer zh" in text
    assert "[red]" in text  # markup in an output is text


def test_terminal_fits_80_columns_but_for_what_is_to_be_copied(result: Evaluation) -> None:
    assert all(
        cell_len(line) <= 80
        for line in printed(result).splitlines()
        if not line.startswith("  translit explain")
    )


def test_terminal_prints_each_explain_command_unbroken(result: Evaluation) -> None:
    lines = printed(result).splitlines()
    for number in result.worst:
        assert f"  {result.lines[number - 1].explain}" in lines


def test_of_many_references_the_nearest_three_are_shown(result: Evaluation) -> None:
    many = ["完全不同的句子"] * 7 + ["走。"]
    line = replace(result.lines[2], references=many)
    text = printed(replace(result, lines=[*result.lines[:2], line], worst=[3], comparisons=[]))
    assert text.count("完全不同的句子") == 2
    assert "and 5 more references" in text


@given(st.text(alphabet="ab ，。走吧\u3000x,", max_size=80), st.integers(4, 30))
def test_wrap_loses_only_spaces_and_keeps_to_the_width(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines)


def test_wrap_breaks_between_han_but_not_before_a_mark() -> None:
    assert wrap("我们走吧，现在", 8) == ["我们走", "吧，现在"]
    assert wrap("see the 巴黎 now", 12) == ["see the 巴黎", "now"]


def test_json_has_a_version_and_every_line(result: Evaluation) -> None:
    report = json.loads(to_json(result))
    assert (report["schema"], report["version"]) == ("translit-evaluation", 1)
    assert set(report) == {
        *("schema", "version", "translit", "settings", "test_set", "system", "path", "made_by", "scores"),
        *("comparisons", "errors", "length_unit", "lengths", "worst", "lines", "warnings", "command"),
    }
    assert [line["output"] for line in report["lines"]] == OUTPUTS
    assert set(report["lines"][0]) == {
        *("number", "source", "references", "output", "chrf", "flags", "explain"),
    }
    assert report["scores"][0]["signature"] == result.scores[0].signature
    assert report["command"] == "translit evaluate dev.tsv"


class _Page(HTMLParser):
    """Collects ids, links and open elements."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        for name, value in attrs:
            assert name != "src", "the page must not load anything"
            (self.ids if name == "id" else self.links if name == "href" else []).append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_well_formed_self_contained_and_linked(result: Evaluation) -> None:
    page = _Page()
    page.feed(to_html(result))
    assert page.open == []
    assert "script" not in page.tags
    assert page.links
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)


def test_html_shows_text_as_text_and_marks_what_differs(result: Evaluation) -> None:
    html = to_html(result)
    assert "<script>" not in html
    assert "&lt;script" in html.replace("<mark>", "").replace("</mark>", "")
    assert "<mark>" in html
    assert '<dt>reference</dt><dd lang="zh" dir="auto">' in html
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html


def test_markdown_tables_stay_tables(result: Evaluation) -> None:
    text = to_markdown(result)
    assert "tok:zh" in text
    for block in text.split("\n\n"):
        if block.startswith("|"):
            columns = {row.replace("\\|", "").count("|") for row in block.splitlines()}
            assert len(columns) == 1
    assert "<script>" not in text.replace("\\<", "")


ODD = evaluate(
    EvalData("dev.jsonl", ["Go\nnow."], [["走\r\n吧。"]]),
    System("ours", ["\x1b[31m走\u2028了\x9b。"]),
    settings=Settings(resamples=0),
)


def test_control_characters_and_line_ends_are_shown_as_what_does_no_harm() -> None:
    assert shown("a\tb\r\nc\x1b[31m\x9bd") == "a b c\ufffd[31m\ufffdd"
    text = printed(ODD)
    assert "�[31m走 了�。" in text
    assert "走 吧。" in text
    assert not set(text) & {"\x1b", "\x9b", "\r", "\u2028"}


def test_a_line_end_in_a_text_does_not_break_a_markdown_table() -> None:
    text = to_markdown(ODD)
    assert "| reference | 走 吧。 |" in text
    assert "| source | Go now. |" in text
    assert "\x1b" not in text


def test_reports_are_written_all_or_nothing(
    result: Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old := tmp_path / "old.md").write_text("old", "utf-8")
    (link := tmp_path / "link.md").symlink_to(old)
    (folder := tmp_path / "folder.md").mkdir()
    with pytest.raises(TranslitError, match=r"folder\.md: cannot write: Is a directory"):
        write_report(result, folder)
    write_report(result, link)
    assert link.is_symlink()
    assert old.read_text("utf-8").startswith("# ours")
    write_report(replace(result, command="translit evaluate \udcff.tsv"), old)  # a name that is no UTF-8
    assert "translit evaluate ?.tsv" in old.read_text("utf-8")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.md", "link.md", "old.md"]


def test_reports_without_references(tmp_path: Path) -> None:
    plain = evaluate(EvalData("s.en", SOURCES, None), System("ours", OUTPUTS))
    for suffix in (".html", ".md", ".json"):
        write_report(plain, tmp_path / f"report{suffix}")
        assert "ours" in (tmp_path / f"report{suffix}").read_text("utf-8")
    assert "no references" in printed(plain)


def test_report_paths_are_checked_first(tmp_path: Path) -> None:
    with pytest.raises(
        TranslitError, match=r"report\.pdf: unknown kind of report; end .* in \.html, \.md, \.json"
    ):
        check_report_paths([Path("report.pdf")])
    with pytest.raises(TranslitError, match=r"there is no folder"):
        check_report_paths([tmp_path / "gone" / "report.md"])
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(TranslitError, match=r"folder\.html: is a folder"):
        check_report_paths([tmp_path / "folder.html"])
