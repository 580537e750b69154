"""Runs of indexing that go wrong, are stopped or killed, and what they leave."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_books.sources.calibre import indexing_run
from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.index import DiskFull, Index, IndexInUse
from mcp_books.sources.calibre.indexing import IndexProgress
from tests.calibre.libraries import Volume, make_library
from tests.calibre.shelves import (
    Shelf,
    add_book,
    book,
    shelf,
)

__all__ = ["shelf"]


def test_a_crash_in_the_middle_of_a_library_costs_one_book(tmp_path: Path) -> None:
    volumes = [Volume(files={"PDF": one}) for one in (b"say one", b"many 300\ncrash", b"say three")]
    shelf = Shelf(make_library(tmp_path / "Library", volumes), tmp_path / "index")
    shelf.readers = "tests.calibre.obeying_readers"
    run = shelf.run()
    assert (run.added, run.unreadable, run.pages) == (2, {"damaged": 1}, 2)
    assert shelf.found("page") == []
    assert shelf.run().unchanged == 3


def test_a_run_that_is_stopped_keeps_what_is_complete_and_the_next_goes_on(
    shelf: Shelf,
) -> None:
    told: list[IndexProgress] = []
    run = shelf.indexing().run(
        on_progress=told.append, stopped=lambda: told[-1:] != [] and told[-1].books == 1
    )
    assert (run.stopped, run.added) == (True, 1)
    assert shelf.found("whale") == ["A whale at sea."]
    again = shelf.run()
    assert (again.stopped, again.added, again.unchanged) == (False, 1, 1)


def test_a_run_that_is_stopped_in_a_book_leaves_that_book_for_the_next(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing_run, "_TOLD_EVERY", 0.0)
    told: list[IndexProgress] = []
    run = shelf.indexing().run(
        on_progress=told.append, stopped=lambda: told[-1:] != [] and told[-1].pages > 0
    )
    assert (run.stopped, run.added) == (True, 0)
    assert shelf.formats() == []
    assert shelf.run().added == 2


def test_an_interruption_ends_the_reader_and_keeps_what_is_complete(shelf: Shelf) -> None:
    def interrupt(progress: IndexProgress) -> None:
        if progress.books == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shelf.indexing().run(on_progress=interrupt)
    assert shelf.found("whale") == ["A whale at sea."]
    assert shelf.run().added == 1


def test_a_book_written_to_while_it_is_read_waits_for_the_next_run(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing_run, "_TOLD_EVERY", 0.0)
    path = shelf.folder / "Somebody/Book (1)/Book.epub"
    changed = book(tmp_path, "A dolphin, which is longer.")

    def change_it(progress: IndexProgress) -> None:
        if progress.pages and path.read_bytes() != changed:
            path.write_bytes(changed)

    assert shelf.indexing().run(on_progress=change_it).added == 1
    assert shelf.found("whale") == []
    assert shelf.run().added == 1
    assert len(shelf.found("dolphin")) == 1


def test_a_library_that_goes_away_during_a_run_leaves_its_books_waiting(shelf: Shelf) -> None:
    def unplug(progress: IndexProgress) -> None:
        if progress.books == 1 and shelf.folder.exists():
            shelf.folder.rename(shelf.folder.with_name("Away"))

    run = shelf.indexing().run(on_progress=unplug)
    assert (run.added, run.unreadable) == (1, {})
    shelf.folder.with_name("Away").rename(shelf.folder)
    again = shelf.run()
    assert (again.added, again.unchanged, again.unreadable) == (1, 1, {"password": 1})


def test_progress_counts_the_books_that_have_to_be_read(shelf: Shelf, tmp_path: Path) -> None:
    shelf.run()
    add_book(shelf.folder, Volume(title="New", files={"EPUB": book(tmp_path, "A porpoise.")}))
    told: list[IndexProgress] = []
    shelf.indexing().run(on_progress=told.append)
    first, last = told[0], told[-1]
    assert (first.books, first.of, first.pages, first.current) == (0, 1, 0, "New")
    assert (last.books, last.of, last.pages, last.current) == (1, 1, 1, None)


def test_another_process_that_indexes_is_told(shelf: Shelf) -> None:
    with Index.open_writing(shelf.path), pytest.raises(IndexInUse):
        shelf.run()


def test_a_full_disk_is_told_and_keeps_the_books_before_it(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = indexing_run.Run._stretches  # noqa: SLF001  # the disk fills at the second book

    def filling(
        self: indexing_run.Run, path: Path, kind: str, found: os.stat_result
    ) -> Iterator[Stretch]:
        if kind == "MOBI":
            raise DiskFull("full")
        return reading(self, path, kind, found)

    monkeypatch.setattr(indexing_run.Run, "_stretches", filling)
    with pytest.raises(DiskFull):
        shelf.run()
    assert shelf.found("whale") == ["A whale at sea."]


def test_a_rebuild_reads_everything_again(shelf: Shelf) -> None:
    shelf.run()
    shelf.read.clear()
    assert shelf.indexing().run(rebuild=True).added == 2
    assert len(shelf.read) == 3


def test_libraries_that_are_no_longer_configured_leave_with_a_rebuild(
    shelf: Shelf, tmp_path: Path
) -> None:
    other = make_library(
        tmp_path / "Other", [Volume(files={"EPUB": book(tmp_path, "A porpoise.")})]
    )
    shelf.more = (("other", other),)
    shelf.run()
    shelf.more = ()
    assert shelf.run().removed == 0
    assert shelf.found("porpoise") == ["A porpoise."]
    shelf.indexing().run(rebuild=True)
    assert (shelf.found("porpoise"), shelf.found("whale")) == ([], ["A whale at sea."])


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in the file system")
def test_a_killed_run_leaves_an_index_that_opens_and_the_next_run_finishes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    orders = (b"say one whale", f"many 5000\nhold {pipe}".encode(), b"say three whales")
    folder = make_library(tmp_path / "Library", [Volume(files={"PDF": one}) for one in orders])
    shelf = Shelf(folder, tmp_path / "index")
    shelf.readers = "tests.calibre.obeying_readers"
    code = f"""
from functools import partial
from pathlib import Path
from mcp_books.sources.calibre.indexing import Indexing
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.worker import Extractor
Indexing(
    [Library("mine", Path({str(folder)!r}))],
    Path({str(shelf.path)!r}),
    extractor=partial(Extractor, readers={shelf.readers!r}),
).run()
"""
    root = Path(__file__).parents[2]
    places = os.pathsep.join((str(root / "src"), str(root)))
    process = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": places}
    )
    try:
        with pipe.open(encoding="utf-8") as held:
            held.readline()
            process.kill()
            process.wait()
            held.read()
    finally:
        process.kill()
        process.wait()
    assert shelf.found("whale") == ["one whale"]
    assert shelf.found("page") == []
    (folder / "Somebody/Book (2)/Book.pdf").write_bytes(b"say two whales")
    run = shelf.run()
    assert (run.added, run.unchanged) == (2, 1)
    assert len(shelf.found("whales")) == 2
