"""Small replies in the Library's shapes, and an adapter that is sent them over a real `Http`."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import anyio
import httpx
import respx

from mcp_books._http import Http
from mcp_books.settings import Settings
from mcp_books.sources.library_of_congress import LibraryOfCongress

SITE = "https://www.loc.gov"
GOOD = {"cache-control": "no-transform, max-age=86400"}


@dataclass(frozen=True)
class Library:
    """The adapter under test and what it sent."""

    source: LibraryOfCongress
    router: respx.MockRouter

    @property
    def path(self) -> str:
        """The path of the last request."""
        path: str = self.router.calls.last.request.url.path
        return path

    @property
    def params(self) -> Mapping[str, str]:
        """The query of the last request."""
        return dict(self.router.calls.last.request.url.params)


@asynccontextmanager
async def library(
    reply: httpx.Response | Callable[[httpx.Request], httpx.Response],
    *,
    base_url: str | None = None,
    demonstration: bool = False,
) -> AsyncIterator[Library]:
    """Open an adapter whose every request is answered with `reply`, and never asked again."""
    settings = Settings(max_retries=0)
    # Loading the certificates takes longer than the test, and nothing is connected to.
    unloaded = patch("httpx.create_ssl_context", lambda: ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    with unloaded, anyio.fail_after(5):
        async with respx.mock(assert_all_called=False) as router, Http(settings) as http:
            route = router.get(url__startswith=base_url or SITE)
            route.mock(side_effect=reply if callable(reply) else [reply] * 9)
            yield Library(
                LibraryOfCongress(http, base_url=base_url, demonstration=demonstration), router
            )


def sent(value: object, status: int = 200, **headers: str) -> httpx.Response:
    """Return `value` as the Library sends it; header names are written with underscores."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    body = json.dumps(value).encode()
    return httpx.Response(
        status, content=body, headers={"content-type": "application/json", **GOOD, **named}
    )


def html(text: str, status: int, **headers: str) -> httpx.Response:
    """Return a page for people."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = f"<!DOCTYPE html><html><head><title>{text}</title></head></html>".encode()
    return httpx.Response(
        status, content=body, headers={"content-type": "text/html; charset=UTF-8", **named}
    )


def results(*rows: object, of: object = None, **pagination: object) -> dict[str, Any]:
    """Return one page of results."""
    counted = len(rows) if of is None else of
    block = {"of": counted, "total": 1, "current": 1, "perpage": 5, "next": None} | pagination
    return {"results": list(rows), "pagination": block, "options": {"is_partial": False}}


def page_row(text: str = "", *, issue: str = "", sp: int = 6, **fields: object) -> dict[str, Any]:
    """Return the row of a newspaper page; `text` is the opening of its text."""
    issue = issue or "sn99990001/1924-11-20/ed-1"
    address = f"www.loc.gov/resource/{issue}/?sp={sp}"
    return {
        "id": f"http://{address}",
        "url": f"https://{address}&q=some+words",
        "title": f"Image {sp} of Valley press (El Centro, Calif.), November 20, 1924",
        "date": issue.split("/")[1],
        "partof_title": ["valley press (el centro, calif.) 1907-current"],
        "number_page": [f"{sp:010}"],
        "description": [text],
        "contributor": ["a university that scanned it"],
        "original_format": ["newspaper"],
        "type": ["segment"],
    } | fields


def record_row(number: str = "51006716", **fields: object) -> dict[str, Any]:
    """Return the row of a catalogue record."""
    return {
        "id": f"http://www.loc.gov/item/{number}/",
        "url": f"https://www.loc.gov/item/{number}/?q=words",
        "title": "Curious bibliographies.",
        "date": "1879",
        "original_format": ["book"],
        "online_format": ["image", "pdf"],
        "digitized": True,
        "access_restricted": False,
        "shelf_id": "AC20 .C8",
        "contributor": ["lemonnyer, jules"],
    } | fields


def document(item: Mapping[str, object] | None = None, **blocks: object) -> dict[str, Any]:
    """Return the document of one record."""
    described = {
        "id": "http://www.loc.gov/item/51006716/",
        "title": "Curious bibliographies.",
        "date": "1879",
        "original_format": ["book"],
    }
    return {"item": described | dict(item or {}), "resources": []} | blocks
