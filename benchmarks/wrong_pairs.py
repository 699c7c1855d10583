"""How many misaligned pairs does ``translit score --worst`` find? One pair in twenty gets its neighbour's target.

    python benchmarks/wrong_pairs.py MODEL CORPUS… [--pairs 1000]

CORPUS as for ``translit score``. Printed per corpus: of the k most suspicious pairs, k being the number of wrong
ones, the share that is wrong (precision at k); the same at k/2; and for comparison at k by log p(target | source)
per token alone. Chance is 5 %.
"""

from __future__ import annotations

import argparse
import random
import time

from translit.data.bitext import Corpus, Pair
from translit.evaluation.scoring import Scorer, suspicious_pairs
from translit.model_directory import find_model


def misalign(pairs: list[Pair], seed: int = 3) -> tuple[list[Pair], set[str]]:
    """Pass the targets of a random twentieth of the pairs on among them; also the places of the wrong pairs."""
    wrong = sorted(random.Random(seed).sample(range(len(pairs)), len(pairs) // 20))
    mixed = list(pairs)
    for i, j in zip(wrong, wrong[1:] + wrong[:1], strict=True):
        mixed[i] = pairs[i]._replace(target=pairs[j].target)
    return mixed, {pairs[i].place for i in wrong}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("corpus", nargs="+")
    parser.add_argument("--pairs", type=int, default=1000, help="so many of each corpus, spread over it")
    asked = parser.parse_args()
    scorer = Scorer(find_model(asked.model), "int8")
    for name in asked.corpus:
        everything = list(Corpus.parse(name).pairs())
        pairs, wrong = misalign(everything[:: max(1, len(everything) // asked.pairs)][: asked.pairs])
        start = time.perf_counter()
        suspects = suspicious_pairs(pairs, scorer)
        seconds = time.perf_counter() - start
        k = len(wrong)
        plain = sorted(suspects, key=lambda suspect: suspect.score.per_token)
        at_k, at_half, by_log_p = (
            sum(suspect.pair.place in wrong for suspect in ranked) / len(ranked)
            for ranked in (suspects[:k], suspects[: k // 2], plain[:k])
        )
        print(f"{name}: {len(pairs):,} pairs, {k} wrong, {len(pairs) / seconds:,.0f} pairs/s")
        print(
            f"  precision at {k}: {at_k:.0%}, at {k // 2}: {at_half:.0%}; by log p alone, at {k}: {by_log_p:.0%}"
        )


if __name__ == "__main__":
    main()
