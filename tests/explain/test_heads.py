"""What heads do: known attention in, known numbers out; hand-made annotations matched to tokens."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from rich.console import Console

from translit.errors import TranslitError
from translit.explain.captions import TEXTS
from translit.explain.explanation import Explainer
from translit.explain.gold import AlignedPair, Tree, read_aligned, read_conllu, word_shares
from translit.explain.heads import HeadFacts, HeadReport, measure
from translit.explain.heads.alignment import (
    _normalized_target_words,
    alignment_error_rate,
    alignment_errors,
    named_aligner,
)
from translit.explain.heads.attention import Categories, Totals
from translit.explain.heads.habits import champions, habit, layer_means, ranking
from translit.explain.heads.report import Aer
from translit.explain.language import Captions
from translit.explain.record import Kind
from translit.explain.terminal.heads import _verdict, show_report
from translit.model.trace import Trace
from translit.model.transformer import pad
from translit.text.tokenizer import BOS, EOS, PAD

PAIRS = [("I love you.", "我爱你。"), ("Good morning!", "早上好！"), ("He has 3 cats.", "他有3只猫。")]
ALIGNED = {
    "x.en": "I love you.\nGood morning!\n",
    "x.zh": "我爱你。\n早上好！\n",
    "x.tok.en": "I love you .\nGood morning !\n",
    "x.tok.zh": "我 爱 你 。\n早上 好 ！\n",
    "x.align": "0-0 1-1 2-2\n0-1 1-0\n",
}
CONLLU = (
    "# text = I love you.\n"
    + "\n".join(
        f"{n}\t{word}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_"
        for n, (word, head, relation) in enumerate(
            [("I", 2, "nsubj"), ("love", 0, "root"), ("you", 2, "obj"), (".", 2, "punct")], 1
        )
    )
    + "\n\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("aligned")
    for name, text in ALIGNED.items():
        (path / name).write_text(text, "utf-8")
    return path


@pytest.fixture(scope="module")
def report(explainer: Explainer, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> HeadReport:
    trees = tmp_path_factory.mktemp("trees") / "t.conllu"
    trees.write_text(CONLLU * 20, "utf-8")
    return measure(
        explainer.model,
        explainer.directory,
        PAIRS,
        aligned=read_aligned(folder),
        trees=list(read_conllu(trees)),
        importance=2,
    )


# ── Attention ───────────────────────────────────────────────────────────────────────────────────────────────


def _facts(weights: list[list[float]], ids: list[int], kind: Kind = "encoder") -> HeadFacts:
    """The facts of one head with ``weights`` over one padded sentence of tokens ``ids``."""
    vocabulary = ["<pad>", "<unk>", "<s>", "</s>", "▁a", "▁b", ","]
    categories = Categories(vocabulary, [[4] * 9 + [5]])  # "b" is a tenth of the text, so it is rare
    total = Totals()
    sentence = torch.tensor([ids])
    total.add(torch.tensor(weights)[None, None, None], sentence, sentence, categories, kind)
    return total.facts(kind)[0]


def test_neighbours_and_distance() -> None:
    """Token 0 looks at itself, 1 at 0, 2 half at 1 and half at 0; the fourth is padding and does not count."""
    weights = [[1, 0, 0, 0], [1, 0, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 0, 1]]
    head = _facts([[float(w) for w in row] for row in weights], [4, 4, EOS, PAD])
    assert head.same == pytest.approx(1 / 3)
    assert head.previous == pytest.approx((1 + 0.5) / 2)  # of the two that have a token before them
    assert head.next == 0
    assert head.distance == pytest.approx((0 + 1 + 1.5) / 3)
    assert head.entropy == pytest.approx(1 / 3)


def test_kinds_of_tokens() -> None:
    weights = [[0.1, 0.2, 0.3, 0.4]] * 4
    head = _facts(weights, [4, 5, 6, EOS])
    assert (head.rare, head.punctuation, head.separators) == pytest.approx((0.2, 0.3, 0.4))


def test_the_decoders_first_query_does_not_count() -> None:
    """<s> can look at nothing but itself; the second token looks at itself, too, the third at the second."""
    head = _facts([[1.0, 0, 0], [0, 1, 0], [0, 1, 0]], [BOS, 4, 5], "decoder")
    assert (head.same, head.previous, head.separators) == (0.5, 0.5, 0)
    assert head.distance == 0.5


def test_measures_do_not_depend_on_padding(explainer: Explainer) -> None:
    """A short sentence measured alone and in a batch with a longer one."""
    alone = [measure(explainer.model, explainer.directory, [p], importance=0) for p in PAIRS[:2]]
    both = measure(explainer.model, explainer.directory, PAIRS[:2], importance=0)
    for n, head in enumerate(both.heads):
        if head.kind == "encoder":
            sizes = [len(explainer.directory.source_tokenizer.encode(s)) + 1 for s, _ in PAIRS[:2]]
            mean = sum(r.heads[n].entropy * size for r, size in zip(alone, sizes, strict=True)) / sum(sizes)
            assert head.entropy == pytest.approx(mean, abs=1e-5)


# ── Alignment ───────────────────────────────────────────────────────────────────────────────────────────────


def test_alignment_error_rate() -> None:
    assert alignment_error_rate(found=4, right=4, sure=4) == 0
    assert alignment_error_rate(found=4, right=0, sure=4) == 1
    assert alignment_error_rate(found=4, right=2, sure=2) == pytest.approx(1 - 4 / 6)


def test_word_shares_divide_tokens_among_words() -> None:
    shares = word_shares(["▁don", "'t", "▁", "go", "ne."], ["do", "n't", "gone", "."])
    assert shares is not None
    expected = [[2 / 3, 1 / 3, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 2 / 3, 1 / 3]]
    assert torch.allclose(shares, torch.tensor(expected))
    assert word_shares(["▁other"], ["word"]) is None


def test_aer_of_a_head_that_looks_where_the_annotators_did(
    explainer: Explainer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replace one head's attention by a perfect alignment: its AER is 0 where the links are complete."""
    from translit.explain.heads import alignment

    directory = explainer.directory
    pair = read_aligned(folder)[0]
    source = directory.source_tokenizer.pieces(directory.source_tokenizer.encode(pair.source))
    target = directory.target_tokenizer.pieces(directory.target_tokenizer.encode(pair.target))
    to_source, to_target = word_shares(source, pair.source_words), word_shares(target, pair.target_words)
    assert to_source is not None
    assert to_target is not None
    gold = torch.eye(4)
    perfect = torch.zeros(len(target) + 2, len(source) + 1)
    perfect[: len(target), : len(source)] = to_target @ gold @ to_source.T

    class Perfect(Trace):
        def __getitem__(self, name: str) -> torch.Tensor:
            weights = super().__getitem__(name).clone()
            weights[:, 1] = perfect
            return weights

    monkeypatch.setattr(alignment, "Trace", Perfect)
    found = alignment.alignment_errors(explainer.model, directory, [pair], lambda *_: None)
    assert found.rates[0, 1].all == 0
    assert found.rates[0, 1].annotated == 0
    assert found.sentences == 1


