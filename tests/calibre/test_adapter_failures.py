"""The Calibre source in trouble: what is wrong is said, and whatever still works is answered."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from mcp_books import BooksClient
from mcp_books.errors import InvalidInput, NetworkFailure
from mcp_books.reports import Answered, Failed
from mcp_books.settings import Settings
from mcp_books.sources.calibre.extract.base import Stretch

from .asked_shelves import WHALE, answered, asking, fake_archive, indexed, pages, shelf
from .libraries import make_library

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def failed(books: BooksClient, query: str = "whale") -> Failed:
    """Return the report of a search inside that the libraries did not answer."""
    answer = await books.search_inside(query, fan_out=False)
    assert not [hit for hit in answer.hits if hit.source == "calibre"]
    report = answer.per_source[0]
    assert isinstance(report, Failed), report
    return report


async def test_without_an_index_the_search_fails_and_says_how_to_make_one(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE)
    async with asking(made.settings, fake_archive()) as books:
        report = await failed(books)
        items = await books.search_items("whale", fan_out=False)
        indexed(made.settings, made.folder, {1: pages("A whale.")})
        later = await books.search_inside("whale", fan_out=False)
    assert report.error.code == "network_error"
    assert "mcp-books index" in (report.error.hint or "")
    assert {item.source for item in items.items} == {"calibre", "alpha"}
    assert {hit.source for hit in later.hits} == {"calibre", "alpha"}


async def test_an_index_that_holds_none_of_the_books_is_a_failure_too(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {})
    async with asking(made.settings) as books:
        report = await failed(books)
    assert report.error.code == "network_error"
    assert "3 readable books" in report.error.message


async def test_a_library_without_readable_books_answers_with_nothing(tmp_path: Path) -> None:
    made = shelf(tmp_path, [], {})
    async with asking(made.settings) as books:
        answer = await books.search_inside("whale", fan_out=False)
    assert answered(answer.per_source[0]).count == 0


async def test_a_damaged_index_is_told_with_the_way_to_rebuild_it(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    for beside in made.index.parent.iterdir():
        beside.unlink()
    made.index.write_bytes(b"no index at all" * 1000)
    async with asking(made.settings) as books:
        report = await failed(books)
    assert report.error.code == "parse_failure"
    assert "mcp-books index --rebuild" in (report.error.hint or "")
    assert str(tmp_path) not in report.model_dump_json()


async def test_an_index_of_another_version_is_not_searched(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    with closing(sqlite3.connect(made.index)) as db:
        db.execute("PRAGMA user_version = 1")
    async with asking(made.settings) as books:
        report = await failed(books)
    assert report.error.code == "network_error"
    assert "another version" in report.error.message


async def test_an_index_that_is_being_written_is_searched(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    with closing(sqlite3.connect(made.index, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE meta SET value = value WHERE key = 'generation'")
        async with asking(made.settings) as books:
            answer = await books.search_inside("whale", fan_out=False)
        db.execute("ROLLBACK")
    assert len(answer.hits) == 1


async def test_a_locked_index_fails_and_can_be_asked_again(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    with closing(sqlite3.connect(made.index, isolation_level=None)) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("UPDATE meta SET value = value WHERE key = 'generation'")
        async with asking(made.settings) as books:
            report = await failed(books)
        db.execute("ROLLBACK")
    assert report.error.code == "network_error"
    assert report.error.hint is not None
    async with asking(made.settings) as books:
        assert (await books.search_inside("whale", fan_out=False)).hits


async def test_a_vanished_library_is_shown_as_it_was_and_the_answer_says_so(
    tmp_path: Path,
) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale."), 2: [Stretch("x")], 3: [Stretch("y")]})
    async with asking(made.settings) as books:
        await books.search_inside("whale", fan_out=False)
        shutil.rmtree(made.folder)
        inside = await books.search_inside("whale", fan_out=False)
        items = await books.search_items("whale", fan_out=False)
        record = await books.get_item("calibre:home/1")
    for answer in (inside, items):
        assert [note.kind for note in answer.notes] == ["library_problem"]
        assert "not there" in answer.notes[0].text
    assert len(inside.hits) == 1
    assert len(items.items) == 2
    assert "not there" in record.item.notes[0]


async def test_one_library_that_cannot_be_read_does_not_hide_the_other(tmp_path: Path) -> None:
    one = make_library(tmp_path / "one", WHALE)
    settings = Settings(
        calibre_libraries=os.pathsep.join([str(one), f"gone={tmp_path / 'gone'}"]),
        index_dir=tmp_path / "index",
    )
    indexed(settings, one, {1: pages("A whale."), 2: [Stretch("x")], 3: [Stretch("y")]})
    async with asking(settings) as books:
        answer = await books.search_inside("whale", fan_out=False)
        with pytest.raises(NetworkFailure, match="gone"):
            await books.get_item("calibre:gone/1")
    assert len(answer.hits) == 1
    (note,) = answer.notes
    assert note.kind == "library_unread"
    assert "'gone' was not searched" in note.text


@pytest.mark.parametrize("entry", ["gone={}", "no name={}"])
async def test_without_any_readable_library_both_searches_fail(tmp_path: Path, entry: str) -> None:
    settings = Settings(calibre_libraries=entry.format(tmp_path / "gone"), index_dir=tmp_path)
    async with asking(settings, fake_archive()) as books:
        report = await failed(books)
        items = await books.search_items("whale", fan_out=False)
    assert report.error.code == "network_error"
    assert items.per_source[0].status == "failed"
    assert [item.source for item in items.items] == ["alpha"]
    assert str(tmp_path) not in report.model_dump_json()


TEXT = (
    "Don't speak of C++ or AT&T; the state-of-the-art costs 12.5% more. AND OR NOT NEAR. "
    "今天我们阅读软件包维护者指南。 كتاب البحر الكبير "
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("don't", True),
        ("C++ AT&T", True),
        ("state-of-the-art 12.5%", True),
        ("title:costs", False),
        ('"', None),
        ('"" costs', True),
        ('speak "', True),
        ("AND OR NOT NEAR", True),
        ("NEAR(speak, costs)", False),
        ("speak AND costs", True),
        ("-speak *", True),
        ("'; DROP TABLE page; --", False),
        ("阅读", True),
        ("软件包 costs كتاب", True),
        ("البحر", True),
        ("包读", False),
        ("the", True),
    ],
)
async def test_whatever_is_asked_is_searched_as_words(
    tmp_path: Path, query: str, found: bool | None
) -> None:
    made = shelf(tmp_path, WHALE, {1: pages(TEXT)})
    async with asking(made.settings) as books:
        if found is None:
            with pytest.raises(InvalidInput):
                await books.search_inside(query, fan_out=False)
            return
        answer = await books.search_inside(query, fan_out=False)
    report = answer.per_source[0]
    assert isinstance(report, Answered), report
    assert bool(answer.hits) is found


async def test_ten_thousand_words_are_refused_or_cut_with_a_note(tmp_path: Path) -> None:
    made = shelf(tmp_path, WHALE, {1: pages(" ".join(f"w{n}" for n in range(400)))})
    async with asking(made.settings) as books:
        with pytest.raises(InvalidInput):
            await books.search_inside(" ".join(f"w{n}" for n in range(10_000)), fan_out=False)
        with pytest.raises(InvalidInput):
            await books.search_inside("whale\0 sea", fan_out=False)
        answer = await books.search_inside(" ".join(f"w{n}" for n in range(60)), fan_out=False)
    assert len(answer.hits) == 1
    assert "words_set_aside" in [note.kind for note in answer.notes]
    attempt = answered(answer.per_source[0]).queries[0]
    assert (attempt.sent_as or "").split() == [f"w{n}" for n in range(32)]


async def test_a_search_ends_before_the_time_of_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale.")})
    monkeypatch.setattr("mcp_books.sources.calibre.adapter.LONGEST_SEARCH", 0.0)
    async with asking(made.settings, fake_archive()) as books:
        started = time.monotonic()
        report = await failed(books)
    assert report.error.code == "timeout"
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("query", "inside", "items"),
    [
        ("wh* whale", "wh whale", "wh whale"),
        ("whal* -ship", "whal* ship", "whal ship"),
        ('"a whale"', None, None),
    ],
)
async def test_an_answer_says_what_was_asked_where_a_sign_was_not_obeyed(
    tmp_path: Path, query: str, inside: str | None, items: str | None
) -> None:
    made = shelf(tmp_path, WHALE, {1: pages("A whale and a ship.")})
    async with asking(made.settings) as books:
        found = await books.search_inside(query, fan_out=False)
        listed = await books.search_items(query, fan_out=False)
    assert answered(found.per_source[0]).queries[0].sent_as == inside
    assert answered(listed.per_source[0]).queries[0].sent_as == items
