"""Rows of the Library's result lists: pages of newspapers, and catalogue records."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from mcp_books.errors import ParseFailure
from mcp_books.sources import _values

from .no_records import is_no_record
from .references import Reference
from .reply import read_search
from .wire import creator_of, date_of, identified, kind_of, shelf_of

if TYPE_CHECKING:
    from mcp_books._http import Reply

__all__ = ["CatalogueRow", "PageRow", "Rows", "read_catalogue", "read_pages"]

logger = logging.getLogger(__name__)

_ISSUED = re.compile(
    r"Image \d+ of (.+?),? (?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December) \d{1,2}, \d{4}\b"
)


class PageRow(NamedTuple):
    """One newspaper page of a result list; `text` is the start of the page's text."""

    reference: Reference
    title: str | None
    publication: str | None
    page_number: int | None
    text: str


class CatalogueRow(NamedTuple):
    """One catalogue record of a result list."""

    reference: Reference
    title: str | None
    creator: str | None
    date: str | None
    media_type: str | None
    online: bool | None
    location: str | None


RowT = TypeVar("RowT", PageRow, CatalogueRow)


class Rows(NamedTuple, Generic[RowT]):
    """One page of a result list, read."""

    read: tuple[RowT, ...]
    unreadable: int
    set_aside: int
    of: int | None
    more: bool | None
    past_the_end: bool


def read_pages(reply: Reply, page: int, base_url: str) -> Rows[PageRow]:
    """Return the newspaper pages of one page of results; every row there is meant to be one."""
    return _read(reply, page, lambda row: _page_row(row, base_url), lambda _: False)


def read_catalogue(reply: Reply, page: int, base_url: str) -> Rows[CatalogueRow]:
    """Return the records of one page of results."""
    return _read(
        reply,
        page,
        lambda row: _catalogue_row(row, base_url),
        lambda row: is_no_record(row, base_url),
    )


def _read(
    reply: Reply,
    page: int,
    read_row: Callable[[Mapping[str, object]], RowT | None],
    is_other: Callable[[Mapping[str, object]], bool],
) -> Rows[RowT]:
    """Read every row; one that is no record is set aside, one without a reference unreadable."""
    answer = read_search(reply, page)
    read: list[RowT] = []
    unreadable = set_aside = 0
    for row in answer.rows:
        if not isinstance(row, Mapping):
            unreadable += 1
        elif is_other(row):
            set_aside += 1
        elif (found := _guarded(read_row, row)) is not None:
            read.append(found)
        else:
            unreadable += 1
    if unreadable and unreadable == len(answer.rows):
        raise ParseFailure(
            f"none of the {unreadable} rows {reply.archive} sent can be read",
            hint="Ask again later.",
        )
    return Rows(tuple(read), unreadable, set_aside, answer.of, answer.more, answer.past_the_end)


def _guarded(
    read_row: Callable[[Mapping[str, object]], RowT | None], row: Mapping[str, object]
) -> RowT | None:
    try:
        return read_row(row)
    except ValueError:
        logger.warning("A row could not be read", exc_info=True)
        return None


def _page_row(row: Mapping[str, object], base_url: str) -> PageRow | None:
    reference = identified(row, base_url)
    if reference is None or not reference.is_page:
        return None
    title = _values.first(row.get("title"))
    named = _ISSUED.match(title or "")
    return PageRow(
        reference,
        title,
        named[1] if named else _values.first(row.get("partof_title")),
        _values.number(row.get("number_page")) or reference.sequence,
        _values.first(row.get("description")) or "",
    )


def _catalogue_row(row: Mapping[str, object], base_url: str) -> CatalogueRow | None:
    reference = identified(row, base_url)
    if reference is None:
        return None
    return CatalogueRow(
        reference,
        _values.first(row.get("title")),
        # On an issue or a page the contributor is the library that scanned it.
        creator_of(row) if reference.issue is None else None,
        reference.issued_on or date_of(row),
        kind_of(row),
        _online(row),
        shelf_of(row),
    )


def _online(row: Mapping[str, object]) -> bool | None:
    """Whether a copy can be opened from anywhere: a restricted one opens in the building alone."""
    if row.get("access_restricted") is True:
        return False
    if _values.texts(row.get("online_format")):
        return True
    digitized = row.get("digitized")
    return digitized if isinstance(digitized, bool) else None
