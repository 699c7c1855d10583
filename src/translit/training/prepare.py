"""From settings to a job: stores, tokenizers, dev set; and from a trained job to a model directory."""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from translit.config import TrainConfig
from translit.data.align import open_alignments
from translit.data.batches import Batches
from translit.data.bitext import Corpus
from translit.data.store import TextStore, open_store
from translit.disk import write_whole
from translit.errors import TranslitError
from translit.model_directory import CONFIG, SOURCE, TARGET, WEIGHTS, ModelDirectory, describe_new, shapeless
from translit.text.tokenizer import Tokenizer, train_tokenizer
from translit.training.checkpoint import contiguous
from translit.training.distributed import World
from translit.training.guided import GuidedHead
from translit.training.loop import Job, Trainer
from translit.training.progress import Reporter
from translit.training.run import RunConfig

_HELD_OUT = 1000  # dev pairs, at most, when no dev corpus is given
_TOKENIZER_LINES = 300_000  # SentencePiece holds them: about a gigabyte, less than the training itself
_ENDLESS = 10**9  # steps


def prepare(config: RunConfig, home: Path, world: World, reporter: Reporter) -> Job:
    """Build (or find again) all that training needs under ``home``. Raises TranslitError on bad input."""
    corpora = config.corpora()
    hold_out = 0 if config.valid else _HELD_OUT
    wanted = [(corpus, hold_out if i == 0 else 0) for i, corpus in enumerate(corpora)]
    if config.valid:
        wanted.append((Corpus.parse(config.valid), 0))
    if world.is_main:
        for corpus, held in wanted:  # built by one process, then opened by all
            open_store(corpus, home / "store", held)
    world.wait()
    opened = [open_store(corpus, home / "store", held) for corpus, held in wanted]
    stores, dev = opened[: len(corpora)], opened[-1]
    valid = [dev[i] for i in range(len(dev))] if config.valid else stores[0].held_out
    if not valid:
        raise TranslitError(f"{corpora[0].name}: too small to hold out dev sentences; give --valid")
    for corpus, store in zip(corpora, stores, strict=True):
        empty = (
            f", {store.report['empty']:,} with an empty side left out" if store.report.get("empty") else ""
        )
        reporter.say(f"{corpus.name}: {len(store):,} pairs, weight {corpus.weight:g}{empty}")
    weighted = [(store, corpus.weight) for store, corpus in zip(stores, corpora, strict=True)]
    source, target = _tokenizers(config, home, weighted, world, reporter)
    model = dataclasses.replace(config.model, source_vocab=len(source), target_vocab=len(target))
    if config.start:
        start = ModelDirectory.open(Path(config.start))
        model = dataclasses.replace(start.model, dropout=config.model.dropout)
        config = dataclasses.replace(
            config, source_language=start.source_language, target_language=start.target_language
        )
    alignments = None
    if GuidedHead.chosen(config.training, model):
        wanted_links = weighted, source, target, config.data.max_tokens, home / "store"
        if world.is_main:
            reporter.say("aligning words …")
            open_alignments(*wanted_links)
        world.wait()
        alignments = open_alignments(*wanted_links)
        reporter.say(f"{alignments.report['pairs']:,} pairs aligned, {alignments.report['links']:,} links")
    batches = Batches(weighted, source, target, config.data, config.training.seed, alignments)
    config = dataclasses.replace(config, model=model, training=_limited(config.training, batches, world))
    return Job(config, home, batches, valid, source, target, world)


