"""What is known and recorded of file contents: sizes, and why some give no text."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from .books import Book, Format
from .extract.base import Status
from .index import BookFile, Document, DocumentStatus, Writer
from .indexing_plan import Opened
from .worker import READER

__all__ = ["Contents", "hash_of", "mark", "unread"]

logger = logging.getLogger(__name__)

_BLOCK = 1 << 20


class Contents:
    """The contents that the index knows, and those that came in this run."""

    def __init__(self) -> None:
        self._sizes: set[int] = set()
        self._failures: dict[tuple[str, str], tuple[Status, str]] = {}

    def remember(self, documents: Iterable[Document]) -> None:
        """Take over what the index knows."""
        for one in documents:
            self._sizes.add(one.file.size)
            if one.status != "indexed" and one.file.reader == READER:
                self.fails(one.file, one.status, one.detail)

    def may_hold(self, size: int) -> bool:
        """Return whether a file of that size can be a copy: one of another size has to be read."""
        return size in self._sizes

    def failure_of(self, file: BookFile) -> tuple[Status, str] | None:
        """Return why this content gives no text, if that is known; its size is known from now."""
        self._sizes.add(file.size)
        return self._failures.get((file.content_hash, file.format))

    def fails(self, file: BookFile, status: Status, detail: str) -> None:
        """Keep why this content gives no text: a copy elsewhere is not read again."""
        self._failures[file.content_hash, file.format] = status, detail


def unread(shelf: Opened, book: Book, one: Format, reader: str = READER) -> BookFile:
    """Return the facts of a file that was not looked at."""
    return BookFile(
        library=shelf.key,
        book=book.id,
        format=one.name,
        book_uuid=book.uuid,
        size=0,
        mtime_ns=0,
        content_hash="",
        reader=reader,
    )


def hash_of(path: Path, check: Callable[[], None]) -> str:
    """Return the hash of a file; `check` is called now and then, and may raise."""
    digest = hashlib.blake2b(digest_size=20)
    with path.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            check()
    return digest.hexdigest()


def mark(writer: Writer, file: BookFile, status: Status, detail: str) -> DocumentStatus:
    """Record why a file gives no text."""
    logger.info("%s/%d/%s: %s %s", file.library, file.book, file.format, status, detail)
    writer.mark(file, status, detail)
    return status
