"""What learns most in a given time: settings of the trainer at equal wall time on equal data, as one table.

    python benchmarks/learning.py --minutes 30 --train a.tsv b.tsv:2 --dev dev.tsv
    python benchmarks/learning.py --minutes 30 … --only muon adamw --seeds 1 2 3
    python benchmarks/learning.py --minutes 30 … --try "lr 0.004" training.lr=0.004 training.warmup_steps=200
    python benchmarks/learning.py --list

Each setting is preset small with a few changes, trained by ``translit train --max-minutes`` (dev evaluations within
the time, the learning rate falling over its last part) and then judged by its finished model on the dev corpus: loss
per target token, BLEU and chrF2 of greedy translations. Stores and tokenizers are shared. What is finished is written
to ``results.json`` and skipped the next time, what was interrupted goes on, so the table can be filled over several
sittings. It is printed after every setting. On an idle machine, or the times are not equal: one training at a time, or
``--jobs 2`` at once with an equal share of the threads each, which gets more rows out of the same cores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean
from typing import Any

from translit.data.bitext import Corpus
from translit.training.run import RunConfig, parse_value

BASE = "muon"
# Changes to preset small. Evaluations cost time: with another batch size they come after as many tokens.
SETTINGS: dict[str, dict[str, Any]] = {
    BASE: {},
    "adamw": {"training.optimizer": "adamw"},
    "adamw, lr 0.001": {"training.optimizer": "adamw", "training.lr": 0.001},
    "lr 0.001": {"training.lr": 0.001},
    "lr 0.004": {"training.lr": 0.004},
    "batch 2,048": {"data.batch_tokens": 2048, "training.eval_every": 1000},
    "batch 8,192": {"data.batch_tokens": 8192, "training.eval_every": 250},
    "warm-up 100": {"training.warmup_steps": 100},
    "cooldown 0.5": {"training.cooldown": 0.5},
    "cooldown 0.05": {"training.cooldown": 0.05},
    "post-norm": {"model.norm": "post"},
    "no label smoothing": {"training.label_smoothing": 0.0},
    "no averaging": {"training.average": 1},
    "dropout 0": {"model.dropout": 0.0},
    "8+2 layers": {"model.encoder_layers": 8, "model.decoder_layers": 2},
    "12+1 layers": {"model.encoder_layers": 12, "model.decoder_layers": 1},
    "4+2 layers": {"model.encoder_layers": 4, "model.decoder_layers": 2},
    "width 192": {"model.d_model": 192, "model.d_ff": 768},
    "width 320": {"model.d_model": 320, "model.d_ff": 1280},
    "width 384": {"model.d_model": 384, "model.d_ff": 1536, "model.n_heads": 6},
}
Result = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30, help="wall time of each training")
    parser.add_argument("--train", nargs="+", help="corpora; by default the starter corpus")
    parser.add_argument("--dev", help="dev corpus, as source,references or TSV; default: the starter's")
    parser.add_argument("--dev-lines", type=int, default=500, help="of the dev corpus, evenly spread")
    parser.add_argument("--only", nargs="+", help="these settings; by default all")
    parser.add_argument(
        "--try", nargs="+", action="append", default=[], dest="more", metavar=("NAME", "KEY=VALUE")
    )
    parser.add_argument(
        "--all", nargs="+", default=[], metavar="KEY=VALUE", help="settings of every training"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="CPU threads in all")
    parser.add_argument(
        "--processes", type=int, default=1, help="above 1: torchrun, which shares the threads"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, help="settings trained side by side, sharing the threads"
    )
    parser.add_argument("--home", type=Path, default=Path("runs/learning"), help="runs and results.json")
    parser.add_argument("--list", action="store_true", help="only show the settings and what is finished")
    asked = parser.parse_args()
    for name, *changes in asked.more:
        SETTINGS[name] = parse_changes(changes)
    unknown = sorted(set(asked.only or ()) - set(SETTINGS))
    if unknown:
        parser.error(f"--only: there is no {unknown[0]!r}; there are {', '.join(SETTINGS)}")
    bench = Bench(asked)
    if asked.list:
        for name, changes in SETTINGS.items():
            print(f"{name:<20} {' '.join(f'{k}={v}' for k, v in changes.items()) or 'preset small'}")
        print(bench.table())
        return
    # All settings with one seed first: the table is soon complete.
    wanted = [(name, seed) for seed in asked.seeds for name in asked.only or SETTINGS]
    missing = [pair for pair in wanted if not bench.has(*pair)]
    if not missing:
        print(bench.table())
        return
    bench.prepare()
    with ThreadPoolExecutor(asked.jobs) as side_by_side:
        for start in range(0, len(missing), asked.jobs):  # together they start, so that the shares stay equal
            list(side_by_side.map(lambda pair: bench.fill(*pair), missing[start : start + asked.jobs]))
            print(bench.table(), flush=True)


def parse_changes(changes: list[str]) -> dict[str, Any]:
    return {key: parse_value(value) for key, _, value in (change.partition("=") for change in changes)}


class Bench:
    """The results so far, and how to get more."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.home: Path = asked.home
        self.minutes, self.processes, self.jobs = asked.minutes, asked.processes, asked.jobs
        self.threads = max(1, asked.threads // asked.jobs)  # of one training
        self.one_at_a_time = threading.Lock()
        starter = RunConfig.train[0]
        dev = asked.dev or starter.replace("train.tsv", "valid.tsv")
        self.conditions = {
            "train": [Corpus.parse(text).absolute for text in asked.train or [starter]],
            "dev": Corpus.parse(dev).absolute.rpartition(":")[0],
            "dev_lines": asked.dev_lines,
            "minutes": asked.minutes,
            "threads": self.threads,
            "all": parse_changes(asked.all),
            "processes": asked.processes,
            "jobs": asked.jobs,
        }
        self.file = self.home / "results.json"
        saved = json.loads(self.file.read_text("utf-8")) if self.file.exists() else {}
        if saved and saved["conditions"] != self.conditions:
            raise SystemExit(
                f"{self.file}: measured under other conditions, {saved['conditions']}; give another --home"
            )
        self.results: dict[str, Result] = saved.get("results", {})

    def has(self, name: str, seed: int) -> bool:
        return self.results.get(f"{name} / {seed}", {}).get("changes") == SETTINGS[name]

    def fill(self, name: str, seed: int) -> None:
        """Train and judge one setting with one seed."""
        key = f"{name} / {seed}"
        run = self.home / key.replace(" / ", "-").replace(" ", "_").replace(",", "")
        print(f"── {key}", file=sys.stderr, flush=True)
        self.train(run, name, seed)
        with self.one_at_a_time:
            self.results[key] = {"name": name, "seed": seed, "changes": SETTINGS[name], **self.judge(run)}
            part = self.file.with_suffix(".part")
            text = {"conditions": self.conditions, "results": self.results}
            part.write_text(json.dumps(text, indent=1, ensure_ascii=False), "utf-8")
            part.replace(self.file)
        shutil.rmtree(run / "checkpoints")  # what remains: settings, metrics, the model

    def train(self, run: Path, name: str, seed: int) -> None:
        launcher = [sys.executable, "-m"]
        if self.processes > 1:
            launcher += ["torch.distributed.run", "--nproc-per-node", str(self.processes), "-m"]
        command = [*launcher, "translit", "train", "--threads", str(max(1, self.threads // self.processes))]
        if any((run / "checkpoints").glob("*/state.json")):
            command += ["--resume", str(run)]
        else:
            shutil.rmtree(run, ignore_errors=True)
            self.share_with(run)
            settings = {"training.patience": 0, **self.conditions["all"], **SETTINGS[name]}
            command += [
                "--preset",
                "small",
                "--train",
                *self.conditions["train"],
                "--valid",
                self.conditions["dev"],
            ]
            command += ["--run-dir", str(run), "--out", str(run / "model"), "--seed", str(seed)]
            command += ["--max-minutes", str(self.minutes)]
            command += [
                "--set",
                *(f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in settings.items()),
            ]
        process = subprocess.Popen(command, stdout=sys.stderr)
        process.wait()
        if process.returncode:
            raise SystemExit(f"{name}: interrupted, or failed; the same command goes on")

    def prepare(self) -> None:
        """Make the tokenizers and stores that all settings share."""
        from translit.config import preset
        from translit.training.distributed import World
        from translit.training.prepare import prepare
        from translit.training.progress import Reporter

        # Also when there are some: a corpus that has changed since is read anew, here and not by two runs at once.
        small = preset("small")
        train, dev = tuple(self.conditions["train"]), self.conditions["dev"]
        config = RunConfig(train=train, valid=dev, model=small.model, data=small.data, training=small.train)
        with Reporter(None, 1) as reporter:
            prepare(config, self.home / "shared", World(), reporter)

    def share_with(self, run: Path) -> None:
        """Put the common tokenizers and stores where a new run will look for them."""
        shared = self.home / "shared"
        run.mkdir(parents=True)
        for name in ("source.spm", "target.spm"):
            shutil.copyfile(shared / name, run / name)
        (run / "store").symlink_to(os.path.relpath(shared / "store", run))

    def judge(self, run: Path) -> Result:
        """The finished model on the dev sample, in fp32 by CTranslate2."""
        from translit.evaluation.inputs import load_set
        from translit.evaluation.metrics import score_corpus
        from translit.evaluation.scoring import Scorer
        from translit.model_directory import find_model
        from translit.translator import Translator

        dev = load_set(self.conditions["dev"], None, [])
        assert dev.sources is not None
        assert dev.references is not None
        stride = -(-len(dev) // self.conditions["dev_lines"])
        sources, references = dev.sources[::stride], dev.references[::stride]
        directory = find_model(str(run / "model"))
        with tempfile.TemporaryDirectory() as cache:  # the converted model is needed only now
            os.environ["XDG_CACHE_HOME"] = cache
            pairs = [(source, refs[0]) for source, refs in zip(sources, references, strict=True)]
            scores = [score for score in Scorer(directory, threads=self.threads).score(pairs) if score]
            translator = Translator(
                directory.path,
                engine="ctranslate2",
                precision="float32",
                beam=1,
                check=False,
                threads=self.threads,
            )
            outputs = [translation.text for translation in translator.translate(sources)]
        metrics = {metric.name: metric.score for metric in score_corpus(outputs, references, resamples=0)}
        config = json.loads((run / "model" / "config.json").read_text("utf-8"))
        logged = [json.loads(line) for line in (run / "metrics.jsonl").read_text("utf-8").splitlines()]
        return {
            "dev_loss": -sum(s.log_prob for s in scores) / sum(len(s.tokens) for s in scores),
            "bleu": metrics["BLEU"],
            "chrf": metrics["chrF2"],
            "steps": config["info"]["steps"],
            "tokens": config["info"]["tokens"],
            "minutes": logged[-1]["seconds"] / 60,
            "weights": config["info"]["weights"],
        }

    def table(self) -> str:
        """All results, the lowest dev loss first; several seeds as their mean, with the range of the loss."""
        by_name: dict[str, list[Result]] = {}
        for result in self.results.values():
            if result["name"] in SETTINGS:
                by_name.setdefault(result["name"], []).append(result)
        rows = sorted(by_name.items(), key=lambda item: mean(r["dev_loss"] for r in item[1]))
        lines = [
            f"\n{self.minutes:g} minutes each, {self.threads} thread{'s' * (self.threads > 1)}, {self.processes} "
            f"process{'es' * (self.processes > 1)}, {self.jobs} at a time"
            + "".join(f", {key} = {value}" for key, value in self.conditions["all"].items()),
            "",
            "| setting | seeds | dev loss | BLEU | chrF2 | steps | million tokens | minutes |",
            "|---|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for name, results in rows:
            losses = [r["dev_loss"] for r in results]
            spread = f" ({min(losses):.3f}–{max(losses):.3f})" if len(losses) > 1 else ""
            means = {k: mean(r[k] for r in results) for k in ("bleu", "chrf", "steps", "tokens", "minutes")}
            lines.append(
                f"| {name} | {len(results)} | {mean(losses):.3f}{spread} | {means['bleu']:.1f} | {means['chrf']:.1f} "
                f"| {means['steps']:,.0f} | {means['tokens'] / 1e6:.2f} | {means['minutes']:.1f} |"
            )
        return "\n".join(lines)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # the trainings have heard it, too, and saved
        sys.exit("interrupted; the same command goes on")
