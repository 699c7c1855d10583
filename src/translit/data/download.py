"""Public English–Chinese corpora, fetched on request: resumable, checked, with their licence beside them.

Nothing here runs unless asked for by ``translit data get``; translating and training never open a socket.

All come from OPUS (J. Tiedemann, "Parallel Data, Tools and Interfaces in OPUS", LREC 2012, https://opus.nlpl.eu)
as zip archives of two parallel text files, and become one ``.tsv.gz`` each.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from io import TextIOWrapper
from itertools import zip_longest
from pathlib import Path

from translit.data.doctor_lines import atomic_writer
from translit.disk import lock
from translit.errors import TranslitError

Progress = Callable[[int, "int | None"], None]  # (bytes here so far, bytes in all if known)

_CHUNK = 1 << 16
_TIMEOUT = 30  # seconds without a byte


@dataclass(frozen=True)
class Source:
    """Where a corpus is, and on what terms. ``sha256`` is that of the archive, where somebody recorded it."""

    about: str
    url: str
    target: str  # how the archive calls Chinese: the ending of the target file
    licence: str
    home: str
    sha256: str | None = None


_OPUS = "https://object.pouta.csc.fi/OPUS-"

SOURCES = {
    "tatoeba": Source(
        "everyday sentences",
        _OPUS + "Tatoeba/v2023-04-12/moses/cmn-en.txt.zip",
        "cmn",
        "CC BY 2.0 FR: free to use and share; credit the contributors of tatoeba.org",
        "https://opus.nlpl.eu/Tatoeba",
    ),
    "news-commentary": Source(
        "opinion pieces of Project Syndicate",
        _OPUS + "News-Commentary/v16/moses/en-zh.txt.zip",
        "zh",
        "for research, as released for the WMT shared tasks; the texts belong to Project Syndicate",
        "https://opus.nlpl.eu/News-Commentary",
    ),
    "ted2020": Source(
        "subtitles of talks",
        _OPUS + "TED2020/v1/moses/en-zh_cn.txt.zip",
        "zh_cn",
        "CC BY-NC-ND 4.0: credit TED, no commercial use, do not pass on changed versions",
        "https://opus.nlpl.eu/TED2020",
        # Recorded by a public project that uses the file, not by OPUS.
        sha256="f1a4e205458d67318d1eee31121c5350b3748caa2bca654a6b52a4a69e8d6202",
    ),
    "qed": Source(
        "subtitles of lectures",
        _OPUS + "QED/v2.0a/moses/en-zh.txt.zip",
        "zh",
        "for research only; copyright Qatar Computing Research Institute",
        "https://opus.nlpl.eu/QED",
    ),
}


def find_source(name: str) -> Source:
    """The source called ``name``. Raises TranslitError naming all when there is none."""
    if name not in SOURCES:
        raise TranslitError(f"{name}: no such corpus; known are {', '.join(SOURCES)}")
    return SOURCES[name]


def get(name: str, source: Source, folder: Path, progress: Progress = lambda done, total: None) -> Path:
    """Fetch a corpus into ``folder`` as ``name.tsv.gz``, English first; its path.

    Beside it ``name.source.json`` records address, licence, checksum and date. An interrupted download goes
    on where it stopped. Raises TranslitError when the network, the checksum or the archive fails, and when
    somebody else is fetching the corpus into ``folder`` now.
    """
    archive, output = folder / f"{name}.zip", folder / f"{name}.tsv.gz"
    with _alone(archive):
        digest = fetch(source.url, archive, source.sha256, progress)
        pairs = 0
        with atomic_writer(output) as file:
            for english, chinese in _unzip(archive, source.target):
                file.write(f"{english}\t{chinese}\n")
                pairs += 1
        record = asdict(source) | {
            "sha256": digest,
            "pairs": pairs,
            "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }
        with atomic_writer(_record(name, folder)) as file:
            file.write(json.dumps(record, ensure_ascii=False, indent=2) + "\n")
        archive.unlink()
    return output


def recorded_sha256(name: str, folder: Path) -> str | None:
    """The checksum of the archive that the corpus in ``folder`` was made from, if it is recorded beside it."""
    try:
        found = json.loads(_record(name, folder).read_text("utf-8"))["sha256"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return found if isinstance(found, str) else None


def _record(name: str, folder: Path) -> Path:
    return folder / f"{name}.source.json"


@contextmanager
def _alone(archive: Path) -> Iterator[None]:
    """Refuse a second download of ``archive`` while one runs: both would write to one part. What has arrived stays."""
    path = archive.with_name(archive.name + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "w")  # noqa: SIM115 — closed below
    except OSError as error:
        raise TranslitError(f"{path}: cannot write: {error.strerror or error}") from None
    with file:
        lock(file.fileno(), f"{archive}: is being downloaded already; wait until that is done")
        try:
            yield
        finally:
            with suppress(OSError):  # Windows keeps what is open
                path.unlink()


# ── Downloading ─────────────────────────────────────────────────────────────────────────────────────────────


def fetch(url: str, path: Path, sha256: str | None, progress: Progress = lambda done, total: None) -> str:
    """Download ``url`` to ``path`` and return its SHA-256; bytes of an earlier try are not fetched again.

    What has arrived waits in ``path.part``, with the server's version of it in ``path.part.version``: a file
    that changed there in between starts anew (If-Range, RFC 9110 §13.1.5).
    """
    part, version = path.with_name(path.name + ".part"), path.with_name(path.name + ".part.version")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _download(url, part, version, progress)
    except urllib.error.HTTPError as error:
        raise TranslitError(
            f"{url}: the server answers {error.code} {error.reason}; try again later"
        ) from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        have = f" {part.stat().st_size:,} bytes are kept;" if part.exists() else ""
        raise TranslitError(f"{url}: the download stopped: {reason};{have} run it again to go on") from None
    with open(part, "rb") as file:
        digest = hashlib.sha256()
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    version.unlink(missing_ok=True)
    if sha256 and digest.hexdigest() != sha256.lower():
        part.unlink()
        raise TranslitError(
            f"{url}: SHA-256 is {digest.hexdigest()}, not {sha256}: damaged or changed, so it was deleted; "
            "run it again, or give --sha256 if you know that the new file is right"
        )
    os.replace(part, path)
    return digest.hexdigest()


def _download(url: str, part: Path, version: Path, progress: Progress) -> None:
    have = part.stat().st_size if part.exists() and version.exists() else 0
    headers = {"User-Agent": "translit"}
    if have:
        headers |= {"Range": f"bytes={have}-", "If-Range": version.read_text("utf-8")}
    try:
        response = urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code == 416 and error.headers.get("Content-Range") == f"bytes */{have}":
            return  # all of it had arrived
        if error.code != 416:
            raise
        version.unlink()  # what is here is no part of that file: begin again
        _download(url, part, version, progress)
        return
    with response:
        resumed = response.status == 206
        have = have if resumed else 0
        # Without a strong validator there is no telling whether a later part belongs to this one.
        tag = response.headers.get("ETag") or response.headers.get("Last-Modified")
        if tag and not tag.startswith("W/"):
            version.write_text(tag, "utf-8")
        else:
            version.unlink(missing_ok=True)
        length = response.headers.get("Content-Length")
        total = have + int(length) if length else None
        with open(part, "ab" if resumed else "wb") as file:
            while chunk := response.read(_CHUNK):
                file.write(chunk)
                have += len(chunk)
                progress(have, total)
    if total is not None and have < total:  # read() ends quietly when the connection does
        raise ConnectionError(f"the connection ended after {have:,} of {total:,} bytes")


# ── Unpacking ───────────────────────────────────────────────────────────────────────────────────────────────


def _unzip(archive: Path, target: str) -> Iterator[tuple[str, str]]:
    """The pairs of a Moses zip: ``….en`` and ``….target``, as many lines each."""
    try:
        with zipfile.ZipFile(archive) as files:
            names = [_member(files, ending) for ending in ("en", target)]
            with files.open(names[0]) as left, files.open(names[1]) as right:
                # Only \n ends a line here: a sentence may hold U+2028 or a lone \r.
                both = (TextIOWrapper(side, "utf-8", "replace", newline="\n") for side in (left, right))
                for number, (one, other) in enumerate(zip_longest(*both), 1):
                    if one is None or other is None:
                        short = names[one is not None]
                        raise TranslitError(
                            f"{archive}: {short} has only {number - 1} lines; it is not parallel"
                        )
                    yield " ".join(one.split()), " ".join(other.split())
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        archive.unlink()
        raise TranslitError(
            f"{archive}: not a sound zip file ({error}), so it was deleted; run it again"
        ) from None


def _member(files: zipfile.ZipFile, ending: str) -> str:
    names = [name for name in files.namelist() if name.endswith(f".{ending}")]
    if len(names) != 1:
        raise TranslitError(
            f"{files.filename}: {len(names)} files end in .{ending}, not one; the corpus has changed its form"
        )
    return names[0]
