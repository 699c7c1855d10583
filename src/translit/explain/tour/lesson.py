"""The numbers of the tour: vectors and weights, read from TOML, drawn from a seed, written back."""

from __future__ import annotations

import dataclasses
import json
import math
import random
import sys
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from translit.errors import TranslitError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BOS, EOS = "<s>", "</s>"
LARGEST = 1000  # of the numbers in a file

Vector = list[float]
Rows = list[Vector]
Layer = dict[str, dict[str, Any]]  # "self_attention" → "w_q" → rows

Shape = tuple[str, ...]

# What each part of a layer needs, and its shape. A vector x meets a matrix W as x·W: W has a row per input.
_ATTENTION: dict[str, Shape] = dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), ("d_model", "d_model"))
_FEED_FORWARD: dict[str, Shape] = {
    "w_1": ("d_model", "d_ff"),
    "b_1": ("d_ff",),
    "w_2": ("d_ff", "d_model"),
    "b_2": ("d_model",),
}
_PARTS: dict[str, dict[str, dict[str, Shape]]] = {
    "encoder": {"self_attention": _ATTENTION, "feed_forward": _FEED_FORWARD},
    "decoder": {"self_attention": _ATTENTION, "cross_attention": _ATTENTION, "feed_forward": _FEED_FORWARD},
}
_KEYS = ("heads", "source", "target", "vocabulary", "vectors", "encoder", "decoder", "output")


@dataclass(frozen=True)
class Lesson:
    """Everything a hand computation starts from. ``load`` checks it; its fields are the keys of the file."""

    heads: int
    source: list[str]  # what the encoder reads
    target: list[str]  # what the decoder should write after <s>
    vocabulary: list[str]  # what the decoder can write
    vectors: dict[str, Vector]  # token → d numbers
    encoder: list[Layer]
    decoder: list[Layer]
    output: Rows  # (d, vocabulary)

    @property
    def d_model(self) -> int:
        return len(next(iter(self.vectors.values())))

    @property
    def d_ff(self) -> int:
        return len(self.encoder[0]["feed_forward"]["b_1"])


def load(
    path: Path | None = None,
    *,
    heads: int | None = None,
    layers: int | None = None,
    seed: int | None = None,
    decimals: int = 4,
) -> Lesson:
    """The lesson in the file at ``path``; keys that it leaves out, and no file at all, mean the default's.

    ``heads`` deals the same columns out to another number of heads. ``layers`` keeps the first layers of both
    stacks; layers that do not exist are drawn. ``seed`` draws all weights: two decimals, between -1 and 1.
    Numbers may have at most ``decimals`` decimals, so that what is shown is what is computed with.
    Raises TranslitError naming the file and the key.
    """
    place = str(path) if path else "lesson.toml"
    stored = _read_default() | (_read(path) if path else {})
    check = _Checker(place, decimals)
    check.stacks(stored)
    lesson = check.words(stored, heads)
    if seed is not None:
        return _draw(lesson, stored, layers, seed)
    return _extend(check.weights(lesson, stored), layers)


def write(lesson: Lesson, path: Path) -> None:
    """Write ``lesson`` as a commented file that ``load`` reads. TranslitError when ``path`` exists."""
    write_new(path, to_toml(lesson))


def write_new(path: Path, text: str) -> None:
    """Create ``path`` with ``text``. Raises TranslitError when it exists or cannot be written."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise TranslitError(f"{path}: this file exists; choose another name, or remove it first") from None
    except OSError as error:
        raise TranslitError(f"{path}: cannot be written ({error.strerror}); choose another place") from None


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises TranslitError, with the line where TOML gives one."""
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise TranslitError(f"{path}: cannot be read ({error.strerror}); check the name") from None
    except UnicodeDecodeError:
        raise TranslitError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise TranslitError(f"{path}: is not valid TOML: {error}; correct that place") from None
    except (ValueError, RecursionError):  # thousands of digits, or of brackets
        raise TranslitError(f"{path}: a number or a nest of brackets is far too long; shorten it") from None


def _read_default() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("lesson.toml").read_text("utf-8"))


