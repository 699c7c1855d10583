"""Forced decoding: the numbers are the torch model's, and wrong pairs come out on top."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from rich.cells import cell_len

from translit.cli import main
from translit.data.bitext import Pair
from translit.engines import conversion
from translit.engines.torch_engine import load_transformer
from translit.evaluation.scoring import MAX_TOKENS, Score, Scorer, Summary, suspicious_pairs
from translit.model_directory import ModelDirectory
from translit.text.normalize import normalize_source, normalize_target
from translit.text.tokenizer import BOS, EOS

ToyPairs = Callable[[int, int], list[Pair]]
Patch, Capture = pytest.MonkeyPatch, pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def directory(tiny_model_dir: Path) -> ModelDirectory:
    return ModelDirectory.open(tiny_model_dir)


@pytest.fixture(scope="module")
def scorer(directory: ModelDirectory) -> Scorer:
    return Scorer(directory, threads=1)


def test_every_token_has_the_log_probability_that_torch_gives_it(
    directory: ModelDirectory, scorer: Scorer
) -> None:
    pairs = [
        ("He has 3 cats.", "他有3只猫。"),
        ("Hello", ""),
        ("", "你好"),
        ("“Hi”  there", "你 好 ,世界"),
        ("a", "\U0001f600"),
    ]
    model = load_transformer(directory)
    for (source, target), score in zip(pairs, scorer.score(pairs), strict=True):
        ids = directory.target_tokenizer.encode(normalize_target(target, tight=True))
        read = [*directory.source_tokenizer.encode(normalize_source(source)), EOS]
        with torch.inference_mode():
            logits = model(torch.tensor([read]), torch.tensor([[BOS, *ids]]))[0]
        expected = logits.log_softmax(-1).gather(-1, torch.tensor([*ids, EOS])[:, None])[:, 0].tolist()
        assert score is not None
        assert score.tokens == [*directory.target_tokenizer.pieces(ids), "</s>"]
        assert score.log_probs == pytest.approx(expected, abs=1e-5)


def test_neighbours_and_order_change_nothing(scorer: Scorer) -> None:
    rng = random.Random(0)
    pairs = [
        (" ".join(rng.choices("abcdef", k=rng.randint(0, 60))), "我" * rng.randint(0, 90)) for _ in range(200)
    ]
    for pair, score in list(zip(pairs, scorer.score(pairs), strict=True))[::20]:
        (alone,) = scorer.score([pair])
        assert alone is not None
        assert score is not None
        assert len(score.tokens) == len(pair[1]) + 1
        assert score.log_probs == pytest.approx(alone.log_probs, abs=1e-4)


def test_a_pair_that_is_too_long_has_no_score_and_does_no_harm(scorer: Scorer) -> None:
    fits, too_long = "我" * (MAX_TOKENS - 1), "我" * MAX_TOKENS
    scores = scorer.score([("a", too_long), ("a", fits), ("1" * MAX_TOKENS, "我"), ("a", "我")])
    assert [score is None for score in scores] == [True, False, True, False]


def test_text_that_is_no_text_is_scored_all_the_same(scorer: Scorer) -> None:
    scores = scorer.score([("\ud800", "我\udfff"), ("one\ntwo", "一\n二"), ("one two", "一 二")])
    assert None not in scores
    assert scores[1] == scores[2]


def test_totals() -> None:
    half = Score(["我", "</s>"], [math.log(0.5), math.log(0.5)])
    assert half.perplexity == pytest.approx(2)
    assert half.per_token == pytest.approx(math.log(0.5))
    total = Summary()
    total.add(Pair("I", "我", "a:1"), half)
    total.add(Pair("You", "你 们", "a:2"), Score(["你", "们", "</s>"], [math.log(0.25)] * 3))
    total.add(Pair("He", "他", "a:3"), None)
    assert (total.pairs, total.too_long, total.tokens) == (2, 1, 5)
    assert total.perplexity == pytest.approx(2 ** (8 / 5))
    assert total.bits_per_character == pytest.approx(8 / 3)  # the space is not a character of the target


def test_pairs_are_streamed(toy_pairs: ToyPairs, scorer: Scorer, monkeypatch: Patch) -> None:
    monkeypatch.setattr("translit.evaluation.scoring._WINDOW", 3)
    read = 0

    def reading() -> object:
        nonlocal read
        for pair in toy_pairs(10, 0):
            read += 1
            yield pair

    stream = scorer.stream(reading())  # type: ignore[arg-type]  # a generator of pairs
    assert next(stream)[0].place == "toy.tsv:1"
    assert read == 3
    assert [pair.place for pair, _ in stream] == [f"toy.tsv:{n}" for n in range(2, 11)]


def test_shuffled_pairs_are_found(toy_pairs: ToyPairs, toy_model_dir: Path) -> None:
    pairs = toy_pairs(400, 1)
    wrong = random.Random(2).sample(range(400), 20)
    mixed = list(pairs)
    for i, j in zip(wrong, wrong[1:] + wrong[:1], strict=True):
        mixed[i] = pairs[i]._replace(target=pairs[j].target)
    suspects = suspicious_pairs(mixed, Scorer(ModelDirectory.open(toy_model_dir), threads=1))
    assert sorted(suspect.pair for suspect in suspects) == sorted(mixed)
    found = {suspect.pair.place for suspect in suspects[:20]}
    assert len(found & {mixed[i].place for i in wrong}) >= 18  # precision at k of 90 %
    assert suspects[10].gain < 1 < 3 < suspects[-10].gain


def test_suspicion_with_nothing_to_compare(scorer: Scorer) -> None:
    assert suspicious_pairs([], scorer) == []
    same = [Pair("Hi", target, "a:1") for target in ("你好", "再见", "我" * MAX_TOKENS)]
    assert [suspect.gain for suspect in suspicious_pairs(same, scorer)] == [0, 0]


def test_scoring_needs_no_torch(tiny_model_dir: Path) -> None:
    code = (
        "import sys; sys.argv = ['translit', 'score', '--pair', 'Hi', '你好', '-m', sys.argv[1]]\n"
        "from translit.cli import main\n"
        "try: main()\nfinally: assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code, tiny_model_dir], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ── The command ─────────────────────────────────────────────────────────────────────────────────────────────


def run(monkeypatch: Patch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["translit", "score", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


@pytest.fixture
def corpus(toy_pairs: ToyPairs, tmp_path: Path) -> Path:
    path = tmp_path / "toy.tsv"
    path.write_text("".join(f"{s}\t{t}\n" for s, t, _ in toy_pairs(40, 3)), "utf-8")
    return path


def test_a_pair_token_by_token(toy_model_dir: Path, monkeypatch: Patch, capsys: Capture) -> None:
    assert run(monkeypatch, "--pair", "a b c", "天小人", "-m", toy_model_dir) == 0
    pieces, percents, *rest = capsys.readouterr().out.splitlines()[1:]
    assert pieces.split() == ["天", "小", "人", "</s>"]
    first, _, third, _ = percents.split("%")[:4]
    assert int(first) > 80
    assert third.startswith("!")  # 小, where the model expects 地
    assert percents.count("!") <= 2  # and, after it, perhaps 人
    assert f"translit explain --model {toy_model_dir} --target '天小人' 'a b c'" in rest


def test_a_source_that_begins_with_a_dash_can_be_explained(
    tiny_model_dir: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    assert run(monkeypatch, "-m", tiny_model_dir, "--pair", "-5 degrees.", "-5\x1b[31m度。") == 0
    out = capsys.readouterr().out
    assert f"translit explain --model {tiny_model_dir} --target '-5�[31m度。' -- '-5 degrees.'\n" in out
    assert "\x1b" not in out


def test_nothing_that_can_be_scored(
    tmp_path: Path, tiny_model_dir: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    (path := tmp_path / "long.tsv").write_text(f"a\t{'我' * MAX_TOKENS}\n", "utf-8")
    assert run(monkeypatch, path, "-m", tiny_model_dir, "--worst", 1, "--json") == 2
    assert "no pair that can be scored: all lines are too long" in capsys.readouterr().err


def test_half_a_surrogate_pair_in_json(
    tmp_path: Path, tiny_model_dir: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    (path := tmp_path / "pairs.jsonl").write_text('["I", "我爱你\\ud83d"]\n', "utf-8")
    for option in ([], ["--json"], ["--tsv"], ["--worst", "1"]):
        assert run(monkeypatch, path, "-m", tiny_model_dir, *option) == 0
        capsys.readouterr().out.encode()


def test_a_damaged_conversion_is_one_line(
    tiny_model_dir: Path, tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    converted = conversion.converted(ModelDirectory.open(tiny_model_dir), "float32") / "model.bin"
    converted.write_bytes(converted.read_bytes()[:1000])
    assert run(monkeypatch, "-p", "Hi", "你好", "-m", tiny_model_dir) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"translit: {tiny_model_dir}: CTranslate2 cannot load the model: ")
    assert f"delete {converted.parent} and try again" in err
    assert err.count("\n") == 1


def test_long_pairs_stay_within_80_columns(toy_model_dir: Path, monkeypatch: Patch, capsys: Capture) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(monkeypatch, "--pair", "a b c " * 20, "天地人" * 20, "-m", toy_model_dir) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    table = lines[: next(i for i, line in enumerate(lines) if line.startswith("log p"))]
    assert len(table) >= 4
    assert max(map(cell_len, table)) <= 80


def test_totals_tsv_and_json_agree(
    corpus: Path, toy_model_dir: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    assert run(monkeypatch, corpus, "-m", toy_model_dir) == 0
    totals = capsys.readouterr().out
    assert run(monkeypatch, corpus, "-m", toy_model_dir, "--tsv") == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert run(monkeypatch, corpus, "-m", toy_model_dir, "--json") == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == [record["place"] for record in records]
    assert rows[4][0] == f"{corpus}:5"
    assert [float(row[2]) for row in rows] == [record["log_prob"] for record in records]
    assert [int(row[1]) for row in rows] == [len(record["tokens"]) for record in records]
    perplexity = math.exp(-sum(float(row[2]) for row in rows) / sum(int(row[1]) for row in rows))
    assert f"{perplexity:.2f}" in totals
    assert "40" in totals.splitlines()[0]


def test_the_worst_pairs_with_their_places(
    corpus: Path, toy_model_dir: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    lines = corpus.read_text("utf-8").splitlines()
    lines[6] = lines[6].split("\t")[0] + "\t天天天天天天"
    corpus.write_text("\n".join(lines), "utf-8")
    assert run(monkeypatch, corpus, "-m", toy_model_dir, "--worst", 2) == 0
    out = capsys.readouterr().out
    assert out.startswith("Likely wrong, the 2 worst of 40 pairs\n")
    assert f"{corpus}:7\n" in out
    assert run(monkeypatch, corpus, "-m", toy_model_dir, "--worst", 1, "--tsv", "--int8") == 0
    (row,) = capsys.readouterr().out.splitlines()
    assert row.split("\t")[0] == f"{corpus}:7"
    assert float(row.split("\t")[-1]) < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to score"),
        (["gone.tsv"], "gone.tsv: no such file"),
        (["one.tsv"], "one.tsv:1: one column"),
        (["empty.tsv"], "no pair to score"),
        (["empty.tsv", "--json"], "no pair to score"),
        (["empty.tsv", "--worst", "3", "--tsv"], "no pair to score"),
        (["--pair", "a", "天", "one.tsv"], "--pair and a corpus"),
        (["--pair", "a", "天", "--tsv", "--json"], "--tsv and --json"),
        (["--pair", "a", "天", "-m", "gone"], "model 'gone' not found"),
    ],
)
def test_bad_requests(
    tmp_path: Path,
    toy_model_dir: Path,
    monkeypatch: Patch,
    capsys: Capture,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRANSLIT_MODEL", str(toy_model_dir))
    Path("one.tsv").write_text("one column\n", "utf-8")
    Path("empty.tsv").touch()
    assert run(monkeypatch, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"translit: {message}")
    assert err.count("\n") == 1
