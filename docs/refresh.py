"""Run the commands shown in Markdown files again and put in what they print now.

    python docs/refresh.py README.md README.zh-CN.md

In a ``console`` block a line that begins with ``$`` is run by bash from the repository's root, and the lines up to
the next one become its output. A ``…`` line ends the part that is kept: what follows it stays out, as before.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def refreshed(shown: re.Match[str]) -> str:
    """The command of ``shown`` and its present output, cut where the old one was cut."""
    command, before = shown.groups()
    environment = {
        **os.environ,
        "COLUMNS": "80",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    old = before.splitlines()
    if "…" in old:
        lines = [*lines[: old.index("…")], "…"]
    return f"$ {command}\n" + "".join(line + "\n" for line in lines)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        text = path.read_text("utf-8")
        path.write_text(BLOCK.sub(lambda block: SHOWN.sub(refreshed, block.group()), text), "utf-8")
