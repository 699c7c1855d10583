"""The page: its data are the document's, it is whole, safe and complete in both languages."""

from __future__ import annotations

import base64
import json
import re
import string
import struct
import subprocess
import sys
from html.parser import HTMLParser
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from translit.errors import TranslitError
from translit.explain import page as page_room
from translit.explain.page import page, write_page

BROWSER = Path(__file__).with_name("page_browser.py")
CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def document(tiny_model_dir: Path) -> dict[str, Any]:
    """A searched sentence of about 20 tokens on both sides."""
    return _document(tiny_model_dir, "We are learning how a Transformer works.", None)


@pytest.fixture(scope="module")
def given(tiny_model_dir: Path) -> dict[str, Any]:
    """A given translation, with everything that HTML could take for its own."""
    return _document(tiny_model_dir, "I love </script> & <b>you</b>", "我爱<你>&</script>")


def _document(model: Path, text: str, target: str | None) -> dict[str, Any]:
    from translit.explain.document import document
    from translit.explain.explanation import Explainer
    from translit.model_directory import ModelDirectory

    explainer = Explainer(ModelDirectory.open(model))
    explained = explainer.explain_given(text, target, 10) if target else explainer.explain(text, 10)
    return document(explainer, explained)


class _Scripts(HTMLParser):
    """The content of every <script>, and every attribute that could fetch something."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.fetched: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "data", "action")]

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data


def _scripts() -> str:
    """The page's own code."""
    files = sorted(f.name for f in resources.files(page_room).iterdir() if f.name.endswith(".js"))
    return "\n".join(resources.files(page_room).joinpath(name).read_text("utf-8") for name in files)


def _parsed(html: str) -> _Scripts:
    parser = _Scripts()
    parser.feed(html)
    return parser


