"""Pictures of a run and event files for TensorBoard, both from what the training logs."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path

import pytest

from translit.cli import main
from translit.errors import TranslitError
from translit.training.curves import draw, read_metrics
from translit.training.events import EventFiles
from translit.training.progress import Reporter


def training(step: int, **changes: float) -> dict[str, object]:
    usual = {"lr": 1e-3, "loss": 8 * math.exp(-step / 50), "gradient_norm": 1.0, "tokens_per_second": 1000.0}
    return {"step": step, "seconds": 2.0 * step, **usual, **changes}


def evaluation(step: int, loss: float) -> dict[str, object]:
    sample = {"source": "I love you.", "translation": "我爱你。"}
    scores = {"dev_loss": loss, "bleu": 10.0 + step, "chrf": 9.0 + step, "best": True}
    return {"step": step, "seconds": 2.0 * step, "tokens": 100, **scores, "samples": [sample]}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run directory that was killed after step 30 and went on from the checkpoint of step 20."""
    records = [training(10), training(20), evaluation(20, 4.0), training(30, loss=99.0)]
    records += [training(30, loss=3.5), training(40), evaluation(40, 3.25)]
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    (tmp_path / "metrics.jsonl").write_text("".join(lines) + '{"step": 50, "lo', "utf-8")
    return tmp_path


def test_the_last_word_on_a_step_counts_and_a_cut_line_does_not(run: Path) -> None:
    steps, evaluations = read_metrics(run)
    assert [(r["step"], r["loss"]) for r in steps if r["step"] >= 30] == [
        (30, 3.5),
        (40, training(40)["loss"]),
    ]
    assert [(r["step"], r["dev_loss"]) for r in evaluations] == [(20, 4.0), (40, 3.25)]


def test_the_picture_shows_every_curve_and_is_the_same_every_time(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["translit", "train", "--plot", str(run)])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    assert capsys.readouterr().out.split() == [f"{run}/curves.svg", f"{run}/curves.png"]
    svg = (run / "curves.svg").read_bytes()
    words = re.sub(rb"<path.*?/>", b"", svg)  # matplotlib writes each text as a comment above its outlines
    for text in ("optimizer step", "learning rate", "loss, nats per token", "minutes"):
        assert text.encode() in words
    for text in ("dev, best 3.250 at step 40", "BLEU, last 50.0", "chrF2, last 49.0"):
        assert text.encode() in words
    assert (run / "curves.png").read_bytes().startswith(b"\x89PNG")
    draw(run)
    assert (run / "curves.svg").read_bytes() == svg


def test_a_run_without_a_dev_evaluation_can_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(json.dumps(training(10)) + "\n")
    svg, png = draw(tmp_path)
    assert b"BLEU" not in svg.read_bytes()
    assert png.is_file()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (None, "metrics.jsonl: cannot read it: No such file or directory; give a run directory"),
        ("", "metrics.jsonl: no step is logged yet"),
        ('{"step": 1}\nnonsense\n', "metrics.jsonl:2: not a line of metrics"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(tmp_path: Path, lines: str | None, words: str) -> None:
    if lines is not None:
        (tmp_path / "metrics.jsonl").write_text(lines)
    with pytest.raises(TranslitError, match=re.escape(words)):
        draw(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "hidden", "words"),
    [
        (["--plot", "RUN"], "matplotlib", "install it with: pip install 'translit-nmt[plot]'"),
        (["--plot", "RUN", "--seed", "2"], "nothing", "--plot only draws; train first"),
        (
            ["--set", "training.tensorboard=true", "--run-dir", "RUN/new"],
            "torch.utils.tensorboard",
            "install it with: pip install 'translit-nmt[tensorboard]'",
        ),
    ],
)
def test_a_missing_extra_or_a_wrong_mixture_is_one_line(
    run: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    hidden: str,
    words: str,
) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)  # importing it fails
    monkeypatch.setattr("sys.argv", ["translit", "train", *(a.replace("RUN", str(run)) for a in arguments)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    errors = capsys.readouterr().err
    assert words in errors
    assert errors.count("\n") == 1
    assert not (run / "new").exists()


def test_event_files_hold_what_metrics_hold_and_go_on_after_a_crash(tmp_path: Path) -> None:
    event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    for records in (
        [training(10), training(20), evaluation(20, 4.0), training(30, loss=99.0)],
        [training(30, loss=3.5), evaluation(40, 3.25)],  # a second sitting, from the checkpoint of step 20
    ):
        with Reporter(tmp_path / "metrics.jsonl", 40, quiet=True) as reporter:
            reporter.events = EventFiles(tmp_path, 21 if (tmp_path / "metrics.jsonl").exists() else 1)
            for record in records:
                (reporter.evaluation if "dev_loss" in record else reporter.step)(record)
    events = event_accumulator.EventAccumulator(str(tmp_path))
    events.Reload()
    curves = {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
    assert [step for step, _ in curves["loss/training"]] == [10, 20, 30]
    assert curves["loss/training"][-1][1] == 3.5
    assert curves["loss/dev"] == [(20, 4.0), (40, 3.25)]
    assert curves["score/BLEU"] == [(20, 30.0), (40, 50.0)]
    assert set(curves) >= {"score/chrF2", "optimizer/learning rate", "speed/tokens per second"}
    text = events.Tensors("samples/0/text_summary")[0].tensor_proto.string_val[0].decode()
    assert text == "I love you.  →  我爱你。"
