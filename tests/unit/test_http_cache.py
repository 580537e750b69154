from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import anyio
import httpx
import pytest
import respx

from mcp_books import _channel
from mcp_books._cache import MOST_KEPT, Answers, Flight
from mcp_books._http import Channel, Http, Reply
from mcp_books.errors import BooksError, NetworkFailure
from mcp_books.settings import Settings
from tests.unit.asked import Played, ask, channel_of, read_json
from tests.unit.virtual_time import anyio_backend, clock

__all__ = ["anyio_backend", "clock"]

pytestmark = pytest.mark.anyio

FAILED = httpx.Response(404)


def first(reply: Reply) -> Any:
    return reply.json()


def second(reply: Reply) -> Any:
    return [reply.json()]


async def test_the_same_question_is_answered_from_the_cache(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock)
    async with Http(Settings()) as http:
        channel = channel_of(http)
        fetched = [await channel.get("/a", [("q", "1")], read_json) for _ in range(2)]
    assert [one.cached for one in fetched] == [False, True]
    assert fetched[0].value == fetched[1].value == {"found": 1}
    assert len(archive.requests) == 1


async def test_a_kept_answer_keeps_the_date_it_was_first_retrieved(
    respx_mock: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    Played(respx_mock)
    days = iter((1, 2, 3, 4, 5, 6))

    class Calendar(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Calendar:
            assert tz is UTC
            return cls(2026, 11, next(days), tzinfo=tz)

    monkeypatch.setattr(_channel, "datetime", Calendar)
    async with Http(Settings(cache_ttl=100)) as http:
        channel = channel_of(http)
        dates = []
        for pause in (0, 50, 51):
            await anyio.sleep(pause)
            dates.append((await channel.get("/a", [], read_json)).retrieved)
    assert dates == [date(2026, 11, 1), date(2026, 11, 1), date(2026, 11, 2)]


async def test_questions_that_differ_in_anything_are_kept_apart(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock)
    async with Http(Settings()) as http:
        one, other = channel_of(http), channel_of(http, base_url="https://other.test")
        questions = [
            (one, "/a", [("q", "1")], first, None),
            (one, "/a", [("q", "2")], first, None),
            (one, "/b", [("q", "1")], first, None),
            (one, "/a", [("q", "1")], second, None),
            (one, "/a", [("q", "1")], first, "short"),
            (other, "/a", [("q", "1")], first, None),
        ]
        for channel, path, params, read, variant in questions * 2:
            await channel.get(path, params, read, variant=variant)
        assert len(archive.requests) == 6
        for form in ([("query", "1")], [("query", "2")], [("query", "1")]):
            await one.post_form("/a", form, first)
    assert len(archive.requests) == 8


async def test_no_time_to_live_turns_the_cache_off(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock)
    async with Http(Settings(cache_ttl=0)) as http:
        channel = channel_of(http)
        await ask(channel)
        await ask(channel)
    assert len(archive.requests) == 2


async def test_the_cache_holds_no_more_than_its_size(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock)
    async with Http(Settings(cache_max_entries=1)) as http:
        channel = channel_of(http)
        for words in ("one", "two", "one"):
            await ask(channel, words)
    assert len(archive.requests) == 3


def filler(size: int) -> httpx.Response:
    return httpx.Response(200, json="x" * (size - 2))


def length(reply: Reply) -> int:
    return len(reply.body)


@pytest.mark.parametrize(
    ("size", "asked", "kept"),
    [
        (MOST_KEPT // 8, 8, 8),
        (MOST_KEPT // 8, 9, 0),
        (MOST_KEPT // 8 + 1000, 8, 0),
        (100, 12, 12),
    ],
)
async def test_the_bodies_behind_the_kept_answers_are_bounded_in_bytes(
    respx_mock: respx.MockRouter, size: int, asked: int, kept: int
) -> None:
    archive = Played(respx_mock, [filler(size)])
    async with Http(Settings()) as http:
        channel = channel_of(http, min_interval=0.0)
        for _ in range(2):
            for number in range(asked):
                await channel.get("/", [("n", str(number))], length)
    assert len(archive.requests) == 2 * asked - kept


async def test_an_answer_larger_than_all_that_is_kept_is_given_and_not_kept() -> None:
    answers: Answers[str] = Answers(max_entries=10, ttl=60)

    async def fetch(flight: Flight[str]) -> str:
        flight.size = MOST_KEPT * 2
        return "large"

    async with anyio.create_task_group() as tasks:
        for _ in range(2):
            assert await answers.get(tasks, "key", fetch) == ("large", False)


async def test_a_failure_is_never_kept(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, [FAILED, httpx.Response(200, json=[1])])
    async with Http(Settings()) as http:
        channel = channel_of(http)
        with pytest.raises(NetworkFailure):
            await ask(channel)
        assert await ask(channel) == [1]
    assert len(archive.requests) == 2


async def test_the_same_question_twice_at_once_goes_out_once(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, lasting=5.0)
    answers: list[Any] = []

    async def one(channel: Channel) -> None:
        answers.append(await channel.get("/a", [], read_json))

    async with Http(Settings(cache_ttl=0)) as http, anyio.create_task_group() as tasks:
        channel = channel_of(http)
        for _ in range(3):
            tasks.start_soon(one, channel)
    assert [(answer.value, answer.cached) for answer in answers] == [({"found": 1}, False)] * 3
    assert len(archive.requests) == 1


async def test_a_caller_who_leaves_takes_nobody_else_along(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, lasting=5.0)
    answers: list[Any] = []

    async def follow(channel: Channel) -> None:
        await anyio.sleep(1)
        answers.append(await ask(channel))

    async with Http(Settings()) as http, anyio.create_task_group() as tasks:
        channel = channel_of(http)
        tasks.start_soon(follow, channel)
        with anyio.move_on_after(2) as leader:
            await ask(channel)
        assert leader.cancelled_caught
    assert answers == [{"found": 1}]
    assert (len(archive.requests), archive.cancelled) == (1, 0)


async def test_when_the_last_caller_has_left_the_request_stops(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, lasting=50.0)
    async with Http(Settings()) as http:
        channel = channel_of(http)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, channel)
            tasks.start_soon(ask, channel)
            await anyio.sleep(1)
            tasks.cancel_scope.cancel()
        await anyio.sleep(0.1)
        assert archive.cancelled == 1
        archive.lasting = 0.0
        assert await ask(channel) == {"found": 1}
    assert len(archive.requests) == 2


async def test_a_flight_lasts_until_the_latest_deadline_of_those_who_wait(
    respx_mock: respx.MockRouter,
) -> None:
    Played(respx_mock, lasting=10.0)
    answers: list[Any] = []

    async def patient(channel: Channel) -> None:
        with anyio.fail_after(20):
            answers.append(await ask(channel))

    async with Http(Settings()) as http, anyio.create_task_group() as tasks:
        channel = channel_of(http)
        with anyio.move_on_after(3):
            tasks.start_soon(patient, channel)
            await ask(channel)
    assert answers == [{"found": 1}]


async def test_a_failure_reaches_every_caller_as_an_error_of_its_own(
    respx_mock: respx.MockRouter,
) -> None:
    Played(respx_mock, [FAILED], lasting=5.0)
    errors: list[BooksError] = []

    async def one(channel: Channel) -> None:
        try:
            await ask(channel)
        except BooksError as error:
            errors.append(error)

    async with Http(Settings()) as http, anyio.create_task_group() as tasks:
        channel = channel_of(http)
        for _ in range(3):
            tasks.start_soon(one, channel)
    assert len({id(error) for error in errors}) == 3
    assert {(error.code, error.source, error.message) for error in errors} == {
        ("network_error", "archive", errors[0].message)
    }


async def test_a_fault_in_the_code_that_reads_reaches_the_caller_as_it_is(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock)

    def faulty(reply: Reply) -> Any:
        return reply.json()["no such field"]

    async with Http(Settings()) as http:
        with pytest.raises(KeyError):
            await channel_of(http).get("/", [], faulty)
    assert len(archive.requests) == 1


async def test_closing_ends_what_is_under_way_and_may_be_done_twice(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, lasting=30.0)
    errors: list[BooksError] = []

    async def one(channel: Channel) -> None:
        try:
            await ask(channel)
        except BooksError as error:
            errors.append(error)

    async with anyio.create_task_group() as tasks:
        async with Http(Settings()) as http:
            tasks.start_soon(one, channel_of(http))
            await anyio.sleep(1)
        assert archive.cancelled == 1
        await http.__aexit__(None, None, None)
    assert [error.code for error in errors] == ["network_error"]
    assert anyio.current_time() < 2


async def test_a_fault_inside_the_context_leaves_it_unwrapped(
    respx_mock: respx.MockRouter,
) -> None:
    Played(respx_mock, lasting=30.0)

    async def fail_inside() -> None:
        async with Http(Settings()) as http:
            with anyio.move_on_after(1):
                await ask(channel_of(http))
            raise KeyError("mine")

    with pytest.raises(KeyError):
        await fail_inside()
