"""A tiny random model, loaded once for all tests of the explanations."""

from __future__ import annotations

from pathlib import Path

import pytest

from translit.decoding.search import SearchSettings
from translit.explain.explanation import Explainer, Explanation
from translit.model_directory import ModelDirectory

SENTENCE, TARGET = "I love you, my old friend.", "我爱你，老Python。"


@pytest.fixture(scope="session")
def explainer(tiny_model_dir: Path) -> Explainer:
    return Explainer(ModelDirectory.open(tiny_model_dir), SearchSettings(beam=3))


@pytest.fixture(scope="session")
def searched(explainer: Explainer) -> Explanation:
    """A sentence that the model translated itself."""
    return explainer.explain(SENTENCE).sentences[0]


@pytest.fixture(scope="session")
def forced(explainer: Explainer) -> Explanation:
    """A sentence with a given translation."""
    return explainer.explain_given(SENTENCE, TARGET).sentences[0]
