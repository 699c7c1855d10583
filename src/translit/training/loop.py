"""The training loop: read batches, descend, look at the dev set now and then, save, stop in time."""

from __future__ import annotations

import dataclasses
import itertools
import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from translit.data.batches import Batch, Batches, cut_by_budget, make_batch, prefetch
from translit.decoding.search import SearchSettings, search
from translit.disk import write_whole
from translit.errors import TranslitError
from translit.evaluation.metrics import build_metrics
from translit.model.transformer import Transformer
from translit.model_directory import WEIGHTS as MODEL_WEIGHTS
from translit.text.tokenizer import EOS, PAD, Tokenizer
from translit.training.checkpoint import (
    OPTIMIZER,
    WEIGHTS,
    Progress,
    average,
    checkpoints,
    load_tensors,
    load_weights,
    save_checkpoint,
    tidy,
)
from translit.training.distributed import World
from translit.training.guided import GuidedHead
from translit.training.loss import linear_cross_entropy
from translit.training.optimizer import MasterWeights, Optimizer, learning_rate
from translit.training.precision import arithmetic
from translit.training.progress import Reporter
from translit.training.run import SETTINGS, RunConfig

LOG_EVERY = 10  # steps
SCORED_LINES = 500  # dev lines, at most, translated at each evaluation
EXPLOSION = 3.0  # nats per token of a training loss above the best so far
HOPELESS = 10  # times the dev loss of guessing; overfitting, which may be wanted, does not get there


@dataclass
class Job:
    """What a training works with; ``translit.training.prepare`` makes it."""

    config: RunConfig
    home: Path  # the run directory
    batches: Batches
    valid: list[tuple[str, str]]
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    world: World


