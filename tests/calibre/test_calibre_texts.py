"""Books in formats that are read by Calibre alone: its texts, indexed and followed."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from mcp_books.sources.calibre import calibre_texts
from mcp_books.sources.calibre.index import Index

from .calibre_text_files import (
    DATABASE,
    DOCX,
    TEXT,
    connect_texts,
    documents,
    file_of,
    forget,
    put,
    shelf,
    told,
)
from .index_builders import find
from .libraries import Volume, make_library
from .shelves import LOCKED, Shelf, add_file, book, change

__all__ = ["shelf"]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the books whose texts are read from Calibre's database."""
    reading, found = calibre_texts.CalibreTexts.text, list[int]()

    def kept(
        self: calibre_texts.CalibreTexts, number: int, format_name: str
    ) -> calibre_texts.Text | None:
        found.append(number)
        return reading(self, number, format_name)

    monkeypatch.setattr(calibre_texts.CalibreTexts, "text", kept)
    return found


def test_a_book_that_only_calibre_reads_is_indexed_in_stretches_without_places(
    shelf: Shelf, read: list[int]
) -> None:
    assert told(shelf) == (0, 1, {})
    run = shelf.run()
    assert (run.added, run.pages, run.unreadable) == (1, 2, {})
    assert shelf.found("porpoise") == ["A porpoise off the cape."]
    with Index.open_reading(shelf.path) as reader:
        (place,) = find(reader, "narwhal").places
    assert (place.page_number, place.label, place.label_source, place.section) == (None,) * 4
    assert (told(shelf), shelf.read, read) == ((1, 0, {}), [], [1])


def test_a_second_run_reads_no_text_again(shelf: Shelf, read: list[int]) -> None:
    shelf.run()
    read.clear()
    assert (shelf.run().unchanged, read) == (1, [])


def test_a_text_that_calibre_makes_later_is_indexed_then(tmp_path: Path) -> None:
    folder = make_library(tmp_path / "Library", [Volume(files=DOCX), Volume(files={"FB2": b"f"})])
    shelf = Shelf(folder, tmp_path / "index")
    assert shelf.run().unreadable == {"unsupported": 2}
    put(folder, 1, "DOCX", TEXT)
    assert told(shelf) == (0, 1, {"unsupported": 1})
    run = shelf.run()
    assert (run.added, run.unchanged) == (1, 1)
    put(folder, 2, "FB2", "A dugong.")
    assert (shelf.run().added, len(shelf.found("dugong"))) == (1, 1)
    assert told(shelf) == (2, 0, {})


def test_a_text_that_calibre_makes_anew_replaces_the_old_one(shelf: Shelf) -> None:
    shelf.run()
    put(shelf.folder, 1, "DOCX", "A dugong.", moment=2000.25)
    assert shelf.run().added == 1
    assert (shelf.found("porpoise"), shelf.found("dugong")) == ([], ["A dugong."])


def test_the_same_text_made_anew_counts_as_unchanged(shelf: Shelf, read: list[int]) -> None:
    shelf.run()
    put(shelf.folder, 1, "DOCX", TEXT, moment=2000.25)
    run = shelf.run()
    assert (run.added, run.unchanged) == (0, 1)
    read.clear()
    assert (shelf.run().unchanged, read) == (1, [])


def test_a_text_that_leaves_calibres_index_leaves_ours(shelf: Shelf) -> None:
    shelf.run()
    forget(shelf.folder, 1)
    assert shelf.run().unreadable == {"unsupported": 1}
    assert shelf.found("porpoise") == []
    assert shelf.run().unchanged == 1


def test_the_text_of_an_unchanged_file_stays_when_calibres_index_is_turned_off(
    shelf: Shelf,
) -> None:
    shelf.run()
    (shelf.folder / DATABASE).unlink()
    assert (shelf.run().unchanged, len(shelf.found("porpoise"))) == (1, 1)
    assert told(shelf) == (1, 0, {})
    file_of(shelf.folder, 1, "DOCX").write_bytes(b"another document")
    assert shelf.run().unreadable == {"unsupported": 1}
    assert shelf.found("porpoise") == []
    assert shelf.run().unchanged == 1


@pytest.mark.parametrize("content", [b"another document", b"A document"])
def test_a_replaced_file_has_no_text_until_calibre_has_read_it(
    shelf: Shelf, content: bytes, read: list[int]
) -> None:
    shelf.run()
    path = file_of(shelf.folder, 1, "DOCX")
    path.write_bytes(content)
    os.utime(path, (5, 5))
    assert shelf.run().unreadable == {"unsupported": 1}
    (document,) = documents(shelf)
    assert "Calibre has not read the present file yet" in document.detail
    assert (shelf.found("porpoise"), told(shelf)) == ([], (0, 0, {"unsupported": 1}))
    read.clear()
    assert (shelf.run().unchanged, read) == (1, [])
    put(shelf.folder, 1, "DOCX", "A dugong.", moment=2000.0)
    assert told(shelf) == (0, 1, {})
    assert (shelf.run().added, shelf.found("dugong")) == (1, ["A dugong."])


def test_a_file_touched_and_not_changed_keeps_its_text(shelf: Shelf) -> None:
    shelf.run()
    os.utime(file_of(shelf.folder, 1, "DOCX"), (5, 5))
    run = shelf.run()
    assert (run.added, run.unchanged, len(shelf.found("porpoise"))) == (0, 1, 1)


