"""metadata.db, opened read-only for a moment: what state it is in, and what it holds.

Calibre keeps it in rollback mode and gives up an edit that waits ten seconds for a reader; other
programs switch it to WAL. So nothing is held open, and nothing is written, not even beside it where
that can be avoided.
"""

from __future__ import annotations

import logging
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar
from weakref import WeakValueDictionary

from .problems import CannotRead, Problem
from .tables import Tables, read_tables

__all__ = [
    "LONGEST_TRANSACTION",
    "CannotRead",
    "Look",
    "State",
    "look_at",
    "read_file",
    "read_with",
    "state_of",
]

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

LONGEST_TRANSACTION = 6.0
"""Seconds; a program that has waited ten for its turn to write fails its user's edit."""
LONGEST_READING = 120.0

_MAGIC = b"SQLite format 3\0"
_HEADER = 100
_WAL = 2
STEPS = 20_000
"""Of SQLite's machine, between two looks at the clock."""


class State(NamedTuple):
    """What moves with every commit, and whether the file is in WAL mode."""

    modified: int
    size: int
    change_counter: bytes
    wal: tuple[int, int] | None
    """Time and size of the write-ahead log beside it; None where there is none."""
    in_wal_mode: bool


Look = tuple[tuple[int, ...], ...]
"""What can be seen of a file and of those beside it without opening one."""


def look_at(path: Path) -> Look:
    """Return what has to change before a file that could not be read can be."""
    # Of the folder not its time, which moves with every file that is made in it.
    return (_seen_of(path.parent)[:3], *map(_seen_of, (path, *_beside(path))))


class _Lock:
    """A lock that can be referred to weakly."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_locks: WeakValueDictionary[Path, _Lock] = WeakValueDictionary()
_locks_lock = threading.Lock()


def state_of(path: Path) -> State:
    """Return the state of the file.

    Raises:
        CannotRead: it is not there, may not be read, or is no database.
    """
    with _one_at_a_time(path), _named_problems():
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise CannotRead("not_a_library", "no regular file")
        with path.open("rb") as file:
            header = file.read(_HEADER)
        if len(header) < _HEADER or not header.startswith(_MAGIC):
            raise CannotRead("not_a_library", "no SQLite file")
        return State(
            found.st_mtime_ns,
            found.st_size,
            header[24:28],
            _time_and_size(path.with_name(path.name + "-wal")),
            header[18] == _WAL,
        )


def read_file(
    path: Path, *, busy_timeout: float, longest_transaction: float = LONGEST_TRANSACTION
) -> Tables:
    """Return everything a catalogue holds; as `read_with`."""
    return read_with(
        path, read_tables, busy_timeout=busy_timeout, longest_transaction=longest_transaction
    )


def read_with(
    path: Path,
    read: Callable[[sqlite3.Connection], _T],
    *,
    busy_timeout: float,
    longest_transaction: float = LONGEST_TRANSACTION,
) -> _T:
    """Return what `read` makes of the file, in one transaction.

    A file so slow that the transaction would outlast the patience of a writer is read statement by
    statement, and counts only if it did not change meanwhile.

    Raises:
        CannotRead: one of the problems.
    """
    before = state_of(path)
    immutable = before.in_wal_mode and not (before.wal and before.wal[1])
    if immutable:
        # Nothing waits in a log, and joining WAL mode would leave files in the library's folder.
        found = _read(path, read, busy_timeout, longest=LONGEST_READING, immutable=True)
        if state_of(path) == before:
            return found
    try:
        return _read(path, read, busy_timeout, longest=longest_transaction)
    except _TooSlow:
        logger.info("%s is slow to read; it is read statement by statement", path)
    before = state_of(path)
    try:
        found = _read(path, read, busy_timeout, longest=LONGEST_READING, transaction=False)
    except _TooSlow:
        raise CannotRead("busy", f"not read within {LONGEST_READING:.0f} s") from None
    if state_of(path) != before:
        raise CannotRead("busy", "it changed while it was read")
    return found


class _TooSlow(Exception):
    """The reading was stopped at its deadline."""


def _read(
    path: Path,
    read: Callable[[sqlite3.Connection], _T],
    busy_timeout: float,
    *,
    longest: float,
    immutable: bool = False,
    transaction: bool = True,
) -> _T:
    for lenient in (False, True):
        try:
            with (
                _one_at_a_time(path),
                _named_problems(path),
                _nothing_to_wait_for(path),
                _open(path, busy_timeout, immutable=immutable) as connection,
            ):
                if lenient:
                    connection.text_factory = _replacing
                return _transact(connection, read, longest, transaction=transaction)
        except _NotUtf8:
            continue
    raise CannotRead("damaged", "text that cannot be decoded")


def _transact(
    connection: sqlite3.Connection,
    read: Callable[[sqlite3.Connection], _T],
    longest: float,
    *,
    transaction: bool,
) -> _T:
    latest = time.monotonic() + longest
    connection.set_progress_handler(lambda: time.monotonic() >= latest, STEPS)
    if not transaction:
        return read(connection)
    connection.execute("BEGIN")
    found = read(connection)
    connection.execute("COMMIT")
    return found


@contextmanager
def _open(path: Path, busy_timeout: float, *, immutable: bool) -> Iterator[sqlite3.Connection]:
    address = f"{_uri(path)}?mode=ro{'&immutable=1' if immutable else ''}"
    connection = sqlite3.connect(address, uri=True, timeout=busy_timeout, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection
    finally:
        connection.close()


def _uri(path: Path) -> str:
    """Return a `file:` address as SQLite takes it: without a host, also for a network share."""
    address = path.absolute().as_uri()
    return address if address.startswith("file:///") else "file:////" + address[len("file://") :]


def _replacing(text: bytes) -> str:
    return text.decode("utf-8", "replace")


class _NotUtf8(Exception):
    """A text is not UTF-8, which a default connection refuses."""


@contextmanager
def _named_problems(path: Path | None = None) -> Iterator[None]:
    """Translate what SQLite and the file system raise."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise CannotRead("missing", str(error)) from error
    except PermissionError as error:
        raise CannotRead("forbidden", str(error)) from error
    except OSError as error:
        raise CannotRead("unreachable", str(error)) from error
    except UnicodeError as error:  # SQLite quotes a broken layout in its message
        raise CannotRead("damaged", str(error)) from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) is None and "decode" in str(error):
            raise _NotUtf8 from error
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code == sqlite3.SQLITE_INTERRUPT:
            raise _TooSlow from error
        raise CannotRead(_problem(code, str(error), path), str(error)) from error