def _data(html: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(_parsed(html).scripts[0])
    return data


def _unpacked(packed: dict[str, Any]) -> Any:
    """Nested lists again, read byte by byte."""
    layers, heads, rows, columns = packed["shape"]
    raw = base64.b64decode(packed["data"])
    flat = iter(struct.unpack(f"<{layers * heads * rows * columns}H", raw))
    return [
        [[[next(flat) / packed["scale"] for _ in range(columns)] for _ in range(rows)] for _ in range(heads)]
        for _ in range(layers)
    ]


@pytest.mark.parametrize("name", ["document", "given"])
def test_the_packed_attention_is_the_documents(name: str, request: pytest.FixtureRequest) -> None:
    document = request.getfixturevalue(name)
    packed = _data(page(document))["document"]["sentences"][0]["attention"]
    for kind, weights in document["sentences"][0]["attention"].items():
        assert _unpacked(packed[kind]) == weights, kind


@pytest.mark.parametrize("name", ["document", "given"])
def test_everything_else_is_the_documents(name: str, request: pytest.FixtureRequest) -> None:
    document = request.getfixturevalue(name)
    shown = _data(page(document))["document"]
    for key in document.keys() - {"sentences"}:
        assert shown[key] == document[key]
    ours, whole = shown["sentences"][0], document["sentences"][0]
    assert ours.keys() == whole.keys()
    for key in whole.keys() - {"attention", "steps", "flow"}:
        assert ours[key] == whole[key]
    assert ours["flow"]["stages"] == whole["flow"]["stages"]
    for t, (step, full) in enumerate(zip(ours["steps"], whole["steps"], strict=True)):
        # What was left out is in the page all the same.
        assert step | {"prefix": ours["inputs"][: t + 1]} == full


def test_text_cannot_leave_its_script(given: dict[str, Any]) -> None:
    parser = _parsed(page(given))
    assert len(parser.scripts) == 2
    assert json.loads(parser.scripts[0])["document"]["text"] == given["text"]


def test_the_page_needs_nothing_else(document: dict[str, Any]) -> None:
    html = page(document)
    assert _parsed(html).fetched == ["data:,"]  # no icon is asked for either
    assert set(re.findall(r"\w+://[^\s\"'`<]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in html
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|import\(", html)


def test_size(document: dict[str, Any], tiny_model_dir: Path) -> None:
    """Below 1 MB for 20 tokens: what grows with the sentence, for a model of 6 + 3 layers and 8 heads, included."""
    fixed = len(page(document | {"sentences": []}).encode())
    weights = (6 * 20 * 20 + 3 * 20 * 20 * 2) * 8 * 2 * 4 / 3
    sentence = document["sentences"][0] | {"attention": {}}
    tokens = len(sentence["steps"]), len(sentence["source"]["tokens"])
    rest = len(json.dumps(sentence, ensure_ascii=False).encode()) * (20 / min(tokens)) ** 2
    assert fixed + weights + rest < 1_000_000


def test_every_caption_exists_in_both_languages(document: dict[str, Any]) -> None:
    texts = _data(page(document))["texts"]
    scripts = _scripts()
    names = set(re.findall(r'say\(\s*"([^"]+)"', scripts)) | set(re.findall(r'"(page\.[\w.]+)"', scripts))
    assert len(names) > 60
    assert names <= texts.keys()
    for start in re.findall(r"say\(\s*`([\w.]+)\$\{", scripts):
        assert any(name.startswith(start) for name in texts), start
    for name in texts:
        english, chinese = texts[name]
        fields = [{field for _, field, _, _ in string.Formatter().parse(t) if field} for t in texts[name]]
        assert english
        assert chinese
        assert fields[0] == fields[1], name


def test_no_caption_is_forgotten(document: dict[str, Any]) -> None:
    """Every caption of the page alone is used."""
    scripts = _scripts()
    for name in _data(page(document))["texts"]:
        if name.startswith("page."):
            dynamic = any(name.startswith(start) for start in re.findall(r"`(page\.[\w.]+)\$\{", scripts))
            assert dynamic or f'"{name}"' in scripts, name


def test_every_stage_and_panel_has_its_caption(document: dict[str, Any]) -> None:
    data = _data(page(document))
    for stage in document["sentences"][0]["flow"]["stages"]:
        assert f"stage.{stage['key']}" in data["texts"]
    for panel in data["tour"]["panels"]:
        assert f"tour.{panel['kind']}" in data["texts"]
        assert f"tour.{panel['kind']}.why" in data["texts"]


def test_the_tours_arithmetic_ends_with_its_cell(document: dict[str, Any]) -> None:
    tour = _data(page(document))["tour"]
    cells = 0
    for step in (step for panel in tour["panels"] for step in panel["steps"]):
        for row, written in zip(step["result"]["values"], step["cells"], strict=True):
            for value, lines in zip(row, written, strict=True):
                shown = lines[-1].rpartition("= ")[2].replace("−", "-")
                assert float(shown.replace("∞", "inf")) == (float("-inf") if value is None else value)
                cells += 1
    assert cells > 500


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_opens_in_the_language_asked_for(document: dict[str, Any], language: Any) -> None:
    html = page(document, language)
    assert f'<html lang="{language}">' in html
    assert _data(html)["language"] == language


def test_a_page_that_cannot_be_written_is_one_line(document: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(TranslitError, match="cannot write the page") as caught:
        write_page(document, tmp_path / "missing" / "out.html")
    assert "\n" not in str(caught.value)
    (tmp_path / "folder").mkdir()
    with pytest.raises(TranslitError):
        write_page(document, tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_the_command_writes_it(tiny_model_dir: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from translit.cli.app import app

    out = tmp_path / "out.html"
    asked = ["explain", "I love you", "-m", str(tiny_model_dir), "--html", str(out), "--lang", "zh"]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert len(_data(out.read_text("utf-8"))["document"]["sentences"][0]["steps"][0]["candidates"]) >= 10


@pytest.mark.skipif(not CHROMIUM.exists() or not find_spec("selenium"), reason="needs chromium and selenium")
def test_clicking_through_it_in_a_browser(document: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "document.json").write_text(json.dumps(document), "utf-8")
    write_page(document, tmp_path / "out.html")
    command = [sys.executable, str(BROWSER), str(tmp_path / "out.html"), str(tmp_path / "document.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
