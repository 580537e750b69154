"""Reading a library that changes, moves, vanishes, breaks, or is none."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.problems import LibraryUnavailable, Problem

from .libraries import Volume, add, connect, make_library
from .readings import Clock, clock, counted, files_of, folder, library, titles, why

__all__ = ["clock", "folder", "library"]


def test_an_unchanged_library_is_read_once(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = counted(monkeypatch)
    first, second = library.current(), library.current()
    assert second.snapshot is first.snapshot
    assert (second.problem, second.age, len(read)) == (None, 0.0, 1)


def test_a_commit_is_seen_at_the_next_call(library: Library, folder: Path) -> None:
    assert titles(library.current()) == ["First"]
    with closing(connect(folder)) as db:
        add(db, Volume(title="Second"), folder=folder)
    assert titles(library.current()) == ["First", "Second"]


def test_a_commit_that_leaves_time_and_size_alone_is_seen(library: Library, folder: Path) -> None:
    library.current()
    before = (folder / "metadata.db").stat()
    with closing(connect(folder)) as db:
        db.execute("UPDATE books SET title = 'Other'")
    os.utime(folder / "metadata.db", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert titles(library.current()) == ["Other"]


def test_reading_leaves_every_byte_of_the_library_as_it_was(library: Library, folder: Path) -> None:
    before = files_of(folder)
    library.current()
    assert files_of(folder) == before


def test_a_library_that_vanishes_is_served_as_it_was_until_it_is_back(
    library: Library, folder: Path, clock: Clock
) -> None:
    library.current()
    elsewhere = folder.rename(folder.with_name("Moved"))
    clock.now += 10
    gone = library.current()
    assert (titles(gone), gone.problem, gone.age) == (["First"], "missing", 10.0)
    elsewhere.rename(folder)
    assert (library.current().problem, library.current().age) == (None, 0.0)


def _gone(folder: Path) -> None:
    folder.rename(folder.with_name("Moved"))


def _overwritten(folder: Path) -> None:
    (folder / "metadata.db").write_bytes(b"no database")


def _truncated(folder: Path) -> None:
    whole = (folder / "metadata.db").read_bytes()
    (folder / "metadata.db").write_bytes(whole[: len(whole) // 2])


def _of_another_layout(folder: Path) -> None:
    (folder / "metadata.db").unlink()
    _sqlite("CREATE TABLE books (id)")(folder / "metadata.db")


BREAKS: dict[Problem, Callable[[Path], None]] = {
    "missing": _gone,
    "not_a_library": _overwritten,
    "damaged": _truncated,
    "unknown_layout": _of_another_layout,
}


@pytest.mark.parametrize("was_read", [True, False])
@pytest.mark.parametrize("problem", BREAKS)
def test_what_a_look_refutes_is_refuted_at_once(
    library: Library, folder: Path, problem: Problem, was_read: bool
) -> None:
    shutil.copytree(folder, kept := folder.with_name("Kept"))
    if was_read:
        library.current()
    BREAKS[problem](folder)
    assert _problem(library) == problem
    shutil.copytree(kept, folder, dirs_exist_ok=True)
    assert titles(library.current()) == ["First"]
    assert library.current().problem is None


def test_the_problem_that_is_said_is_the_one_that_stands_now(
    library: Library, folder: Path
) -> None:
    library.current()
    moved = folder.rename(folder.with_name("Moved"))
    assert library.current().problem == "missing"
    with closing(connect(moved)) as db:
        db.execute("UPDATE books SET title = 'Second'")
    moved.rename(folder)
    with closing(connect(folder)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert library.current().problem == "busy"
        db.execute("UPDATE books SET title = 'Third'")
        assert library.current().problem == "busy"
        db.execute("COMMIT")
    assert titles(library.current()) == ["Third"]


def test_a_problem_that_looks_the_same_is_not_met_again_for_a_while(
    library: Library, folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    _truncated(folder)
    read = counted(monkeypatch)
    for _ in range(3):
        assert why(library) == "damaged"
    assert len(read) == 1
    clock.now += 5
    assert (why(library), len(read)) == ("damaged", 2)


def _problem(library: Library) -> Problem | None:
    try:
        return library.current().problem
    except LibraryUnavailable as failure:
        return failure.problem


def test_another_library_put_in_its_place_is_read_with_its_own_uuid(
    library: Library, folder: Path
) -> None:
    before = library.current().snapshot.uuid
    shutil.rmtree(folder)
    make_library(folder, [Volume(title="Other")])
    reading = library.current()
    assert titles(reading) == ["Other"]
    assert reading.snapshot.uuid != before


def _sqlite(statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.executescript(statements)

    return make


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda _: None, "missing"),
        (lambda path: path.mkdir(), "not_a_library"),
        (lambda path: path.write_bytes(b""), "not_a_library"),
        (lambda path: path.write_text("no database", encoding="utf-8"), "not_a_library"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(4000)), "not_a_library"),
        (_sqlite("CREATE TABLE other (id)"), "not_a_library"),
        (_sqlite("CREATE TABLE books (id)"), "unknown_layout"),
    ],
    ids=["nothing", "folder", "empty", "text", "header", "other tables", "other columns"],
)
def test_what_is_no_library_is_said_to_be_none(
    tmp_path: Path, make: Callable[[Path], None], problem: Problem
) -> None:
    make(tmp_path / "metadata.db")
    assert why(Library("mine", tmp_path)) == problem


def test_a_folder_that_is_not_there_is_missing(tmp_path: Path) -> None:
    assert why(Library("mine", tmp_path / "nowhere")) == "missing"


def test_a_folder_that_is_a_file_is_missing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert why(Library("mine", tmp_path / "file")) == "missing"


def test_a_truncated_database_is_damaged(folder: Path, library: Library) -> None:
    with closing(connect(folder)) as db:
        for number in range(50):
            add(db, Volume(title=f"{number}", comments="x" * 3000), folder=folder)
    whole = (folder / "metadata.db").read_bytes()
    (folder / "metadata.db").write_bytes(whole[: len(whole) // 2])
    assert why(library) == "damaged"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 1 << 20), st.binary(min_size=1, max_size=40)), max_size=12)
)
def test_a_damaged_database_is_read_or_refused_and_nothing_else(
    folder: Path, tmp_path: Path, damage: list[tuple[int, bytes]]
) -> None:
    content = bytearray((folder / "metadata.db").read_bytes())
    for place, garbage in damage:
        start = place % len(content)
        content[start : start + len(garbage)] = garbage
    damaged = tmp_path / "Damaged"
    damaged.mkdir(exist_ok=True)
    (damaged / "metadata.db").write_bytes(content)
    try:
        snapshot = Library("mine", damaged, busy_timeout=0).current().snapshot
    except LibraryUnavailable:
        return
    assert len(list(snapshot.books())) == len(snapshot) == len(snapshot.haystacks)


def test_a_problem_is_logged_once_with_the_folder_that_only_the_log_names(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    library = Library("mine", tmp_path / "nowhere", clock=clock)
    for _ in range(3):
        with pytest.raises(LibraryUnavailable) as raised:
            library.current()
        assert str(tmp_path) not in str(raised.value)
        clock.now += 10
    (record,) = caplog.records
    assert str(tmp_path / "nowhere") in record.getMessage()
