"""How long a host waits for the server: from spawn to the initialize reply, and to its end.

Both servers are started in turn, so that whatever else the machine does meets both alike.
"""

from __future__ import annotations

import sys
import tempfile
from statistics import median

from _figures import Figures
from _stdio import Host, bare, ours

ROUNDS = 11
RATIO = 1.05
EXIT_MS = 100.0


def measure(command: list[str]) -> tuple[float, float]:
    """Return the milliseconds to the initialize reply, and from end of input to the exit."""
    with Host(command) as host:
        return host.greet() * 1000, host.leave() * 1000


def main() -> int:
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        commands = {"bare": bare(folder), "ours": ours()}
        for command in commands.values():
            measure(command)  # the first start reads the files into the cache of the system
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken[name].append(measure(command))
    starts = {name: median(start for start, _ in all_) for name, all_ in taken.items()}
    exits = {name: median(end for _, end in all_) for name, all_ in taken.items()}
    for name in commands:
        figures.note(f"{name}: start {starts[name]:.0f} ms, exit {exits[name]:.0f} ms")
    figures.figure("start over bare", starts["ours"] / starts["bare"], RATIO, "times")
    figures.figure("end of input to exit", exits["ours"], EXIT_MS, "ms")
    return figures.code


if __name__ == "__main__":
    sys.exit(main())
