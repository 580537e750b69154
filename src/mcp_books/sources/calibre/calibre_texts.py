"""Calibre's own full-text-search.db, opened read-only for a moment: texts of book files.

Only the table of texts is read; the search tables beside it need Calibre's tokenizer. A database
that cannot be read now says nothing about any book.
"""

from __future__ import annotations

import hashlib
import logging
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from .extract.base import Status, Unreadable
from .metadata_db import LONGEST_TRANSACTION, Look, State, look_at, read_with, state_of
from .problems import CannotRead
from .worker_readers import READABLE

__all__ = [
    "DATABASE",
    "LONGEST_TEXT",
    "TEXT_READER",
    "CalibreTexts",
    "Listing",
    "Text",
    "TextRow",
    "reason_in",
    "text_of",
]

logger = logging.getLogger(__name__)

DATABASE = "full-text-search.db"

TEXT_READER = "calibre text 1"
"""What gave such a text, with the version of what is made of it here."""

LONGEST_TEXT = 32 * 1024 * 1024
"""Bytes of one book's text."""

_MARK = "Calibre's text "
_LONGEST_REASON = 200
_BLOCK = 1 << 20

_LINE_ENDS = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffe\uffff]+")

_SHA1 = partial(hashlib.sha1, usedforsecurity=False)
"""What Calibre tells the states of a file apart with."""

_T = TypeVar("_T")


class TextRow(NamedTuple):
    """Of which state of a book file Calibre has a text, and when it took it."""

    timestamp: object
    format_size: object
    format_hash: object

    @property
    def mark(self) -> str:
        """What a document made of this text carries in its detail: another text has another."""
        digest = hashlib.blake2b(repr(tuple(self)).encode("utf-8", "replace"), digest_size=8)
        return f"{_MARK}{digest.hexdigest()}"

    def is_of(self, path: Path, size: int) -> bool:
        """Return whether it is the text of a file as it is now; raises OSError as reading does."""
        if self.format_size != size:
            return False
        stated = self.format_hash
        if not isinstance(stated, str) or not re.fullmatch("[0-9a-fA-F]{40}", stated):
            return True
        with path.open("rb") as file:
            return hashlib.file_digest(file, _SHA1).hexdigest() == stated.lower()


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """Which texts Calibre has of files that are not read here, by book and format."""

    rows: Mapping[tuple[int, str], TextRow] = field(default_factory=dict)
    exists: bool = True
    """False: the library has no such database."""

    def of(self, book: int, format_name: str) -> TextRow | None:
        """Return what there is of one file."""
        return self.rows.get((book, format_name))


class Text(NamedTuple):
    """What Calibre has of one book file."""

    row: TextRow
    words: str
    error: str = ""
    """Why Calibre could not read the file; "" where it could."""
    too_large: bool = False
    """It is longer than LONGEST_TEXT, and was not read."""


class CalibreTexts:
    """The texts of one library. Every method may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        *,
        busy_timeout: float = 2.0,
        retry_after: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is opened yet. What failed is tried again after `retry_after` seconds, or, unless
        another program was writing, once the files look different."""
        self._path = folder / DATABASE
        self._busy_timeout = busy_timeout
        self._retry_after = retry_after
        self._clock = clock
        self._lock = threading.Lock()
        self._listing: Listing | None = None
        self._state: State | None = None
        self._listed_at = 0.0
        self._failed: CannotRead | None = None
        self._failed_at = 0.0
        self._seen: Look = ()

    def listing(self, *, within: float = 0.0) -> Listing | None:
        """Return which texts there are; None: that cannot be known now.

        One that was right `within` so many seconds is good enough.
        """
        with self._lock:
            if self._listing is not None and self._clock() - self._listed_at < within:
                return self._listing
            try:
                self._attempt(self._bring_up_to_date)
            except CannotRead:
                return None
            self._listed_at = self._clock()
            return self._listing

    def text(self, book: int, format_name: str) -> Text | None:
        """Return what Calibre has of one file; None: nothing.

        Raises:
            CannotRead: that cannot be known now.
        """
        reading = partial(_text, book=book, format_name=format_name)
        with self._lock:
            return self._attempt(lambda: self._read(reading))

    def _attempt(self, do: Callable[[], _T]) -> _T:
        failed = self._failed
        if (
            failed is not None
            and self._clock() - self._failed_at < self._retry_after
            # While Calibre reads books it writes here all the time.
            and (failed.problem == "busy" or look_at(self._path) == self._seen)
        ):
            raise CannotRead(failed.problem, failed.detail)
        try:
            done = do()
        except CannotRead as found:
            if self._failed is None or found.problem != self._failed.problem:
                logger.warning("%s cannot be read: %s %s", self._path, found.problem, found.detail)
            self._failed, self._failed_at = found, self._clock()
            self._seen = look_at(self._path)
            raise
        self._failed = None
        return done

    def _bring_up_to_date(self) -> None:
        try:
            state = state_of(self._path)
        except CannotRead as found:
            # With the whole library away, that the database is not there means nothing.
            if found.problem != "missing" or not self._path.parent.is_dir():
                raise
            if self._listing is None or self._listing.exists:
                self._listing, self._state = Listing(exists=False), None
            return
        if self._listing is None or state != self._state:
            self._listing = Listing(self._read(_rows))
            self._state = state

    def _read(self, read: Callable[[sqlite3.Connection], _T]) -> _T:
        return read_with(self._path, read, busy_timeout=self._busy_timeout)


