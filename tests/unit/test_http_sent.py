"""An error says whether a request had gone out: an archive that was not asked said nothing."""

from __future__ import annotations

import anyio
import httpx
import pytest
import respx

from mcp_books._http import Channel, Http, Reply
from mcp_books._ledger import Ledger
from mcp_books.errors import (
    BooksError,
    DeadlineExceeded,
    InvalidInput,
    NetworkFailure,
    RateLimited,
    RecordNotFound,
)
from mcp_books.settings import Settings
from tests.unit.asked import BASE, Played, ask, channel_of
from tests.unit.virtual_time import anyio_backend, clock

__all__ = ["anyio_backend", "clock"]

pytestmark = pytest.mark.anyio

FOUND = httpx.Response(200, json={"found": 1})
FAILED = httpx.Response(500)


async def failure_of(channel: Channel, words: str = "whale") -> BooksError:
    with pytest.raises(BooksError) as raised:
        await ask(channel, words)
    return raised.value


@pytest.mark.parametrize(
    "outcome",
    [InvalidInput("no such word"), RecordNotFound("none"), RateLimited("a page for people")],
    ids=lambda outcome: outcome.code,
)
async def test_what_a_reader_raises_was_sent(
    respx_mock: respx.MockRouter, outcome: BooksError
) -> None:
    Played(respx_mock)

    def read(_: Reply) -> None:
        raise outcome

    async with Http(Settings()) as http:
        with pytest.raises(type(outcome)) as raised:
            await channel_of(http).get("/", [], read)
    assert raised.value.sent


@pytest.mark.parametrize("answer", [FAILED, httpx.Response(429), httpx.ConnectError("no")])
async def test_a_failed_request_was_sent(
    respx_mock: respx.MockRouter, answer: httpx.Response | Exception
) -> None:
    Played(respx_mock, [answer])
    async with Http(Settings(max_retries=0)) as http:
        assert (await failure_of(channel_of(http))).sent


async def test_what_makes_no_address_was_not_sent() -> None:
    async with Http(Settings()) as http:
        with pytest.raises(InvalidInput) as raised:
            await channel_of(http).get("/a\x00b", [], Reply.json)
    assert not raised.value.sent


async def test_what_cannot_be_sent_from_here_was_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "gopher://proxy.test")
    async with Http(Settings()) as http:
        error = await failure_of(channel_of(http))
    assert isinstance(error, NetworkFailure)
    assert not error.sent


async def test_an_archive_left_alone_was_not_asked(respx_mock: respx.MockRouter) -> None:
    Played(respx_mock, [httpx.Response(429, headers={"retry-after": "600"})])
    async with Http(Settings()) as http, Http(Settings()) as other:
        first = await failure_of(channel_of(http))
        second = await failure_of(channel_of(other))
    assert (type(first), first.sent) == (RateLimited, True)
    assert (type(second), second.sent) == (RateLimited, False)


async def test_a_slot_past_the_deadline_was_not_used(respx_mock: respx.MockRouter) -> None:
    Played(respx_mock)
    async with Http(Settings()) as http:
        channel = channel_of(http, min_interval=6.0)
        await ask(channel)
        with anyio.fail_after(5):
            error = await failure_of(channel, "second")
    assert isinstance(error, DeadlineExceeded)
    assert not error.sent


async def test_a_retry_without_a_slot_tells_what_the_first_request_met(
    respx_mock: respx.MockRouter,
) -> None:
    Played(respx_mock, [FAILED])
    async with Http(Settings()) as http:
        with anyio.fail_after(8):
            error = await failure_of(channel_of(http, min_interval=6.0))
    assert isinstance(error, NetworkFailure)
    assert error.sent


async def test_a_retry_that_meets_a_silence_had_been_sent(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, [FAILED])
    errors: list[BooksError] = []
    async with Http(Settings()) as http, anyio.create_task_group() as tasks:

        async def one() -> None:
            errors.append(await failure_of(channel_of(http, min_interval=6.0)))

        tasks.start_soon(one)
        await anyio.sleep(1)
        another_process = Ledger()
        another_process.silence(BASE, 600)
        another_process.close()
    (error,) = errors
    assert isinstance(error, RateLimited)
    assert error.sent
    assert "no request" not in error.message
    assert len(archive.requests) == 1


async def test_a_redirect_without_a_slot_had_been_sent(respx_mock: respx.MockRouter) -> None:
    Played(respx_mock, [httpx.Response(302, headers={"location": "/there"})])
    async with Http(Settings()) as http:
        with anyio.fail_after(5):
            error = await failure_of(channel_of(http, min_interval=6.0))
    assert isinstance(error, DeadlineExceeded)
    assert error.sent
    assert "no request" not in error.message


async def test_closing_tells_what_was_queued_from_what_was_on_its_way(
    respx_mock: respx.MockRouter,
) -> None:
    Played(respx_mock, lasting=30.0)
    errors: dict[str, BooksError] = {}

    async def one(channel: Channel, words: str) -> None:
        errors[words] = await failure_of(channel, words)

    async with anyio.create_task_group() as tasks, Http(Settings()) as http:
        channel = channel_of(http, max_in_flight=1)
        tasks.start_soon(one, channel, "on its way")
        await anyio.sleep(0.5)
        tasks.start_soon(one, channel, "queued")
        await anyio.sleep(5)
    assert errors["on its way"].sent
    assert not errors["queued"].sent
