"""The curves of a run, drawn from its ``metrics.jsonl``: loss, dev loss, BLEU, chrF2 and learning rate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from translit.errors import TranslitError, where
from translit.training.run import METRICS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Record = dict[str, Any]

# Told apart by colour-blind eyes too (Okabe and Ito, Color Universal Design, 2008).
_BLUE, _ORANGE, _GREEN, _PURPLE, _GREY = "#0072b2", "#d55e00", "#009e73", "#aa4499", "#777777"


def read_metrics(run: Path) -> tuple[list[Record], list[Record]]:
    """The training records and the dev evaluations of a run directory, each by rising step.

    After a crash the steps since the last checkpoint are trained, and logged, once more: the later line counts. A
    last line that was cut off is left out. Raises TranslitError when there is nothing to read.
    """
    path = run / METRICS
    try:
        lines = path.read_text("utf-8").split("\n")
    except OSError as error:
        raise TranslitError(
            f"{path}: cannot read it: {error.strerror}; give a run directory that `translit train` has written"
        ) from None
    training: dict[int, Record] = {}
    evaluations: dict[int, Record] = {}
    for number, line in enumerate(lines[:-1], 1):
        try:
            record = json.loads(line)
            (evaluations if "dev_loss" in record else training)[record["step"]] = record
        except (ValueError, KeyError, TypeError):
            raise TranslitError(
                f"{where(path, number)}: not a line of metrics; delete it and draw again"
            ) from None
    if not training:
        raise TranslitError(f"{path}: no step is logged yet; draw when the run has made some")
    return [training[step] for step in sorted(training)], [evaluations[step] for step in sorted(evaluations)]


def draw(run: Path) -> list[Path]:
    """Write ``curves.svg`` and ``curves.png`` into the run directory; returns both paths."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise TranslitError(
            "--plot needs matplotlib; install it with: pip install 'translit-nmt[plot]'"
        ) from None
    training, evaluations = read_metrics(run)
    looks: dict[Any, Any] = {
        "svg.hashsalt": "translit",  # the same run gives the same file
        "font.size": 9.0,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#e6e6e6",
        "axes.axisbelow": True,
        "legend.frameon": False,
    }
    with rc_context(looks):
        figure = Figure(figsize=(7.5, 8.0), layout="constrained")
        heights = [3, 2, 1.2] if evaluations else [3, 1.2]
        axes = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
        _draw_losses(axes[0], training, evaluations)
        if evaluations:
            _draw_scores(axes[1], evaluations)
        axes[-1].plot(_column(training, "step"), _column(training, "lr"), color=_BLUE)
        axes[-1].set(ylabel="learning rate", ylim=(0, None), xlabel="optimizer step")
        axes[0].set_title(_title(run, training[-1]), loc="left", fontsize=10)
        _add_hours(axes[0], training)
        paths = [run / "curves.svg", run / "curves.png"]
        try:
            figure.savefig(paths[0], metadata={"Date": None})
            figure.savefig(paths[1], dpi=150)
        except OSError as error:
            raise TranslitError(f"{run}: cannot write the picture: {error.strerror}") from None
    return paths


def _draw_losses(axes: Axes, training: Sequence[Record], evaluations: Sequence[Record]) -> None:
    """Nats per target token. Training is label-smoothed and has dropout, so it may lie above the dev loss."""
    steps, losses = _column(training, "step"), _column(training, "loss")
    axes.plot(steps, losses, color=_BLUE, alpha=0.25, linewidth=0.8)
    axes.plot(steps, _smooth(losses), color=_BLUE, label="training, with dropout and label smoothing")
    if evaluations:
        best = min(evaluations, key=lambda record: record["dev_loss"])
        axes.plot(
            _column(evaluations, "step"),
            _column(evaluations, "dev_loss"),
            color=_ORANGE,
            marker="o",
            markersize=3,
            label=f"dev, best {best['dev_loss']:.3f} at step {best['step']:,}",
        )
    # The first steps are so high that the rest would be a flat line; the curve enters from above.
    settled = losses[len(losses) // 20 :] + _column(evaluations, "dev_loss")
    low, high = min(settled), max(settled)
    margin = 0.05 * (high - low) or 0.1
    axes.set(ylabel="loss, nats per token", ylim=(low - margin, high + 4 * margin))  # room for the legend
    axes.legend(loc="upper right")


def _draw_scores(axes: Axes, evaluations: Sequence[Record]) -> None:
    for key, name, color in (("bleu", "BLEU", _GREEN), ("chrf", "chrF2", _PURPLE)):
        values = _column(evaluations, key)
        axes.plot(
            _column(evaluations, "step"),
            values,
            color=color,
            marker="o",
            markersize=3,
            label=f"{name}, last {values[-1]:.1f}",
        )
    highest = max(_column(evaluations, "bleu") + _column(evaluations, "chrf"))
    axes.set(ylabel="score on dev, greedy", ylim=(0, 1.1 * highest or 1))
    axes.legend(loc="lower right")


def _add_hours(axes: Axes, training: Sequence[Record]) -> None:
    """A second scale, on top: hours of training, evaluations included."""
    import numpy as np

    if len(training) < 2:
        return
    steps, hours = np.array(_column(training, "step")), np.array(_column(training, "seconds")) / 3600
    if not (np.diff(hours) > 0).all():
        return
    # Straight lines beyond both ends, because the axis reaches a little further than the data.
    pace = (hours[-1] - hours[0]) / (steps[-1] - steps[0])

    def to_hours(step: Any) -> Any:
        inside = np.interp(step, steps, hours)
        return inside + pace * (np.minimum(step - steps[0], 0) + np.maximum(step - steps[-1], 0))

    def to_step(hour: Any) -> Any:
        inside = np.interp(hour, hours, steps)
        return inside + (np.minimum(hour - hours[0], 0) + np.maximum(hour - hours[-1], 0)) / pace

    unit, scale = ("hours", 1) if hours[-1] >= 1 else ("minutes", 60)
    top = axes.secondary_xaxis(
        "top", functions=(lambda s: to_hours(s) * scale, lambda h: to_step(np.asarray(h) / scale))
    )
    top.set_xlabel(unit, color=_GREY)
    top.tick_params(colors=_GREY)


def _title(run: Path, last: Record) -> str:
    return f"{run.resolve().name}: step {last['step']:,}, {last['seconds'] / 3600:.2f} hours"


def _column(records: Sequence[Record], key: str) -> list[float]:
    return [record[key] for record in records]


def _smooth(values: Sequence[float]) -> list[float]:
    """The mean of each value and its neighbours, as many before as after, so that the curve does not lag behind."""
    reach = len(values) // 50
    means = []
    for i in range(len(values)):
        near = min(reach, i, len(values) - 1 - i)
        means.append(fmean(values[i - near : i + near + 1]))
    return means
