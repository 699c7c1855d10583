"""Marks and quiz in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from translit.explain.language import Captions, fold
from translit.explain.tour.exercises import Answer, Question, is_right, parse_number
from translit.explain.tour.steps import show
from translit.explain.tour.view import View

RIGHT, WRONG = "✓", "✗"


def show_marks(console: Console, captions: Captions, answers: Sequence[Answer], tolerance: float) -> None:
    """Every answered matrix with a mark at each answer, then the wrong cells and the score."""
    for _, group in groupby(answers, key=lambda answer: answer.matrix.name):
        console.print(_sheet(list(group)))
    wrong = [answer for answer in answers if not answer.right]
    for answer in wrong:
        line = captions(
            "check.wrong", cell=answer.name, answer=show(answer.value), right=show(answer.right_value)
        )
        console.print(Text(f"{WRONG} {line}", "red"), soft_wrap=True)
    if wrong:
        console.print(captions("check.first", cell=wrong[0].name), soft_wrap=True)
    right = len(answers) - len(wrong)
    console.print(captions("check.summary", right=right, all=len(answers), tolerance=show(tolerance)))


def _sheet(answers: Sequence[Answer]) -> Table:
    """One matrix as it was filled in; ``·`` where it was left blank."""
    matrix = answers[0].matrix
    given = {(answer.i, answer.j): answer for answer in answers}
    width = len(matrix.values[0])
    table = Table(title=matrix.name, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0))
    table.add_column("", style="dim", no_wrap=True)
    for j in range(width):
        table.add_column(matrix.columns[j] if matrix.columns else str(j + 1), justify="right", no_wrap=True)
    for i in range(len(matrix.values)):
        cells = [_marked(given.get((i, j))) for j in range(width)]
        table.add_row(matrix.rows[i] if matrix.rows else str(i + 1), *cells)
    return table


def _marked(answer: Answer | None) -> Text:
    if answer is None:
        return Text("·  ", "dim")
    sign, style = (RIGHT, "green") if answer.right else (WRONG, "red")
    return Text(f"{show(answer.value)} {sign}", style)


def marks_record(answers: Sequence[Answer], tolerance: float) -> dict[str, Any]:
    """The marks for ``--check --json``: ``format``, ``tolerance``, ``right``, ``all`` and the ``cells``."""
    return {
        "format": 1,
        "tolerance": tolerance,
        "right": sum(answer.right for answer in answers),
        "all": len(answers),
        "cells": [
            {
                "cell": answer.name,
                "answer": show(answer.value),
                "value": show(answer.right_value),
                "right": answer.right,
            }
            for answer in answers
        ],
    }


def quiz(
    view: View, questions: Sequence[Question], tolerance: float, ask: Callable[[str], str | None]
) -> tuple[int, int]:
    """Ask the questions and answer each reply; returns how many were right, and how many were asked.

    ``ask`` prints a prompt and returns what was replied, or None at the end of the input.
    """
    console, captions = view.console, view.captions
    decimals = view.tour.decimals
    intro = captions("quiz.intro", count=len(questions), decimals=decimals, tolerance=show(tolerance))
    console.print("\n".join(fold(intro, view.width)))
    right = asked = 0
    for number, question in enumerate(questions, 1):
        console.print()
        console.print(Text(captions("quiz.question", number=f"{number}/{len(questions)}"), "bold"))
        for line in view.equation(question.step, None, answer=False):
            console.print(line)
        correct, go_on = _answered(view, question, tolerance, ask)
        asked += correct is not None
        right += correct is True
        if not go_on:
            break
    console.print()
    console.print(captions("quiz.score", right=right, asked=asked))
    return right, asked


def _answered(
    view: View, question: Question, tolerance: float, ask: Callable[[str], str | None]
) -> tuple[bool | None, bool]:
    """Ask until there is a number; a wrong one may be corrected once. Enter alone gives up.

    Returns whether the answer was right (None: there was none), and whether the quiz goes on.
    """
    console, captions, step = view.console, view.captions, question.step
    value = show(question.value)
    correct: bool | None = None
    while True:
        reply = ask(f"{step.result.name}{step.result.cell(question.i, question.j)} = ")
        if reply is None or reply.strip().lower() == "q":
            return correct, False
        reply = reply.strip()
        answer = parse_number(reply)
        if answer is not None and is_right(answer, question.value, tolerance):
            console.print(Text(captions("quiz.right", value=value), "green"))
            return True, True
        if reply and answer is None:
            console.print(Text(captions("quiz.not_number", answer=reply), "yellow"))
        elif reply and correct is None:
            correct = False
            console.print(Text(captions("quiz.again"), "yellow"))
        else:
            console.print(Text(captions("quiz.wrong" if reply else "quiz.shown", value=value), "red"))
            for line in view.arithmetic(step, question.i, question.j):
                console.print(line)
            return False, True
