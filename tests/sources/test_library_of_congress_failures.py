"""Every way a reply can be no answer: told from absence, each with its code and its retries."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import httpx
import pytest

from mcp_books.errors import (
    BooksError,
    InvalidInput,
    NetworkFailure,
    ParseFailure,
    RateLimited,
    RecordNotFound,
    SourceError,
)
from mcp_books.sources.base import CatalogueQuery, InsideQuery
from mcp_books.sources.library_of_congress import LibraryOfCongress

from .library_of_congress_wire import document, html, library, page_row, results, sent

pytestmark = pytest.mark.anyio

UNSPACED = "http://127.0.0.1:9"
PARTIAL = results(page_row()) | {"options": {"is_partial": True}}


def cut(value: object) -> httpx.Response:
    whole = sent(value)
    return httpx.Response(200, content=whole.content[:-20], headers={"content-type": "text/json"})


def ask(source: LibraryOfCongress, question: str) -> Awaitable[object]:
    if question == "inside":
        return source.search_inside(InsideQuery(text="whale", limit=3))
    if question == "items":
        return source.search_items(CatalogueQuery(text="whale", limit=3))
    return source.get_item("98688726")


async def failure(reply: httpx.Response, question: str) -> BooksError:
    async with library(reply) as asked:
        with pytest.raises(BooksError) as raised:
            await ask(asked.source, question)
    return raised.value


EVERYWHERE: list[tuple[str, httpx.Response, type[BooksError], int]] = [
    ("a CAPTCHA with status 200", html("Please solve the CAPTCHA", 200), RateLimited, 0),
    ("a CAPTCHA with status 403", html("captcha", 403), RateLimited, 0),
    ("a CAPTCHA with status 404", html("Captcha", 404), RateLimited, 0),
    ("a bot wall", html("Attention", 403, cf_mitigated="challenge"), NetworkFailure, 0),
    ("a bot wall by its title", html("Just a moment...", 403), NetworkFailure, 0),
    (
        "a bot wall that names CAPTCHAs",
        html("captcha-bypass", 403, cf_mitigated="challenge"),
        NetworkFailure,
        0,
    ),
    ("another 403", html("Forbidden", 403), NetworkFailure, 0),
    ("a 500", html("Oops", 500), NetworkFailure, 2),
    ("a 502", sent({}, 502), NetworkFailure, 2),
    ("a 525", html("SSL handshake failed", 525), NetworkFailure, 2),
    ("HTML with 200", html("Books", 200), ParseFailure, 0),
    ("HTML said to be JSON", sent("x", content_type="text/html"), ParseFailure, 0),
    ("cut JSON", cut(results(page_row())), ParseFailure, 2),
    ("an empty body", httpx.Response(200, content=b""), ParseFailure, 2),
    ("a 503 of its own", sent({"status": 503}), NetworkFailure, 2),
    ("a list", sent([]), ParseFailure, 0),
    ("another shape", sent({"response": {"docs": []}}), ParseFailure, 0),
    ("a 500 under 200", sent({"status": 500}), NetworkFailure, 2),
    ("a 403 under 200", sent({"status": 403}), NetworkFailure, 2),
    ("a 429 under 200", sent({"status": 429}), RateLimited, 0),
    ("a 429", html("Too many", 429), RateLimited, 0),
]

OF_A_SEARCH: list[tuple[str, httpx.Response, type[BooksError], int]] = [
    ("zero, not to be kept", sent(results(), cache_control="no-cache"), NetworkFailure, 2),
    ("zero, of no age", sent(results(), cache_control="max-age=0"), NetworkFailure, 2),
    ("zero, private", sent(results(), cache_control="private, no-store"), NetworkFailure, 2),
    ("rows of a search that ran out of time", sent(PARTIAL), NetworkFailure, 1),
    ("an HTML 404", html("Not found", 404), NetworkFailure, 0),
    ("a 404 of somebody else", sent({"error": "no route"}, 404), NetworkFailure, 0),
    ("a 404 in plain text", httpx.Response(404, content=b"404"), NetworkFailure, 0),
    ("results without a list", sent(results() | {"results": {}}), ParseFailure, 0),
    ("results without pagination", sent({"results": []}), ParseFailure, 0),
    ("rows counted and not sent", sent(results(of=12)), ParseFailure, 1),
    ("neither rows nor a count", sent(results(of=None) | {"pagination": {}}), ParseFailure, 1),
]

REFUSED = [
    ("a 400", html("Bad request", 400)),
    ("a 422", sent({"status": 422}, 422)),
    ("a 400 under 200", sent({"status": 400})),
]


@pytest.mark.parametrize("question", ["inside", "items", "record"])
@pytest.mark.parametrize(
    ("reply", "error", "retries"),
    [case[1:] for case in EVERYWHERE],
    ids=[case[0] for case in EVERYWHERE],
)
async def test_a_reply_that_is_no_answer_is_a_failure(
    question: str, reply: httpx.Response, error: type[BooksError], retries: int
) -> None:
    raised = await failure(reply, question)
    assert type(raised) is error
    assert isinstance(raised, SourceError)
    assert (raised.retries, raised.source) == (retries, "loc")


@pytest.mark.parametrize("question", ["inside", "items"])
@pytest.mark.parametrize(
    ("reply", "error", "retries"),
    [case[1:] for case in OF_A_SEARCH],
    ids=[case[0] for case in OF_A_SEARCH],
)
async def test_a_search_that_failed_is_never_nothing_found(
    question: str, reply: httpx.Response, error: type[BooksError], retries: int
) -> None:
    raised = await failure(reply, question)
    assert type(raised) is error
    assert isinstance(raised, SourceError)
    assert raised.retries == retries


@pytest.mark.parametrize("question", ["inside", "items", "record"])
@pytest.mark.parametrize("reply", [case[1] for case in REFUSED], ids=[case[0] for case in REFUSED])
async def test_a_refused_query_has_to_be_changed(question: str, reply: httpx.Response) -> None:
    raised = await failure(reply, question)
    assert type(raised) is InvalidInput
    assert raised.hint


@pytest.mark.parametrize(
    "reply",
    [
        html("Not found", 404),
        sent({"status": 404}, 404),
        html("Gone", 410),
        sent({"status": 404}),
        sent({"item": {}, "resources": []}),
        sent({"item": []}),
    ],
)
async def test_a_record_the_library_does_not_hold_is_not_found(reply: httpx.Response) -> None:
    assert type(await failure(reply, "record")) is RecordNotFound


@pytest.mark.parametrize("answer", [{"item": None}, {"resources": []}, {"item": "a record"}])
async def test_a_document_without_a_record_is_a_failure_to_read(answer: dict[str, Any]) -> None:
    assert type(await failure(sent(answer), "record")) is ParseFailure


async def test_after_a_captcha_nothing_is_asked_for_ten_minutes() -> None:
    async with library(html("captcha", 200)) as asked:
        for _ in range(2):
            with pytest.raises(RateLimited) as raised:
                await asked.source.get_item("98688726")
            assert raised.value.retry_after == pytest.approx(600, abs=5)
        assert asked.router.calls.call_count == 1


async def test_a_cloudflare_ray_on_a_good_answer_means_nothing() -> None:
    async with library(sent(document(), cf_ray="a37f1b9c8ec2b8a4-ARN")) as asked:
        assert (await asked.source.get_item("51006716")).title == "Curious bibliographies."


async def test_the_word_captcha_in_an_answer_is_no_wall() -> None:
    async with library(sent(document({"summary": "The CAPTCHA, a history"}))) as asked:
        assert (await asked.source.get_item("51006716")).description == "The CAPTCHA, a history"


@pytest.mark.parametrize("question", ["inside", "items", "record"])
@pytest.mark.parametrize("there", ["/search", "/search/?q=whale&fo=json", "/search?fa=x"])
async def test_a_redirect_to_the_site_wide_search_is_not_followed(
    question: str, there: str
) -> None:
    moved = httpx.Response(302, headers={"location": UNSPACED + there})
    async with library(moved, base_url=UNSPACED) as asked:
        with pytest.raises(NetworkFailure):
            await ask(asked.source, question)
        assert asked.router.calls.call_count == 1


async def test_a_redirect_to_another_route_of_the_library_is_followed() -> None:
    def reply(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/books/":
            return httpx.Response(302, headers={"location": "/books/all/?fo=json"})
        return sent(results())

    async with library(reply, base_url=UNSPACED) as asked:
        await ask(asked.source, "items")
        assert asked.path == "/books/all/"
