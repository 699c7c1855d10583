"""The weighted mean of models of one shape and one history, as a model folder (Wortsman et al. 2022, "Model soups").

    python average.py runs/model-8:0.65 runs/model-6:0.35 models/en-zh

The folder gets the settings and tokenizers of the first.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from translit.model_directory import ModelDirectory, shapeless

*parts, folder = sys.argv[1:]
shares = {Path(path): float(share) for path, _, share in (part.rpartition(":") for part in parts)}
assert abs(sum(shares.values()) - 1) < 1e-6, shares
weights = {path: load_file(path / "weights.safetensors") for path in shares}
first, out = next(iter(shares)), Path(folder)
mean = {
    name: sum(share * weights[path][name].astype(np.float32) for path, share in shares.items()).astype(
        np.float16
    )
    for name in weights[first]
}
out.mkdir(parents=True, exist_ok=True)
for name in ("config.json", "source.spm", "target.spm"):
    shutil.copyfile(first / name, out / name)
save_file(mean, out / "weights.safetensors", shapeless(ModelDirectory.open(first).model))
ModelDirectory.open(out).save_info(
    {"weights": " + ".join(f"{share:g} × {path.name}" for path, share in shares.items())}
)
