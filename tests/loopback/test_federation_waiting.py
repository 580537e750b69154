"""Deadlines, cancellation, shared flights, retries and memory on real sockets."""

from __future__ import annotations

import threading
import tracemalloc

import anyio
import anyio.to_thread
import pytest

from mcp_books.client import BooksClient
from mcp_books.demo import faults
from mcp_books.demo.faults import MIB, Fault
from mcp_books.demo.server import Server
from mcp_books.errors import DeadlineExceeded, RateLimited
from mcp_books.reports import Answered, Failed, InsideAnswer
from mcp_books.settings import Settings

pytestmark = pytest.mark.anyio

INSIDE = "whale"


async def until(event: threading.Event) -> None:
    with anyio.fail_after(5):
        assert await anyio.to_thread.run_sync(event.wait, 5)


def outcomes(answer: InsideAnswer) -> dict[str, str]:
    return {
        report.source: report.error.code if isinstance(report, Failed) else report.status
        for report in answer.per_source
    }


@pytest.mark.proves("6.9")
async def test_an_answer_ends_before_its_deadline_with_what_has_arrived(server: Server) -> None:
    server.faults.inject("loc", faults.stalled())
    with anyio.fail_after(5):
        async with BooksClient(server.settings(Settings(answer_timeout=5))) as books:
            answer = await books.search_inside(INSIDE)
    assert outcomes(answer) == {"archive": "answered", "loc": "timeout", "bnf": "absent"}
    assert {hit.source for hit in answer.hits} == {"archive"}
    assert len(server.received("loc")) == 1


async def test_a_request_that_was_given_up_is_taken_off_the_wire(
    server: Server, hasty: BooksClient
) -> None:
    injection = server.faults.inject("archive", faults.stalled())
    with anyio.fail_after(5):
        await hasty.search_inside(INSIDE, sources=["archive"])
    assert injection.reached.is_set()
    await until(server.received("archive")[0].gave_up)


async def test_cancelling_a_call_takes_its_requests_off_the_wire(
    server: Server, books: BooksClient
) -> None:
    stalls = [server.faults.inject(source, faults.stalled()) for source in ("archive", "loc")]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(books.search_inside, INSIDE)
        for stall in stalls:
            await until(stall.reached)
        tasks.cancel_scope.cancel()
    for received in server.received():
        await until(received.gave_up)


async def test_the_client_answers_again_after_a_cancelled_call(
    server: Server, books: BooksClient
) -> None:
    stall = server.faults.inject("archive", faults.stalled(), times=1)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(books.search_inside, INSIDE)
        await until(stall.reached)
        tasks.cancel_scope.cancel()
    with anyio.fail_after(5):
        answer = await books.search_inside(INSIDE)
    assert outcomes(answer) == {"archive": "answered", "loc": "answered", "bnf": "absent"}


async def test_the_same_question_twice_at_once_is_sent_once(
    server: Server, books: BooksClient
) -> None:
    server.faults.inject("archive", faults.slow(0.2))
    answers: list[InsideAnswer] = []

    async def ask() -> None:
        answers.append(await books.search_inside(INSIDE, sources=["archive"], fan_out=False))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            tasks.start_soon(ask)
    assert len(server.received("archive")) == 1
    assert answers[0].hits == answers[1].hits != ()


async def test_a_caller_that_leaves_a_shared_question_does_not_take_the_others_answer(
    server: Server, books: BooksClient
) -> None:
    stall = server.faults.inject("archive", faults.stalled())
    answers: list[InsideAnswer] = []
    leaving = anyio.CancelScope()

    async def leave() -> None:
        with leaving:
            await books.search_inside(INSIDE, sources=["archive"], fan_out=False)

    async def stay() -> None:
        answers.append(await books.search_inside(INSIDE, sources=["archive"], fan_out=False))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(leave)
            tasks.start_soon(stay)
            await until(stall.reached)
            leaving.cancel()
            stall.released.set()
    assert len(server.received("archive")) == 1
    assert outcomes(answers[0])["archive"] == "answered"