def _pair(source_words: str, target_words: str) -> AlignedPair:
    source, target = source_words.split(), target_words.split()
    return AlignedPair(
        source_words, "".join(target), source, target, {(0, 0)} if source and target else set()
    )


def test_words_are_not_cut_at_wrong_places() -> None:
    """Typography makes …… of ..., so that word lengths no longer tell where words end."""
    assert _normalized_target_words(_pair("I you", "我 , 你")) == ["我", "，", "你"]
    assert _normalized_target_words(_pair("I you", "我 ... 你")) is None


def test_empty_pairs_are_left_out_and_counted(explainer: Explainer) -> None:
    pairs = [_pair("I love you .", "我 爱 你 。"), _pair("", ""), _pair("I", ""), _pair("", "我")]
    found = alignment_errors(explainer.model, explainer.directory, pairs, lambda *_: None)
    assert (found.sentences, found.unmatched) == (1, 3)
    with pytest.raises(TranslitError, match="none of the 3 sentences can be used"):
        alignment_errors(explainer.model, explainer.directory, pairs[1:], lambda *_: None)


def test_the_models_aligner_must_be_a_head_of_it(explainer: Explainer) -> None:
    def named(entry: object) -> tuple[int, int] | None:
        return named_aligner(replace(explainer.directory, info={"alignment_head": entry}))

    assert named_aligner(replace(explainer.directory, info={})) is None
    assert named(None) is None
    assert named([1, 3]) == (1, 3)
    for wrong in ([9, 0], [0, -1], [0], [0, 1, 2], "11", 3, [True, 0], {"layer": 0}):
        with pytest.raises(TranslitError, match=r"config\.json: info\.alignment_head is"):
            named(wrong)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.align", "0-0\n²-0\n", "x.align:2: '²-0' is not a link"),
        ("x.align", "0-0\n9-0\n", "x.align:2: link 9-0 points past the last word"),
        ("x.align", "0-0\n0:0\n", "x.align:2: '0:0' is not a link"),
        ("x.zh", "我爱你。\n", "1 lines, but x.align has 2"),
    ],
)
def test_bad_alignments_name_file_and_line(
    folder: Path, tmp_path: Path, name: str, text: str, message: str
) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(TranslitError, match=message):
        read_aligned(tmp_path)


