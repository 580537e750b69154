"""Calibre's full-text-search.db for tests, in its published layout, without its search tables."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mcp_books.sources.calibre.index import Document, Index

from .libraries import Volume, make_library
from .shelves import Shelf

__all__ = [
    "DATABASE",
    "DOCX",
    "TEXT",
    "connect_texts",
    "documents",
    "file_of",
    "forget",
    "put",
    "shelf",
    "told",
]

DATABASE = "full-text-search.db"
DOCX = {"DOCX": b"a document"}
TEXT = "A porpoise off the cape.\n\n\nThe second chapter, with a narwhal."

_LAYOUT = """
CREATE TABLE dirtied_formats (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    format TEXT NOT NULL COLLATE NOCASE, in_progress INTEGER NOT NULL DEFAULT FALSE,
    UNIQUE(book, format));
CREATE TABLE books_text (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, timestamp REAL NOT NULL,
    format TEXT NOT NULL COLLATE NOCASE, format_hash TEXT NOT NULL COLLATE NOCASE,
    format_size INTEGER NOT NULL DEFAULT 0, searchable_text TEXT NOT NULL DEFAULT "",
    text_size INTEGER NOT NULL DEFAULT 0, text_hash TEXT NOT NULL COLLATE NOCASE DEFAULT "",
    err_msg TEXT DEFAULT "", UNIQUE(book, format));
PRAGMA user_version = 1;
"""


def connect_texts(folder: Path) -> sqlite3.Connection:
    """Open the database of a library, made if it is not there; transactions by hand."""
    path = folder / DATABASE
    is_new = not path.exists()
    db = sqlite3.connect(path, timeout=0, isolation_level=None)
    if is_new:
        db.executescript(_LAYOUT)
    return db


def file_of(folder: Path, book: int, kind: str) -> Path:
    """Return where the tests' libraries keep a file."""
    return folder / f"Somebody/Book ({book})/Book.{kind.lower()}"


def put(
    folder: Path,
    book: int,
    kind: str,
    text: str | bytes = "",
    *,
    error: str = "",
    moment: float = 1000.5,
    size: int | None = None,
    digest: str | None = None,
) -> None:
    """Write what Calibre has read of one file, by default of the file as it is now."""
    content = file_of(folder, book, kind).read_bytes()
    hashed = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    raw = text.encode("utf-8") if isinstance(text, str) else text
    with closing(connect_texts(folder)) as db:
        db.execute(
            "INSERT OR REPLACE INTO books_text (book, timestamp, format, format_hash, format_size,"
            " searchable_text, text_size, err_msg) VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?)",
            (
                book,
                moment,
                kind,
                hashed if digest is None else digest,
                len(content) if size is None else size,
                raw,
                len(raw),
                error,
            ),
        )


def forget(folder: Path, book: int) -> None:
    """Take out what Calibre has read of one book."""
    with closing(connect_texts(folder)) as db:
        db.execute("DELETE FROM books_text WHERE book = ?", (book,))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Return a library of one DOCX book, whose text Calibre has."""
    folder = make_library(tmp_path / "Library", [Volume(title="Porpoises", files=DOCX)])
    put(folder, 1, "DOCX", TEXT)
    return Shelf(folder, tmp_path / "data" / "index.sqlite3")


def documents(shelf: Shelf) -> list[Document]:
    with Index.open_reading(shelf.path) as reader:
        return list(reader.documents())


def told(shelf: Shelf) -> tuple[int, int, dict[str, int]]:
    status = shelf.indexing().status()["mine"]
    return (
        status.indexed,
        status.waiting,
        {str(one): count for one, count in status.unreadable.items()},
    )
