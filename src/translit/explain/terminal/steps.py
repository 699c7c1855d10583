"""The first lines and the steps: which tokens could have come next, and which one did."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from translit.explain.explanation import Explainer, Explanation
from translit.explain.facts import Candidate, Step
from translit.explain.language import Captions
from translit.explain.terminal.parts import BLANK, Cell, panel, paragraph, print_block, table
from translit.explain.terminal.pictures import Block, bar, beside, clip, pad, percent, signed

_BAR, _SHORTEST_BAR = 20, 6  # cells of the bars of a given translation
_BESIDE_BAR = 58  # cells of all that stands beside them
_STEP_WIDTH = 38  # cells of one step: two stand side by side in 80 columns


def show_headline(
    console: Console, explainer: Explainer, explanation: Explanation, captions: Captions
) -> None:
    from translit.model.transformer import count_parameters

    record = explanation.record
    console.print(Text.assemble((record.text, ""), ("  →  ", "dim"), (record.translation, "bold")))
    if explanation.final not in (None, record.translation):
        console.print(Text(captions("finished", text=explanation.final), "dim"))
    if explanation.unrepaired is not None:
        paragraph(console, captions("repaired", text=explanation.unrepaired))
    beam = explainer.settings.beam
    written = "given" if explanation.unrepaired is None else "repaired"
    kind = written if record.given else "greedy" if beam == 1 else "beam"
    made_by = captions(
        "made_by",
        model=explainer.directory.path.name,
        parameters=count_parameters(explainer.model) / 1e6,
        search=captions(f"search.{kind}", beam=beam),
        log_prob=signed(record.chosen_log_probs().sum().item(), 1),
    )
    console.print(Text(made_by, "dim"))


def show_steps(console: Console, explanation: Explanation, captions: Captions) -> None:
    panel(console, captions, "steps")
    label = min(
        max((cell_len(c.piece) for s in explanation.steps for c in [s.chosen, *s.candidates]), default=2), 10
    )
    blocks = [_step(n, step, label, captions) for n, step in enumerate(explanation.steps, 1)]
    print_block(console, beside(blocks, console.width - 1), indent=0)


def _step(number: int, step: Step, label: int, captions: Captions) -> Block:
    prefix = clip(" ".join(step.prefix), _STEP_WIDTH - 10, left=True)
    lines = [Text.assemble((f"{number:>3}  ", "dim"), prefix, (f" {BLANK}", "dim"))]
    shown = list(step.candidates)
    if step.chosen.rank > len(shown):
        shown.append(step.chosen)
    for c in shown:
        lines.append(_candidate(c, c.id == step.chosen.id, label))
    mood = captions(f"mood.{_mood(step.candidates[0].probability)}")
    lines.append(Text("   " + captions("steps.entropy", bits=step.entropy, mood=mood), "dim"))
    if step.chosen.rank > 1:
        lines[-1].append(" · " + captions("steps.rank", rank=step.chosen.rank), "yellow")
    lines[0].append(" " * (_STEP_WIDTH - lines[0].cell_len))  # all steps equally wide
    return lines


def _candidate(c: Candidate, chosen: bool, label: int) -> Text:
    width = _STEP_WIDTH - label - 5 - 9
    line = Text("   ▶ " if chosen else "     ", "bold green" if chosen else "")
    line.append(pad(clip(c.piece, label), label) + " ", "bold" if chosen else "")
    line.append(bar(c.probability, width), "green" if chosen else "bright_blue")
    line.append(pad(percent(c.probability), 8, right=True), "bold" if chosen else "")
    return line


def _mood(best: float) -> str:
    """How sure the model was, by the probability of its favourite.

    Not by the entropy: label smoothing spreads a little over the whole vocabulary, which adds more than a bit
    to the entropy of even the surest choice.
    """
    return "certain" if best > 0.85 else "sure" if best > 0.6 else "unsure" if best > 0.3 else "guess"


def show_given(console: Console, explanation: Explanation, captions: Captions) -> None:
    """Every token beside the model's own choice; its bar where the terminal has room for one."""
    panel(console, captions, "given" if explanation.unrepaired is None else "repaired")
    width = min(_BAR, console.width - _BESIDE_BAR)
    bars = width >= _SHORTEST_BAR
    rows: list[list[Cell]] = []
    for n, step in enumerate(explanation.steps, 1):
        chosen, own = step.chosen, step.candidates[0]
        same = own.id == chosen.id
        instead = captions("given.same") if same else f"{own.piece}  {percent(own.probability)}"
        rows.append(
            [
                f"{n}",
                Text(chosen.piece, "bold"),
                *([Text(bar(chosen.probability, width), "green")] if bars else []),
                percent(chosen.probability),
                f"{chosen.rank:,}",
                Text(instead, "dim" if same else "yellow"),
            ]
        )
    token, *others = (captions(f"given.{name}") for name in ("token", "probability", "rank", "instead"))
    headers = ["", token, *([""] if bars else []), *others]
    table(console, headers, rows, "rllrrl" if bars else "rlrrl")
