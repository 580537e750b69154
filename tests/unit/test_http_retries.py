from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anyio
import httpx
import pytest
import respx

from mcp_books._http import Http, Reply
from mcp_books._ledger import LONGEST_SILENCE
from mcp_books.errors import (
    BooksError,
    DeadlineExceeded,
    InvalidInput,
    NetworkFailure,
    ParseFailure,
    RateLimited,
    RecordNotFound,
    SourceError,
)
from mcp_books.settings import Settings
from tests.unit.asked import Played, ask, channel_of
from tests.unit.virtual_time import anyio_backend, clock

__all__ = ["anyio_backend", "clock"]

pytestmark = pytest.mark.anyio

FOUND = httpx.Response(200, json={"found": 1})
FAILED = httpx.Response(500)


def push_back(retry_after: str | None = None, status: int = 429) -> httpx.Response:
    return httpx.Response(status, headers={"retry-after": retry_after} if retry_after else {})


async def failure_of(
    archive: Played, *, settings: Settings | None = None, **changes: object
) -> tuple[SourceError, list[float]]:
    """Return what asking `archive` once raises, and when its requests started."""
    async with Http(settings or Settings()) as http:
        with pytest.raises(SourceError) as raised:
            await ask(channel_of(http, **changes))
    return raised.value, archive.starts


async def test_retries_pay_the_spacing_and_pause_ever_longer(respx_mock: respx.MockRouter) -> None:
    error, starts = await failure_of(Played(respx_mock, [FAILED]))
    assert isinstance(error, NetworkFailure)
    assert starts == pytest.approx([0, 1, 2, 4], abs=0.01)


async def test_a_failure_that_passes_is_not_seen(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, [FAILED, httpx.ReadError("gone"), FOUND])
    async with Http(Settings()) as http:
        assert await ask(channel_of(http)) == {"found": 1}
    assert len(archive.starts) == 3


async def test_the_settings_bound_the_retries(respx_mock: respx.MockRouter) -> None:
    _, starts = await failure_of(Played(respx_mock, [FAILED]), settings=Settings(max_retries=0))
    assert len(starts) == 1


async def test_retries_of_a_stand_in_take_no_time(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, [FAILED, push_back(), FOUND])
    async with Http(Settings()) as http:
        assert await ask(channel_of(http, base_url="http://127.0.0.1:9")) == {"found": 1}
    assert archive.starts == [0, 0, 0]


@pytest.mark.parametrize(
    "outcome",
    [
        InvalidInput("no such word"),
        RecordNotFound("none"),
        NetworkFailure("a bot wall"),
        ParseFailure("HTML"),
    ],
    ids=lambda outcome: outcome.code,
)
@pytest.mark.proves("9.3")
async def test_what_cannot_change_is_asked_once(
    respx_mock: respx.MockRouter, outcome: BooksError
) -> None:
    archive = Played(respx_mock)

    def read(_: Reply) -> None:
        raise outcome

    async with Http(Settings(max_retries=8)) as http:
        with pytest.raises(type(outcome)):
            await channel_of(http).get("/", [], read)
    assert len(archive.starts) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 406, 410, 422])
@pytest.mark.proves("9.3")
async def test_a_refusal_is_asked_once(respx_mock: respx.MockRouter, status: int) -> None:
    error, starts = await failure_of(Played(respx_mock, [httpx.Response(status)]))
    assert isinstance(error, NetworkFailure)
    assert len(starts) == 1


async def test_a_reader_may_have_its_failure_asked_again(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, [httpx.Response(200, content=b'{"cut')])

    def read(reply: Reply) -> object:
        return reply.json(retries=1)

    async with Http(Settings()) as http:
        with pytest.raises(ParseFailure):
            await channel_of(http).get("/", [], read)
    assert len(archive.starts) == 2


@pytest.mark.proves("9.3")
async def test_a_time_out_is_asked_again_once(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, lasting=1000.0)
    error, starts = await failure_of(archive, settings=Settings(request_timeout=20, max_retries=8))
    assert isinstance(error, DeadlineExceeded)
    assert starts == pytest.approx([0, 20.5], abs=0.01)
    assert archive.cancelled == 2


async def test_push_back_doubles_the_spacing_and_three_good_answers_halve_it(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, [push_back(), FOUND])
    async with Http(Settings()) as http:
        channel = channel_of(http)
        for number in range(5):
            await ask(channel, f"whale {number}")
    assert archive.starts == [0, 2, 4, 6, 8, 9]


async def test_push_back_that_goes_on_widens_again(respx_mock: respx.MockRouter) -> None:
    error, starts = await failure_of(Played(respx_mock, [push_back(status=503)]))
    assert isinstance(error, RateLimited)
    assert starts == [0, 2, 6, 14]


