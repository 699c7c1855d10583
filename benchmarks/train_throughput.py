"""How fast training is, beside the machine's own peak and beside other libraries: one run, one Markdown report.

    python benchmarks/train_throughput.py                       all of it, some ten minutes on two cores
    python benchmarks/train_throughput.py --batches 2 --turns 1    does it work at all?
    python benchmarks/train_throughput.py --peers ""            without the others

Everybody trains the same Transformer on the same batches of the same tokens (made by our pipeline, written to a file)
and takes turns, so that a busy moment of the machine hits all of them; just before each turn the machine's
matrix-product rate is measured with as many threads, in the arithmetic that translit trains in there: bf16 where the
processor multiplies in it, else fp32, and then nobody is asked for bf16. The others live in a virtual environment that
is made on the first run (``--peers DIR``, about 1.5 GB). See benchmarks/README.md for how to read the tables.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

from machine import machine
from translit.config import ModelConfig, preset
from translit.data.batches import Batch, make_batch
from translit.model_directory import SOURCE, TARGET, find_model
from translit.text.tokenizer import PAD
from translit.training.distributed import World, joined_world
from translit.training.loop import Job, Trainer
from translit.training.precision import arithmetic
from translit.training.prepare import prepare
from translit.training.progress import Reporter
from translit.training.run import RunConfig

FASTEST = arithmetic("auto", "cpu", World())
PEAK = {torch.bfloat16: "bf16", torch.float32: "fp32"}[FASTEST]
JOEYNMT = ["joeynmt==2.3.0", "importlib_metadata"]  # it imports the second without asking for it
OURS, TWO, MARIAN, JOEY = "ours", "two processes", "marian", "joey"
# what the table calls it, which process runs it, its name there, threads in all
CONTENDERS = [
    ("translit, AdamW", OURS, "adamw", 1),
    ("translit, Muon", OURS, "muon", 1),
    ("translit, Muon, torch.compile", OURS, "compiled", 1),
    ("Hugging Face, fp32", MARIAN, "fp32", 1),
    ("Hugging Face, bf16", MARIAN, "bf16", 1),
    ("JoeyNMT, fp32", JOEY, "fp32", 1),
    ("translit, AdamW", OURS, "adamw", 2),
    ("translit, Muon", OURS, "muon", 2),
    ("translit, AdamW, 2 processes", TWO, "adamw", 2),
    ("translit, Muon, 2 processes", TWO, "muon", 2),
    ("Hugging Face, fp32", MARIAN, "fp32", 2),
    ("Hugging Face, bf16", MARIAN, "bf16", 2),
    ("JoeyNMT, fp32", JOEY, "fp32", 2),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--train", nargs="+", help="corpora; by default the starter corpus")
    parser.add_argument("--batches", type=int, default=4, help="batches in a turn (an even number)")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument(
        "--peers", default=".venv-peers", help='their virtual environment; "": leave them out'
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)  # how this script starts itself
    asked = parser.parse_args()
    if asked.batches < 2 or asked.batches % 2:
        parser.error("--batches: give an even number, so that two processes can share them")
    if asked.worker:
        work(Path(asked.worker), asked.train, asked.batches)
        return
    python = make_peers(Path(asked.peers)) if asked.peers else None
    with tempfile.TemporaryDirectory(prefix="translit-") as scratch:
        home = Path(scratch)
        for name in (SOURCE, TARGET):  # prepare() takes them for the run's own
            shutil.copyfile(find_model().path / name, home / name)
        job = make_job(home, asked.train, World())
        batches = list(itertools.islice(job.batches.stream(), asked.batches))
        save(batches, home / "batches.npz")
        report(job, batches, home, asked.turns, python)


# ── The batches ─────────────────────────────────────────────────────────────────────────────────────────────


def make_job(home: Path, train: Sequence[str] | None, world: World, **settings: Any) -> Job:
    """Preset small with the tokenizers that are in ``home``. The first call there builds the stores."""
    small = preset("small")
    config = RunConfig(
        train=tuple(train) if train else RunConfig.train,
        model=small.model,
        data=small.data,
        training=dataclasses.replace(small.train, **settings),
    )
    with Reporter(None, 1, quiet=True) as reporter:
        return prepare(config, home, world, reporter)


def save(batches: Sequence[Batch], file: Path) -> None:
    arrays = {
        f"{part}_{i}": getattr(batch, part).numpy()
        for i, batch in enumerate(batches)
        for part in ("source", "target_in", "target_out")
    }
    np.savez(file, **arrays)


def training_flops(model: ModelConfig, batch: Batch) -> float:
    """Floating-point operations that one step on the real tokens of a batch needs, forward and backward.

    Matrix products only, padding and the optimizer not counted, a multiply-add as two; the backward pass has
    twice the products of the forward pass (Kaplan et al. 2020, §2.1, with the attention scores counted as well).
    """
    d, ff = model.d_model, model.d_ff
    S = (batch.source != PAD).sum(1).double()  # (B,) real lengths
    T = (batch.target_out != PAD).sum(1).double()
    encoder = model.encoder_layers * (S * (4 * d * d + 2 * d * ff) + 2 * d * S * S)
    decoder = model.decoder_layers * (
        T
        * (
            4 * d * d + 2 * d * d + 2 * d * ff
        )  # self-attention; Q and output of cross-attention; feed-forward
        + S * 2 * d * d  # keys and values of the source
        + 2 * d * T * (T + S)  # scores and blends
    )
    output = T * d * model.target_vocab
    return 3 * 2 * float((encoder + decoder + output).sum())


# ── The processes that train ────────────────────────────────────────────────────────────────────────────────


def work(home: Path, train: Sequence[str] | None, count: int) -> None:
    """Answer commands from stdin with the seconds they took; the first of several processes tells the others."""
    with joined_world() as world:
        ways = {"adamw": {"optimizer": "adamw"}, "muon": {}, "compiled": {"compile": True}}
        jobs = {name: make_job(home, train, world, **settings) for name, settings in ways.items()}
        trainers = {name: Trainer(job) for name, job in jobs.items()}
        batches = list(itertools.islice(jobs["muon"].batches.stream(), count))
        parameters = sum(p.numel() for p in trainers["muon"].model.parameters())
        answer(world, {"parameters": parameters})
        for asked in commands(world):
            torch.set_num_threads(asked["threads"] // world.size)
            name, some = asked["name"], batches[: asked["batches"]]
            if name == "profile":
                answer(world, {which: profiled(trainers[which], some) for which in ("adamw", "muon")})
                continue
            start = time.perf_counter()
            for first in range(0, len(some), world.size):
                trainers[name].step(some[first : first + world.size])
            world.wait()
            answer(world, time.perf_counter() - start)


def answer(world: World, value: object) -> None:
    if world.is_main:
        print(json.dumps(value), flush=True)


def commands(world: World) -> Iterator[dict[str, Any]]:
    """JSON lines from the stdin of the first process, in all of them, until it ends."""
    while True:
        line = [sys.stdin.readline() if world.is_main else ""]
        if world.size > 1:
            torch.distributed.broadcast_object_list(line, src=0)
        if not line[0]:
            return
        yield json.loads(line[0])


class Worker:
    """A process that trains when told to, and waits without using the machine otherwise."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self.log = log
        with open(log, "w") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self.about: dict[str, Any] = self._read()

    def ask(self, **command: object) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self) -> Any:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(("{", "[")) or line.strip().replace(".", "").isdigit():
                return json.loads(line)
        raise SystemExit(f"{self.process.args}: ended early:\n{self.log.read_text()[-3000:]}")

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def make_peers(folder: Path) -> str:
    """The Python of the peers' virtual environment, made and filled on first use."""
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"installing the others into {folder} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        torch_version = f"torch=={torch.__version__.split('+')[0]}"  # the same as ours
        pip = [python, "-m", "pip", "install", "--quiet", torch_version, "transformers>=5", *JOEYNMT]
        subprocess.run(pip, check=True, stdout=sys.stderr)
        (folder / "ready").touch()
    return str(python)


