"""First names, surnames, cities and countries in English and Chinese, as ``names.tsv`` has them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple


class Name(NamedTuple):
    kind: str  # man, woman, surname, city, country
    chinese: tuple[str, ...]  # the usual spelling first


@cache
def names() -> dict[str, Name]:
    """English name → what it is, and how Chinese writes it."""
    lines = Path(__file__).with_name("names.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {english: Name(kind, tuple(chinese.split("|"))) for kind, english, chinese in rows}
