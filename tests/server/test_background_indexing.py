"""The server indexes beside itself: one process at low priority, which ends with the server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from anyio.abc import Process

from mcp_books import _background_indexing
from mcp_books._background_indexing import index_in_background
from mcp_books.demo.calibre import make_library
from mcp_books.settings import Settings
from mcp_books.sources.calibre import places
from mcp_books.sources.calibre.index import Index, NoIndex
from tests.server.pipe import PATIENCE, Pipe

pytestmark = pytest.mark.anyio

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
LOOK_AGAIN = 0.02


@pytest.fixture
def environ(tmp_path: Path) -> Mapping[str, str]:
    """Return the environment of a server with a small library, and an index that is not made."""
    make_library(tmp_path / "Demonstration")
    return {
        "BOOKS_CALIBRE_LIBRARIES": str(tmp_path / "Demonstration"),
        "BOOKS_INDEX_DIR": str(tmp_path / "index"),
        "BOOKS_LOG_LEVEL": "info",
    }


def index_of(environ: Mapping[str, str]) -> Path:
    return Path(environ["BOOKS_INDEX_DIR"]) / "text-index.sqlite3"


def settings_of(environ: Mapping[str, str], **changes: object) -> Settings:
    return Settings.from_env(environ).model_copy(update=changes)


def indexed(environ: Mapping[str, str]) -> int:
    try:
        with Index.open_reading(index_of(environ)) as reader:
            return sum(one.status == "indexed" for one in reader.documents())
    except NoIndex:
        return 0


def wait_until(true: Any) -> None:
    """Return once `true()` holds."""
    pause, waited = threading.Event(), 0.0
    while not true():
        assert waited < PATIENCE
        pause.wait(LOOK_AGAIN)
        waited += LOOK_AGAIN


def indexers_of(parent: int) -> list[int]:
    """Return the processes that `parent` started to index, from /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            stat = (entry / "stat").read_text().rpartition(") ")[2].split()
        except (OSError, ValueError):
            continue
        if entry.name.isdecimal() and int(stat[1]) == parent and b"--background" in words:
            found.append(int(entry.name))
    return found


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_server_indexes_after_the_greeting_and_says_only_protocol_on_stdout(
    environ: Mapping[str, str],
) -> None:
    with Pipe(environ=environ) as server:
        server.greet()
        wait_until(lambda: indexed(environ) == 3)
        call = {"name": "search_inside", "arguments": {"query": "ishmael", "sources": ["calibre"]}}
        answer = server.ask("tools/call", call)["result"]
        assert server.end() == 0
    assert answer["structuredContent"]["hits"][0]["page_label"] == "1"
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.stdout)
    assert b"indexing in the background" in server.stderr
    assert b"Traceback" not in server.stderr


async def test_it_can_be_switched_off(environ: Mapping[str, str]) -> None:
    await index_in_background(settings_of(environ, index_auto=False))
    assert not index_of(environ).exists()


async def test_it_does_nothing_where_no_library_is_configured(environ: Mapping[str, str]) -> None:
    await index_in_background(settings_of(environ, calibre_libraries=None))
    assert not index_of(environ).exists()