# ── Measuring ───────────────────────────────────────────────────────────────────────────────────────────────


def peak(threads: int) -> float:
    """FLOP/s of the machine's fastest matrix product, of two sizes, with so many threads."""
    torch.set_num_threads(threads)
    best = 0.0
    for size in (1024, 2048):
        a = torch.randn(size, size).to(FASTEST)
        b = torch.randn(size, size).to(FASTEST)
        a @ b
        for _ in range(8192 // size):
            start = time.perf_counter()
            a @ b
            best = max(best, 2 * size**3 / (time.perf_counter() - start))
    return best


def making_speed(job: Job) -> float:
    """Real tokens that the pipeline cuts into batches in a second of processor time."""
    start = time.process_time()
    pool = job.batches.pool(0, 0)
    seconds = time.process_time() - start
    return sum(make_batch(examples).tokens for examples in pool) / seconds


@dataclasses.dataclass
class Turns:
    """What one contender showed, turn by turn."""

    speeds: list[float] = dataclasses.field(default_factory=list)  # real tokens/s
    shares: list[float] = dataclasses.field(default_factory=list)  # of the peak measured just before
    peaks: list[float] = dataclasses.field(default_factory=list)  # FLOP/s


def report(job: Job, batches: list[Batch], home: Path, turns: int, python: str | None) -> None:
    shape = dataclasses.asdict(job.config.model)
    ours = [__file__, "--worker", str(home), "--batches", str(len(batches)), "--train", *job.config.train]
    peers = str(Path(__file__).with_name("train_peers.py"))
    starts = {
        OURS: [sys.executable, *ours],
        TWO: [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", *ours],
    }
    if python:
        for which in (MARIAN, JOEY):
            starts[which] = [python, peers, which, json.dumps(shape), str(home / "batches.npz"), PEAK]
    tokens = sum(batch.tokens for batch in batches)
    flops = sum(training_flops(job.config.model, batch) for batch in batches)
    os.environ.setdefault(
        "OMP_NUM_THREADS", "1"
    )  # torchrun would say so itself; each turn sets its own number
    with ExitStack() as stack:
        workers = {}
        for name, command in starts.items():
            progress(f"starting {name}")
            workers[name] = stack.enter_context(Worker(command, home / f"{name}.log"))
        contenders = [c for c in CONTENDERS if c[1] in workers and (c[2] != "bf16" or PEAK == "bf16")]
        results = [Turns() for _ in contenders]
        for turn in range(turns + 1):  # the first does not count: new shapes cost more
            for result, (label, worker, name, threads) in zip(results, contenders, strict=True):
                progress(f"turn {turn} of {turns}: {label}, {threads} threads")
                rate = peak(threads)
                seconds = workers[worker].ask(name=name, threads=threads, batches=len(batches))
                if turn:
                    result.speeds.append(tokens / seconds)
                    result.shares.append(flops / seconds / rate)
                    result.peaks.append(rate)
        progress("profile")
        profiles = workers[OURS].ask(name="profile", threads=1, batches=min(4, len(batches)))
        abouts = {name: worker.about for name, worker in workers.items()}
    progress("")
    show(job, batches, flops, abouts, contenders, results, turns)
    print(
        f"\nMaking batches (reading, augmenting, tokenising, sorting) takes a second of one core for "
        f"{making_speed(job):,.0f} tokens.\n"
    )
    show_profiles(profiles)


def progress(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def show(
    job: Job,
    batches: list[Batch],
    flops: float,
    abouts: dict[str, dict[str, Any]],
    contenders: Sequence[tuple[str, str, str, int]],
    results: Sequence[Turns],
    turns: int,
) -> None:
    m, tokens = job.config.model, sum(batch.tokens for batch in batches)
    padded = sum(batch.source.numel() + batch.target_in.numel() for batch in batches)
    print(f"# Training, {time.strftime('%Y-%m-%d')}\n")
    print(f"{machine('torch')}; turns: {turns}, each {len(batches)} batches.\n")
    print(
        f"d_model {m.d_model}, {m.encoder_layers}+{m.decoder_layers} layers, {m.n_heads} heads, d_ff {m.d_ff}, "
        f"vocabularies {m.source_vocab:,} and {m.target_vocab:,}. The batches have {tokens:,} source and target "
        f"tokens, {1 - tokens / padded:.1%} padding beside them, and need {flops / tokens / 1e6:.0f} MFLOP a token. "
        "Parameters: "
        + ", ".join(f"{abouts[w]['parameters']:,} ({w})" for w in (OURS, MARIAN, JOEY) if w in abouts)
        + "."
    )
    for which in (MARIAN, JOEY):
        if which in abouts:
            print(f"\n{abouts[which]['about']}.")
    peers = {
        threads: max(
            (
                r
                for r, c in zip(results, contenders, strict=True)
                if c[1] in (MARIAN, JOEY) and c[3] == threads
            ),
            key=lambda r: median(r.speeds),
            default=None,
        )
        for threads in (1, 2)
    }
    print(
        f"\n| trainer | cores | tokens/s | share of the {PEAK} peak | against the best peer |\n|---|--:|--:|--:|--:|"
    )
    for (label, _, _, threads), result in zip(contenders, results, strict=True):
        peer = peers[threads]
        ratio = (
            f"{median(a / b for a, b in zip(result.speeds, peer.speeds, strict=True)):.2f}" if peer else "–"
        )
        print(
            f"| {label} | {threads} | {median(result.speeds):,.0f} | {median(result.shares):.1%} | {ratio} |"
        )
    for threads in (1, 2):
        peaks = [p for r, c in zip(results, contenders, strict=True) if c[3] == threads for p in r.peaks]
        print(
            f"\n{PEAK} peak with {threads} thread{'s' * (threads > 1)}: {median(peaks) / 1e9:.0f} GFLOP/s "
            f"({min(peaks) / 1e9:.0f} to {max(peaks) / 1e9:.0f})."
        )


# ── Where the time goes ─────────────────────────────────────────────────────────────────────────────────────

# The first class whose words occur in the name of an operation, or of one that it is part of, has its time.
WITHIN = [
    ("Muon", ("Optimizer.step#Muon",)),
    ("AdamW", ("Optimizer.step#AdamW",)),
    ("output layer, softmax and loss", ("LinearCrossEntropy", "cross_entropy", "nll_loss", "log_softmax")),
]
OPERATIONS = [
    ("matrix products of the layers", ("aten::mm", "aten::addmm", "aten::linear", "mkldnn")),
    ("attention: batched products", ("aten::bmm", "aten::baddbmm", "aten::matmul")),
    ("attention: softmax and mask", ("softmax", "masked_fill", "bitwise_not", "aten::div")),
    ("LayerNorm", ("layer_norm",)),
    ("dropout and embedding scale (products)", ("aten::mul", "aten::random_", "aten::randint")),
    ("ReLU", ("relu", "threshold")),
    ("sums: residuals, bias gradients", ("aten::add", "aten::sum")),
    ("embedding", ("embedding", "index")),
    ("gradient norm and clipping", ("foreach", "norm", "aten::stack")),
    (
        "copies and casts",
        ("copy", "aten::cat", "aten::clone", "aten::to", "contiguous", "aten::fill", "zero"),
    ),
]


def profiled(trainer: Trainer, batches: list[Batch]) -> dict[str, float]:
    """Share of the time of each class of operations over one step on each batch, by torch.profiler."""
    for batch in batches:
        trainer.step([batch])
    start = time.perf_counter()
    with profile(activities=[ProfilerActivity.CPU]) as watched:
        for batch in batches:
            trainer.step([batch])
        seconds = time.perf_counter() - start
    shares: dict[str, float] = defaultdict(float)
    for event in watched.events():
        shares[operation_class(event)] += event.self_cpu_time_total / 1e6 / seconds
    shares["Python between operations"] = max(0.0, 1 - sum(shares.values()))
    return dict(shares)


def operation_class(event: Any) -> str:
    names = []
    above = event
    while above is not None:
        names.append(above.name)
        above = above.cpu_parent
    for label, words in WITHIN:
        if any(word in name for name in names for word in words):
            return label
    for label, words in OPERATIONS:
        if any(word in names[0] for word in words):
            return label
    return "other operations"


def show_profiles(profiles: dict[str, dict[str, float]]) -> None:
    columns: list[Callable[[str], float]] = [lambda name, p=p: p.get(name, 0.0) for p in profiles.values()]  # type: ignore[misc]
    names = sorted({name for p in profiles.values() for name in p}, key=columns[-1], reverse=True)
    print("\n| time of a step, 1 thread, by torch.profiler | AdamW | Muon |\n|---|--:|--:|")
    for name in names:
        print(f"| {name} | {' | '.join(f'{column(name):.1%}' for column in columns)} |")


if __name__ == "__main__":
    main()
