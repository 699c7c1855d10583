"""The beam tree: every continuation that the search weighed, and where the winner was decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from translit.decoding.search import BeamStep


@dataclass(frozen=True)
class Node:
    """One continuation: a token written after its parent's."""

    id: int
    parent: int | None  # id of the node it continues; None at the first step
    step: int  # 0 for the first token
    token: int
    piece: str
    log_prob: float  # of this token
    score: float  # log-probability of everything up to here
    fate: Literal["kept", "ended", "dropped"]
    final_score: float | None  # score / length^α, if ended
    winner: bool  # is it part of the winning translation?


@dataclass(frozen=True)
class Ended:
    """A finished translation of the beam."""

    text: str
    score: float  # score / length^α
    log_prob: float
    node: int  # its last node


@dataclass(frozen=True)
class BeamTree:
    """The whole search of one sentence."""

    beam: int
    length_penalty: float
    nodes: list[Node]
    ended: list[Ended]  # best first; the first is the translation
    decided: (
        int | None
    )  # step from which on the winner always led; None: it won only when lengths were weighed
    split: int | None  # step where the best rival parted from the winner; None: no rival ended

    def path(self, node: int) -> list[Node]:
        """The nodes from the first step to ``node``."""
        path: list[Node] = []
        here: int | None = node
        while here is not None:
            path.insert(0, self.nodes[here])
            here = self.nodes[here].parent
        return path


def build_tree(
    steps: Sequence[BeamStep],
    beam: int,
    length_penalty: float,
    vocabulary: Sequence[str],
    decode: Callable[[list[int]], str],
) -> BeamTree:
    """Link what an observer of ``search`` saw of one sentence into a tree. ``decode`` spells token ids."""
    nodes: list[Node] = []
    parents: dict[int, int | None] = {0: None}  # which node sits at each place of the beam
    for n, step in enumerate(steps):
        places: dict[int, int | None] = {}
        for c in step.candidates:
            if c.parent not in parents or c.score < _IMPOSSIBLE:
                continue
            node = Node(
                len(nodes), parents[c.parent], n, c.token, vocabulary[c.token], c.log_prob, c.score, c.fate,
                c.final_score, winner=False,
            )  # fmt: skip
            nodes.append(node)
            if c.beam is not None:
                places[c.beam] = node.id
        parents = places
    tree = BeamTree(beam, length_penalty, nodes, [], None, None)
    last = sorted((n for n in nodes if n.fate == "ended"), key=_final_score, reverse=True)
    paths = [tree.path(n.id) for n in last]
    ended = [
        Ended(decode([x.token for x in path]), _final_score(n), n.score, n.id)
        for n, path in zip(last, paths, strict=True)
    ]
    for node in paths[0]:
        nodes[node.id] = replace(node, winner=True)
    return replace(tree, ended=ended, decided=_decided(nodes), split=_split(paths))


_IMPOSSIBLE = -1e9  # the search's score of a candidate that stands for nothing


def _final_score(node: Node) -> float:
    assert node.final_score is not None
    return node.final_score


def _decided(nodes: Sequence[Node]) -> int | None:
    """The first step from which the winner's beginning has the best score of all, to its end."""
    winner = [n for n in nodes if n.winner]
    decided: int | None = None
    for node in winner:
        leads = node.score >= max(n.score for n in nodes if n.step == node.step)
        decided = None if not leads else node.step if decided is None else decided
    return decided


def _split(paths: Sequence[Sequence[Node]]) -> int | None:
    """The first step where the second-best translation differs from the best."""
    if len(paths) < 2:
        return None
    winner, rival = paths[:2]
    for a, b in zip(winner, rival, strict=False):
        if a.id != b.id:
            return a.step
    return min(len(winner), len(rival))