def text_of(texts: CalibreTexts, book: int, format_name: str, path: Path, size: int) -> Text | None:
    """Return Calibre's text of a file that is at `path` now, with words in it.

    Raises:
        CannotRead: whether there is one cannot be known now.
        Unreadable: there is none of the file as it is, with the text's mark in the detail.
        OSError: the file cannot be read from the disk.
    """
    found = texts.text(book, format_name)
    if found is None:
        return None
    refused = partial(_refused, found.row)
    if not found.row.is_of(path, size):
        raise refused("unsupported", "Calibre has not read the present file yet")
    if found.error:
        raise refused("drm" if "DRMError" in found.error else "damaged", found.error)
    if found.too_large:
        raise refused("too_large", f"more than {LONGEST_TEXT} bytes")
    if not found.words or found.words.isspace():
        raise refused("empty", "")
    return found


def reason_in(detail: str) -> str:
    """Return what the detail of such a document says besides its mark."""
    return detail.partition(": ")[2] if detail.startswith(_MARK) else detail


def _refused(row: TextRow, status: Status, reason: str) -> Unreadable:
    return Unreadable(status, f"{row.mark}: {reason}" if reason else row.mark)


def _rows(connection: sqlite3.Connection) -> dict[tuple[int, str], TextRow]:
    # An index holds these columns; the table's rows lie among all the texts of a library.
    listed = connection.execute("SELECT id, book, format FROM books_text").fetchall()
    rows: dict[tuple[int, str], TextRow] = {}
    for number, book, kind in listed:
        name = str(kind).upper()
        if not isinstance(book, int) or name in READABLE:
            continue
        # Not what stands after the text: SQLite would go through the text to find it.
        row = connection.execute(
            "SELECT timestamp, format_size, format_hash FROM books_text WHERE id = ?", (number,)
        ).fetchone()
        if row is not None:
            rows[book, name] = TextRow(*row)
    return rows


def _text(connection: sqlite3.Connection, book: int, format_name: str) -> Text | None:
    latest = time.monotonic() + LONGEST_TRANSACTION
    found = connection.execute(
        "SELECT id, timestamp, format_size, format_hash, typeof(searchable_text) FROM books_text"
        " WHERE book = ? AND format = ?",
        (book, format_name),
    ).fetchone()
    if found is None:
        return None
    number, *facts, kind = found
    row = TextRow(*facts)
    content = bytearray()
    if kind in ("text", "blob"):
        with connection.blobopen("books_text", "searchable_text", number, readonly=True) as cell:
            if len(cell) > LONGEST_TEXT:
                return Text(row, "", too_large=True)
            while block := cell.read(_BLOCK):
                content += block
                if time.monotonic() > latest:
                    raise CannotRead("busy", f"a text is not read within {LONGEST_TRANSACTION} s")
    (encoding,) = connection.execute("PRAGMA encoding").fetchone()
    (error,) = connection.execute(
        "SELECT substr(CAST(err_msg AS TEXT), -2000) FROM books_text WHERE id = ?", (number,)
    ).fetchone()
    return Text(row, _plain(content.decode(encoding, "replace")), _reason(error or ""))


def _plain(text: str) -> str:
    return _CONTROLS.sub(" ", _LINE_ENDS.sub("\n", text))


def _reason(error: str) -> str:
    """Return what went wrong from the last line of what a program printed."""
    lines = [" ".join(line.split()) for line in _plain(error).split("\n")]
    return next((line for line in reversed(lines) if line), "")[:_LONGEST_REASON]
