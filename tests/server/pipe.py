"""The installed command in a process of its own, spoken to line by line."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any, Self

PATIENCE = 20.0


class Pipe:
    """A server on pipes; what it writes to stdout is kept as it came."""

    def __init__(self, *arguments: str, environ: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mcp_books", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environ or {})},
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._number = 0
        self.stdout: list[bytes] = []
        self.stderr = b""
        self.code: int | None = None
        self._readers = [
            threading.Thread(target=self._read_answers, daemon=True),
            threading.Thread(target=self._read_complaints, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.code is None:
            self.end()

    def write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def tell(self, method: str) -> None:
        """Send a notification."""
        self.write(json.dumps({"jsonrpc": "2.0", "method": method}).encode())

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return the message that answers it."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}
        self.write(json.dumps(request).encode())
        while True:
            message: dict[str, Any] = json.loads(self._lines.get(timeout=PATIENCE))
            if message.get("id") == self._number:
                return message

    def greet(self, version: str = "2025-11-25") -> dict[str, Any]:
        """Shake hands and return the server's answer."""
        answer = self.ask(
            "initialize",
            {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "0"},
            },
        )
        self.tell("notifications/initialized")
        result: dict[str, Any] = answer["result"]
        return result

    def end(self) -> int:
        """Close the input, wait for the end and return the exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._ended()

    def interrupt(self, number: signal.Signals = signal.SIGINT) -> int:
        """Press Ctrl-C, or send another signal, wait for the end and return the exit code."""
        self._process.send_signal(number)
        return self._ended()

    def _ended(self) -> int:
        try:
            self.code = self._process.wait(timeout=PATIENCE)
        finally:
            self._process.kill()
        for reader in self._readers:
            reader.join(PATIENCE)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()
        return self.code

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.stdout.append(line)
            self._lines.put(line)

    def _read_complaints(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.stderr += line