def _read(path: Path) -> dict[str, Any]:
    stored = read_toml(path)
    for key in stored:
        if key not in _KEYS:
            raise TranslitError(f"{path}: {key}: unknown key; the keys are {', '.join(_KEYS)}")
    return stored


class _Checker:
    """Turns what the file holds into a Lesson, or says in one line what is wrong with it."""

    def __init__(self, place: str, decimals: int) -> None:
        self.place = place
        self.decimals = decimals

    def error(self, key: str, problem: str) -> TranslitError:
        return TranslitError(f"{self.place}: {key}: {problem}")

    def stacks(self, stored: dict[str, Any]) -> None:
        """Encoder and decoder must have layers, even if other weights are drawn for them."""
        for stack in _PARTS:
            if not isinstance(stored[stack], list) or not stored[stack]:
                raise self.error(stack, f"must be one or more layers, each begun by [[{stack}]]")

    def words(self, stored: dict[str, Any], heads: int | None) -> Lesson:
        """The lesson without its weights."""
        vectors = self._vectors(stored["vectors"])
        source, target, vocabulary = (self._tokens(stored, k) for k in ("source", "target", "vocabulary"))
        for key, tokens in (("source", source), ("target", target)):
            for token in tokens:
                if token not in vectors:
                    raise self.error(key, f"{token} has no vector; add it to [vectors]")
        if BOS not in vectors:
            raise self.error("vectors", f'"{BOS}" is missing; the decoder starts from it')
        if len(set(vocabulary)) < len(vocabulary):
            raise self.error("vocabulary", "a token stands there twice; leave one")
        for token in (*target, EOS):
            if token not in vocabulary:
                raise self.error("vocabulary", f"{token} is missing; the decoder must be able to write it")
        d = len(next(iter(vectors.values())))
        return Lesson(self._heads(stored["heads"], heads, d), source, target, vocabulary, vectors, [], [], [])

    def weights(self, lesson: Lesson, stored: dict[str, Any]) -> Lesson:
        """``lesson`` with the weights of the file."""
        sizes = {"d_model": lesson.d_model, "vocabulary": len(lesson.vocabulary)}
        sizes["d_ff"] = _d_ff(stored["encoder"]) or 2 * lesson.d_model
        stacks: dict[str, list[Layer]] = {}
        for stack, parts in _PARTS.items():
            layers = enumerate(stored[stack], 1)
            stacks[stack] = [self._layer(f"{stack} {i}", x, parts, sizes) for i, x in layers]
        output = stored["output"]
        if not isinstance(output, dict) or list(output) != ["w"]:
            raise self.error("output", "must be a table with the one key w")
        rows = self._array("output.w", output["w"], ("d_model", "vocabulary"), sizes)
        return dataclasses.replace(lesson, encoder=stacks["encoder"], decoder=stacks["decoder"], output=rows)

    def _layer(self, key: str, layer: Any, parts: dict[str, Any], sizes: dict[str, int]) -> Layer:
        self._same_keys(key, layer, parts)
        for part, shapes in parts.items():
            self._same_keys(f"{key}, {part}", layer[part], shapes)
        return {
            part: {
                name: self._array(f"{key}, {part}.{name}", layer[part][name], shape, sizes)
                for name, shape in shapes.items()
            }
            for part, shapes in parts.items()
        }

    def _same_keys(self, key: str, table: Any, expected: dict[str, Any]) -> None:
        if not isinstance(table, dict):
            raise self.error(key, f"must be a table with {', '.join(expected)}")
        for name in expected:
            if name not in table:
                raise self.error(key, f"{name} is missing; add it, or draw all weights with --seed 1")
        for name in table:
            if name not in expected:
                raise self.error(key, f"{name} is unknown; the keys are {', '.join(expected)}")

    def _array(self, key: str, value: Any, shape: tuple[str, ...], sizes: dict[str, int]) -> Any:
        """``value`` if it is numbers in ``shape``, a row of them or rows of them."""
        size, name = sizes[shape[0]], shape[0]
        if not isinstance(value, list):
            raise self.error(key, "must be a list" + (" of rows" if len(shape) == 2 else " of numbers"))
        if len(value) != size:
            what = "rows" if len(shape) == 2 else "numbers"
            hint = "correct it, or draw all weights with --seed 1"
            raise self.error(key, f"has {len(value)} {what}, but {name} is {size}; {hint}")
        if len(shape) == 1:
            return [self._number(key, x) for x in value]
        return [self._array(f"{key}, row {i}", row, shape[1:], sizes) for i, row in enumerate(value, 1)]

    def _number(self, key: str, x: Any) -> float:
        if isinstance(x, bool) or not isinstance(x, (int, float)) or x != x or abs(x) == math.inf:
            raise self.error(key, f"{x!r} is not a number; write one such as 0.25")
        if abs(x) > LARGEST:
            shown = x if abs(x) < 1e15 else "this number"
            raise self.error(key, f"{shown} is too large for pen and paper; stay within ±{LARGEST}")
        if round(x, self.decimals) != x:
            raise self.error(
                key, f"{x} has more than {self.decimals} decimals; round it, or choose more --decimals"
            )
        return float(x)

    def _vectors(self, value: Any) -> dict[str, Vector]:
        if not isinstance(value, dict) or not value:
            raise self.error("vectors", 'must be a table of lines like "我" = [0.1, -0.2, 0.3, 0.1]')
        d = 0
        for token, vector in value.items():
            if not isinstance(vector, list) or not vector:
                raise self.error(f"vectors, {token}", "must be a list of numbers")
            d = d or len(vector)
            if len(vector) != d:
                raise self.error(f"vectors, {token}", f"has {len(vector)} numbers, the first vector has {d}")
        if d % 2:
            raise self.error("vectors", f"have {d} numbers; choose an even number (waves come in pairs)")
        return {token: [self._number(f"vectors, {token}", x) for x in v] for token, v in value.items()}

    def _tokens(self, stored: dict[str, Any], key: str) -> list[str]:
        value = stored[key]
        if not isinstance(value, list) or not value or not all(isinstance(x, str) and x for x in value):
            raise self.error(key, 'must be a list of tokens such as ["我", "爱", "你"]')
        return value

    def _heads(self, stored: Any, asked: int | None, d: int) -> int:
        key, heads = (f"{self.place}: heads", stored) if asked is None else ("--heads", asked)
        if isinstance(heads, bool) or not isinstance(heads, int) or heads < 1 or d % heads:
            choices = ", ".join(str(n) for n in range(1, d + 1) if d % n == 0)
            raise TranslitError(
                f"{key}: {heads} heads cannot share {d} numbers evenly; choose one of {choices}"
            )
        return heads


