"""A server over archives in memory, asked in both eras of the protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal

import pytest
from mcp import Client

from mcp_books import BooksClient, Settings
from mcp_books.models import BriefRecord, Hit
from mcp_books.server import build_server
from mcp_books.sources.base import CatalogueQuery, InsideQuery, ResultPage, Source
from tests.fakes import FakeArchive, hit, items_of, page_of, record, row

Mode = Literal["auto", "legacy"]
Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture(params=["auto", "legacy"])
def connect(request: pytest.FixtureRequest) -> Connect:
    """Return what connects a host to a server over the given archives."""
    mode: Mode = request.param

    @asynccontextmanager
    async def connected(*sources: Source) -> AsyncIterator[Client]:
        settings = Settings()
        server = build_server(settings, BooksClient(settings, sources=sources))
        async with Client(server, mode=mode) as host:
            yield host

    return connected


async def nothing_happens() -> None:
    return None


def library(name: str, meanwhile: Callable[[], Awaitable[None]] = nothing_happens) -> FakeArchive:
    """Return an archive that holds one book; `meanwhile` happens while it is searched."""
    book = f"{name}1"

    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        await meanwhile()
        return page_of([hit(name, book, page_number=None, found_by=query.text)])

    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        await meanwhile()
        return items_of([row(name, book, found_by=query.text)])

    held = record(name, book, description="A voyage.", subjects=("Whaling",))
    return FakeArchive(name, inside=inside, items=items, records={book: held})