def _problem(code: int, message: str, path: Path | None) -> Problem:
    named = _BY_CODE.get(code)
    if named is not None:
        return named
    if code == sqlite3.SQLITE_CANTOPEN and path is not None:
        if not path.exists():
            return "missing"
        waiting = _time_and_size(path.with_name(path.name + "-wal"))
        return "unfinished" if waiting and waiting[1] else "forbidden"
    if message.startswith("no such table: books"):
        return "not_a_library"
    return "unknown_layout" if message.startswith("no such") else "damaged"


_BY_CODE: Mapping[int, Problem] = {
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_READONLY: "unfinished",
    sqlite3.SQLITE_NOTADB: "not_a_library",
    sqlite3.SQLITE_PERM: "forbidden",
    sqlite3.SQLITE_AUTH: "forbidden",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_IOERR: "unreachable",
}


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    """Keep other threads of this process from the file.

    On POSIX, closing any handle of a file gives up every lock the process holds on it, so a header
    read by one thread would end the transaction of another.
    """
    with _locks_lock:
        lock = _locks.setdefault(path.absolute(), _Lock())
    with lock:
        yield


@contextmanager
def _nothing_to_wait_for(path: Path) -> Iterator[None]:
    """Refuse a pipe or a device beside the file: SQLite would open it as its own, and wait."""
    for one in _beside(path):
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(one.stat().st_mode):
                raise CannotRead("not_a_library", f"{one.name} is no regular file")
    yield


def _beside(path: Path) -> Iterator[Path]:
    return (path.with_name(path.name + end) for end in ("-journal", "-wal", "-shm"))


def _seen_of(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError as error:
        return (error.errno or 0,)
    return (
        found.st_dev,
        found.st_ino,
        found.st_mode,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )


def _time_and_size(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size
