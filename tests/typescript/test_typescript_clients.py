"""The server as the official TypeScript clients see it: drive.mjs, run once, a test for each step.

Needs Node.js 20 or later, and once: `npm ci --prefix tests/typescript`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CLIENTS = ["sdk-1", "client-2", "client-2-no-handshake"]
STEPS = re.findall(r'^  "(.+)": ', (HERE / "steps.mjs").read_text(encoding="utf-8"), re.MULTILINE)
OLDEST_NODE = 20
PATIENCE = 240.0

Report = dict[str, dict[str, str | None]]


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node.js is not installed")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    if int(version.stdout.lstrip("v").partition(".")[0]) < OLDEST_NODE:
        pytest.skip(
            f"the clients need Node.js {OLDEST_NODE} or later, not {version.stdout.strip()}"
        )
    if not (HERE / "node_modules" / "@modelcontextprotocol").is_dir():
        pytest.skip("the clients are not installed: npm ci --prefix tests/typescript")
    return found


@pytest.fixture(scope="module")
def report(node: str) -> Report:
    """Return what each client found: by step, None or what went wrong."""
    drive = subprocess.run(
        [node, HERE / "drive.mjs", sys.executable, "-m", "mcp_books"],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert drive.stdout, drive.stderr
    found: Report = json.loads(drive.stdout)
    wrong = any(problem for steps in found.values() for problem in steps.values())
    assert drive.returncode == (1 if wrong else 0), drive.stderr
    return found


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_typescript_client_finds_that(client: str, step: str, report: Report) -> None:
    problem = report[client][step]
    assert problem is None, problem


def test_every_step_of_every_client_is_a_test_here(report: Report) -> None:
    assert STEPS
    assert list(report) == CLIENTS
    assert all(list(steps) == STEPS for steps in report.values())


def given_up(node: str, *command: str, limit: float = 60) -> str:
    """Return the one line that is said of a server that cannot be driven."""
    environ = {**os.environ, "DRIVE_LIMIT_MS": str(limit * 1000)}
    drive = subprocess.run(
        [node, str(HERE / "drive.mjs"), *command],
        capture_output=True,
        encoding="utf-8",
        env=environ,
        timeout=PATIENCE,
        check=False,
    )
    assert (drive.returncode, drive.stdout) == (1, "")
    (line,) = drive.stderr.splitlines()
    return line


def test_a_server_that_ends_at_once_is_no_success(node: str) -> None:
    assert "closed" in given_up(node, sys.executable, "-c", "raise SystemExit").lower()


def test_a_command_that_is_not_there_is_named(node: str) -> None:
    assert "no-such-command" in given_up(node, "no-such-command")


MUTE = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as held:
    held.recv(1)
"""


def test_a_mute_server_is_given_up_and_does_not_stay(node: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE)
        port = str(listening.getsockname()[1])
        assert "not done after 3 s" in given_up(node, sys.executable, "-c", MUTE, port, limit=3)
        held, _ = listening.accept()
        with held:
            held.settimeout(PATIENCE)
            with suppress(ConnectionResetError):
                assert held.recv(1) == b""


def test_the_clients_are_pinned_and_their_lock_names_no_registry() -> None:
    wanted: dict[str, str] = _read("package.json")["dependencies"]
    locked = _read("package-lock.json")["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all("resolved" not in package for package in locked.values())
    assert all("integrity" in package for path, package in locked.items() if path)


def _read(name: str) -> Any:
    return json.loads((HERE / name).read_text(encoding="utf-8"))