async def test_settings_given_in_code_reach_the_process(
    environ: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKS_CALIBRE_LIBRARIES", "/nowhere")
    await index_in_background(settings_of(environ, calibre_exclude_tags="Whaling"))
    assert indexed(environ) == 2


async def test_an_index_in_use_is_left_to_whoever_uses_it(
    environ: Mapping[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    with Index.open_writing(index_of(environ)):
        with anyio.fail_after(PATIENCE):
            await index_in_background(settings_of(environ, log_level="error"))
        assert capfd.readouterr() == ("", "")
    assert indexed(environ) == 0


async def test_a_failure_is_logged_and_stays_there(
    environ: Mapping[str, str],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    # A library where the folder of the index should be.
    occupied = tmp_path / "Demonstration" / "metadata.db"
    await index_in_background(settings_of(environ, index_dir=occupied))
    assert "ended with 1" in caplog.text
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "indexing failed" in shown.err


async def test_a_python_that_cannot_be_started_is_logged(
    environ: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", str(index_of(environ) / "python"))
    await index_in_background(settings_of(environ))
    assert "cannot be indexed in the background" in caplog.text


@pytest.fixture
def stalled(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return an environment whose indexer waits for ever: its catalogue is a pipe nobody fills."""
    catalogue = Path(environ["BOOKS_CALIBRE_LIBRARIES"]) / "metadata.db"
    catalogue.unlink()
    os.mkfifo(catalogue)
    return environ


def is_nice(process: int) -> bool:
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    return os.getpriority(os.PRIO_PROCESS, process) > mine or mine == 19


@LINUX
async def test_it_is_nice_and_ends_when_it_is_cancelled(stalled: Mapping[str, str]) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(index_in_background, settings_of(stalled))
        await anyio.to_thread.run_sync(wait_until, lambda: indexers_of(os.getpid()))
        (indexer,) = indexers_of(os.getpid())
        await anyio.to_thread.run_sync(wait_until, lambda: is_nice(indexer))
        tasks.cancel_scope.cancel()
    assert not is_running(indexer)


@LINUX
def test_it_ends_when_the_server_is_killed(stalled: Mapping[str, str]) -> None:
    program = (
        "import anyio\n"
        "from mcp_books._background_indexing import index_in_background\n"
        "from mcp_books.settings import Settings\n"
        "anyio.run(index_in_background, Settings.from_env())\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, **stalled}, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: indexers_of(server.pid))
        (indexer,) = indexers_of(server.pid)
        wait_until(lambda: is_nice(indexer))
    finally:
        server.kill()
        server.wait()
    wait_until(lambda: not is_running(indexer))


async def test_an_entry_that_is_no_library_is_told_once_by_the_server_alone(
    environ: Mapping[str, str],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    bad = str(tmp_path / "metadata.db")
    configured = os.pathsep.join((environ["BOOKS_CALIBRE_LIBRARIES"], bad))
    with anyio.fail_after(PATIENCE):
        await index_in_background(settings_of(environ, calibre_libraries=configured))
    told = [record.getMessage() for record in caplog.records if "not used" in record.getMessage()]
    assert len(told) == 1
    assert bad in told[0]
    assert "not used" not in capfd.readouterr().err
    assert indexed(environ)


async def test_without_any_library_that_can_be_used_nothing_is_started(
    environ: Mapping[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bad = str(tmp_path / "other" / "metadata.db")
    with anyio.fail_after(PATIENCE):
        await index_in_background(settings_of(environ, calibre_libraries=bad))
    assert "no Calibre library is configured" not in capfd.readouterr().err
    assert not index_of(environ).exists()


async def test_a_drive_that_does_not_answer_keeps_nobody_waiting(
    environ: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answers = threading.Event(), threading.Event()

    def hanging(settings: Settings) -> tuple[()]:
        asked.set()
        answers.wait(PATIENCE)
        return ()

    monkeypatch.setattr(places, "libraries", hanging)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(index_in_background, settings_of(environ))
            assert await anyio.to_thread.run_sync(asked.wait, PATIENCE)
            began = anyio.current_time()
            tasks.cancel_scope.cancel()
        assert anyio.current_time() - began < PATIENCE / 2
    finally:
        answers.set()


async def test_an_indexer_that_cannot_be_killed_keeps_nobody_waiting(
    environ: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, killed, open_process = anyio.Event(), anyio.Event(), anyio.open_process
    started: list[Process] = []

    async def stuck(_: list[str], **options: Any) -> Process:
        forever = "import threading; threading.Event().wait()"
        process = await open_process([sys.executable, "-c", forever], **options)
        monkeypatch.setattr(process, "kill", killed.set)
        started.append(process)
        opened.set()
        return process

    monkeypatch.setattr(anyio, "open_process", stuck)
    monkeypatch.setattr(_background_indexing, "_PATIENCE", 0.1)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(index_in_background, settings_of(environ))
            await opened.wait()
            tasks.cancel_scope.cancel()
    (process,) = started
    assert killed.is_set()
    assert process.returncode is None
    process.terminate()
    await process.wait()
