"""A sentence explained: the record of its decode, and every fact about it, computed when first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from translit.decoding.search import BeamStep, SearchSettings, search
from translit.decoding.settings import Hypothesis
from translit.engines.torch_engine import TorchEngine
from translit.errors import TranslitError
from translit.explain import facts, probes
from translit.explain.beam import BeamTree, build_tree
from translit.explain.facts import Sink, Step
from translit.explain.heads.alignment import named_aligner
from translit.explain.record import PLACES, Record, record_pass
from translit.explain.words import Word, group_words
from translit.pairs import Tagged
from translit.sentence import Attempt, Draft
from translit.text.normalize import normalize_source, normalize_target
from translit.text.tokenizer import EOS
from translit.translator import Translation, Translator

if TYPE_CHECKING:
    from torch import Tensor

    from translit.model.transformer import Transformer
    from translit.model_directory import ModelDirectory
    from translit.translator import _Part

LENS_K = 3  # candidates kept in each cell of a lens


@dataclass
class Explanation:
    """One sentence. W target words, U source words, L layers, h heads; layers and heads count from 0."""

    model: Transformer
    directory: ModelDirectory
    record: Record
    tree: BeamTree | None  # None for a given translation
    top_k: int = 5
    final: str | None = None  # the translation as ``translate`` gives it, if the model's words were finished
    unrepaired: str | None = None  # what the model wrote by itself, where that had to be put right

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
        return named_aligner(self.directory) is not None

    @cached_property
    def aligned_head(self) -> tuple[int, int]:
        """(layer, head) of the cross-attention that aligns: the model's own, else the likeliest."""
        named = named_aligner(self.directory)
        return named or facts.choose_alignment_head(self.record.attention("cross"), self.source_words)

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
class Explained:
    """A text with its translation, and the explanation of each sentence that the model translated."""

    text: str
    translation: str
    sentences: list[Explanation]


@dataclass
class Explainer:
    """A loaded model that explains what it writes."""

    directory: ModelDirectory
    settings: SearchSettings = field(default_factory=SearchSettings)

    @cached_property
    def model(self) -> Transformer:
        engine = self._translator.engine
        assert isinstance(engine, TorchEngine)
        return engine.model

    @cached_property
    def _translator(self) -> _Witness:
        return _Witness(
            self.directory.path,
            engine="torch",
            beam=self.settings.beam,
            length_penalty=self.settings.length_penalty,
        )

    def explain(self, text: str, top_k: int = 5) -> Explained:
        """Translate ``text`` as ``translit translate --engine torch`` does, and explain every sentence of it.

        Raises TranslitError when the model has nothing to do in it.
        """
        if not text.strip():
            raise TranslitError("explain: the text is empty; give a sentence to explain")
        self._translator.forget()
        translation = self._translator.translate([text])[0].text
        decodes = self._translator.decodes
        if not decodes:
            raise TranslitError(
                "explain: nothing in the text needs the model, it is copied as it is; give an English sentence"
            )
        sentences = [self._explain_decode(decode, top_k) for decode in decodes]
        return Explained(text, translation, sentences)

    def explain_given(self, text: str, target: str, top_k: int = 5) -> Explained:
        """Explain ``target`` as the translation of ``text``, one sentence (teacher forcing)."""
        source = [*self.directory.source_tokenizer.encode(normalize_source(text)), EOS]
        if len(source) == 1:
            raise TranslitError("explain: the text is empty; give a sentence to explain")
        ids = [*self.directory.target_tokenizer.encode(normalize_target(target)), EOS]
        record = self._record(text, source, ids, given=True)
        return Explained(text, target, [Explanation(self.model, self.directory, record, None, top_k)])

    def _explain_decode(self, decode: _Decode, top_k: int) -> Explanation:
        """Search once more, watched, for the tree; the tokens are those of the translation.

        Where the translation was put right after the search (``Translator._insist``), the model is made to write
        it as it is, and there is no tree.
        """
        seen: list[BeamStep] = []
        settings = replace(self.settings, no_repeat_ngram=decode.no_repeat_ngram)
        best = search(self.model, [decode.source], settings, observer=seen.append)[0][0]
        tokenizer = self.directory.target_tokenizer
        found = tokenizer.decode(best.ids)
        if tokenizer.decode(decode.ids) != found:
            record = self._record(decode.text, decode.source, [*decode.ids, EOS], given=True)
            return Explanation(self.model, self.directory, record, None, top_k, decode.final, found)
        tree = build_tree(
            seen, settings.beam, settings.length_penalty, tokenizer.vocabulary, tokenizer.decode
        )
        ended = len(best.log_probs) > len(best.ids)
        record = self._record(
            decode.text, decode.source, [*best.ids, EOS] if ended else best.ids, given=False
        )
        return Explanation(self.model, self.directory, record, tree, top_k, decode.final)

    def _record(self, text: str, source: Sequence[int], ids: Sequence[int], *, given: bool) -> Record:
        tokenizers = self.directory.source_tokenizer, self.directory.target_tokenizer
        return record_pass(self.model, normalize_source(text), source, ids, tokenizers, given=given)


@dataclass(frozen=True)
class _Decode:
    """One sentence on its way through the model, in the attempt that was kept."""

    text: str  # what the model read
    source: list[int]
    no_repeat_ngram: int
    ids: list[int]  # what was kept of the model's output, without </s>
    final: str  # the translation after all was put back


class _Witness(Translator):
    """A translator that remembers which attempt at each sentence it kept."""

    def forget(self) -> None:
        """Remember nothing of earlier texts."""
        self.decodes: list[_Decode] = []  # of the sentences of the text, in order
        self._tried: list[tuple[Draft, _Decode]] = []

    def _assemble(
        self, line: str, plan: Sequence[_Part], drafts: Mapping[str, Draft], seconds: float
    ) -> Translation:
        # Asked here, not where drafts are made: what stands between two tags is drafted, too, but is no sentence.
        for sentence in dict.fromkeys(s for part in plan for s in part.sentences):
            kept = drafts[sentence]
            self.decodes += [decode for draft, decode in self._tried if draft is kept]
        return super()._assemble(line, plan, drafts, seconds)

    def _placed(self, sentence: str, tagged: Tagged, plain: Draft, insides: Sequence[str]) -> Draft | None:
        """The draft with its tags comes from the same decode as the one without."""
        placed = super()._placed(sentence, tagged, plain, insides)
        if placed is not None:
            same = [replace(decode, final=placed.text) for draft, decode in self._tried if draft is plain]
            self._tried += [(placed, decode) for decode in same]
        return placed

    def _draft(self, sentence: str, attempt: Attempt, found: Sequence[Hypothesis]) -> Draft:
        draft = super()._draft(sentence, attempt, found)
        source, ids = self._encode(attempt.text), list(found[0].ids)
        self._tried.append((draft, _Decode(attempt.text, source, attempt.no_repeat_ngram, ids, draft.text)))
        return draft
