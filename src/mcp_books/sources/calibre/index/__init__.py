"""The text index of the libraries: SQLite FTS5 in the user's data folder."""

from __future__ import annotations

from pathlib import Path

from mcp_books.sources.calibre.index.documents import BookFile, Document, DocumentStatus
from mcp_books.sources.calibre.index.faults import (
    DamagedIndex,
    DiskFull,
    IndexInUse,
    IndexUnreachable,
    NoIndex,
    OutdatedIndex,
    SearchUnavailable,
    TextIndexError,
)
from mcp_books.sources.calibre.index.query import Query, Term, pieces, read_query, read_words
from mcp_books.sources.calibre.index.search import Found, Place, Reader
from mcp_books.sources.calibre.index.writer import Counts, Writer

__all__ = [
    "BookFile",
    "Counts",
    "DamagedIndex",
    "DiskFull",
    "Document",
    "DocumentStatus",
    "Found",
    "Index",
    "IndexInUse",
    "IndexUnreachable",
    "NoIndex",
    "OutdatedIndex",
    "Place",
    "Query",
    "Reader",
    "SearchUnavailable",
    "Term",
    "TextIndexError",
    "Writer",
    "pieces",
    "read_query",
    "read_words",
]


class Index:
    """Opens the text index: for one writer at a time, and for any number of readers beside it."""

    @staticmethod
    def open_reading(path: Path) -> Reader:
        """Open the index at `path` to search it; raises as `Reader` does."""
        return Reader(path)

    @staticmethod
    def open_writing(path: Path, *, rebuild: bool = False) -> Writer:
        """Open the index at `path` to change it; raises as `Writer` does."""
        return Writer(path, rebuild=rebuild)
