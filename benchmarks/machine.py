"""What a benchmark ran on, in a line for its report."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

from translit.engines.base import available_cores


def machine(*packages: str) -> str:
    """Cores, processor, Python and the versions of ``packages``."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [li.split(":")[1].strip() for li in cpuinfo.read_text().split("\n") if "model name" in li]
        name = names[0] if names else name
    versions = [f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in packages)]
    return f"Cores: {available_cores()}, {name}; {', '.join(versions)}"
