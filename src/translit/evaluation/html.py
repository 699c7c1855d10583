"""The HTML report: one page without scripts or outside files, light and dark, fit to print."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape

from translit.evaluation.compare import TIE, Comparison, LineDifference
from translit.evaluation.evaluate import Evaluation, Line
from translit.evaluation.wording import (
    interval,
    made_by,
    notes,
    number,
    p_value,
    place,
    similarity,
    summary,
    suspicious,
    test_note,
    texts,
)

_LINKED = 100  # lines of an error class that the page shows in full; the JSON report has them all

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #5c6672; --rule: #d8dee4;
  --bar: #bcd7f5; --mark: #ffe3a3; --link: #0a58ca; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #14171a; --soft: #9aa5b1;
  --rule: #333b44; --bar: #234b78; --mark: #6b5100; --link: #7db4ff; } }
* { box-sizing: border-box; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; } h3 { font-size: 1rem; }
p.note, .soft { color: var(--soft); font-size: .9rem; }
a { color: var(--link); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .9rem .25rem 0; text-align: right; vertical-align: top;
  border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child, td.text { text-align: left; }
th:first-child, td:first-child { white-space: nowrap; }
td.bar { min-width: 10rem; text-align: left; }
td.bar span { display: block; height: .8rem; margin-top: .35rem; background: var(--bar); border-radius: 2px; }
code { font: .85rem/1.5 ui-monospace, SFMono-Regular, Consolas, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; margin: .3rem 0; }
article { margin: 1rem 0; padding-top: .5rem; border-top: 1px solid var(--rule); break-inside: avoid; }
article:target { outline: 2px solid var(--link); outline-offset: .4rem; }
dl { display: grid; grid-template-columns: minmax(5rem, max-content) 1fr; gap: .1rem 1rem; margin: .3rem 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
mark { background: var(--mark); color: inherit; text-decoration: underline dotted; }
@media print { body { margin: 0; max-width: none; font-size: 10pt; } a { color: inherit; }
  tr { break-inside: avoid; }
  td.bar span { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""


def to_html(evaluation: Evaluation) -> str:
    """The page. Error classes, worst lines and differences link to the lines, shown in full at the end."""
    title = summary(evaluation)
    parts = [f"<h1>{escape(title)}</h1>"]
    if evaluation.made_by:
        parts.append(_note(made_by(evaluation.made_by)))
    if evaluation.command:
        parts.append(f"<pre><code>{escape(evaluation.command)}</code></pre>")
    parts += [_note(f"Warning: {warning}") for warning in evaluation.warnings]
    if evaluation.scores:
        parts += [*_scores(evaluation), *_lengths(evaluation)]
    parts += _errors(evaluation)
    for comparison in evaluation.comparisons:
        parts += _comparison(evaluation, comparison)
    parts += _lines(evaluation)
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of ready HTML cells; a cell that starts with ``<td`` brings its own element."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "\n".join(
        f"<tr>{''.join(cell if cell.startswith('<td') else f'<td>{cell}</td>' for cell in row)}</tr>"
        for row in rows
    )
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    return f'<div class="wide">{table}</div>'


def _bar(value: float, largest: float) -> str:
    width = 100 * value / largest if largest else 0
    return f'<td class="bar"><span style="width:{width:.1f}%"></span></td>'


def _scores(evaluation: Evaluation) -> list[str]:
    rows = [
        [
            escape(score.name)
            + ("" if score.higher_is_better else ' <span class="soft">lower is better</span>'),
            f"<strong>{number(score.score)}</strong>",
            interval(score.interval),
            number(score.normalized),
            interval(score.normalized_interval),
        ]
        for score in evaluation.scores
    ]
    signatures = "<br>".join(
        f"{escape(s.name)} <code>{escape(s.signature)}</code>" for s in evaluation.scores
    )
    return [
        "<h2>Scores</h2>",
        _table(("Metric", "Score", "95 % interval", "Normalised", "95 % interval"), rows),
        *map(_note, notes(evaluation)),
        f'<p class="note">{signatures}</p>',
    ]


def _lengths(evaluation: Evaluation) -> list[str]:
    largest = max((bucket.chrf for bucket in evaluation.lengths), default=0)
    rows = [
        [
            bucket.label,
            f"{bucket.lines:,}",
            number(bucket.bleu),
            number(bucket.ratio),
            number(bucket.chrf),
            _bar(bucket.chrf, largest),
        ]
        for bucket in evaluation.lengths
    ]
    header = (evaluation.length_unit.capitalize(), "Lines", "BLEU", "Output / reference", "chrF2", "")
    return ["<h2>By length</h2>", _table(header, rows)]


def _errors(evaluation: Evaluation) -> list[str]:
    parts = [f"<h2>{suspicious(evaluation)}</h2>"]
    if not evaluation.errors:
        return parts
    rows = []
    for item in evaluation.errors:
        links = " ".join(map(_link, item.lines[:_LINKED]))
        more = f" and {len(item.lines) - _LINKED:,} more" if len(item.lines) > _LINKED else ""
        share = f"{len(item.lines) / len(evaluation.lines):.1%}"
        rows.append(
            [escape(item.label), f"{len(item.lines):,}", share, f'<td class="text">{links}{more}</td>']
        )
    return [*parts, _table(("What", "Lines", "Share", ""), rows)]


def _link(line: int) -> str:
    return f'<a href="#line-{line}">{line}</a>'


def _comparison(evaluation: Evaluation, comparison: Comparison) -> list[str]:
    metrics = [
        [
            escape(item.metric),
            number(item.ours),
            number(item.theirs),
            f"{item.difference:+.2f}",
            escape(p_value(item.p_value)),
        ]
        for item in comparison.metrics
    ]
    groups = [
        [
            escape(group.group),
            *(f"{count:,}" for count in (group.lines, group.wins, group.ties, group.losses)),
            f"{group.difference:+.2f}",
        ]
        for group in comparison.groups
    ]
    parts = [
        f"<h2>{escape(evaluation.system)} against {escape(comparison.other)}</h2>",
        _table(("Metric", evaluation.system, comparison.other, "Difference", "p-value"), metrics),
        _note(test_note(comparison)),
        *([_note(made_by(comparison.settings))] if comparison.settings else []),
        _table(("Lines by chrF2", "Lines", "Won", "Tied", "Lost", "Mean difference"), groups),
        _note(f"Tied: less than {TIE:g} chrF2 apart."),
    ]
    for title, lines in (("Won by most", comparison.better), ("Lost by most", comparison.worse)):
        if lines:
            parts.append(f"<h3>{title}</h3>")
            parts += [_difference(evaluation, comparison, difference) for difference in lines]
    return parts


def _difference(evaluation: Evaluation, comparison: Comparison, difference: LineDifference) -> str:
    line = evaluation.lines[difference.line - 1]
    head = f"{_link(line.number)} chrF2 {number(difference.ours)} against {number(difference.theirs)}"
    lang = evaluation.settings.target_lang
    rows = [
        *_context(line, lang),
        _row(evaluation.system, _marked(line.output, line.references), lang),
        _row(comparison.other, _marked(difference.output, line.references), lang),
    ]
    return f"<article>{head}<dl>{''.join(rows)}</dl></article>"


def _lines(evaluation: Evaluation) -> list[str]:
    linked = {number for item in evaluation.errors for number in item.lines[:_LINKED]}
    linked |= {item.line for each in evaluation.comparisons for item in (*each.better, *each.worse)}
    parts = []
    if evaluation.worst:
        links = " ".join(map(_link, evaluation.worst))
        parts += ["<h2>Worst lines by chrF2</h2>", f"<p>{links}</p>"]
    shown = sorted(linked | set(evaluation.worst))
    if shown:
        parts.append("<h2>Lines</h2>")
        if evaluation.scores:
            parts.append(_note("Marked: what an output does not share with its most similar reference."))
    return parts + [_article(evaluation, evaluation.lines[number - 1]) for number in shown]


def _article(evaluation: Evaluation, line: Line) -> str:
    head = f"<strong>{escape(place(evaluation, line.number))}</strong>"
    if line.chrf is not None:
        head += f" chrF2 {number(line.chrf)}"
    lang = evaluation.settings.target_lang
    rows = [*_context(line, lang), _row("output", _marked(line.output, line.references), lang)]
    rows += [
        f"<dt>{escape(flag.kind)}</dt><dd>{escape(flag.detail)}</dd>" for flag in line.flags if flag.detail
    ]
    command = f"<pre><code>{escape(line.explain)}</code></pre>" if line.explain else ""
    return f'<article id="line-{line.number}">{head}<dl>{"".join(rows)}</dl>{command}</article>'


def _context(line: Line, lang: str) -> list[str]:
    return [_row(label, escape(text), lang if label == "reference" else "") for label, text in texts(line)]


def _row(label: str, content: str, lang: str) -> str:
    """A labelled text; its language chooses the right shapes of Han characters."""
    return f'<dt>{escape(label)}</dt><dd lang="{escape(lang)}" dir="auto">{content}</dd>'


def _marked(output: str, references: Sequence[str] | None) -> str:
    """The output with everything marked that its most similar reference does not have in that place."""
    if not references:
        return escape(output)
    best = max(references, key=lambda text: similarity(text, output))
    pieces = []
    for kind, _, _, start, end in SequenceMatcher(None, best, output, autojunk=False).get_opcodes():
        text = escape(output[start:end])
        pieces.append(text if kind == "equal" or not text else f"<mark>{text}</mark>")
    return "".join(pieces)