def _limited(training: TrainConfig, batches: Batches, world: World) -> TrainConfig:
    """``max_epochs`` as steps; a run shortened by it still looks at the dev set five times.

    How many steps ``max_minutes`` are is found on the way, by ``Trainer.heed_the_time``.
    """
    if training.max_minutes:
        return dataclasses.replace(training, max_steps=_ENDLESS, max_epochs=0)
    if not training.max_epochs:
        return training
    steps = math.ceil(
        training.max_epochs * batches.batches_per_epoch() / world.batches_per_step(training.accumulate)
    )
    steps = min(training.max_steps, steps)
    return dataclasses.replace(
        training, max_steps=max(1, steps), eval_every=min(training.eval_every, max(1, steps // 5))
    )


def _tokenizers(
    config: RunConfig, home: Path, weighted: list[tuple[TextStore, float]], world: World, reporter: Reporter
) -> tuple[Tokenizer, Tokenizer]:
    """The run's tokenizers: those of the model it starts from, those already trained, or new ones."""
    paths = home / SOURCE, home / TARGET
    if world.is_main and not all(p.is_file() for p in paths):
        if config.start:
            start = ModelDirectory.open(Path(config.start))
            models = [(start.path / name).read_bytes() for name in (SOURCE, TARGET)]
        else:
            reporter.say("learning the tokenizers …")
            data = config.data
            source = train_tokenizer((s for s, _ in _text(weighted)), data.source_vocab)
            target = train_tokenizer(
                (t for _, t in _text(weighted)), data.target_vocab, characters=data.characters
            )
            models = [source.model, target.model]
        for path, model in zip(paths, models, strict=True):
            write_whole(path, model)
    world.wait()
    return Tokenizer.load(paths[0]), Tokenizer.load(paths[1])


def _text(weighted: list[tuple[TextStore, float]]) -> Iterator[tuple[str, str]]:
    """Pairs to learn the tokenizers from: each corpus in the share it has in training, never more than once."""
    shares = [len(store) * min(1.0, weight) for store, weight in weighted]
    scale = min(1.0, _TOKENIZER_LINES / sum(shares))
    for (store, _), share in zip(weighted, shares, strict=True):
        chosen = max(1, round(share * scale))
        yield from (store[i * len(store) // chosen] for i in range(chosen))


def export(trainer: Trainer, weights: dict[str, Tensor], note: str) -> Path:
    """Write the model directory ``config.out`` (fp16): each file whole, or not at all."""
    job, progress = trainer.job, trainer.progress
    out = Path(job.config.out)
    info: dict[str, Any] = {
        "steps": progress.step,
        "tokens": progress.tokens,
        "hours": round(progress.seconds / 3600, 2),
        "threads": torch.get_num_threads(),
        "weights": note,
        "started_from": job.config.start,
        "data": {"max_tokens": job.config.data.max_tokens, "pairs_in_an_epoch": len(job.batches)},
    }
    if job.config.start:  # what was found out about the model that it still is, in the main
        known = ModelDirectory.open(Path(job.config.start)).info
        info |= {name: known[name] for name in ("length_penalty", "alignment_head") if name in known}
    if trainer.guided:
        info["alignment_head"] = [trainer.guided.layer, trainer.guided.head]
    languages = job.config.source_language, job.config.target_language
    try:
        out.mkdir(parents=True, exist_ok=True)
        halves = contiguous({n: t.half() for n, t in weights.items()})
        save_file(halves, out / f"{WEIGHTS}.part", shapeless(job.config.model))
        (out / f"{WEIGHTS}.part").chmod(0o644)  # safetensors writes files for their owner only
        shutil.copyfile(job.home / SOURCE, out / f"{SOURCE}.part")
        shutil.copyfile(job.home / TARGET, out / f"{TARGET}.part")
        (out / f"{CONFIG}.part").write_text(describe_new(job.config.model, *languages, info), "utf-8")
        for name in (WEIGHTS, SOURCE, TARGET, CONFIG):
            os.replace(out / f"{name}.part", out / name)
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TranslitError(
            f"{out}: cannot write the model: {reason}; the checkpoints are in {job.home}, free some space "
            f"and go on with `translit train --resume {job.home}`"
        ) from None
    finally:
        for name in (WEIGHTS, SOURCE, TARGET, CONFIG):
            with suppress(OSError):
                (out / f"{name}.part").unlink()
    return out


def threads_in_words() -> str:
    threads = torch.get_num_threads()
    return f"{threads} thread{'s' * (threads != 1)}"


def _peak_memory() -> str:
    try:
        import resource
    except ImportError:  # Windows
        return "unknown"
    unit = 1 if sys.platform == "darwin" else 1024  # bytes
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30:.1f} GiB"


def dry_run(trainer: Trainer, reporter: Reporter) -> None:
    """Count everything and time a few real steps, without keeping anything."""
    import time

    from translit.model.transformer import count_parameters

    job, settings = trainer.job, trainer.settings
    pools = -(-len(job.batches) // job.config.data.pool)
    job.batches.too_long = 0
    per_epoch, too_long = job.batches.batches_per_epoch(), job.batches.too_long
    stream = job.batches.stream()
    groups = [list(itertools.islice(stream, settings.accumulate)) for _ in range(4)]
    trainer.step(groups[0])  # the first step also warms up
    started = time.monotonic()
    for group in groups[1:]:
        trainer.step(group)
    seconds = (time.monotonic() - started) / 3
    speed = sum(b.tokens for g in groups[1:] for b in g) / 3 / seconds
    steps = round(60 * settings.max_minutes / seconds) if settings.max_minutes else settings.max_steps
    hours = seconds * steps / 3600
    epochs = steps * settings.accumulate / per_epoch
    for label, value in (
        ("pairs in an epoch", f"{len(job.batches):,} in {pools} pools"),
        ("batches in an epoch", f"about {per_epoch:,.0f}"),
        ("pairs too long", f"{too_long:,} of the first {job.config.data.pool:,}"),
        ("vocabulary", f"{len(job.source_tokenizer):,} source, {len(job.target_tokenizer):,} target"),
        ("parameters", f"{count_parameters(trainer.model):,}"),
        ("steps", f"{steps:,}, about {epochs:.1f} epochs"),
        ("speed", f"{speed:,.0f} tokens/s, {seconds:.2f} s a step, {threads_in_words()}"),
        ("memory", _peak_memory()),
        ("time", f"about {hours:.1f} hours for all steps"),
    ):
        reporter.say(f"{label:<20} {value}")
