"""Which libraries and books there are to index, and which of them need no more work.

An unchanged library is gone through without opening a file: a book file of the size and the time it
was read with counts as read. A file that came to a book after its text was read is looked at,
because its places may be better to cite. A book of which no file can be read here is indexed with
the text that Calibre has of one, where it has any.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .books import Book, Format, order_to_try
from .calibre_texts import TEXT_READER, Listing, TextRow
from .copies import read_all
from .index import Document, DocumentStatus
from .indexing_state import NOT_THERE, is_marked
from .library import Library, Reading
from .problems import PROBLEMS, UnreadCopy
from .snapshot import Snapshot
from .worker_readers import READABLE

__all__ = [
    "Opened",
    "Shelves",
    "by_book",
    "candidates",
    "gone_meanwhile",
    "is_text_of",
    "is_unchanged",
    "needs_work",
    "open_libraries",
    "stays",
    "texts_to_try",
]

Documents = Mapping[str, Document]
"""What the index knows of one book, by format."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A library whose catalogue could be read, now or earlier."""

    library: Library
    key: str
    reading: Reading
    texts: Listing | None = None
    """What Calibre itself has read of it; None: that cannot be known now."""

    @property
    def snapshot(self) -> Snapshot:
        """Its books."""
        return self.reading.snapshot


class Shelves(NamedTuple):
    """The libraries that can be read, and of the others, by name, why not, as a clause."""

    opened: tuple[Opened, ...]
    problems: dict[str, str]
    """Of those that cannot be read; one that could be read earlier is opened as well."""
    copies: dict[str, str]
    """Of those that are not to be read, as copies of one before them."""


def open_libraries(libraries: Sequence[Library], wanted: Sequence[Library]) -> Shelves:
    """Read the catalogues of those of `libraries` that are `wanted`, in the same order.

    Of two copies of one library the first counts, though it may not be wanted.
    """
    before = libraries[: libraries.index(wanted[-1]) + 1] if wanted else ()
    found = read_all(before)
    opened: list[Opened] = []
    problems: dict[str, str] = {}
    copies: dict[str, str] = {}
    for library, reading in found.read:
        if library not in wanted:
            continue
        if reading.problem is not None:
            problems[library.name] = PROBLEMS[reading.problem]
        texts = library.texts.listing() if reading.problem is None else None
        opened.append(Opened(library, reading.snapshot.key, reading, texts))
    for failure in found.unread:
        if any(one.name == failure.library for one in wanted):
            unread = copies if isinstance(failure, UnreadCopy) else problems
            unread[failure.library] = failure.because
    return Shelves(tuple(opened), problems, copies)


def gone_meanwhile(opened: Iterable[Opened]) -> dict[str, str]:
    """Return of the libraries that cannot be read now, by name, why not, as a clause."""
    readings = ((one.library.name, one.library.current()) for one in opened)
    return {
        name: PROBLEMS[reading.problem] for name, reading in readings if reading.problem is not None
    }


def candidates(book: Book, printed_pages: Mapping[str, bool] | None = None) -> Sequence[Format]:
    """Return the files of a book that can be read, the best to cite first."""
    readable = [one for one in book.formats if one.name in READABLE]
    return order_to_try(readable, printed_pages)


def texts_to_try(book: Book, known: Documents, texts: Listing) -> Sequence[Format]:
    """Return the files of a book that Calibre has a text of, or had while its database was there.

    None of them can be read here.
    """
    return order_to_try(
        [
            one
            for one in book.formats
            if one.name not in READABLE
            and (texts.of(book.id, one.name) or (not texts.exists and _has_text(known, one.name)))
        ]
    )


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


def is_text_of(document: Document, found: os.stat_result, row: TextRow | None) -> bool:
    """Return whether `document` is what can be made of Calibre's text of a file, or was."""
    file = document.file
    if file.reader != TEXT_READER:
        return False
    if (file.size, file.mtime_ns) != (found.st_size, found.st_mtime_ns):
        return False
    return document.status == "indexed" if row is None else is_marked(document, row)


def stays(
    document: Document,
    book: Book,
    tried: Mapping[str, DocumentStatus | None],
    texts: Listing | None,
) -> bool:
    """Return whether a document stays though nothing is known of its file or its text now."""
    name = document.file.format
    if name in READABLE:
        return name in tried and document.status == "indexed"
    if document.file.book_uuid != book.uuid or book.format(name) is None:
        return False
    return name in tried or texts is None


def needs_work(
    book: Book, known: Documents, folder: str, reader: str, texts: Listing | None
) -> bool:
    """Return whether anything about a book has to be read, recorded or removed."""
    ours = {name: one for name, one in known.items() if name in READABLE}
    if any(one.file.book_uuid != book.uuid for one in known.values()):
        return True
    if not known.keys() <= {one.name for one in book.formats}:
        return True
    found = {one.name: _stat(folder, one) for one in candidates(book)}
    if not all(is_unchanged(one, found[name], reader) for name, one in ours.items()):
        return True
    indexed = [one for one in ours.values() if one.status == "indexed"]
    others = [state for name, state in found.items() if name not in ours]
    if len(indexed) == 1:
        return len(known) > len(ours) or any(
            _came_after(indexed[0].indexed_at, state) for state in others
        )
    if indexed or others:
        return True
    theirs = {name: one for name, one in known.items() if name not in ours}
    return _text_needs_work(book, theirs, folder, reader, texts)


def _text_needs_work(
    book: Book, known: Documents, folder: str, reader: str, texts: Listing | None
) -> bool:
    """Return the same about the files that cannot be read here, of a book without any other."""
    if texts is None:
        return False
    tried = texts_to_try(book, known, texts)
    if not tried:
        return _needs_mark(book, known, reader)
    for one in tried:
        document, state = known.get(one.name), _stat(folder, one)
        if document is None:
            return True
        if state is None:
            if document.detail != NOT_THERE:
                return True
        elif not is_text_of(document, state, texts.of(book.id, one.name)):
            return True
        if document.status == "indexed":
            return False
    return not known.keys() <= {one.name for one in tried}


def _needs_mark(book: Book, known: Documents, reader: str) -> bool:
    """Return whether a book without a file that can be read is not recorded as one."""
    if any(one.name in READABLE for one in book.formats):
        return bool(known)
    return len(known) != bool(book.formats) or any(
        (one.status, one.file.reader) != ("unsupported", reader) for one in known.values()
    )


def _has_text(known: Documents, name: str) -> bool:
    document = known.get(name)
    return document is not None and document.status == "indexed"


def _stat(folder: str, one: Format) -> os.stat_result | None:
    """Look at a file without opening it: where it lies exactly is checked before it is read."""
    try:
        return os.stat(f"{folder}/{one.path}")  # noqa: PTH116  # a Path costs more than the call
    except (OSError, ValueError):
        return None


def _came_after(moment: float, found: os.stat_result | None) -> bool:
    # A file that is copied can keep an old time of change, but not of creation.
    return found is not None and max(found.st_mtime, found.st_ctime) > moment
