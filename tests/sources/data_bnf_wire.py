"""Small replies in the archive's shape, and an adapter that is sent them over a mocked wire."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs

import httpx
import respx

from mcp_books._http import Http
from mcp_books.settings import Settings
from mcp_books.sources.data_bnf import DataBnf
from mcp_books.sources.data_bnf.ark import about

BASE = "http://127.0.0.1:9"
"""Loopback, so that requests are not spaced."""

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"

Bindings = Mapping[str, object]


def uri(value: str) -> dict[str, str]:
    return {"type": "uri", "value": value}


def literal(value: str, language: str = "") -> dict[str, str]:
    return {"type": "literal", "value": value} | ({"xml:lang": language} if language else {})


def integer(value: int) -> dict[str, str]:
    return {"type": "typed-literal", "datatype": INTEGER, "value": str(value)}


def counts(matches: int, works: int) -> Bindings:
    return {"matches": integer(matches), "works": integer(works)}


def work(reference: str, title: str = "Un titre", **columns: str) -> Bindings:
    """Return a row of a search; a column whose value is an IRI is written as one."""
    row: dict[str, object] = {"work": uri(about(reference)), "title": literal(title, "fr")}
    for name, value in columns.items():
        row[name] = uri(value) if value.startswith("http") else literal(value)
    return row


def stated(part: str, field: str, value: dict[str, str], **columns: dict[str, str]) -> Bindings:
    """Return a row of a record, about a field given as a whole IRI."""
    return {"part": literal(part), "field": uri(field), "value": value, **columns}


def answer(*rows: object, status: int = 200, **headers: str) -> httpx.Response:
    value = {
        "head": {"link": [], "vars": []},
        "results": {"distinct": False, "ordered": True, "bindings": list(rows)},
    }
    return reply(
        "\n" + json.dumps(value), "application/sparql-results+json", status=status, **headers
    )


def reply(
    body: str, kind: str = "text/plain; charset=UTF-8", *, status: int = 200, **headers: str
) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, text=body, headers={**named, "Content-Type": kind})


@dataclass(frozen=True)
class Wire:
    """The adapter under test and what it sent."""

    bnf: DataBnf
    route: respx.Route

    @property
    def requests(self) -> list[httpx.Request]:
        return [call.request for call in self.route.calls]

    @property
    def queries(self) -> list[str]:
        return [sent_form(request)["query"] for request in self.requests]


def sent_form(request: httpx.Request) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(request.content.decode()).items()}


@asynccontextmanager
async def asked(
    *replies: httpx.Response,
    base: str = BASE,
    demonstration: bool = False,
    settings: Settings | None = None,
) -> AsyncIterator[Wire]:
    """Yield an adapter whose requests are answered with `replies`, in turn."""
    with respx.mock(assert_all_called=False) as mock:
        route = mock.post(f"{base}/sparql").mock(side_effect=list(replies))
        async with Http(settings or Settings(cache_ttl=0, max_retries=0)) as http:
            yield Wire(DataBnf(http, base_url=base, demonstration=demonstration), route)
