"""The stand-in answers as the Library does, and the adapter reads it to the end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl

import httpx
import pytest

from mcp_books._phrases import Kind
from mcp_books.demo.library_of_congress import LibraryOfCongressStandIn
from mcp_books.demo.standin import PREFIX, Request
from mcp_books.errors import RecordNotFound
from mcp_books.sources.base import CatalogueQuery, InsideQuery
from mcp_books.sources.library_of_congress import LibraryOfCongress

from .library_of_congress_wire import library

pytestmark = pytest.mark.anyio

BASE = f"http://127.0.0.1:9{PREFIX}/loc"


def play(request: httpx.Request) -> httpx.Response:
    path = request.url.path.removeprefix(f"{PREFIX}/loc")
    query = dict(parse_qsl(request.url.query.decode()))
    answer = LibraryOfCongressStandIn().answer(Request("GET", path, query, {}, BASE))
    headers = {"content-type": answer.content_type, **answer.headers}
    return httpx.Response(answer.status, content=answer.body, headers=headers)


@asynccontextmanager
async def stand_in() -> AsyncIterator[LibraryOfCongress]:
    async with library(play, base_url=BASE, demonstration=True) as asked:
        yield asked.source


async def test_a_quoted_phrase_finds_passages_and_page_openings() -> None:
    async with stand_in() as source:
        page = await source.search_inside(InsideQuery(text='"call me ishmael"', limit=10))
    kinds = {hit.identifier: hit.excerpt_kind for hit in page.rows}
    assert kinds["sn99990001/1852-03-06/ed-1/seq-4"] == "passage"
    assert kinds["sn99990001/1852-03-13/ed-1/seq-2"] == "page_opening"
    assert page.total is not None
    assert page.total.value == len(page.rows) == 3
    assert [one.kind for one in page.remarks] == [Kind.PHRASE_APPROXIMATE]


async def test_paging_reaches_every_page_once_and_then_says_so() -> None:
    query = {"text": "whale fishery", "limit": 2}
    async with stand_in() as source:
        pages = [
            await source.search_inside(InsideQuery(**query, page=number))  # type: ignore[arg-type]  # one dict for both
            for number in (1, 2, 3, 4)
        ]
    found = [hit.id for page in pages for hit in page.rows]
    assert len(found) == len(set(found)) == 5
    assert [page.more for page in pages] == [True, True, False, False]
    assert [one.kind for one in pages[3].remarks] == [Kind.PAST_THE_END]


async def test_nothing_found_is_zero_on_either_kind_of_route() -> None:
    async with stand_in() as source:
        inside = await source.search_inside(InsideQuery(text="zeppelin", limit=3))
        photos = await source.search_items(
            CatalogueQuery(text="zeppelin", limit=3, media_type="photos")
        )
    for page in (inside, photos):
        assert page.rows == ()
        assert page.total is not None
        assert page.total.value == 0


async def test_years_narrow_and_order_and_rows_that_are_no_records_are_set_aside() -> None:
    async with stand_in() as source:
        everything = await source.search_items(CatalogueQuery(text="whale", limit=25))
        ranged = await source.search_items(
            CatalogueQuery(text="whale", limit=25, year_from=1850, year_to=1899, sort="newest")
        )
    assert everything.set_aside == 2
    assert [record.year for record in ranged.rows] == [1880, 1851]
    assert {record.online for record in everything.rows} == {True, False}


@pytest.mark.parametrize("kind", LibraryOfCongress.profile.media_types)
async def test_every_kind_of_material_holds_something(kind: str) -> None:
    text = "demonstration" if kind == "newspapers" else "whale"
    async with stand_in() as source:
        page = await source.search_items(CatalogueQuery(text=text, limit=5, media_type=kind))
    assert page.rows


async def test_whatever_a_search_returns_can_be_read() -> None:
    async with stand_in() as source:
        hits = (await source.search_inside(InsideQuery(text="the", limit=25))).rows
        rows = [
            record
            for kind in source.profile.media_types
            for word in ("whale", "demonstration")
            for record in (
                await source.search_items(CatalogueQuery(text=word, limit=25, media_type=kind))
            ).rows
        ]
        for found in (*hits, *rows):
            claim = source.claim(found.source_url)
            assert claim is not None
            assert claim.reference == found.identifier
            read = await source.get_item(claim.reference)
            assert (read.id, read.date) == (found.id, getattr(found, "date", read.date))
            assert read.source_url.startswith(BASE)


async def test_an_issue_is_read_from_any_of_its_pages() -> None:
    async with stand_in() as source:
        read = await source.get_item("sn99990001/1871-11-09/ed-1")
    assert [copy.label for copy in read.copies if copy.format == "application/pdf"] == [
        "PDF, image 1",
        "PDF, image 3",
    ]


@pytest.mark.parametrize(
    "reference",
    ["12345678", "sn99990001/1852-03-06/ed-1/seq-99", "sn99990001/1852-03-07/ed-1"],
)
async def test_an_unknown_record_is_not_found(reference: str) -> None:
    async with stand_in() as source:
        with pytest.raises(RecordNotFound):
            await source.get_item(reference)


@pytest.mark.parametrize(
    ("reference", "states", "url", "covers"),
    [
        ("99990101", True, None, "this item"),
        ("99990104", True, f"{BASE}/legal/", "the whole collection"),
        ("99990105", False, None, "this item"),
    ],
)
async def test_every_kind_of_terms_is_held(
    reference: str, states: bool, url: str | None, covers: str
) -> None:
    async with stand_in() as source:
        rights = (await source.get_item(reference)).rights
    assert (rights.statement is not None, rights.url, rights.covers) == (states, url, covers)


def test_a_page_for_people_comes_without_fo_json() -> None:
    answer = LibraryOfCongressStandIn().answer(Request("GET", "/books/", {}, {}, BASE))
    assert answer.content_type.startswith("text/html")
