"""One archive misbehaves on a real socket: its report says so, and the others' rows arrive."""

from __future__ import annotations

from collections.abc import Mapping

import anyio
import pytest

from mcp_books.client import BooksClient
from mcp_books.demo import faults
from mcp_books.demo.faults import Fault
from mcp_books.demo.server import Server
from mcp_books.errors import ErrorCode
from mcp_books.reports import Answered, Failed, InsideAnswer, ItemsAnswer, SourceReport

pytestmark = pytest.mark.anyio

INSIDE = "whale"
CATALOGUE = "moby dick"
HOLD_TEXT = ("archive", "loc")
HAVE_A_CATALOGUE = ("archive", "loc", "bnf")

IDENTIFYING: Mapping[str, tuple[str, ...]] = {
    "archive": ("identifier",),
    "loc": ("id", "url"),
    "bnf": ("work",),
}
"""The keys a row of each archive is known by."""

FAULTS: Mapping[str, tuple[Fault, ErrorCode]] = {
    "pushes back": (faults.pushing_back(), "rate_limited"),
    "pushes back for an hour": (faults.pushing_back(retry_after=3600), "rate_limited"),
    "pushes back until a date": (
        faults.pushing_back(503, retry_after=3600, as_date=True),
        "rate_limited",
    ),
    "drops the connection": (faults.dropped(), "network_error"),
    "drops it in the body": (faults.cut_off(), "network_error"),
    "answers HTML": (faults.html(), "parse_failure"),
    "refuses in HTML": (faults.html(403), "network_error"),
    "truncates the body": (faults.truncated(), "parse_failure"),
    "empties the body": (faults.empty(), "parse_failure"),
    "sends 80 MB": (faults.flooding(), "parse_failure"),
    "sends 80 MB unannounced": (faults.flooding(announced=False), "parse_failure"),
    "sends 80 MB packed": (faults.inflating(), "parse_failure"),
    "redirects elsewhere": (faults.moved("http://127.0.0.2:9/elsewhere"), "network_error"),
    "redirects in circles": (faults.moved("/circle"), "network_error"),
    "fails": (faults.failing(), "network_error"),
}

OF_ONE_ARCHIVE: Mapping[tuple[str, str], ErrorCode] = {
    ("empties the body", "bnf"): "network_error",  # so its engine abandons a query
}


def report(answer: InsideAnswer | ItemsAnswer, source: str) -> SourceReport:
    return next(each for each in answer.per_source if each.source == source)


def code(answer: InsideAnswer | ItemsAnswer, source: str) -> str:
    failed = report(answer, source)
    assert isinstance(failed, Failed)
    assert failed.queries[0].error == failed.error
    return failed.error.code


def answered(answer: InsideAnswer | ItemsAnswer) -> set[str]:
    return {each.source for each in answer.per_source if isinstance(each, Answered)}


@pytest.mark.proves("6.5", "9.1")
@pytest.mark.parametrize("failing", HOLD_TEXT)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_full_text_that_misbehaves_is_reported_and_the_other_answers(
    server: Server, books: BooksClient, failing: str, fault: str
) -> None:
    misbehave, expected = FAULTS[fault]
    server.faults.inject(failing, misbehave)
    with anyio.fail_after(20):
        answer = await books.search_inside(INSIDE)
    assert code(answer, failing) == expected
    others = set(HOLD_TEXT) - {failing}
    assert answered(answer) == others
    assert {hit.source for hit in answer.hits} == others


@pytest.mark.proves("6.5", "9.1")
@pytest.mark.parametrize("failing", HAVE_A_CATALOGUE)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_catalogue_that_misbehaves_is_reported_and_the_others_answer(
    server: Server, books: BooksClient, failing: str, fault: str
) -> None:
    misbehave, expected = FAULTS[fault]
    server.faults.inject(failing, misbehave)
    with anyio.fail_after(20):
        answer = await books.search_items(CATALOGUE)
    assert code(answer, failing) == OF_ONE_ARCHIVE.get((fault, failing), expected)
    others = set(HAVE_A_CATALOGUE) - {failing}
    assert answered(answer) == others
    assert {row.source for row in answer.items} == others


