"""The three stand-ins on real sockets, a client to ask them, and one that does not wait long."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from mcp_books.client import BooksClient
from mcp_books.demo.server import Server, stand_ins
from mcp_books.settings import Settings


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(stand_ins()) as running:
        yield running


@pytest.fixture
async def books(server: Server) -> AsyncIterator[BooksClient]:
    """A client that retries nothing."""
    async with BooksClient(server.settings(Settings(max_retries=0, answer_timeout=30))) as client:
        yield client


@pytest.fixture
async def hasty(server: Server) -> AsyncIterator[BooksClient]:
    """A client that retries nothing and gives a request one second."""
    settings = Settings(max_retries=0, answer_timeout=30, request_timeout=1)
    async with BooksClient(server.settings(settings)) as client:
        yield client
