"""The beam tree is the search that happened."""

from __future__ import annotations

import pytest

from translit.decoding.search import search
from translit.explain.explanation import Explainer, Explanation


def test_the_winner_is_a_path_that_spells_the_translation(searched: Explanation) -> None:
    tree = searched.tree
    assert tree is not None
    path = tree.path(tree.ended[0].node)
    assert [n.token for n in path] == searched.record.target_ids
    assert [n.id for n in tree.nodes if n.winner] == [n.id for n in path]
    assert [n.step for n in path] == list(range(len(path)))
    assert sum(n.log_prob for n in path) == pytest.approx(path[-1].score, abs=1e-3)


def test_finished_translations_are_the_n_best(explainer: Explainer, searched: Explanation) -> None:
    tree = searched.tree
    assert tree is not None
    scores = [e.score for e in tree.ended]
    assert scores == sorted(scores, reverse=True)
    best = search(explainer.model, [searched.record.source_ids], explainer.settings)[0][0]
    assert scores[0] == pytest.approx(best.score, abs=1e-5)


def test_children_continue_their_parents(searched: Explanation) -> None:
    tree = searched.tree
    assert tree is not None
    for node in tree.nodes:
        if node.parent is not None:
            parent = tree.nodes[node.parent]
            assert parent.step == node.step - 1
            assert parent.fate == "kept"
            assert node.score == pytest.approx(parent.score + node.log_prob, abs=1e-4)


def test_decided_is_the_step_from_which_the_winner_leads(searched: Explanation) -> None:
    tree = searched.tree
    assert tree is not None
    leads = [
        node.score >= max(n.score for n in tree.nodes if n.step == node.step)
        for node in tree.path(tree.ended[0].node)
    ]
    if tree.decided is None:
        assert not leads[-1]
    else:
        assert all(leads[tree.decided :])
        assert tree.decided == 0 or not leads[tree.decided - 1]


def test_split_is_where_the_best_rival_left(searched: Explanation) -> None:
    tree = searched.tree
    assert tree is not None
    assert tree.split is not None
    winner, rival = (tree.path(e.node) for e in tree.ended[:2])
    assert [n.id for n in winner[: tree.split]] == [n.id for n in rival[: tree.split]]
    assert winner[tree.split].id != rival[tree.split].id
