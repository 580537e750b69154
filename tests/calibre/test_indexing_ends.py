"""Runs whose reading process is ended: by its limits, by a crash, or by somebody else."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from mcp_books.sources.calibre.indexing import Indexing, IndexProgress
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.worker import WorkerFailed
from tests.calibre.calibre_text_files import DOCX, TEXT, file_of, put
from tests.calibre.libraries import Volume, make_library
from tests.calibre.shelves import LABELLED, Counting, Shelf, add_file, shelf

__all__ = ["shelf"]

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")

SHORT = 1.0
LITTLE = 160 << 20


class Obeying(Shelf):
    """Books whose readers do what the file tells them, within short limits."""

    def __init__(self, folder: Path, *orders: str) -> None:
        volumes = [
            Volume(title=f"Book {number}", files={"PDF": order.encode()})
            for number, order in enumerate(orders, 1)
        ]
        super().__init__(make_library(folder / "Library", volumes), folder / "index")

    def indexing(self, excluded: Sequence[str] = ()) -> Indexing:
        extractor = partial(
            Counting,
            self.read,
            "tests.calibre.obeying_readers",
            time_limit=SHORT,
            memory_limit=LITTLE,
        )
        return Indexing([Library("mine", self.folder)], self.path, extractor=extractor)

    def waiting(self) -> int:
        return self.indexing().status()["mine"].waiting


@posix
def test_a_book_whose_reader_is_killed_once_is_read_in_the_same_run(tmp_path: Path) -> None:
    shelf = Obeying(tmp_path, f"many 300\ndie-once {tmp_path}/mark\nsay a whale", "say other")
    run = shelf.run()
    assert (run.added, run.left, run.unreadable, run.pages) == (2, (), {}, 302)
    assert shelf.read == ["Book (1)/PDF", "Book (1)/PDF", "Book (2)/PDF"]
    assert shelf.found("whale") == ["a whale"]


@posix
def test_a_book_whose_reader_is_killed_twice_waits_for_the_next_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    # The second holds the same as the first: nothing is known against it either.
    killed = f"say a page\ndie-if {mark}\nsay a whale"
    shelf = Obeying(tmp_path, killed, killed, "say another whale")
    with caplog.at_level(logging.WARNING):
        run = shelf.run()
    assert (run.added, run.unreadable, run.pages) == (1, {}, 1)
    assert run.left == ("Book 1", "Book 2")
    assert "'Book 1' is left to the next run" in caplog.text
    assert "SIGKILL" in caplog.text
    assert shelf.formats() == [(3, "PDF", "indexed")]
    assert shelf.waiting() == 2
    mark.unlink()
    again = shelf.run()
    assert (again.added, again.unchanged, again.left) == (2, 1, ())
    assert sorted(shelf.found("whale")) == ["a whale", "another whale"]
    assert len(shelf.formats()) == 3


@posix
def test_the_text_of_a_changed_book_stays_while_its_reader_is_killed(tmp_path: Path) -> None:
    shelf = Obeying(tmp_path, "say an old whale")
    shelf.run()
    book = shelf.folder / "Somebody/Book (1)/Book.pdf"
    book.write_text("say half of a new one\ndie SIGKILL", "utf-8")
    assert shelf.run().left == ("Book 1",)
    assert shelf.found("whale") == ["an old whale"]
    book.write_text("say a new whale", "utf-8")
    assert shelf.run().added == 1
    assert shelf.found("whale") == ["a new whale"]


@posix
def test_a_reader_killed_while_it_looks_for_labels_leaves_the_book_too(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    shelf = Obeying(tmp_path, f"asked {mark}\nsay labels")
    add_file(shelf.folder, 1, "EPUB", b"say no labels")
    assert shelf.run().left == ("Book 1",)
    assert shelf.formats() == []
    mark.unlink()
    assert shelf.run().added == 1
    assert shelf.formats() == [(1, "PDF", "indexed")]


@posix
def test_a_run_whose_every_reader_is_killed_ends_and_keeps_what_is_done(tmp_path: Path) -> None:
    shelf = Obeying(tmp_path, "say a whale", *["die SIGKILL"] * 9)
    with pytest.raises(WorkerFailed, match=r"5 books in a row.*SIGKILL"):
        shelf.run()
    assert len(shelf.read) == 1 + 2 * 5
    assert shelf.found("whale") == ["a whale"]
    assert shelf.waiting() == 9


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ("crash", "damaged"),
        ("hang", "timed_out"),
        ("spin", "timed_out"),
        pytest.param("die SIGSTOP", "timed_out", marks=posix),
        pytest.param("eat", "too_large", marks=posix),
    ],
)
def test_what_a_book_did_to_its_reader_is_recorded_and_not_tried_again(
    tmp_path: Path, order: str, status: str
) -> None:
    shelf = Obeying(tmp_path, f"say a page\n{order}", "say a whale")
    run = shelf.run()
    assert (run.added, run.unreadable, run.left) == (1, {status: 1}, ())
    assert len(shelf.read) == 2
    assert shelf.found("page") == []
    again = shelf.run()
    assert (again.added, again.unchanged, shelf.read) == (0, 2, [])
    assert shelf.formats()[0] == (1, "PDF", status)


def test_a_run_says_which_indexed_books_have_no_file_now(
    shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    assert shelf.run().without_file == 0
    away = shelf.folder / "Somebody/Book (1)"
    away.rename(shelf.folder / "moved")
    with caplog.at_level(logging.WARNING):
        run = shelf.run()
    assert (run.without_file, run.unchanged, run.removed) == (1, 3, 0)
    assert "'Whales' has no file now" in caplog.text
    assert shelf.found("whale") == ["A whale at sea."]
    (shelf.folder / "moved").rename(away)
    assert shelf.run().without_file == 0


def test_a_book_with_calibres_text_alone_can_lack_its_file_too(tmp_path: Path) -> None:
    folder = make_library(tmp_path / "Library", [Volume(title="Porpoises", files=DOCX)])
    put(folder, 1, "DOCX", TEXT)
    shelf = Shelf(folder, tmp_path / "index")
    assert shelf.run().added == 1
    file_of(folder, 1, "DOCX").unlink()
    run = shelf.run()
    assert (run.without_file, run.removed) == (1, 0)
    assert len(shelf.found("porpoise")) == 1


def test_a_book_that_is_read_from_another_of_its_files_lacks_none(shelf: Shelf) -> None:
    shelf.run()
    add_file(shelf.folder, 1, "PDF", LABELLED)
    (shelf.folder / "Somebody/Book (1)/Book.epub").unlink()
    run = shelf.run()
    assert (run.added, run.without_file) == (1, 0)


def test_a_library_that_goes_away_during_a_run_is_a_problem_of_the_run(shelf: Shelf) -> None:
    def unplug(_: IndexProgress) -> None:
        if shelf.folder.exists():
            shelf.folder.rename(shelf.folder.with_name("Away"))

    shelf.run()
    for one in shelf.folder.rglob("Book.*"):
        one.write_bytes(one.read_bytes() + b" ")
    run = shelf.indexing().run(on_progress=unplug)
    assert (run.without_file, list(run.problems)) == (0, ["mine"])
