"""``translit explain`` and ``translit heads`` on the command line: exit codes, messages, output."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from tests.conftest import write_tiny_model

from translit.cli import main
from translit.disk import write_text
from translit.errors import TranslitError
from translit.explain.svg import heat_map


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(tiny_model_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``translit`` in this process, with the tiny model."""

    def run(*arguments: object, text: str = "") -> Result:
        monkeypatch.setenv("TRANSLIT_MODEL", str(tiny_model_dir))
        monkeypatch.setattr("sys.argv", ["translit", *map(str, arguments)])
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        with pytest.raises(SystemExit) as end:
            main()
        return Result(int(end.value.code or 0), *capsys.readouterr())

    return run


def test_explains_and_draws(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "head.svg"
    done = run(
        "explain", "I love you", "-t", "我爱你", "--svg", picture, "--lang", "zh", "--layer", 2, "--head", 3
    )
    assert (done.code, done.out) == (0, "")
    assert done.err == f"{picture}: written\n"
    tree = ElementTree.parse(picture)
    texts = [e.text for e in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"我", "爱", "你", "交叉注意力 · 第 2 层第 3 头"} <= set(texts)


def test_words_need_no_quotes_and_the_steps_are_shown(run: Run) -> None:
    done = run("explain", "I", "love", "you", "-t", "我爱你", "--lang", "en")
    assert (done.code, done.err) == (0, "")
    assert "I love you  →  我爱你" in done.out


def test_json_from_standard_input_in_any_language(run: Run) -> None:
    done = run("explain", "--json", "--lang", "zh", text="I love you\n")
    assert done.code == 0
    found = json.loads(done.out)
    assert (found["format"], found["text"]) == ("translit-explain", "I love you\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "--layer", "7"], "--layer 7: the decoder has 2 layers; choose from 1 to 2"),
        (["a", "--head", "9"], "--head 9: every layer has 4 heads; choose from 1 to 4"),
        (["a", "--kind", "self"], "Invalid value for '--kind': 'self' is not one of"),
        (["a", "--beam", "2", "--target", "b"], "--beam and --target: a given translation is not searched"),
        (["a", "--lang", "fr"], "Invalid value for '--lang': 'fr' is not one of"),
        (["a", "--target", " "], "--target: the translation is empty"),
        (["  "], "explain: the text is empty"),
        (["我爱你"], "explain: nothing in the text needs the model"),
        (["cat", "--svg", "/nowhere/x.svg"], "/nowhere/x.svg: cannot write the picture"),
        (["cat", "--svg", "."], ".: cannot write the picture: Is a directory"),
        (["cat", "--html", "/"], "/: cannot write the page: Is a directory"),
        (["cat", "--html", f"{__file__}/x.html"], "x.html: cannot write the page: Not a directory"),
    ],
)
def test_bad_requests_are_one_line(run: Run, arguments: list[str], message: str) -> None:
    done = run("explain", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_glossary_needs_no_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "translit.model_directory", None)  # importing it would fail
    done = run("explain", "--glossary", "--lang", "zh")
    assert done.code == 0
    assert "注意力" in done.out


@pytest.mark.parametrize("arguments", [[" "], ["a", "--kind", "self"], ["a", "--target", ""]])
def test_bad_requests_are_refused_before_a_model_is_loaded(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setitem(sys.modules, "translit.model_directory", None)  # importing it would fail
    assert run("explain", *arguments).code == 2


def test_heads_measure_a_corpus(run: Run, tmp_path: Path) -> None:
    corpus = tmp_path / "pairs.tsv"
    corpus.write_text("I love you.\t我爱你。\nGood morning!\t早上好！\n", "utf-8")
    done = run("heads", corpus, "--json", "--silence", "1")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["format"], found["sentences"], len(found["heads"])) == ("translit-heads", 2, 24)
    assert all(h["importance"] is not None and h["habit"] for h in found["heads"])


def test_heads_have_a_corpus_of_their_own(run: Run) -> None:
    done = run("heads", "--json", "--silence", "0", "--limit", "3")
    assert done.code == 0, done.err
    assert json.loads(done.out)["sentences"] == 3


def test_heads_save_the_aligner(run: Run, tiny_model_dir: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(tiny_model_dir, model)
    files = {
        "x.en": "I love you.\n",
        "x.zh": "我爱你。\n",
        "x.tok.en": "I love you .\n",
        "x.tok.zh": "我 爱 你 。\n",
        "x.align": "0-0 1-1 2-2\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    done = run("heads", "-m", model, "--align", tmp_path, "--silence", "0", "--save", "--lang", "en")
    assert done.code == 0, done.err
    layer, head = json.loads((model / "config.json").read_text("utf-8"))["info"]["alignment_head"]
    assert f"aligned head is cross-attention layer {layer + 1} head {head + 1}" in " ".join(done.out.split())
    refused = run("heads", "-m", model, "--save")
    assert (refused.code, refused.out) == (2, "")
    assert "--align FOLDER" in refused.err


def test_bytes_that_are_not_utf8_are_read_as_unknown(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("explain", "\udcff hello there", "--target", "\udcfe你好", "--json", "--html", page)
    assert done.code == 0, done.err
    assert json.loads(done.out)["text"] == "\ufffd hello there"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_picture_of_several_sentences_says_what_it_shows(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "head.svg"
    done = run("explain", "I love you. Good morning!", "--svg", picture)
    assert done.err == f"{picture}: written; it shows the first of 2 sentences\n"


def test_a_picture_that_cannot_take_its_name_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(part: Path, final: Path) -> None:
        assert part.read_text("utf-8") == "<svg/>"
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("translit.disk.os.replace", refuse)
    with pytest.raises(TranslitError, match="cannot write the picture: Permission denied"):
        write_text(tmp_path / "x.svg", "<svg/>", "the picture")
    assert list(tmp_path.iterdir()) == []


def test_a_title_is_not_cut_off() -> None:
    root = ElementTree.fromstring(heat_map([[1.0]], ["我"], ["I"], "Cross-attention · layer 1 head 2"))
    assert int(root.attrib["width"]) >= 264


@pytest.mark.parametrize(
    ("options", "code"), [(["--steps"], 0), (["--all"], 0), (["--kind", "encoder"], 0), ([], 2)]
)
def test_a_layer_of_the_larger_stack(run: Run, tmp_path: Path, options: list[str], code: int) -> None:
    model = write_tiny_model(tmp_path / "model", encoder_layers=2, decoder_layers=1)
    done = run("explain", "I love you", "-t", "我爱你", "-m", model, "--layer", 2, *options)
    assert done.code == code, done.err
