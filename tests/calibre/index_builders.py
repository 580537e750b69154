"""Book files and stretches for the tests of the index, and a look at what its file really holds."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.index import BookFile, Counts, Found, Reader, Writer, read_query

LIBRARY = "6f1f7e1c-0000-4000-8000-000000000001"


def book_file(
    book: int,
    *,
    library: str = LIBRARY,
    kind: str = "EPUB",
    content: str | None = None,
    reader: str = "",
) -> BookFile:
    """Return the facts of one file; books of different numbers have different contents."""
    return BookFile(
        library=library,
        book=book,
        format=kind,
        book_uuid=f"book-{book}",
        size=1000 + book,
        mtime_ns=book,
        content_hash=f"hash-{book}" if content is None else content,
        reader=reader,
    )


def stretches(*texts: str) -> Iterator[Stretch]:
    """Yield the texts as numbered pages."""
    for number, text in enumerate(texts, 1):
        yield Stretch(text, page_number=number)


def add(writer: Writer, book: int, *texts: str) -> Counts:
    """Index one book of these pages."""
    return writer.add(book_file(book), stretches(*texts))


def find(reader: Reader, words: str, *, limit: int = 10, offset: int = 0) -> Found:
    """Search with time enough."""
    return reader.search(
        read_query(words), limit=limit, offset=offset, deadline=time.monotonic() + 60
    )


def texts(found: Found) -> list[str]:
    """Return the texts of an answer."""
    return [place.text for place in found.places]


def rows_with(path: Path, word: str) -> list[int]:
    """Return every row of the file that FTS5 finds for `word`, seen by searches or not."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        return [
            row for (row,) in db.execute("SELECT rowid FROM words WHERE words MATCH ?", (word,))
        ]


def rows_kept(path: Path) -> list[int]:
    """Return every row of the file that has a text."""
    with closing(sqlite3.connect(path)) as db:
        return [row for (row,) in db.execute("SELECT id FROM page ORDER BY id")]
