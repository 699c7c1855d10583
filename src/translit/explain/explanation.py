"""A sentence explained: the record of its decode, and every fact about it, computed when first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from translit.decoding.search import BeamStep, SearchSettings, search
from translit.errors import TranslitError
from translit.explain import facts, probes
from translit.explain.beam import BeamTree, build_tree
from translit.explain.facts import Sink, Step
from translit.explain.record import PLACES, Record, record_pass
from translit.explain.words import Word, group_words
from translit.text.normalize import normalize_source, normalize_target
from translit.text.tokenizer import EOS

if TYPE_CHECKING:
    from torch import Tensor

    from translit.model.transformer import Transformer
    from translit.model_directory import ModelDirectory

LENS_K = 3  # candidates kept in each cell of a lens


@dataclass
class Explanation:
    """One sentence. W target words, U source words, L layers, h heads; layers and heads count from 0."""

    model: Transformer
    directory: ModelDirectory
    record: Record
    tree: BeamTree | None  # None for a given translation
    top_k: int = 5

    @cached_property
    def source_words(self) -> list[Word]:
        return group_words(self.record.source_pieces)

    @cached_property
    def target_words(self) -> list[Word]:
        return group_words(self.record.target_pieces)

    @cached_property
    def vocabulary(self) -> list[str]:
        return self.directory.target_tokenizer.vocabulary

    @cached_property
    def steps(self) -> list[Step]:
        return facts.steps(self.record, self.top_k, self.vocabulary)

    @cached_property
    def head_is_trained(self) -> bool:
        """Does the model's config name its alignment head?"""
        return "alignment_head" in self.directory.info

    @cached_property
    def aligned_head(self) -> tuple[int, int]:
        """(layer, head) of the cross-attention that aligns: the model's own, else the likeliest."""
        if self.head_is_trained:
            layer, head = self.directory.info["alignment_head"]
            return layer, head
        return facts.choose_alignment_head(self.record.attention("cross"), self.source_words)

    @cached_property
    def alignment(self) -> Tensor:
        """(W, U) attention between words in the aligned head."""
        layer, head = self.aligned_head
        return self._between_words(self.record.attention("cross")[layer, head])

    @cached_property
    def average_alignment(self) -> Tensor:
        """(W, U) attention between words, the mean of all heads of all layers."""
        return self._between_words(self.record.attention("cross").mean((0, 1)))

    @cached_property
    def sinks(self) -> list[Sink]:
        return [sink for kind in PLACES for sink in facts.sinks(self.record, kind)]

    @cached_property
    def decoder_lens(self) -> list[probes.LensRow]:
        return probes.decoder_lens(self.model, self.record, LENS_K, self.vocabulary)

    @cached_property
    def encoder_lens(self) -> list[probes.LensRow]:
        return probes.encoder_lens(self.model, self.record, LENS_K, self.directory.target_tokenizer)

    @cached_property
    def occlusion(self) -> Tensor:
        """(T, U) drop in log-probability of each written token without each source word."""
        return probes.occlusion(self.model, self.record, self.source_words)

    @cached_property
    def word_occlusion(self) -> Tensor:
        """(W, U): the drops of a word's tokens add up to the word's."""
        import torch

        return torch.stack([self.occlusion[list(w.tokens)].sum(0) for w in self.target_words])

    @cached_property
    def agreement(self) -> dict[str, probes.Agreement]:
        """Attention against occlusion, for the aligned head and for the average of all."""
        words = self.target_words, self.source_words
        views = {"aligned_head": self.alignment, "average": self.average_alignment}
        return {k: probes.agreement(view, self.word_occlusion, *words) for k, view in views.items()}

    def _between_words(self, weights: Tensor) -> Tensor:
        return facts.word_weights(weights, self.target_words, self.source_words)


@dataclass
class Explainer:
    """A loaded model that explains sentences."""

    directory: ModelDirectory
    settings: SearchSettings = field(default_factory=SearchSettings)

    @cached_property
    def model(self) -> Transformer:
        from translit.engines.torch_engine import load_transformer

        return load_transformer(self.directory)

    def explain(self, sentence: str, target: str | None = None, top_k: int = 5) -> Explanation:
        """Translate ``sentence`` (or follow the given ``target``) and keep everything.

        The sentence is one sentence: ``split`` cuts a text. Raises TranslitError when there is nothing to
        explain.
        """
        text = normalize_source(sentence)
        if not text:
            raise TranslitError("explain: the text is empty; give a sentence to explain")
        source = [*self.directory.source_tokenizer.encode(text), EOS]
        tree = None
        if target is None:
            ids, tree = self._search(source)
        else:
            ids = [*self.directory.target_tokenizer.encode(normalize_target(target)), EOS]
        tokenizers = self.directory.source_tokenizer, self.directory.target_tokenizer
        record = record_pass(self.model, text, source, ids, tokenizers, given=target is not None)
        return Explanation(self.model, self.directory, record, tree, top_k)

    def explain_text(self, text: str, target: str | None = None, top_k: int = 5) -> list[Explanation]:
        """Explain every sentence of ``text``; with a given ``target`` the text counts as one sentence."""
        from translit.text.split import split

        if target is not None or not text.strip():
            return [self.explain(text, target, top_k)]
        sentences = [p.text for p in split(text, self.directory.source_language) if p.text.strip()]
        return [self.explain(sentence, None, top_k) for sentence in sentences]

    def _search(self, source: Sequence[int]) -> tuple[list[int], BeamTree]:
        """The best translation, ``</s>`` included if it was written, and how it was found."""
        seen: list[BeamStep] = []
        best = search(self.model, [source], self.settings, observer=seen.append)[0][0]
        tokenizer = self.directory.target_tokenizer
        tree = build_tree(
            seen, self.settings.beam, self.settings.length_penalty, tokenizer.vocabulary, tokenizer.decode
        )
        ended = len(best.log_probs) > len(best.ids)
        return [*best.ids, EOS] if ended else list(best.ids), tree