def _d_ff(encoder: Any) -> int | None:
    """The inner width of the feed-forward network: what the first layer says; None where it says nothing."""
    try:
        return len(encoder[0]["feed_forward"]["b_1"])
    except (LookupError, TypeError):
        return None


def _draw(lesson: Lesson, stored: dict[str, Any], layers: int | None, seed: int) -> Lesson:
    """``lesson`` with all weights drawn; the feed-forward network is twice as wide as the vectors."""
    rng = random.Random(seed)
    counts = {stack: layers or len(stored[stack]) for stack in _PARTS}
    d = lesson.d_model
    sizes = {"d_model": d, "d_ff": 2 * d, "vocabulary": len(lesson.vocabulary)}
    stacks = {
        stack: [_draw_layer(stack, sizes, rng) for _ in range(count)] for stack, count in counts.items()
    }
    output = _draw_array(("d_model", "vocabulary"), sizes, rng)
    return dataclasses.replace(lesson, encoder=stacks["encoder"], decoder=stacks["decoder"], output=output)


def _extend(lesson: Lesson, layers: int | None) -> Lesson:
    """``lesson`` with ``layers`` layers a stack: the first of those it has, then drawn ones."""
    if layers is None:
        return lesson
    sizes = {"d_model": lesson.d_model, "d_ff": lesson.d_ff}
    stacks = {}
    for stack, have in (("encoder", lesson.encoder), ("decoder", lesson.decoder)):
        rng = random.Random(1)
        stacks[stack] = have[:layers] + [_draw_layer(stack, sizes, rng) for _ in range(layers - len(have))]
    return dataclasses.replace(lesson, encoder=stacks["encoder"], decoder=stacks["decoder"])


