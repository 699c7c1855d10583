"""How fast and how large translating is, beside the engines underneath: one run, one Markdown report.

    python benchmarks/translate.py                       everything but the long stream
    python benchmarks/translate.py --stream 1000000      and the stream of a million lines
    python benchmarks/translate.py --lines 200 --repeat 1    does it work at all?

Contenders take turns, so that a busy moment of the machine hits all of them; a ratio is the median of the
ratios of the turns. See benchmarks/README.md for how to read the tables.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median

import ctranslate2

import translit
from machine import machine
from translit.decoding.settings import SearchSettings, max_target_length
from translit.engines.base import available_cores
from translit.engines.conversion import converted
from translit.engines.ctranslate2_engine import _BATCH_TOKENS
from translit.model_directory import ModelDirectory, find_model
from translit.text.normalize import normalize_source
from translit.text.split import split
from translit.text.tokenizer import EOS
from translit.translator import Translator

STARTER = Path(translit.__file__).parent / "data/starter/train.tsv.gz"
COMMAND = [sys.executable, "-m", "translit", "translate"]
BATCH = 64  # sentences at once, torch engine and Hugging Face

FLOOR = """
import sys
import ctranslate2
import sentencepiece
model, source, target = sys.argv[1:]
source = sentencepiece.SentencePieceProcessor(model_file=source)
target = sentencepiece.SentencePieceProcessor(model_file=target)
translator = ctranslate2.Translator(model, compute_type="int8")
pieces = source.encode("I love you", out_type=str) + ["</s>"]
print(target.decode(translator.translate_batch([pieces], beam_size=4)[0].hypotheses[0]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", help="model folder or name; by default the shipped one")
    parser.add_argument("--text", type=Path, default=STARTER, help="source lines: .txt or .tsv, also .gz")
    parser.add_argument("--lines", type=int, default=10_000, help="how many of them")
    parser.add_argument("--repeat", type=int, default=5, help="turns of each contender")
    parser.add_argument("--stream", type=int, default=0, help="lines of the endless stream; 0: leave it out")
    asked = parser.parse_args()
    directory = find_model(asked.model)
    os.environ["TRANSLIT_MODEL"] = str(directory.path.resolve())  # for the commands that are started
    lines = read_lines(asked.text, asked.lines)
    print(f"# Translating, {time.strftime('%Y-%m-%d')}\n")
    print(f"{machine('ctranslate2')}; model: {directory.path.name}; turns: {asked.repeat}.")
    cold_start(directory, asked.repeat)
    throughput(directory, lines, asked.repeat)
    if importlib.util.find_spec("transformers") is None:
        print("\n## Torch engine\n\nSkipped: `pip install transformers` for the comparison with `generate`.")
    else:
        torch_engine_on_text(directory, lines[:: max(1, len(lines) // (10 * BATCH))], asked.repeat)
        torch_engine_at_equal_length(directory, min(len(lines), 10 * BATCH), asked.repeat)
    memory(lines)
    if asked.stream:
        stream(lines, asked.stream)


# ── What all of them use ────────────────────────────────────────────────────────────────────────────────────


def read_lines(path: Path, most: int) -> list[str]:
    """Different lines of one sentence each: those that our translator neither splits nor translates only once."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = dict.fromkeys(line.split("\t")[0] for line in content.decode("utf-8-sig").split("\n"))
    found = list(islice((line for line in lines if line.strip() and len(split(line, "en")) == 1), most))
    if len(found) < most:
        print(f"{path}: only {len(found):,} different sentences", file=sys.stderr)
    return found


def take_turns(contenders: dict[str, Callable[[], object]], turns: int) -> dict[str, list[float]]:
    """Seconds of every run. One run of each beforehand does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(turns + 1):
        for name, run in contenders.items():
            print(f"\r\033[K{name}, turn {turn} of {turns}", end="", file=sys.stderr, flush=True)
            start = time.perf_counter()
            run()
            if turn:
                seconds[name].append(time.perf_counter() - start)
    print("\r\033[K", end="", file=sys.stderr)
    return seconds


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median over the turns of ours / theirs."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def table(title: str, about: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    print(f"\n## {title}\n\n{about}\n\n| {' | '.join(head)} |\n|{'---|' + '--:|' * (len(head) - 1)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


# ── Cold start ──────────────────────────────────────────────────────────────────────────────────────────────


def cold_start(directory: ModelDirectory, turns: int) -> None:
    """The whole process, from nothing to the translation."""
    files = [converted(directory, "int8"), directory.path / "source.spm", directory.path / "target.spm"]
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(FLOOR)
        script.flush()
        floor = [sys.executable, script.name, *map(str, files)]
        ours = [*COMMAND, "I love you"]
        seconds = take_turns({"floor": lambda: output(floor), "translit": lambda: output(ours)}, 3 * turns)
    table(
        "Cold start",
        "Whole process, warm files. The floor is a script that imports sentencepiece and ctranslate2, loads the "
        "same model and translates. Wanted: at most 1.5 × the floor, under 0.4 s.",
        ("process", "median", "fastest", "× floor"),
        [
            (name, f"{median(s):.3f} s", f"{min(s):.3f} s", f"{ratio(s, seconds['floor']):.2f}")
            for name, s in (
                ("floor script", seconds["floor"]),
                ('`translit translate "I love you"`', seconds["translit"]),
            )
        ],
    )


def output(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


# ── Throughput of the fast engine ───────────────────────────────────────────────────────────────────────────


def throughput(directory: ModelDirectory, lines: list[str], turns: int) -> None:
    rows = []
    for beam in (1, 4):
        contenders = {"CTranslate2": direct(directory, lines, beam)}
        for name, check in (("translit --no-check", False), ("translit --check", True)):
            translator = Translator(directory.path, beam=beam, check=check)
            contenders[name] = lambda translator=translator: translator.translate(lines)  # type: ignore[misc]
        seconds = take_turns(contenders, turns)
        for name, taken in seconds.items():
            speed = len(lines) / median(taken)
            rows.append((name, beam, f"{speed:,.0f}", f"{ratio(seconds['CTranslate2'], taken):.2f}"))
    table(
        f"Throughput, {len(lines):,} lines",
        "int8, all cores. CTranslate2 is called directly, once, on input that is tokenised and sorted beforehand, "
        "with the same batches, beam and arithmetic, and returns pieces; translit takes lines and returns lines. "
        "Wanted: at least 0.95.",
        ("engine", "beam", "lines/s", "× CTranslate2"),
        rows,
    )


def direct(directory: ModelDirectory, lines: list[str], beam: int) -> Callable[[], object]:
    """CTranslate2 by itself, with everything prepared that can be prepared."""
    tokenizer = directory.source_tokenizer
    sources = [tokenizer.pieces([*tokenizer.encode(normalize_source(line)), EOS]) for line in lines]
    sources.sort(key=len, reverse=True)
    translator = ctranslate2.Translator(
        str(converted(directory, "int8")),
        compute_type="int8",
        inter_threads=available_cores(),
        intra_threads=1,
    )
    return lambda: translator.translate_batch(
        sources,
        beam_size=beam,
        max_batch_size=_BATCH_TOKENS // beam,
        batch_type="tokens",
        max_decoding_length=max_target_length(max(map(len, sources))),
        max_input_length=0,
        return_scores=True,
    )


# ── The torch engine and Hugging Face ───────────────────────────────────────────────────────────────────────


def torch_engine_on_text(directory: ModelDirectory, lines: list[str], turns: int) -> None:
    """The same weights and the same text in both; `generate` gets it sorted by length."""
    import torch

    from translit.decoding.search import search
    from translit.engines.torch_engine import load_transformer
    from translit.export.to_huggingface import write

    tokenizer = directory.source_tokenizer
    sources = [[*tokenizer.encode(normalize_source(line)), EOS] for line in lines]
    sources.sort(key=len)
    with tempfile.TemporaryDirectory() as folder:
        exported = write(directory, Path(folder))
    ours = load_transformer(directory)
    rows: list[tuple[object, ...]] = []
    for beam in (1, 4):
        settings = SearchSettings(beam=beam)
        tokens = sum(len(best.ids) + 1 for (best,) in search(ours, sources, settings))

        def run_ours(settings: SearchSettings = settings) -> None:
            search(ours, sources, settings)

        def run_theirs(beam: int = beam) -> None:
            for i in range(0, len(sources), BATCH):
                batch = sources[i : i + BATCH]
                exported.generate(batch, max_target_length(len(batch[-1])), beam)

        seconds = take_turns({"generate": run_theirs, "torch engine": run_ours}, turns)
        for name, taken in seconds.items():
            speed = tokens / median(taken)
            rows.append((name, beam, f"{speed:,.0f}", f"{ratio(seconds['generate'], taken):.2f}"))
    table(
        f"Torch engine and Hugging Face `generate`, {len(lines):,} lines",
        f"float32, {torch.get_num_threads()} threads. `generate` runs `translit export --to huggingface`, the same "
        f"weights in {type(exported.model).__name__}, on the same text sorted by length, in batches of {BATCH}. "
        "Counted are the tokens of the translations, not those that a finished row waits for. Wanted: at least 3.",
        ("engine", "beam", "target tokens/s", "× `generate`"),
        rows,
    )


def torch_engine_at_equal_length(directory: ModelDirectory, count: int, turns: int) -> None:
    """Arithmetic and book-keeping alone: no row of a batch ends before another."""
    import torch

    from translit.decoding.processors import ban
    from translit.decoding.search import search
    from translit.engines.torch_engine import load_transformer

    source_length = 10
    length = max_target_length(source_length)  # how many tokens come out when </s> is forbidden
    generator = torch.Generator().manual_seed(0)
    shape = (count, source_length)
    sources = torch.randint(4, directory.model.source_vocab, shape, generator=generator)
    sources[:, -1] = EOS
    ours, theirs = load_transformer(directory), marian(directory)
    rows: list[tuple[object, ...]] = []
    for beam in (1, 4):
        settings = SearchSettings(beam=beam, batch_tokens=BATCH * beam * source_length)

        def run_ours(settings: SearchSettings = settings) -> None:
            found = search(ours, sources.tolist(), settings, processors=[ban([EOS])])
            assert {len(best.ids) for (best,) in found} == {length}

        def run_theirs(beam: int = beam) -> None:
            for batch in sources.split(BATCH):
                ids = theirs.generate(  # type: ignore[attr-defined]  # a MarianMTModel
                    batch, num_beams=beam, do_sample=False, min_new_tokens=length, max_new_tokens=length
                )
                assert ids.shape == (len(batch), length + 1)

        seconds = take_turns({"generate": run_theirs, "torch engine": run_ours}, turns)
        for name, taken in seconds.items():
            speed = count * length / median(taken)
            rows.append((name, beam, f"{speed:,.0f}", f"{ratio(seconds['generate'], taken):.2f}"))
    table(
        "Torch engine and Hugging Face `generate`, all translations of one length",
        f"float32, {torch.get_num_threads()} threads, batches of {BATCH}. `generate` runs a MarianMT of the same size "
        f"with random weights; to make the work equal, {count:,} sources have {source_length} random tokens and all "
        f"translations exactly {length}.",
        ("engine", "beam", "target tokens/s", "× `generate`"),
        rows,
    )


def marian(directory: ModelDirectory) -> object:
    """A MarianMT of the size of our model; its weights are random."""
    from transformers import MarianConfig, MarianMTModel

    shape = directory.model
    config = MarianConfig(
        vocab_size=shape.source_vocab,
        decoder_vocab_size=shape.target_vocab,
        share_encoder_decoder_embeddings=False,
        d_model=shape.d_model,
        encoder_layers=shape.encoder_layers,
        decoder_layers=shape.decoder_layers,
        encoder_attention_heads=shape.n_heads,
        decoder_attention_heads=shape.n_heads,
        encoder_ffn_dim=shape.d_ff,
        decoder_ffn_dim=shape.d_ff,
        activation_function=shape.activation,
        scale_embedding=True,
        pad_token_id=0,
        eos_token_id=EOS,
        decoder_start_token_id=2,
        forced_eos_token_id=None,
    )
    return MarianMTModel(config).eval()


# ── Memory ──────────────────────────────────────────────────────────────────────────────────────────────────


def memory(lines: list[str]) -> None:
    text = "".join(line + "\n" for line in lines).encode()
    rows = []
    for name, options, stdin in (
        ("one sentence", ["I love you"], b""),
        (f"{len(lines):,} lines, beam 1", ["--beam", "1"], text),
        (f"{len(lines):,} lines, beam 4", [], text),
    ):
        rows.append((f"`translit translate`, {name}", f"{peak_memory([*COMMAND, *options], stdin):,.0f} MB"))
    table(
        "Peak resident memory",
        "Whole process, as the kernel counts it. Wanted: under 200 MB.",
        ("process", "peak"),
        rows,
    )


def peak_memory(command: Sequence[str], stdin: bytes) -> float:
    """Peak resident memory in MB. Started by a small process, because Linux counts the parent's size too."""
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command], input=stdin, check=True, stdout=subprocess.PIPE
    )
    return int(done.stdout) * 1024 / 1e6


def stream(lines: list[str], count: int) -> None:
    """Feed a stream that ends after ``count`` lines; every thousandth is its own number and must come back so."""
    process = subprocess.Popen(
        [*COMMAND, "--beam", "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    written = 0

    def feed() -> None:
        nonlocal written
        assert process.stdin is not None
        for number, line in enumerate(islice(cycle(lines), count)):
            process.stdin.write(f"{number if number % 1000 == 0 else line}\n".encode())
            written = number + 1
        process.stdin.close()

    start = time.perf_counter()
    threading.Thread(target=feed, daemon=True).start()
    rows = list(watch(process, count, lambda: written, start))
    if process.wait() or len(rows) < 2:
        raise SystemExit(f"the stream broke off: exit code {process.returncode}")
    table(
        f"A stream of {count:,} lines",
        "Beam 1, from a pipe into a pipe. Every thousandth line is its own number: all came back in their places. "
        "Wanted: memory that stays, lines that come as they go.",
        ("lines out", "lines in by then", "resident", "lines/s so far"),
        rows,
    )


def watch(
    process: subprocess.Popen[bytes], count: int, written: Callable[[], int], start: float
) -> Iterator[tuple[object, ...]]:
    """Check the order of what comes out, and look at the memory now and then: a row of the table each time."""
    assert process.stdout is not None
    number = -1
    for number, line in enumerate(process.stdout):
        if number % 1000 == 0 and line != f"{number}\n".encode():
            raise SystemExit(f"the stream is out of order: line {number} is {line!r}")
        if number == 0 or (number + 1) % max(1, count // 10) == 0:
            seconds = time.perf_counter() - start
            speed = f"{(number + 1) / seconds:,.0f}"
            yield f"{number + 1:,}", f"{written():,}", f"{resident(process.pid):,.0f} MB", speed
    if number + 1 != count:
        raise SystemExit(f"the stream lost lines: {number + 1:,} of {count:,} came back")


def resident(pid: int) -> float:
    """Resident memory of a running process in MB."""
    (line,) = [li for li in Path(f"/proc/{pid}/status").read_text().split("\n") if li.startswith("VmRSS")]
    return int(line.split()[1]) * 1024 / 1e6


if __name__ == "__main__":
    main()
