"""Which rows of the index may be seen by one search, and their matches."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Set

from mcp_books.sources.calibre.index.ranking import Match

__all__ = ["Shelf"]

_RUNS_APART = 32
_SPARSE = 4


class Shelf:
    """The contents that are searched, in the order of their rows."""

    def __init__(
        self, generation: int, allowed: Set[int] | None, rows: list[tuple[int, int, int]]
    ) -> None:
        self.generation = generation
        self.allowed = allowed
        self.contents = array("q", (content for content, _, _ in rows))
        self._firsts = array("q", (first for _, first, _ in rows))
        self._lasts = array("q", (last for _, _, last in rows))
        self._runs = _runs(rows)

    @classmethod
    def current(
        cls, db: sqlite3.Connection, allowed: Set[int] | None, before: Shelf | None
    ) -> Shelf:
        """Return what may be seen now: `before` again, where nothing has changed since."""
        (generation,) = db.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
        if before and (before.generation, before.allowed) == (generation, allowed):
            return before
        if allowed is None:
            rows = db.execute(
                """SELECT id, first_id, last_id FROM content WHERE state = 'complete'
                ORDER BY first_id"""
            ).fetchall()
        else:
            found = db.execute(
                """SELECT c.id, c.first_id, c.last_id, d.id FROM document d
                JOIN content c ON c.id = d.content WHERE c.state = 'complete'"""
            )
            rows = sorted(
                {(content, first, last) for content, first, last, d in found if d in allowed},
                key=lambda row: row[1],
            )
        return cls(generation, allowed, rows)

    def ranked(self, db: sqlite3.Connection, expression: str) -> Iterator[Match]:
        """Yield the matches by rank, the best first."""
        if not self._runs:
            return iter(())
        first, last = self._runs[0][0], self._runs[-1][1]
        seen = sum(end - start + 1 for start, end in self._runs)
        if len(self._runs) <= _RUNS_APART and seen * _SPARSE < last - first:
            return self._placed(self._ranked_apart(db, expression))
        rows = db.execute(
            """SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?
            ORDER BY rank""",
            (expression, first, last),
        )
        return self._placed(row for (row,) in rows)

    def first_of_each(
        self, db: sqlite3.Connection, expression: str, per_book: int
    ) -> Iterator[Match]:
        """Yield the first matches of each content, unranked."""
        if not self._runs:
            return
        book, taken = -1, 0
        for row, place in self._placed(self._unranked(db, expression)):
            book, taken = place, taken + 1 if place == book else 1
            if taken <= per_book:
                yield row, place

    def count(self, db: sqlite3.Connection, expression: str) -> int:
        """Return how many rows match."""
        if len(self._runs) > _RUNS_APART:
            return sum(1 for _ in self._placed(self._unranked(db, expression)))
        total = 0
        for first, last in self._runs:
            (matching,) = db.execute(
                "SELECT count(*) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?",
                (expression, first, last),
            ).fetchone()
            total += matching
        return total

    def _unranked(self, db: sqlite3.Connection, expression: str) -> Iterator[int]:
        rows = db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?",
            (expression, self._runs[0][0], self._runs[-1][1]),
        )
        return (row for (row,) in rows)

    def _ranked_apart(self, db: sqlite3.Connection, expression: str) -> Iterator[int]:
        """Ask for each run of rows by itself, where what lies between them is most of the index."""
        scored: list[tuple[float, int]] = []
        for first, last in self._runs:
            scored += db.execute(
                "SELECT rank, rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?",
                (expression, first, last),
            )
        return (row for _, row in sorted(scored))

    def _placed(self, rows: Iterator[int]) -> Iterator[Match]:
        return ((row, place) for row in rows if (place := self._place(row)) is not None)

    def _place(self, row: int) -> int | None:
        """Return which content `row` belongs to; None where it may not be seen."""
        place = bisect_right(self._firsts, row) - 1
        return place if place >= 0 and row <= self._lasts[place] else None


def _runs(rows: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Return the rows as few ranges: contents that follow each other are one."""
    runs: list[tuple[int, int]] = []
    for _, first, last in rows:
        if runs and runs[-1][1] + 1 == first:
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
    return runs
