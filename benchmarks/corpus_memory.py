"""Does memory stay flat however large the corpus is? Building its store, learning tokenizers, streaming batches.

    python benchmarks/corpus_memory.py                            100 thousand, 1 million and 10 million pairs
    python benchmarks/corpus_memory.py --pairs 1000 10000         does it work at all?

Makes corpora of sentence pairs by rule (the same every time) in a temporary folder, about 2 GB for the largest and as
much again for its store; ``--folder`` says where. Every measurement is a process of its own, which loads everything it
needs, notes its resident memory, works, and reports the peak above that (Linux, VmHWM and VmRSS of /proc/self/status).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from translit.data.batches import Batches
from translit.data.bitext import Corpus
from translit.data.store import open_store
from translit.text.tokenizer import Tokenizer
from translit.training.distributed import World
from translit.training.prepare import prepare
from translit.training.progress import Reporter
from translit.training.run import RunConfig

WORDS = (  # noqa: SIM905 — a list literal would be five times as long
    "the a my your this that one every red old young small great green quiet quick city river teacher doctor child "
    "house letter train window garden morning winter question answer story music market mountain ocean bridge friend "
    "reads writes finds sees carries opens closes follows remembers forgets builds paints visits likes hears keeps"
).split()
CHARACTERS = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
)
STREAMED = 200_000  # pairs, in batches, whatever the size of the corpus


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)  # how this script starts itself
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.measure[0], Path(asked.measure[1]))
        return
    print("| pairs | corpus | building the store | learning the tokenizers | streaming batches |")
    print("|--:|--:|--:|--:|--:|", flush=True)
    for pairs in asked.pairs:
        with tempfile.TemporaryDirectory(prefix="translit-", dir=asked.folder) as folder:
            home = Path(folder)
            write_corpus(home / "dev.tsv", 100)
            write_corpus(home / "pairs.tsv", pairs)
            size = (home / "pairs.tsv").stat().st_size
            peaks = [f"+{run(phase, home):,.0f} MiB" for phase in ("build", "learn", "stream")]
            print(f"| {pairs:,} | {size / 1e6:,.0f} MB | {' | '.join(peaks)} |", flush=True)


def write_corpus(path: Path, pairs: int) -> None:
    """Sentences of 5 to 20 words, all different: number i says which words by its own digits, shuffled."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines(pairs))


def lines(pairs: int) -> Iterator[str]:
    n_words, n_characters = len(WORDS), len(CHARACTERS)
    for i in range(pairs):
        x = (i * 0x9E3779B97F4A7C15 + 0x1234567) & 0xFFFFFFFFFFFFFFFF  # Weyl sequence: different for every i
        digits = x * (x | 1)  # 128 bits
        length = 5 + (x >> 60)
        source, target = [], []
        for _ in range(length):
            digits, word = divmod(digits, n_words)
            source.append(WORDS[word])
            target.append(CHARACTERS[(word * 7 + length) % n_characters])
            target.append(CHARACTERS[(word * 3 + len(target)) % n_characters])
        yield f"{' '.join(source)} {i}.\t{''.join(target)}{i}。\n"


def run(phase: str, home: Path) -> float:
    command = [sys.executable, __file__, "--measure", phase, str(home)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def measure(phase: str, home: Path) -> None:
    """Print by how many MiB the peak of the resident memory lies above what it is before the work."""
    corpus = Corpus.parse(str(home / "pairs.tsv"))
    config = RunConfig(train=(corpus.absolute,), valid=f"{home}/dev.tsv")  # preset tiny
    if phase == "stream":
        tokenizers = Tokenizer.load(home / "source.spm"), Tokenizer.load(home / "target.spm")
    before = memory("VmRSS")
    if phase == "build":
        open_store(corpus, home / "store")
    elif phase == "learn":  # what a training does before its first step; it finds the store
        with Reporter(None, 1, quiet=True) as reporter:
            prepare(config, home, World(), reporter)
    else:
        batches = Batches([(open_store(corpus, home / "store"), 1.0)], *tokenizers, config.data, seed=1)
        seen = 0
        for batch in batches.stream():
            seen += len(batch.source)
            if seen >= STREAMED:
                break
    print(memory("VmHWM") - before)


def memory(name: str) -> float:
    """VmRSS, resident now, or VmHWM, its peak; MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("needs Linux, which tells a process its memory in /proc/self/status")


if __name__ == "__main__":
    main()
