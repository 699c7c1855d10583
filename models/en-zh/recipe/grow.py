"""A deeper model that translates as the given one does, to train on: "block expansion" (Wu et al. 2024, LLaMA Pro).

    python grow.py runs/model-9 8 runs/model-9-deep        (from 6 to 8 encoder layers)

The new layers stand evenly among the old ones, each a copy of the one before it whose two outputs are zero: through the
residual connections (pre-norm) a vector passes it unchanged, until training gives it something to add.
"""

from __future__ import annotations

import dataclasses
import shutil
import sys
from pathlib import Path

from safetensors.numpy import load_file, save_file

from translit.model_directory import ModelDirectory, describe_new, shapeless

old, layers, new = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
model = ModelDirectory.open(old)
have = model.model.encoder_layers
assert model.model.norm == "pre"
assert have < layers <= 2 * have, (have, layers)
expanded = [
    (i + 1) * have // (layers - have) - 1 for i in range(layers - have)
]  # the last layer of each group
order = sorted([*range(have), *expanded])  # which old layer stands, or is copied, at each place

weights = load_file(old / "weights.safetensors")
deeper = {name: tensor for name, tensor in weights.items() if not name.startswith("encoder.")}
for place, layer in enumerate(order):
    for name in [n for n in weights if n.startswith(f"encoder.{layer}.")]:
        part = name.split(".", 2)[2]
        copied = place > 0 and order[place - 1] == layer
        output = part.startswith(("self_attention.w_o", "feed_forward.w_2"))
        deeper[f"encoder.{place}.{part}"] = weights[name] * 0 if copied and output else weights[name]

config = dataclasses.replace(model.model, encoder_layers=layers)
new.mkdir(parents=True, exist_ok=True)
for name in ("source.spm", "target.spm"):
    shutil.copyfile(old / name, new / name)
save_file(deeper, new / "weights.safetensors", shapeless(config))
info = model.info | {"weights": f"{old.name}, grown from {have} to {layers} encoder layers"}
(new / "config.json").write_text(
    describe_new(config, model.source_language, model.target_language, info), "utf-8"
)
