"""gettext PO: untranslated entries are filled and marked fuzzy; all else, also how it is wrapped, is not touched.

polib reads and writes PO files well, but writing wraps every entry anew; so the few lines of an entry are found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from translit.errors import TranslitError, where
from translit.text.formats.document import InlineSlot, Lines, Raw, Source, TextDocument

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")
# In the header, the first entry: its language is to be filled in, or still that of the msgids.
_LANGUAGE = re.compile(
    r'(?:#[^\n]*\n|\s)*msgid ""\s*msgstr ""\s*(?:"(?!Language:)[^\n]*\n)*'
    r'"Language: ?((?:en(?:[_-]\w+)?)?)\\n"'
)
_KEYWORD = re.compile(r'\s*(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s*(".*")\s*$')
_QUOTED = re.compile(r'\s*(".*")\s*$')
# &Open, E&xit, _Open: the letter that, with Alt, chooses an entry of a menu. Chinese names it at the end: 打开(&O)…
_SHORTCUT = re.compile(
    r"(?:(?<![&\w])&(?=[A-Za-z])|(?<=[A-Za-z])&(?=[a-z]))(?!\w+;)|(?<!\w)_(?=[A-Za-z])(?!\w*_)"
)
_MENU_END = re.compile(r"(?:…|\.\.\.|:|：|\s)*$")
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE_OF = {char: f"\\{name}" for name, char in _ESCAPED.items()} | {"\\": "\\\\", '"': '\\"'}


@dataclass
class _String:
    """One msgid, msgstr … of an entry: its value, and where it stands, from the keyword to the last quote."""

    value: str
    start: int
    end: int


@dataclass
class _Entry:
    """``flags`` is where the "#, fuzzy" line stands; ``start`` is where such a line would go."""

    strings: dict[str, _String] = field(default_factory=dict)
    flags: tuple[int, int] | None = None
    start: int = -1

    @property
    def translations(self) -> dict[str, _String]:
        return {key: string for key, string in self.strings.items() if key.startswith("msgstr")}


def read(source: Source) -> TextDocument:
    slots = []
    for entry in _entries(source):
        id_ = entry.strings.get("msgid")
        translations = entry.translations
        if id_ and id_.value and translations and not any(string.value for string in translations.values()):
            slots.append(FuzzySlot.of(entry, source.text))
    language = _LANGUAGE.match(source.text)
    return TextDocument(
        source, [slot for slot in slots if slot.segments], language.span(1) if language else None
    )


def _entries(source: Source) -> Iterator[_Entry]:
    entry, last = _Entry(), ""
    for number, match in enumerate(_LINE.finditer(source.text), 1):
        line = match[1]
        keyword = _KEYWORD.match(line)
        comment = line.lstrip().startswith("#")
        if last.startswith("msgstr") and (comment or (keyword and not keyword[1].startswith("msgstr"))):
            yield entry
            entry, last = _Entry(), ""
        if comment:
            if line.startswith("#,") and entry.flags is None:
                entry.flags = match.span(1)
            elif line.startswith("#|") and entry.start < 0:
                entry.start = match.start()
        elif keyword:
            last = keyword[1]
            entry.start = match.start() if entry.start < 0 else entry.start
            entry.strings[last] = _String(
                _unescape(keyword[2]), match.start(1) + keyword.start(1), match.end(1)
            )
        elif (quoted := _QUOTED.match(line)) and last:
            entry.strings[last].value += _unescape(quoted[1])
            entry.strings[last].end = match.end(1)
        elif line.strip():
            raise TranslitError(
                f"{where(source.name, number)}: not a line of a PO file: {line.strip()[:40]!r}; "
                "check it with msgfmt -c"
            )
    yield entry


@dataclass
class FuzzySlot:
    """An untranslated entry. Each line of its msgid (and msgid_plural) is a segment."""

    start: int
    end: int
    segments: list[str]
    entry: _Entry
    values: dict[str, Lines]  # what each msgstr is to say
    line_break: str
    shortcuts: dict[str, str]  # "(&O)", where it has one

    @classmethod
    def of(cls, entry: _Entry, text: str) -> FuzzySlot:
        strings, translations = entry.strings, entry.translations
        plural = strings.get("msgid_plural", strings["msgid"]).value
        # Chinese has one form, the plural; a file with two wants the singular first.
        singular = strings["msgid"].value if len(translations) > 1 else plural
        both = _without_shortcut(singular), _without_shortcut(plural)
        texts = {key: both[bool(number)] for number, key in enumerate(translations)}
        values = {key: Lines.of(text) for key, (text, _) in texts.items()}
        shortcuts = {key: shortcut for key, (_, shortcut) in texts.items()}
        segments = [segment for lines in values.values() for segment in lines.segments]
        start = min(entry.start, entry.flags[0] if entry.flags else entry.start)
        end = max(string.end for string in translations.values())
        line_break = re.search(r"\r\n|\r|\n", text[start:] + "\n")
        return cls(start, end, segments, entry, values, line_break[0] if line_break else "\n", shortcuts)

    @property
    def inline(self) -> list[InlineSlot | None]:
        return [inner for lines in self.values.values() for inner in lines.inline]

    def write(self, translations: Sequence[str], raw: Raw) -> str:
        given = iter(translations)
        parts, position = [self._with_flag(raw)], self.entry.start
        for key, string in self.entry.translations.items():
            value = self.values[key].filled(given)
            if shortcut := self.shortcuts[key]:
                value = _MENU_END.sub(lambda match, mark=shortcut: mark + match[0], value, count=1)  # type: ignore[misc]
            parts += [raw(position, string.start), key, " ", self._quoted(value)]
            position = string.end
        return "".join(parts)

    def _with_flag(self, raw: Raw) -> str:
        """The lines before the entry, with the flag "fuzzy" among them."""
        if self.entry.flags is None:
            return f"#, fuzzy{self.line_break}"
        start, end = self.entry.flags
        flags = raw(start, end)
        fuzzy = flags if "fuzzy" in flags else f"#, fuzzy,{flags[2:]}"
        return fuzzy + raw(end, self.entry.start)

    def _quoted(self, value: str) -> str:
        lines = value.splitlines(keepends=True) or [""]
        quoted = [f'"{_escape(line)}"' for line in ([""] if len(lines) > 1 else []) + lines]
        return self.line_break.join(quoted)


def _without_shortcut(value: str) -> tuple[str, str]:
    """``value`` without the mark of its shortcut, and the shortcut as Chinese writes it, "" for none."""
    found = list(_SHORTCUT.finditer(value))
    if len(found) != 1 or "\n" in value or len(value) > 60:
        return value, ""
    at = found[0].start()
    return value[:at] + value[at + 1 :], f"({value[at]}{value[at + 1].upper()})"


def _unescape(quoted: str) -> str:
    def character(match: re.Match[str]) -> str:
        octal, hexadecimal, letter = match.groups()
        return (
            chr(int(octal, 8) if octal else int(hexadecimal, 16))
            if not letter
            else _ESCAPED.get(letter, letter)
        )

    return _ESCAPE.sub(character, quoted[1:-1])


def _escape(text: str) -> str:
    return "".join(_ESCAPE_OF.get(char, char) for char in text)
