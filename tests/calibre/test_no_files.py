"""Pipes, sockets, devices and folders where a database is expected: refused at once."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from mcp_books.reports import Answered, Failed
from mcp_books.sources.calibre.index import Index, IndexUnreachable
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.problems import LibraryUnavailable

from .asked_shelves import WHALE, asking, pages, shelf
from .libraries import Volume, make_library

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files"),
]
LONGEST = 10.0


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _socket(path: Path) -> None:
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as one:
        one.bind(f"{short}/socket")  # the name of one may not be long
        shutil.move(f"{short}/socket", path)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/tty")


KINDS = [_pipe, _socket, _device, Path.mkdir]


def outcome(do: Callable[[], object]) -> BaseException | None:
    """Return what `do` raised; it fails the test to take longer than `LONGEST`."""
    found: list[BaseException | None] = []

    def work() -> None:
        try:
            do()
        except BaseException as error:  # noqa: BLE001  # handed to the test
            found.append(error)
        else:
            found.append(None)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(LONGEST)
    assert found, "it waits"
    return found[0]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("beside", ["", "-journal", "-wal", "-shm"])
def test_what_is_no_file_makes_no_library(
    tmp_path: Path, make: Callable[[Path], None], beside: str
) -> None:
    folder = make_library(tmp_path / "Library", [Volume(title="First")])
    path = folder / f"metadata.db{beside}"
    with suppress(FileNotFoundError):
        path.unlink()
    make(path)
    failure = outcome(Library("mine", folder).current)
    assert isinstance(failure, LibraryUnavailable)
    assert failure.problem == "not_a_library"


@pytest.mark.parametrize("make", KINDS)
async def test_what_is_no_file_in_place_of_calibres_texts_stops_nothing(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    make(made.folder / "full-text-search.db")
    async with asking(made.settings) as books:
        answer = await books.search_inside("whale", fan_out=False)
    assert isinstance(answer.per_source[0], Answered)
    assert len(answer.hits) == 1


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("beside", ["", "-journal", "-wal", "-shm"])
async def test_what_is_no_file_is_not_opened_as_the_index_nor_removed(
    tmp_path: Path, make: Callable[[Path], None], beside: str
) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    path = made.index.with_name(made.index.name + beside)
    with suppress(FileNotFoundError):
        path.unlink()
    make(path)
    async with asking(made.settings) as books:
        report = (await books.search_inside("whale", fan_out=False)).per_source[0]
    assert isinstance(report, Failed)
    assert (report.error.code, report.error.message) == (
        "network_error",
        "Calibre libraries: the file of the text index cannot be opened or read",
    )
    for rebuild in (False, True):
        failure = outcome(partial(Index.open_writing, made.index, rebuild=rebuild))
        assert isinstance(failure, IndexUnreachable)
        assert "is no file" in str(failure)
    assert path.exists() or path.is_symlink()


@pytest.mark.parametrize("make", KINDS)
def test_what_is_no_file_is_not_waited_for_as_the_lock_of_the_writer(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "index.sqlite-writer")
    failure = outcome(lambda: Index.open_writing(tmp_path / "index.sqlite"))
    assert isinstance(failure, IndexUnreachable)
