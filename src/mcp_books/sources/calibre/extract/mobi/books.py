"""Choosing the book of a file: a joint file holds the same book twice, the newer way is better."""

from __future__ import annotations

from typing import NamedTuple

from mcp_books.sources.calibre.extract.base import Unreadable

from .header import Header, read_header
from .palm import PalmDatabase
from .text import BookText, read_text

__all__ = ["Book", "best_book"]

_KINDS = (b"BOOKMOBI", b"TEXtREAd")


class Book(NamedTuple):
    """One book of a file, with its text as far as it can be read."""

    header: Header
    text: BookText


def best_book(database: PalmDatabase) -> Book:
    """Return the book of the file; of two the newer, unless only the older is whole.

    Raises:
        Unreadable: it is locked, of another kind, or damaged from its beginning.
    """
    if database.kind not in _KINDS:
        raise Unreadable("unsupported", f"a Palm database of {database.kind.decode('ascii')}")
    header = read_header(database)
    newer = _newer_book(database, header)
    if newer is None:
        return _book(database, header)
    if newer.text.damage is not None:
        try:
            older = _book(database, header)
        except Unreadable:
            return newer
        if older.text.damage is None:
            return older
    return newer


def _newer_book(database: PalmDatabase, header: Header) -> Book | None:
    if header.boundary is None:
        return None
    try:
        newer = read_header(database, header.boundary)
        return _book(database, newer) if newer.is_kf8 else None
    except Unreadable as error:
        if error.status == "damaged":
            return None
        raise


def _book(database: PalmDatabase, header: Header) -> Book:
    if header.encrypted:
        raise Unreadable("drm")
    return Book(header, read_text(database, header))
