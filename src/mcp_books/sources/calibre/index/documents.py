"""A book file as the index knows it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

from mcp_books.sources.calibre.extract.base import Status

__all__ = ["BookFile", "Document", "DocumentStatus", "read_documents"]

DocumentStatus = Literal["indexed"] | Status


@dataclass(frozen=True, slots=True, kw_only=True)
class BookFile:
    """One file of one book: which, and the state it was in when it was read.

    `library`, `book` and `format` tell it from every other. Where `content_hash` and `reader` are
    those of a file already indexed, its text is indexed once and belongs to both.
    """

    library: str
    """The library's uuid."""
    book: int
    format: str
    book_uuid: str
    size: int
    mtime_ns: int
    content_hash: str
    """Hash of the whole file; empty where the file could not be read."""
    reader: str = ""
    """What gave the text, with its version: a newer one makes the text be read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A book file in the index: its text is there, or the status says why not."""

    id: int
    file: BookFile
    status: DocumentStatus
    detail: str
    pages: int
    chars: int
    indexed_at: float
    """Seconds since the epoch."""


_COLUMNS = """SELECT d.id, d.library, d.book, d.format, d.book_uuid, d.size, d.mtime_ns, d.hash,
    d.reader, d.status, d.detail, coalesce(c.pages, 0), coalesce(c.chars, 0), d.indexed_at
    FROM document d LEFT JOIN content c ON c.id = d.content"""


def read_documents(db: sqlite3.Connection, content: int | None = None) -> tuple[Document, ...]:
    """Return every document, or those whose text is `content`, the first indexed first."""
    if content is None:
        rows: Iterable[tuple[object, ...]] = db.execute(f"{_COLUMNS} ORDER BY d.id")
    else:
        rows = db.execute(f"{_COLUMNS} WHERE d.content = ? ORDER BY d.id", (content,))
    return tuple(map(_document, rows))


_Row = tuple[int, str, int, str, str, int, int, str, str, DocumentStatus, str, int, int, float]


def _document(row: tuple[object, ...]) -> Document:
    (
        identifier,
        library,
        book,
        kind,
        book_uuid,
        size,
        mtime_ns,
        content_hash,
        reader,
        status,
        detail,
        pages,
        chars,
        indexed_at,
    ) = cast(_Row, row)
    return Document(
        id=identifier,
        file=BookFile(
            library=library,
            book=book,
            format=kind,
            book_uuid=book_uuid,
            size=size,
            mtime_ns=mtime_ns,
            content_hash=content_hash,
            reader=reader,
        ),
        status=status,
        detail=detail,
        pages=pages,
        chars=chars,
        indexed_at=indexed_at,
    )
