"""An explanation as JSON (``docs/explain-json.md``): every other view can be made from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import translit
from translit.explain.facts import Candidate, Step, entropy
from translit.explain.flow import Stage, blanks, flow
from translit.explain.record import PLACES
from translit.explain.words import piece_text

if TYPE_CHECKING:
    from torch import Tensor

    from translit.explain.beam import BeamTree
    from translit.explain.explanation import Explained, Explainer, Explanation
    from translit.explain.probes import LensRow
    from translit.explain.words import Word

FORMAT = "translit-explain"
VERSION = 2  # raise it when a reader of the old documents would misread a new one
FLOW_COLUMNS = 8  # dimensions of a vector that the flow shows
_SIGNIFICANT = 6  # digits of probabilities and scores
_DECIMALS = 4  # of attention weights: rows sum to 1 within keys · 0.00005


def document(explainer: Explainer, explained: Explained, *, layer: int = 0, head: int = 0) -> dict[str, Any]:
    """All about a text and its sentences; the flow follows ``layer`` and ``head``."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "translit": translit.__version__,
        "text": explained.text,
        "translation": explained.translation,
        "model": _model(explainer),
        "search": {
            "beam": explainer.settings.beam,
            "length_penalty": explainer.settings.length_penalty,
            "given_target": any(e.record.given and e.unrepaired is None for e in explained.sentences),
        },
        "sentences": [sentence(e, layer=layer, head=head) for e in explained.sentences],
    }


def sentence(explanation: Explanation, *, layer: int = 0, head: int = 0) -> dict[str, Any]:
    """One sentence of the document."""
    record = explanation.record
    return {
        "text": record.text,
        "translation": record.translation,
        "final": explanation.final or record.translation,
        "given": record.given,
        "unrepaired": explanation.unrepaired,
        "log_prob": _number(record.chosen_log_probs().sum().item()),
        "source": _tokens(record.source_ids, record.source_pieces, explanation.source_words),
        "target": _tokens(record.target_ids, record.target_pieces, explanation.target_words),
        "inputs": record.inputs,
        "steps": [_step(step) for step in explanation.steps],
        "attention": {kind: _weights(record.attention(kind)) for kind in PLACES},
        "head_entropy": {kind: _weights(entropy(record.attention(kind)).mean(-1)) for kind in PLACES},
        "sinks": [dataclasses.asdict(s) | {"share": _number(s.share)} for s in explanation.sinks],
        "alignment": _alignment(explanation),
        "lens": {
            "decoder": [_lens_row(row) for row in explanation.decoder_lens],
            "encoder": [_lens_row(row) for row in explanation.encoder_lens],
        },
        "occlusion": _occlusion(explanation),
        "beam": _beam(explanation.tree),
        "flow": {
            "layer": layer,
            "head": head,
            "stages": [_stage(stage) for stage in flow(explanation.model, record, layer, head)],
            "blanks": [_rounded(dataclasses.asdict(blank)) for blank in blanks(record)],
        },
    }


def _model(explainer: Explainer) -> dict[str, Any]:
    from translit.model.transformer import count_parameters

    directory, config = explainer.directory, explainer.directory.model
    return {
        "name": directory.path.name,
        "source_language": directory.source_language,
        "target_language": directory.target_language,
        "parameters": count_parameters(explainer.model),
        **dataclasses.asdict(config),
        "d_k": config.d_k,
        "alignment_head": directory.info.get("alignment_head"),
    }


def _tokens(ids: Sequence[int], pieces: Sequence[str], words: Sequence[Word]) -> dict[str, Any]:
    owner = {token: n for n, word in enumerate(words) for token in word.tokens}
    return {
        "tokens": [
            {"id": i, "piece": piece, "text": piece_text(piece), "word": owner[n]}
            for n, (i, piece) in enumerate(zip(ids, pieces, strict=True))
        ],
        "words": [{"text": word.text, "tokens": list(word.tokens)} for word in words],
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "prefix": step.prefix,
        "chosen": _candidate(step.chosen),
        "candidates": [_candidate(c) for c in step.candidates],
        "entropy": _number(step.entropy),
    }


def _candidate(c: Candidate) -> dict[str, Any]:
    return {
        "id": c.id,
        "piece": c.piece,
        "text": piece_text(c.piece),
        "probability": _number(c.probability),
        "rank": c.rank,
    }


def _alignment(explanation: Explanation) -> dict[str, Any]:
    layer, head = explanation.aligned_head
    return {
        "layer": layer,
        "head": head,
        "trained": explanation.head_is_trained,
        "aligned_head": _weights(explanation.alignment),
        "average": _weights(explanation.average_alignment),
    }


def _lens_row(row: LensRow) -> dict[str, Any]:
    cells = [
        {"candidates": [_candidate(c) for c in cell.candidates], "chosen": _candidate(cell.chosen)}
        for cell in row.cells
    ]
    return {"layer": row.layer, "translation": row.text, "steps": cells}


def _occlusion(explanation: Explanation) -> dict[str, Any]:
    return {
        "delta": _weights(explanation.occlusion),
        "words": _weights(explanation.word_occlusion),
        "agreement": {k: _rounded(dataclasses.asdict(a)) for k, a in explanation.agreement.items()},
    }


def _beam(tree: BeamTree | None) -> dict[str, Any] | None:
    if tree is None:
        return None
    return {
        "beam": tree.beam,
        "length_penalty": tree.length_penalty,
        "decided": tree.decided,
        "split": tree.split,
        "ended": [_rounded(dataclasses.asdict(e)) for e in tree.ended],
        "nodes": [_rounded(dataclasses.asdict(n)) for n in tree.nodes],
    }


def _stage(stage: Stage) -> dict[str, Any]:
    values = stage.values if stage.columns else stage.values[:, :FLOW_COLUMNS]
    return {
        "part": stage.part,
        "key": stage.key,
        "formula": stage.formula,
        "shape": list(stage.shape),
        "rows": stage.rows,
        "columns": stage.columns,
        "values": _weights(values),
    }


def _number(value: float) -> float:
    return float(f"{value:.{_SIGNIFICANT}g}")


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {k: _number(v) if isinstance(v, float) else v for k, v in values.items()}


def _weights(weights: Tensor) -> Any:
    """Nested lists of ``weights``, rounded to ``_DECIMALS``."""
    return weights.double().round(decimals=_DECIMALS).add(0.0).tolist()  # + 0: no "-0.0"
