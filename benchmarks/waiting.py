"""How long a call takes beside its slowest archive, and whether calls wait for one another.

The archives are the stand-ins of the package, told to answer late; the server is the installed
command, spoken to over stdio.
"""

from __future__ import annotations

import sys
import time

from _figures import Figures
from _stdio import Host, ours

from mcp_books.demo.faults import slow
from mcp_books.demo.server import Server, stand_ins

LATE = {"archive": 0.2, "loc": 0.5, "bnf": 0.3}
SETTLE = 2.0
EIGHT_LATE = 5.0
EIGHT_MS = 14_000.0
VARIABLES = {"archive": "BOOKS_ARCHIVE_URL", "loc": "BOOKS_LOC_URL", "bnf": "BOOKS_BNF_URL"}


def addresses(server: Server) -> dict[str, str]:
    """Return the environment that points the command at the stand-ins."""
    return {variable: server.address(source) for source, variable in VARIABLES.items()}


def first_call() -> tuple[float, dict[str, int]]:
    """Return the milliseconds of a first call of all archives, and the requests each got."""
    with Server(stand_ins()) as server:
        for source, seconds in LATE.items():
            server.faults.inject(source, slow(seconds))
        with Host(ours(), addresses(server)) as host:
            host.greet()
            time.sleep(SETTLE)  # a started server: hosts call seconds after they start one
            asked = time.perf_counter()
            arguments = {"query": "whale", "fan_out": False}
            result = host.ask("tools/call", {"name": "search_items", "arguments": arguments})
            taken = time.perf_counter() - asked
            reports = result["structuredContent"]["per_source"]
            if any(report["status"] != "answered" for report in reports):
                raise RuntimeError(f"an archive did not answer: {reports}")
        return taken * 1000, {source: len(server.received(source)) for source in LATE}


def eight_calls() -> tuple[float, list[float]]:
    """Return the milliseconds of eight calls at once, and when the requests started (seconds)."""
    with Server(stand_ins()) as server:
        server.faults.inject("archive", slow(EIGHT_LATE))
        environ = {**addresses(server), "BOOKS_MIN_INTERVAL_MS": "1000"}
        with Host(ours(), environ) as host:
            host.greet()
            time.sleep(SETTLE)
            asked = time.perf_counter()
            numbers = [
                host.send("tools/call", {"name": "search_inside", "arguments": arguments})
                for arguments in (
                    {"query": f"whale {number}", "fan_out": False, "sources": ["archive"]}
                    for number in range(8)
                )
            ]
            results = host.answers(numbers)
            taken = time.perf_counter() - asked
        for result in results:
            (report,) = result["structuredContent"]["per_source"]
            if report["status"] != "answered":
                raise RuntimeError(f"a call was not answered: {report}")
        started = [one.started for one in server.received("archive")]
        return taken * 1000, [one - started[0] for one in started]


def main() -> int:
    figures = Figures()
    taken, requests = first_call()
    figures.note(f"answers after {LATE} s; requests sent: {requests}")
    figures.figure("first call", taken, 1.05 * max(LATE.values()) * 1000 + 30, "ms")
    taken, started = eight_calls()
    figures.note(f"requests started at {', '.join(f'{one:.1f}' for one in started)} s")
    figures.figure("eight calls at once", taken, EIGHT_MS, "ms")
    return figures.code


if __name__ == "__main__":
    sys.exit(main())
