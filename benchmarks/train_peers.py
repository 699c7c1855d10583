"""The peers' side of train_throughput.py: trains Hugging Face's MarianMTModel or JoeyNMT on given batches.

It runs in a virtual environment of its own, without translit: train_throughput.py makes it and starts this file.
Commands come as JSON lines on stdin ({"name", "threads", "batches"}), answers (seconds) go to stdout.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

PAD, BOS, EOS = 0, 2, 3
Arrays = tuple[Tensor, Tensor, Tensor]  # source (B, S), target_in (B, T), target_out (B, T)
Steps = dict[str, Callable[[Arrays], object]]  # by name: one whole training step on a batch


def main() -> None:
    which, shape, file, fastest = sys.argv[1], json.loads(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    arrays = np.load(file)
    batches = [
        tuple(torch.from_numpy(arrays[f"{part}_{i}"]) for part in ("source", "target_in", "target_out"))
        for i in range(len(arrays) // 3)
    ]
    torch.manual_seed(1)
    steps, about = {"marian": marian, "joey": joey}[which](shape, batches, fastest)
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        torch.set_num_threads(asked["threads"])
        print(json.dumps(timed(steps[asked["name"]], batches[: asked["batches"]])), flush=True)


def timed(step: Callable[[Any], object], batches: list[Any]) -> float:
    """Seconds for one step on each batch."""
    start = time.perf_counter()
    for batch in batches:
        step(batch)
    return time.perf_counter() - start


# ── Hugging Face ────────────────────────────────────────────────────────────────────────────────────────────


def marian(shape: dict[str, Any], batches: list[Any], fastest: str) -> tuple[Steps, dict[str, Any]]:
    """MarianMTModel in fp32 and, where that is fast, under bf16 autocast, each with the faster attention of a trial.

    As Hugging Face's Trainer would step on a CPU: autocast, AdamW (fused), gradients clipped to 1.
    """
    import transformers

    steps: Steps = {}
    chosen = {}
    torch.set_num_threads(2)
    for precision in sorted({"fp32", fastest}):
        trials = {}
        for attention in ("eager", "sdpa"):
            step, parameters = marian_step(transformers, shape, attention, precision == "bf16")
            step(batches[0])
            trials[attention] = (timed(step, batches[:2]), step)
        chosen[precision] = min(trials, key=lambda name: trials[name][0])
        steps[precision] = trials[chosen[precision]][1]
    about = f"transformers {transformers.__version__}; attention: {', '.join(f'{a} in {p}' for p, a in chosen.items())}"
    return steps, {"about": about, "parameters": parameters}


def marian_step(
    transformers: Any, shape: dict[str, Any], attention: str, bf16: bool
) -> tuple[Callable[[Arrays], object], int]:
    config = transformers.MarianConfig(
        vocab_size=shape["source_vocab"],
        decoder_vocab_size=shape["target_vocab"],
        share_encoder_decoder_embeddings=False,
        tie_word_embeddings=True,
        d_model=shape["d_model"],
        encoder_layers=shape["encoder_layers"],
        decoder_layers=shape["decoder_layers"],
        encoder_attention_heads=shape["n_heads"],
        decoder_attention_heads=shape["n_heads"],
        encoder_ffn_dim=shape["d_ff"],
        decoder_ffn_dim=shape["d_ff"],
        activation_function=shape["activation"],
        dropout=shape["dropout"],
        attention_dropout=0.0,
        activation_dropout=0.0,
        scale_embedding=True,
        max_position_embeddings=512,
        use_cache=False,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=BOS,
        attn_implementation=attention,
    )
    model = transformers.MarianMTModel(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def step(batch: Arrays) -> None:
        source, target_in, target_out = batch
        with torch.autocast("cpu", torch.bfloat16) if bf16 else nullcontext():
            logits = model(
                input_ids=source, attention_mask=(source != PAD).long(), decoder_input_ids=target_in
            ).logits
            loss = F.cross_entropy(
                logits.flatten(0, 1), target_out.flatten(), ignore_index=PAD, label_smoothing=0.1
            )
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step, sum(p.numel() for p in model.parameters() if p.requires_grad)


# ── JoeyNMT ─────────────────────────────────────────────────────────────────────────────────────────────────


def joey(shape: dict[str, Any], batches: list[Any], _: str) -> tuple[Steps, dict[str, Any]]:
    """JoeyNMT's model, loss, optimizer, clipping and its own ``TrainManager._train_step``, in fp32.

    Its command line makes its own batches of its own tokens, so the batches are handed to the step directly. fp32 is
    all it has on a CPU: its configuration switches half precision off there.
    """
    from importlib.metadata import version

    from joeynmt.batch import Batch
    from joeynmt.builders import build_gradient_clipper, build_optimizer
    from joeynmt.config import _check_special_symbols, parse_train_args
    from joeynmt.model import build_model
    from joeynmt.training import TrainManager
    from joeynmt.vocabulary import Vocabulary

    symbols = SimpleNamespace(**_check_special_symbols({}))

    def vocabulary(size: int) -> Vocabulary:
        return Vocabulary([f"t{i}" for i in range(size - 4)], symbols)

    def stack(layers: int) -> dict[str, Any]:
        return {
            "type": "transformer",
            "num_layers": layers,
            "num_heads": shape["n_heads"],
            "embeddings": {"embedding_dim": shape["d_model"], "scale": True},
            "hidden_size": shape["d_model"],
            "ff_size": shape["d_ff"],
            "dropout": shape["dropout"],
            "layer_norm": shape["norm"],
            "activation": shape["activation"],
        }

    model = build_model(
        {
            "tied_softmax": True,
            "encoder": stack(shape["encoder_layers"]),
            "decoder": stack(shape["decoder_layers"]),
        },
        vocabulary(shape["source_vocab"]),
        vocabulary(shape["target_vocab"]),
    )
    model.loss_function = ("crossentropy", 0.1)
    settings = {"optimizer": "adamw", "learning_rate": 1e-4, "adam_betas": [0.9, 0.98]}
    arguments = parse_train_args(
        {
            **settings,
            "normalization": "tokens",
            "clip_grad_norm": 1.0,
            "label_smoothing": 0.1,
            "batch_size": 1,
        }
    )
    manager = TrainManager.__new__(TrainManager)  # its __init__ opens files for TensorBoard and checkpoints
    manager.args, manager.model, manager.n_gpu, manager.scaler = arguments, model, 0, None
    manager.autocast = {"device_type": "cpu", "enabled": False}
    optimizer = build_optimizer(cfg=arguments._asdict(), parameters=model.parameters())
    clip = build_gradient_clipper(cfg=arguments._asdict())

    def as_theirs(ids: Tensor) -> Tensor:
        """<pad> and <unk> have each other's numbers there."""
        return torch.where(ids == 0, 1, torch.where(ids == 1, 0, ids))

    def step(batch: Arrays) -> None:
        source, target_in, target_out = batch
        target = torch.cat((target_in[:, :1], target_out), dim=1)  # <s> … </s>
        theirs = Batch(
            src=as_theirs(source),
            src_length=(source != PAD).sum(1),
            src_prompt_mask=None,
            trg=as_theirs(target),
            trg_prompt_mask=None,
            indices=torch.arange(len(source)),
            device=torch.device("cpu"),
            pad_index=symbols.pad_id,
            eos_index=symbols.eos_id,
        )
        manager._train_step(theirs)
        clip(parameters=model.parameters())  # from here on as in TrainManager.train_and_validate
        optimizer.step()
        model.zero_grad()

    about = {
        "about": f"JoeyNMT {version('joeynmt')}",
        "parameters": sum(p.numel() for p in model.parameters()),
    }
    return {"fp32": step}, about


if __name__ == "__main__":
    main()
