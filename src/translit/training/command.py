"""What ``translit train`` does, from settings to a finished model."""

from __future__ import annotations

from pathlib import Path

import torch

from translit.errors import TranslitError
from translit.model.transformer import count_parameters
from translit.training.checkpoint import checkpoints
from translit.training.distributed import World, joined_world
from translit.training.loop import Trainer
from translit.training.prepare import dry_run, export, prepare
from translit.training.progress import Reporter
from translit.training.run import RunConfig


def train(config: RunConfig, home: Path, *, resume: bool, threads: int | None, only_look: bool) -> bool:
    """Train in the run directory ``home`` and write ``config.out``. Returns False when interrupted."""
    if threads:
        torch.set_num_threads(threads)
    with joined_world() as world:
        return _train(config, home, world, resume=resume, only_look=only_look)


def _train(config: RunConfig, home: Path, world: World, *, resume: bool, only_look: bool) -> bool:
    if not resume and checkpoints(home / "checkpoints"):
        raise TranslitError(
            f"{home}: already holds a run; go on with `translit train --resume {home}`, "
            "or choose another --run or --out"
        )
    metrics = home / "metrics.jsonl" if world.is_main and not only_look else None
    if metrics:
        metrics.parent.mkdir(parents=True, exist_ok=True)
    with Reporter(metrics, config.training.max_steps, quiet=not world.is_main) as reporter:
        job = prepare(config, home, world, reporter)
        trainer = Trainer(job)
        if resume:
            trainer.resume()
        m = job.config.model
        reporter.say(
            f"{count_parameters(trainer.model):,} parameters: {m.encoder_layers}+{m.decoder_layers} layers, "
            f"d_model {m.d_model}, {m.n_heads} heads; {config.training.optimizer}, {config.training.precision}, "
            f"{torch.get_num_threads()} threads"
        )
        if only_look:
            dry_run(trainer, reporter)
            return True
        finished = trainer.run(reporter)
        if not finished:
            reporter.say(
                f"stopped at step {trainer.progress.step}; go on with `translit train --resume {home}`"
            )
            return False
        if world.is_main:
            out = export(trainer, *trainer.final_weights())
            reporter.say(f'model written to {out}; try `translit translate --model {out} "I love you"`')
        world.wait()
    return True
