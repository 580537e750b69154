"""Speaking MCP to a server in a process of its own, one JSON line at a time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

BARE = """\
from mcp.server import MCPServer

server = MCPServer("bare")


@server.tool()
def echo(text: str) -> str:
    return text


server.run()
"""
"""The plainest server there is: what the SDK alone costs."""


def ours() -> list[str]:
    """Return the installed command, as a host starts it."""
    beside = Path(sys.executable).parent
    found = shutil.which("mcp-books", path=str(beside))
    return [found] if found else [sys.executable, "-m", "mcp_books"]


def bare(folder: str) -> list[str]:
    """Return the command of a bare server, written into `folder`."""
    script = Path(folder) / "bare.py"
    script.write_text(BARE)
    return [sys.executable, str(script)]


class Host:
    """A host of one server; times are seconds."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory()
        # Without its bytecode a server is compiled anew at every start, and only that is measured.
        dropped = ("BOOKS_", "PYTHONDONTWRITEBYTECODE")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        ledger = {"XDG_CACHE_HOME": self._folder.name}
        self._number = 0
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**kept, **ledger, **(environ or {})},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
        self._folder.cleanup()

    @property
    def pid(self) -> int:
        return self._process.pid

    def greet(self) -> float:
        """Say hello and return how long after its start the server answered."""
        self.ask(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "benchmark", "version": "0"},
            },
        )
        answered = time.perf_counter() - self.started
        self._send({"method": "notifications/initialized"})
        return answered

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the result of one request."""
        return self.answers([self.send(method, params)])[0]

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request and return its number."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params or {}})
        return self._number

    def answers(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """Wait for the results of these requests, in whatever order they come."""
        assert self._process.stdout is not None
        found: dict[int, dict[str, Any]] = {}
        while len(found) < len(numbers):
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError("the server ended before it had answered")
            message = json.loads(line)
            if message.get("id") in numbers:
                if "error" in message:
                    raise RuntimeError(message["error"])
                found[message["id"]] = message["result"]
        return [found[number] for number in numbers]

    def leave(self) -> float:
        """Close the server's input and return how long it took to end."""
        assert self._process.stdin is not None
        closed = time.perf_counter()
        self._process.stdin.close()
        self._process.wait(timeout=30)
        return time.perf_counter() - closed

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


def resident(pid: int) -> float:
    """Return the resident memory of a process, in MiB."""
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        (line,) = (one for one in status.read_text().splitlines() if one.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024
    shown = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
    )
    return int(shown.stdout) / 1024
