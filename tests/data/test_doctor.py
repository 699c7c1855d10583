"""The data doctor: every check by example, sick files, stretches that slipped, cleaning, the commands."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from translit.cli.app import app
from translit.data import doctor
from translit.data.bitext import Corpus
from translit.data.doctor_lines import Row, atomic_writer, rows
from translit.data.doctor_pair import Limits
from translit.data.doctor_repair import repair
from translit.data.doctor_survey import misaligned
from translit.errors import TranslitError

GOOD = [
    ("I love you.", "我爱你。"),
    ("The population is about 1.2 million.", "人口约为120万。"),
    ("Run `npm install` in the <b>root</b> folder.", "在<b>根</b>目录运行 `npm install`。"),
    ("Python", "Python"),
    ("Tom Hanks", "Tom Hanks"),
    ("He wrote “A Brief History of Time”…", "他写了《时间简史》……"),
    ("The café is naïve.", "这家咖啡馆很天真。"),
    ("What does the character 說 mean?", "“說”字是什么意思？"),
    ("He laughed (loudly) at me.", "他（大声地）笑我。"),
    ("R&D costs rose.", "研发费用上升了。"),
]

SICK = [
    ("empty", "Hello.", "   "),
    ("identical", "How are you my friend?", "How are you, my friend?"),
    ("length", "word " * 201, "词" * 300),
    ("length", "a long story " * 20, "长" * 501),
    ("length-ratio", "Yes.", "是的，我昨天已经把那些文件都寄给了他们公司的经理。"),
    ("length-ratio", "It took us more than three weeks to find the house in which he had been born.", "是。"),
    ("language", "你好，世界。", "Hello, world."),
    ("language", "Ich bin nicht der Mann und das ist gut.", "我不是那个人，这样很好。"),
    (
        "language",
        "Ich wohne in einem Haus mit meiner Frau und das ist gut.",
        "我和妻子住在一所房子里，这很好。",
    ),
    ("language", "Non ho mai visto una cosa così bella in vita mia.", "我一生中从没见过这么美的东西。"),
    ("language", "No quiero ir a la playa con los niños porque hace frío", "我不想带孩子们去海滩，因为天冷"),
    ("language", "On a vu un film très intéressant hier soir.", "昨晚我们看了一部很有意思的电影。"),
    ("language", "A minha mãe foi ao mercado comprar pão.", "我妈妈去市场买面包了。"),
    (
        "language",
        "Ik was in de stad met mijn vrouw en we hebben koffie gedronken.",
        "我和妻子在城里喝了咖啡。",
    ),
    ("language", "Привет, мой друг", "你好，我的朋友"),
    ("language", "Good morning, everyone.", "みなさん、おはようございます。"),
    ("language", "Good morning, everyone.", "Bonjour tout le monde."),
    ("traditional", "They came to our country.", "他們來到我們國家。"),
    ("encoding", "The cafÃ© is open.", "咖啡馆开门了。"),
    ("encoding", "Itâ€™s open.", "开门了。"),
    ("encoding", "Hello, world", "浣犲ソ锛屼笘鐣?"),
    ("encoding", "Hello", "锟斤拷好"),
    ("encoding", "This is a test.", "杩欐槸涓€涓祴璇"),
    ("encoding", "Hi", "嗨\rBye"),
    ("encoding", "Hello\x08 there", "你好"),
    ("encoding", "Hello there", "你\ufffd好"),
    ("number", "I have 30 books.", "我有三本书。"),
    ("number", "I have some books.", "我有30本书。"),
    ("remark", "Transl. Note: Google-translate.", "请把它充入我的账户。"),
    ("remark", "placeholder-a", "桌子下面有一个盒子。"),
    ("noise", "(Laughter) Thank you.", "谢谢。"),
    ("noise", "Thank you.", "谢谢。（笑声）"),
    ("noise", "[upbeat music playing] Hi.", "嗨。"),
    ("noise", "♪ Let it be ♪", "随它去"),
    ("noise", "{\\an8}Come here.", "过来。"),
    ("html", "<i>Come here.</i>", "过来。"),
    ("html", "Tom &amp; Jerry", "猫和老鼠"),
]


def write_tsv(path: Path, pairs: list[tuple[str, str]]) -> Corpus:
    path.write_text("".join(f"{s}\t{t}\n" for s, t in pairs), "utf-8")
    return Corpus.parse(str(path))


def findings(corpus: Corpus, **options: object) -> list[dict[str, str]]:
    return [found for _, found in doctor.diagnose([corpus], **options)]  # type: ignore[arg-type]


def test_good_pairs_have_no_findings(tmp_path: Path) -> None:
    assert findings(write_tsv(tmp_path / "a.tsv", GOOD)) == [{}] * len(GOOD)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Xuanxuan is very cute.", "璇璇很可爱。"),
        ("Wang Chen and Li Xuan are brothers.", "王琛和李璇是兄弟。"),
        ("The details of the supply chain are simple.", "供应鏈的細節很簡单。"),
        ('The French say "je ne sais pas" when they do not know.', "法国人不知道时会说“je ne sais pas”。"),
        ("Ludwig van Beethoven, Charles de Gaulle, Leonardo da Vinci", "贝多芬、戴高乐、达·芬奇"),
        ("Install OS, DOS, EM and EST on MIT machines.", "在MIT的机器上安装OS、DOS、EM和EST。"),
        ("He lives in São José do Rio Preto, near San Martín de los Andes.", "他住在里奥普雷托河畔圣若泽。"),
        ("San Martín de los Andes", "圣马丁德洛斯安第斯"),
    ],
)
def test_names_and_rare_characters_are_no_damage(tmp_path: Path, source: str, target: str) -> None:
    found = findings(write_tsv(tmp_path / "a.tsv", [(source, target)]))[0]
    assert found.keys() <= {"traditional"}


@pytest.mark.parametrize(("check", "source", "target"), SICK)
def test_each_check_finds_its_disease(tmp_path: Path, check: str, source: str, target: str) -> None:
    assert check in findings(write_tsv(tmp_path / "a.tsv", [(source, target)]))[0]


def test_remarks_that_are_translated_are_no_remarks(tmp_path: Path) -> None:
    pairs = [("Translator's note: the title is a pun.", "译者注：标题是双关语。"), ("placeholder", "占位符")]
    assert findings(write_tsv(tmp_path / "a.tsv", pairs)) == [{}, {}]


def test_duplicates_are_found_across_files_and_told_from_near_ones(tmp_path: Path) -> None:
    first = write_tsv(tmp_path / "a.tsv", [("Hello.", "你好。"), ("Hello.", "您好。"), ("Hello.", "你好。")])
    second = write_tsv(tmp_path / "b.tsv", [("hello", "你好"), ("Hello.", "您好。"), ("", ""), ("", "")])
    found = [set(findings) for _, findings in doctor.diagnose([first, second])]
    assert found == [set(), set(), {"duplicate"}, {"near-duplicate"}, {"duplicate"}, {"empty"}, {"empty"}]


def test_what_repeats_only_a_sick_pair_is_no_repeat(tmp_path: Path) -> None:
    twins = [
        ("♪ Hello there, my friend. ♪", "♪你好，我的朋友。♪"),
        ("Hello there, my friend.", "你好，我的朋友。"),
    ]
    corpus = write_tsv(tmp_path / "a.tsv", [*twins, twins[1]])
    assert [set(found) for found in findings(corpus)] == [{"noise"}, set(), {"duplicate"}]
    assert [p.source for p in doctor.healthy([corpus], [*doctor.DROPPED, "near-duplicate"])] == [twins[1][0]]
    kept = doctor.healthy([corpus], ["duplicate", "near-duplicate"])
    assert [p.source for p in kept] == [twins[0][0]]


def test_punctuation_alone_is_no_near_duplicate_of_other_punctuation(tmp_path: Path) -> None:
    assert findings(write_tsv(tmp_path / "a.tsv", [("?", "？"), ("!", "！")])) == [{}, {}]


# ── Sick files ──────────────────────────────────────────────────────────────────────────────────────────────


def problems(name: str) -> list[tuple[str, str]]:
    return [(row.place.rpartition(":")[2], row.problem) for row in rows(Corpus.parse(name)) if row.problem]


def test_malformed_lines_are_shown_and_do_not_stop_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(
        "\ufeffHi\t嗨\nalone\nbad \xff\t坏\n\nBye\t再见\tCC BY\r\n".encode("utf-8").replace(
            b"\xc3\xbf", b"\xff"
        )
    )
    assert problems(str(path)) == [("2", "one column"), ("3", "invalid UTF-8 at byte 5")]
    read = list(rows(Corpus.parse(str(path))))
    assert [(row.source, row.target) for row in read] == [
        ("Hi", "嗨"), ("alone", ""), ("bad \\xff", "坏"), ("", ""), ("Bye", "再见"),
    ]  # fmt: skip
    assert [set(found) for found in findings(Corpus.parse(str(path)))] == [
        set(), {"malformed"}, {"malformed"}, {"empty"}, set(),
    ]  # fmt: skip


def test_json_lines_and_parallel_files(tmp_path: Path) -> None:
    jsonl = tmp_path / "a.jsonl"
    jsonl.write_text('{"source": "a", "target": "一"}\n["b", "二"]\n{"source": 1}\n{oops\n"ok"\n', "utf-8")
    assert problems(str(jsonl)) == [(line, "not a JSON pair") for line in "345"]
    (tmp_path / "a.en").write_text("one\ntwo\nthree\n", "utf-8")
    (tmp_path / "a.zh").write_text("一\n二\n", "utf-8")
    assert problems(f"{tmp_path}/a.en,{tmp_path}/a.zh") == [("3", "no such line in a.zh")]
    (tmp_path / "refs.jsonl").write_text('["一", "壹"]\n"二"\n{}\n', "utf-8")
    parallel = f"{tmp_path}/a.en,{tmp_path}/refs.jsonl"
    assert problems(parallel) == [("3", "not a JSON list of references")]
    assert [row.target for row in rows(Corpus.parse(parallel))][:2] == ["一", "二"]


def test_a_cut_off_gzip_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    rng = random.Random(1)
    text = "".join(f"{rng.random()}\t{rng.random()}\n" for _ in range(3000))
    path.write_bytes(gzip.compress(text.encode())[:-2000])
    read = list(rows(Corpus.parse(str(path))))
    assert len(read) > 1000
    assert [row.place.rpartition(":")[2] for row in read if "cut off" in row.problem] == [str(len(read))]


# ── Misaligned stretches ────────────────────────────────────────────────────────────────────────────────────


def sentences(count: int) -> list[Row]:
    """Pairs of very different lengths; every third has a number on both sides."""
    rng = random.Random(7)
    made = []
    for line in range(count):
        words = rng.choice((3, 6, 10, 16, 25))
        number = str(rng.randrange(1000)) if line % 3 == 0 else ""
        made.append(Row("letter " * words + number, "字母" * words + number, f"a:{line + 1}", ""))
    return made


@pytest.mark.parametrize("shift", [-2, -1, 1, 2])
def test_a_slipped_stretch_is_found_and_nothing_else(shift: int) -> None:
    made = sentences(120)
    assert not misaligned(made).any()
    targets = [row.target for row in made]
    targets[40:80] = targets[40 - shift : 80 - shift]
    found = misaligned([row._replace(target=target) for row, target in zip(made, targets, strict=True)])
    assert set(found[44:76].tolist()) == {shift}
    assert not found[:38].any()
    assert not found[82:].any()


def test_a_missing_line_slips_the_rest_of_the_file(tmp_path: Path) -> None:
    made = sentences(60)
    (tmp_path / "a.en").write_text("".join(row.source + "\n" for row in made), "utf-8")
    (tmp_path / "a.zh").write_text(
        "".join(row.target + "\n" for i, row in enumerate(made) if i != 20), "utf-8"
    )
    found = findings(Corpus.parse(f"{tmp_path}/a.en,{tmp_path}/a.zh"))
    assert all("misaligned" in f for f in found[23:58])
    assert found[30]["misaligned"] == "fits the target 1 line above better"
    assert "malformed" in found[59]


def test_very_short_files_are_not_misaligned() -> None:
    for count in range(4):
        assert misaligned(sentences(count)).tolist() == [0] * count


# ── Evaluation data ─────────────────────────────────────────────────────────────────────────────────────────


def test_evaluation_data_is_found_without_case_spaces_and_punctuation(tmp_path: Path) -> None:
    (tmp_path / "eval.en").write_text("Where is the STATION?\n...\n", "utf-8")
    (tmp_path / "refs.jsonl").write_text('["我爱你！", "我 爱 你"]\nnot json\n', "utf-8")
    corpus = write_tsv(
        tmp_path / "a.tsv",
        [("where is the station", "车站在哪里？"), ("I love you", "我爱你"), ("Go...", "走。")],
    )
    found = findings(corpus, against=[tmp_path / "eval.en", tmp_path / "refs.jsonl"])
    assert [f.get("evaluation") for f in found] == ["in eval.en", "in refs.jsonl", None]


# ── Repairing ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("source", "target", "repaired"),
    [
        ("What is it?", "甚么事？", "什么事？"),
        ("She is a famous singer.", "她是着名的歌手。", "她是著名的歌手。"),
        ("The plan is for Mary.", "计画给玛莉。", "计划给玛丽。"),
        ("Tom knows Bob.", "Tom认识Bob。", "汤姆认识鲍勃。"),
        ("He is 180 cm tall.", "他身高180公分。", "他身高180厘米。"),
        ("It has risen markedly.", "它显着提高了。", "它显著提高了。"),
        ("The effect is marked.", "效果显着。", "效果显著。"),
        ("The natives have outstanding merits.", "土着居民功勋卓着。", "土著居民功勋卓著。"),
        (
            "Famous writers are here.",
            "着名作家来了，中国最着名的也来了。",
            "著名作家来了，中国最著名的也来了。",
        ),
        ("He is known for it.", "他以此着名。", "他以此著名。"),
        ("Two buses came.", "来了两辆公车。", "来了两辆公交车。"),
    ],
)
def test_repair_writes_mainland_spelling(source: str, target: str, repaired: str) -> None:
    assert repair(source, target) == repaired
    assert repair(source, repaired) == repaired


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("A bag with a name on it.", "包上写着名字。"),
        ("This means home is renamed.", "这意味着名为home的卷改名。"),
        ("snow pear", "雪梨"),
        ("He is plainly worried, and has a cold.", "他明显着急了，也明显着凉了。"),
        ("The soil is on fire.", "泥土着火了。"),
        ("She wears a precious watch and drives a famous car.", "她戴着名贵的手表，开着名车，家里藏着名画。"),
        ("It shows confidence.", "这彰显着自信。"),
        ("Zhuo is worried.", "李卓着急了。"),
        ("Officials used cars privately for business.", "官员公车私用做生意。"),
        ("Tom Hanks is here.", "Tom Hanks在这里。"),
        ("Peter held her.", "彼得（Peter）抱着她。"),
        ("He works with Adam.", "他用Adam优化器。"),
        ("Tom uses Python.", "Tom用Python。"),
        ("He is here.", "Tom在这里。"),
    ],
)
def test_repair_leaves_what_may_be_right(source: str, target: str) -> None:
    assert repair(source, target) == target


def test_clean_repairs_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("Tom?\t甚么Tom？\tCC0\nHi.\t嗨。\n", "utf-8")
    corpus = Corpus.parse(str(tmp_path / "a.tsv"))
    result = doctor.clean([corpus], f"{tmp_path}/b.tsv", tmp_path / "dropped.tsv", mend=True)
    assert result.repaired == 1
    assert (tmp_path / "b.tsv").read_text("utf-8") == "Tom?\t什么汤姆？\tCC0\nHi.\t嗨。\n"
    doctor.clean([corpus], f"{tmp_path}/c.jsonl", tmp_path / "dropped.tsv", mend=True)
    assert "什么汤姆" in (tmp_path / "c.jsonl").read_text("utf-8")


# ── Cleaning ────────────────────────────────────────────────────────────────────────────────────────────────


def test_clean_accounts_for_every_line(tmp_path: Path) -> None:
    pairs = GOOD + [(source, target) for _, source, target in SICK]
    corpus = write_tsv(tmp_path / "a.tsv", pairs)
    result = doctor.clean([corpus], str(tmp_path / "b.tsv"), tmp_path / "dropped.tsv")
    kept = (tmp_path / "b.tsv").read_text("utf-8").splitlines()
    dropped = (tmp_path / "dropped.tsv").read_text("utf-8").splitlines()
    assert dropped[0].split("\t") == ["place", "reason", "detail", "source", "target"]
    assert (result.read, result.kept, result.dropped) == (len(pairs), len(kept), len(dropped) - 1)
    assert kept[: len(GOOD)] == [f"{s}\t{t}" for s, t in GOOD]
    assert [line.split("\t")[0] for line in dropped[1:3]] == [f"{tmp_path}/a.tsv:11", f"{tmp_path}/a.tsv:12"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.tsv", "b.tsv", "dropped.tsv"]
    again = Corpus.parse(str(tmp_path / "b.tsv"))
    assert [(p.source, p.target) for p in again.pairs()] == [tuple(line.split("\t")) for line in kept]


def test_clean_keeps_further_columns_and_converts_between_formats(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("Hi\t嗨\tCC BY 2.0\nalone\n", "utf-8")
    corpus = Corpus.parse(str(tmp_path / "a.tsv"))
    doctor.clean([corpus], str(tmp_path / "b.tsv.gz"), tmp_path / "b.dropped")
    assert gzip.decompress((tmp_path / "b.tsv.gz").read_bytes()).decode() == "Hi\t嗨\tCC BY 2.0\n"
    doctor.clean([corpus], f"{tmp_path}/c.en,{tmp_path}/c.zh", tmp_path / "c.dropped")
    assert (tmp_path / "c.zh").read_text("utf-8") == "嗨\n"
    (tmp_path / "d.jsonl").write_text('["two\\nlines", "两\\t行"]\n["lone \\ud800", "好"]\n', "utf-8")
    jsonl = Corpus.parse(str(tmp_path / "d.jsonl"))
    doctor.clean([jsonl], str(tmp_path / "e.tsv"), tmp_path / "e.dropped")
    assert (tmp_path / "e.tsv").read_text("utf-8") == "two lines\t两 行\n"
    assert "lone \\ud800" in (tmp_path / "e.dropped").read_text("utf-8")
    doctor.clean([jsonl], str(tmp_path / "f.jsonl"), tmp_path / "f.dropped")
    assert json.loads((tmp_path / "f.jsonl").read_text("utf-8")) == {
        "source": "two\nlines",
        "target": "两\t行",
    }


def test_clean_into_a_folder_keeps_names_and_finds_repeats_across_files(tmp_path: Path) -> None:
    one = write_tsv(tmp_path / "one.tsv", [*GOOD[:3], ("Hi.", "")])
    two = write_tsv(tmp_path / "two.tsv", GOOD[2:5])
    (tmp_path / "c.en").write_text("Hi.\n", "utf-8")
    (tmp_path / "c.zh").write_text("嗨。\n", "utf-8")
    both = Corpus.parse(f"{tmp_path}/c.en,{tmp_path}/c.zh")
    result = doctor.clean([one, two, both], f"{tmp_path}/clean/", tmp_path / "clean" / "dropped.tsv")
    assert (result.read, result.kept, result.reasons) == (8, 6, Counter(empty=1, duplicate=1))
    written = {path.name: path.read_text("utf-8") for path in (tmp_path / "clean").iterdir()}
    assert written.keys() == {"one.tsv", "two.tsv", "c.en", "c.zh", "dropped.tsv"}
    assert written["two.tsv"] == "".join(f"{s}\t{t}\n" for s, t in GOOD[3:5])
    assert written["c.zh"] == "嗨。\n"
    with pytest.raises(TranslitError, match=r"one\.tsv: named twice as an output; corpora of one name need"):
        doctor.clean([one, one], f"{tmp_path}/clean/", tmp_path / "dropped.tsv")
    with pytest.raises(TranslitError, match=r"one\.tsv: is also an input"):
        doctor.clean([one], f"{tmp_path}/", tmp_path / "dropped.tsv")


def test_what_is_dropped_can_be_chosen(tmp_path: Path) -> None:
    corpus = write_tsv(
        tmp_path / "a.tsv", [("I have 30 books.", "我有三本书。"), ("Hi.", "嗨。"), ("hi", "嗨")]
    )
    reasons: Counter[str] = Counter()
    assert [p.source for p in doctor.healthy([corpus], reasons=reasons)] == ["Hi.", "hi"]
    assert reasons == {"number": 1}
    assert [p.source for p in doctor.healthy([corpus], drop=["near-duplicate"])] == [
        "I have 30 books.",
        "Hi.",
    ]
    with pytest.raises(TranslitError, match=r"typo: no such check; known are malformed, empty"):
        list(doctor.healthy([corpus], drop=["typo"]))


def test_limits_are_settings(tmp_path: Path) -> None:
    corpus = write_tsv(tmp_path / "a.tsv", [("one two three four", "一二三四")])
    assert findings(corpus, limits=Limits(max_words=3)) == [{"length": "4 words"}]


def test_a_device_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    corpus = write_tsv(tmp_path / "a.tsv", GOOD)
    os.mkfifo(tmp_path / "pipe")  # stands for /dev/null, which this test must not touch
    with pytest.raises(TranslitError, match="pipe: cannot write: not a file"):
        doctor.clean([corpus], str(tmp_path / "pipe"), tmp_path / "dropped.tsv", doctor.DROPPED)
    assert (tmp_path / "pipe").is_fifo()


def test_inputs_are_never_overwritten(tmp_path: Path) -> None:
    corpus = write_tsv(tmp_path / "a.tsv", GOOD)
    with pytest.raises(TranslitError, match="is also an input"):
        doctor.clean([corpus], str(tmp_path / "a.tsv"), tmp_path / "x.tsv")
    with pytest.raises(TranslitError, match="named twice as an output; give the report a name of its own"):
        doctor.clean([corpus], str(tmp_path / "x.tsv"), tmp_path / "x.tsv")
    evaluation = tmp_path / "ev.tsv"
    evaluation.write_text("x\ty\n", "utf-8")
    for output, report in (("ev.tsv", "r.tsv"), ("o.tsv", "ev.tsv")):
        with pytest.raises(TranslitError, match=r"ev\.tsv: is also an input"):
            doctor.clean([corpus], str(tmp_path / output), tmp_path / report, against=[evaluation])


def test_no_file_beside_the_output_is_touched(tmp_path: Path) -> None:
    corpus = write_tsv(tmp_path / "b.tsv.part", GOOD)
    before = (tmp_path / "b.tsv.part").read_bytes()
    assert doctor.clean([corpus], str(tmp_path / "b.tsv"), tmp_path / "c.tsv").kept == len(GOOD)
    assert (tmp_path / "b.tsv.part").read_bytes() == before == (tmp_path / "b.tsv").read_bytes()
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz"])
def test_of_two_writers_of_one_file_the_last_wins_whole(tmp_path: Path, name: str) -> None:
    with atomic_writer(tmp_path / name) as one:
        one.write("one\n")
        with atomic_writer(tmp_path / name) as two:
            two.write("two\n")
        one.write("more\n")
    assert [row.line for row in rows(Corpus((tmp_path / name,)))] == ["one", "more"]
    assert [path.name for path in tmp_path.iterdir()] == [name]
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_failed_clean_leaves_the_old_output_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = write_tsv(tmp_path / "a.tsv", GOOD)
    (tmp_path / "b.tsv").write_text("old\n", "utf-8")

    def interrupted(*_: object) -> dict[str, str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "_findings", interrupted)
    with pytest.raises(KeyboardInterrupt):
        doctor.clean([corpus], str(tmp_path / "b.tsv"), tmp_path / "c.tsv")
    assert (tmp_path / "b.tsv").read_text("utf-8") == "old\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.tsv", "b.tsv"]


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=8))
def test_no_text_breaks_the_doctor_or_gets_lost(pairs: list[tuple[str, str]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), "utf-8")
        result = doctor.clean([Corpus.parse(str(path))], f"{folder}/b.tsv", Path(folder, "c.tsv"))
        assert result.read == len(pairs)
        assert Path(folder, "b.tsv").read_bytes().count(b"\n") == result.kept
        assert Path(folder, "c.tsv").read_bytes().count(b"\n") == result.dropped + 1


# ── The commands ────────────────────────────────────────────────────────────────────────────────────────────


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["data", *arguments])
    if isinstance(result.exception, TranslitError):
        return 2, result.stdout, str(result.exception)
    return result.exit_code, result.stdout, result.stderr


def test_check_prints_counts_shares_and_examples(tmp_path: Path) -> None:
    corpus = write_tsv(tmp_path / "a.tsv", [*GOOD, ("I have 30 books.", "我有三本书。")])
    code, out, _ = run("check", corpus.name)
    assert code == 0
    assert "11 lines read, 1 with findings (9.09 %)" in out
    row = next(line for line in out.splitlines() if line.startswith("number"))
    assert row.split() == ["number", "1", "9.09", "%", "a.tsv:11", "30", "is", "missing"]
    assert "I have 30 books. → 我有三本书。" in out


def test_check_strict_and_json(tmp_path: Path) -> None:
    sick = write_tsv(tmp_path / "sick.tsv", [("Hi", "")])
    sound = write_tsv(tmp_path / "sound.tsv", GOOD)
    assert run("check", sick.name, "--strict")[0] == 1
    assert run("check", sound.name, "--strict")[0] == 0
    code, out, _ = run("check", sick.name, "--json")
    assert code == 0
    report = json.loads(out)
    assert (report["lines"], report["with_findings"]) == (1, 1)
    assert report["checks"]["empty"]["examples"] == [
        {"place": f"{sick.name}:1", "detail": "target blank", "source": "Hi", "target": ""}
    ]
    assert set(report["checks"]) == set(doctor.CHECKS)


def test_one_line_is_one_line_and_half_a_character_is_shown(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('["Lone \\ud800", "好"]\n', "utf-8")
    assert "1 line read, 1 with findings" in run("check", f"{tmp_path}/a.jsonl")[1]
    code, out, _ = run("check", f"{tmp_path}/a.jsonl", "--json")
    assert code == 0
    assert json.loads(out)["checks"]["encoding"]["examples"][0]["source"] == "Lone \ud800"


def test_wide_characters_and_control_characters_keep_the_table_in_shape(tmp_path: Path) -> None:
    from rich.cells import cell_len

    corpus = write_tsv(
        tmp_path / "a.tsv", [("I have 30 books. " * 9, "我有书。" * 30), ("\x1b[31mHi", "嗨\x08")]
    )
    _, out, _ = run("check", corpus.name)
    assert max(map(cell_len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert "\x08" not in out


def test_clean_command_says_where_everything_went(tmp_path: Path) -> None:
    corpus = write_tsv(
        tmp_path / "a.tsv", [("Hi.", "嗨。"), ("Hi", ""), ("I have 30 books.", "我有三本书。")]
    )
    code, out, err = run("clean", corpus.name, "-o", f"{tmp_path}/b.tsv", "--keep", "number")
    assert code == 0
    assert "2 kept + 1 dropped = 3 read" in out
    assert f"dropped: {tmp_path}/b.tsv.dropped.tsv" in err
    assert (tmp_path / "b.tsv").read_text("utf-8").count("\n") == 2


def test_clean_command_writes_a_folder_and_says_what_it_repaired(tmp_path: Path) -> None:
    write_tsv(tmp_path / "a.tsv", [("What?", "甚么？"), ("Hi", "")])
    code, out, _ = run("clean", f"{tmp_path}/a.tsv", "-o", f"{tmp_path}/clean/", "--repair")
    assert code == 0
    assert "1 of those kept repaired" in out
    assert (tmp_path / "clean" / "a.tsv").read_text("utf-8") == "What?\t什么？\n"
    assert (tmp_path / "clean" / "dropped.tsv").is_file()


def test_bad_requests_are_one_line(tmp_path: Path) -> None:
    corpus = write_tsv(tmp_path / "a.tsv", GOOD)
    assert run("check", "nowhere.tsv")[2].startswith("nowhere.tsv: no such file")
    assert (
        run("check", corpus.name, "--against", "no.en")[2]
        == "no.en: no such file; --against takes evaluation files"
    )
    os.mkfifo(tmp_path / "pipe")
    assert run("check", f"{tmp_path}/pipe")[2].startswith(f"{tmp_path}/pipe: is a pipe or a device")
    for output in (["-o", "-"], ["-o", f"{tmp_path}/b", "--report", "-"]):
        assert run("clean", corpus.name, *output)[2].startswith("-: cannot write: clean makes whole files")
    assert run("clean", corpus.name, "-o", f"{tmp_path}/b", "--keep", "x")[2].startswith(
        "x: no such check; known are"
    )