def _draw_layer(stack: str, sizes: dict[str, int], rng: random.Random) -> Layer:
    return {
        part: {name: _draw_array(shape, sizes, rng) for name, shape in shapes.items()}
        for part, shapes in _PARTS[stack].items()
    }


def _draw_array(shape: tuple[str, ...], sizes: dict[str, int], rng: random.Random) -> Any:
    if not shape:
        return rng.randint(-100, 100) / 100
    return [_draw_array(shape[1:], sizes, rng) for _ in range(sizes[shape[0]])]


_HEADER = """\
# The numbers of `translit tour`. Change any of them, then:  translit tour --file THIS_FILE
# `translit tour` 的数字。改任何一个，然后运行：translit tour --file 本文件
#
# A key left out keeps its default. Every vector has d_model numbers, an even number of them.
# 省略的键用默认值。每个向量有 d_model 个数，须为偶数。
"""

_COMMENTS = {
    "heads": "heads of every attention; d_model must be divisible by it / 注意力的头数，须整除 d_model",
    "source": "what the encoder reads / 编码器读的句子",
    "target": "what the decoder should write after <s> / 解码器在 <s> 之后应写出的句子",
    "vocabulary": "what the decoder can write / 解码器能写的词表",
    "vectors": "one vector a token / 每个词一个向量",
    "encoder": "one [[encoder]] block a layer.\n"
    "# A vector x meets a matrix W as x·W: one row of W for each number of x.\n"
    "# In w_q, w_k, w_v the heads stand side by side: with 4 columns and 2 heads, columns 1–2 are head 1's.\n"
    "# 每层一个 [[encoder]]。向量 x 与矩阵 W 相乘为 x·W：x 的每个数对应 W 的一行。\n"
    "# w_q、w_k、w_v 里各头并排：4 列 2 头时，第 1–2 列属于头 1。",
    "decoder": "one [[decoder]] block a layer / 每层一个 [[decoder]]",
    "output": "one row per number of the vector, one column per token of the vocabulary\n"
    "# 向量的每个数一行，词表的每个词一列",
}


def to_toml(lesson: Lesson) -> str:
    """The file that ``load`` reads back as the same lesson."""
    lines = [_HEADER]
    for key in ("heads", "source", "target", "vocabulary"):
        lines += [
            f"# {_COMMENTS[key]}",
            f"{key} = {json.dumps(getattr(lesson, key), ensure_ascii=False)}",
            "",
        ]
    lines += [f"# {_COMMENTS['vectors']}", "[vectors]"]
    rows = _rows(list(lesson.vectors.values()))
    tokens = [json.dumps(token, ensure_ascii=False) for token in lesson.vectors]
    lines += [f"{token} = {row}" for token, row in zip(tokens, rows, strict=True)]
    for stack in ("encoder", "decoder"):
        lines += ["", f"# {_COMMENTS[stack]}"]
        for layer in getattr(lesson, stack):
            lines += [f"[[{stack}]]", *_layer_lines(stack, layer)]
    lines += [f"# {_COMMENTS['output']}", "[output]", *_array_lines("w", lesson.output)]
    return "\n".join(lines) + "\n"


def _layer_lines(stack: str, layer: Layer) -> list[str]:
    lines = []
    for part, arrays in layer.items():
        lines.append(f"[{stack}.{part}]")
        for name, array in arrays.items():
            lines += _array_lines(name, array)
        lines.append("")
    return lines


def _array_lines(name: str, array: Any) -> list[str]:
    if not isinstance(array[0], list):
        return [f"{name} = {_rows([array])[0]}"]
    return [f"{name} = [", *(f"    {row}," for row in _rows(array)), "]"]


def _rows(array: Rows) -> list[str]:
    width = max(len(str(x)) for row in array for x in row)
    return ["[" + ", ".join(str(x).rjust(width) for x in row) + "]" for row in array]
