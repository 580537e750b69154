"""How much memory an idle server keeps, beside that of the barest server."""

from __future__ import annotations

import sys
import tempfile
import time
from statistics import median

from _figures import Figures
from _stdio import Host, bare, ours, resident

ROUNDS = 5
SETTLE = 2.0
RATIO = 1.15


def measure(command: list[str]) -> float:
    """Return the MiB of a server that has listed its tools and been left alone."""
    with Host(command) as host:
        host.greet()
        host.ask("tools/list")
        time.sleep(SETTLE)  # until what loads in the background is loaded
        return resident(host.pid)


def main() -> int:
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        commands = {"bare": bare(folder), "ours": ours()}
        kept = {
            name: median(measure(command) for _ in range(ROUNDS))
            for name, command in commands.items()
        }
    for name, size in kept.items():
        figures.note(f"{name}: {size:.1f} MiB")
    figures.figure("idle memory over bare", kept["ours"] / kept["bare"], RATIO, "times")
    return figures.code


if __name__ == "__main__":
    sys.exit(main())
