"""Whole runs: exact resume, several processes, early stopping, saving, and what goes wrong."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError

import translit.data.align as align_module
import translit.training.checkpoint as checkpoint_module
import translit.training.command as command_module
import translit.training.prepare as prepare_module
from translit.config import PRESETS, DataConfig, TrainConfig
from translit.errors import TranslitError
from translit.model_directory import ModelDirectory, shapeless
from translit.training.checkpoint import WEIGHTS, checkpoints, load_tensors, load_weights, save_checkpoint
from translit.training.command import owned_by_us, train
from translit.training.distributed import World
from translit.training.loop import Meter, Trainer
from translit.training.prepare import prepare
from translit.training.progress import Reporter, clock, sparkline
from translit.training.run import RunConfig, read_toml, run_config

NOUNS = {"cat": "猫", "dog": "狗", "bird": "鸟", "horse": "马", "fish": "鱼"}
VERBS = {"sees": "看见", "likes": "喜欢", "hears": "听见", "finds": "找到"}


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    """A corpus of little sentences and a model that trains in a moment."""
    pairs = [
        f"The {a} {v} the {b}.\t{x}{w}{y}。"
        for a, x in NOUNS.items()
        for v, w in VERBS.items()
        for b, y in NOUNS.items()
    ]
    (tmp_path / "train.tsv").write_text("\n".join(pairs[:80]) + "\n", "utf-8")
    (tmp_path / "valid.tsv").write_text("\n".join(pairs[80:]) + "\n", "utf-8")
    model = dataclasses.replace(
        PRESETS["tiny"].model, d_model=16, d_ff=32, encoder_layers=1, decoder_layers=1
    )
    data = DataConfig(source_vocab=320, target_vocab=300, batch_tokens=200, pool=30, augment=0.3)
    training = TrainConfig(max_steps=12, warmup_steps=4, eval_every=4, patience=0, average=2)
    return RunConfig(
        train=(f"{tmp_path}/train.tsv:1.5",),
        valid=f"{tmp_path}/valid.tsv",
        out=str(tmp_path / "model"),
        model=model,
        data=data,
        training=training,
    )


def trained(config: RunConfig, home: Path, **options: bool) -> dict[str, torch.Tensor]:
    assert train(config, home, **{"resume": False, "threads": None, "only_look": False, **options})  # type: ignore[arg-type]
    return load_tensors(checkpoints(home / "checkpoints")[-1] / WEIGHTS)


def changed(config: RunConfig, **training: object) -> RunConfig:
    return dataclasses.replace(config, training=dataclasses.replace(config.training, **training))  # type: ignore[arg-type]


@pytest.mark.parametrize("stop_at", [1, 5, 8, 11])
@pytest.mark.parametrize("precision", ["bf16", "fp32"])
def test_interrupted_and_resumed_equals_never_interrupted(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop_at: int, precision: str
) -> None:
    config = changed(config, precision=precision)
    whole = trained(config, tmp_path / "whole")
    whole_model = (Path(config.out) / "weights.safetensors").read_bytes()

    step = Trainer.step
    calls = []

    def interrupted_step(self: Trainer, group: object) -> object:
        calls.append(1)
        if len(calls) == stop_at:
            os.kill(os.getpid(), signal.SIGTERM)
        return step(self, group)  # type: ignore[arg-type]

    monkeypatch.setattr(Trainer, "step", interrupted_step)
    halves = tmp_path / "halves"
    assert not train(config, halves, resume=False, threads=None, only_look=False)
    monkeypatch.setattr(Trainer, "step", step)
    settings = run_config(read_toml(halves / "config.toml"), "config.toml")
    resumed = trained(settings, halves, resume=True)

    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    assert (Path(config.out) / "weights.safetensors").read_bytes() == whole_model
    states = [
        json.loads((checkpoints(tmp_path / h / "checkpoints")[-1] / "state.json").read_text())
        for h in ("whole", "halves")
    ]
    for state in states:
        del state["seconds"]
    assert states[0] == states[1]


def straight(tokens: list, *tokenizers: object) -> Iterator[tuple[set, set]]:
    """Stands for eflomal: links along the diagonal."""
    for source, target in tokens:
        links = {(i, i) for i in range(min(len(source), len(target)))}
        yield links, links


def test_guided_alignment_is_recorded_and_resumes_exactly(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = trained(config, tmp_path / "plain")
    monkeypatch.setattr(align_module, "align_both_ways", straight)
    config = changed(config, guided_alignment=0.5)
    whole = trained(config, tmp_path / "whole")
    assert any(not torch.equal(whole[name], plain[name]) for name in plain)
    info = json.loads((tmp_path / "model" / "config.json").read_text("utf-8"))["info"]
    assert info["alignment_head"] == [0, 3]  # one decoder layer, its last head

    step = Trainer.step

    def interrupted_step(self: Trainer, group: object) -> object:
        if self.progress.step == 5:
            os.kill(os.getpid(), signal.SIGTERM)
        return step(self, group)  # type: ignore[arg-type]

    monkeypatch.setattr(Trainer, "step", interrupted_step)
    assert not train(config, tmp_path / "halves", resume=False, threads=None, only_look=False)
    monkeypatch.setattr(Trainer, "step", step)
    monkeypatch.setattr(align_module, "align_both_ways", None)  # found again, not computed
    resumed = trained(config, tmp_path / "halves", resume=True)
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def test_same_seed_same_model_and_another_seed_another(config: RunConfig, tmp_path: Path) -> None:
    one, two = trained(config, tmp_path / "1"), trained(config, tmp_path / "2")
    assert all(torch.equal(one[name], two[name]) for name in one)
    other = trained(changed(config, seed=2), tmp_path / "3")
    assert not any(torch.equal(one[name], other[name]) for name in one)


def test_a_run_directory_reproduces_itself(config: RunConfig, tmp_path: Path) -> None:
    first = trained(config, tmp_path / "1")
    again = run_config(read_toml(tmp_path / "1" / "config.toml"), "config.toml")
    second = trained(again, tmp_path / "2")
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_accumulated_batches_are_one_large_batch(config: RunConfig, tmp_path: Path) -> None:
    """Two batches in one step: the gradient is that of both together, weighted by their tokens."""
    config = changed(config, precision="fp32", accumulate=2)
    with Reporter(None, 1, quiet=True) as quiet:
        job = prepare(config, tmp_path / "run", World(), quiet)
    stream = job.batches.stream()
    group = [next(stream), next(stream)]
    trainer = Trainer(job)
    loss, _ = trainer.step(group)
    other = Trainer(job)
    other.model.train()
    total = sum(other.loss(b) for b in group) / sum(int((b.target_out != 0).sum()) for b in group)
    assert float(loss) == pytest.approx(float(total.detach()), rel=0.05)  # dropout differs


def test_the_compiler_is_loaded_only_for_a_training_that_wants_it() -> None:
    """It takes two seconds."""
    code = "import sys, translit.training.command; sys.exit('torch._dynamo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_compiled_layers_learn_the_same(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traced by torch.compile as always; generating machine code is left out, it needs a C++ compiler and minutes."""
    traced = functools.partialmethod(torch.nn.Module.compile, backend="aot_eager")
    monkeypatch.setattr(torch.nn.Module, "compile", traced)
    monkeypatch.setattr(align_module, "align_both_ways", straight)
    config = changed(config, precision="fp32", max_steps=3, guided_alignment=0.5, guided_layer=1)
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, dropout=0.0))
    plain = trained(config, tmp_path / "plain")
    torch._dynamo.utils.counters.clear()
    compiled = trained(changed(config, compile=True), tmp_path / "compiled")
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] > 0
    for name in plain:
        torch.testing.assert_close(compiled[name], plain[name], rtol=0, atol=1e-5)


