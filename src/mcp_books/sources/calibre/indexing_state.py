"""What became of a book: indexed, waiting to be, or why it gives no text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from .books import Format, order_to_try
from .calibre_texts import TEXT_READER, Listing, TextRow
from .index import Document, DocumentStatus
from .worker_readers import READABLE

__all__ = ["NOT_THERE", "book_state", "is_marked", "telling"]

NOT_THERE = "the file is not there"


def book_state(
    files: Iterable[str], known: Mapping[str, Document], texts: Listing | None, book: int
) -> DocumentStatus | Literal["waiting", "no file"]:
    """Return what became of a book with `files`, by their formats: indexed, waiting, or why not."""
    # Text of a file that has left the book can be found until the next run removes it.
    if any(one.status == "indexed" for one in known.values()):
        return "indexed"
    files = list(files)
    if not files:
        return "no file"
    ours = order_to_try([Format(name, "", 0) for name in files if name in READABLE])
    if any(one.name not in known for one in ours) or (texts is None and not known):
        return "waiting"
    if texts is not None:
        for name in files:
            row = texts.of(book, name)
            if row is not None and (name not in known or not is_marked(known[name], row)):
                return "waiting"
    found = telling(files, known)
    return found.status if found is not None else "unsupported"


def telling(files: Iterable[str], known: Mapping[str, Document]) -> Document | None:
    """Return the document that says why a book with `files` gives no text: that of its best one."""
    ours = order_to_try([Format(name, "", 0) for name in files if name in READABLE])
    first = [known[one.name] for one in ours if one.name in known] or list(known.values())
    return first[0] if first else None


def is_marked(document: Document, row: TextRow) -> bool:
    """Return whether `document` says what became of that text of Calibre's."""
    if document.file.reader != TEXT_READER:  # there is no file that it could be the text of
        return document.status != "unsupported"
    return document.detail.startswith(row.mark)
