"""Does the possibility of recording slow translation down when nobody records?

    python benchmarks/recording.py [--lines 200] [--repeat 7]

Translates the same lines with the model as it is (every module is handed ``trace=None``) and with the tracing calls
patched out of its layers, interleaved in one run, and prints the ratio of the fastest repetitions.
"""

from __future__ import annotations

import argparse
import time
from unittest.mock import patch

import torch

from translit.data.bitext import Corpus
from translit.decoding.search import SearchSettings, search
from translit.engines.torch_engine import load_transformer
from translit.model_directory import find_model
from translit.text.normalize import normalize_source
from translit.text.tokenizer import EOS
from translit.training.run import RunConfig


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--lines", type=int, default=200)
    arguments.add_argument("--repeat", type=int, default=7)
    asked = arguments.parse_args()
    directory = find_model()
    model = load_transformer(directory)
    pairs = list(Corpus.parse(RunConfig().train[0]).pairs())[: asked.lines]
    sources = [[*directory.source_tokenizer.encode(normalize_source(p.source)), EOS] for p in pairs]

    def seconds(beam: int) -> float:
        start = time.perf_counter()
        search(model, sources, SearchSettings(beam=beam))
        return time.perf_counter() - start

    def nothing(*_: object) -> None:
        return None

    print(
        f"{len(sources)} lines, {torch.get_num_threads()} threads, fastest of {asked.repeat} interleaved runs\n"
    )
    print("| Beam | As it is, s | Tracing calls removed, s | Ratio |\n|---:|---:|---:|---:|")
    for beam in (1, 4):
        plain, stripped = [], []
        for _ in range(asked.repeat):
            plain.append(seconds(beam))
            with patch("translit.model.layers.at", nothing), patch("translit.model.transformer.at", nothing):
                stripped.append(seconds(beam))
        print(f"| {beam} | {min(plain):.3f} | {min(stripped):.3f} | {min(plain) / min(stripped):.3f} |")


if __name__ == "__main__":
    main()
