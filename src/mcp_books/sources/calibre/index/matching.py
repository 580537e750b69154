"""The matches of one query, ranked where there is time for it.

FTS5 scores every match before it gives the first, so a query of common words alone can take
seconds on a large index. Such a query is stopped before its deadline and answered unranked: the
first places of each book, in the order the books were indexed, and the answer says so.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass

from mcp_books.sources.calibre.index.ranking import Match, Pager
from mcp_books.sources.calibre.index.schema import KINDS
from mcp_books.sources.calibre.index.shelf import Shelf

__all__ = ["Matched", "Matching"]

_DEEPEST = 5_000
"""Matches looked through for places in other books, beyond those a page needs."""
_FEW = 500
"""Further matches that are read to count them all; where there are more they are counted afresh."""
_STEPS = 100
"""Steps of SQLite's machine between two looks at the clock."""
_UNRANKED_SHARE, _UNRANKED_SECONDS = 0.4, 0.5
"""What is kept of the time for an answer without ranking: this share, and no more seconds."""
_READING_SHARE, _READING_SECONDS = 0.1, 0.05
"""What is kept, of that, for reading the texts of the places found."""


@dataclass(frozen=True, slots=True)
class Matched:
    """One page of matches; the fields are those of an answer."""

    matches: list[Match]
    total: int | None = None
    more: bool | None = None
    ranked: bool = True
    timed_out: bool = False


class Matching:
    """One query over one snapshot of the index."""

    def __init__(self, db: sqlite3.Connection, expression: str, shelf: Shelf) -> None:
        self._db = db
        self._expression = expression
        self._shelf = shelf

    def page(self, limit: int, offset: int, per_book: int, deadline: float) -> Matched:
        """Return the matches from `offset` on, at most `per_book` of one content."""
        if time.monotonic() >= deadline:
            return Matched([], ranked=False, timed_out=True)
        try:
            return self._ranked(limit, offset, per_book, deadline) or self._unranked(
                limit, offset, per_book, deadline
            )
        finally:
            self._db.set_progress_handler(None, 0)

    def _ranked(self, limit: int, offset: int, per_book: int, deadline: float) -> Matched | None:
        self._stop_at(_before(deadline, _UNRANKED_SHARE, _UNRANKED_SECONDS))
        try:
            pager = Pager(
                self._shelf.ranked(self._db, self._expression),
                per_book=per_book,
                is_late=self._is_late,
                deepest=_DEEPEST + 2 * (offset + limit),
            )
            for _ in range(offset // limit):
                pager.page(limit)
            matches, more = pager.page(limit), pager.more
        except sqlite3.OperationalError as error:
            if _was_stopped(error):
                return None
            raise
        return Matched(matches, self._total(pager), more)

    def _total(self, pager: Pager) -> int | None:
        try:
            few = pager.count(_FEW)
            return self._shelf.count(self._db, self._expression) if few is None else few
        except sqlite3.OperationalError as error:
            if _was_stopped(error):
                return None
            raise

    def _unranked(self, limit: int, offset: int, per_book: int, deadline: float) -> Matched:
        self._stop_at(_before(deadline, _READING_SHARE, _READING_SECONDS))
        matches: list[Match] = []
        more: bool | None = False
        try:
            for match in self._shelf.first_of_each(self._db, self._expression, per_book):
                if len(matches) == offset + limit:
                    more = True
                    break
                matches.append(match)
        except sqlite3.OperationalError as error:
            if not _was_stopped(error):
                raise
            more = None
        self._db.set_progress_handler(None, 0)
        kinds = [(self._is_late(match[0]), match) for match in matches[offset:]]
        page = [match for late, match in kinds if late is False]
        page += [match for late, match in kinds if late]
        return Matched(page, more=more, ranked=False, timed_out=more is None)

    def _is_late(self, row: int) -> bool | None:
        found = self._db.execute("SELECT kind FROM page WHERE id = ?", (row,)).fetchone()
        return None if found is None else KINDS[found[0]] != "body"

    def _stop_at(self, moment: float) -> None:
        self._db.set_progress_handler(lambda: time.monotonic() > moment, _STEPS)


def _before(deadline: float, share: float, most: float) -> float:
    """Return the moment that leaves a share of the time that is left, and at most so much of it."""
    return deadline - min(most, max(0.0, deadline - time.monotonic()) * share)


def _was_stopped(error: sqlite3.Error) -> bool:
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_ABORT)
