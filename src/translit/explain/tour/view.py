"""The tour in the terminal: a frame per idea, matrices beside each other, one cell of each written out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.panel import Panel as Frame
from rich.table import Table
from rich.text import Text

from translit.explain.language import Captions, fold
from translit.explain.terminal.pictures import bar, pad
from translit.explain.tour.lesson import BOS, EOS
from translit.explain.tour.panels import Panel, Tour
from translit.explain.tour.steps import Matrix, Step, round_half_up, show

MAX_WIDTH = 100  # wider than this, lines are hard to follow with the eye
_FRAME = 4  # cells that a frame and its padding take
_BLANK = "____"
_PREFIX_WIDTH = 24
_BAR = 20

# How a step reads; a number stands for an operand, and the result follows at the end.
_FORMULAS: dict[str, tuple[str | int, ...]] = {
    "scaled": (0, "·√{d} ="),
    "wave": ("sin, cos (pos/10000^(2i/d)) =",),
    "sum": (0, "+", 1, "="),
    "product": (0, "·", 1, "="),
    "relu": (0, "·", 1, "+", 2, "ReLU →"),
    "scores": (0, "·", 1, "/√{d_k} ="),
    "softmax": (0, "softmax →"),
    "layer_norm": (0, "norm →"),
    "loss": (0, "−ln →"),
}


@dataclass(frozen=True)
class View:
    """Prints a tour to ``console`` in the language of ``captions``; ``notes`` say where its weights come from."""

    console: Console
    captions: Captions
    tour: Tour
    notes: Sequence[str] = ()
    told: set[str] = field(default_factory=set)  # what is said only once and has been said

    @property
    def width(self) -> int:
        return min(self.console.width, MAX_WIDTH)

    def show(self, part: str | None = None, pause: Callable[[], bool] | None = None) -> None:
        """The whole tour, or the frames whose names begin with ``part``, such as ``encoder.1``.

        ``pause``, called between the frames, ends it by returning False. TranslitError for an unknown part.
        """
        chosen = self.tour.part(part)
        if part is None:
            self.console.print(self._intro())
        section = ""
        for number, panel in chosen:
            if part is None and _section(panel) != section:
                section = _section(panel)
                self.console.print(self._heading(section))
            self.console.print(self.frame(panel, number))
            if pause and number != chosen[-1][0] and not pause():
                return
        if part is None:
            self.console.print(self._outro())

    def frame(self, panel: Panel, number: int) -> Frame:
        title = " · ".join([str(number), *self._where(panel), self.captions(panel.kind)])
        body: list[RenderableType] = [self._text(panel)]
        for step in panel.steps:
            body += ["", *self.step(step)]
        if panel.kind == "softmax":
            body.append(self._most(panel.steps[0].result))
        if panel.kind == "probabilities":
            body += ["", *self._candidates(panel.steps[0].result)]
        return Frame(
            Group(*body),
            title=Text(title, "bold"),
            subtitle=Text(panel.place, "dim"),
            title_align="left",
            subtitle_align="left",
            width=self.width,
        )

    def step(self, step: Step) -> list[RenderableType]:
        """The matrices of a step, then the arithmetic of its example."""
        cell = self.tour.examples[step.result.name]
        matrices = self._blanks(step) if step.operation == "loss" else self.equation(step, cell)
        return [*matrices, *self.arithmetic(step, *cell)]

    def equation(self, step: Step, cell: tuple[int, int] | None, answer: bool = True) -> list[Text]:
        """``A · B = C`` in as many bands as the width asks for; ``answer`` False leaves C out.

        What the example ``cell`` (row, column) is made of is coloured.
        """
        place = step.result.name.rpartition(".")[0]
        d_k = self.tour.lesson.d_model // self.tour.lesson.heads
        numbers = {"d": self.tour.lesson.d_model, "d_k": d_k}
        pieces: list[_Block] = []
        for part in _formula(step):
            if isinstance(part, int):
                pieces += self._blocks(step.operands[part], place, _marks(step, part, cell))
            else:
                pieces.append(_operator(part.format(**numbers)))
        if answer:
            pieces += self._blocks(step.result, place, _Marks(cell=cell))
        elif pieces and pieces[-1].operator:
            pieces[-1] = _operator(pieces[-1].lines[0].plain + " ?")
        return _bands(pieces, self.width - _FRAME)

    def arithmetic(self, step: Step, i: int, j: int) -> list[Text]:
        lines = step.arithmetic(i, j)
        name = step.result.name.rpartition(".")[2] + step.result.cell(i, j)
        texts = []
        for line in [*lines[:-1], f"{name} = {lines[-1]}"]:
            first, *rest = fold(line, self.width - _FRAME - 4)
            texts += [Text(f"  {first}", "green"), *(Text(f"    {more}", "green") for more in rest)]
        return texts

    # Texts

    def _intro(self) -> RenderableType:
        lesson, tour = self.tour.lesson, self.tour
        exact, shown = tour.exact["output.probabilities"], tour.steps["output.probabilities"].result
        rows = zip(exact.values, shown.values, strict=True)
        difference = max(abs(a - b) for row, other in rows for a, b in zip(row, other, strict=True))
        paragraphs = [
            self.captions(
                "intro",
                d_model=lesson.d_model,
                heads=lesson.heads,
                d_k=lesson.d_model // lesson.heads,
                encoder=len(lesson.encoder),
                decoder=len(lesson.decoder),
                source=" ".join(lesson.source),
                target=" ".join(lesson.target),
            ),
            self.captions("intro.same_code") + self._space + " ".join(self.notes),
            self.captions("intro.rounding", decimals=tour.decimals, difference=_bound(difference)),
            self.captions("intro.names"),
            self.captions("intro.simple"),
            self.captions("intro.parts", count=len(tour.panels)),
        ]
        body: list[RenderableType] = []
        for paragraph in paragraphs:
            body += [self._folded(paragraph), ""]
        title = Text(self.captions("title"), "bold")
        return Frame(Group(*body[:-1]), title=title, title_align="left", width=self.width)

    def _outro(self) -> RenderableType:
        commands = [line.split("|") for line in self.captions("outro").splitlines()]
        longest, longest_meaning = (max(map(cell_len, texts)) for texts in zip(*commands, strict=True))
        if (
            longest + 2 + longest_meaning <= self.width - _FRAME
        ):  # a command must be whole: it is to be copied
            table = Table.grid(padding=(0, 2))
            for command, meaning in commands:
                table.add_row(Text(command, "cyan", no_wrap=True), Text(meaning))
            body: RenderableType = table
        else:
            body = Group(*(line for command, meaning in commands for line in self._stacked(command, meaning)))
        title = Text(self.captions("outro.title"), "bold")
        return Frame(body, title=title, title_align="left", width=self.width)

    def _stacked(self, command: str, meaning: str) -> list[Text]:
        """A command, and below it what it does: for narrow terminals."""
        first, *rest = fold(command, self.width - _FRAME - 2)
        lines = [Text(first, "cyan"), *(Text(f"  {more}", "cyan") for more in rest)]
        return [*lines, *(Text(f"  {line}", "dim") for line in fold(meaning, self.width - _FRAME - 2))]

    def _heading(self, section: str) -> RenderableType:
        stack, _, layer = section.partition(".")
        if not layer:
            text = self.captions("section.output")
        elif layer == "1":
            text = self.captions(f"section.{stack}.first")
        else:
            text = self.captions(f"section.{stack}.next", layer=layer, before=int(layer) - 1)
        line = "━" * (self.width - cell_len(text) - 4)
        return Text(f"\n━━ {text} {line}", "bold")

    def _where(self, panel: Panel) -> list[str]:
        """``encoder 1``, ``self-attention``, ``head 2``: as much of it as the panel is about."""
        stack, *rest = panel.place.split(".")
        if stack == "output":
            return []
        words = [self.captions(f"part.{stack}", layer=rest[0] if rest else "").strip()]
        for part in rest[1:]:
            if part.startswith("head"):
                words.append(self.captions("part.head", head=part.removeprefix("head")))
            else:
                words.append(self.captions(f"part.{part}"))
        return words

    def _text(self, panel: Panel) -> Text:
        lesson = self.tour.lesson
        values = {
            "d_model": lesson.d_model,
            "heads": lesson.heads,
            "d_k": lesson.d_model // lesson.heads,
            "d_ff": lesson.d_ff,
            "vocabulary": len(lesson.vocabulary),
            "guess": f"{math.log(len(lesson.vocabulary)):.4f}",
        }
        texts = [self.captions(f"{panel.kind}.why", **values)]
        once = [f"{panel.kind}.more"] + ["embedding.order"] * (
            panel.kind == "embedding" and not self.tour.positions
        )
        texts += [
            self.captions(name, **values) for name in once if name in self.captions and name not in self.told
        ]
        self.told.update(once)
        return self._folded(self._space.join(texts))

    @property
    def _space(self) -> str:
        """Between sentences."""
        return "" if self.captions.language == "zh" else " "

    def _folded(self, text: str) -> Text:
        return Text("\n".join(fold(text, self.width - _FRAME)))

    # Shares and probabilities

    def _most(self, shares: Matrix) -> Text:
        """Where every word looks most."""
        pairs = []
        for token, row in zip(shares.rows, shares.values, strict=True):
            share, most = max(zip(row, shares.columns, strict=True), key=lambda pair: pair[0])
            pairs.append(f"{token}\u00a0→\u00a0{most}\u00a0({100 * share:.0f}%)")
        # No-break spaces keep each pair on one line; they have done their work once the line is folded.
        lines = fold(self.captions("softmax.most", pairs="  ".join(pairs)), self.width - _FRAME)
        return Text("\n".join(lines).replace("\u00a0", " "))

    def _candidates(self, probabilities: Matrix) -> list[Text]:
        """For every prefix the words that could follow, the likeliest first."""
        prefixes = self._prefixes()
        width = max(map(cell_len, prefixes))
        token_width = max(map(cell_len, probabilities.columns))
        fitting = max(1, (self.width - _FRAME - width) // (token_width + 10))
        lines = []
        for prefix, row in zip(prefixes, probabilities.values, strict=True):
            ranked = sorted(zip(row, probabilities.columns, strict=True), reverse=True)[:fitting]
            words = "".join(f"  {pad(token, token_width)} {100 * p:5.1f}%" for p, token in ranked)
            lines.append(Text(f"{pad(prefix, width)}{words}"))
        return lines

    def _blanks(self, step: Step) -> list[RenderableType]:
        """The training view: a table, in narrow terminals without its bars or as lines."""
        for bar_width in (_BAR, 0):
            table = self._blanks_table(step, bar_width)
            if self.console.measure(table).maximum <= self.width - _FRAME:
                return [table]
        return [*self._blanks_lines(step)]

    def _filled(self, step: Step) -> list[tuple[str, str, str, float, str]]:
        """For every blank: prefix, right word, its probability as text and as a number, and the loss."""
        right = [*self.tour.lesson.target, EOS]
        shares = [row[0] for row in step.operands[0].values]
        losses = [show(row[0], self.tour.decimals) for row in step.result.values]
        percents = [f"{100 * share:5.1f}%" for share in shares]
        return list(zip(self._prefixes(), right, percents, shares, losses, strict=True))

    def _mean_loss(self, step: Step) -> str:
        losses = [row[0] for row in step.result.values]
        return show(round_half_up(sum(losses) / len(losses), self.tour.decimals), self.tour.decimals)

    def _blanks_lines(self, step: Step) -> list[Text]:
        names = [self.captions(f"training.{name}") for name in ("right", "probability", "loss")]
        lines = []
        for prefix, *values, _, loss in self._filled(step):
            facts = " · ".join(f"{name} {x.strip()}" for name, x in zip(names, [*values, loss], strict=True))
            lines.append(Text(prefix))
            lines += [Text(f"  {line}") for line in fold(facts, self.width - _FRAME - 2)]
        return [*lines, Text(f"{self.captions('training.mean')} {self._mean_loss(step)}", "bold")]

    def _blanks_table(self, step: Step, bar_width: int) -> Table:
        captions = self.captions
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column(captions("training.reads"), no_wrap=True)
        table.add_column(captions("training.right"), no_wrap=True)
        table.add_column(captions("training.probability"), no_wrap=True)
        table.add_column(captions("training.loss"), justify="right", no_wrap=True)
        for prefix, token, percent, share, loss in self._filled(step):
            picture = f"{bar(share, bar_width)} " if bar_width else ""
            table.add_row(prefix, token, f"{picture}{percent}", loss)
        table.add_row(captions("training.mean"), "", "", self._mean_loss(step), style="bold")
        return table

    def _prefixes(self) -> list[str]:
        """``<s> 我 ____``; the last words only where there are many."""
        read = [BOS, *self.tour.lesson.target]
        prefixes = []
        for i in range(len(read)):
            words = read[: i + 1]
            while len(words) > 1 and cell_len(" ".join(words)) > _PREFIX_WIDTH:
                words = ["…", *words[2:]]
            prefixes.append(" ".join([*words, _BLANK]))
        return prefixes

    # Matrices

    def _blocks(self, matrix: Matrix, place: str, marks: _Marks) -> list[_Block]:
        """The matrix as text; in several blocks of columns when it is wider than the frame."""
        title = f"{matrix.name.removeprefix(place + '.')} {matrix.shape}"
        decimals = min(matrix.decimals, self.tour.decimals + 2)
        cells = [[show(x, decimals) for x in row] for row in matrix.values]
        width = max(cell_len(text) for row in [*cells, matrix.columns] for text in row)
        label = max((cell_len(token) + 1 for token in matrix.rows), default=0)
        fitting = max(1, (self.width - _FRAME - label) // (width + 1))
        count = len(matrix.values[0])
        blocks = []
        for start in range(0, count, fitting):
            columns = range(start, min(start + fitting, count))
            part = title if fitting >= count else f"{title} [{start + 1}–{columns[-1] + 1}]"
            header = Text(" " * label) + Text(
                " ".join(pad(matrix.columns[j], width, right=True) for j in columns)
                if matrix.columns
                else "",
                "dim",
            )
            lines = []
            for i, row in enumerate(cells):
                line = Text().append(pad(matrix.rows[i], label) if matrix.rows else "", "dim")
                for j in columns:
                    line.append(" " if j > start else "")
                    line.append(pad(row[j], width, right=True), marks.style(i, j))
                lines.append(line)
            blocks.append(_Block([Text(part, "bold"), header, *lines], bool(matrix.columns)))
        return blocks


@dataclass(frozen=True)
class _Marks:
    """Which cells the example uses: a row, a column, or the one result."""

    row: int | None = None
    column: int | None = None
    cell: tuple[int, int] | None = None

    def style(self, i: int, j: int) -> str:
        if (i, j) == self.cell:
            return "bold green"
        return "cyan" if i == self.row else "magenta" if j == self.column else ""


def _marks(step: Step, operand: int, cell: tuple[int, int] | None) -> _Marks:
    if cell is None:
        return _Marks()
    i, j = cell
    if step.operation in ("product", "relu", "scores"):
        return (_Marks(row=i), _Marks(column=j), _Marks(column=j))[operand]
    if step.operation in ("softmax", "layer_norm"):
        return _Marks(row=i)
    return _Marks() if step.operation == "concat" else _Marks(cell=cell)


def _formula(step: Step) -> list[str | int]:
    """The formula with what depends on the number of operands: heads, a bias, a mask."""
    if step.operation == "concat":
        parts: list[str | int] = [0]
        for h in range(1, len(step.operands)):
            parts += ["|", h]
        return [*parts, "="]
    formula = list(_FORMULAS[step.operation])
    if len(step.operands) == 3 and step.operation == "product":
        return [0, "·", 1, "+", 2, "="]
    if len(step.operands) == 3 and step.operation == "scores":
        return [0, "·", 1, "/√{d_k}", 2, "="]
    return formula


@dataclass(frozen=True)
class _Block:
    """Lines of text of the same height and meaning: a title, column labels (if ``headed``), then the rows."""

    lines: list[Text]
    headed: bool = False
    operator: bool = False

    @property
    def width(self) -> int:
        return max(line.cell_len for line in self.lines)


def _operator(sign: str) -> _Block:
    return _Block([Text(sign)], operator=True)


def _bands(blocks: Sequence[_Block], width: int) -> list[Text]:
    """The blocks from left to right, in a new band below where they no longer fit; operators move with what
    follows them, as far as both fit."""

    def fits(band: Sequence[_Block]) -> bool:
        return sum(block.width + 1 for block in band) - 1 <= width

    bands: list[list[_Block]] = [[]]
    pending: list[_Block] = []
    for block in blocks:
        pending.append(block)
        if block.operator and block is not blocks[-1]:
            continue
        for together in [pending] if fits(pending) else [pending[:-1], pending[-1:]]:
            if bands[-1] and not fits([*bands[-1], *together]):
                bands.append([])
            bands[-1] += together
        pending = []
    lines: list[Text] = []
    for band in bands:
        lines += _side_by_side(band)
    return lines


def _side_by_side(blocks: Sequence[_Block]) -> list[Text]:
    if all(block.operator for block in blocks):
        return [Text(" ").join(block.lines[0] for block in blocks)]
    height = max(len(block.lines) for block in blocks)
    columns = []
    for block, following in zip(blocks, [*blocks[1:], blocks[0]], strict=True):
        lines = block.lines
        if block.operator:  # level with the middle row of what follows; rows begin below title and labels
            lines = [Text()] * (2 + (len(following.lines) - 3) // 2) + lines
        lines = lines + [Text()] * (height - len(lines))
        columns.append([_padded(line, block.width) for line in lines])
    rows = [Text(" ").join(row) for row in zip(*columns, strict=True)]
    if not any(block.headed for block in blocks):
        del rows[1]
    for row in rows:
        row.rstrip()
    return rows


def _padded(line: Text, width: int) -> Text:
    line = line.copy()
    line.append(" " * (width - line.cell_len))
    return line


def _bound(x: float) -> str:
    """``x`` in one digit, rounded up: what is at most 0.000183 is at most 0.0002."""
    if x == 0:
        return "0"
    unit = max(10.0 ** math.floor(math.log10(x)), 1e-8)  # ``show`` writes eight decimals
    return show(math.ceil(x / unit - 1e-9) * unit)


def _section(panel: Panel) -> str:
    """``encoder.1``: the layer that a panel belongs to; embeddings open the first layer."""
    stack, *rest = panel.place.split(".")
    return stack if stack == "output" else f"{stack}.{rest[0] if rest else 1}"
