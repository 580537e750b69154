"""One document on its way into the index, batch by batch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.index.compression import Codec
from mcp_books.sources.calibre.index.documents import BookFile
from mcp_books.sources.calibre.index.normalise import normalise
from mcp_books.sources.calibre.index.schema import KINDS, LABEL_SOURCES
from mcp_books.sources.calibre.index.tidying import count_unmerged

__all__ = ["BATCH_CHARS", "BATCH_PAGES", "Adding", "writable"]

BATCH_PAGES = 2_000
BATCH_CHARS = 4_000_000
"""A document within both is written in one transaction; a longer one in batches."""


class Adding:
    """Collects the stretches of one document and writes them."""

    def __init__(self, db: sqlite3.Connection, file: BookFile, detail: str = "") -> None:
        self.file = file
        self.detail = detail
        self.content: int | None = None
        self.batch: list[Stretch] = []
        self.pages = 0
        self.chars = 0
        self._db = db
        self._batch_chars = 0
        self._sections: dict[str, int] = {}

    def take(self, stretch: Stretch) -> bool:
        """Keep `stretch` for the next batch; tell whether the batch is full."""
        self.batch.append(stretch)
        self._batch_chars += len(stretch.text)
        return len(self.batch) >= BATCH_PAGES or self._batch_chars >= BATCH_CHARS

    def write(self, codec: Codec) -> None:
        """Write the batch, inside a transaction of the caller's."""
        if not self.batch:
            return
        (first,) = self._db.execute("SELECT value FROM meta WHERE key = 'next_page'").fetchone()
        last = first + len(self.batch) - 1
        if self.content is None:
            self.content = self._db.execute(
                """INSERT INTO content (hash, reader, state, first_id, last_id, pages, chars)
                VALUES (?, ?, 'building', ?, ?, 0, 0)""",
                (self.file.content_hash, self.file.reader, first, last),
            ).lastrowid
        self._db.execute("UPDATE content SET last_id = ? WHERE id = ?", (last, self.content))
        self._db.execute("UPDATE meta SET value = ? WHERE key = 'next_page'", (last + 1,))
        self._db.executemany(
            "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?)", self._rows(first, codec)
        )
        self._db.executemany(
            "INSERT INTO words (rowid, text) VALUES (?, ?)",
            ((row, normalise(stretch.text)) for row, stretch in enumerate(self.batch, first)),
        )
        count_unmerged(self._db, len(self.batch))
        self.pages += len(self.batch)
        self.chars += self._batch_chars
        self.batch, self._batch_chars = [], 0

    def complete(self) -> None:
        """Let the content be seen, inside a transaction of the caller's."""
        self._db.executemany(
            "INSERT INTO section VALUES (?, ?, ?)",
            ((self.content, number, path) for path, number in self._sections.items()),
        )
        self._db.execute(
            "UPDATE content SET state = 'complete', pages = ?, chars = ? WHERE id = ?",
            (self.pages, self.chars, self.content),
        )

    def _rows(self, first: int, codec: Codec) -> Iterator[tuple[object, ...]]:
        for row, stretch in enumerate(self.batch, first):
            yield (
                row,
                stretch.page_number,
                None if stretch.page_label is None else writable(stretch.page_label),
                LABEL_SOURCES.index(stretch.label_source) if stretch.label_source else None,
                self._section(stretch.section),
                KINDS.index(stretch.kind),
                codec.compress(stretch.text),
            )

    def _section(self, path: str | None) -> int | None:
        if path is None:
            return None
        return self._sections.setdefault(writable(path), len(self._sections))


def writable(text: str) -> str:
    """Return `text` with the lone surrogates that no database takes as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
