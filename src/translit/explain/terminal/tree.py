"""The beam tree, drawn."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from translit.explain.beam import BeamTree, Node
from translit.explain.language import Captions
from translit.explain.terminal.parts import panel, print_block
from translit.explain.terminal.pictures import Block, clip


def show_beam(console: Console, tree: BeamTree, captions: Captions) -> None:
    panel(console, captions, "beam", beam=tree.beam)
    children: dict[int | None, list[Node]] = {}
    for node in tree.nodes:
        if node.fate != "dropped" or node.winner:
            children.setdefault(node.parent, []).append(node)
    lines: Block = [Text("<s>", "bold")]
    _branches(lines, children, None, "", captions, console.width - 4)
    print_block(console, lines)
    console.print()
    print_block(console, [Text(captions("beam.ended", alpha=tree.length_penalty))])
    for n, ended in enumerate(tree.ended):
        line = f"{'★' if n == 0 else ' '} {captions('beam.score', score=ended.score)}  {ended.text}"
        print_block(console, [Text(line, "bold green" if n == 0 else "")])
    console.print()
    for sentence in _verdict(tree, captions):
        console.print(Text(sentence))


def _branches(
    lines: Block,
    children: dict[int | None, list[Node]],
    parent: int | None,
    indent: str,
    captions: Captions,
    width: int,
) -> None:
    """Draw the children of a node; a chain without a fork stays on one line."""
    nodes = sorted(children.get(parent, []), key=lambda n: n.score, reverse=True)
    for n, node in enumerate(nodes):
        last = n == len(nodes) - 1
        chain = [node]
        while len(follow := children.get(chain[-1].id, [])) == 1:
            chain.append(follow[0])
        lines.append(_chain(chain, indent + ("└─ " if last else "├─ "), children, captions, width))
        _branches(lines, children, chain[-1].id, indent + ("   " if last else "│  "), captions, width)


def _chain(
    chain: Sequence[Node], guide: str, children: dict[int | None, list[Node]], captions: Captions, width: int
) -> Text:
    end = chain[-1]
    if end.fate == "ended":
        assert end.final_score is not None
        fate = captions("beam.score", score=end.final_score)
    else:
        fate = "" if end.id in children else captions("beam.lost")
    numbers = (
        f"  {end.score:.2f}".replace("-", "−") + (f"  {fate}" if fate else "") + ("  ★" if end.winner else "")
    )
    pieces = clip(" ".join(n.piece for n in chain), max(width - cell_len(guide + numbers), 8))
    style = "bold green" if end.winner else "dim" if fate and end.fate != "ended" else ""
    return Text.assemble((guide, "dim"), (pieces, style), (numbers, "green" if end.winner else "dim"))


def _verdict(tree: BeamTree, captions: Captions) -> list[str]:
    """Where the winner was decided, in sentences."""
    said = [
        captions("beam.decided.length")
        if tree.decided is None
        else captions("beam.decided", step=tree.decided + 1)
    ]
    if tree.split is not None:
        winner, rival = (tree.path(e.node)[tree.split :] for e in tree.ended[:2])
        pieces = (
            f"{path[0].piece} ({path[0].log_prob:.2f})".replace("-", "−") if path else "…"
            for path in (winner, rival)
        )
        said.append(captions("beam.split", step=tree.split + 1, winner=next(pieces), rival=next(pieces)))
    for node in tree.path(tree.ended[0].node):
        if node.log_prob < max(n.log_prob for n in tree.nodes if n.parent == node.parent):
            said.append(captions("beam.not_greedy", step=node.step + 1))
            break
    return said
