"""One run of indexing: book after book, each complete in the index before the next is begun."""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from .books import Book, Format
from .extract.base import Incomplete, Status, Stretch, Unreadable
from .index import BookFile, Document, DocumentStatus, Writer
from .indexing_contents import Contents, hash_of, mark, unread
from .indexing_order import in_order
from .indexing_plan import (
    Opened,
    by_book,
    candidates,
    is_unchanged,
    needs_work,
    stays,
    texts_to_try,
)
from .indexing_state import NOT_THERE
from .indexing_texts import Taken, index_text
from .library import PathRefused
from .problems import CannotRead
from .worker import READABLE, READER, Extractor, Killed, Stopped, WorkerFailed

__all__ = ["IndexProgress", "Run"]

logger = logging.getLogger(__name__)

_TIDY_AT_MOST = 120.0
_TIDY_SLICE = 2.0
_TOLD_EVERY = 0.2
_LOST_IN_A_ROW = 5
"""Books whose reader is killed twice, one after the other: the next ones would fare no better."""


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a run is. `of` counts the books that have to be read, not those that are settled."""

    books: int
    of: int
    pages: int
    seconds: float
    current: str | None
    """The title of the book being read; None at the end."""


class _Changed(Exception):
    """The file was written to while it was read."""


@dataclass(slots=True)
class Run:
    """What one run works with, and what it has done so far."""

    writer: Writer
    extractor: Extractor
    stopped: Callable[[], bool]
    tell: Callable[[IndexProgress], None]
    added: int = 0
    unchanged: int = 0
    removed: int = 0
    pages: int = 0
    unreadable: Counter[DocumentStatus] = field(default_factory=Counter)
    """Books that gave no text in this run."""
    left: list[str] = field(default_factory=list)
    """Titles of books left as they were: what read them was ended from outside, twice."""
    without_file: int = 0
    """Indexed books whose file is not there now, or cannot be looked at; their text stays."""
    texts_unread: set[str] = field(default_factory=set)
    """Libraries of whose books Calibre's own texts could not be read."""
    _coming: tuple[Opened, int] | None = None
    """The book after the one being read."""
    _contents: Contents = field(default_factory=Contents)
    _done: int = 0
    _of: int = 0
    _current: str | None = None
    _began: float = field(default_factory=time.monotonic)
    _told: float = 0.0
    _lost_in_a_row: int = 0
    _is_away: bool = False
    """Whether the file of the book at hand is not there, or cannot be looked at."""

    def index(self, opened: tuple[Opened, ...]) -> None:
        """Bring the index up to date with the libraries.

        Raises:
            Stopped: it was asked to; what is complete is kept.
            WorkerFailed: books cannot be read; what is complete is kept.
        """
        documents = self.writer.documents()
        known = by_book(documents)
        self._contents.remember(documents)
        self.texts_unread |= {one.library.name for one in opened if one.texts is None}
        self._remove_gone(opened, known)
        work = self._plan(opened, known)
        self._of = len(work)
        for place, (shelf, number) in enumerate(work):
            self._check()
            self._coming = next(iter(work[place + 1 : place + 2]), None)
            self._index_or_leave(shelf, number, known.get(shelf.key, {}).get(number, {}))
            self._done += 1
        self._current = None
        self._report()
        self._tidy()

    def _check(self) -> None:
        if self.stopped():
            raise Stopped

    def _remove_gone(
        self, opened: tuple[Opened, ...], known: dict[str, dict[int, dict[str, Document]]]
    ) -> None:
        """Remove what is gone from the libraries; a catalogue out of date proves nothing."""
        gone: list[dict[str, Document]] = []
        for one in opened:
            if one.reading.problem is None:
                books = known.get(one.key, {})
                gone += [books.pop(number) for number in list(books) if number not in one.snapshot]
        self.removed += len(gone)
        self.writer.remove([one.id for formats in gone for one in formats.values()])

    def _plan(
        self, opened: tuple[Opened, ...], known: dict[str, dict[int, dict[str, Document]]]
    ) -> list[tuple[Opened, int]]:
        work = []
        for one in opened:
            self._check()
            books = known.get(one.key, {})
            folder = str(one.library.folder)
            for book in one.snapshot.books():
                if needs_work(book, books.get(book.id, {}), folder, READER, one.texts):
                    work.append((one, book.id))
                elif book.formats:
                    self.unchanged += 1
        return work

    def _index_or_leave(self, shelf: Opened, number: int, known: dict[str, Document]) -> None:
        """Index a book; should its reader be killed, once more; then leave it to the next run.

        Raises:
            Killed: that happens with one book after the other.
        """
        pages = self.pages
        for is_last in (False, True):
            try:
                self._index_book(shelf, number, known)
            except Killed as problem:
                self.pages = pages
                what = "left to the next run" if is_last else "read once more"
                logger.warning(
                    "%s/%d %r is %s: %s", shelf.library.name, number, self._current, what, problem
                )
                if is_last:
                    self.left.append(self._current or "")
                    self._lost_in_a_row += 1
                    if self._lost_in_a_row == _LOST_IN_A_ROW:
                        raise Killed(f"{_LOST_IN_A_ROW} books in a row: {problem}") from problem
            else:
                self._lost_in_a_row = 0
                return

    def _index_book(self, shelf: Opened, number: int, known: dict[str, Document]) -> None:
        # As it is now: it may have been changed, hidden or deleted since the run began.
        book = shelf.library.current().snapshot.book(number)
        if book is None:
            return
        self._current = book.title
        self._is_away = False
        self._report()
        tried: dict[str, DocumentStatus | None] = {}
        for one in in_order(self.extractor, shelf, book, self.stopped):
            tried[one.name] = self._index_file(shelf, book, one, known.get(one.name))
            if tried[one.name] == "indexed":
                break
        # With a file away for now, or texts that are not known now, nothing is settled.
        texts = None if None in tried.values() else shelf.texts
        if "indexed" not in tried.values() and texts is not None:
            for one in texts_to_try(book, known, texts):
                tried[one.name] = self._index_file(shelf, book, one, known.get(one.name))
                if tried[one.name] == "indexed":
                    break
        if not tried and book.formats and texts is not None:
            first = book.formats[0]
            tried[first.name] = self._mark(
                unread(shelf, book, first), "unsupported", f"no reader of {first.name}"
            )
        kept = {name for name, status in tried.items() if status is not None}
        if "indexed" not in tried.values():
            kept |= {name for name, one in known.items() if stays(one, book, tried, texts)}
        self.writer.remove([one.id for name, one in known.items() if name not in kept])
        self._count(list(tried.values()), known)
        if self._is_away and "indexed" not in tried.values():
            self.without_file += 1
            logger.warning(
                "%s/%d %r has no file now; its text stays", shelf.library.name, number, book.title
            )

    def _count(self, statuses: list[DocumentStatus | None], known: dict[str, Document]) -> None:
        if "indexed" in statuses:
            return
        first = next((status for status in statuses if status is not None), None)
        if first is None:
            self.unchanged += bool(known)
        else:
            self.unreadable[first] += 1

    def _index_file(
        self, shelf: Opened, book: Book, one: Format, known: Document | None
    ) -> DocumentStatus | None:
        """Index one file; return its status, None where there is nothing to record of it now."""
        try:
            if one.name in READABLE:
                return self._read(shelf, book, one, known)
            return self._take(index_text(self.writer, shelf, book, one, known, self._counted))
        except CannotRead:  # Calibre's texts; logged where it was found
            self.texts_unread.add(shelf.library.name)
            return None
        except FileNotFoundError:
            if shelf.library.current().problem is not None:  # the whole library went away
                return None
            if known is not None and known.status == "indexed":
                self._is_away = True
                return None
            return self._mark(unread(shelf, book, one), "damaged", NOT_THERE)
        except PathRefused:
            return self._mark(unread(shelf, book, one), "damaged", "not a file of the library")
        except OSError as problem:
            away = shelf.library.current().problem is not None
            if away or (known is not None and known.status == "indexed"):
                self._is_away = not away
                logger.warning("%s/%d: %s", shelf.library.name, book.id, problem)
                return None
            return self._mark(unread(shelf, book, one), "damaged", str(problem))
        except _Changed:
            logger.info("%s/%d changed while it was read", shelf.library.name, book.id)
            return None

    def _read(
        self, shelf: Opened, book: Book, one: Format, known: Document | None
    ) -> DocumentStatus:
        path = shelf.library.locate(book.id, one.name)
        found = path.stat()
        if known is not None and known.file.book_uuid != book.uuid:
            known = None
        if known is not None and is_unchanged(known, found, READER):
            if known.status == "indexed":
                self.unchanged += 1
            return known.status
        file = replace(
            unread(shelf, book, one),
            size=found.st_size,
            mtime_ns=found.st_mtime_ns,
            content_hash=hash_of(path, self._check),
        )
        failed = self._contents.failure_of(file)
        if failed is not None:
            return self._mark(file, *failed)
        return self._add(file, path, found, known)

    def _take(self, taken: Taken) -> DocumentStatus:
        if taken.status == "indexed":
            self.added += taken.new
            self.unchanged += not taken.new
        return taken.status

    def _add(
        self, file: BookFile, path: Path, found: os.stat_result, known: Document | None
    ) -> DocumentStatus:
        pages = self.pages
        try:
            counts = self.writer.add(file, self._stretches(path, file.format, found))
        except Unreadable as problem:
            self.pages = pages
            self._contents.fails(file, problem.status, problem.detail)
            return self._mark(file, problem.status, problem.detail)
        if not counts.pages:
            return "empty"
        if known is not None and known.file.content_hash == file.content_hash:
            self.unchanged += 1
        else:
            self.added += 1
        return "indexed"

    def _counted(self, stretches: Iterable[Stretch]) -> Iterator[Stretch]:
        for stretch in stretches:
            self._check()
            self.pages += 1
            if time.monotonic() - self._told > _TOLD_EVERY:
                self._report()
            yield stretch

    def _stretches(self, path: Path, kind: str, found: os.stat_result) -> Iterator[Stretch]:
        lost = None
        try:
            yield from self._counted(self.extractor.read(path, kind, stopped=self.stopped))
        except Incomplete as problem:
            lost = problem
        now = path.stat()
        if (now.st_size, now.st_mtime_ns) != (found.st_size, found.st_mtime_ns):
            raise _Changed
        self._prepare_next()
        if lost is not None:
            logger.info("%s is read in part: %s", path, lost.detail)
            raise lost

    def _prepare_next(self) -> None:
        """Have the next book read while this one is written, where it is sure to be read at all."""
        if self._coming is None:
            return
        shelf, number = self._coming
        book = shelf.library.current().snapshot.book(number)
        files = candidates(book) if book is not None else ()
        if len(files) != 1:
            return
        try:
            path = shelf.library.locate(number, files[0].name)
            if not self._contents.may_hold(path.stat().st_size):
                self.extractor.prepare(path, files[0].name)
        except (OSError, PathRefused, WorkerFailed) as problem:
            logger.debug("%s/%d is not read ahead: %s", shelf.library.name, number, problem)

    def _mark(self, file: BookFile, status: Status, detail: str) -> DocumentStatus:
        return mark(self.writer, file, status, detail)

    def _tidy(self) -> None:
        until = time.monotonic() + _TIDY_AT_MOST
        while not self.stopped() and time.monotonic() < until:
            if self.writer.tidy(_TIDY_SLICE):
                return

    def _report(self) -> None:
        self._told = time.monotonic()
        self.tell(
            IndexProgress(self._done, self._of, self.pages, self._told - self._began, self._current)
        )
