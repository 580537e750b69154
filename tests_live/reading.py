"""Reading replies off the wire by the names the archives use, without the adapters' forgiveness."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mcp_books._http import Reply

from .asking import Archive, anything

__all__ = [
    "Found",
    "as_json",
    "ascending",
    "facts_of_reply",
    "found",
    "kind",
    "library_rows",
    "look",
    "simple",
]

SEARCH = "/services/search/beta/page_production/"


class Found(NamedTuple):
    """One page of the Internet Archive's search: its own count, its rows, the whole document."""

    total: Any
    rows: Sequence[Mapping[str, Any]]
    document: Mapping[str, Any]

    @property
    def fields(self) -> list[Mapping[str, Any]]:
        return [row["fields"] for row in self.rows]


async def look(
    archive: Archive, backend: str, words: str, *more: tuple[str, str], size: int = 10
) -> Reply:
    """Ask the Internet Archive's search route as the adapter does, and return the reply."""
    sent = [
        ("service_backend", backend),
        ("user_query", words),
        ("hits_per_page", str(size)),
        *([] if any(name == "page" for name, _ in more) else [("page", "1")]),
        ("aggregations", "false"),
        *more,
    ]
    reply: Reply = await archive.wire(SEARCH, sent)
    return reply


async def found(
    archive: Archive, backend: str, words: str, *more: tuple[str, str], size: int = 10
) -> Found:
    """As `look`, read as a page of results; it has to be one."""
    reply = await look(archive, backend, words, *more, size=size)
    assert reply.status == 200, f"HTTP {reply.status}"
    document = reply.json()
    hits = document["response"]["body"]["hits"]
    return Found(hits["total"], hits["hits"], document)


async def library_rows(
    archive: Archive, path: str, *params: tuple[str, str]
) -> tuple[Reply, Mapping[str, Any]]:
    """Ask a search of the Library of Congress; return the reply and its document, {} if none."""
    sent = [*params, ("at", "results,pagination,options"), ("fo", "json")]
    reply: Reply = await archive.wire(path, sent)
    return reply, as_json(reply)


async def facts_of_reply(archive: Archive, path: str, *params: tuple[str, str]) -> dict[str, Any]:
    """Ask any address of the archive; return what a report holds of the reply."""
    reply: Reply = await archive.wire(path, params, anything)
    return {"status": reply.status, "content_type": kind(reply), "bytes": len(reply.body)}


def kind(reply: Reply) -> str:
    """Return the content type, without its parameters."""
    return reply.headers.get("content-type", "").partition(";")[0]


def as_json(reply: Reply) -> Mapping[str, Any]:
    """Return the body if it is a JSON object, else {}."""
    if not reply.body.lstrip().startswith(b"{"):
        return {}
    document: Mapping[str, Any] = reply.json()
    return document


def simple(text: str) -> str:
    """Return the letters of `text` in lower case, without accents, one space between words."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", letters))


def ascending(values: Iterable[str]) -> bool:
    """Tell whether `values` never go down."""
    listed = list(values)
    return listed == sorted(listed)