@pytest.mark.proves("6.5", "9.1")
@pytest.mark.parametrize("stalling", HAVE_A_CATALOGUE)
async def test_an_archive_that_stalls_is_reported_and_the_others_answer(
    server: Server, hasty: BooksClient, stalling: str
) -> None:
    server.faults.inject(stalling, faults.stalled())
    with anyio.fail_after(20):
        items = await hasty.search_items(CATALOGUE)
    assert code(items, stalling) == "timeout"
    others = set(HAVE_A_CATALOGUE) - {stalling}
    assert answered(items) == {row.source for row in items.items} == others


@pytest.mark.proves("6.10")
@pytest.mark.parametrize("failing", HAVE_A_CATALOGUE)
async def test_rows_without_identifiers_are_a_parse_failure_and_the_others_answer(
    server: Server, books: BooksClient, failing: str
) -> None:
    server.faults.inject(failing, faults.without_keys(*IDENTIFYING[failing]))
    with anyio.fail_after(20):
        answer = await books.search_items(CATALOGUE)
    assert code(answer, failing) == "parse_failure"
    assert {row.source for row in answer.items} == set(HAVE_A_CATALOGUE) - {failing}


@pytest.mark.proves("5.5", "6.10")
@pytest.mark.parametrize("drifting", HOLD_TEXT)
async def test_one_row_without_an_identifier_is_counted_beside_the_rows_that_stand(
    server: Server, books: BooksClient, drifting: str
) -> None:
    server.faults.inject(drifting, faults.without_keys(*IDENTIFYING[drifting], objects=1), times=1)
    with anyio.fail_after(20):
        answer = await books.search_inside(INSIDE, fan_out=False)
    drifted = report(answer, drifting)
    assert isinstance(drifted, Answered)
    assert drifted.skipped == 1
    assert {hit.source for hit in answer.hits} == set(HOLD_TEXT)


@pytest.mark.proves("6.12")
async def test_all_archives_failing_is_an_answer_that_establishes_nothing(
    server: Server, books: BooksClient
) -> None:
    for source in HAVE_A_CATALOGUE:
        server.faults.inject(source, faults.html())
    with anyio.fail_after(20):
        answer = await books.search_items(CATALOGUE)
    assert answer.items == ()
    assert answered(answer) == set()
    assert answer.notes[0].kind == "nothing_established"


@pytest.mark.proves("6.11")
async def test_a_page_one_archive_cannot_give_is_its_own_refusal(
    server: Server, books: BooksClient
) -> None:
    with anyio.fail_after(20):
        answer = await books.search_items(CATALOGUE, limit=25, page=90)
    assert code(answer, "bnf") == "invalid_input"
    assert answered(answer) == {"archive", "loc"}
    assert server.received("bnf") == ()


@pytest.mark.proves("6.11")
@pytest.mark.parametrize(
    ("query", "refusing"), [("½½", {"bnf"}), ("a OR b", {"loc"})], ids=["a fraction", "a choice"]
)
async def test_a_query_some_archives_cannot_take_is_their_own_refusal(
    server: Server, books: BooksClient, query: str, refusing: set[str]
) -> None:
    with anyio.fail_after(20):
        answer = await books.search_items(query)
    assert {code(answer, source) for source in refusing} == {"invalid_input"}
    assert answered(answer) == set(HAVE_A_CATALOGUE) - refusing
    assert {received.source for received in server.received()} == answered(answer)


async def test_a_redirect_on_the_same_host_is_followed(server: Server, books: BooksClient) -> None:
    there = (
        "/services/search/beta/page_production/"
        "?service_backend=fts&user_query=whale&hits_per_page=3&page=1"
    )
    server.faults.inject("archive", faults.moved(there), times=1)
    with anyio.fail_after(20):
        answer = await books.search_inside(INSIDE, sources=["archive"], fan_out=False)
    assert answer.hits
    assert len(server.received("archive")) == 2


async def test_a_redirect_elsewhere_is_not_followed(server: Server, books: BooksClient) -> None:
    elsewhere = f"{server.address('loc')}/collections/chronicling-america/"
    server.faults.inject("archive", faults.moved(elsewhere.replace("127.0.0.1", "localhost")))
    with anyio.fail_after(20):
        answer = await books.search_inside(INSIDE, sources=["archive"])
    assert code(answer, "archive") == "network_error"
    assert server.received("loc") == ()
