"""Indexing the text that Calibre has of a book file which is not read here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from .books import Book, Format
from .calibre_texts import TEXT_READER, text_of
from .extract.base import Stretch, Unreadable
from .extract.stretches import stretches
from .index import Document, DocumentStatus, Writer
from .indexing_contents import mark, unread
from .indexing_plan import Opened, is_text_of

__all__ = ["Taken", "index_text", "stretches_of"]

_JOINT = "\n\n\n"
"""What Calibre puts between the files of a book, and nowhere else."""
_MOST_JOINTS = 20_000


class Taken(NamedTuple):
    """What became of one file, and whether its text was not in the index before."""

    status: DocumentStatus
    new: bool = False


def index_text(
    writer: Writer,
    shelf: Opened,
    book: Book,
    one: Format,
    known: Document | None,
    counted: Callable[[Iterable[Stretch]], Iterable[Stretch]],
) -> Taken:
    """Index what Calibre has of a file, or record why that gives no text.

    `counted` passes the stretches on. What `known` says is not looked for again.

    Raises:
        CannotRead: what Calibre has cannot be known now.
        OSError, PathRefused: there is no such file.
    """
    path = shelf.library.locate(book.id, one.name)
    found = path.stat()
    row = shelf.texts.of(book.id, one.name) if shelf.texts is not None else None
    if known is not None and known.file.book_uuid != book.uuid:
        known = None
    if known is not None and is_text_of(known, found, row):
        return Taken(known.status)
    if row is None:
        return _unsupported(writer, shelf, book, one)
    file = replace(
        unread(shelf, book, one, TEXT_READER), size=found.st_size, mtime_ns=found.st_mtime_ns
    )
    try:
        text = text_of(shelf.library.texts, book.id, one.name, path, found.st_size)
    except Unreadable as problem:
        return Taken(mark(writer, file, problem.status, problem.detail))
    if text is None:
        return _unsupported(writer, shelf, book, one)
    content = text.words.encode("utf-8", "surrogatepass")
    file = replace(file, content_hash=hashlib.blake2b(content, digest_size=20).hexdigest())
    del content
    counts = writer.add(file, counted(stretches_of(text.words)), text.row.mark)
    if not counts.pages:
        return Taken("empty")
    return Taken("indexed", known is None or known.file.content_hash != file.content_hash)


def stretches_of(text: str) -> Iterator[Stretch]:
    """Yield a text in stretches, none across two files of the book; where they stand is unknown."""
    # So many are no book's: the text is cut by its length alone.
    parts = text.split(_JOINT) if text.count(_JOINT) <= _MOST_JOINTS else [text]
    for part in parts:
        yield from stretches(part)


def _unsupported(writer: Writer, shelf: Opened, book: Book, one: Format) -> Taken:
    return Taken(mark(writer, unread(shelf, book, one), "unsupported", f"no reader of {one.name}"))
