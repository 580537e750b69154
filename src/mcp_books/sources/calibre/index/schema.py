"""The file of the index: its layout, its version, opening it to read and to write.

Each content has one contiguous range of rows in `page`, and the same rows in `words`, which keeps
no text of its own: the words of a page are derived from its compressed text wherever they are
needed again. A content is seen only when `complete`: one that is being written is `building`, one
whose last document has gone is `dead`, and both are removed by the next writer.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal, get_args

from mcp_books.models import LabelSource
from mcp_books.sources.calibre.extract.base import StretchKind
from mcp_books.sources.calibre.index.faults import (
    WRITER,
    DamagedIndex,
    IndexInUse,
    IndexUnreachable,
    NoIndex,
    OutdatedIndex,
    SearchUnavailable,
    translated,
)
from mcp_books.sources.calibre.index.normalise import NORMALISER

__all__ = [
    "BUSY",
    "KINDS",
    "LABEL_SOURCES",
    "ContentState",
    "check_version",
    "connect_reading",
    "connect_writing",
    "require_search",
    "transaction",
    "writing_alone",
]

BUSY = 2.0
"""Seconds that a connection waits for another's short moments."""

ContentState = Literal["building", "complete", "dead"]

LABEL_SOURCES: tuple[LabelSource, ...] = get_args(LabelSource)
KINDS: tuple[StretchKind, ...] = get_args(StretchKind)
"""Both are kept as places in these tuples: they may be added to at the end, never reordered."""

_OLDEST_SQLITE = (3, 40, 0)
_APPLICATION = 0x6D636269
_LAYOUT = 1
_VERSION = _LAYOUT * 1000 + NORMALISER
_PAGE_SIZE = 8192
_SEARCH_PAGE = 8146
"""What FTS5 writes at once: a little less than a page of the file."""
_KEPT_WAL = 32 * 1024 * 1024

_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    """INSERT INTO meta VALUES ('next_page', 1), ('unmerged', 0),
        ('generation', CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER))""",
    """CREATE TABLE content (
        id INTEGER PRIMARY KEY, hash TEXT NOT NULL, reader TEXT NOT NULL, state TEXT NOT NULL,
        first_id INTEGER NOT NULL, last_id INTEGER NOT NULL,
        pages INTEGER NOT NULL, chars INTEGER NOT NULL)""",
    "CREATE INDEX content_hash ON content (hash, reader)",
    "CREATE INDEX content_unseen ON content (state) WHERE state <> 'complete'",
    """CREATE TABLE document (
        id INTEGER PRIMARY KEY, library TEXT NOT NULL, book INTEGER NOT NULL, format TEXT NOT NULL,
        book_uuid TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        hash TEXT NOT NULL, reader TEXT NOT NULL, status TEXT NOT NULL, detail TEXT NOT NULL,
        content INTEGER REFERENCES content (id), indexed_at REAL NOT NULL,
        UNIQUE (library, book, format))""",
    "CREATE INDEX document_content ON document (content)",
    """CREATE TABLE section (
        content INTEGER NOT NULL, number INTEGER NOT NULL, path TEXT NOT NULL,
        PRIMARY KEY (content, number)) WITHOUT ROWID""",
    """CREATE TABLE page (
        id INTEGER PRIMARY KEY, number INTEGER, label TEXT, label_source INTEGER,
        section INTEGER, kind INTEGER NOT NULL, text BLOB NOT NULL)""",
    "CREATE TABLE dictionary (id INTEGER PRIMARY KEY, data BLOB NOT NULL)",
    """CREATE VIRTUAL TABLE words USING fts5 (text, content='', detail=full,
        tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'")""",
    f"INSERT INTO words (words, rank) VALUES ('pgsz', {_SEARCH_PAGE})",
)


