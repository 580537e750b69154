"""The clock of the tests, and what they may reach: a test that hangs or goes out must fail."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from itertools import repeat
from pathlib import Path

import platformdirs
import pytest

from mcp_books._ledger import Ledger
from tests.unit.virtual_time import Stuck, VirtualLoop


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VirtualLoop, "patience", 0.1)


async def wait_for_nobody() -> None:
    await asyncio.get_running_loop().create_future()


async def wait_for_nobody_beside_a_clock() -> None:
    async def tick() -> None:
        for pause in repeat(600):
            await asyncio.sleep(pause)

    ticking = asyncio.create_task(tick())
    try:
        await wait_for_nobody()
    finally:
        ticking.cancel()


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("waiting", [wait_for_nobody, wait_for_nobody_beside_a_clock])
def test_a_deadlock_ends_the_test(waiting: object) -> None:
    assert callable(waiting)
    with asyncio.Runner(loop_factory=VirtualLoop) as runner, pytest.raises(Stuck):
        runner.run(waiting())


def test_waiting_costs_no_time() -> None:
    began = time.monotonic()
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(asyncio.sleep(86400))
    assert time.monotonic() - began < 5


FOREIGN = ["archive.test", "203.0.113.1", "127.a.archive.test", "::ffff:203.0.113.1"]


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("way", ["connect", "connect_ex", "sendto"])
def test_no_test_reaches_a_foreign_address(way: str, host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    address = (host, 9)
    with socket.socket(family, socket.SOCK_DGRAM) as one, pytest.raises(RuntimeError):
        one.sendto(b"", address) if way == "sendto" else getattr(one, way)(address)


@pytest.mark.parametrize("host", FOREIGN)
def test_no_test_asks_a_name_server(host: str) -> None:
    with pytest.raises(RuntimeError):
        socket.getaddrinfo(host, 80)
    with pytest.raises(RuntimeError):
        socket.gethostbyname(host)


def test_loopback_is_reached() -> None:
    assert socket.getaddrinfo("127.0.0.1", 9)
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        with socket.create_connection(one.getsockname(), timeout=5):
            pass


@pytest.mark.parametrize("system", ["unix", "elsewhere"])
def test_no_test_touches_the_pacing_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str
) -> None:
    home = Path(os.environ["HOME"])
    if system == "elsewhere":
        monkeypatch.delenv("XDG_CACHE_HOME")
    ledger = Ledger()
    ledger.silence("https://archive.test", 1)
    ledger.close()
    assert list(home.rglob("pacing-1.sqlite3"))
    assert platformdirs.user_cache_path("mcp-books", appauthor=False).is_relative_to(home)


def test_a_build_draws_the_same_examples_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    code = "import tests.conftest, hypothesis; print(hypothesis.settings().derandomize)"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )
    assert ran.stdout.strip() == "True"
