"""Word (.docx), with python-docx: paragraphs of the body, tables, headers and footers; formatting stays with its words.

A paragraph is written as a string in which characters of private use stand for what is not text: the start and end of
differently formatted runs and of links, pictures, fields. So it is translated as any other text with markup.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from translit.errors import TranslitError
from translit.text.formats.document import InlineSlot, SlotBuilder

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

_WORD = re.compile(r"[\t\n]|[^\S\t\n]+|[^\s\U000f0000-\U000ffffd]+|[\U000f0000-\U000ffffd]")
_FIRST_MARK = 0xF0000
_TEXT_TAGS = frozenset(("rPr", "t", "tab", "br", "cr", "noBreakHyphen", "lastRenderedPageBreak"))
_IGNORED_TAGS = frozenset(("pPr", "proofErr", "lastRenderedPageBreak"))
_PARTS = re.compile(r"/word/(?:document|header|footer|footnotes|endnotes)\d*\.xml")


def read(name: str, data: bytes) -> DocxDocument:
    return DocxDocument(name, data)


class DocxDocument:
    """A ``Document`` of a Word file. Where nothing changes, the file comes back byte for byte."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name, self._data = name, data
        paragraphs = _paragraphs(_open(name, data))
        self.segments = [segment for paragraph in paragraphs for segment in paragraph.segments]
        self.lines: list[int | None] = [None] * len(self.segments)
        self.inline = [p.slot if p.slot.markup else None for p in paragraphs if p.slot]

    def render(self, translations: Sequence[str], language: str | None = None) -> bytes:
        if len(translations) != len(self.segments):
            raise ValueError(f"{len(translations)} translations for {len(self.segments)} segments")
        if list(translations) == self.segments:
            return self._data
        document = _open(self._name, self._data)
        given = iter(translations)
        for paragraph in _paragraphs(document):
            paragraph.fill([next(given) for _ in paragraph.segments])
        file = io.BytesIO()
        document.save(file)
        return file.getvalue()


def _open(name: str, data: bytes) -> WordDocument:
    try:
        from docx import Document
    except ImportError:
        raise TranslitError(
            f"{name}: DOCX needs python-docx; install it with: pip install 'translit-nmt[formats]'"
        ) from None
    try:
        return Document(io.BytesIO(data))
    except Exception as error:  # zipfile, lxml and python-docx each raise their own
        raise TranslitError(f"{name}: not a DOCX file: {error}; save it again as .docx") from None


def _paragraphs(document: WordDocument) -> list[_Paragraph]:
    roots = [
        part.element
        for part in document.part.package.iter_parts()
        if hasattr(part, "element") and _PARTS.fullmatch(str(part.partname))
    ]
    return [_Paragraph(element) for root in roots for element in root.iter(f"{_prefix(root)}p")]


def _prefix(element: Any) -> str:
    """The namespace of WordprocessingML in the notation of lxml, with its braces."""
    return f"{{{element.nsmap['w']}}}"


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


class _Paragraph:
    """One ``w:p``. ``written`` is its text with marks; ``meaning`` says what each mark stands for."""

    def __init__(self, element: Any) -> None:
        self.element = element
        self.meaning: dict[str, tuple[str, Any]] = {}
        runs = [child for child in element if _is_text(child)]
        lengths: Counter[str] = Counter()
        for run in runs:
            lengths[_format(run)] += len(run.text)
        base_format = max(lengths, key=lengths.__getitem__, default="")
        # A paragraph of only a link has no run of its own to look like.
        any_run = next(element.iter(f"{_prefix(element)}r"), None)
        self.base = next((run for run in runs if _format(run) == base_format), any_run)
        self.written = "".join(
            self._write(child, base_format) for child in element if _tag(child) not in _IGNORED_TAGS
        )
        self.slot = self._slot()
        self.segments = self.slot.segments if self.slot else []

    def _mark(self, role: str, element: Any) -> str:
        mark = chr(_FIRST_MARK + len(self.meaning))
        self.meaning[mark] = (role, element)
        return mark

    def _write(self, child: Any, base_format: str) -> str:
        if _is_text(child):
            if _format(child) == base_format or not child.text:
                return child.text
            return self._mark("open", child) + child.text + self._mark("close", child)
        if _tag(child) == "hyperlink" and len(child) and all(map(_is_text, child)):
            text = "".join(run.text for run in child)
            return self._mark("open", child) + text + self._mark("close", child)
        return self._mark("loose" if _tag(child).startswith(("bookmark", "comment")) else "single", child)

    def _slot(self) -> InlineSlot | None:
        builder = SlotBuilder()
        for match in _WORD.finditer(self.written):
            text = match[0]
            if text in self.meaning:
                role, element = self.meaning[text]
                kind = "link" if _tag(element) == "hyperlink" else "formatting"
                builder.mark(*match.span(), role, f"{kind} {id(element)}")
            elif text in "\t\n":
                builder.mark(*match.span(), "loose")
            else:
                builder.text(" " if text.isspace() else text, *match.span())
        return builder.build()

    def fill(self, translations: Sequence[str]) -> None:
        """Rewrites the paragraph with the translation of its segment, if that differs."""
        if self.slot is None or list(translations) == self.segments:
            return
        start, end = self.slot.start, self.slot.end
        new = self.slot.write(translations, lambda a, b: self.written[a:b])
        self._rebuild(self.written[:start] + new + self.written[end:])

    def _rebuild(self, written: str) -> None:
        for child in [child for child in self.element if _tag(child) != "pPr"]:
            self.element.remove(child)
        places = [(self.element, self.base)]  # where text goes, and the run that it looks like
        for piece in re.findall("[\U000f0000-\U000ffffd]|[^\U000f0000-\U000ffffd]+", written):
            parent, model = places[-1]
            role, element = self.meaning.get(piece, ("text", None))
            if role == "text":
                parent.append(_run_like(model, piece))
            elif role == "close":
                places.pop()
            elif role == "open" and _is_text(element):
                places.append((parent, element))
            elif role == "open":
                places.append((element, deepcopy(element[0])))
                for run in list(element):
                    element.remove(run)
                parent.append(element)
            else:
                parent.append(element)


def _is_text(element: Any) -> bool:
    """Is this a run of only text, tabs and line breaks (not of pictures, fields, page breaks)?"""
    return _tag(element) == "r" and all(
        _tag(child) in _TEXT_TAGS and not (_tag(child) == "br" and child.attrib) for child in element
    )


def _format(run: Any) -> str:
    """The formatting of a run, to compare."""
    return "" if run.rPr is None else str(run.rPr.xml)


def _run_like(model: Any, text: str) -> Any:
    run = deepcopy(model)
    run.text = text
    return run