def test_a_folder_without_alignments_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TranslitError, match=r"0 \.align files"):
        read_aligned(tmp_path)


# ── Relations and importance ────────────────────────────────────────────────────────────────────────────────


def test_conllu(tmp_path: Path) -> None:
    path = tmp_path / "t.conllu"
    path.write_text(
        CONLLU + "1-2\tIt's\t_\t_\t_\t_\t_\t_\t_\t_\n1\tIt\t_\t_\t_\t_\t0\troot:x\t_\t_\n", "utf-8"
    )
    first, second = read_conllu(path)
    assert (first.text, first.words) == ("I love you.", ["I", "love", "you", "."])
    assert first.heads == [1, -1, 1, 1]
    assert (second.text, second.relations) == ("It", ["root"])
    path.write_text("1\tIt\n", "utf-8")
    with pytest.raises(TranslitError, match=r"t\.conllu:1: 2 columns"):
        list(read_conllu(path))
    path.write_text(CONLLU.replace("\t2\tobj", "\t9\tobj"), "utf-8")
    with pytest.raises(TranslitError, match=r"t\.conllu:4: head 9 is past the last word, 4"):
        list(read_conllu(path))


def test_trees_that_do_not_spell_their_text_are_counted(explainer: Explainer) -> None:
    tree = Tree("I love you.", ["I", "love", "you", "."], [1, -1, 1, 1], ["nsubj", "root", "obj", "punct"])
    trees = [tree, replace(tree, text="I love them.")]
    report = measure(explainer.model, explainer.directory, PAIRS[:1], trees=trees, importance=0)
    assert (report.trees, report.unmatched_trees) == (1, 1)
    assert "1 of 2 trees were left out" in _shown(explainer, report)


def test_relations_against_the_best_fixed_distance(report: HeadReport) -> None:
    head = report.of("encoder")[0]
    found = {(r.name, r.direction): r for r in head.relations}
    assert set(found) == {(n, d) for n in ("nsubj", "obj") for d in ("to head", "to dependent")}
    assert all(r.count == 20 and r.baseline == 1 and r.accuracy in (0, 1) for r in found.values())
    assert not report.of("cross")[0].relations


def test_importance_is_the_loss_without_the_head(explainer: Explainer, report: HeadReport) -> None:
    model = explainer.model
    from translit.explain.heads.examples import encode
    from translit.explain.heads.importance import sample

    examples = sample(encode(explainer.directory, PAIRS), 2)
    head = report.of("encoder")[3]
    losses = []
    for dropped in ([], [(head.place, head.head)]):
        total = tokens = 0.0
        for e in examples:
            with torch.inference_mode():
                logits = model(pad([e.source]), pad([e.target[:-1]]), Trace(dropped))[0]
            answers = torch.tensor(e.target[1:])
            total += torch.nn.functional.cross_entropy(logits, answers, reduction="sum").item()
            tokens += len(answers)
        losses.append(total / tokens)
    assert report.loss == pytest.approx(losses[0], abs=1e-5)
    assert head.importance == pytest.approx(losses[1] - losses[0], abs=1e-5)
    assert (examples[0].target[0], examples[0].target[-1]) == (BOS, EOS)


# ── Habits and views ────────────────────────────────────────────────────────────────────────────────────────


def _head(**changes: object) -> HeadFacts:
    shares = dict.fromkeys(("previous", "same", "next", "separators", "punctuation", "rare"), 0.1)
    values = {"kind": "encoder", "layer": 0, "head": 0, "entropy": 3.0, "distance": 5.0, **shares}
    return HeadFacts(**{**values, **changes})  # type: ignore[arg-type]  # test data


def test_habits() -> None:
    assert habit(_head(previous=0.8)).name == "previous"
    assert habit(_head(separators=0.9)).name == "separators"
    assert habit(_head(distance=1.0)).name == "local"
    assert habit(_head()).name == "mixed"
    aligner = _head(kind="cross", aer=Aer(0.3, 0.2, 0.4))
    assert habit(aligner, diagonal=0.7).name == "aligns"
    assert habit(aligner, diagonal=0.2).name == "mixed"  # the diagonal does better


