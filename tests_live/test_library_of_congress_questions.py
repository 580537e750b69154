"""The Library of Congress: what is not settled; each test records what it saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from mcp_books._http import Reply
from mcp_books.errors import InvalidInput, ParseFailure
from mcp_books.sources.library_of_congress.reply import read_search

from .asking import ABSENT_WORD, Archive, anything
from .reading import as_json, kind, library_rows, simple

pytestmark = [pytest.mark.anyio, pytest.mark.archive("loc")]

Seen = Callable[..., None]
PAGES = "/collections/chronicling-america/"
PHRASE, WORDS = '"call me ishmael"', "call me ishmael"
TILE = "tile.loc.gov"


@pytest.mark.question("loc-unknown-record", "How is an unknown record told?")
async def test_form_of_an_unknown_record(archive: Archive, seen: Seen) -> None:
    reply: Reply = await archive.wire("/item/sn00000000/", [("fo", "json")])
    seen(status=reply.status, content_type=kind(reply), stated=as_json(reply).get("status"))
    assert reply.status in (404, 410) or as_json(reply).get("status") in (404, 410)


@pytest.mark.question("loc-nothing-found", "Is a search without a match a 200 or a 404?")
async def test_form_of_nothing_found(archive: Archive, seen: Seen) -> None:
    for name, path in (("pages", PAGES), ("books", "/books/"), ("photos", "/photos/")):
        reply, document = await library_rows(archive, path, ("q", ABSENT_WORD), ("c", "5"))
        seen(
            **{
                name: {
                    "status": reply.status,
                    "content_type": kind(reply),
                    "of": (document.get("pagination") or {}).get("of"),
                    "cache_control": reply.headers.get("cache-control"),
                }
            }
        )
        assert not document.get("results")


@pytest.mark.question("loc-past-the-end", "How is a page past the last told?")
async def test_form_of_a_page_past_the_last(archive: Archive, seen: Seen) -> None:
    params = (("dl", "page"), ("q", PHRASE), ("c", "150"), ("sp", "600"))
    reply, document = await library_rows(archive, PAGES, *params)
    seen(status=reply.status, content_type=kind(reply), stated=document.get("status"))
    assert not document.get("results")


@pytest.mark.question("loc-days", "Does dates= take days?")
async def test_dates_of_days(archive: Archive, seen: Seen) -> None:
    params = (("dl", "page"), ("q", "whale"), ("c", "10"), ("dates", "1884-08-01/1884-08-31"))
    reply, document = await library_rows(archive, PAGES, *params)
    days = [str(row.get("date")) for row in document.get("results") or ()]
    seen(status=reply.status, rows=len(days), inside=sum(day[:7] == "1884-08" for day in days))


@pytest.mark.question("loc-most-rows", "How many rows are sent when 500 are asked for?")
async def test_cap_of_rows(archive: Archive, seen: Seen) -> None:
    params = [("dl", "page"), ("q", "whale"), ("c", "500"), ("at", "pagination"), ("fo", "json")]
    reply: Reply = await archive.wire(PAGES, params)
    pagination = as_json(reply).get("pagination") or {}
    seen(status=reply.status, asked=500, perpage=pagination.get("perpage"))


@pytest.mark.question("loc-phrase", "Is a quoted phrase held to?")
async def test_quoted_phrase(archive: Archive, seen: Seen) -> None:
    of = {}
    for name, words in (("phrase", PHRASE), ("words", WORDS)):
        params = (("dl", "page"), ("q", words), ("c", "25"))
        _, document = await library_rows(archive, PAGES, *params)
        of[name] = (document.get("pagination") or {}).get("of")
        rows = document.get("results") or ()
        of[f"{name}_opening_with_it"] = sum(_opens_with_phrase(row) for row in rows)
    seen(**of)


@pytest.mark.question("loc-or", "Does a capital OR widen a search?")
async def test_or_in_capitals(archive: Archive, seen: Seen) -> None:
    words = f"whale OR {ABSENT_WORD}"
    reply, document = await library_rows(archive, PAGES, ("dl", "page"), ("q", words), ("c", "5"))
    rows = document.get("results") or ()
    seen(status=reply.status, of=(document.get("pagination") or {}).get("of"), rows=len(rows))
    assert not rows, "OR widens the search: the product tells readers that it has no alternatives"


@pytest.mark.question("loc-facets-joined", "Do two values of one facet narrow or widen?")
async def test_two_values_of_a_facet(archive: Archive, seen: Seen) -> None:
    of = {}
    for name, facet in (
        ("one", "location_state:kansas"),
        ("two", "location_state:kansas|location_state:california"),
    ):
        params = (("dl", "page"), ("q", "whale"), ("c", "1"), ("fa", facet))
        _, document = await library_rows(archive, PAGES, *params)
        of[name] = (document.get("pagination") or {}).get("of")
    seen(**of)


@pytest.mark.question("loc-open-quote", "How is a query with an open quote answered?")
async def test_a_query_left_open(archive: Archive, seen: Seen) -> None:
    params = (("dl", "page"), ("q", '"call me ishmael'), ("c", "5"))
    reply, _ = await library_rows(archive, PAGES, *params)
    seen(status=reply.status, content_type=kind(reply))
    try:
        read = read_search(reply, 1)
    except (InvalidInput, ParseFailure) as refusal:
        seen(read_as=refusal.code)
    else:
        seen(read_as="answered", rows=len(read.rows))


@pytest.mark.question("loc-page-row", "Which fields does a newspaper page's row have?")
async def test_fields_of_a_page_row(archive: Archive, seen: Seen) -> None:
    _, document = await library_rows(archive, PAGES, ("dl", "page"), ("q", PHRASE), ("c", "10"))
    row = document["results"][0]
    described = row.get("description") or [""]
    seen(
        fields=sorted(row),
        matches_placed="page_coordinate_data" in row,
        has_word_coordinates_url="word_coordinates_url" in row,
        opening_length=len(described[0] if isinstance(described, list) else described),
        says_whether_partial="is_partial" in (document.get("options") or {}),
    )


@pytest.mark.question("loc-page-document", "What does the document of one page hold?")
async def test_document_of_a_page(archive: Archive, seen: Seen) -> None:
    reply = await _page(archive)
    document = as_json(reply)
    seen(
        status=reply.status,
        keys=sorted(document),
        resource=sorted(document.get("resource") or {}),
        files=[sorted(file) for file in document.get("page") or ()][:5],
        has_full_text="full_text" in document,
    )
    assert isinstance(document.get("item"), Mapping)


@pytest.mark.question("loc-etag", "Is an answer sent with what a later one could be told by?")
async def test_etag_of_an_answer(archive: Archive, seen: Seen) -> None:
    reply = await _page(archive)
    seen(**{name: reply.headers.get(name) for name in ("etag", "expires", "cache-control")})


@pytest.mark.question("loc-page-text", "What does the text service send for a page?")
async def test_text_of_a_page(archive: Archive, seen: Seen) -> None:
    resource = as_json(await _page(archive)).get("resource") or {}
    address = str(resource.get("fulltext_file") or "")
    seen(given=bool(address))
    if address:
        reply = await _beside(archive, address)
        body = as_json(reply)
        inside = next(iter(body.values()), None)
        seen(
            status=reply.status,
            content_type=kind(reply),
            keyed_by_segment=any("/" in name for name in body),
            holds=sorted(inside) if isinstance(inside, Mapping) else type(inside).__name__,
        )


@pytest.mark.question("loc-book-text", "What does the text of a book, page by page, look like?")
async def test_text_of_a_book(archive: Archive, seen: Seen) -> None:
    params = (("q", "whale"), ("c", "10"), ("fa", "online-format:online text"))
    _, document = await library_rows(archive, "/books/", *params)
    resources = [one for row in document.get("results") or () for one in row.get("resources") or ()]
    address = next(
        (one["fulltext_derivative"] for one in resources if one.get("fulltext_derivative")), ""
    )
    seen(keys=sorted({name for one in resources for name in one}), given=bool(address))
    if address:
        reply = await _beside(archive, str(address))
        start = reply.body.lstrip()[:1].decode("ascii", "replace")
        seen(
            status=reply.status, content_type=kind(reply), bytes=len(reply.body), starts_with=start
        )


async def _page(archive: Archive) -> Reply:
    """Ask the document of the first page that the phrase finds, as the adapter does."""
    _, found = await library_rows(archive, PAGES, ("dl", "page"), ("q", PHRASE), ("c", "10"))
    parts = urlsplit(found["results"][0]["id"])
    path = parts.path.removeprefix(urlsplit(archive.source.base_url).path)
    blocks = "item,resource,page,segments,cite_this,full_text"
    params = [("fo", "json"), ("sp", parse_qs(parts.query)["sp"][0]), ("at", blocks)]
    reply: Reply = await archive.wire(path, params)
    return reply


async def _beside(archive: Archive, address: str) -> Reply:
    """Ask `address` at the Library's host for files, its query as given."""
    parts = urlsplit(address)
    assert parts.hostname == TILE or archive.is_stand_in, f"another host: {parts.hostname}"
    path = parts.path.removeprefix(urlsplit(archive.source.base_url).path)
    reply: Reply = await archive.wire(
        f"{path}?{parts.query}" if parts.query else path, (), anything, channel=archive.beside(TILE)
    )
    return reply


def _opens_with_phrase(row: Mapping[str, Any]) -> bool:
    described = row.get("description") or ""
    return WORDS in simple(" ".join(described) if isinstance(described, list) else described)
