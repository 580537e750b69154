"""Bringing the text index up to date with the libraries, and telling how far it is.

One format of a book is indexed, the best to cite: a PDF that states page labels, an EPUB, AZW3,
MOBI, a PDF without labels. One that cannot be read is recorded with the reason, and the next tried;
then what Calibre's own full-text search has of other formats.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from .books import Book
from .calibre_texts import reason_in
from .index import Document, DocumentStatus, Index, NoIndex, OutdatedIndex
from .indexing_plan import Shelves, by_book, gone_meanwhile, open_libraries
from .indexing_run import IndexProgress, Run
from .indexing_state import book_state, telling
from .library import Library
from .worker import READER, Extractor, Stopped, WorkerFailed, never

__all__ = [
    "BookTold",
    "IndexProgress",
    "IndexRun",
    "IndexStatus",
    "Indexing",
    "LibraryStatus",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRun:
    """What a run did, in books."""

    added: int
    """Read, or found to be read already in another library."""
    unchanged: int
    removed: int
    unreadable: Mapping[DocumentStatus, int]
    """Books that gave no text in this run, by the reason of their best file."""
    left: tuple[str, ...]
    """Titles of books left as they were, for the next run to read: what read them was ended from
    outside, twice."""
    without_file: int
    """Indexed books whose file is not there now; their text stays."""
    pages: int
    seconds: float
    stopped: bool
    """It was asked to stop, and did; the next run goes on from there."""
    problems: Mapping[str, str]
    """Libraries that could not be read, by name, and why, as a clause."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """The same of libraries that are copies of one before them: nothing is left to do."""
    texts_unread: tuple[str, ...] = ()
    """Libraries whose database of Calibre's own texts could not be read; the next run tries it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookTold:
    """A book of which some or all text cannot be searched, and what there is to say about it."""

    title: str
    authors: tuple[str, ...]
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStatus:
    """How far one library is indexed, in books. Those without file and text are not counted."""

    name: str
    indexed: int = 0
    readable: int = 0
    """Indexed or waiting to be."""
    waiting: int = 0
    partly: tuple[BookTold, ...] = ()
    """Indexed, but some of their text is damaged and could not be read; the detail says how much.
    In the order of the library."""
    unread: Mapping[DocumentStatus, tuple[BookTold, ...]] = field(default_factory=dict)
    """Books of which no file gives text, by the reason of the best one."""
    texts_of_calibre: bool = True
    """Whether there is a database of Calibre's own full-text search, or that is not known."""
    unavailable: str | None = None
    """Why the library cannot be read now, as a clause; numbers are then those of its last state."""
    copied: str | None = None
    """Why it is not to be read, as a clause: it is a copy of one before it, which counts."""

    @property
    def unreadable(self) -> Mapping[DocumentStatus, int]:
        """How many books give no text, by reason."""
        return {status: len(books) for status, books in self.unread.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """How far every library is indexed, in the configured order."""

    libraries: tuple[LibraryStatus, ...]

    def __getitem__(self, name: str) -> LibraryStatus:
        for one in self.libraries:
            if one.name == name:
                return one
        raise KeyError(name)


class Indexing:
    """Indexes libraries into one file."""

    def __init__(
        self,
        libraries: Sequence[Library],
        index: Path,
        *,
        names: Collection[str] = (),
        extractor: Callable[[], Extractor] = Extractor,
    ) -> None:
        """Nothing is opened yet.

        `libraries` are all that are configured, since of two copies the first counts; `names`
        are those of the ones meant, none named: all. `extractor` makes what reads the book files.
        """
        self._libraries = tuple(libraries)
        self._wanted = tuple(one for one in libraries if not names or one.name in names)
        self._index = index
        self._extractor = extractor

    def run(
        self,
        *,
        on_progress: Callable[[IndexProgress], None] | None = None,
        stopped: Callable[[], bool] = never,
        rebuild: bool = False,
    ) -> IndexRun:
        """Read what is new or changed, remove what is gone, and tidy the index.

        It may be ended at any moment: books that are complete stay, and the next run goes on.
        `stopped` is asked several times a second. `rebuild` begins with an empty index, whatever
        libraries were in it.

        Raises:
            IndexInUse: another process is indexing.
            DiskFull: the book being read was left out; those before it are there.
            TextIndexError: the index cannot be used.
            WorkerFailed: no process can be started that reads books, or each is killed.
        """
        began = time.monotonic()
        was_stopped = False
        with (
            Index.open_writing(self._index, rebuild=rebuild) as writer,
            closing(self._extractor()) as extractor,
        ):
            run = Run(writer, extractor, stopped, on_progress or _say_nothing)
            opened, problems, copies = open_libraries(self._libraries, self._wanted)
            try:
                run.index(opened)
            except Stopped:
                was_stopped = True
            except WorkerFailed:  # Ctrl-C may reach what reads before it reaches this
                if not stopped():
                    raise
                was_stopped = True
            problems |= gone_meanwhile(opened)
        return IndexRun(
            added=run.added,
            unchanged=run.unchanged,
            removed=run.removed,
            unreadable=dict(run.unreadable),
            left=tuple(run.left),
            without_file=run.without_file,
            pages=run.pages,
            seconds=time.monotonic() - began,
            stopped=was_stopped,
            problems=problems,
            copies=copies,
            texts_unread=tuple(
                one.library.name
                for one in opened
                if one.library.name in run.texts_unread - problems.keys()
            ),
        )

    def status(self) -> IndexStatus:
        """Tell how far the libraries are indexed; no book file is looked at, nothing is written.

        Raises:
            TextIndexError: the index cannot be read; one that is not there yet holds nothing.
        """
        known = by_book(self._documents())
        shelves = open_libraries(self._libraries, self._wanted)
        return IndexStatus(
            libraries=tuple(_status(library.name, shelves, known) for library in self._wanted)
        )

    def _documents(self) -> Sequence[Document]:
        try:
            with Index.open_reading(self._index) as reader:
                return reader.documents()
        except (NoIndex, OutdatedIndex):  # the next run makes it
            return ()


def _status(
    name: str, shelves: Shelves, known: Mapping[str, Mapping[int, Mapping[str, Document]]]
) -> LibraryStatus:
    problem = shelves.problems.get(name)
    opened = next((one for one in shelves.opened if one.library.name == name), None)
    if opened is None:
        return LibraryStatus(name=name, unavailable=problem, copied=shelves.copies.get(name))
    books = known.get(opened.key, {})
    indexed = waiting = 0
    partly: list[BookTold] = []
    unread: dict[DocumentStatus, list[BookTold]] = {}
    for book in opened.snapshot.books():
        names = [one.name for one in book.formats]
        documents = {
            name: one
            for name, one in books.get(book.id, {}).items()
            if one.file.book_uuid == book.uuid
        }
        state = book_state(names, documents, opened.texts, book.id)
        if state == "indexed":
            indexed += 1
            partly += (_told(book, one) for one in documents.values() if _is_partly_read(one))
        elif state == "waiting":
            waiting += 1
        elif state != "no file":
            told = _told(book, telling(names, documents))
            unread.setdefault(state, []).append(told)
    return LibraryStatus(
        name=name,
        indexed=indexed,
        readable=indexed + waiting,
        waiting=waiting,
        partly=tuple(partly),
        unread={status: tuple(told) for status, told in unread.items()},
        texts_of_calibre=opened.texts is None or opened.texts.exists,
        unavailable=problem,
    )


def _told(book: Book, document: Document | None) -> BookTold:
    detail = "" if document is None else reason_in(document.detail)
    return BookTold(
        title=book.title, authors=tuple(one.name for one in book.authors), detail=detail
    )


def _is_partly_read(document: Document) -> bool:
    return (document.status, document.file.reader) == ("indexed", READER) and bool(document.detail)


def _say_nothing(_: IndexProgress) -> None:
    """Take the place of a progress bar."""
