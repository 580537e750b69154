"""Leaving a client or its transport is safe twice, before the first question and in the midst."""

from __future__ import annotations

import anyio
import anyio.to_thread
import pytest

from mcp_books._http import Http
from mcp_books.client import BooksClient
from mcp_books.demo import faults
from mcp_books.demo.server import Server, stand_ins
from mcp_books.reports import Failed
from mcp_books.settings import Settings

pytestmark = pytest.mark.anyio


async def test_a_transport_is_left_twice_without_harm() -> None:
    http = Http(Settings())
    async with http:
        pass
    await http.__aexit__(None, None, None)


async def test_a_client_is_left_twice_without_harm() -> None:
    with Server(stand_ins()) as server:
        books = BooksClient(server.settings(Settings(max_retries=0)))
        async with books:
            await books.search_inside("whale")
        await books.__aexit__(None, None, None)


async def test_a_client_that_asked_nothing_is_left_without_harm() -> None:
    with anyio.fail_after(5):
        async with BooksClient(Settings()) as books:
            assert books.sources


async def test_a_client_is_entered_again_after_it_was_left() -> None:
    with Server(stand_ins()) as server, anyio.fail_after(5):
        books = BooksClient(server.settings(Settings(max_retries=0, cache_ttl=0)))
        for _ in range(2):
            async with books:
                answer = await books.search_inside("whale", sources=["archive"])
            assert answer.hits


async def test_a_call_outside_its_client_is_refused() -> None:
    books = BooksClient(Settings())
    with pytest.raises(RuntimeError):
        await books.search_inside("whale")


async def test_leaving_a_client_ends_the_question_under_way() -> None:
    with Server(stand_ins()) as server, anyio.fail_after(5):
        stall = server.faults.inject("archive", faults.stalled())
        outcomes: list[object] = []

        async def ask(books: BooksClient) -> None:
            answer = await books.search_inside("whale", sources=["archive"], fan_out=False)
            outcomes.extend(answer.per_source)

        settings = server.settings(Settings(max_retries=0))
        async with anyio.create_task_group() as tasks, BooksClient(settings) as books:
            tasks.start_soon(ask, books)
            assert await anyio.to_thread.run_sync(stall.reached.wait, 5)
        (outcome,) = outcomes
        assert isinstance(outcome, Failed)
        assert outcome.error.code == "network_error"
