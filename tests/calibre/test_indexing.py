"""Indexing libraries: what is read, what is left alone, what leaves."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.calibre.libraries import Volume, make_library
from tests.calibre.shelves import (
    LABELLED,
    LOCKED,
    MOBI,
    UNLABELLED,
    Shelf,
    add_book,
    add_file,
    book,
    change,
    shelf,
)

__all__ = ["shelf"]


def test_a_run_reads_every_book_and_records_why_one_gives_no_text(shelf: Shelf) -> None:
    run = shelf.run()
    assert (run.added, run.unchanged, run.removed) == (2, 0, 0)
    assert run.unreadable == {"password": 1}
    assert (run.stopped, run.problems) == (False, {})
    assert shelf.found("whale") == ["A whale at sea."]
    assert len(shelf.read) == 3


def test_a_second_run_opens_no_book(shelf: Shelf) -> None:
    shelf.run()
    run = shelf.run()
    assert (run.added, run.unchanged, run.unreadable) == (0, 3, {})
    assert shelf.read == []


def test_status_tells_what_is_indexed_what_waits_and_why_not(shelf: Shelf, tmp_path: Path) -> None:
    before = shelf.indexing().status()["mine"]
    assert (before.indexed, before.readable, before.waiting) == (0, 3, 3)
    assert not shelf.path.exists()
    shelf.run()
    add_book(shelf.folder, Volume(files={"EPUB": b"new"}))
    add_book(shelf.folder, Volume(files={"CBZ": b"pictures"}))
    after = shelf.indexing().status()["mine"]
    assert (after.indexed, after.readable, after.waiting) == (2, 3, 1)
    assert after.unreadable == {"password": 1, "unsupported": 1}
    assert after.unavailable is None


def test_a_new_book_is_the_only_one_read(shelf: Shelf, tmp_path: Path) -> None:
    shelf.run()
    add_book(shelf.folder, Volume(files={"EPUB": book(tmp_path, "A porpoise.")}))
    assert shelf.run().added == 1
    assert shelf.read == ["Book (5)/EPUB"]


def test_a_file_whose_time_alone_changed_is_not_read_again(shelf: Shelf) -> None:
    shelf.run()
    os.utime(shelf.folder / "Somebody/Book (1)/Book.epub", (1, 1))
    os.utime(shelf.folder / "Somebody/Book (3)/Book.pdf", (1, 1))
    run = shelf.run()
    assert (run.added, run.unchanged, run.unreadable) == (0, 2, {"password": 1})
    assert shelf.read == []
    assert shelf.run().unchanged == 3


def test_a_changed_file_is_read_again_and_its_old_text_leaves(shelf: Shelf, tmp_path: Path) -> None:
    shelf.run()
    path = shelf.folder / "Somebody/Book (1)/Book.epub"
    path.write_bytes(book(tmp_path, "A dolphin, which is longer."))
    assert shelf.run().added == 1
    assert (shelf.found("whale"), len(shelf.found("dolphin"))) == ([], 1)


def test_an_edit_that_renames_folders_reads_nothing_again(shelf: Shelf) -> None:
    shelf.run()
    shutil.move(shelf.folder / "Somebody/Book (1)", shelf.folder / "Else/Renamed (1)")
    change(shelf.folder, "UPDATE books SET path = 'Else/Renamed (1)' WHERE id = 1")
    run = shelf.run()
    assert (run.added, run.unchanged, run.removed, shelf.read) == (0, 3, 0, [])


def test_a_deleted_book_leaves_the_index(shelf: Shelf) -> None:
    shelf.run()
    change(shelf.folder, "DELETE FROM books WHERE id = 1")
    assert shelf.run().removed == 1
    assert shelf.found("whale") == []


def test_a_book_that_gets_an_excluded_tag_leaves_and_is_never_read(shelf: Shelf) -> None:
    shelf.run()
    change(
        shelf.folder,
        "INSERT INTO tags (id, name) VALUES (1, 'Private')",
        "INSERT INTO books_tags_link (book, tag) VALUES (1, 1)",
    )
    run = shelf.run()
    assert (run.removed, shelf.found("whale"), shelf.read) == (1, [], [])
    shelf.path.unlink()
    shelf.run()
    assert "Book (1)/EPUB" not in shelf.read


def test_a_library_that_is_away_keeps_its_books_and_is_told(shelf: Shelf) -> None:
    shelf.run()
    shelf.folder.rename(shelf.folder.with_name("Away"))
    run = shelf.run()
    assert (run.removed, list(run.problems)) == (0, ["mine"])
    assert shelf.found("whale") == ["A whale at sea."]
    assert shelf.indexing().status()["mine"].unavailable is not None


def test_a_library_read_before_it_went_away_removes_nothing(shelf: Shelf) -> None:
    indexing = shelf.indexing()
    indexing.run()
    shelf.folder.rename(shelf.folder.with_name("Away"))
    run = indexing.run()
    assert (run.removed, list(run.problems)) == (0, ["mine"])
    assert shelf.found("whale") == ["A whale at sea."]


def test_the_same_file_in_two_libraries_is_read_once(shelf: Shelf, tmp_path: Path) -> None:
    same = {"EPUB": (shelf.folder / "Somebody/Book (1)/Book.epub").read_bytes()}
    other = make_library(tmp_path / "Other", [Volume(files=same), Volume(files={"PDF": LOCKED})])
    shelf.more = (("other", other),)
    run = shelf.run()
    assert (run.added, run.unreadable) == (3, {"password": 2})
    assert len(shelf.read) == 3
    assert shelf.found("whale") == ["A whale at sea."]
    status = shelf.indexing().status()
    assert (status["mine"].indexed, status["other"].indexed) == (2, 1)


def test_of_two_copies_of_a_library_the_first_is_indexed(shelf: Shelf, tmp_path: Path) -> None:
    shutil.copytree(shelf.folder, tmp_path / "Copy")
    shelf.more = (("copy", tmp_path / "Copy"),)
    run = shelf.run()
    assert (run.added, list(run.copies)) == (2, ["copy"])
    assert shelf.run().unchanged == 3


@pytest.mark.parametrize(
    ("files", "chosen"),
    [
        ({"PDF": LABELLED, "EPUB": None, "MOBI": MOBI}, "PDF"),
        ({"PDF": UNLABELLED, "EPUB": None, "MOBI": MOBI}, "EPUB"),
        ({"PDF": UNLABELLED, "MOBI": MOBI}, "MOBI"),
        ({"PDF": UNLABELLED, "CBZ": b"pictures"}, "PDF"),
        ({"EPUB": b"damaged", "MOBI": MOBI}, "MOBI"),
        ({"PDF": LOCKED, "EPUB": b"damaged", "MOBI": MOBI}, "MOBI"),
    ],
)
def test_one_format_of_a_book_is_indexed_the_best_to_cite(
    tmp_path: Path, files: dict[str, bytes | None], chosen: str
) -> None:
    made = {kind: one or book(tmp_path, "A whale.") for kind, one in files.items()}
    shelf = Shelf(make_library(tmp_path / "Library", [Volume(files=made)]), tmp_path / "index")
    assert shelf.run().added == 1
    assert [kind for _, kind, status in shelf.formats() if status == "indexed"] == [chosen]
    assert shelf.run().unchanged == 1
    assert shelf.read == []


def test_a_better_format_that_comes_later_takes_the_place_of_the_other(shelf: Shelf) -> None:
    shelf.run()
    add_file(shelf.folder, 1, "PDF", LABELLED)
    assert shelf.run().added == 1
    assert [one for one in shelf.formats() if one[0] == 1] == [(1, "PDF", "indexed")]
    assert shelf.found("sea") == []


def test_a_worse_format_that_comes_later_changes_nothing(shelf: Shelf) -> None:
    shelf.run()
    add_file(shelf.folder, 1, "PDF", UNLABELLED)
    run = shelf.run()
    assert (run.added, run.unchanged, shelf.read) == (0, 3, [])
    assert [one for one in shelf.formats() if one[0] == 1] == [(1, "EPUB", "indexed")]


def test_a_file_that_is_not_there_is_recorded_until_it_comes(tmp_path: Path) -> None:
    folder = make_library(tmp_path / "Library", [Volume(sizes={"EPUB": 5}, path="Some")])
    shelf = Shelf(folder, tmp_path / "index")
    assert shelf.run().unreadable == {"damaged": 1}
    assert shelf.run().unchanged == 1
    (folder / "Some").mkdir()
    (folder / "Some/Book.epub").write_bytes(book(tmp_path, "A whale."))
    assert shelf.run().added == 1


def test_the_text_of_a_file_that_is_away_for_now_stays(shelf: Shelf) -> None:
    shelf.run()
    (shelf.folder / "Somebody/Book (1)").rename(shelf.folder / "moved")
    run = shelf.run()
    assert (run.removed, run.unchanged) == (0, 3)
    assert shelf.found("whale") == ["A whale at sea."]


def test_a_catalogue_that_points_out_of_its_library_reads_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "Book.epub").write_bytes(book(tmp_path, "A whale."))
    folder = make_library(tmp_path / "Library", [Volume(sizes={"EPUB": 5}, path="..")])
    shelf = Shelf(folder, tmp_path / "index")
    assert shelf.run().unreadable == {"damaged": 1}
    assert shelf.read == []


def test_a_book_without_a_readable_format_is_counted(tmp_path: Path) -> None:
    folder = make_library(tmp_path / "Library", [Volume(files={"CBZ": b"pictures"})])
    shelf = Shelf(folder, tmp_path / "index")
    assert shelf.run().unreadable == {"unsupported": 1}
    assert shelf.run().unchanged == 1
