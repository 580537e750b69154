"""What can go wrong with the index, and the one place where SQLite's errors become that.

TextIndexError
├── NoIndex           nothing has been indexed yet
├── OutdatedIndex     made by another version of this program
├── DamagedIndex      the file cannot be read as an index
├── IndexInUse        another process is writing
├── DiskFull          nothing more can be written
├── IndexUnreachable  the file cannot be opened or written
└── SearchUnavailable this Python's SQLite is too old or has no FTS5
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "WRITER",
    "DamagedIndex",
    "DiskFull",
    "IndexInUse",
    "IndexUnreachable",
    "NoIndex",
    "OutdatedIndex",
    "SearchUnavailable",
    "TextIndexError",
    "translated",
]

WRITER = "-writer"
"""How the name of the file ends that lies beside an index for its lock."""


class TextIndexError(Exception):
    """The base of every failure of the index."""


class NoIndex(TextIndexError):
    """There is no index yet: it has to be made before anything can be searched."""


class OutdatedIndex(TextIndexError):
    """The index was made by another version; the next writer of this version makes it again."""


class DamagedIndex(TextIndexError):
    """The file cannot be read as an index; it has to be rebuilt."""


class IndexInUse(TextIndexError):
    """Another process is writing: `pid` where it is known."""

    def __init__(self, message: str, *, pid: int | None = None) -> None:
        super().__init__(message)
        self.pid = pid


class DiskFull(TextIndexError):
    """The disk, a quota or a file has no more room. What was complete before is kept."""


class IndexUnreachable(TextIndexError):
    """The file or its folder cannot be opened, read or written."""


class SearchUnavailable(TextIndexError):
    """The SQLite of this Python cannot keep such an index."""


_NO_ROOM = "cannot be written: a quota or the largest size of a file is reached, or the disk fails"

_FAULTS: dict[int, tuple[type[TextIndexError], str]] = {
    # SQLite tells a full disk alone from other errors of writing.
    sqlite3.SQLITE_IOERR_WRITE: (DiskFull, _NO_ROOM),
    sqlite3.SQLITE_IOERR_FSYNC: (DiskFull, _NO_ROOM),
    sqlite3.SQLITE_IOERR_TRUNCATE: (DiskFull, _NO_ROOM),
    sqlite3.SQLITE_IOERR_SHMSIZE: (DiskFull, _NO_ROOM),
    sqlite3.SQLITE_CORRUPT: (DamagedIndex, "is damaged"),
    sqlite3.SQLITE_NOTADB: (DamagedIndex, "is not an index"),
    sqlite3.SQLITE_FULL: (DiskFull, "cannot grow: the disk is full"),
    sqlite3.SQLITE_BUSY: (IndexInUse, "is locked by another process"),
    sqlite3.SQLITE_LOCKED: (IndexInUse, "is locked"),
    sqlite3.SQLITE_CANTOPEN: (IndexUnreachable, "cannot be opened"),
    sqlite3.SQLITE_READONLY: (IndexUnreachable, "cannot be written"),
    sqlite3.SQLITE_PERM: (IndexUnreachable, "may not be opened"),
    sqlite3.SQLITE_AUTH: (IndexUnreachable, "may not be opened"),
    sqlite3.SQLITE_IOERR: (IndexUnreachable, "cannot be read or written"),
}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise what SQLite reports of the index at `path`, or of its lock, as an error from here."""
    try:
        yield
    except sqlite3.Error as error:
        code: int | None = getattr(error, "sqlite_errorcode", None)
        found = None if code is None else _FAULTS.get(code) or _FAULTS.get(code & 0xFF)
        if found is None:
            raise
        kind, said = found
        index = path.with_name(path.name.removesuffix(WRITER))
        raise kind(f"The index {str(index)!r} {said} ({error.sqlite_errorname}).") from error
