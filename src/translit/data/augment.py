"""Variants of a training pair that real users type: lower case, CAPITALS, no full stop, two sentences, placeholders.

Each is drawn anew whenever a pair is seen, from a seeded generator, so that the model meets many variants without a
larger corpus and a run can be repeated.
"""

from __future__ import annotations

import random
import re

Pair = tuple[str, str]

_COPIED = re.compile(r"[A-Z][A-Za-z]*\d*(?: [A-Z][a-z]+)*|\d[\d.,:]*\d|\d|\S+@\S+\.\w+|https?://[\x21-\x7e]+")
_SOURCE_STOP, _TARGET_STOP = re.compile(r"[.!]$"), re.compile("[。！]$")


def augment(pair: Pair, neighbour: Pair, rng: random.Random) -> Pair:
    """One random variant of ``pair``; ``neighbour`` is a pair that may be joined to it."""
    return rng.choice(_VARIANTS)(pair, neighbour, rng)


def lower_case(pair: Pair, neighbour: Pair, rng: random.Random) -> Pair:
    return pair[0].lower(), pair[1]


def capitals(pair: Pair, neighbour: Pair, rng: random.Random) -> Pair:
    return pair[0].upper(), pair[1]


def no_stop(pair: Pair, neighbour: Pair, rng: random.Random) -> Pair:
    """Without the final full stop on both sides (or with it swapped for an exclamation mark on both)."""
    if not (_SOURCE_STOP.search(pair[0]) and _TARGET_STOP.search(pair[1])):
        return pair
    mark = rng.choice((("", ""), ("", ""), ("!", "！")))
    return _SOURCE_STOP.sub(mark[0], pair[0]), _TARGET_STOP.sub(mark[1], pair[1])


def joined(pair: Pair, neighbour: Pair, rng: random.Random) -> Pair:
    """Two short neighbours as one input."""
    if (
        len(pair[0]) + len(neighbour[0]) > 200
        or pair[1][-1:] not in "。！？"
        or neighbour[1][-1:] not in "。！？"
    ):
        return pair
    return f"{pair[0]} {neighbour[0]}", pair[1] + neighbour[1]


def placeholder(pair: Pair, neighbour: Pair, rng: random.Random) -> Pair:
    """What stands on both sides in the same letters becomes ``{0}``, ``{1}`` …, which must be copied."""
    source, target = pair
    spans = {
        m.group() for m in _COPIED.finditer(source) if source.count(m.group()) == target.count(m.group()) == 1
    }
    for i, span in enumerate(sorted(spans, key=source.index)[:10]):
        if source.count(span) == target.count(span) == 1:
            source, target = source.replace(span, f"{{{i}}}"), target.replace(span, f"{{{i}}}")
    return source, target


def typo(pair: Pair, neighbour: Pair, rng: random.Random) -> Pair:
    """One slip of the finger: two letters swapped, one dropped or one doubled."""
    source = pair[0]
    places = [i for i in range(1, len(source) - 1) if source[i].islower() and source[i + 1].islower()]
    if len(places) < 4:
        return pair
    i = rng.choice(places)
    slip = rng.choice((source[i + 1] + source[i], source[i + 1], source[i] + source[i] + source[i + 1]))
    return source[:i] + slip + source[i + 2 :], pair[1]


_VARIANTS = (lower_case, lower_case, capitals, no_stop, no_stop, joined, placeholder, placeholder, typo)
