"""What a training shows: a live view on a terminal, plain lines elsewhere, and JSON lines in the run directory."""

from __future__ import annotations

import json
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from translit.training.events import EventFiles

_BLOCKS = "▁▂▃▄▅▆▇█"
Record = dict[str, Any]


def clock(seconds: float) -> str:
    """3725 → 1:02:05."""
    minutes, s = divmod(int(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02d}:{s:02d}" if hours else f"{m}:{s:02d}"


def sparkline(values: list[float], width: int = 40) -> str:
    """The last ``width`` values as a row of little bars."""
    values = values[-width:]
    low, high = min(values), max(values)
    scale = (len(_BLOCKS) - 1) / (high - low) if high > low else 0
    return "".join(_BLOCKS[int((v - low) * scale)] for v in values)


class Reporter:
    """Writes ``metrics.jsonl`` and shows the same records to a person on stderr. Use as a context manager."""

    def __init__(self, metrics: Path | None, max_steps: int, quiet: bool = False) -> None:
        self.console = Console(stderr=True, quiet=quiet)
        self.max_steps = max_steps
        self.events: EventFiles | None = None  # a second reader of every record
        self._metrics = metrics
        self._live = (
            Live(console=self.console, refresh_per_second=4)
            if self.console.is_terminal and not quiet
            else None
        )
        self._losses: list[float] = []
        self._evaluations: deque[Record] = deque(maxlen=4)
        self._last: Record = {}
        self._first: tuple[int, float] | None = None
        self._shown = 0.0

    def __enter__(self) -> Reporter:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()
        if self.events:
            self.events.close()

    def say(self, text: str) -> None:
        """One line for the reader."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def step(self, record: Record) -> None:
        """After some optimizer steps: loss, learning rate, gradient norm, tokens/s."""
        self._write(record)
        self._last = record
        self._losses.append(record["loss"])
        if self._first is None:
            self._first = (record["step"], record["seconds"])
        if self._live:
            self._live.update(self._view())
        elif time.monotonic() - self._shown > 15 or record["step"] == self.max_steps:
            self._shown = time.monotonic()
            self.say(
                f"step {record['step']:>6}/{self.max_steps}  loss {record['loss']:.3f}  "
                f"{record['tokens_per_second']:,.0f} tokens/s  {clock(record['seconds'])}  {self._eta()}"
            )

    def evaluation(self, record: Record) -> None:
        """After a look at the dev set: loss, BLEU, chrF2 and a few translations."""
        self._write(record)
        self._evaluations.append(record)
        if self._live:
            self._live.update(self._view())
            return
        best = "  (best so far)" if record["best"] else ""
        self.say(
            f"── dev at step {record['step']}: loss {record['dev_loss']:.3f}  BLEU {record['bleu']:.1f}  "
            f"chrF2 {record['chrf']:.1f}{best}"
        )
        for sample in record["samples"]:
            self.say(f"   {sample['source']}  →  {sample['translation']}")

    def _write(self, record: Record) -> None:
        if self._metrics:
            with open(self._metrics, "a", encoding="utf-8") as file:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        if self.events:
            self.events.write(record)

    def _eta(self) -> str:
        """Time left, from the speed of this sitting."""
        first_step, first_seconds = self._first or (0, 0.0)
        steps = self._last["step"] - first_step
        if steps < 1:
            return "ETA …"
        left = (self.max_steps - self._last["step"]) * (self._last["seconds"] - first_seconds) / steps
        return f"ETA {clock(left)}"

    def _view(self) -> RenderableType:
        last = self._last
        parts: list[RenderableType] = []
        if last:
            facts = Table.grid(padding=(0, 2), expand=True)
            facts.add_column(no_wrap=True)
            facts.add_column(no_wrap=True)
            facts.add_column(no_wrap=True)
            facts.add_column(justify="right", no_wrap=True)
            facts.add_row(
                Text(f"step {last['step']:,} / {self.max_steps:,}", "bold"),
                f"loss {last['loss']:.3f}",
                f"{last['tokens_per_second']:,.0f} tokens/s",
                f"{clock(last['seconds'])}  {self._eta()}",
            )
            bar = Table.grid(expand=True)  # a bar alone would not end its line
            bar.add_row(ProgressBar(total=self.max_steps, completed=last["step"]))
            parts += [facts, bar, Text(f"loss {sparkline(self._losses, 60)}", "cyan")]
        if self._evaluations:
            scores = Table(box=None, padding=(0, 2), header_style="dim")
            for name in ("dev at step", "loss", "BLEU", "chrF2"):
                scores.add_column(name, justify="right")
            for e in self._evaluations:
                row = (f"{e['step']:,}", f"{e['dev_loss']:.3f}", f"{e['bleu']:.1f}", f"{e['chrf']:.1f}")
                scores.add_row(*row, style="bold green" if e["best"] else "")
            parts += [Text(), scores, Text(), self._samples()]
        return Panel(Group(*parts), title="translit train", title_align="left", border_style="dim")

    def _samples(self) -> RenderableType:
        """The same sentences at each of the last evaluations: watch them come into shape."""
        table = Table(box=None, padding=(0, 1), show_header=False)
        table.add_column(justify="right", style="dim", no_wrap=True)
        table.add_column()
        for i, sample in enumerate(self._evaluations[-1]["samples"]):
            table.add_row("", Text(sample["source"], "bold"))
            for e in self._evaluations:
                table.add_row(f"{e['step']:,}", e["samples"][i]["translation"])
        return table
