"""A folder that Hugging Face Transformers loads with its own classes, without a line of our code.

Two of its architectures compute what our Transformer computes:

* post-norm, the paper's: ``MarianMTModel``, with a vocabulary for each side;
* pre-norm: ``PegasusForConditionalGeneration``, which knows only one vocabulary. Its rows are our target tokens, then
  our source tokens; a bias of minus infinity keeps the source tokens from being written.

Both have the same sines and cosines as positions as we do, but all sines before all cosines. The order of the d_model
numbers of a vector is arbitrary as long as every matrix keeps to it, so we change it everywhere.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from translit.config import ModelConfig
from translit.decoding.settings import max_target_length
from translit.engines.base import MAX_SOURCE_TOKENS
from translit.engines.torch_engine import load_transformer
from translit.export.check import chosen
from translit.export.readme import write_readme
from translit.model.transformer import pad
from translit.model_directory import ModelDirectory
from translit.text.tokenizer import BOS, EOS, PAD, SPECIAL

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_README = """\
---
language:
- $source_language
- $target_language
library_name: transformers
pipeline_tag: translation
---
# $title for Hugging Face Transformers

`translit export --to huggingface` wrote this folder. It needs no translit and no code of its own, only:

    pip install transformers torch sentencepiece

```python
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

folder = "."
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForSeq2SeqLM.from_pretrained(folder)

batch = tokenizer(["I love you.", "Where is the station?"], return_tensors="pt", padding=True)
for ids in model.generate(**batch, num_beams=4, length_penalty=$length_penalty):
    print(tokenizer.decode(ids, skip_special_tokens=True))
```

The model is a `$architecture`, its weights are those of translit in float32, the tokenizer is a
`MarianTokenizer`. (It recommends sacremoses; nothing here would use it.)

$ids

