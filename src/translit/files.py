"""Whole files and folders: read, translate, write all or nothing, everything that is not text untouched."""

from __future__ import annotations

import codecs
import io
import itertools
import os
import select
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from translit.errors import TranslitError, where
from translit.translator import WINDOW, Translation, Translator

Report = Callable[[str, Translation], None]  # told every translation with its place: "a.md:3"

STDIN = Path("-")
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Job:
    """One file to translate, ``STDIN`` for standard input. Without ``output`` it goes to standard output."""

    source: Path
    output: Path | None

    @property
    def name(self) -> str:
        return "stdin" if self.source == STDIN else str(self.source)


# ── Lines of a stream ───────────────────────────────────────────────────────────────────────────────────────


def translate_lines(
    translator: Translator, source: BinaryIO, name: str, errors: str = "strict"
) -> Iterator[list[tuple[Translation, str]]]:
    """Translate lines as they arrive, in bounded memory.

    Gives lists of lines that were there together: each translation with the line's own ending ("\\n", or "" at the
    very end). Raises TranslitError, naming ``name`` and the line, for bytes that are not UTF-8 (``errors="replace"``:
    U+FFFD), after everything before that line has been given.
    """
    number = 0
    endings: deque[list[str]] = deque()
    problem: TranslitError | None = None

    def texts() -> Iterator[list[str]]:
        nonlocal number, problem
        for lines in _readable(ready_lines(source), name):
            texts: list[str] = []
            for line in lines:
                number += 1
                ending = line.endswith(b"\n")
                try:
                    texts.append(line[: len(line) - ending].decode("utf-8", errors))
                except UnicodeDecodeError as error:
                    problem = TranslitError(
                        f"{where(name, number)}: byte 0x{error.object[error.start]:02x} is not UTF-8; "
                        "convert the text, or use --errors replace"
                    )
                    break
            if texts:
                endings.append(["\n" if line.endswith(b"\n") else "" for line in lines[: len(texts)]])
            yield texts
            if problem is not None:
                return

    for translations in translator.windows(texts()):
        yield list(zip(translations, endings.popleft(), strict=True))
    if problem is not None:
        raise problem


def _readable(lines: Iterator[list[bytes]], name: str) -> Iterator[list[bytes]]:
    """``lines``, and a failure to read them told as one of ``name``."""
    with _reading(name):
        yield from lines


