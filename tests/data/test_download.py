"""``translit data get`` against a server on this machine: whole, interrupted, changed, damaged."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from translit.cli.app import app
from translit.data import download
from translit.data.download import SOURCES, Source, fetch, get
from translit.errors import TranslitError

pytestmark = pytest.mark.enable_socket

PAIRS = [(f"Sentence {i}.", f"句子{i}。") for i in range(400)]


def moses_zip(pairs: list[tuple[str, str]] = PAIRS, missing: int = 0) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(
        buffer, "w"
    ) as files:  # stored, not deflated, so that it is long enough to interrupt
        files.writestr("README", "hello")
        files.writestr("Corpus.cmn-en.en", "".join(f"{english}\n" for english, _ in pairs))
        files.writestr("Corpus.cmn-en.cmn", "".join(f"{chinese}\n" for _, chinese in pairs[missing:]))
    return buffer.getvalue()


@dataclass
class Server:
    """One file, and how the next answers go wrong."""

    content: bytes
    etag: str | None = '"one"'
    cut_after: int | None = None  # bytes after which the next answer's connection ends
    status: int | None = None
    url: str = ""
    ranges: list[str | None] = field(default_factory=list)  # the Range header of each request


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server(moses_zip())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.ranges.append(wanted)
            if state.status:
                self.send_error(state.status)
                return
            start, size = 0, len(state.content)
            if wanted and self.headers.get("If-Range") == state.etag:
                start = int(wanted.removeprefix("bytes=").removesuffix("-"))
                if start >= size:
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{size}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
            self.send_header("Content-Length", str(size - start))
            if state.etag:
                self.send_header("ETag", state.etag)
            self.end_headers()
            end = size if state.cut_after is None else start + state.cut_after
            state.cut_after = None
            self.wfile.write(state.content[start:end])

        def log_message(self, *_: object) -> None:
            """Quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{http.server_port}/corpus.zip"
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield state
    http.shutdown()
    http.server_close()
    thread.join()


