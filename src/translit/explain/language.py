"""The interface in two languages: captions are looked up by name, in Chinese or English."""

from __future__ import annotations

import locale
import os
import re
from collections.abc import Mapping
from typing import Literal, cast

from translit.errors import TranslitError

Language = Literal["zh", "en"]

Texts = Mapping[str, tuple[str, str]]  # name → (English, Chinese), both with the same {placeholders}


class Captions:
    """Texts in one language: ``Captions(TEXTS, "zh")("head", number=2)`` → 「第 2 个头」.

    ``TEXTS`` maps a name to (English, Chinese). A name or a placeholder that
    does not exist is a KeyError.
    """

    def __init__(self, texts: Texts, language: Language) -> None:
        self.language = language
        column = ("en", "zh").index(language)
        self._texts = {name: both[column] for name, both in texts.items()}

    def __call__(self, name: str, **values: object) -> str:
        return self._texts[name].format(**values)

    def __contains__(self, name: str) -> bool:
        return name in self._texts


def choose_language(asked: str | None = None) -> Language:
    """The language ``asked`` for (zh or en); without a wish, Chinese in a Chinese locale, else English.

    Raises TranslitError for any other wish.
    """
    if asked is None:
        return "zh" if _locale().lower().startswith(("zh", "chinese")) else "en"
    if asked not in ("zh", "en"):
        raise TranslitError(f"--lang {asked}: the interface speaks zh (Chinese) and en (English); choose one")
    return cast(Language, asked)


def _locale() -> str:
    """The locale's name: from the environment in gettext's order, or (Windows) from the system."""
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(variable):
            return os.environ[variable]
    return locale.getlocale()[0] or ""


# Runs of narrow characters, or one wide one (Chinese, full-width punctuation) with the marks that cling to it.
_OPENING, _CLOSING = "（「『《“", "，。；：！？、）」』》”…"
_UNBREAKABLE = re.compile(rf"[{_OPENING}]*(?:[!-⺀]+|[^\s{_OPENING}])[{_CLOSING}]*|\s+")


def fold(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width`` cells: at spaces, and between Chinese characters but before no comma.

    A single word wider than ``width`` stands alone on its line, unbroken.
    """
    from rich.cells import cell_len

    lines = [""]
    for unit in _UNBREAKABLE.findall(text):
        if lines[-1] and cell_len((lines[-1] + unit).rstrip()) > width:
            lines.append("")
        if lines[-1] or not unit.isspace():
            lines[-1] += unit
    return [line.rstrip() for line in lines]