def _shown(explainer: Explainer, report: HeadReport) -> str:
    out = io.StringIO()
    console = Console(file=out, width=100, highlight=False, markup=False, emoji=False)
    show_report(console, explainer.directory, report, Captions(TEXTS, "en"))
    return out.getvalue()


def test_clear_habits_keep_their_star_however_many_heads_have_another(explainer: Explainer) -> None:
    heads = [_head(head=n, previous=0.9) for n in range(12)] + [_head(head=12, rare=0.35)]
    heads += [_head(kind="decoder", separators=0.8), _head(kind="cross", separators=0.7)]
    shown = _shown(explainer, HeadReport(heads, 100, 1, None, 0, 0, 0, None, None))
    assert "★ encoder layer 1 head 13   looks at rare words" in shown
    assert "★ decoder layer 1 head 1" in shown
    assert "  encoder layer 1 head 1    looks at punctuation" in shown  # none does so clearly
    assert sum(line.startswith("  ★ ") for line in shown.splitlines()) == 14
    assert shown.count("parks on <s>\n") == shown.count("parks on </s>\n") == 1  # decoder and cross


def test_ranking_has_aligners_first() -> None:
    heads = [_head(previous=0.9), _head(), _head(kind="cross", aer=Aer(0.4, 0.3, 0.5))]
    report = HeadReport(heads, 1, 1, None, 0, 1, 0, None, 0.7)
    assert [h for h, _ in ranking(report)] == [heads[2], heads[0]]
    assert report.aligner is heads[2]
    assert {a.name: h for h, a in champions(report)}["previous"] is heads[0]


def test_the_aligner_follows_the_token_being_chosen() -> None:
    lagging, choosing = (
        _head(kind="cross", aer=Aer(0.3, 0.2, 0.1)),
        _head(kind="cross", aer=Aer(0.4, 0.3, 0.5)),
    )
    assert HeadReport([lagging, choosing], 1, 1, None, 0, 1, 0, None, 0.7).aligner is choosing
    assert HeadReport([lagging], 1, 1, None, 0, 1, 0, None, 0.7).aligner is lagging


def test_layer_means() -> None:
    heads = [_head(layer=0, distance=1.0), _head(layer=0, distance=3.0), _head(layer=1, distance=5.0)]
    assert layer_means(heads, "distance") == [2, 5]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_report_fits_80_columns(explainer: Explainer, report: HeadReport, language: str) -> None:
    from rich.cells import cell_len

    out = io.StringIO()
    console = Console(file=out, width=80, highlight=False, markup=False, emoji=False)
    show_report(console, explainer.directory, report, Captions(TEXTS, language))  # type: ignore[arg-type]
    lines = out.getvalue().splitlines()
    assert max(map(cell_len, lines)) <= 80
    names = ("layer 1 head 1", "layer 2 head 4") if language == "en" else ("第 1 层第 1 头", "第 2 层第 4 头")
    assert sum(any(name in line for name in names) for line in lines) >= 6  # none is folded


def test_a_trend_over_the_layers_is_claimed_only_where_chance_does_not_explain_it() -> None:
    captions = Captions(TEXTS, "en")

    def said(distances: list[float], sentences: int = 1000) -> str:
        return _verdict("encoder", distances, sentences, captions).split(":")[1].split(".")[0].strip()

    assert said([1, 2, 3, 4, 5, 6]) == "yes"
    assert said([6, 5, 4, 3, 2, 1]) == "no"
    assert said([2, 1, 3]) == said([1, 2, 3]) == said([1]) == "cannot tell"  # too few layers
    assert said([1, 2, 3, 4]) == "cannot tell"  # chance makes 2 of the 24 orders rise or fall all the way
    assert said([1, 2, 3, 4, 5]) == "yes"
    assert said([1, 4, 2, 6, 3, 5]) == "cannot tell"
    assert said([1, 2, 3, 4, 5, 6], sentences=4) == "cannot tell"


def test_what_was_not_measured_has_no_column(explainer: Explainer, report: HeadReport) -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, highlight=False, markup=False, emoji=False)
    unsilenced = replace(report, loss=None)
    show_report(console, explainer.directory, unsilenced, Captions(TEXTS, "en"))
    assert "Δloss" not in out.getvalue()
    assert "Only 3 sentences" in out.getvalue()


def test_the_report_is_json(report: HeadReport) -> None:
    import dataclasses

    assert json.loads(json.dumps(dataclasses.asdict(report)))["sentences"] == len(PAIRS)