def require_search() -> None:
    """Check that the SQLite of this Python can keep the index.

    Raises:
        SearchUnavailable: it is too old, or built without FTS5.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        wanted = ".".join(map(str, _OLDEST_SQLITE))
        raise SearchUnavailable(
            f"Searching inside books needs SQLite {wanted} or later; "
            f"this Python has {sqlite3.sqlite_version}."
        )
    with closing(sqlite3.connect(":memory:")) as db:
        try:
            db.execute("CREATE VIRTUAL TABLE probe USING fts5 (text)")
        except sqlite3.OperationalError as error:
            raise SearchUnavailable(
                "Searching inside books needs SQLite with FTS5; this Python's has none."
            ) from error


def connect_reading(path: Path) -> sqlite3.Connection:
    """Open the index at `path`, for any thread, one at a time; nothing can be written with it.

    Raises:
        NoIndex: there is none.
        TextIndexError: it cannot be used.
    """
    if not _is_there(path):
        raise NoIndex("No book has been indexed yet.")
    with translated(path):
        db = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro",
            uri=True,
            timeout=BUSY,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            db.execute("PRAGMA query_only = ON")
            check_version(db, path)
        except BaseException:
            db.close()
            raise
    return db


def connect_writing(path: Path, *, rebuild: bool = False) -> sqlite3.Connection:
    """Open the index at `path` to write; only inside `writing_alone`.

    One made by another version is emptied, as is any with `rebuild`, readable or not.

    Raises:
        DamagedIndex: the file is no index, or can no longer be read as one.
        TextIndexError: it cannot be used.
    """
    _is_there(path)
    if rebuild:
        _remove(path)
    with translated(path):
        db = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
    return db


def check_version(db: sqlite3.Connection, path: Path) -> None:
    """Check that the index is one that this version reads.

    Raises:
        NoIndex: the file is empty.
        OutdatedIndex: another version made it.
        DamagedIndex: it is not an index.
    """
    empty, application = _is_empty(db), _pragma(db, "application_id")
    if application == 0 and empty:
        raise NoIndex("No book has been indexed yet.")
    if application != _APPLICATION:
        raise DamagedIndex(f"The file {str(path)!r} is not an index of books.")
    if _pragma(db, "user_version") != _VERSION:
        raise OutdatedIndex("The index was made by another version of this program.")


@contextmanager
def writing_alone(path: Path) -> Iterator[None]:
    """Be the only writer of the index at `path`, from this process or any other.

    A lock on a small database beside the index: the system lets it go when the process ends,
    however it ends, and readers of the index never meet it.

    Raises:
        IndexInUse: another writer is at work.
        IndexUnreachable: the folder cannot be made or written.
    """
    beside = path.with_name(path.name + WRITER)
    _is_there(beside)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IndexUnreachable(f"The folder of the index cannot be made: {error}.") from error
    try:
        lock = _locked(beside)
    except DamagedIndex:  # it holds nothing: what cannot be read of it is not worth keeping
        _remove(beside)
        lock = _locked(beside)
    with closing(lock):
        yield


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit what is done inside, or none of it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            with suppress(sqlite3.Error):  # a full disk may have rolled it back already
                db.execute("ROLLBACK")
        raise


def _is_there(path: Path) -> bool:
    """Return whether the database at `path` is there, and let through nothing but files: SQLite
    would wait for a pipe or a device, as one of its own files, for good.

    Raises:
        IndexUnreachable: it is something else, or cannot be looked at.
    """
    there = False
    for end in ("-journal", "-wal", "-shm", ""):
        one = path.with_name(path.name + end)
        try:
            there = stat.S_ISREG(one.stat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            there = False
        except OSError as error:
            raise IndexUnreachable(f"The index cannot be opened: {error}.") from error
        else:
            if not there:
                raise IndexUnreachable(f"The index cannot be opened: {str(one)!r} is no file.")
    return there


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    db.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    outdated = False
    try:
        check_version(db, path)
    except OutdatedIndex:
        outdated = True
    except NoIndex:
        pass
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA secure_delete = FAST")
    db.execute(f"PRAGMA journal_size_limit = {_KEPT_WAL}")
    with transaction(db):
        if outdated:
            _drop_everything(db)
        if _is_empty(db):
            for statement in _TABLES:
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {_APPLICATION}")
            db.execute(f"PRAGMA user_version = {_VERSION}")


def _drop_everything(db: sqlite3.Connection) -> None:
    """Drop every table in place: readers elsewhere hold the file, so it cannot be replaced."""
    virtual = db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    for (name,) in virtual:
        db.execute(f'DROP TABLE "{name}"')
    plain = db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    ).fetchall()
    for (name,) in plain:
        db.execute(f'DROP TABLE "{name}"')


def _locked(path: Path) -> sqlite3.Connection:
    with translated(path):
        lock = sqlite3.connect(path, timeout=0.0, isolation_level=None, check_same_thread=False)
        try:
            with transaction(lock):
                lock.execute("CREATE TABLE IF NOT EXISTS writer (pid INTEGER, since REAL)")
                lock.execute("DELETE FROM writer")
                lock.execute("INSERT INTO writer VALUES (?, ?)", (os.getpid(), time.time()))
            lock.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            pid = _holder(lock)
            lock.close()
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            raise IndexInUse("Another process is indexing.", pid=pid) from error
    return lock


def _remove(path: Path) -> None:
    try:
        for end in ("-wal", "-shm", ""):
            path.with_name(path.name + end).unlink(missing_ok=True)
    except OSError as error:
        raise IndexUnreachable(
            f"The index cannot be removed while another program has it open: {error}."
        ) from error


def _holder(lock: sqlite3.Connection) -> int | None:
    try:
        row = lock.execute("SELECT pid FROM writer").fetchone()
    except sqlite3.Error:
        return None
    return None if row is None else int(row[0])


def _is_empty(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])