async def test_an_answer_is_kept_and_a_failure_is_not(server: Server, books: BooksClient) -> None:
    server.faults.inject("archive", faults.html(), times=1)
    with anyio.fail_after(5):
        answers = [await books.search_inside(INSIDE, fan_out=False) for _ in range(3)]
    assert [outcomes(answer)["archive"] for answer in answers] == [
        "parse_failure",
        "answered",
        "answered",
    ]
    kept = answers[2].per_source[0]
    assert isinstance(kept, Answered)
    assert kept.cached
    assert len(server.received("archive")) == 2
    assert len(server.received("loc")) == 1


@pytest.mark.proves("9.2")
async def test_a_silence_asked_for_is_kept_by_the_next_client_of_the_machine(
    server: Server,
) -> None:
    server.faults.inject("loc", faults.pushing_back(retry_after=3600), times=1)
    for _ in range(2):
        with anyio.fail_after(5):
            async with BooksClient(server.settings(Settings(max_retries=0))) as books:
                answer = await books.search_inside(INSIDE)
        assert outcomes(answer)["loc"] == "rate_limited"
        assert outcomes(answer)["archive"] == "answered"
    assert len(server.received("loc")) == 1


@pytest.mark.proves("9.2")
async def test_a_short_wait_asked_for_is_obeyed_and_the_answer_comes(server: Server) -> None:
    server.faults.inject("archive", faults.pushing_back(503, retry_after=0), times=2)
    with anyio.fail_after(30):
        async with BooksClient(server.settings(Settings(answer_timeout=20))) as books:
            answer = await books.search_inside(INSIDE, sources=["archive"], fan_out=False)
    assert outcomes(answer)["archive"] == "answered"
    assert len(server.received("archive")) == 3


@pytest.mark.proves("9.3")
@pytest.mark.parametrize(
    ("fault", "requests"),
    [
        (faults.failing(), 3),
        (faults.dropped(), 3),
        (faults.html(403), 1),
        (faults.stalled(), 2),
    ],
    ids=["a failure of its own", "a dropped connection", "a refusal", "a stall"],
)
async def test_only_what_may_pass_is_asked_again(
    server: Server, fault: Fault, requests: int
) -> None:
    server.faults.inject("archive", fault)
    settings = Settings(request_timeout=1, max_retries=2, answer_timeout=20)
    with anyio.fail_after(30):
        async with BooksClient(server.settings(settings)) as books:
            answer = await books.search_inside(INSIDE, sources=["archive"], fan_out=False)
    assert isinstance(answer.per_source[0], Failed)
    assert len(server.received("archive")) == requests


@pytest.mark.parametrize(
    "fault",
    [faults.flooding(), faults.flooding(announced=False), faults.inflating()],
    ids=["announced", "in chunks", "packed"],
)
async def test_80_megabytes_are_never_held(
    server: Server, books: BooksClient, fault: Fault
) -> None:
    server.faults.inject("archive", fault)
    await books.search_inside("warm up", sources=["loc"])
    tracemalloc.start()
    try:
        with anyio.fail_after(20):
            answer = await books.search_inside(INSIDE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert outcomes(answer) == {"archive": "parse_failure", "loc": "answered", "bnf": "absent"}
    assert peak < 48 * MIB


async def test_a_record_read_in_trouble_raises_its_code(server: Server, hasty: BooksClient) -> None:
    server.faults.inject("archive", faults.stalled(), times=1)
    with anyio.fail_after(5), pytest.raises(DeadlineExceeded) as late:
        await hasty.get_item("archive:whale-voyage-demo")
    assert late.value.source == "archive"
    server.faults.inject("archive", faults.pushing_back(retry_after=60), times=1)
    with anyio.fail_after(5), pytest.raises(RateLimited) as refused:
        await hasty.get_item("archive:whale-voyage-demo")
    assert refused.value.source == "archive"
    assert refused.value.retry_after == 60
