"""Which libraries and books there are to index, and which of them need no more work.

An unchanged library is gone through without opening a file: a book file of the size and the time it
was read with counts as read. A file that came to a book after its text was read is looked at,
because its places may be better to cite.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .books import Book, Format, order_to_try
from .index import Document
from .library import PROBLEMS, Library, LibraryUnavailable, Reading
from .snapshot import Snapshot
from .worker_readers import READABLE

__all__ = [
    "NOT_THERE",
    "Opened",
    "by_book",
    "candidates",
    "is_unchanged",
    "needs_work",
    "open_libraries",
]

NOT_THERE = "the file is not there"

Documents = Mapping[str, Document]
"""What the index knows of one book, by format."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A library whose catalogue could be read, now or earlier."""

    library: Library
    key: str
    reading: Reading

    @property
    def snapshot(self) -> Snapshot:
        """Its books."""
        return self.reading.snapshot


def open_libraries(libraries: Iterable[Library]) -> tuple[tuple[Opened, ...], dict[str, str]]:
    """Return the libraries that can be read, and of the others, by name, why not, as a clause.

    One that could be read earlier is in both. Of two copies of one library the first counts.
    """
    opened: dict[str, Opened] = {}
    problems: dict[str, str] = {}
    for library in libraries:
        try:
            reading = library.current()
        except LibraryUnavailable as error:
            problems[library.name] = PROBLEMS[error.problem]
            continue
        if reading.problem is not None:
            problems[library.name] = PROBLEMS[reading.problem]
        key = reading.snapshot.key
        if key in opened:
            problems[library.name] = f"it is a copy of the library {opened[key].library.name!r}"
        else:
            opened[key] = Opened(library, key, reading)
    return tuple(opened.values()), problems


def candidates(book: Book, printed_pages: Mapping[str, bool] | None = None) -> Sequence[Format]:
    """Return the files of a book that can be read, the best to cite first."""
    readable = [one for one in book.formats if one.name in READABLE]
    return order_to_try(readable, printed_pages)


def by_book(documents: Iterable[Document]) -> dict[str, dict[int, dict[str, Document]]]:
    """Return documents by library, book and format."""
    found: dict[str, dict[int, dict[str, Document]]] = {}
    for one in documents:
        file = one.file
        found.setdefault(file.library, {}).setdefault(file.book, {})[file.format] = one
    return found


def is_unchanged(document: Document, found: os.stat_result | None, reader: str) -> bool:
    """Return whether a file is as it was when `document` was made of it by this reader.

    What the disk did not let be read is tried again.
    """
    file = document.file
    if found is None:
        return document.status != "indexed" and document.detail == NOT_THERE
    return (
        file.reader == reader
        and (file.size, file.mtime_ns) == (found.st_size, found.st_mtime_ns)
        and bool(file.content_hash)
    )


def needs_work(book: Book, known: Documents, folder: str, reader: str) -> bool:
    """Return whether anything about a book has to be read, recorded or removed."""
    files = candidates(book)
    if not files:
        return _needs_mark(book, known, reader)
    if not known.keys() <= {one.name for one in files}:
        return True
    if any(document.file.book_uuid != book.uuid for document in known.values()):
        return True
    found = {one.name: _stat(folder, one) for one in files}
    if not all(is_unchanged(one, found[name], reader) for name, one in known.items()):
        return True
    indexed = [one for one in known.values() if one.status == "indexed"]
    others = [state for name, state in found.items() if name not in known]
    if len(indexed) != 1:
        return bool(indexed or others)
    return any(_came_after(indexed[0].indexed_at, state) for state in others)


def _needs_mark(book: Book, known: Documents, reader: str) -> bool:
    """Return whether a book without a file that can be read is not recorded as one."""
    names = [one.name for one in book.formats][:1]
    return list(known) != names or any(
        (one.status, one.file.reader, one.file.book_uuid) != ("unsupported", reader, book.uuid)
        for one in known.values()
    )


def _stat(folder: str, one: Format) -> os.stat_result | None:
    """Look at a file without opening it: where it lies exactly is checked before it is read."""
    try:
        return os.stat(f"{folder}/{one.path}")  # noqa: PTH116  # a Path costs more than the call
    except (OSError, ValueError):
        return None


def _came_after(moment: float, found: os.stat_result | None) -> bool:
    # A file that is copied can keep an old time of change, but not of creation.
    return found is not None and max(found.st_mtime, found.st_ctime) > moment
