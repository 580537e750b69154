"""The form a query is posted as, the bindings that come back, and what failed if they do not.

Virtuoso 7 answers a failure in plain text whose first line is `Virtuoso <SQLSTATE> Error <code>:`
and whose rest echoes the query: state and code alone are read and published.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal, NamedTuple, TypedDict, cast, get_args

from mcp_books.errors import BooksError, InvalidInput, NetworkFailure, ParseFailure
from mcp_books.sources._values import mapping, rows

if TYPE_CHECKING:
    from mcp_books._http import Reply

__all__ = ["ACCEPT", "Answer", "Row", "Term", "form", "read_answer"]

ACCEPT = "application/sparql-results+json"

TermType = Literal["uri", "literal", "typed-literal", "bnode"]

_ERROR = re.compile(rb"\s*Virtuoso (\w{5}) Error(?: (\w{2}\d{3}):)?([^\r\n]*)")
_BAD_FULL_TEXT = frozenset({"XM028", "XM029", "FT370"})
_FORBIDDEN = frozenset({"SR186", "SQ070"})
_TOO_DEEP = "SR353"
_NOT_COMPILED = "37000"
_GAVE_UP = "S1T00"
_LATER = "Ask again later."
_OURS = "This is a fault of mcp-books; please report it."


class Term(NamedTuple):
    """One bound value; an unbound variable is absent from its row."""

    value: str
    type: TermType

    @property
    def is_iri(self) -> bool:
        return self.type == "uri"


Row = Mapping[str, Term]


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of one answer, how many could not be read, and whether the server cut them."""

    archive: str
    """Its name, for messages."""
    rows: tuple[Row, ...]
    unreadable: int
    cut: bool


class _WireTerm(TypedDict):
    type: str
    value: str


def form(query: str) -> tuple[tuple[str, str], ...]:
    """Return the fields to post. No `timeout`: with one, a partial answer looks like a whole."""
    return (("query", query), ("format", ACCEPT))


def read_answer(reply: Reply) -> Answer:
    """Read the bindings of a SELECT.

    Raises:
        InvalidInput: the full-text expression or the offset is one the engine does not take.
        NetworkFailure: the engine gave up, answered in part, or answered nothing.
        ParseFailure: the query was not understood, or the answer is no result set.
    """
    if found := _ERROR.match(reply.body):
        state, code, line = (part.decode("ascii", "replace") for part in found.groups(b""))
        raise _failure(reply, state, code, line)
    reply.require_ok()
    if "x-sql-state" in reply.headers:
        raise NetworkFailure(
            f"{reply.archive} interrupted the query and answered in part", hint=_LATER, retries=1
        )
    start = reply.body[:512].lstrip()
    if not start or start.startswith(b"Virtuoso "):
        raise NetworkFailure(
            f"{reply.archive} abandoned the query without an answer", hint=_LATER, retries=1
        )
    if start.startswith(b"<"):
        raise ParseFailure(
            f"{reply.archive} answered in XML or HTML, not in the JSON asked for", hint=_LATER
        )
    return _bindings(reply)


def _failure(reply: Reply, state: str, code: str, line: str) -> BooksError:
    archive, name = reply.archive, f"{state} {code}".strip()
    if code in _BAD_FULL_TEXT:
        return InvalidInput(
            f"{archive} cannot search for these words ({name})", hint="Ask with plain words."
        )
    if code == _TOO_DEEP:
        return InvalidInput(
            f"{archive} lists no page so deep ({name})", hint="Ask for an earlier page."
        )
    if code in _FORBIDDEN:
        return NetworkFailure(f"{archive} refused the query ({name})", hint=_OURS)
    if state == _NOT_COMPILED:
        return ParseFailure(f"{archive} did not understand the query ({name})", hint=_OURS)
    if state == _GAVE_UP or "estimated execution time" in line:
        return NetworkFailure(
            f"{archive} gave up on the query: it took too long ({name})",
            hint="Ask with rarer words, or again later.",
            retries=1,
        )
    return NetworkFailure(
        f"{archive} failed on the query ({name})",
        hint=_LATER,
        retries=0 if reply.status < HTTPStatus.INTERNAL_SERVER_ERROR else 1,
    )


def _bindings(reply: Reply) -> Answer:
    results = mapping(mapping(reply.json(retries=1)).get("results"))
    bindings = results.get("bindings")
    if not isinstance(bindings, list):
        raise ParseFailure(
            f"{reply.archive} sent JSON that is no SPARQL result set", hint=_LATER, retries=1
        )
    read = [_row(binding) for binding in rows(bindings)]
    good = tuple(row for row in read if row is not None)
    return Answer(
        archive=reply.archive,
        rows=good,
        unreadable=len(read) - len(good),
        cut="x-sparql-maxrows" in reply.headers,
    )


def _row(binding: object) -> Row | None:
    if not isinstance(binding, dict):
        return None
    if not all(_is_term(term) for term in binding.values()):
        return None
    return {
        str(name): Term(term["value"], cast("TermType", term["type"]))
        for name, term in cast("Mapping[str, _WireTerm]", binding).items()
    }


def _is_term(term: object) -> bool:
    return (
        isinstance(term, dict)
        and isinstance(term.get("value"), str)
        and term.get("type") in get_args(TermType)
    )
