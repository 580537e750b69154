"""Searching the catalogues of several libraries by the words of their books."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from mcp_books.arguments import Sort
from mcp_books.errors import InvalidInput

from .books import Book
from .haystacks import Term, terms
from .snapshot import Snapshot

__all__ = ["ORDERED_ON", "Found", "Match", "search"]

ORDERED_ON: Mapping[Sort, str] = {
    "relevance": (
        "titles that hold every word, then titles with their authors, then the rest; "
        "each by title sort"
    ),
    "newest": "date of publication, latest first; books without one last",
    "oldest": "date of publication, earliest first; books without one last",
    "title": "title sort",
}
"""How the rows of each sort are ordered."""

_AFTER_EVERY_DAY = date.max.toordinal() + 1
_Key = tuple[int, str, int, int]


class Match(NamedTuple):
    """One book, and the catalogue that holds it."""

    snapshot: Snapshot
    book: Book


class Found(NamedTuple):
    """One page of the books that match."""

    rows: tuple[Match, ...]
    total: int
    """Books that match, in all libraries."""
    more: bool


def search(
    snapshots: Sequence[Snapshot],
    text: str,
    *,
    year_from: int | None = None,
    year_to: int | None = None,
    sort: Sort = "relevance",
    media_type: str | None = None,
    limit: int = 5,
    page: int = 1,
) -> Found:
    """Return the books that hold every word and every quoted phrase of `text`.

    A book without a date of publication matches no range of years.

    Raises:
        InvalidInput: `text` holds no word.
    """
    wanted = terms(text)
    if not wanted:
        raise InvalidInput(
            "no word in the query can be searched",
            hint="Ask with at least one word or number.",
            source="calibre",
        )
    years = (year_from, year_to) if year_from is not None or year_to is not None else None
    keys = [
        key
        for place, snapshot in enumerate(snapshots)
        for key in _matching(snapshot, place, wanted, years, sort, media_type)
    ]
    start = (page - 1) * limit
    rows = (
        Match(snapshots[place], book)
        for _, _, place, number in heapq.nsmallest(start + limit, keys)[start:]
        if (book := snapshots[place].book(number)) is not None
    )
    return Found(tuple(rows), len(keys), len(keys) > start + limit)


def _matching(
    snapshot: Snapshot,
    place: int,
    wanted: Sequence[Term],
    years: tuple[int | None, int | None] | None,
    sort: Sort,
    media_type: str | None,
) -> Iterator[_Key]:
    for number, haystack in snapshot.haystacks.items():
        rank = haystack.rank(wanted)
        if rank is None:
            continue
        if media_type is not None and not snapshot.has_format(number, media_type):
            continue
        if years is not None and not _within(snapshot.published_of(number), *years):
            continue
        first = _first(snapshot, number, sort, rank)
        yield first, snapshot.title_key(number), place, number


def _within(day: date | None, year_from: int | None, year_to: int | None) -> bool:
    if day is None:
        return False
    return (year_from is None or day.year >= year_from) and (year_to is None or day.year <= year_to)


def _first(snapshot: Snapshot, number: int, sort: Sort, rank: int) -> int:
    """Return what a match is ordered on before its title."""
    if sort == "relevance":
        return rank
    if sort == "title":
        return 0
    published = snapshot.published_of(number)
    if published is None:
        return _AFTER_EVERY_DAY
    day = published.toordinal()
    return -day if sort == "newest" else day