class Trainer:
    """One run, from its start or its newest checkpoint to its end."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.settings = job.config.training
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(self.settings.seed)
        self.model = Transformer(job.config.model).to(self.device)
        if job.config.start:
            path = Path(job.config.start) / MODEL_WEIGHTS
            load_weights(dict(self.model.named_parameters()), load_tensors(path), path)
        self.arithmetic = arithmetic(self.settings.precision, self.device.type, job.world)
        self.weights = MasterWeights(self.model, self.arithmetic)
        self.optimizer = Optimizer(self.weights, self.settings, job.world)
        self.guided = GuidedHead.chosen(self.settings, job.config.model)
        self.progress = Progress()
        self.checkpoints_home = job.home / "checkpoints"
        if self.settings.compile:
            for layer in [*self.model.encoder, *self.model.decoder]:  # alike, so their code is compiled once
                layer.compile(dynamic=True)

    def resume(self) -> None:
        """Go back to the newest checkpoint of the run directory."""
        saved = checkpoints(self.checkpoints_home)
        if not saved:
            raise TranslitError(
                f"{self.job.home}: no checkpoint to resume from; start again without --resume"
            )
        load_weights(self.weights.master, load_tensors(saved[-1] / WEIGHTS), saved[-1] / WEIGHTS)
        self.weights.publish()
        self.optimizer.load_state(load_tensors(saved[-1] / OPTIMIZER))
        self.progress = Progress.load(saved[-1])

    def run(self, reporter: Reporter) -> bool:
        """Train until the last step or until the dev loss has stopped falling; save on the way.

        Returns False when a signal asked to stop: everything is saved, ``resume`` goes on from there.
        """
        meter = Meter(self.progress.seconds)
        batches_per_step = self.job.world.batches_per_step(self.settings.accumulate)
        prepared = prefetch(self.job.batches.stream(self.progress.position))
        with closing(prepared) as stream, stop_on_signals() as asked_to_stop:
            while self.progress.step < self.settings.max_steps and not self.out_of_patience:
                group = list(itertools.islice(stream, batches_per_step))
                meter.add(*self.step(group), sum(batch.tokens for batch in group))
                self.progress.seconds = meter.total_seconds
                if self.settings.max_minutes:
                    self.heed_the_time(reporter)
                step, last = self.progress.step, self.progress.step == self.settings.max_steps
                due = step % self.settings.eval_every == 0 or last
                stop = self.job.world.any(asked_to_stop())
                log = step % LOG_EVERY == 0 or last
                if log or due or stop:  # what has diverged must not be saved
                    self._check_divergence(meter)
                if log:
                    reporter.step({"step": step, "lr": learning_rate(step, self.settings), **meter.read()})
                if due:
                    with self._as_written():
                        reporter.evaluation(self.evaluate())
                if due or stop:
                    self._save()
                    meter.pause()
                if stop:
                    return False
        return True

    def heed_the_time(self, reporter: Reporter) -> None:
        """Under ``max_minutes``: fix the last step as soon as the cooldown has to begin, by the speed until then.

        Before the cooldown the learning rate does not depend on the last step, so not knowing it changes nothing. From
        then on this is a run of ``max_steps``, and its settings say so: it resumes and repeats like any other.
        """
        limit = 60 * self.settings.max_minutes
        reporter.max_steps = round(self.progress.step * limit / self.progress.seconds)
        measured = limit * max(0.05, 1 - self.settings.cooldown)
        if not self.job.world.any(self.progress.seconds >= measured):
            return
        seconds = torch.tensor(self.progress.seconds, dtype=torch.float64)
        self.job.world.sum([seconds])  # the processes' clocks differ a little, and they must agree
        steps = self.progress.step * limit * self.job.world.size / float(seconds)
        max_steps = max(self.progress.step, round(steps))
        self.settings = dataclasses.replace(self.settings, max_steps=max_steps, max_minutes=0.0)
        self.optimizer.config = self.settings
        self.job.config = dataclasses.replace(self.job.config, training=self.settings)
        reporter.max_steps = max_steps
        if self.job.world.is_main:
            write_whole(self.job.home / SETTINGS, self.job.config.absolute().to_toml().encode())
        reporter.say(f"{limit / 60:g} minutes are {max_steps:,} steps; from now on the learning rate falls")

    def step(self, group: list[Batch]) -> tuple[Tensor, Tensor]:
        """One optimizer step over the batches of ``group``, shared among the processes.

        Returns the loss per target token and the gradient norm, as tensors: reading them would wait for the device.
        """
        self.progress.step += 1
        self.model.train()
        # Randomness is a function of the step and the process, so that a resumed run needs no saved generator.
        torch.manual_seed((self.settings.seed * 1_000_003 + self.progress.step) * 1009 + self.job.world.rank)
        target_tokens = sum(int((batch.target_out != PAD).sum()) for batch in group)
        total = torch.zeros((), device=self.device)
        for batch in group[self.job.world.rank :: self.job.world.size]:
            loss = self.loss(batch.to(self.device)) / target_tokens
            loss.backward()
            total += loss.detach()
        gradients = self.weights.take_gradients()
        self.job.world.sum([total, *gradients])
        norm = self.optimizer.step(self.progress.step)
        self.weights.publish()
        self.progress.position = group[-1].next
        self.progress.tokens += sum(batch.tokens for batch in group)
        return total, norm

    def loss(self, batch: Batch) -> Tensor:
        """Summed label-smoothed cross-entropy of a batch, in nats, and that of the guided head if there is one."""
        guided = self.guided if batch.links is not None else None
        trace = guided.trace() if guided else None
        states, _ = self.model.decode(
            batch.target_in, self.model.encode(batch.source), trace=trace
        )  # (B, T, d)
        loss = linear_cross_entropy(
            states.flatten(0, 1),
            self.model.output.weight,
            batch.target_out.flatten(),
            self.settings.label_smoothing,
        )
        return loss + guided.loss(trace, batch) if guided and trace else loss

    @torch.no_grad()
    def dev_loss(self) -> float:
        """Cross-entropy per dev token, in nats, without smoothing or augmentation."""
        self.model.eval()
        examples = [e for pair in self.job.valid if (e := self.job.batches.encode(pair))]
        if not examples:
            raise TranslitError(
                f"dev corpus: every pair is longer than data.max_tokens = {self.job.config.data.max_tokens}; "
                "give --valid with shorter ones"
            )
        total, tokens = 0.0, 0
        for rows in cut_by_budget(examples, self.job.config.data.batch_tokens):
            batch = make_batch(rows).to(self.device)
            logits = self.model(batch.source, batch.target_in).float()
            total += float(
                F.cross_entropy(
                    logits.flatten(0, 1), batch.target_out.flatten(), ignore_index=PAD, reduction="sum"
                )
            )
            tokens += int((batch.target_out != PAD).sum())
        return total / tokens

    def evaluate(self) -> dict[str, Any]:
        """Dev loss, BLEU and chrF2 of greedy translations, and a few of them to read; also counts patience."""
        measured = torch.tensor(self.dev_loss(), dtype=torch.float64)
        self.job.world.broadcast([measured], 0)  # all must agree on the best, to the last bit
        loss = float(measured)
        if not loss < HOPELESS * math.log(self.job.config.model.target_vocab):
            raise self._diverged("dev loss", loss)  # before it is saved
        best = loss < self.progress.best_loss
        if best:
            self.progress.best_loss, self.progress.best_step = loss, self.progress.step
        self.progress.bad_evaluations = 0 if best else self.progress.bad_evaluations + 1
        stride = -(-len(self.job.valid) // SCORED_LINES)  # evenly spread: a dev set may be sorted by length
        pairs = self.job.valid[::stride]
        samples = sample_sentences(self.job)
        outputs = self.translate([s for s, _ in pairs] + samples)
        scored = outputs[: len(pairs)]
        metrics = build_metrics([[target] for _, target in pairs], self.job.config.target_language)
        return {
            "step": self.progress.step,
            "seconds": self.progress.seconds,
            "tokens": self.progress.tokens,
            "dev_loss": loss,
            "bleu": metrics["BLEU"].corpus_score(scored, None).score,
            "chrf": metrics["chrF2"].corpus_score(scored, None).score,
            "best": best,
            "samples": [
                {"source": s, "translation": t} for s, t in zip(samples, outputs[len(pairs) :], strict=True)
            ],
        }

    def translate(self, sentences: list[str]) -> list[str]:
        """Greedy translations by the model as it is now."""
        self.model.eval()
        sources = [[*self.job.source_tokenizer.encode(s), EOS] for s in sentences]
        hypotheses = search(self.model, sources, SearchSettings(beam=1))
        return [self.job.target_tokenizer.decode(best.ids) for best, *_ in hypotheses]

    def final_weights(self) -> tuple[dict[str, Tensor], str]:
        """The better, on the dev set, of the best checkpoint and the average of the last ones; and which it is."""
        everything = checkpoints(self.checkpoints_home)
        # None has been looked at when a run was stopped early and then resumed with a smaller last step.
        saved = [p for p in everything if self._is_evaluated(int(p.name))] or everything[-1:]
        recent = saved[-self.settings.average :]
        best = [p for p in saved if int(p.name) == self.progress.best_step]
        choices = {f"average of the last {len(recent)} checkpoints": recent, "best checkpoint": best}
        losses = {}
        for name, paths in choices.items():
            if paths:
                load_weights(self.weights.master, average(paths), paths[0])
                self.weights.publish()
                with self._as_written():
                    losses[name] = self.dev_loss()
        chosen = min(losses, key=lambda name: (math.isnan(losses[name]), losses[name]))
        return average(choices[chosen]), f"{chosen}, dev loss {losses[chosen]:.3f}"

    def _as_written(self) -> AbstractContextManager[object]:
        """Within it the layers run uncompiled: a search has so many shapes that compiling them would never end."""
        return torch.compiler.set_stance("force_eager") if self.settings.compile else nullcontext()

    @property
    def out_of_patience(self) -> bool:
        return 0 < self.settings.patience <= self.progress.bad_evaluations

    def _is_evaluated(self, step: int) -> bool:
        # The best may have been the last step of an earlier sitting.
        return step % self.settings.eval_every == 0 or step in (
            self.settings.max_steps,
            self.progress.best_step,
        )

    def _save(self) -> None:
        if self.job.world.is_main:
            save_checkpoint(self.checkpoints_home, self.weights.master, self.optimizer.state(), self.progress)
            evaluated = [
                s for p in checkpoints(self.checkpoints_home) if self._is_evaluated(s := int(p.name))
            ]
            tidy(self.checkpoints_home, {*evaluated[-self.settings.average :], self.progress.best_step})
        self.job.world.wait()

    def _check_divergence(self, meter: Meter) -> None:
        loss = meter.loss
        if math.isfinite(loss) and loss < meter.best_loss + EXPLOSION:
            meter.best_loss = min(meter.best_loss, loss)
            return
        raise self._diverged("loss", loss)

    def _diverged(self, what: str, loss: float) -> TranslitError:
        saved = checkpoints(self.checkpoints_home)
        last = (
            f"the checkpoint of step {int(saved[-1].name)} is intact"
            if saved
            else "no checkpoint was written yet"
        )
        return TranslitError(
            f"training diverged: the {what} became {loss:.2f} at step {self.progress.step}; {last}; "
            f"try a lower lr (now {self.settings.lr}) or more warmup_steps (now {self.settings.warmup_steps})"
        )


class Meter:
    """Loss, speed and time since the last log line."""

    def __init__(self, seconds_before: float) -> None:
        self.best_loss = math.inf
        self._offset = time.monotonic() - seconds_before
        self._losses: list[Tensor] = []
        self.pause()

    def pause(self) -> None:
        """Begin a new interval (evaluating the dev set is not training speed)."""
        self._tokens, self._since = 0, time.monotonic()

    def add(self, loss: Tensor, norm: Tensor, tokens: int) -> None:
        self._losses.append(loss)
        self._norm = norm
        self._tokens += tokens

    @property
    def total_seconds(self) -> float:
        return time.monotonic() - self._offset

    @property
    def loss(self) -> float:
        return float(torch.stack(self._losses).mean())

    def read(self) -> dict[str, float]:
        record = {
            "loss": self.loss,
            "gradient_norm": float(self._norm),
            "tokens_per_second": self._tokens / (time.monotonic() - self._since),
            "seconds": self.total_seconds,
        }
        self._losses = []
        self.pause()
        return record


def sample_sentences(job: Job) -> list[str]:
    """A few sentences whose translations are shown at every evaluation."""
    short = [source for source, _ in job.valid[len(job.valid) // 3 :] if 15 <= len(source) <= 60]
    greeting = ["I love you."] if job.config.source_language == "en" else []
    return [*greeting, *short[:3]]


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Within it, Ctrl-C and SIGTERM ask to stop after the current step; a second Ctrl-C stops at once."""
    asked = False

    def ask(number: int, frame: object) -> None:
        nonlocal asked
        asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    previous = {s: signal.signal(s, ask) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for s, handler in previous.items():
            signal.signal(s, handler)
