"""The rows of a search, grouped by work: titles, dates and creators multiply them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mcp_books.errors import ParseFailure
from mcp_books.sources._sparql import Answer, Row
from mcp_books.sources._values import number, texts

from .ark import reference_of

__all__ = ["Found", "Work", "in_order", "plain_year", "read"]

_PLAIN_YEAR = re.compile(r"(\d{4})(?:-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))?")


@dataclass(slots=True)
class Work:
    """One work as its rows describe it."""

    reference: str
    titles: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    dates: set[str] = field(default_factory=set)
    creators: dict[str, str] = field(default_factory=dict)
    """IRI to name."""

    @property
    def title(self) -> str | None:
        return next(iter(in_order(self.titles or self.labels, self.labels)), None)

    @property
    def creator(self) -> str | None:
        return "; ".join(sorted(set(self.creators.values()))) or None

    @property
    def date(self) -> str | None:
        return "; ".join(sorted(self.dates)) or None


@dataclass(frozen=True, slots=True)
class Found:
    """The works of one page, and what the window they were looked for in held."""

    works: tuple[Work, ...]
    matches: int
    """Works and editions in the window."""
    works_in_window: int
    next_exists: bool
    """A work beyond those asked for came with them."""
    unreadable: int
    cut: bool


def read(answer: Answer, limit: int) -> Found:
    """Group the rows of `answer` into its first `limit` works.

    Raises:
        ParseFailure: the counts of the window are not among them.
    """
    counts: Row | None = None
    by_iri: dict[str, list[Row]] = {}
    unreadable = answer.unreadable
    for row in answer.rows:
        if "work" in row:
            by_iri.setdefault(row["work"].value, []).append(row)
        elif "matches" in row:
            counts = row
        else:
            unreadable += 1
    matches, works_in_window = (_count(answer, counts, name) for name in ("matches", "works"))
    works: dict[str, Work] = {}
    for iri, rows in list(by_iri.items())[:limit]:
        reference = reference_of(iri)
        if reference is None:
            unreadable += 1
        else:
            _add(works.setdefault(reference, Work(reference)), rows)
    return Found(
        works=tuple(works.values()),
        matches=matches,
        works_in_window=works_in_window,
        next_exists=len(by_iri) > limit,
        unreadable=unreadable,
        cut=answer.cut,
    )


def in_order(titles: Iterable[str], preferred: Iterable[str]) -> Sequence[str]:
    """Return `titles` in an order that no answer changes: the preferred ones, then by spelling."""
    first = frozenset(preferred)
    return sorted(titles, key=lambda title: (title not in first, title))


def plain_year(dates: Iterable[str]) -> int | None:
    """Return the year of `dates` if those written as a year or a whole day agree on one."""
    found = {int(match[1]) for date in dates if (match := _PLAIN_YEAR.fullmatch(date))}
    years = {year for year in found if 1000 <= year <= 2200}
    return years.pop() if len(years) == 1 else None


def _count(answer: Answer, counts: Row | None, name: str) -> int:
    found = number(counts[name].value) if counts is not None and name in counts else None
    if found is None:
        raise ParseFailure(
            f"{answer.archive} did not say how many matches it looked through",
            hint="Ask again later.",
        )
    return found


def _add(work: Work, rows: Iterable[Row]) -> None:
    for row in rows:
        for values, column in (
            (work.titles, "title"),
            (work.labels, "label"),
            (work.dates, "date"),
        ):
            values.update(_text(row, column))
        for name in _text(row, "name"):
            iri = row["creator"].value if "creator" in row else name
            work.creators[iri] = min(name, work.creators.get(iri, name))


def _text(row: Row, column: str) -> tuple[str, ...]:
    return texts(row[column].value) if column in row else ()
