#!/usr/bin/env bash
# How models/en-zh was made: 11.8 hours on two cores that did other work, too. Run it from the repository's root, with the corpora
# beside it in ../shared/data (sources and licences: ../README.md) and the extra "align" installed.
set -euo pipefail
data=../shared/data
clean=runs/clean
mkdir -p "$clean"

# Sentences of the development sets stay out, on either side. (Stages 2 and 3 of the shipped weights saw the
# corpora cleaned one by one, which keeps a few dozen pairs that two of them share. The sentences in recipe/ are clean.)
translit data clean src/translit/data/starter/train.tsv.gz "$data"/train/*.tsv.gz --output "$clean/" --repair --keep remark \
    --against "$data/eval/tatoeba-dev/source.en" --against "$data/eval/tatoeba-dev/refs.zh.jsonl" \
    --against "$data/eval/flores-dev/source.en" --against "$data/eval/flores-dev/reference.zh"
mv "$clean/train.tsv.gz" "$clean/starter.tsv.gz"

recipe=models/en-zh/recipe
translit train --config $recipe/1-conversation.toml --run-dir runs/stage-1 --threads 1
for stage in 2-everything 3-aligned 4-prose 5-sentences 6-cooled 7-more 8-final; do
    torchrun --nproc-per-node 2 -m translit train --config $recipe/$stage.toml --run-dir runs/stage-${stage%%-*} --threads 1
done
# Two well-cooled models of one history, averaged: better than either on both development sets. This is version 3.
python3 $recipe/average.py runs/model-8:0.65 runs/model-6:0.35 runs/model-8-6
# Two more encoder layers, which change nothing until the next stage trains them.
python3 $recipe/grow.py runs/model-8-6 8 runs/model-8-6-deep
for stage in 9-deeper 10-again 11-newer; do
    torchrun --nproc-per-node 2 -m translit train --config $recipe/$stage.toml --run-dir runs/stage-${stage%%-*} --threads 1
done
python3 $recipe/average.py runs/model-11:0.6 runs/model-10:0.4 runs/version-5  # keeps numbers on more lines than model-11
for stage in 12-again 13-newest; do
    torchrun --nproc-per-node 2 -m translit train --config $recipe/$stage.toml --run-dir runs/stage-${stage%%-*} --threads 1
done
# Again the mean of two: better on both development sets than stage 13 alone. This is version 6.
python3 $recipe/average.py runs/model-13:0.7 runs/version-5:0.3 models/en-zh
# Chosen on the development sets among 1, 1.4 and 1.8: with 1 the translations are too short.
python3 -c "from translit.model_directory import find_model; find_model('en-zh').save_info({'length_penalty': 1.8})"
translit heads --align $data/eval/pud-align-dev --save
translit calibrate -s $data/eval/tatoeba-dev/source.en -r $data/eval/tatoeba-dev/refs.zh.jsonl --save