async def test_a_short_retry_after_is_waited_for_by_everybody(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, [push_back("25"), FOUND])
    async with (
        Http(Settings()) as http,
        Http(Settings()) as other,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(ask, channel_of(http))
        await anyio.sleep(3)
        tasks.start_soon(ask, channel_of(other))
    assert archive.starts == [0, 25, 27]


@pytest.mark.parametrize("form", ["seconds", "date"])
@pytest.mark.proves("9.2")
async def test_a_long_retry_after_is_reported_at_once_and_kept_by_every_client(
    respx_mock: respx.MockRouter, form: str
) -> None:
    later = datetime.now(UTC) + timedelta(seconds=90)
    archive = Played(
        respx_mock, [push_back("90" if form == "seconds" else format_datetime(later)), FOUND]
    )
    async with Http(Settings()) as http, Http(Settings()) as other:
        for channel in (channel_of(http), channel_of(http), channel_of(other)):
            with pytest.raises(RateLimited) as raised:
                await ask(channel)
            assert raised.value.retry_after == pytest.approx(90, abs=3)
            assert raised.value.source == "archive"
            assert raised.value.hint
            assert await channel.next_slot() == pytest.approx(90, abs=3)
        assert len(archive.starts) == 1
        assert anyio.current_time() < 1
        await anyio.sleep(91)
        assert await ask(channel_of(other)) == {"found": 1}


async def test_a_retry_after_of_half_a_minute_is_the_longest_waited_for(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, [push_back("30"), push_back("31"), FOUND])
    async with Http(Settings()) as http:
        with pytest.raises(RateLimited):
            await ask(channel_of(http))
    assert archive.starts == [0, 30]


@pytest.mark.parametrize(("sent", "silent"), [(None, 600), ("20", 20), ("3600", 3600)])
@pytest.mark.proves("9.2")
async def test_an_archive_that_falls_silent_after_a_refusal_is_left_alone(
    respx_mock: respx.MockRouter, sent: str | None, silent: float
) -> None:
    archive = Played(respx_mock, [push_back(sent), FOUND])
    async with Http(Settings()) as http, Http(Settings()) as other:
        for channel in (
            channel_of(http, silence_after_refusal=600.0),
            channel_of(other, silence_after_refusal=600.0),
        ):
            with pytest.raises(RateLimited) as raised:
                await ask(channel)
            assert raised.value.retry_after == pytest.approx(silent, abs=1)
        await anyio.sleep(silent - 1)
        with pytest.raises(RateLimited):
            await ask(channel)
        assert len(archive.starts) == 1
        await anyio.sleep(1)
        await ask(channel)


async def test_an_overload_of_such_an_archive_is_still_asked_again(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, [push_back(status=503), FOUND])
    async with Http(Settings()) as http:
        assert await ask(channel_of(http, silence_after_refusal=600.0)) == {"found": 1}
    assert archive.starts == [0, 2]


@pytest.mark.parametrize("seconds", [600.0, 20.0])
async def test_a_reader_that_sees_a_refusal_silences_the_archive(
    respx_mock: respx.MockRouter, seconds: float
) -> None:
    archive = Played(respx_mock)

    def read(_: Reply) -> None:
        raise RateLimited("a page that asks for a human", retry_after=seconds)

    async with Http(Settings()) as http:
        channel = channel_of(http)
        for _ in range(2):
            with pytest.raises(RateLimited):
                await channel.get("/", [], read)
        assert await channel.next_slot() == pytest.approx(seconds, abs=0.1)
    assert len(archive.starts) == 1


async def test_no_archive_is_silent_for_longer_than_a_day(respx_mock: respx.MockRouter) -> None:
    Played(respx_mock, [push_back("99999999"), FOUND])
    async with Http(Settings()) as http:
        with pytest.raises(RateLimited):
            await ask(channel_of(http))
        assert await channel_of(http).next_slot() == pytest.approx(86400, abs=1)
        await anyio.sleep(LONGEST_SILENCE + 1)
        assert await ask(channel_of(http)) == {"found": 1}


@pytest.mark.proves("6.9")
async def test_a_slot_past_the_deadline_is_a_time_out_at_once(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock)
    async with Http(Settings()) as http:
        channel = channel_of(http, min_interval=6.0)
        await ask(channel, "first")
        with anyio.fail_after(5.9), pytest.raises(DeadlineExceeded):
            await ask(channel, "second")
        assert anyio.current_time() < 0.1
        assert await channel.next_slot() == pytest.approx(6, abs=0.1)
    assert len(archive.starts) == 1


@pytest.mark.parametrize(("allowed", "requests"), [(5.9, 1), (6.1, 2), (7.1, 3)])
@pytest.mark.proves("6.9")
async def test_a_retry_starts_only_if_its_slot_and_five_seconds_fit(
    respx_mock: respx.MockRouter, allowed: float, requests: int
) -> None:
    archive = Played(respx_mock, [FAILED])
    async with Http(Settings()) as http:
        with anyio.fail_after(allowed), pytest.raises(NetworkFailure):
            await ask(channel_of(http))
    assert len(archive.starts) == requests


@pytest.mark.proves("6.9")
async def test_without_time_for_a_retry_nobody_waits_for_one(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, [FAILED])
    async with Http(Settings()) as http:
        with anyio.fail_after(5.4), pytest.raises(NetworkFailure):
            await ask(channel_of(http))
    assert archive.starts == [0]
    assert anyio.current_time() < 0.1


async def test_push_back_that_leaves_no_time_for_a_retry_is_what_is_reported(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, [push_back("20")])
    async with Http(Settings()) as http:
        with anyio.fail_after(10), pytest.raises(RateLimited):
            await ask(channel_of(http))
    assert archive.starts == [0]
    assert anyio.current_time() < 1


async def test_a_request_under_way_ends_with_the_deadline_of_the_call(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, lasting=30.0)
    async with Http(Settings()) as http:
        with anyio.move_on_after(3):
            with pytest.raises(DeadlineExceeded):
                await ask(channel_of(http))
        assert anyio.current_time() == pytest.approx(3, abs=0.1)
        await anyio.sleep(0.1)
        assert archive.cancelled == 1


async def test_a_refusal_is_kept_even_if_the_caller_has_left(
    respx_mock: respx.MockRouter,
) -> None:
    Played(respx_mock)
    async with Http(Settings()) as http:
        with anyio.CancelScope() as scope:

            def read(_: Reply) -> None:
                scope.cancel()
                raise RateLimited("a page that asks for a human", retry_after=600)

            await channel_of(http).get("/", [], read)
    async with Http(Settings()) as other:
        assert await channel_of(other).next_slot() == pytest.approx(600, abs=1)
