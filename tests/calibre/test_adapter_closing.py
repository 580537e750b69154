"""What a closed client leaves open of its libraries: nothing; and whom a drive keeps waiting."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from mcp_books import BooksClient
from mcp_books.settings import Settings
from mcp_books.sources.calibre import asking as desk
from mcp_books.sources.calibre.adapter import CalibreLibraries
from mcp_books.sources.calibre.library import Library
from tests.fakes import FakeArchive

from .asked_shelves import WHALE, asking, pages, shelf

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def opened_below(folder: Path) -> list[str]:
    links = []
    for one in Path("/proc/self/fd").iterdir():
        try:
            links.append(str(one.readlink()))
        except OSError:  # closed since it was listed
            continue
    return [link for link in links if link.startswith(str(folder))]


async def test_a_closed_client_lets_the_index_be_deleted_and_a_new_one_opens_it(
    tmp_path: Path,
) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    books = BooksClient(made.settings, sources=["calibre"])
    for _ in range(2):
        async with books:
            assert (await books.search_inside("whale", fan_out=False)).hits
    made.index.unlink()
    assert not made.index.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the open files of a process")
async def test_a_closed_client_holds_no_file_of_the_libraries_open(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    async with BooksClient(made.settings, sources=["calibre"]) as books:
        await books.search_inside("whale", fan_out=False)
        assert opened_below(made.index.parent)
    assert opened_below(tmp_path) == []


async def test_a_client_that_asked_nothing_closes_nothing(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE)
    async with BooksClient(made.settings, sources=["calibre"]):
        pass
    assert not made.index.exists()


class Stuck(FakeArchive):
    """Fails to let go of what it holds."""

    async def aclose(self) -> None:
        raise OSError("the drive is gone")


async def test_an_archive_that_fails_to_close_keeps_no_other_open(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    calibre = CalibreLibraries(made.settings)
    with pytest.raises(OSError, match="drive is gone"):
        async with BooksClient(made.settings, sources=[Stuck(), calibre, Stuck("beta")]) as books:
            await books.search_inside("whale", fan_out=False)
    made.index.unlink()
    assert sys.platform != "linux" or opened_below(tmp_path) == []


async def test_a_drive_that_does_not_answer_keeps_a_record_waiting_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = shelf(tmp_path, WHALE)
    asked, answers = threading.Event(), threading.Event()

    def hanging(_: Settings) -> tuple[Library, ...]:
        asked.set()
        assert answers.wait(20), "the event loop is kept waiting"
        return ()

    monkeypatch.setattr(desk, "libraries", hanging)
    async with asking(made.settings) as books:
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(books.get_item, "home/1")
                assert await anyio.to_thread.run_sync(asked.wait, 10)
                tasks.cancel_scope.cancel()
        finally:
            answers.set()
