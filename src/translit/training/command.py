"""What ``translit train`` does, from settings to a finished model."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

import torch

from translit.disk import lock, write_whole
from translit.errors import TranslitError
from translit.model.transformer import count_parameters
from translit.training.checkpoint import checkpoints
from translit.training.distributed import World, joined_world
from translit.training.events import EventFiles, require_tensorboard
from translit.training.loop import Trainer
from translit.training.prepare import dry_run, export, prepare, threads_in_words
from translit.training.progress import Reporter
from translit.training.run import METRICS, SETTINGS, RunConfig, read_toml, run_config


def train(config: RunConfig, home: Path, *, resume: bool, threads: int | None, only_look: bool) -> bool:
    """Train in the run directory ``home`` and write ``config.out``. Returns False when interrupted."""
    if threads:
        torch.set_num_threads(threads)
    with joined_world() as world, TemporaryDirectory(prefix="translit-") as scratch:
        if only_look and world.size > 1:
            raise TranslitError("--dry-run looks with one process; call it without torchrun")
        if only_look and not resume:  # a look leaves nothing behind
            home = Path(scratch) / home.name
        return _train(config, home, world, resume=resume, only_look=only_look)


def _train(config: RunConfig, home: Path, world: World, *, resume: bool, only_look: bool) -> bool:
    if not resume and checkpoints(home / "checkpoints"):
        raise TranslitError(
            f"{home}: already holds a run; go on with `translit train --resume {quote(str(home))}`, "
            "or choose another --run-dir or --out"
        )
    if config.training.tensorboard:
        require_tensorboard()
    metrics = home / METRICS if world.is_main and not only_look else None
    owned = owned_by_us(home) if world.is_main else nullcontext()
    with owned, Reporter(metrics, config.training.max_steps, quiet=not world.is_main) as reporter:
        job = prepare(config, home, world, reporter)
        config = job.config
        reporter.max_steps = config.training.max_steps
        trainer = Trainer(job)
        if resume:
            _check_same_kind(home, config)
            trainer.resume()
            if trainer.progress.step >= config.training.max_steps:
                reporter.say(
                    f"already at the last step, {trainer.progress.step}; raise --max-steps to train on"
                )
        # Not before: a refused request must not change the run's settings, and a look never does.
        if world.is_main and not only_look:
            write_whole(home / SETTINGS, config.absolute().to_toml().encode())
        m = config.model
        reporter.say(
            f"{count_parameters(trainer.model):,} parameters: {m.encoder_layers}+{m.decoder_layers} layers, "
            f"d_model {m.d_model}, {m.n_heads} heads; {config.training.optimizer}, "
            f"{'bf16' if trainer.arithmetic == torch.bfloat16 else 'fp32'}, {threads_in_words()}"
        )
        if only_look:
            dry_run(trainer, reporter)
            return True
        if config.training.tensorboard and world.is_main:
            reporter.events = EventFiles(home, trainer.progress.step + 1)
        finished = trainer.run(reporter)
        if not finished:
            reporter.say(
                f"stopped at step {trainer.progress.step}; go on with `translit train --resume {quote(str(home))}`"
            )
            return False
        if world.is_main:
            out = export(trainer, *trainer.final_weights())
            reporter.say(
                f'model written to {out}; try `translit translate --model {quote(str(out))} "I love you"`'
            )
        world.wait()
    return True


def _check_same_kind(home: Path, config: RunConfig) -> None:
    """Refuse what would change the meaning of saved weights, or of the optimizer's memory, but not their number."""
    begun = run_config(read_toml(home / SETTINGS), str(home / SETTINGS))
    for section, name in (
        ("model", "n_heads"), ("model", "norm"), ("model", "activation"), ("training", "optimizer"),
    ):  # fmt: skip
        before, now = (getattr(getattr(c, section), name) for c in (begun, config))
        if before != now:
            raise TranslitError(
                f"{home}: this run began with {section}.{name} = {before}, not {now}; leave it, or begin a new run"
            )


@contextmanager
def owned_by_us(home: Path) -> Iterator[None]:
    """The run directory, made if need be, locked against a second training, and gone again if none could begin.

    The system drops the lock when the process ends, however it ends.
    """
    made = [folder for folder in (home, *home.parents) if not folder.exists()]
    try:
        home.mkdir(parents=True, exist_ok=True)
        with open(home / "lock", "w") as file:
            lock(
                file.fileno(),
                f"{home}: another training is using it now; wait for it, or choose another --run-dir or --out",
            )
            try:
                yield
            except Exception:
                if made and not (home / METRICS).exists():
                    shutil.rmtree(home, ignore_errors=True)
                raise
    except OSError as error:
        raise TranslitError(
            f"{error.filename or home}: {error.strerror or error}; free some space, or choose another --run-dir"
        ) from None
    finally:
        for folder in made:
            with suppress(OSError):  # it is not empty, or gone already
                folder.rmdir()
