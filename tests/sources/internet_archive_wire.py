"""Small replies in the archive's shapes, and an adapter that is sent them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import respx

from mcp_books._http import Http
from mcp_books.models import BriefRecord, Hit
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery, InsideQuery, ResultPage
from mcp_books.sources.internet_archive import InternetArchive


@dataclass(frozen=True)
class Sent:
    """One request the adapter made."""

    path: str
    params: Mapping[str, str]


@dataclass(frozen=True)
class Wire:
    """The adapter under test and what it sent."""

    archive: InternetArchive
    sent: list[Sent]


@dataclass(frozen=True)
class Canned:
    """What the archive answers."""

    body: bytes
    status: int = 200


def answers(value: object, status: int = 200) -> Canned:
    return Canned(json.dumps(value).encode(), status)


def page(*rows: object, total: object = None) -> dict[str, Any]:
    """Return a result list as the search route sends it."""
    hits = {"total": len(rows) if total is None else total, "returned": len(rows), "hits": rows}
    return {"response": {"header": {"succeeded": True}, "body": {"hits": hits}, "hit_schema": []}}


def refusal(*reasons: str) -> dict[str, Any]:
    """Return a refused search; without reasons, one that states none."""
    errors = [{"message": reason, "forensics": None, "context": "x"} for reason in reasons]
    return {
        "response": {
            "header": {"succeeded": False},
            "body": {"hits": {"total": None, "hits": None}},
        },
        "errors": errors,
    }


def text_row(identifier: object = "a-book", *fragments: str, **fields: object) -> dict[str, Any]:
    """Return a row of the full-text search."""
    found = {
        "identifier": identifier,
        "file_basename": identifier,
        "mediatype": "texts",
        "title": "A Book",
        "creator": ["Somebody"],
        "page_num": 8,
        "result_in_subfile": False,
    } | fields
    highlight = {"highlight": {"text": list(fragments)}} if fragments else {}
    return {"hit_type": "text", "fields": found, "_score": 1.5, **highlight}


def item_row(identifier: object = "a-book", **fields: object) -> dict[str, Any]:
    """Return a row of the catalogue search."""
    found = {"identifier": identifier, "title": "A Book", "mediatype": "texts"} | fields
    return {"hit_type": "item", "fields": found}


def item(files: Sequence[object] = (), **metadata: Any) -> dict[str, Any]:
    """Return a record as the metadata route sends it."""
    described = {"identifier": "a-book", "title": "A Book", "mediatype": "texts"} | metadata
    return {"created": 1, "server": "host.invalid", "files": files, "metadata": described}


@asynccontextmanager
async def asked(*canned: Canned, base_url: str | None = None) -> AsyncIterator[Wire]:
    """Yield an adapter whose archive answers with `canned`, one after the other."""
    sent: list[Sent] = []
    ready = list(canned)

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(Sent(request.url.path, dict(request.url.params)))
        next_one = ready.pop(0)
        return httpx.Response(next_one.status, content=next_one.body)

    with respx.mock(assert_all_called=False) as router:
        router.route().mock(side_effect=answer)
        async with Http(Settings(max_retries=0)) as http:
            yield Wire(InternetArchive(http, base_url=base_url), sent)


async def inside(*canned: Canned, **query: Any) -> ResultPage[Hit]:
    """Search inside texts for "whale", or as `query` says."""
    wanted: dict[str, Any] = {"text": "whale", "limit": 3} | query
    async with asked(*canned) as wire:
        return await wire.archive.search_inside(InsideQuery(**wanted))


async def items(*canned: Canned, **query: Any) -> ResultPage[BriefRecord]:
    """Search the catalogue for "whale", or as `query` says."""
    wanted: dict[str, Any] = {"text": "whale", "limit": 5} | query
    async with asked(*canned) as wire:
        return await wire.archive.search_items(CatalogueQuery(**wanted))
