"""Two configured libraries of one uuid: the first counts, and every answer names the other."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from mcp_books import BooksClient
from mcp_books.errors import InvalidInput
from mcp_books.settings import Settings
from mcp_books.sources.calibre.indexing import Indexing
from mcp_books.sources.calibre.places import index_file, libraries

from .asked_shelves import WHALE, answered, asking, indexed, pages
from .libraries import Volume, add, connect, make_library

pytestmark = pytest.mark.anyio

CLAUSE = "it is a copy of the library 'a'"
PRIVATE = Volume(title="Whale Letters", tags=("private",), files={"EPUB": b"letters"})


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings of a library and a copy of it, in which the first is indexed in part."""
    first, second = tmp_path / "A", tmp_path / "B"
    make_library(first, [*WHALE, PRIVATE])
    shutil.copytree(first, second)
    made = Settings(
        calibre_libraries=os.pathsep.join([f"a={first}", f"b={second}"]),
        calibre_exclude_tags="private",
        index_dir=tmp_path / "index",
    )
    indexed(made, first, {1: pages("A whale."), 2: pages("The whale sang.")})
    return made


@asynccontextmanager
async def after(settings: Settings, statement: str, tmp_path: Path) -> AsyncIterator[BooksClient]:
    """Yield a client of both once `statement` was run on the copy."""
    with closing(connect(tmp_path / "B")) as db:
        db.execute(statement)
    async with asking(settings) as books:
        yield books


async def test_a_copy_is_in_no_count_and_every_answer_names_it(settings: Settings) -> None:
    async with asking(settings) as books:
        inside = await books.search_inside("whale", fan_out=False)
        items = await books.search_items("whale", fan_out=False)
    coverage = answered(inside.per_source[0]).coverage
    assert coverage is not None
    assert (coverage.indexed, coverage.readable) == (2, 3)
    assert [hit.id for hit in inside.hits] == ["calibre:a/1", "calibre:a/2"]
    assert [item.id for item in items.items] == ["calibre:a/2", "calibre:a/1"]
    assert answered(items.per_source[0]).count == 2
    for answer in (inside, items):
        notes = [note.text for note in answer.notes if note.kind == "library_unread"]
        assert notes == [f"Calibre libraries: the library 'b' was not searched: {CLAUSE}."]


async def test_a_book_of_a_copy_that_is_asked_for_is_refused_in_the_same_words(
    settings: Settings, tmp_path: Path
) -> None:
    async with asking(settings) as books:
        for named in ("calibre:b/2", "calibre://show-book/B/2"):
            with pytest.raises(InvalidInput, match=CLAUSE) as refused:
                await books.get_item(named)
            assert "search_items" in (refused.value.hint or "")
        assert (await books.get_item("calibre:a/2")).item.title == "Songs of the Whale"


async def test_books_that_went_apart_under_one_number_are_not_confused(
    settings: Settings, tmp_path: Path
) -> None:
    apart = "UPDATE books SET title = 'Roses', uuid = 'another' WHERE id = 1"
    async with after(settings, apart, tmp_path) as books:
        inside = await books.search_inside("whale", fan_out=False)
        items = await books.search_items("roses", fan_out=False)
    assert {hit.title for hit in inside.hits} == {"The Whale at Sea", "Songs of the Whale"}
    assert [item.id for item in items.items] == ["calibre:a/3"]


async def test_a_tag_that_hides_a_book_hides_it_also_where_the_copy_lacks_the_tag(
    settings: Settings, tmp_path: Path
) -> None:
    async with after(settings, "DELETE FROM books_tags_link WHERE book = 4", tmp_path) as books:
        items = await books.search_items("whale letters", fan_out=False)
        with pytest.raises(InvalidInput):
            await books.get_item("calibre:b/4")
    assert answered(items.per_source[0]).count == 0


async def test_what_is_wrong_with_a_file_is_not_counted_for_its_sound_twin(
    tmp_path: Path,
) -> None:
    damaged = [Volume(title="Whale", files={"EPUB": b"damaged"})]
    first = make_library(tmp_path / "A", damaged)
    shutil.copytree(first, tmp_path / "B")
    settings = Settings(
        calibre_libraries=os.pathsep.join([f"a={first}", f"b={tmp_path / 'B'}"]),
        index_dir=tmp_path / "index",
    )
    indexing = Indexing(libraries(settings), index_file(settings))
    run = indexing.run()
    assert (run.added, run.problems, run.copies) == (0, {}, {"b": CLAUSE})
    status = indexing.status()
    assert (status["a"].unreadable, status["a"].copied) == ({"damaged": 1}, None)
    assert (status["b"].unreadable, status["b"].copied) == ({}, CLAUSE)
    async with asking(settings) as books:
        inside = await books.search_inside("whale", fan_out=False)
    coverage = answered(inside.per_source[0]).coverage
    assert coverage is not None
    assert (coverage.readable, dict(coverage.unreadable)) == (0, {"damaged": 1})


async def test_text_of_a_book_that_went_apart_under_its_number_counts_for_none(
    settings: Settings, tmp_path: Path
) -> None:
    with closing(connect(tmp_path / "A")) as db:
        db.execute("UPDATE books SET title = 'Roses', uuid = 'another' WHERE id = 1")
    async with asking(settings) as books:
        inside = await books.search_inside("whale", fan_out=False)
    coverage = answered(inside.per_source[0]).coverage
    assert coverage is not None
    assert ([hit.id for hit in inside.hits], coverage.indexed) == (["calibre:a/2"], 1)
    assert Indexing(libraries(settings), index_file(settings)).status()["a"].indexed == 1


def test_a_copy_that_is_indexed_alone_leaves_the_text_of_the_first_as_it_is(
    settings: Settings, tmp_path: Path
) -> None:
    with closing(connect(tmp_path / "B")) as db:
        db.execute("DELETE FROM books WHERE id = 2")
    indexing = Indexing(libraries(settings), index_file(settings), names=("b",))
    run = indexing.run()
    assert (run.added, run.removed, run.problems, run.copies) == (0, 0, {}, {"b": CLAUSE})
    assert [one.copied for one in indexing.status().libraries] == [CLAUSE]
    every = Indexing(libraries(settings), index_file(settings)).status()
    assert [(one.name, one.indexed) for one in every.libraries] == [("a", 2), ("b", 0)]


async def test_a_copy_stands_in_until_the_first_can_be_read(
    settings: Settings, tmp_path: Path
) -> None:
    away = (tmp_path / "A").rename(tmp_path / "away")
    async with asking(settings) as books:
        without = await books.search_items("whale", fan_out=False)
        away.rename(tmp_path / "A")
        back = await books.search_items("whale", fan_out=False)
    assert {item.id for item in without.items} == {"calibre:b/1", "calibre:b/2"}
    assert ["'a' was not searched" in note.text for note in without.notes] == [True]
    assert {item.id for item in back.items} == {"calibre:a/1", "calibre:a/2"}
    assert [CLAUSE in note.text for note in back.notes] == [True]


async def test_a_book_added_to_the_copy_alone_is_not_shown(
    settings: Settings, tmp_path: Path
) -> None:
    with closing(connect(tmp_path / "B")) as db:
        add(db, Volume(title="Whale Five"), folder=tmp_path / "B")
    async with asking(settings) as books:
        items = await books.search_items("five", fan_out=False)
    assert items.items == ()