def source(server: Server, sha256: str | None = None) -> Source:
    return Source(
        "sentences for tests", server.url, "cmn", "CC0: do as you like", "https://example.org", sha256
    )


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_corpus_becomes_a_tsv_with_its_origin_beside_it(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    path = get("tests", source(server), tmp_path, lambda done, total: seen.append((done, total)))
    assert path == tmp_path / "tests.tsv.gz"
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    assert lines == [f"{english}\t{chinese}" for english, chinese in PAIRS]
    record = json.loads((tmp_path / "tests.source.json").read_text("utf-8"))
    assert (record["url"], record["pairs"]) == (server.url, 400)
    assert (record["licence"], record["sha256"]) == ("CC0: do as you like", sha256(server.content))
    assert seen[-1] == (len(server.content), len(server.content))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tests.source.json", "tests.tsv.gz"]


def test_an_interrupted_download_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "file"
    for have in (0, 5000):
        server.cut_after = 5000
        with pytest.raises(TranslitError, match=f"{have + 5000:,} bytes are kept; run it again to go on"):
            fetch(server.url, path, None)
    assert fetch(server.url, path, sha256(server.content)) == sha256(server.content)
    assert server.ranges == [None, "bytes=5000-", "bytes=10000-"]
    assert path.read_bytes() == server.content
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_file_that_changed_in_between_is_begun_anew(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "file"
    server.cut_after = 5000
    with pytest.raises(TranslitError):
        fetch(server.url, path, None)
    server.content, server.etag = moses_zip(PAIRS[::-1]), '"two"'
    fetch(server.url, path, None)
    assert path.read_bytes() == server.content


def test_without_a_version_from_the_server_nothing_is_pieced_together(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "file"
    server.etag, server.cut_after = None, 5000
    with pytest.raises(TranslitError):
        fetch(server.url, path, None)
    fetch(server.url, path, None)
    assert server.ranges == [None, None]
    assert path.read_bytes() == server.content


@pytest.mark.parametrize("extra", [b"", b"more"])
def test_a_part_that_is_complete_or_too_long_is_told_apart(
    server: Server, tmp_path: Path, extra: bytes
) -> None:
    (tmp_path / "file.part").write_bytes(server.content + extra)
    (tmp_path / "file.part.version").write_text('"one"', "utf-8")
    fetch(server.url, tmp_path / "file", None)
    assert (tmp_path / "file").read_bytes() == server.content
    assert len(server.ranges) == (2 if extra else 1)


def test_a_wrong_checksum_is_refused_and_leaves_nothing(server: Server, tmp_path: Path) -> None:
    with pytest.raises(TranslitError, match=f"SHA-256 is {sha256(server.content)}, not {'0' * 64}"):
        get("tests", source(server, "0" * 64), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>Please log in</html>", "not a sound zip file"),
        (moses_zip(missing=3), r"Corpus\.cmn-en\.cmn has only 397 lines; it is not parallel"),
    ],
)
def test_a_bad_archive_makes_no_corpus(server: Server, tmp_path: Path, content: bytes, message: str) -> None:
    server.content = content
    with pytest.raises(TranslitError, match=message):
        get("tests", source(server), tmp_path)
    assert not list(tmp_path.glob("*.tsv.gz*"))


def test_an_archive_without_the_language_says_so(server: Server, tmp_path: Path) -> None:
    other = Source("", server.url, "fr", "", "")
    with pytest.raises(TranslitError, match=r"0 files end in \.fr, not one"):
        get("tests", other, tmp_path)


def test_what_the_server_refuses_is_told_in_one_line(server: Server, tmp_path: Path) -> None:
    server.status = 404
    with pytest.raises(TranslitError, match=r"corpus\.zip: the server answers 404 Not Found"):
        get("tests", source(server), tmp_path)
    with pytest.raises(TranslitError, match=r"the download stopped: .*refused; run it again to go on"):
        fetch("http://127.0.0.1:9/corpus.zip", tmp_path / "file", None)


def test_the_command_shows_the_licence_first(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(download.SOURCES, "tests", source(server))
    result = CliRunner().invoke(app, ["data", "get", "tests", "-o", str(tmp_path)])
    assert result.exit_code == 0
    assert result.stdout == f"{tmp_path}/tests.tsv.gz\n"
    assert "licence: CC0: do as you like\n" in result.stderr
    again = CliRunner().invoke(app, ["data", "get", "tests", "-o", str(tmp_path)])
    assert "is there already; --force downloads it again" in again.stderr
    right = CliRunner().invoke(
        app, ["data", "get", "tests", "-o", str(tmp_path), "--sha256", sha256(server.content)]
    )
    assert "is there already" in right.stderr
    wrong = CliRunner().invoke(app, ["data", "get", "tests", "-o", str(tmp_path), "--sha256", "0" * 64])
    assert f"made from an archive with SHA-256 {sha256(server.content)}, not 000" in str(wrong.exception)
    assert len(server.ranges) == 1


def test_a_corpus_is_fetched_once_at_a_time(server: Server, tmp_path: Path) -> None:
    refused: list[TranslitError] = []

    def again(done: int, total: int | None) -> None:
        with pytest.raises(TranslitError, match=r"tests\.zip: is being downloaded already") as caught:
            get("tests", source(server), tmp_path)
        refused.append(caught.value)

    get("tests", source(server), tmp_path, again)
    assert refused
    assert len(server.ranges) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tests.source.json", "tests.tsv.gz"]


@pytest.mark.parametrize("option", [["--force"], ["--sha256", "0" * 64]])
def test_options_for_one_corpus_need_its_name(option: list[str]) -> None:
    result = CliRunner().invoke(app, ["data", "get", *option])
    assert "--sha256 and --force are for one corpus; name it" in str(result.exception)


def test_every_known_corpus_states_its_terms_and_unknown_ones_name_them() -> None:
    listed = " ".join(CliRunner().invoke(app, ["data", "get"]).stdout.split())
    for name, known in SOURCES.items():
        assert known.url.startswith("https://")
        assert name in listed
        assert known.licence in listed
    unknown = CliRunner().invoke(app, ["data", "get", "nope"])
    assert str(unknown.exception) == f"nope: no such corpus; known are {', '.join(SOURCES)}"