def test_a_text_of_another_size_than_the_file_is_not_its_text(shelf: Shelf) -> None:
    put(shelf.folder, 1, "DOCX", TEXT, size=3, digest="unknown")
    assert shelf.run().unreadable == {"unsupported": 1}
    put(shelf.folder, 1, "DOCX", TEXT, digest="unknown")
    assert shelf.run().added == 1


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        ("Traceback:\n  File a\nValueError: Not a\tZIP file\n", "damaged", "ValueError: Not a ZIP"),
        ("Traceback:\ncalibre.ebooks.DRMError: locked", "drm", "DRMError: locked"),
        ("x" * 5000, "damaged", "x" * 200),
    ],
)
def test_a_file_that_calibre_could_not_read_has_its_reason(
    shelf: Shelf, error: str, status: str, reason: str
) -> None:
    put(shelf.folder, 1, "DOCX", error=error)
    assert shelf.run().unreadable == {status: 1}
    (document,) = documents(shelf)
    assert reason in document.detail
    assert len(document.detail) < 260
    assert shelf.run().unchanged == 1
    assert told(shelf) == (0, 0, {status: 1})


@pytest.mark.parametrize("text", ["", " \n\n\n \xa0", "\0\0"])
def test_a_text_without_a_word_is_empty(shelf: Shelf, text: str) -> None:
    put(shelf.folder, 1, "DOCX", text)
    assert shelf.run().unreadable == {"empty": 1}
    assert shelf.run().unchanged == 1


def test_a_huge_text_is_refused_unread(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibre_texts, "LONGEST_TEXT", len(TEXT) - 1)
    assert shelf.run().unreadable == {"too_large": 1}
    assert shelf.run().unchanged == 1


def test_formats_that_are_read_here_come_first(shelf: Shelf, tmp_path: Path) -> None:
    shelf.run()
    add_file(shelf.folder, 1, "EPUB", book(tmp_path, "A whale."))
    assert shelf.run().added == 1
    assert shelf.formats() == [(1, "EPUB", "indexed")]
    put(shelf.folder, 1, "DOCX", "A dugong.", moment=2000.0)
    assert (shelf.run().unchanged, shelf.found("dugong")) == (1, [])


def test_calibres_text_is_used_where_no_other_file_gives_any(shelf: Shelf) -> None:
    add_file(shelf.folder, 1, "PDF", LOCKED)
    run = shelf.run()
    assert (run.added, run.unreadable) == (1, {})
    assert sorted(shelf.formats()) == [(1, "DOCX", "indexed"), (1, "PDF", "password")]
    assert (shelf.run().unchanged, shelf.read) == (1, [])
    forget(shelf.folder, 1)
    assert shelf.run().unreadable == {"password": 1}
    assert shelf.formats() == [(1, "PDF", "password")]
    assert shelf.run().unchanged == 1


def test_the_next_format_is_taken_where_calibre_could_not_read_the_first(shelf: Shelf) -> None:
    add_file(shelf.folder, 1, "RTF", b"rich")
    put(shelf.folder, 1, "DOCX", error="ValueError: no")
    put(shelf.folder, 1, "RTF", "A dugong.")
    assert shelf.run().added == 1
    assert shelf.formats() == [(1, "DOCX", "damaged"), (1, "RTF", "indexed")]
    assert shelf.run().unchanged == 1


def test_the_original_of_a_conversion_is_never_taken(shelf: Shelf) -> None:
    change(shelf.folder, "UPDATE data SET format = 'ORIGINAL_DOCX'")
    change_texts(shelf.folder, "UPDATE books_text SET format = 'ORIGINAL_DOCX'")
    assert shelf.run().added == 0
    assert shelf.formats() == []


def change_texts(folder: Path, statement: str) -> None:
    with closing(connect_texts(folder)) as db:
        db.execute(statement)


def test_a_book_with_an_excluded_tag_is_not_read_and_leaves(shelf: Shelf, read: list[int]) -> None:
    shelf.run()
    change(
        shelf.folder,
        "INSERT INTO tags (id, name) VALUES (1, 'private')",
        "INSERT INTO books_tags_link (book, tag) VALUES (1, 1)",
    )
    read.clear()
    assert (shelf.run().removed, shelf.found("porpoise"), read) == (1, [], [])


def test_a_deleted_book_leaves_though_calibre_keeps_its_text(shelf: Shelf) -> None:
    shelf.run()
    change(shelf.folder, "DELETE FROM books WHERE id = 1")
    assert (shelf.run().removed, shelf.found("porpoise")) == (1, [])


def test_a_file_that_is_away_for_now_keeps_its_text(shelf: Shelf) -> None:
    shelf.run()
    file_of(shelf.folder, 1, "DOCX").unlink()
    assert (shelf.run().unchanged, len(shelf.found("porpoise"))) == (1, 1)


def test_the_same_text_in_two_libraries_is_shown_once(shelf: Shelf, tmp_path: Path) -> None:
    other = make_library(tmp_path / "Other", [Volume(files=DOCX)])
    put(other, 1, "DOCX", TEXT, moment=7.0)
    shelf.more = (("other", other),)
    assert (shelf.run().added, len(shelf.found("porpoise"))) == (2, 1)