def test_early_stopping_counts_patience_across_a_resume(config: RunConfig, tmp_path: Path) -> None:
    config = changed(config, max_steps=400, eval_every=2, patience=2, lr=0.0001, warmup_steps=10_000)
    with Reporter(None, 1, quiet=True) as quiet:
        trainer = Trainer(prepare(config, tmp_path / "run", World(), quiet))
        trainer.progress.best_loss = -1.0  # nothing will ever be better
        assert trainer.run(quiet)
    assert trainer.progress.step == 4
    assert trainer.progress.bad_evaluations == 2
    again = Trainer(trainer.job)
    again.resume()
    assert again.progress.bad_evaluations == 2
    assert again.out_of_patience


def test_fine_tuning_starts_from_the_models_weights(config: RunConfig, tmp_path: Path) -> None:
    trained(config, tmp_path / "first")
    start = dataclasses.replace(config, start=config.out, out=str(tmp_path / "tuned"))
    with Reporter(None, 1, quiet=True) as quiet:
        trainer = Trainer(prepare(start, tmp_path / "tune", World(), quiet))
    stored = load_tensors(Path(config.out) / "weights.safetensors")
    assert all(torch.equal(p.half(), stored[n]) for n, p in trainer.weights.master.items())


def test_fine_tuning_keeps_what_the_model_is_and_needs(config: RunConfig, tmp_path: Path) -> None:
    """Its languages, the length penalty that suits it and its aligning head; not the calibration of other weights."""
    trained(dataclasses.replace(config, source_language="fr"), tmp_path / "first")
    known = {"length_penalty": 1.8, "alignment_head": [0, 2], "confidence": {"slope": 1.0}}
    ModelDirectory.open(Path(config.out)).save_info(known)
    trained(dataclasses.replace(config, start=config.out, out=str(tmp_path / "tuned")), tmp_path / "second")
    tuned = ModelDirectory.open(tmp_path / "tuned")
    assert (tuned.source_language, tuned.target_language) == ("fr", "zh")
    assert tuned.length_penalty == 1.8
    assert tuned.info["alignment_head"] == [0, 2]
    assert "confidence" not in tuned.info


