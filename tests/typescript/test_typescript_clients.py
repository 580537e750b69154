"""The server as the official TypeScript clients see it: drive.mjs, run once, a test for each step.

Needs Node.js 20 or later, and once: `npm ci --prefix tests/typescript`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
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


def test_a_server_that_does_not_start_is_no_success(node: str) -> None:
    command = [node, str(HERE / "drive.mjs"), sys.executable, "-c", "raise SystemExit"]
    drive = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    assert drive.returncode == 1
    assert b"closed" in drive.stderr.lower()


def test_the_clients_are_pinned_and_their_lock_names_no_registry() -> None:
    wanted: dict[str, str] = _read("package.json")["dependencies"]
    locked = _read("package-lock.json")["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all("resolved" not in package for package in locked.values())
    assert all("integrity" in package for path, package in locked.items() if path)


def _read(name: str) -> Any:
    return json.loads((HERE / name).read_text(encoding="utf-8"))
