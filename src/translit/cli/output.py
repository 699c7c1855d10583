"""How translations and warnings are shown. Nothing here needs Typer: see ``translit.cli.quick``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from translit.text.checks import Flag
    from translit.translator import Translation, Translator


def translate_text(translator: Translator, text: str, errors: str, view: View, warnings: Warnings) -> None:
    """Translate the text of a command line, and show it."""
    from translit.errors import TranslitError

    try:
        text.encode()
    except UnicodeEncodeError:  # the shell passed bytes that are no UTF-8
        if errors == "strict":
            raise TranslitError("the text is not UTF-8; use --errors replace") from None
        text = text.encode("utf-8", "replace").decode()
    (translation,) = translator.translate([text])
    warnings.add("", translation)
    write(view.show(translation) + "\n")


class View:
    """How a translation is shown."""

    def __init__(
        self,
        as_json: bool = False,
        confidence: bool = False,
        pinyin: bool = False,
        script: str = "hans",
        nbest: int = 1,
    ) -> None:
        self._others = nbest - 1
        self._fewer = False  # has a line had fewer translations than asked for?
        self.as_json = as_json
        self.confidence = confidence
        self._convert = _traditional() if script == "hant" else str
        self._pinyin = _pinyin() if pinyin else None

    def text(self, text: str) -> str:
        """The text in the script that was asked for."""
        return self._convert(text)

    def show(self, translation: Translation) -> str:
        asked = translation.score is not None
        self._fewer = self._fewer or (asked and len(translation.alternatives) < self._others)
        return self._json(translation) if self.as_json else self._plain(translation)

    def close(self) -> None:
        """Say what could not be shown."""
        if self._fewer:
            tell(f"fewer than {self._others + 1} different translations found; a larger --beam finds more")

    def _plain(self, translation: Translation) -> str:
        text = self._convert(translation.text)
        end = "\r" if text.endswith("\r") else ""  # from Windows: it stays the last of the line
        text = text.removesuffix("\r")
        shown = text
        if self._pinyin is not None and text.strip():
            shown += f"\t{self._pinyin(text)}"
        if self.confidence and translation.confidence is not None:
            left = any(flag.kind == "low-confidence" for flag in translation.flags)
            shown += f"\t{_bar(translation.confidence)} {translation.confidence:.0%}" + (
                " (left untranslated)" if left else ""
            )
        for alternative in translation.alternatives:
            shown += f"{end}\n  {self._convert(alternative.text).removesuffix(end)}"
        return shown + end

    def _json(self, translation: Translation) -> str:
        text = self._convert(translation.text)
        record: dict[str, Any] = {
            "source": translation.source,
            "translation": text,
            "score": _rounded(translation.score),
            "confidence": _rounded(translation.confidence),
            "alternatives": [
                {"translation": self._convert(a.text), "score": _rounded(a.score)}
                for a in translation.alternatives
            ],
            "flags": [{"kind": flag.kind, "detail": flag.detail} for flag in translation.flags],
            "seconds": round(translation.seconds, 6),
        }
        if self._pinyin is not None:
            record["pinyin"] = self._pinyin(text)
        return json.dumps(record, ensure_ascii=False)


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


def _bar(share: float, width: int = 10) -> str:
    full = round(share * width)
    return "█" * full + "░" * (width - full)


def _traditional() -> Callable[[str], str]:
    from translit.errors import TranslitError

    try:
        from opencc import OpenCC  # an extra
    except ImportError:
        raise TranslitError("--script hant needs OpenCC; install it with: pip install opencc") from None
    convert: Callable[[str], str] = OpenCC("s2t").convert
    return convert


def _pinyin() -> Callable[[str], str]:
    from translit.errors import TranslitError

    try:
        from pypinyin import Style, lazy_pinyin  # an extra
    except ImportError:
        raise TranslitError("--pinyin needs pypinyin; install it with: pip install pypinyin") from None
    return lambda text: " ".join(lazy_pinyin(text, style=Style.TONE))


class Warnings:
    """Flags of lines on standard error, the first few in full."""

    MOST = 20

    def __init__(self) -> None:
        self.lines = 0
        self.flagged = 0

    def add(self, place: str, translation: Translation) -> None:
        self.lines += 1
        if not translation.flags:
            return
        self.flagged += 1
        if self.flagged <= self.MOST:
            tell(place + in_words(translation.flags))

    def summary(self, hint: str = "") -> None:
        if self.flagged > self.MOST:
            tell(f"{self.flagged:,} of {self.lines:,} lines flagged{hint}")


def in_words(flags: Sequence[Flag]) -> str:
    """``flags`` for people, those of one kind together."""
    kinds: dict[str, list[str]] = {}
    for flag in flags:
        kinds.setdefault(flag.kind, []).append(flag.detail)
    return "; ".join(
        f"{kind}: {', '.join(details)}"
        if len(details) < 4
        else f"{kind} ({len(details)} parts): {details[0]}, …"
        for kind, details in kinds.items()
    )


def tell(message: str) -> None:
    print(f"translit: {message}", file=sys.stderr)


def write(text: str) -> None:
    """Exactly ``text`` to standard output, on every platform."""
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