def test_max_epochs_shortens_a_run(config: RunConfig, tmp_path: Path) -> None:
    config = changed(config, max_steps=1000, max_epochs=2)
    with Reporter(None, 1, quiet=True) as quiet:
        job = prepare(config, tmp_path / "run", World(), quiet)
    training = job.config.training
    assert training.max_steps == pytest.approx(2 * job.batches.batches_per_epoch(), abs=1)
    assert training.eval_every <= max(1, training.max_steps // 5)
    shared = prepare_module._limited(config.training, job.batches, World(size=4))  # four batches a step
    assert shared.max_steps == pytest.approx(training.max_steps / 4, abs=1)


def test_what_has_diverged_is_not_saved(config: RunConfig, tmp_path: Path) -> None:
    with Reporter(None, 1, quiet=True) as quiet:
        trainer = Trainer(prepare(changed(config, eval_every=3), tmp_path / "run", World(), quiet))
        good = trainer.loss
        trainer.loss = lambda batch: good(batch) * (1 if trainer.progress.step < 5 else math.nan)  # type: ignore[method-assign]
        with pytest.raises(TranslitError, match=r"diverged: .* the checkpoint of step 3 is intact"):
            trainer.run(quiet)
    assert [p.name for p in checkpoints(tmp_path / "run" / "checkpoints")] == ["0000003"]


def test_a_dev_loss_out_of_bounds_is_not_saved_either(config: RunConfig, tmp_path: Path) -> None:
    with Reporter(None, 1, quiet=True) as quiet:
        trainer = Trainer(prepare(changed(config, eval_every=3), tmp_path / "run", World(), quiet))
        good = trainer.dev_loss
        trainer.dev_loss = lambda: good() * (1 if trainer.progress.step < 5 else 1e6)  # type: ignore[method-assign]
        with pytest.raises(TranslitError, match=r"the dev loss became .* the checkpoint of step 3 is intact"):
            trainer.run(quiet)
        trainer.dev_loss = iter([math.nan, 2.0]).__next__  # type: ignore[method-assign]
        assert trainer.final_weights()[1] == "best checkpoint, dev loss 2.000"
    assert [p.name for p in checkpoints(tmp_path / "run" / "checkpoints")] == ["0000003"]


def test_a_run_stopped_before_its_first_evaluation_can_end_there(config: RunConfig, tmp_path: Path) -> None:
    config = changed(config, eval_every=50)
    home = tmp_path / "run"
    with Reporter(None, 1, quiet=True) as quiet:
        trainer = Trainer(prepare(config, home, World(), quiet))
        trainer.step([next(trainer.job.batches.stream())])
        trainer._save()
    (home / "config.toml").write_text(config.to_toml(), "utf-8")
    assert train(changed(config, max_steps=1), home, resume=True, threads=None, only_look=False)
    assert ModelDirectory.open(Path(config.out)).info["steps"] == 1


def test_the_best_checkpoint_counts_whenever_it_was_the_last(config: RunConfig, tmp_path: Path) -> None:
    trained(changed(config, max_steps=6), tmp_path / "run")  # evaluated at 4 and, as the last one, at 6
    with Reporter(None, 1, quiet=True) as quiet:
        trainer = Trainer(prepare(config, tmp_path / "run", World(), quiet))
        trainer.resume()
        trainer.progress.best_step = 6
        assert trainer._is_evaluated(6)


def test_a_look_changes_nothing(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "run"
    trained(config, home)
    before = (home / "config.toml").read_text("utf-8")
    assert train(changed(config, max_minutes=30.0), home, resume=True, threads=None, only_look=True)
    assert (home / "config.toml").read_text("utf-8") == before
    monkeypatch.setattr(command_module, "joined_world", lambda: nullcontext(World(size=2)))
    with pytest.raises(TranslitError, match="without torchrun"):
        train(config, tmp_path / "other", resume=False, threads=None, only_look=True)


def test_a_full_disk_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "run" / "checkpoints"
    weights = {"w": torch.ones(3)}
    progress = checkpoint_module.Progress(step=1)
    save_checkpoint(home, weights, {}, progress)

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint_module, "save_file", no_space)
    with pytest.raises(TranslitError, match="No space left on device"):
        save_checkpoint(home, weights, {}, checkpoint_module.Progress(step=2))
    assert [p.name for p in home.iterdir()] == ["0000001"]
    assert torch.equal(load_tensors(checkpoints(home)[0] / WEIGHTS)["w"], torch.ones(3))


def test_a_checkpoint_of_another_architecture_is_refused(config: RunConfig, tmp_path: Path) -> None:
    trained(config, tmp_path / "run")
    wider = dataclasses.replace(config, model=dataclasses.replace(config.model, d_ff=64))
    with pytest.raises(
        TranslitError, match=r"another architecture: .*w_1.weight is \(32, 16\), not \(64, 16\)"
    ):
        train(wider, tmp_path / "run", resume=True, threads=None, only_look=False)
    with pytest.raises(TranslitError, match="it has no b"):
        load_weights({"b": torch.nn.Parameter(torch.ones(1))}, {}, tmp_path)


def test_a_damaged_checkpoint_is_one_clear_line(config: RunConfig, tmp_path: Path) -> None:
    trained(config, tmp_path / "run")
    file = checkpoints(tmp_path / "run" / "checkpoints")[-1] / WEIGHTS
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(TranslitError, match="cannot read it") as caught:
        train(config, tmp_path / "run", resume=True, threads=None, only_look=False)
    assert "\n" not in str(caught.value)


def test_a_finished_or_started_run_is_not_overwritten(config: RunConfig, tmp_path: Path) -> None:
    trained(config, tmp_path / "run")
    with pytest.raises(TranslitError, match="already holds a run"):
        train(config, tmp_path / "run", resume=False, threads=None, only_look=False)


def test_divergence_stops_with_advice(config: RunConfig, tmp_path: Path) -> None:
    with Reporter(None, 1, quiet=True) as quiet:
        trainer = Trainer(prepare(config, tmp_path / "run", World(), quiet))
    meter = Meter(0.0)
    meter.add(torch.tensor(2.0), torch.tensor(1.0), 1)
    trainer._check_divergence(meter)
    meter.read()
    meter.add(torch.tensor(float("nan")), torch.tensor(1.0), 1)
    with pytest.raises(TranslitError, match=r"diverged.*lower lr"):
        trainer._check_divergence(meter)


@pytest.mark.enable_socket  # 127.0.0.1 only
@pytest.mark.parametrize("guided", [0.0, 0.5])
def test_two_processes_learn_what_one_does(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guided: float
) -> None:
    """Same global batch and seed: the loss curves agree to 1e-4 (without dropout, which differs per process)."""
    monkeypatch.setattr(align_module, "align_both_ways", straight)
    config = changed(
        config, precision="fp32", accumulate=2, max_steps=8, eval_every=8, guided_alignment=guided
    )
    config = dataclasses.replace(config, model=dataclasses.replace(config.model, dropout=0.0))
    (tmp_path / "config.toml").write_text(config.to_toml(), "utf-8")
    curves = []
    for name, size in (("one", 1), ("two", 2)):
        home = tmp_path / name
        prepare(config, home, World(), Reporter(None, 1, quiet=True))  # the workers find its alignments
        workers = start_workers(tmp_path / "config.toml", home, size)
        outputs = [worker.communicate(timeout=120)[1] for worker in workers]
        assert [worker.returncode for worker in workers] == [0] * size, "\n".join(outputs)
        curves.append([json.loads(line) for line in (home / "metrics.jsonl").read_text().splitlines()])
    one, two = curves
    assert len(one) == len(two) >= 2  # rank 0 alone writes
    for a, b in zip(one, two, strict=True):
        key = "loss" if "loss" in a else "dev_loss"
        assert a[key] == pytest.approx(b[key], abs=1e-4)


def start_workers(settings: Path, home: Path, size: int) -> list[subprocess.Popen[str]]:
    """What ``torchrun`` does, with processes whose exits the test sees."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    rendezvous = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port,
        "WORLD_SIZE": str(size),
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "translit", "train", "--config", str(settings), "--run-dir", str(home)]
    return [
        subprocess.Popen(
            command,
            env={**os.environ, **rendezvous, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]


@pytest.mark.enable_socket  # 127.0.0.1 only
def test_a_killed_worker_ends_the_others_clearly_and_the_run_resumes(
    config: RunConfig, tmp_path: Path
) -> None:
    config = changed(config, accumulate=2, max_steps=2000, eval_every=5)
    (tmp_path / "config.toml").write_text(config.to_toml(), "utf-8")
    home = tmp_path / "run"
    main_worker, other = start_workers(tmp_path / "config.toml", home, 2)
    while not checkpoints(home / "checkpoints"):
        assert main_worker.poll() is None, main_worker.communicate()[1]
        time.sleep(0.05)
    other.kill()
    _, errors = main_worker.communicate(timeout=60)
    other.communicate()
    assert main_worker.returncode == 2
    assert "another training process is gone" in errors
    assert "Traceback" not in errors
    step = int(checkpoints(home / "checkpoints")[-1].name)
    alone = dataclasses.replace(config, training=dataclasses.replace(config.training, max_steps=step + 2))
    assert train(alone, home, resume=True, threads=None, only_look=False)  # with another world size


def test_a_refused_resume_leaves_the_settings_as_they_were(config: RunConfig, tmp_path: Path) -> None:
    home = tmp_path / "run"
    trained(config, home)
    before = (home / "config.toml").read_text("utf-8")
    for change, words in (({"d_ff": 64}, "another architecture"), ({"n_heads": 8}, "n_heads = 4, not 8")):
        other = dataclasses.replace(config, model=dataclasses.replace(config.model, **change))
        with pytest.raises(TranslitError, match=words):
            train(other, home, resume=True, threads=None, only_look=False)
        assert (home / "config.toml").read_text("utf-8") == before
    with pytest.raises(TranslitError, match=r"training\.optimizer = muon, not adamw"):
        train(changed(config, optimizer="adamw"), home, resume=True, threads=None, only_look=False)


def test_a_corpus_of_which_every_pair_is_too_long_is_refused(config: RunConfig, tmp_path: Path) -> None:
    short = dataclasses.replace(config, data=dataclasses.replace(config.data, max_tokens=2))
    with pytest.raises(TranslitError, match="training corpus: every pair is longer"):
        train(short, tmp_path / "run", resume=False, threads=None, only_look=False)
    with Reporter(None, 1, quiet=True) as quiet:
        trainer = Trainer(prepare(short, tmp_path / "run", World(), quiet))
    with pytest.raises(TranslitError, match="dev corpus: every pair is longer"):
        trainer.dev_loss()


def test_a_run_resumes_from_any_working_directory(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trained(dataclasses.replace(config, train=("train.tsv:1.5",), valid="valid.tsv", out="m"), Path("run"))
    monkeypatch.chdir("/")
    settings = run_config(read_toml(tmp_path / "run" / "config.toml"), "config.toml")
    trained(changed(settings, max_steps=13), tmp_path / "run", resume=True)
    assert [c.weight for c in settings.corpora()] == [1.5]
    assert (tmp_path / "m" / "config.json").is_file()


def test_a_full_disk_for_the_model_is_one_line_and_leaves_no_part(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(_: object, path: Path, note: dict[str, str]) -> None:
        assert note == shapeless(config.model)  # what weights alone do not tell
        path.write_bytes(b"half")
        raise SafetensorError("No space left on device")

    monkeypatch.setattr(prepare_module, "save_file", no_space)
    with pytest.raises(TranslitError, match="cannot write the model: No space left on device"):
        train(config, tmp_path / "run", resume=False, threads=None, only_look=False)
    assert not list(Path(config.out).iterdir())


def test_two_trainings_cannot_share_a_run_directory(config: RunConfig, tmp_path: Path) -> None:
    with owned_by_us(tmp_path / "run"), pytest.raises(TranslitError, match="another training is using it"):
        train(config, tmp_path / "run", resume=False, threads=None, only_look=False)


def test_a_full_disk_before_the_first_step_is_one_line_and_leaves_nothing(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(prepare_module, "write_whole", no_space)
    with pytest.raises(TranslitError, match="run: No space left on device; free some space"):
        train(config, tmp_path / "made" / "run", resume=False, threads=None, only_look=False)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"trian": []}, "unknown setting 'trian'"),
        ({"train": "a.tsv"}, "write a list"),
        ({"preset": "huge"}, "choose one of nano"),
        ({"model": {"d_modle": 3}}, "unknown setting 'd_modle'"),
        ({"training": {"lr": "fast"}}, "lr is 'fast'"),
        ({"training": 3}, r"write a section \[training\]"),
        ({"preset": ["tiny"]}, 'write preset = "small"'),
    ],
)
def test_wrong_settings_name_what_is_wrong(values: dict[str, object], words: str) -> None:
    with pytest.raises(TranslitError, match=words):
        run_config(values, "my.toml")


def test_clock_and_sparkline() -> None:
    assert [clock(s) for s in (5, 65, 3725)] == ["0:05", "1:05", "1:02:05"]
    assert sparkline([0, 1, 2, 3]) == "▁▃▅█"
    assert sparkline([5.0, 5.0]) == "▁▁"


@pytest.fixture
def one_second_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that knows only steps."""

    def __init__(self: Meter, seconds_before: float) -> None:
        begin(self, seconds_before)
        self.before, self.added = seconds_before, 0  # type: ignore[attr-defined]

    def add(self: Meter, loss: torch.Tensor, norm: torch.Tensor, tokens: int) -> None:
        count(self, loss, norm, tokens)
        self.added += 1  # type: ignore[attr-defined]

    begin, count = Meter.__init__, Meter.add
    monkeypatch.setattr(Meter, "__init__", __init__)
    monkeypatch.setattr(Meter, "add", add)
    monkeypatch.setattr(Meter, "total_seconds", property(lambda self: self.before + self.added))


@pytest.mark.parametrize("stop_at", [None, 3, 9])
def test_a_time_limit_becomes_a_number_of_steps_and_changes_nothing_else(
    config: RunConfig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    one_second_a_step: None,
    stop_at: int | None,
) -> None:
    """12 seconds of 1-second steps, interrupted before and after the cooldown begins, are a run of 12 steps."""
    config = changed(config, cooldown=0.5)
    whole = trained(config, tmp_path / "whole")
    home = tmp_path / "timed"
    timed = changed(config, max_steps=5, max_epochs=1, max_minutes=0.2)
    if stop_at:
        step = Trainer.step

        def interrupted_step(self: Trainer, group: object) -> object:
            if self.progress.step + 1 == stop_at:
                os.kill(os.getpid(), signal.SIGTERM)
            return step(self, group)  # type: ignore[arg-type]

        monkeypatch.setattr(Trainer, "step", interrupted_step)
        assert not train(timed, home, resume=False, threads=None, only_look=False)
        monkeypatch.setattr(Trainer, "step", step)
        timed = run_config(read_toml(home / "config.toml"), "config.toml")
        assert (timed.training.max_minutes == 0.2) == (stop_at == 3)
    weights = trained(timed, home, resume=stop_at is not None)
    assert checkpoints(home / "checkpoints")[-1].name == "0000012"
    assert all(torch.equal(weights[name], tensor) for name, tensor in whole.items())
    settings = run_config(read_toml(home / "config.toml"), "config.toml").training
    assert (settings.max_steps, settings.max_minutes, settings.max_epochs) == (12, 0.0, 0)


def test_a_training_writes_event_files_beside_its_metrics(config: RunConfig, tmp_path: Path) -> None:
    event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    home = tmp_path / "run"
    trained(changed(config, tensorboard=True), home)
    events = event_accumulator.EventAccumulator(str(home))
    events.Reload()
    lines = [json.loads(line) for line in (home / "metrics.jsonl").read_text("utf-8").splitlines()]
    for chart, name in (("loss/training", "loss"), ("loss/dev", "dev_loss")):
        logged = [(e.step, e.value) for e in events.Scalars(chart)]
        assert logged == [(r["step"], pytest.approx(r[name])) for r in lines if name in r]
        assert logged
