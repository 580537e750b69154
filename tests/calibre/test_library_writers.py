"""Reading a library while others write to it: locks, cut-off changes, WAL, read-only folders."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from mcp_books.sources.calibre import metadata_db
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.metadata_db import read_file
from mcp_books.sources.calibre.problems import CannotRead
from mcp_books.sources.calibre.tables import read_tables

from .libraries import Volume, connect, hot_journal, make_library
from .readings import Clock, clock, counted, files_of, folder, library, titles, why

__all__ = ["clock", "folder", "library"]

POSIX = sys.platform != "win32"


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """Let permissions count also where the tests run as root."""
    if not POSIX:
        pytest.skip("Windows has other permissions")
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a folder that every user can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_writer_can_commit_as_soon_as_the_snapshot_is_there(
    library: Library, folder: Path
) -> None:
    reading = library.current()
    with closing(connect(folder)) as db:
        db.execute("BEGIN EXCLUSIVE")
        db.execute("UPDATE books SET title = 'Other'")
        db.execute("COMMIT")
    assert titles(reading) == ["First"]


def test_a_writer_that_has_not_begun_to_commit_is_read_past(library: Library, folder: Path) -> None:
    with closing(connect(folder)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE books SET title = 'Other'")
        assert titles(library.current()) == ["First"]
        db.execute("COMMIT")
    assert titles(library.current()) == ["Other"]


def test_a_library_locked_from_the_start_is_unavailable(library: Library, folder: Path) -> None:
    with closing(connect(folder)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert why(library) == "busy"


def test_while_it_is_locked_the_last_snapshot_is_served_with_its_age(
    library: Library, folder: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.current()
    with closing(connect(folder)) as db:
        db.execute("UPDATE books SET title = 'Other'")
        db.execute("BEGIN EXCLUSIVE")
        clock.now += 60
        read = counted(monkeypatch)
        locked = library.current()
        assert (titles(locked), locked.problem, locked.age) == (["First"], "busy", 60.0)
        clock.now += 4
        assert (library.current().age, len(read)) == (64.0, 1)
        db.execute("COMMIT")
    assert library.current().problem == "busy"
    clock.now += 1
    free = library.current()
    assert (titles(free), free.problem, free.age) == (["Other"], None, 0.0)


def test_a_transaction_that_was_cut_off_is_never_shown(folder: Path, tmp_path: Path) -> None:
    hot_journal(folder, tmp_path / "Killed")
    library = Library("mine", tmp_path / "Killed")
    before = files_of(tmp_path / "Killed")
    assert why(library) == "unfinished"
    assert files_of(tmp_path / "Killed") == before


def test_after_a_writer_was_killed_the_last_snapshot_stands_until_calibre_recovers(
    folder: Path, library: Library, clock: Clock, tmp_path: Path
) -> None:
    library.current()
    hot_journal(folder, tmp_path / "Killed")
    shutil.copytree(tmp_path / "Killed", folder, dirs_exist_ok=True)
    killed = library.current()
    assert (titles(killed), killed.problem) == (["First"], "unfinished")
    with closing(connect(folder)) as db:
        db.execute("SELECT * FROM books").fetchall()  # recovers
    clock.now += 5
    assert library.current().problem is None


@pytest.fixture
def wal(tmp_path: Path) -> Path:
    return make_library(tmp_path / "Wal", [Volume(title="First")], wal=True)


def test_a_library_in_wal_mode_is_read_without_leaving_a_file_beside_it(wal: Path) -> None:
    before = files_of(wal)
    assert titles(Library("mine", wal).current()) == ["First"]
    assert files_of(wal) == before


def test_commits_that_wait_in_the_log_are_seen(wal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library("mine", wal)
    library.current()
    with closing(connect(wal)) as db:
        for title in ("Second", "Third"):
            db.execute("UPDATE books SET title = ?", (title,))
            assert titles(library.current()) == [title]
        read = counted(monkeypatch)
        library.current()
        assert read == []
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE books SET title = 'Fourth'")
        assert titles(library.current()) == ["Third"]
        db.execute("COMMIT")
        assert titles(library.current()) == ["Fourth"]


def test_a_log_left_behind_by_a_killed_writer_is_read(wal: Path, tmp_path: Path) -> None:
    with closing(connect(wal)) as db:
        db.execute("UPDATE books SET title = 'Second'")
        shutil.copytree(wal, tmp_path / "Killed")
    (tmp_path / "Killed" / "metadata.db-shm").unlink()
    assert titles(Library("mine", tmp_path / "Killed").current()) == ["Second"]


@pytest.mark.parametrize("wal_mode", [False, True])
def test_a_read_only_folder_is_read(
    open_folder: Path, wal_mode: bool, request: pytest.FixtureRequest
) -> None:
    folder = make_library(open_folder / "Library", [Volume(title="First")], wal=wal_mode)
    (folder / "metadata.db").chmod(0o444)
    folder.chmod(0o555)
    request.getfixturevalue("unprivileged")
    try:
        assert titles(Library("mine", folder).current()) == ["First"]
    finally:
        if os.geteuid() == 65534:
            os.seteuid(0)
        folder.chmod(0o755)


def test_a_log_in_a_read_only_folder_is_read_or_said_to_be_unfinished(
    open_folder: Path, request: pytest.FixtureRequest
) -> None:
    source = make_library(open_folder / "Source", [Volume(title="First")], wal=True)
    folder = open_folder / "Library"
    with closing(connect(source)) as db:
        db.execute("UPDATE books SET title = 'Second'")
        shutil.copytree(source, folder)
    (folder / "metadata.db-shm").unlink()
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    request.getfixturevalue("unprivileged")
    try:
        assert why(Library("mine", folder)) == "unfinished"
    finally:
        if os.geteuid() == 65534:
            os.seteuid(0)
        folder.chmod(0o755)


def test_a_database_that_may_not_be_read_is_forbidden(
    open_folder: Path, request: pytest.FixtureRequest
) -> None:
    folder = make_library(open_folder / "Library")
    (folder / "metadata.db").chmod(0)
    request.getfixturevalue("unprivileged")
    assert why(Library("mine", folder)) == "forbidden"


def test_a_file_too_slow_for_one_transaction_is_read_statement_by_statement(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata_db, "STEPS", 1)
    tables = read_file(folder / "metadata.db", busy_timeout=0, longest_transaction=0)
    assert [row[1] for row in tables.rows["books"]] == ["First"]


def test_a_slow_file_that_changes_while_it_is_read_counts_as_busy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata_db, "STEPS", 1)

    def changed_meanwhile(connection: sqlite3.Connection) -> object:
        found = read_tables(connection)
        with closing(connect(folder)) as db:
            db.execute("UPDATE books SET title = title || '!'")
        return found

    monkeypatch.setattr(metadata_db, "read_tables", changed_meanwhile)
    with pytest.raises(CannotRead) as raised:
        read_file(folder / "metadata.db", busy_timeout=0, longest_transaction=0)
    assert raised.value.problem == "busy"


def test_a_file_that_is_never_read_to_its_end_counts_as_busy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata_db, "STEPS", 1)
    monkeypatch.setattr(metadata_db, "LONGEST_READING", 0.0)
    with pytest.raises(CannotRead) as raised:
        read_file(folder / "metadata.db", busy_timeout=0, longest_transaction=0)
    assert raised.value.problem == "busy"


def test_a_writer_that_opens_a_log_while_it_is_read_is_not_missed(
    wal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(connect(wal)) as db:
        written: list[str] = []

        def written_meanwhile(connection: sqlite3.Connection) -> object:
            found = read_tables(connection)
            if not written:
                written.append("Second")
                db.execute("UPDATE books SET title = 'Second'")
            return found

        monkeypatch.setattr(metadata_db, "read_tables", written_meanwhile)
        assert titles(Library("mine", wal).current()) == ["Second"]


def test_a_drive_that_fails_is_unreachable_and_the_snapshot_stands(
    library: Library, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.current()

    def failing(*_: object) -> object:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "stat", failing)
    reading = library.current()
    assert (titles(reading), reading.problem) == (["First"], "unreachable")


def test_many_threads_and_a_writer_see_whole_commits_alone(folder: Path) -> None:
    seen: list[tuple[str, str | None]] = []
    libraries = [Library("mine", folder, busy_timeout=5, retry_after=0) for _ in range(2)]
    stop = threading.Event()

    def write() -> None:
        with closing(connect(folder)) as db:
            db.execute("PRAGMA busy_timeout = 10000")
            for number in range(60):
                db.execute("BEGIN IMMEDIATE")
                db.execute("UPDATE books SET title = ?", (f"{number}",))
                db.execute("UPDATE authors SET name = ?", (f"{number}",))
                db.execute("COMMIT")
        stop.set()

    def read(library: Library) -> None:
        while not stop.is_set():
            books = library.current().snapshot.books()
            seen.extend((book.title, book.authors[0].name) for book in books)

    threads = [threading.Thread(target=read, args=(one,)) for one in libraries for _ in range(2)]
    threads.append(threading.Thread(target=write))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    torn = [(title, author) for title, author in seen if title != author and title != "First"]
    assert torn == []
    assert titles(libraries[0].current()) == ["59"]
