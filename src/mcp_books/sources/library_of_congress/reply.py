"""Telling an answer of the Library from a refusal, a failure and an absence, in that order.

Nothing found and a search that failed look alike here: both can be a count of zero, and a page past
the end is an error 404 in JSON. Every reply passes through one of the two readers below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from mcp_books.errors import (
    BooksError,
    InvalidInput,
    NetworkFailure,
    ParseFailure,
    RateLimited,
    RecordNotFound,
)
from mcp_books.sources import _values

if TYPE_CHECKING:
    from mcp_books._http import Reply

__all__ = ["SILENCE", "SearchReply", "read_document", "read_search"]

SILENCE = 600.0
"""Seconds without a request after the Library refused one without naming a time."""

_LATER = "Ask again later."
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
_HTML = re.compile(rb"\s*(?:<!doctype html|<html)", re.IGNORECASE)
_UNCACHED = re.compile(r"(?:^|[\s,])(?:no-cache|no-store|max-age=0)(?:$|[\s,;=])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SearchReply:
    """One page of results as sent: rows unread, `of` the number of results."""

    rows: list[object]
    of: int | None
    more: bool | None
    past_the_end: bool = False


def read_search(reply: Reply, page: int) -> SearchReply:
    """Return page `page` of a search.

    Raises:
        BooksError: the reply is a refusal, a failure, or not of this shape.
    """
    _refuse_walls(reply)
    if _is_absence(reply):
        return _nothing_on(page)
    document = _document(reply)
    if document.get("status") in _GONE:
        return _nothing_on(page)
    if _values.mapping(document.get("options")).get("is_partial") is True:
        raise NetworkFailure(
            f"{reply.archive} ran out of time: its result is incomplete", hint=_LATER, retries=1
        )
    rows, pagination = document.get("results"), document.get("pagination")
    if not isinstance(rows, list) or not isinstance(pagination, Mapping):
        raise ParseFailure(f"{reply.archive} sent no list of results", hint=_LATER)
    of = _values.number(pagination.get("of"))
    if rows:
        return SearchReply(rows, of, _more(pagination))
    return _without_rows(reply, page, of, pagination)


def read_document(reply: Reply, shown: str) -> Mapping[str, object]:
    """Return the document of one record; `shown` is how the record is called.

    Raises:
        RecordNotFound: the Library answered and holds no such record.
        BooksError: the reply is a refusal, a failure, or not of this shape.
    """
    _refuse_walls(reply)
    if reply.status in _GONE:
        raise _not_found(reply, shown)
    document = _document(reply)
    if document.get("status") in _GONE:
        raise _not_found(reply, shown)
    item = document.get("item")
    if item in ({}, []):
        raise _not_found(reply, shown)
    if not isinstance(item, Mapping):
        raise ParseFailure(f"{reply.archive} sent no record in its answer", hint=_LATER)
    return document


def _refuse_walls(reply: Reply) -> None:
    """Raise for a page meant for a person at a browser: it carries no answer of any kind."""
    if not _is_html(reply):
        return
    body = reply.body.lower()
    challenged = "cf-mitigated" in reply.headers
    if not challenged and b"captcha" in body:
        raise RateLimited(
            f"{reply.archive} asked for a CAPTCHA in place of an answer",
            hint="It blocks an address that asked too often; ask again later.",
            retry_after=SILENCE,
        )
    if challenged or (reply.status == HTTPStatus.FORBIDDEN and b"just a moment" in body):
        raise NetworkFailure(
            f"a bot wall in front of {reply.archive} refused the request",
            hint="Programs are turned away from this connection for now; try later or elsewhere.",
        )


def _document(reply: Reply) -> Mapping[str, object]:
    _raise_for(reply.status, reply)
    reply.require_ok()
    if _is_html(reply):
        raise ParseFailure(f"{reply.archive} sent an HTML page in place of JSON", hint=_LATER)
    document = reply.json(retries=2)
    if not isinstance(document, Mapping):
        raise ParseFailure(
            f"{reply.archive} sent a JSON {type(document).__name__}, not an object", hint=_LATER
        )
    status = document.get("status")
    if isinstance(status, int) and status >= HTTPStatus.BAD_REQUEST and status not in _GONE:
        _raise_for(status, reply)
        raise NetworkFailure(
            f"{reply.archive} answered with status {status}", hint=_LATER, retries=2
        )
    return document


def _raise_for(status: int, reply: Reply) -> None:
    if status in _REFUSED:
        raise InvalidInput(
            f"{reply.archive} refused the query (status {status})",
            hint="Put it in other words, without quotation marks or brackets.",
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise RateLimited(
            f"{reply.archive} asked for fewer requests", hint=_LATER, retry_after=SILENCE
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise NetworkFailure(f"{reply.archive} failed (status {status})", hint=_LATER, retries=2)


def _is_absence(reply: Reply) -> bool:
    """Whether a search was answered with a 404 that is the Library's own, in JSON."""
    if reply.status not in _GONE or _is_html(reply):
        return False
    try:
        body = reply.json()
    except BooksError:
        return False
    return isinstance(body, Mapping) and body.get("status") in _GONE


def _nothing_on(page: int) -> SearchReply:
    """Read a 404: nothing matched at all, or the rows stop before this page."""
    if page == 1:
        return SearchReply([], 0, False)
    return SearchReply([], None, False, past_the_end=True)


def _without_rows(
    reply: Reply, page: int, of: int | None, pagination: Mapping[str, object]
) -> SearchReply:
    if of == 0:
        if _UNCACHED.search(reply.headers.get("cache-control", "")):
            raise NetworkFailure(
                f"{reply.archive} failed to search, and sent that as zero results",
                hint=_LATER,
                retries=2,
            )
        return SearchReply([], 0, False)
    pages = _values.number(pagination.get("total"))
    if of is not None and pages is not None and page > max(pages, 1):
        return SearchReply([], of, False, past_the_end=True)
    raise ParseFailure(
        f"{reply.archive} counted results and sent none of them", hint=_LATER, retries=1
    )


def _more(pagination: Mapping[str, object]) -> bool | None:
    current, pages = (_values.number(pagination.get(name)) for name in ("current", "total"))
    if current is not None and pages is not None:
        return current < pages
    return bool(pagination["next"]) if "next" in pagination else None


def _is_html(reply: Reply) -> bool:
    declared = reply.headers.get("content-type", "").lower()
    return "html" in declared or _HTML.match(reply.body) is not None


def _not_found(reply: Reply, shown: str) -> RecordNotFound:
    return RecordNotFound(
        f"{reply.archive} holds no record {shown!r}", hint="Find the record with search_items."
    )
