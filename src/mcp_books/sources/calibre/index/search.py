"""Reading the index: search inside the books, and what the index holds."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from mcp_books.models import LabelSource
from mcp_books.sources.calibre.extract.base import StretchKind
from mcp_books.sources.calibre.index.compression import Codec
from mcp_books.sources.calibre.index.documents import (
    Document,
    read_documents,
)
from mcp_books.sources.calibre.index.faults import DamagedIndex, NoIndex, translated
from mcp_books.sources.calibre.index.matching import Matching
from mcp_books.sources.calibre.index.query import Query
from mcp_books.sources.calibre.index.ranking import Match
from mcp_books.sources.calibre.index.schema import (
    KINDS,
    LABEL_SOURCES,
    check_version,
    connect_reading,
    require_search,
)
from mcp_books.sources.calibre.index.shelf import Shelf

__all__ = ["Found", "Place", "Reader"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One stretch of one book that matches."""

    document: Document
    others: tuple[Document, ...]
    """Further documents with the same content, as where two libraries hold the same file."""
    row: int
    page_number: int | None
    label: str | None
    label_source: LabelSource | None
    section: str | None
    kind: StretchKind
    text: str
    """The whole stretch."""


@dataclass(frozen=True, slots=True)
class Found:
    """One page of an answer, best first."""

    places: tuple[Place, ...]
    total: int | None
    """Stretches that match; None where there was no time to count them."""
    more: bool | None
    """Whether a further page holds anything; None where that is not known."""
    ranked: bool = True
    """False: the first places of each book, since there was no time to rank."""
    timed_out: bool = False
    """The deadline came before the page was full."""


class Reader:
    """Reads an index, from any thread; leave it with `close`, or as a context manager.

    A writer elsewhere never waits for it, and it never waits for a writer. An index that is made
    again meanwhile is opened again.
    """

    def __init__(self, path: Path) -> None:
        """Open the index at `path`.

        Raises:
            NoIndex: nothing has been indexed yet.
            OutdatedIndex: another version made it.
            DamagedIndex: it has to be rebuilt.
            TextIndexError: it cannot be used.
        """
        require_search()
        self._path = path
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None
        self._codec = Codec(self._dictionary)
        self._shelf: Shelf | None = None
        with self._lock, self._snapshot():
            pass

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; asked again, it is opened again."""
        with self._lock:
            self._let_go()

    def generation(self) -> int:
        """Return a number that is another one as soon as the index holds anything else."""
        with self._lock, self._snapshot() as db:
            row = db.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
            return int(row[0])

    def documents(self) -> tuple[Document, ...]:
        """Return every document, in the order they came."""
        with self._lock, self._snapshot() as db:
            return read_documents(db)

    def search(
        self,
        query: Query,
        *,
        limit: int,
        deadline: float,
        offset: int = 0,
        allowed: Set[int] | None = None,
        per_book: int = 3,
    ) -> Found:
        """Return the places that match best, at most `per_book` of one book.

        An answer is divided into pages of `limit`; `offset` is a multiple of it. `deadline` is a
        time of `time.monotonic`. With `allowed`, only documents of these ids are searched; pass the
        same frozenset again where they are the same.

        Raises:
            NoIndex, OutdatedIndex, DamagedIndex, TextIndexError: as on opening.
        """
        if not self._lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
            return Found((), None, None, ranked=False, timed_out=True)
        try:
            with self._snapshot() as db:
                shelf = self._current_shelf(db, allowed)
                matching = Matching(db, query.expression, shelf)
                matched = matching.page(limit, offset, per_book, deadline)
                places = tuple(self._places(db, matched.matches, shelf, allowed))
        finally:
            self._lock.release()
        return Found(places, matched.total, matched.more, matched.ranked, matched.timed_out)

    def _current_shelf(self, db: sqlite3.Connection, allowed: Set[int] | None) -> Shelf:
        before = self._shelf
        self._shelf = Shelf.current(db, allowed, before)
        if before is None or before.generation != self._shelf.generation:
            self._codec = Codec(self._dictionary)  # made again, an index has other dictionaries
        return self._shelf

    def _places(
        self,
        db: sqlite3.Connection,
        matches: Sequence[Match],
        shelf: Shelf,
        allowed: Set[int] | None,
    ) -> Iterator[Place]:
        for row, position in matches:
            content = shelf.contents[position]
            number, label, source, section, kind, data = db.execute(
                """SELECT page.number, label, label_source, path, kind, text
                FROM page LEFT JOIN section s ON s.content = ? AND s.number = page.section
                WHERE page.id = ?""",
                (content, row),
            ).fetchone()
            document, *others = (
                document
                for document in read_documents(db, content)
                if allowed is None or document.id in allowed
            )
            yield Place(
                document=document,
                others=tuple(others),
                row=row,
                page_number=number,
                label=label,
                label_source=None if source is None else LABEL_SOURCES[source],
                section=section,
                kind=KINDS[kind],
                text=self._codec.decompress(data),
            )

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection inside one read transaction: all that is read fits together."""
        try:
            with translated(self._path):
                db = self._connected()
                db.execute("BEGIN")
                try:
                    check_version(db, self._path)
                    yield db
                finally:
                    db.set_progress_handler(None, 0)
                    if db.in_transaction:
                        db.execute("ROLLBACK")
        except DamagedIndex:
            self._let_go()  # so that the file can be replaced where an open one cannot
            raise

    def _connected(self) -> sqlite3.Connection:
        try:
            found = self._path.stat()
        except OSError as error:
            self._let_go()
            raise NoIndex("No book has been indexed yet.") from error
        identity = (found.st_dev, found.st_ino)
        if self._db is None or identity != self._opened:
            self._let_go()
            self._db, self._opened = connect_reading(self._path), identity
        return self._db

    def _let_go(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db = self._shelf = self._opened = None
        self._codec = Codec(self._dictionary)

    def _dictionary(self, number: int) -> bytes | None:
        if self._db is None:
            return None
        row = self._db.execute("SELECT data FROM dictionary WHERE id = ?", (number,)).fetchone()
        return None if row is None else bytes(row[0])
