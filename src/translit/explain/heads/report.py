"""What is known about every head of a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from translit.explain.record import PLACES, Kind


@dataclass(frozen=True)
class Relation:
    """How well a head follows one grammatical relation."""

    name: str
    direction: str  # "to head": from a word to its head; "to dependent": the other way
    accuracy: float  # share of these words whose most attended other word is the right one
    baseline: float  # the same for always looking at the best fixed distance
    count: int


@dataclass(frozen=True)
class Aer:
    """Alignment error rates of a cross-attention head: 0 is perfect, 1 all wrong."""

    all: float  # every target word is linked to the source word it looks at most
    annotated: float  # only the target words that the annotators aligned
    after: float  # as ``all``, but read one step later, when the word is the decoder's input


@dataclass(frozen=True)
class HeadFacts:
    """One head over the corpus. Shares are of its attention, averaged over all queries but the
    decoder's first, which sees only itself; None: makes no sense here."""

    kind: Kind
    layer: int  # from 0
    head: int  # from 0
    entropy: float  # bits
    previous: float | None  # share on the token before
    same: float | None  # share on the token itself
    next: float | None  # share on the token after
    separators: float  # share on <s> and </s>
    punctuation: float
    rare: float  # share on the least frequent tokens, which are 10 % of the text
    distance: float  # mean tokens between query and key (cross: from the diagonal)
    aer: Aer | None = None  # cross only, with hand-made alignments
    importance: float | None = None  # rise of the loss, nats a token, when the head is silenced
    relations: list[Relation] = field(default_factory=list)

    @property
    def place(self) -> str:
        """The name of its sub-layer in a trace."""
        stack, name = PLACES[self.kind]
        return f"{stack}.{self.layer}.{name}"


@dataclass(frozen=True)
class HeadReport:
    """All heads of a model."""

    heads: list[HeadFacts]
    sentences: int
    tokens: int  # source and target
    loss: float | None  # nats a target token, nothing silenced, on the sentences of the importance
    masked_sentences: int
    aligned_sentences: int
    unmatched: int  # aligned sentences left out: no words, or words that could not be matched to the text
    average_aer: Aer | None  # of the mean of all cross-attention heads
    diagonal_aer: float | None  # of the trivial alignment along the diagonal, for comparison
    trees: int = 0  # dependency trees used for the relations
    unmatched_trees: int = 0  # trees left out: their words could not be matched to the text

    def of(self, kind: Kind) -> list[HeadFacts]:
        return [h for h in self.heads if h.kind == kind]

    @property
    def aligner(self) -> HeadFacts | None:
        """The cross-attention head with the lowest alignment error rate.

        A head that fits better when read one step later follows the token that the decoder has just read, not the
        one that it is choosing (Chen et al. 2020): beside the chosen token it would look wrong by one.
        """
        measured = [(h.aer, h) for h in self.of("cross") if h.aer is not None]
        choosing = [pair for pair in measured if pair[0].all <= pair[0].after]
        return min(choosing or measured, key=lambda pair: pair[0].all)[1] if measured else None
