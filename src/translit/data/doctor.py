"""The data doctor: finds what is wrong in a corpus (``examine``) and writes what is sound (``clean``).

>>> for row, findings in diagnose([Corpus.parse("pairs.tsv")]):
...     print(row.place, findings)

Every line is diagnosed, also one that is no pair. A line is kept as it is, or dropped and reported; only when
asked does ``clean`` repair spellings. ``healthy`` gives a training recipe the pairs that pass.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from translit.data import doctor_pair
from translit.data.bitext import Corpus, Pair, is_jsonl
from translit.data.doctor_lines import Row, atomic_writer, output_paths, pair_writer, rows
from translit.data.doctor_pair import Limits
from translit.data.doctor_repair import repair
from translit.data.doctor_survey import Survey, evaluation_keys, survey
from translit.errors import TranslitError

# Every check, what it finds, and whether ``clean`` drops it unless told otherwise.
_CHECKS = {
    "malformed": ("not a pair: one column, invalid UTF-8, damaged", True),
    "empty": ("a side is blank", True),
    # Only what is itself kept has come before.
    "duplicate": ("the same pair came before", True),
    "near-duplicate": ("came before but for case, spaces, punctuation", False),
    "identical": ("the sides are the same, or a stretch is untranslated", True),
    "length": ("a side is very long", True),
    "length-ratio": ("one side is far longer than the other", True),
    "language": ("not English, or not Chinese", True),
    "traditional": ("Traditional characters", False),
    "encoding": ("mojibake, control characters, U+FFFD", True),
    "number": ("the numbers differ", True),
    "remark": ("a note or a placeholder where the text should be", True),
    "noise": ("sounds in brackets, music notes", True),
    "html": ("HTML leftovers", True),
    "misaligned": ("a stretch fits its neighbours better", True),
    "evaluation": ("a side is in the evaluation data", True),
}
CHECKS = {name: meaning for name, (meaning, _) in _CHECKS.items()}
DROPPED = tuple(name for name, (_, drop) in _CHECKS.items() if drop)
ALWAYS_DROPPED = ("malformed", "empty")  # they cannot be written as pairs

_PAIR_CHECKS: dict[str, doctor_pair.Check] = {
    "identical": doctor_pair.identical,
    "length": doctor_pair.length,
    "length-ratio": doctor_pair.length_ratio,
    "language": doctor_pair.language,
    "traditional": doctor_pair.traditional,
    "encoding": doctor_pair.encoding,
    "number": doctor_pair.number,
    "remark": doctor_pair.remark,
    "noise": doctor_pair.noise,
    "html": doctor_pair.html,
}

Findings = dict[str, str]  # check → what was found


def diagnose(
    corpora: Sequence[Corpus],
    against: Sequence[Path] = (),
    limits: Limits = Limits(),  # noqa: B008
    drop: Collection[str] = DROPPED,
) -> Iterator[tuple[Row, Findings]]:
    """Every line of ``corpora`` with its findings; the corpora are read twice. ``against``: evaluation files.

    A line with a finding in ``drop`` counts as not there for those that repeat it.

    Raises TranslitError when a file cannot be read at all.
    """
    keys = evaluation_keys(against)
    surveyed = survey(corpora)
    drop = _dropping(drop)
    for index, row in enumerate(chain.from_iterable(map(rows, corpora))):
        findings = _findings(row, index, surveyed, keys, limits)
        if drop.isdisjoint(findings):
            surveyed.keep(index)
        yield row, findings


def _findings(row: Row, index: int, surveyed: Survey, keys: dict[str, str], limits: Limits) -> Findings:
    if row.problem:
        return {"malformed": row.problem}
    if blank := doctor_pair.empty(row.source, row.target, limits):
        return {"empty": blank}
    findings = surveyed.detail(index)
    for name, check in _PAIR_CHECKS.items():
        if detail := check(row.source, row.target, limits):
            findings[name] = detail
    if keys and (known := keys.get(doctor_pair.key(row.source)) or keys.get(doctor_pair.key(row.target))):
        findings["evaluation"] = f"in {known}"
    return findings


# ── Examining ───────────────────────────────────────────────────────────────────────────────────────────────


class Example(NamedTuple):
    place: str
    detail: str
    source: str
    target: str


@dataclass
class Report:
    """What ``examine`` found: counts of lines, of sick lines, and of each check, with its first examples."""

    files: list[str]
    lines: int = 0
    sick: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Example]] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """The report as plain data, every check included."""
        checks = {
            name: {
                "meaning": meaning,
                "count": self.counts[name],
                "share": self.counts[name] / self.lines if self.lines else 0.0,
                "examples": [example._asdict() for example in self.examples.get(name, [])],
            }
            for name, meaning in CHECKS.items()
        }
        return {"files": self.files, "lines": self.lines, "with_findings": self.sick, "checks": checks}


def examine(
    corpora: Sequence[Corpus],
    against: Sequence[Path] = (),
    limits: Limits = Limits(),  # noqa: B008
    examples: int = 3,
) -> Report:
    """Count what is wrong in ``corpora`` and keep the first ``examples`` of each kind."""
    report = Report([corpus.name for corpus in corpora])
    for row, findings in diagnose(corpora, against, limits):
        report.lines += 1
        report.sick += bool(findings)
        for name, detail in findings.items():
            report.counts[name] += 1
            if len(shown := report.examples.setdefault(name, [])) < examples:
                shown.append(Example(row.place, detail, row.source, row.target))
    return report


# ── Cleaning ────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Cleaned:
    """What ``clean`` did. ``read`` is ``kept + dropped``; a line may be dropped for several reasons."""

    read: int = 0
    kept: int = 0
    repaired: int = 0  # of those kept
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def dropped(self) -> int:
        return self.read - self.kept


def clean(
    corpora: Sequence[Corpus],
    output: str,
    rejects: Path,
    drop: Collection[str] = DROPPED,
    against: Sequence[Path] = (),
    limits: Limits = Limits(),  # noqa: B008
    mend: bool = False,
) -> Cleaned:
    """Write what passes to ``output`` and every other line, with its reasons, to the TSV ``rejects``.

    ``output`` is a file, or a folder (``clean/``) in which every corpus keeps its name. ``mend`` puts what is kept
    into the spelling of mainland China (see :mod:`translit.data.doctor_repair`).

    All files appear when all is written. A TSV keeps its further columns. Raises TranslitError when a file
    cannot be read or written, when an output is also an input, or for an unknown check in ``drop``.
    """
    drop = _dropping(drop)
    outputs = [_output_of(corpus, output) for corpus in corpora]
    # One file may take several corpora; in a folder, two of one name would be one.
    written = outputs if is_folder(output) else outputs[:1]
    read = [*chain.from_iterable(corpus.paths for corpus in corpora), *against]
    _refuse_overwriting(read, list(chain.from_iterable(map(output_paths, written))), rejects)
    verbatim = all(len(corpus.paths) == 1 and not is_jsonl(corpus.paths[0]) for corpus in corpora)
    result = Cleaned()
    with ExitStack() as stack:
        writers = {name: stack.enter_context(pair_writer(name, verbatim)) for name in dict.fromkeys(written)}
        report = stack.enter_context(atomic_writer(rejects))
        report.write("place\treason\tdetail\tsource\ttarget\n")
        keep = {str(corpus.paths[0]): writers[name] for corpus, name in zip(corpora, outputs, strict=True)}
        for row, findings in diagnose(corpora, against, limits, drop):
            result.read += 1
            reasons = [name for name in findings if name in drop]
            if not reasons:
                result.kept += 1
                if mend and (mended := _mended(row)) != row:
                    result.repaired += 1
                    row = mended
                keep[row.place.rpartition(":")[0]](row)
                continue
            result.reasons.update(reasons)
            details = "; ".join(findings[name] for name in reasons)
            columns = (row.place, ", ".join(reasons), details, row.source, row.target)
            report.write("\t".join(map(_one_line, columns)) + "\n")
    return result


def healthy(
    corpora: Sequence[Corpus],
    drop: Collection[str] = DROPPED,
    against: Sequence[Path] = (),
    limits: Limits = Limits(),  # noqa: B008
    reasons: Counter[str] | None = None,
) -> Iterator[Pair]:
    """The pairs that ``clean`` would keep; why others were dropped is counted in ``reasons``."""
    drop = _dropping(drop)
    for row, findings in diagnose(corpora, against, limits, drop):
        found = [name for name in findings if name in drop]
        if not found:
            yield Pair(row.source, row.target, row.place)
        elif reasons is not None:
            reasons.update(found)


def check_names(names: Iterable[str]) -> None:
    """Raises TranslitError for a name that is no check."""
    if unknown := [name for name in names if name not in CHECKS]:
        raise TranslitError(f"{unknown[0]}: no such check; known are {', '.join(CHECKS)}")


def _dropping(drop: Collection[str]) -> frozenset[str]:
    check_names(drop)
    return frozenset(drop).union(ALWAYS_DROPPED)


_OF_ONE_NAME = "corpora of one name need folders of their own, and two sides two files"


def _refuse_overwriting(read: Sequence[Path], written: Sequence[Path], report: Path) -> None:
    inputs = {path.resolve() for path in read}
    outputs = [*written, report]
    resolved = [path.resolve() for path in outputs]
    for path in outputs:
        if path.resolve() in inputs:
            raise TranslitError(f"{path}: is also an input; write to another file")
        if path.exists() and not path.is_file():  # a device would be replaced by a file
            raise TranslitError(f"{path}: cannot write: not a file; give the name of a file")
        if resolved.count(path.resolve()) > 1:
            is_report = path.resolve() == report.resolve()
            advice = "give the report a name of its own" if is_report else _OF_ONE_NAME
            raise TranslitError(f"{path}: named twice as an output; {advice}")


def is_folder(output: str) -> bool:
    """Does ``output`` name a folder, in which every corpus gets a file of its own?"""
    return output.endswith(("/", os.sep)) or Path(output).is_dir()


def _output_of(corpus: Corpus, output: str) -> str:
    if not is_folder(output):
        return output
    return ",".join(str(Path(output) / path.name) for path in corpus.paths)


def _mended(row: Row) -> Row:
    target = repair(row.source, row.target)
    line = row.line.replace(f"\t{row.target}", f"\t{target}", 1)
    return row._replace(target=target, line=line)


def _one_line(text: str) -> str:
    """Tabs, line ends and backslashes escaped, so that the report stays one line a row."""
    return text.translate(_ESCAPES)


_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
