"""Word (.docx), with python-docx: the paragraphs of the body, tables, text boxes, headers, footers and notes.

A paragraph is written as a string in which characters of private use stand for what is not text: the start and end of
differently formatted runs and of links, pictures, fields. So it is translated as any other text with markup.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

from translit.errors import TranslitError
from translit.text.formats.document import InlineSlot, SlotBuilder

if TYPE_CHECKING:
    from docx.document import Document as WordDocument

_WORD = re.compile(r"[\t\n]|[^\S\t\n]+|[^\s\U000f0000-\U000ffffd]+|[\U000f0000-\U000ffffd]")
_FIRST_MARK = 0xF0000
_TEXT_TAGS = frozenset((
    "rPr", "t", "tab", "br", "cr", "noBreakHyphen", "softHyphen", "lastRenderedPageBreak",
))  # fmt: skip
# What a run may hold that belongs to no word of the sentence.
_LOOSE_TAGS = frozenset((
    "rPr", "drawing", "pict", "object", "AlternateContent", "br", "lastRenderedPageBreak", "footnoteReference",
    "endnoteReference", "commentReference", "footnoteRef", "endnoteRef", "separator", "continuationSeparator",
))  # fmt: skip
_IGNORED_TAGS = frozenset(("pPr", "proofErr", "lastRenderedPageBreak"))
_PARTS = re.compile(r"/word/(?:document|header|footer|footnotes|endnotes)\d*\.xml")


def read(name: str, data: bytes) -> DocxDocument:
    return DocxDocument(name, data)


class DocxDocument:
    """A ``Document`` of a Word file. Where nothing changes, the file comes back byte for byte."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name, self._data = name, data
        paragraphs = _paragraphs(_stories(_open(name, data)))
        self.segments = [segment for paragraph in paragraphs for segment in paragraph.segments]
        self.lines: list[int | None] = [None] * len(self.segments)
        self.inline = [slot if slot.markup else None for p in paragraphs for slot in p.slots]

    def render(self, translations: Sequence[str], language: str | None = None) -> bytes:
        if len(translations) != len(self.segments):
            raise ValueError(f"{len(translations)} translations for {len(self.segments)} segments")
        if list(translations) == self.segments:
            return self._data
        from docx.opc.oxml import serialize_part_xml

        document = _open(self._name, self._data)
        stories = _stories(document)
        given = iter(translations)
        for paragraph in _paragraphs(stories):
            paragraph.fill([next(given) for _ in paragraph.segments])
        for part, root in stories:
            if not hasattr(part, "element"):
                part._blob = serialize_part_xml(root)
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


def _stories(document: WordDocument) -> list[tuple[Any, Any]]:
    """The parts of the file that hold text, each with the root of its XML. Notes are bytes for python-docx."""
    from docx.oxml.parser import parse_xml

    parts = [part for part in document.part.package.iter_parts() if _PARTS.fullmatch(str(part.partname))]
    return [(part, part.element if hasattr(part, "element") else parse_xml(part.blob)) for part in parts]


def _paragraphs(stories: Sequence[tuple[Any, Any]]) -> list[_Paragraph]:
    return [_Paragraph(element) for _, root in stories for element in list(root.iter(f"{_prefix(root)}p"))]


def _prefix(element: Any) -> str:
    """The namespace of WordprocessingML in the notation of lxml, with its braces."""
    return f"{str(element.tag).rpartition('}')[0]}}}"


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _split_mixed_runs(paragraph: Any) -> None:
    """Text and a reference or a picture in one run become runs of their own, alike: only text can be rewritten."""
    for run in [child for child in paragraph if _tag(child) == "r"]:
        content = [child for child in run if _tag(child) != "rPr"]
        if not any(_tag(child) == "t" for child in content) or _is_text(run):
            continue
        if not all(_is_text_part(child) or _tag(child) in _LOOSE_TAGS for child in content):
            continue
        for _, group in groupby(content, key=_is_text_part):
            part = deepcopy(run)
            for child in [child for child in part if _tag(child) != "rPr"]:
                part.remove(child)
            part.extend(group)
            run.addprevious(part)
        paragraph.remove(run)


