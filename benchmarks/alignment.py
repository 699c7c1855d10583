"""How far are the alignments that guided alignment learns from, and the heads that learn them, from hand-made ones?

    python benchmarks/alignment.py FOLDER --model MODEL… --corpus CORPUS… [--pairs 50000]

FOLDER as for ``translit heads --align``. Printed are alignment error rates (0 is perfect, 1 all wrong) on all words
but punctuation, and on the target words that the annotators aligned. eflomal aligns the sentences of FOLDER
together with ``--pairs`` pairs of the corpora, in the tokens of the first model.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from translit.data.align import Link, align_both_ways, grow_diag_final_and
from translit.data.bitext import Corpus
from translit.engines.torch_engine import load_transformer
from translit.explain.facts import is_punctuation
from translit.explain.gold import AlignedPair, read_aligned
from translit.explain.heads.alignment import alignment_error_rate, alignment_errors, token_shares
from translit.explain.heads.examples import encode
from translit.model_directory import ModelDirectory, find_model
from translit.text.normalize import normalize_source, normalize_target

MAX_TOKENS = 128


class Counts:
    """Links found, right and sure, of all words and of the annotated ones."""

    def __init__(self) -> None:
        self.all, self.annotated = [0, 0, 0], [0, 0, 0]

    def add(self, pair: AlignedPair, links: set[Link]) -> None:
        aligned = {j for _, j in pair.links}
        links = {
            (i, j)
            for i, j in links
            if not is_punctuation(pair.source_words[i]) and not is_punctuation(pair.target_words[j])
        }
        known = {(i, j) for i, j in links if j in aligned}
        for counts, found in ((self.all, links), (self.annotated, known)):
            for n, size in enumerate((len(found), len(found & pair.links), len(pair.links))):
                counts[n] += size

    def row(self) -> str:
        return f"{alignment_error_rate(*self.all):.3f}  {alignment_error_rate(*self.annotated):.3f}"


def statistical(
    directory: ModelDirectory, aligned: Sequence[AlignedPair], corpora: list[str], pairs: int
) -> None:
    """Align the test and the corpora with eflomal, print the error rates of every way to join its directions."""
    source, target = directory.source_tokenizer, directory.target_tokenizer
    examples = encode(directory, [(p.source, p.target) for p in aligned])
    tokens = [(e.source[:-1], e.target[1:-1]) for e in examples]
    everything = [pair for name in corpora for pair in Corpus.parse(name).pairs()]
    for pair in everything[:: max(1, len(everything) // pairs)][:pairs]:
        ids = (
            source.encode(normalize_source(pair.source)),
            target.encode(normalize_target(pair.target, tight=True)),
        )
        if ids[0] and ids[1] and max(map(len, ids)) < MAX_TOKENS:
            tokens.append(ids)
    started = time.perf_counter()
    found = list(align_both_ways(tokens, source, target))
    seconds = time.perf_counter() - started
    ways = {"source of each target token": Counts(), "target of each source token": Counts()}
    ways |= {"intersection": Counts(), "grow-diag-final-and": Counts()}
    for pair, example, (forward, backward) in zip(aligned, examples, found, strict=False):
        shares = token_shares(directory, pair, example)
        if shares is None:
            continue
        joined = forward, backward, forward & backward, grow_diag_final_and(forward, backward)
        for counts, links in zip(ways.values(), joined, strict=True):
            words = {
                (int(u), int(w))
                for i, j in links
                for u in shares[0][i].nonzero()
                for w in shares[1][j].nonzero()
            }
            counts.add(pair, words)
    print(f"eflomal, {len(tokens):,} pairs, {seconds:.0f} s")
    for name, counts in ways.items():
        print(f"  {counts.row()}  {name}")


def heads(directory: ModelDirectory, aligned: Sequence[AlignedPair]) -> None:
    """Print the error rates of the best cross-attention head, and of the one that the model names."""
    rates = alignment_errors(load_transformer(directory), directory, aligned, lambda *_: None).rates
    best = min(rates, key=lambda place: rates[place].all)
    named = tuple(directory.info.get("alignment_head", best))
    print(directory.path)
    for name, (layer, head) in (("best", best), ("named in config.json", named)):
        aer = rates[layer, head]
        print(f"  {aer.all:.3f}  {aer.annotated:.3f}  layer {layer + 1} head {head + 1}, {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", nargs="+", default=[None])
    parser.add_argument("--corpus", nargs="*", default=[], help="without any, only the heads are measured")
    parser.add_argument("--pairs", type=int, default=50_000, help="of all corpora together, spread over them")
    asked = parser.parse_args()
    aligned = read_aligned(asked.folder)
    models = [find_model(name) for name in asked.model]
    print("AER: all words, annotated words")
    for model in models:
        heads(model, aligned)
    if asked.corpus:
        statistical(models[0], aligned, asked.corpus, asked.pairs)


if __name__ == "__main__":
    main()
