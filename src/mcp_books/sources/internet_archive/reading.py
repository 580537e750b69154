"""Reading the archive's replies: a result list, a record, and what it says when it fails.

The search route answers HTTP 400, or 200 with `succeeded: false`, both for a query it refuses and
for failures of its own; only the reason tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, NoReturn

from mcp_books.errors import InvalidInput, NetworkFailure, ParseFailure, RecordNotFound
from mcp_books.sources._excerpts import opening
from mcp_books.sources._values import first, mapping, number, plain, rows

if TYPE_CHECKING:
    from mcp_books._http import Reply

__all__ = ["Found", "read_found", "read_item"]

_MARKER = re.compile(r"\[([A-Z][A-Z_]{2,})\]")
_CALLERS_MARKERS = frozenset({"RANGE_OUT_OF_BOUNDS", "UNSUPPORTED_VALUE"})
_OWN_FAULT = re.compile(
    r"\bHTTP 5\d\d\b|\bexception\b|\btraceback\b|\bbackend\b|\bElasticsearch\b|\bsearch engine\b"
    r"|\bchild request\b|\btimed? ?out\b|\bunavailable\b",
    re.IGNORECASE,
)
_REASON_LENGTH = 160
_TRANSIENT = 8
_LATER = "Ask again later."


@dataclass(frozen=True, slots=True)
class Found:
    """One page of a result list, as sent."""

    total: int | None
    rows: tuple[object, ...]


def read_found(reply: Reply) -> Found:
    """Read one page of results.

    Raises:
        InvalidInput: the archive states a reason against the query.
        NetworkFailure: the archive's own failure, or no reason at all.
        ParseFailure: the reply is of another shape.
    """
    if reply.status == HTTPStatus.BAD_REQUEST:
        _refused(reply, _reasons_of_refusal(reply))
    reply.require_ok()
    answer = reply.json(retries=1)
    if not isinstance(answer, dict):
        raise _unreadable(reply, "no JSON object")
    response = mapping(answer.get("response"))
    if mapping(response.get("header")).get("succeeded") is False:
        _refused(reply, _reasons(answer))
    hits = mapping(mapping(response.get("body")).get("hits"))
    found = hits.get("hits")
    if not isinstance(found, list):
        if reasons := _reasons(answer):
            _refused(reply, reasons)
        raise _unreadable(reply, "no list of hits")
    return Found(number(hits.get("total")), tuple(found))


def read_item(reply: Reply, identifier: str) -> Mapping[str, object]:
    """Read one item, as sent; its `metadata` is an object.

    Raises:
        RecordNotFound: the archive holds no such item, or has withdrawn it.
        NetworkFailure: the archive's own failure.
        ParseFailure: the reply is of another shape.
    """
    reply.require_ok()
    item = reply.json(retries=1)
    if item in ({}, []):  # an empty map may be written as a list
        raise RecordNotFound(
            f"{reply.archive} holds no item {identifier!r}",
            hint="Capitals count in these identifiers; find the record with search_items.",
        )
    if not isinstance(item, dict):
        raise _unreadable(reply, "no JSON object")
    if error := item.get("error"):
        raise NetworkFailure(
            f"{reply.archive} failed to read {identifier!r}: {_short(str(error))}",
            hint=_LATER,
            retries=_TRANSIENT,
        )
    if item.get("is_dark") in (True, "true"):
        raise RecordNotFound(
            f"{reply.archive} has withdrawn the item {identifier!r}",
            hint="Look for another copy with search_items.",
        )
    if not isinstance(item.get("metadata"), dict):
        raise _unreadable(reply, "a record without metadata")
    return item


def _unreadable(reply: Reply, instead: str) -> ParseFailure:
    return ParseFailure(
        f"{reply.archive} sent {instead} where an answer was expected", hint=_LATER, retries=1
    )


def _refused(reply: Reply, reasons: tuple[str, ...]) -> NoReturn:
    reason = _short(next(iter(reasons), ""))
    markers = {marker for text in reasons for marker in _MARKER.findall(text)}
    if "RANGE_OUT_OF_BOUNDS" in markers:
        raise InvalidInput(
            f"{reply.archive} refused the page: {reason}", hint="Ask for an earlier page."
        )
    own_fault = markers - _CALLERS_MARKERS or any(_OWN_FAULT.search(text) for text in reasons)
    if own_fault or not reason:
        raise NetworkFailure(
            f"{reply.archive}'s search failed: {reason or 'it gave no reason'}",
            hint=_LATER,
            retries=_TRANSIENT,
        )
    raise InvalidInput(f"{reply.archive} refused the query: {reason}", hint="Change the words.")


def _reasons_of_refusal(reply: Reply) -> tuple[str, ...]:
    try:
        return _reasons(reply.json())
    except ParseFailure:
        text = reply.text().strip()
        is_page = not text or text.startswith("<") or "<html" in text.lower()
        return () if is_page else (text,)


def _reasons(answer: object) -> tuple[str, ...]:
    response = mapping(mapping(answer).get("response"))
    found: list[str] = []
    for holder in (mapping(answer), response, mapping(response.get("header"))):
        for name in ("error", "errors"):
            found.extend(_stated(holder.get(name)))
    return tuple(dict.fromkeys(found))


def _stated(value: object) -> Iterator[str]:
    for one in rows(value) or [value]:
        text = first(mapping(one).get("message")) if isinstance(one, dict) else first(one)
        if text:
            yield text


def _short(reason: str) -> str:
    return opening(" ".join(plain(reason).split()), _REASON_LENGTH)