@contextmanager
def _reading(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TranslitError(f"{name}: cannot read: {error.strerror}") from None


def ready_lines(source: BinaryIO, most: int = WINDOW) -> Iterator[list[bytes]]:
    """Lines with their ``\\n``, in lists of those that are there already, at most ``most``.

    A slow writer (``tail -f``) is answered line by line; a fast one gets full windows. An empty list says that there
    is nothing more to read at the moment.
    """
    read, is_ready = _reader(source)
    lines: list[bytes] = []
    rest: list[bytes] = []  # a line that has not ended yet, in chunks
    while chunk := read():
        first, *others = chunk.split(b"\n")
        rest.append(first)
        if others:
            lines += [line + b"\n" for line in (b"".join(rest), *others[:-1])]
            rest = [others[-1]]
        while lines and (len(lines) >= most or not is_ready()):
            yield lines[:most]
            lines = lines[most:]
        if not is_ready():
            yield []
    if last := b"".join(rest):
        lines.append(last)
    if lines:
        yield lines


def _reader(source: BinaryIO) -> tuple[Callable[[], bytes], Callable[[], bool]]:
    """How to read some bytes of ``source`` (b"" at the end), and whether more can be had without waiting."""
    try:
        descriptor = source.fileno()
    except (io.UnsupportedOperation, AttributeError):
        return lambda: source.read(_CHUNK), lambda: True
    if os.name == "nt":  # select knows only sockets there
        return lambda: os.read(descriptor, _CHUNK), lambda: False
    return (
        lambda: os.read(descriptor, _CHUNK),
        lambda: bool(select.select([descriptor], [], [], 0)[0]),
    )


# ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────


def plan(inputs: Sequence[Path], output: Path | None) -> list[Job]:
    """Which file becomes which. Folders are walked for the known formats; their tree is kept under ``output``.

    ``STDIN`` as ``output`` is standard output. What lies in an output folder inside an input folder is not read again.
    Raises TranslitError when an input is missing, two inputs have the same output, or ``output`` cannot hold all of
    them or holds one of them.
    """
    from translit.text.formats import format_of

    output = None if output == STDIN else output
    found: list[tuple[Path, Path]] = []  # a file, and its place inside an output folder
    for path in inputs:
        if path == STDIN:
            found.append((path, Path("stdin")))
        elif path.is_dir():
            found += [(p, p.relative_to(path)) for p in _inside(path, output) if p.is_file() and format_of(p)]
        elif path.exists():
            found.append((path, Path(path.name)))
        else:
            raise TranslitError(f"{path}: no such file")
    if not found:
        raise TranslitError(f"{inputs[0]}: nothing to translate in this folder; name the files themselves")
    if output is None:
        if len(found) > 1:
            raise TranslitError(f"{len(found)} files to translate; say where to with -o FOLDER")
        return [Job(found[0][0], None)]
    into_folder = (
        len(found) > 1 or any(p.is_dir() for p in inputs) or output.is_dir() or _is_folder_name(output)
    )
    if into_folder and output.is_file():
        raise TranslitError(f"{output}: is a file, and there are {len(found)} to write; give a folder")
    jobs = [Job(source, output / place if into_folder else output) for source, place in found]
    written: dict[Path | None, Job] = {}
    for job in jobs:
        if written.setdefault(job.output, job).source != job.source:
            raise TranslitError(
                f"{written[job.output].name} and {job.name} would both become {job.output}; translate them one by one"
            )
    sources = {_identity(path): path for path, _ in found if path != STDIN}
    for job in jobs:
        if job.output and job.output.exists() and (lost := sources.get(_identity(job.output))):
            whose = "its own translation" if lost == job.source else f"the translation of {job.name}"
            raise TranslitError(f"{lost}: would be overwritten by {whose}; choose another -o")
    return jobs


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def _inside(folder: Path, output: Path | None) -> list[Path]:
    """What lies in ``folder`` and below and is not hidden, without the folders themselves and without what is in
    ``output``, where translations of an earlier call may lie."""
    files = sorted(p for p in folder.rglob("*") if not p.is_dir() and not _is_hidden(p.relative_to(folder)))
    if output is None or folder.resolve() not in output.resolve().parents:
        return files
    return [p for p in files if output.resolve() not in p.resolve().parents]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def left_alone(inputs: Sequence[Path], output: Path | None = None) -> list[Path]:
    """What ``plan`` leaves out of the folders among ``inputs``: files without a known format, pipes, links to nothing;
    not those with a hidden name."""
    from translit.text.formats import format_of

    inside = ((path, p) for path in inputs if path.is_dir() for p in _inside(path, output))
    return [p for path, p in inside if not p.is_file() or format_of(p) is None]


def _is_folder_name(path: Path) -> bool:
    return not path.suffix and not path.exists()


# Not ours to read, and not plain text either.
_STRUCTURED = {
    ".csv",
    ".tsv",
    ".xml",
    ".xliff",
    ".xlf",
    ".tmx",
    ".tex",
    ".rst",
    ".ini",
    ".toml",
    ".properties",
    ".ass",
}


def translate_file(
    translator: Translator,
    job: Job,
    stdout: BinaryIO,
    report: Report,
    rewrite: Callable[[str], str] = str,
    *,
    errors: str = "strict",
    format: str | None = None,
) -> None:
    """Translate one file; ``rewrite`` changes each translation. An output appears only when it is complete."""
    from translit.inline import translate_segments
    from translit.text.formats import format_of, open_format

    name = format or format_of(job.source) or "txt"
    if not format and job.source.suffix.lower() in _STRUCTURED:
        raise TranslitError(
            f"{job.name}: line by line, a {job.source.suffix[1:]} would not keep its structure; if you want that, add "
            "--format txt"
        )
    if name == "docx" and job.output is None and stdout.isatty():
        raise TranslitError(f"{job.name}: a docx is not for a terminal; say where to with -o FILE")
    with _destination(job.output, stdout) as target, _open(job.source) as source:
        if name in ("txt", "text") and not _is_utf16(job.source):
            numbers = itertools.count(1)
            for batch in translate_lines(translator, source, job.name, errors):
                for (translation, ending), number in zip(batch, numbers, strict=False):
                    target.write((rewrite(translation.text) + ending).encode("utf-8", "surrogatepass"))
                    report(where(job.name, number), translation)
            return
        with _reading(job.name):
            content = source.read()
        document = open_format(job.name, content, errors, name)
        translations = translate_segments(translator, document)
        places = zip(document.lines, document.inline, translations, strict=True)
        for number, (line, slot, translation) in enumerate(places, 1):
            beginning = _beginning(translation.source, slot.tokens if slot else ())
            report(where(job.name, line) if line else f"{job.name}: text {number} “{beginning}”", translation)
        texts = [rewrite(t.text) for t in translations]
        target.write(document.render(texts, translator.directory.target_language))


def _is_utf16(path: Path) -> bool:
    """What Windows calls Unicode. Such a file is read as a whole: its lines cannot be cut before it is decoded."""
    if path == STDIN or not path.is_file():
        return False
    with _reading(str(path)), path.open("rb") as file:
        return file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _beginning(segment: str, tokens: Sequence[str]) -> str:
    """The first words of ``segment``, without the tokens that stand for markup."""
    for token in tokens:
        segment = segment.replace(token, "")
    words = segment.split()
    return " ".join(words[:4]) + ("…" if len(words) > 4 else "")


def _open(path: Path) -> AbstractContextManager[BinaryIO]:
    if path == STDIN:
        return nullcontext(sys.stdin.buffer)
    with _reading(str(path)):
        return path.open("rb")


@contextmanager
def _destination(output: Path | None, stdout: BinaryIO) -> Iterator[BinaryIO]:
    """A file that takes its name only when all has gone well; standard output for None.

    A device or a pipe cannot be replaced, and is written to as it is; the file behind a link is replaced, not the link.
    """
    if output is None:
        yield stdout
        return
    part = None
    try:
        if output.exists() and not output.is_file():
            with output.open("wb") as file:
                yield file
            return
        output.parent.mkdir(parents=True, exist_ok=True)
        final = output.resolve()
        descriptor, part = tempfile.mkstemp(prefix=f".{final.name}.", dir=final.parent)
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.chmod(part, final.stat().st_mode & 0o777 if final.exists() else 0o666 & ~_umask())
        os.replace(part, final)
        part = None
    except OSError as error:
        raise TranslitError(f"{output}: cannot write: {error.strerror}") from None
    finally:
        if part is not None:
            Path(part).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_pairs(path: Path) -> dict[str, str]:
    """A glossary or a memory: ``source<TAB>target`` a line; more columns are ignored, blank lines and lines that begin
    with # are skipped.
    """
    pairs: dict[str, str] = {}
    try:
        content = path.read_text("utf-8-sig")
    except OSError as error:
        raise TranslitError(f"{path}: cannot read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TranslitError(f"{path}: not UTF-8; convert the file") from None
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        source, tab, rest = line.rstrip("\r").partition("\t")
        target = rest.partition("\t")[0]
        if not (tab and source.strip() and target.strip()):
            raise TranslitError(f"{where(path, number)}: expected source<TAB>target, found {line!r}")
        pairs[source.strip()] = target.strip()
    return pairs
