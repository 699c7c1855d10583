"""The beam tree, drawn."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from translit.explain.beam import BeamTree, Node
from translit.explain.language import Captions
from translit.explain.terminal.parts import panel, paragraph, print_block
from translit.explain.terminal.pictures import Block, clip, signed


def show_beam(console: Console, tree: BeamTree, captions: Captions) -> None:
    """The tree, the finished translations, and where the winner was decided."""
    panel(console, captions, "beam", beam=tree.beam)
    children: dict[int | None, list[Node]] = {}
    for node in sorted(tree.nodes, key=lambda n: n.score, reverse=True):
        if node.fate != "dropped" or node.winner:
            children.setdefault(node.parent, []).append(node)
    print_block(console, [Text("<s>", "bold"), *_trunk(children, captions, console.width - 4)])
    console.print()
    paragraph(console, captions("beam.ended", alpha=tree.length_penalty), indent=2, style="")
    for n, ended in enumerate(tree.ended):
        line = f"{'★' if n == 0 else ' '} {signed(ended.score, 3)}  {ended.text}"
        print_block(console, [Text(clip(line, console.width - 3), "bold green" if n == 0 else "")])
    console.print()
    for sentence in _verdict(tree, captions):
        paragraph(console, sentence)


def _trunk(children: dict[int | None, list[Node]], captions: Captions, width: int) -> Block:
    """The winner from top to bottom, one token a line; before each the branches that it beat."""
    lines: Block = []
    parent: int | None = None
    while alive := children.get(parent, []):
        winner = next((n for n in alive if n.winner), None)
        for node in alive:
            if node is not winner:
                lines += _branch(node, " ├─ ", " │  ", children, captions, width)
        if winner is None:
            break
        score = signed(winner.score)
        if winner.final_score is not None:
            score += "  " + captions("beam.score", score=signed(winner.final_score, 3))
        lines.append(Text.assemble((" ★ ", "green"), (winner.piece, "bold green"), (f"  {score}", "green")))
        parent = winner.id
    return lines


def _branch(
    node: Node, guide: str, below: str, children: dict[int | None, list[Node]], captions: Captions, width: int
) -> Block:
    """A branch beside the trunk: on one line as far as it does not fork, then its own branches."""
    chain = [node]
    while len(follow := children.get(chain[-1].id, [])) == 1:
        chain.append(follow[0])
    end = chain[-1]
    forks = children.get(end.id, [])
    numbers = "  " + signed(end.score)
    if end.final_score is not None:
        numbers += "  " + captions("beam.score", score=signed(end.final_score, 3))
    elif not forks:
        numbers += "  " + captions("beam.lost")
    pieces = clip(" ".join(n.piece for n in chain), max(width - cell_len(guide + numbers), 8))
    style = "" if end.final_score is not None or forks else "dim"
    lines = [Text.assemble((guide, "dim"), (pieces, style), (numbers, "dim"))]
    for fork in forks:
        lines += _branch(fork, below + "├─ ", below + "│  ", children, captions, width)
    return lines


def _verdict(tree: BeamTree, captions: Captions) -> list[str]:
    """Where the winner was decided, in sentences."""
    said = [
        captions("beam.decided.length")
        if tree.decided is None
        else captions("beam.decided", step=tree.decided + 1)
    ]
    if tree.split is not None:
        paths = (tree.path(e.node)[tree.split :] for e in tree.ended[:2])
        winner, rival = (f"{p[0].piece} ({signed(p[0].log_prob)})" if p else "…" for p in paths)
        said.append(captions("beam.split", step=tree.split + 1, winner=winner, rival=rival))
    for node in tree.path(tree.ended[0].node):
        if node.log_prob < max(n.log_prob for n in tree.nodes if n.parent == node.parent):
            said.append(captions("beam.not_greedy", step=node.step + 1))
            break
    return said
