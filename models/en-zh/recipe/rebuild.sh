#!/usr/bin/env bash
# How models/en-zh was made: about 3.2 hours on two cores. Run it from the repository's root, with the corpora
# beside it in ../shared/data (sources and licences: ../README.md) and the extra "align" installed.
set -euo pipefail
data=../shared/data
clean=runs/clean
mkdir -p "$clean"

# Sentences of the development sets stay out, on either side.
dev=$(mktemp)
trap 'rm -f "$dev"' EXIT
python3 -c "import json, sys; [print(r) for line in sys.stdin for r in json.loads(line)]" \
    < "$data/eval/tatoeba-dev/refs.zh.jsonl" > "$dev"
for corpus in src/translit/data/starter/train.tsv.gz "$data"/train/*.tsv.gz; do
    name=$(basename "$corpus")
    [ "$name" = train.tsv.gz ] && name=starter.tsv.gz
    translit data clean "$corpus" -o "$clean/$name" -a "$dev" -a "$data/eval/tatoeba-dev/source.en" \
        -a "$data/eval/flores-dev/source.en" -a "$data/eval/flores-dev/reference.zh"
done

recipe=models/en-zh/recipe
translit train --config $recipe/1-conversation.toml --run-dir runs/stage-1 --threads 1
torchrun --nproc-per-node 2 -m translit train --config $recipe/2-everything.toml --run-dir runs/stage-2 --threads 1
torchrun --nproc-per-node 2 -m translit train --config $recipe/3-final.toml --run-dir runs/stage-3 --threads 1
translit heads --align $data/eval/pud-align-dev --save
translit calibrate -s $data/eval/tatoeba-dev/source.en -r $data/eval/tatoeba-dev/refs.zh.jsonl --save
