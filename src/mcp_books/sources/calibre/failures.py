"""What can go wrong with the text index, as one of the six codes and with what to do about it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from mcp_books.errors import NetworkFailure, ParseFailure, SourceError
from mcp_books.sources.base import Profile

from .index import (
    DamagedIndex,
    DiskFull,
    IndexInUse,
    IndexUnreachable,
    NoIndex,
    OutdatedIndex,
    SearchUnavailable,
    TextIndexError,
)

__all__ = ["nothing_indexed", "told"]

logger = logging.getLogger(__name__)


class _Failure(NamedTuple):
    error: type[SourceError]
    message: str
    hint: str
    retries: int = 0


_FAILURES: Mapping[type[TextIndexError], _Failure] = {
    NoIndex: _Failure(
        NetworkFailure,
        "nothing could be searched: no book has been indexed yet",
        "Run mcp-books index once, or ask again later where a server indexes by itself; the "
        "catalogue can be searched meanwhile.",
    ),
    OutdatedIndex: _Failure(
        NetworkFailure,
        "nothing could be searched: another version of mcp-books made the text index",
        "Run mcp-books index, which makes it again.",
    ),
    DamagedIndex: _Failure(
        ParseFailure,
        "the text index is damaged and cannot be read",
        "Run mcp-books index --rebuild; the libraries themselves are not touched.",
    ),
    IndexInUse: _Failure(
        NetworkFailure,
        "the text index is locked by another process",
        "Ask again in a moment.",
        retries=1,
    ),
    DiskFull: _Failure(
        NetworkFailure,
        "the text index cannot be read: the disk is full",
        "Free space on the disk that holds it, then ask again.",
    ),
    IndexUnreachable: _Failure(
        NetworkFailure,
        "the file of the text index cannot be opened or read",
        "Check the folder in BOOKS_INDEX_DIR and its permissions; stderr has the details.",
    ),
    SearchUnavailable: _Failure(
        NetworkFailure,
        "the SQLite of this Python cannot search texts",
        "Run mcp-books with a Python whose SQLite is 3.40 or later, with FTS5.",
    ),
}


@contextmanager
def told(profile: Profile) -> Iterator[None]:
    """Raise what goes wrong with the index as an error of the archive; paths go to the log alone.

    Raises:
        SourceError: the index cannot be searched.
    """
    try:
        yield
    except TextIndexError as failure:
        known = (each for kind, each in _FAILURES.items() if isinstance(failure, kind))
        found = next(known, _FAILURES[IndexUnreachable])
        logger.info("the text index cannot be searched: %s", failure)
        raise found.error(
            f"{profile.name}: {found.message}", hint=found.hint, retries=found.retries
        ) from failure


def nothing_indexed(profile: Profile, readable: int) -> SourceError:
    """Return the failure of an index that holds none of the books there are."""
    return NetworkFailure(
        f"{profile.name}: nothing could be searched, none of {readable} readable books is indexed",
        hint=_FAILURES[NoIndex].hint,
    )
