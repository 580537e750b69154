"""What an answer says of a library that cannot be read, and what it tells to do about it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from mcp_books.errors import NetworkFailure
from mcp_books.settings import Settings

from .asked_shelves import WHALE, asking
from .libraries import connect, hot_journal, make_library

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    with closing(connect(folder)) as db:
        db.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def cut_off(folder: Path) -> Iterator[None]:
    hot_journal(folder, folder.with_name("Killed"))
    shutil.copytree(folder.with_name("Killed"), folder, dirs_exist_ok=True)
    yield


@contextmanager
def truncated(folder: Path) -> Iterator[None]:
    whole = (folder / "metadata.db").read_bytes()
    (folder / "metadata.db").write_bytes(whole[: len(whole) // 2])
    yield


@contextmanager
def gone(folder: Path) -> Iterator[None]:
    shutil.rmtree(folder)
    yield


@contextmanager
def replaced(folder: Path) -> Iterator[None]:
    (folder / "metadata.db").write_bytes(b"no database")
    yield


@contextmanager
def of_another_layout(folder: Path) -> Iterator[None]:
    (folder / "metadata.db").unlink()
    with closing(sqlite3.connect(folder / "metadata.db")) as db:
        db.execute("CREATE TABLE books (id)")
    yield


BROKEN = [
    (locked, "another program is writing to it", "Ask again in a moment"),
    (cut_off, "a change in it was cut off", "Open the library in Calibre once"),
    (truncated, "is damaged", "Restore database"),
    (gone, "is not there", "drive"),
    (replaced, "no catalogue of Calibre's", "BOOKS_CALIBRE_LIBRARIES"),
    (of_another_layout, "a layout that is not known here", "newer mcp-books"),
]


@pytest.mark.parametrize(("broken", "because", "hint"), BROKEN)
async def test_each_problem_of_a_library_has_a_hint_of_its_own(
    tmp_path: Path, broken: Callable[[Path], AbstractContextManager[None]], because: str, hint: str
) -> None:
    folder = make_library(tmp_path / "Library", WHALE)
    settings = Settings(calibre_libraries=f"mine={folder}", index_dir=tmp_path)
    with broken(folder):
        async with asking(settings) as books:
            with pytest.raises(NetworkFailure, match=because) as refused:
                await books.get_item("calibre:mine/1")
            report = (await books.search_items("whale", fan_out=False)).per_source[0]
    assert report.status == "failed"
    assert hint in (refused.value.hint or "")
    assert report.error.hint == refused.value.hint


async def test_the_hints_of_several_libraries_name_them(tmp_path: Path) -> None:
    one = make_library(tmp_path / "one", WHALE)
    two = make_library(tmp_path / "two", WHALE)
    entries = [f"one={one}", f"two={two}", f"three={tmp_path / 'three'}", f"four={tmp_path / '4'}"]
    settings = Settings(calibre_libraries=os.pathsep.join(entries), index_dir=tmp_path)
    with locked(one), truncated(two):
        async with asking(settings) as books:
            report = (await books.search_items("whale", fan_out=False)).per_source[0]
    assert report.status == "failed"
    assert report.error.hint is not None
    assert "'one': Ask again in a moment." in report.error.hint
    assert "'two': Let Calibre repair it" in report.error.hint
    assert "'three', 'four': Check that its drive is there" in report.error.hint