class _Paragraph:
    """One ``w:p``. ``written`` is its text with marks; ``meaning`` says what each mark stands for."""

    def __init__(self, element: Any) -> None:
        self.element = element
        self.meaning: dict[str, _Mark] = {}
        _split_mixed_runs(element)
        runs = [child for child in element if _is_text(child)]
        lengths: Counter[str] = Counter()
        for run in runs:
            lengths[_format(run)] += len(run.text)
        base_format = max(lengths, key=lengths.__getitem__, default="")
        # A paragraph of only a link has no run of its own to look like.
        any_run = next(element.iter(f"{_prefix(element)}r"), None)
        self.base = next((run for run in runs if _format(run) == base_format), any_run)
        self.written = "".join(self._write(group, base_format) for group in _groups(element))
        self.slots = list(self._slots())
        self.segments = [segment for slot in self.slots for segment in slot.segments]

    def _mark(self, role: str, elements: Sequence[Any], kind: str = "formatting", **place: Any) -> str:
        mark = chr(_FIRST_MARK + len(self.meaning))
        self.meaning[mark] = _Mark(role, tuple(elements), f"{kind} {id(elements[0])}", **place)
        return mark

    def _write(self, group: list[Any], base_format: str) -> str:
        child = group[0]
        if len(group) > 1:
            return self._write_field(group)
        if _is_text(child):
            if _format(child) == base_format or not child.text:
                return str(child.text)
            return self._around(child.text, [child], [child], model=child)
        inside = _content(child)
        if inside is not None and len(inside) and all(map(_is_text, inside)):
            kind = _KINDS[_tag(child)]
            return self._around("".join(run.text for run in inside), [child], [child], kind, parent=inside)
        return self._mark("loose" if _is_loose(child) else "single", [child])

    def _write_field(self, runs: list[Any]) -> str:
        """A field: a link if it is one around text, else copied whole with what it shows, such as a page number."""
        separates = [i for i, run in enumerate(runs) if _field_mark(run) == "separate"]
        shown = runs[separates[0] + 1 : -1] if len(separates) == 1 else []
        instruction = "".join(e.text or "" for run in runs for e in run if _tag(e) == "instrText")
        if "HYPERLINK" not in instruction or not shown or not all(map(_is_text, shown)):
            return self._mark("single", runs)
        text = "".join(run.text for run in shown)
        return self._around(text, runs[: separates[0] + 1], runs[-1:], "link", model=shown[0])

    def _around(
        self, text: str, opening: list[Any], closing: list[Any], kind: str = "formatting", **place: Any
    ) -> str:
        start = self._mark("open", opening, kind, **place)
        end = self._mark("close", closing, **place)
        self.meaning[end] = replace(self.meaning[end], name=self.meaning[start].name)
        return start + text + end

    def _slots(self) -> Iterator[InlineSlot]:
        """The texts of the paragraph: a tab ends one (a cell, a column), and so does a line break."""
        builder, depth = SlotBuilder(), 0
        for match in _WORD.finditer(self.written):
            text = match[0]
            if text in self.meaning:
                mark = self.meaning[text]
                depth += {"open": 1, "close": -1}.get(mark.role, 0)
                builder.mark(*match.span(), mark.role, mark.name)
            elif text in "\t\n" and not depth:
                yield from [slot] if (slot := builder.build()) else []
                builder = SlotBuilder()
            elif text in "\t\n":
                builder.mark(*match.span(), "loose")
            else:
                builder.text(" " if text.isspace() else text, *match.span())
        yield from [slot] if (slot := builder.build()) else []

    def fill(self, translations: Sequence[str]) -> None:
        """Rewrites the paragraph with the translations of its segments, if they differ."""
        if list(translations) == self.segments:
            return
        parts, position = [], 0
        for slot, translation in zip(self.slots, translations, strict=True):
            new = slot.write([translation], lambda a, b: self.written[a:b])
            parts += [self.written[position : slot.start], new]
            position = slot.end
        self._rebuild("".join([*parts, self.written[position:]]))

    def _rebuild(self, written: str) -> None:
        for child in [child for child in self.element if _tag(child) != "pPr"]:
            self.element.remove(child)
        places = [(self.element, self.base)]  # where text goes, and the run that it looks like
        for piece in re.findall("[\U000f0000-\U000ffffd]|[^\U000f0000-\U000ffffd]+", written):
            parent, model = places[-1]
            mark = self.meaning.get(piece)
            if mark is None:
                parent.append(_run_like(model, piece))
            elif mark.role not in ("open", "close"):
                parent.extend(mark.elements)
            elif mark.parent is not None:  # a link or a control, which holds runs
                if mark.role == "close":
                    places.pop()
                    continue
                places.append((mark.parent, deepcopy(mark.parent[0])))
                for run in list(mark.parent):
                    mark.parent.remove(run)
                parent.extend(mark.elements)
            else:
                if mark.role == "close":
                    places.pop()
                else:
                    places.append((parent, mark.model))
                if not _is_text(mark.elements[0]):  # the halves of a field
                    parent.extend(mark.elements)


@dataclass(frozen=True)
class _Mark:
    """What a mark stands for. Text inside a pair goes into ``parent``, if there is one, and looks like ``model``."""

    role: str
    elements: tuple[Any, ...]
    name: str
    parent: Any = None
    model: Any = None


_KINDS = {"hyperlink": "link", "sdt": "link-control", "ins": "formatting", "smartTag": "formatting"}


def _content(element: Any) -> Any:
    """Where the runs of an element that holds some are; None for any other element."""
    if _tag(element) == "sdt":
        return next((child for child in element if _tag(child) == "sdtContent"), None)
    return element if _tag(element) in _KINDS else None


def _groups(paragraph: Any) -> Iterator[list[Any]]:
    """The children that count, those of a field together."""
    children = [child for child in paragraph if _tag(child) not in _IGNORED_TAGS]
    while children:
        depths = accumulate({"begin": 1, "end": -1}.get(_field_mark(child), 0) for child in children)
        # A field that ends in another paragraph is only its marks.
        size = next((count for count, depth in enumerate(depths, 1) if depth <= 0), 1)
        yield children[:size]
        children = children[size:]


def _field_mark(run: Any) -> str:
    """Does a field begin or end in this run, or does what it shows?"""
    types = [child.get(f"{_prefix(child)}fldCharType", "") for child in run if _tag(child) == "fldChar"]
    return types[0] if types else ""


def _is_loose(element: Any) -> bool:
    """Is this no part of a sentence, but a picture, the number of a note, a bookmark?"""
    if _tag(element) == "r":
        return all(_tag(child) in _LOOSE_TAGS for child in element)
    return _tag(element).startswith(("bookmark", "comment", "perm", "moveFromRange", "moveToRange"))


def _is_text(element: Any) -> bool:
    """Is this a run of only text, tabs and line breaks (not of pictures, fields, page breaks)?"""
    return _tag(element) == "r" and all(map(_is_text_part, element))


def _is_text_part(child: Any) -> bool:
    return _tag(child) in _TEXT_TAGS and not (_tag(child) == "br" and child.attrib)


def _format(run: Any) -> str:
    """The formatting of a run, to compare."""
    return "" if run.rPr is None else str(run.rPr.xml)


def _run_like(model: Any, text: str) -> Any:
    run = deepcopy(model)
    run.text = text
    return run
