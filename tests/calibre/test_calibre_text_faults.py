"""Calibre's texts that are hostile, and its database when it cannot be read."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mcp_books.sources.calibre import calibre_texts
from mcp_books.sources.calibre.indexing_texts import stretches_of
from mcp_books.sources.calibre.problems import CannotRead

from .calibre_text_files import (
    DATABASE,
    connect_texts,
    documents,
    put,
    shelf,
    told,
)
from .libraries import Volume
from .shelves import Shelf, add_book

__all__ = ["shelf"]


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"A por\0poise\x07 here\x9f.", "A por poise  here"),
        (b"A porpoise \xff\xfe here.", "A porpoise \ufffd\ufffd here."),
        (b"A porpoise \xed\xa0\x80 here.", "A porpoise \ufffd\ufffd\ufffd here."),
        (b"A porpoise\r\nand\x0canother.", "A porpoise\nand\nanother."),
    ],
)
def test_hostile_characters_are_made_harmless(shelf: Shelf, raw: bytes, found: str) -> None:
    put(shelf.folder, 1, "DOCX", raw)
    assert shelf.run().added == 1
    words = "por" if b"por\0" in raw else "porpoise"
    assert [text.startswith(found) for text in shelf.found(words)] == [True]


def test_a_line_of_five_megabytes_is_cut(shelf: Shelf) -> None:
    put(shelf.folder, 1, "DOCX", "word " * 1_000_000 + "porpoise")
    run = shelf.run()
    assert (run.added, len(shelf.found("porpoise"))) == (1, 1)
    assert run.pages >= 2500


def test_a_text_of_joints_alone_is_cut_by_its_length() -> None:
    parts = list(stretches_of("a\n\n\n" * 30_000))
    assert max(len(one.text) for one in parts) <= 2000
    assert len(parts) < 100


def test_a_locked_database_leaves_everything_as_it_was(shelf: Shelf) -> None:
    shelf.run()
    add_book(shelf.folder, Volume(files={"RTF": b"rich"}))
    with closing(connect_texts(shelf.folder)) as db:
        db.execute("BEGIN EXCLUSIVE")
        db.execute("DELETE FROM books_text")
        run = shelf.run()
        assert (run.added, run.unreadable, run.removed) == (0, {}, 0)
        assert (len(shelf.found("porpoise")), len(documents(shelf))) == (1, 1)
        db.execute("ROLLBACK")
    assert shelf.run().unreadable == {"unsupported": 1}


def test_a_database_locked_between_its_listing_and_a_text_leaves_the_book_waiting(
    shelf: Shelf,
) -> None:
    shelf.run()
    put(shelf.folder, 1, "DOCX", "A dugong.", moment=2000.0)
    indexing = shelf.indexing()
    with closing(connect_texts(shelf.folder)) as db:
        run = indexing.run(on_progress=lambda _: lock(db))
        db.execute("ROLLBACK")
    assert (run.added, run.removed, run.unreadable) == (0, 0, {})
    assert run.texts_unread == ("mine",)
    assert len(shelf.found("porpoise")) == 1
    assert (shelf.run().added, shelf.found("dugong")) == (1, ["A dugong."])


def lock(db: sqlite3.Connection) -> None:
    if not db.in_transaction:
        db.execute("BEGIN EXCLUSIVE")


def torn(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    path.write_bytes(content)


def hot(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN")
        for number in range(2, 60):
            db.execute(
                "INSERT INTO books_text (book, timestamp, format, format_hash, searchable_text)"
                " VALUES (?, 1, 'DOCX', '', ?)",
                (number, "half " * 4000),
            )
        shutil.copy(path, path.with_name("copy"))
        shutil.copy(f"{path}-journal", path.with_name("copy-journal"))
        db.execute("ROLLBACK")
    path.with_name("copy").replace(path)
    path.with_name("copy-journal").replace(f"{path}-journal")


def renamed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE books_text RENAME COLUMN timestamp TO at")


def without_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE books_text")


@pytest.mark.parametrize(
    "spoil",
    [torn, hot, renamed, without_table, lambda path: path.write_bytes(b"no database")],
    ids=["malformed", "hot journal", "other column", "no table", "no database"],
)
def test_a_database_that_cannot_be_read_changes_nothing_and_is_logged(
    shelf: Shelf,
    spoil: Callable[[Path], object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    shelf.run()
    spoil(shelf.folder / DATABASE)
    before = (shelf.folder / DATABASE).read_bytes()
    run = shelf.run()
    assert (run.unchanged, run.removed, run.unreadable) == (1, 0, {})
    assert run.texts_unread == ("mine",)
    assert (len(shelf.found("porpoise")), told(shelf)) == (1, (1, 0, {}))
    assert any(DATABASE in record.getMessage() for record in caplog.records)
    assert (shelf.folder / DATABASE).read_bytes() == before


def test_while_calibres_texts_cannot_be_read_a_new_book_waits(shelf: Shelf) -> None:
    (shelf.folder / DATABASE).write_bytes(b"no database" * 100)
    assert shelf.run().texts_unread == ("mine",)
    assert told(shelf) == (0, 1, {})


def test_a_database_in_wal_mode_is_read_with_its_log(shelf: Shelf) -> None:
    with closing(connect_texts(shelf.folder)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("SELECT count(*) FROM books_text").fetchone()
        put(shelf.folder, 1, "DOCX", "A dugong.", moment=2000.0)
        assert (shelf.folder / f"{DATABASE}-wal").stat().st_size > 0
        assert (shelf.run().added, shelf.found("dugong")) == (1, ["A dugong."])
    assert (shelf.run().unchanged, shelf.found("dugong")) == (1, ["A dugong."])


def test_a_database_that_failed_is_tried_again_after_a_while(shelf: Shelf) -> None:
    now = [0.0]
    texts = calibre_texts.CalibreTexts(shelf.folder, retry_after=30.0, clock=lambda: now[0])
    with closing(connect_texts(shelf.folder)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("BEGIN EXCLUSIVE")
        assert texts.listing() is None
        db.execute("ROLLBACK")
    now[0] = 29.0
    assert texts.listing() is None
    with pytest.raises(CannotRead):
        texts.text(1, "DOCX")
    now[0] = 31.0
    listing = texts.listing()
    assert listing is not None
    assert [*listing.rows] == [(1, "DOCX")]
    assert texts.listing() is listing


def test_a_database_that_is_seen_to_be_another_is_read_at_once(shelf: Shelf) -> None:
    texts = calibre_texts.CalibreTexts(shelf.folder, clock=lambda: 0.0)
    path = shelf.folder / DATABASE
    content = path.read_bytes()
    path.write_bytes(b"no database")
    assert texts.listing() is None
    path.write_bytes(content)
    assert texts.text(1, "DOCX") is not None
    away = shelf.folder.rename(shelf.folder.with_name("Away"))
    assert texts.listing() is None
    (away / DATABASE).unlink()
    away.rename(shelf.folder)
    listing = texts.listing()
    assert listing is not None
    assert not listing.exists


def test_a_listing_young_enough_is_not_looked_at_again(shelf: Shelf) -> None:
    now = [0.0]
    texts = calibre_texts.CalibreTexts(shelf.folder, clock=lambda: now[0])
    first = texts.listing()
    put(shelf.folder, 1, "DOCX", "A dugong.", moment=2000.0)
    now[0] = 20.0
    assert texts.listing(within=30.0) is first
    assert texts.listing() is not first


def test_a_library_that_is_away_says_nothing_of_its_texts(shelf: Shelf) -> None:
    texts = calibre_texts.CalibreTexts(shelf.folder)
    shelf.folder.rename(shelf.folder.with_name("Away"))
    assert texts.listing() is None