$rules
"""
_SEPARATE = """\
Each side has its own ids: those of `source.spm` go in, those of `target.spm` come out."""
_SHARED = """\
The class knows one vocabulary of $total ids. Ids below $target are those of `target.spm`: what comes out. A source
token goes in as its id in `source.spm` plus $target, only padding stays 0; `vocab.json` says so for the
tokenizer. Its `</s>` is therefore $eos, while translations end with 3: to train further, end the labels with 3."""


def write(directory: ModelDirectory, folder: Path) -> HuggingFaceExport:
    """Write config, weights, tokenizer files and README into ``folder``."""
    shape = directory.model
    model = _architecture(shape)
    model.load_state_dict({**model.state_dict(), **_state(directory)})
    model.generation_config.update(
        max_length=max_target_length(MAX_SOURCE_TOKENS),
        min_new_tokens=1,
        num_beams=4,
        length_penalty=directory.length_penalty,
        do_sample=False,
    )
    with _quiet():
        model.save_pretrained(folder)
    _write_tokenizer(directory, folder)
    if shape.norm == "post":
        ids = _SEPARATE
    else:
        ids = _SHARED.replace("$total", str(shape.target_vocab + shape.source_vocab))
        ids = ids.replace("$target", str(shape.target_vocab)).replace("$eos", str(shape.target_vocab + EOS))
    write_readme(folder, _README, directory, architecture=type(model).__name__, ids=ids)
    return HuggingFaceExport(folder, _source_offset(shape))


def _source_offset(shape: ModelConfig) -> int:
    """What is added to the ids of source tokens."""
    return 0 if shape.norm == "post" else shape.target_vocab


def _architecture(shape: ModelConfig) -> PreTrainedModel:
    """The model that fits, with weights still to come."""
    import transformers as hf

    common: dict[str, Any] = {
        "max_position_embeddings": 1024,
        "d_model": shape.d_model,
        "encoder_layers": shape.encoder_layers,
        "decoder_layers": shape.decoder_layers,
        "encoder_attention_heads": shape.n_heads,
        "decoder_attention_heads": shape.n_heads,
        "encoder_ffn_dim": shape.d_ff,
        "decoder_ffn_dim": shape.d_ff,
        "activation_function": shape.activation,
        "dropout": shape.dropout,
        "scale_embedding": True,
        "tie_word_embeddings": shape.tie_embeddings,
        "pad_token_id": PAD,
        "bos_token_id": BOS,
        "eos_token_id": EOS,
        "decoder_start_token_id": BOS,
        "forced_eos_token_id": None,
    }
    if shape.norm == "pre":
        vocab = shape.target_vocab + shape.source_vocab
        return hf.PegasusForConditionalGeneration(hf.PegasusConfig(vocab_size=vocab, **common)).eval()
    config = hf.MarianConfig(
        vocab_size=shape.source_vocab,
        decoder_vocab_size=shape.target_vocab,
        share_encoder_decoder_embeddings=False,
        **common,
    )
    return hf.MarianMTModel(config).eval()


# ── Weights ─────────────────────────────────────────────────────────────────────────────────────────────────

_NAMES = (  # ours → theirs, by regular expression
    (r"^(encoder|decoder)\.(\d+)", r"model.\1.layers.\2"),
    (r"^(encoder|decoder)_norm", r"model.\1.layer_norm"),
    (r"add_norm_1\.norm", "self_attn_layer_norm"),
    (r"(encoder.*)add_norm_2\.norm", r"\1final_layer_norm"),
    (r"(decoder.*)add_norm_2\.norm", r"\1encoder_attn_layer_norm"),
    (r"add_norm_3\.norm", "final_layer_norm"),
    (r"self_attention", "self_attn"),
    (r"cross_attention", "encoder_attn"),
    (r"\.w_([qkv])\.", r".\1_proj."),
    (r"\.w_o\.", ".out_proj."),
    (r"feed_forward\.w_([12])", r"fc\1"),
)


def _state(directory: ModelDirectory) -> dict[str, Tensor]:
    """Our weights under their names and in their order of d_model."""
    shape = directory.model
    ours = load_transformer(directory).state_dict()
    order = torch.cat((torch.arange(0, shape.d_model, 2), torch.arange(1, shape.d_model, 2)))
    ours = {name: _reordered(name, tensor, order) for name, tensor in ours.items()}
    source = ours.pop("source_embedding.tokens.weight")  # (V_source, d)
    target = ours.pop("target_embedding.tokens.weight")  # (V_target, d)
    output = ours.pop("output.weight")  # (V_target, d)
    theirs = {_their_name(name): tensor for name, tensor in ours.items()}
    if shape.norm == "post":
        theirs["model.encoder.embed_tokens.weight"] = source
        theirs["model.decoder.embed_tokens.weight"] = target
        theirs["lm_head.weight"] = output
        return theirs
    shared = torch.cat((target, source))  # (V_target + V_source, d)
    for place in ("shared", "encoder.embed_tokens", "decoder.embed_tokens"):
        theirs[f"model.{place}.weight"] = shared
    theirs["lm_head.weight"] = torch.cat((output, source))
    theirs["final_logits_bias"] = torch.zeros(1, len(shared))
    theirs["final_logits_bias"][:, len(target) :] = -math.inf
    return theirs


def _their_name(name: str) -> str:
    for ours, theirs in _NAMES:
        name = re.sub(ours, theirs, name)
    return name


def _reordered(name: str, tensor: Tensor, order: Tensor) -> Tensor:
    """``tensor`` with its d_model axis in the order ``order``: what writes d_model numbers, and what reads them."""
    if "norm" in name.split(".")[-2] or ".w_o." in name or ".w_2." in name:
        return tensor[order]  # (d) or (d, …)
    if name.endswith(".bias"):
        return tensor  # of w_q, w_k, w_v and w_1: numbers inside a head or the feed-forward
    return tensor[:, order]  # (…, d)


# ── Tokenizer ───────────────────────────────────────────────────────────────────────────────────────────────


def _write_tokenizer(directory: ModelDirectory, folder: Path) -> None:
    """Files for ``MarianTokenizer``, which reads SentencePiece models as they are."""
    offset = _source_offset(directory.model)
    source = {piece: i + offset for i, piece in enumerate(directory.source_tokenizer.vocabulary)}
    source[SPECIAL[PAD]] = PAD
    target = {piece: i for i, piece in enumerate(directory.target_tokenizer.vocabulary)}
    if offset:  # it would write out a </s> that has not the id of the source's; <s> it writes as nothing
        target[SPECIAL[BOS]] = target.pop(SPECIAL[EOS])
    settings = {
        "tokenizer_class": "MarianTokenizer",
        "source_lang": directory.source_language,
        "target_lang": directory.target_language,
        "separate_vocabs": True,
        "split_special_tokens": True,  # "<pad>" in a text is text
        "model_max_length": MAX_SOURCE_TOKENS,
    }
    for name, content in (
        ("vocab.json", source),
        ("target_vocab.json", target),
        ("tokenizer_config.json", settings),
    ):
        text = json.dumps(content, ensure_ascii=False, indent=2)
        (folder / name).write_text(text + "\n", "utf-8")


# ── Running it ──────────────────────────────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Transformers without progress bars and advice."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


class HuggingFaceExport:
    """See ``translit.export.check.Exported``."""

    def __init__(self, folder: Path, source_offset: int) -> None:
        from transformers import AutoModelForSeq2SeqLM

        with _quiet():
            self.model = AutoModelForSeq2SeqLM.from_pretrained(folder, local_files_only=True)
        self._offset = source_offset

    def greedy(self, sources: Sequence[Sequence[int]], limit: int) -> list[list[int]]:
        return self.generate(sources, limit, beam=1)

    def generate(self, sources: Sequence[Sequence[int]], limit: int, beam: int) -> list[list[int]]:
        """As ``greedy``, with the beam search of Transformers."""
        with _quiet():
            ids = self.model.generate(  # (B, 1 + T)
                **self._inputs(sources), num_beams=beam, max_new_tokens=limit
            )
        rows = ids[:, 1:].tolist()
        return [row[: row.index(EOS)] if EOS in row else row for row in rows]

    def log_probs(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[list[float]]:
        decoder_input = pad([[BOS, *target] for target in targets])  # (B, T)
        with torch.inference_mode():
            logits = self.model(**self._inputs(sources), decoder_input_ids=decoder_input).logits  # (B, T, V)
        return chosen(logits.log_softmax(dim=-1).tolist(), targets)

    def _inputs(self, sources: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        ids = pad([list(source) for source in sources])  # (B, S)
        real = ids != PAD
        return {"input_ids": torch.where(real, ids + self._offset, PAD), "attention_mask": real.long()}
