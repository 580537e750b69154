"""The stand-in for the Internet Archive, asked through the adapter as the archive would be."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import respx

from mcp_books._http import Http
from mcp_books.demo.internet_archive import InternetArchiveStandIn
from mcp_books.demo.standin import PREFIX, Request, Response
from mcp_books.errors import RecordNotFound
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery, InsideQuery
from mcp_books.sources.internet_archive import InternetArchive

pytestmark = pytest.mark.anyio

BASE = f"http://127.0.0.1:9{PREFIX}/archive"
SEARCH = "/services/search/beta/page_production/"


@asynccontextmanager
async def playing() -> AsyncIterator[InternetArchive]:
    stand_in = InternetArchiveStandIn()

    def answer(request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix(f"{PREFIX}/archive")
        query = dict(request.url.params)
        response = stand_in.answer(Request(request.method, path, query, {}, BASE))
        return httpx.Response(response.status, content=response.body)

    with respx.mock(assert_all_called=False) as router:
        router.route().mock(side_effect=answer)
        async with Http(Settings(max_retries=0)) as http:
            yield InternetArchive(http, base_url=BASE, demonstration=True)


async def test_a_phrase_is_found_in_each_document_that_holds_it() -> None:
    async with playing() as archive:
        found = await archive.search_inside(InsideQuery(text='"call me ishmael"', limit=10))
    assert found.total is not None
    assert found.total.value == len(found.rows) >= 3
    assert all("Call me Ishmael" in " ".join(hit.excerpts) for hit in found.rows)
    assert {hit.excerpt_kind for hit in found.rows} == {"passage"}
    assert any(hit.matched_file and hit.inside_container for hit in found.rows)
    assert all(hit.source_url.startswith(f"{BASE}/details/") for hit in found.rows)


async def test_every_word_has_to_stand_in_a_document_and_accents_do_not_matter() -> None:
    async with playing() as archive:
        both = await archive.search_inside(InsideQuery(text="cafe baleine", limit=10))
        neither = await archive.search_inside(InsideQuery(text="cafe escapement", limit=10))
        reversed_phrase = await archive.search_inside(InsideQuery(text='"ishmael me"', limit=10))
    assert [hit.identifier for hit in both.rows] == ["cafe-des-phares-demo"]
    assert neither.rows == reversed_phrase.rows == ()


async def test_documents_of_a_bundle_come_one_by_one_and_pages_do_not_overlap() -> None:
    async with playing() as archive:
        pages = [
            await archive.search_inside(InsideQuery(text="lighthouse", limit=2, page=number))
            for number in (1, 2, 3)
        ]
    hits = [hit for page in pages for hit in page.rows]
    assert len({(hit.id, hit.matched_file) for hit in hits}) == len(hits)
    assert sum(hit.identifier == "parish-gazette-bundle-demo" for hit in hits) == 3
    assert pages[0].more is True
    assert pages[-1].more is False


async def test_the_catalogue_narrows_and_orders() -> None:
    async with playing() as archive:
        every = await archive.search_items(CatalogueQuery(text="whale", limit=25))
        some = await archive.search_items(
            CatalogueQuery(text="whale", limit=25, media_type="image", year_to=1900)
        )
        oldest = await archive.search_items(CatalogueQuery(text="demo", limit=25, sort="oldest"))
    assert {row.media_type for row in every.rows} >= {"texts", "audio", "image"}
    assert [row.identifier for row in some.rows] == ["coast-plates-demo"]
    years = [row.year for row in oldest.rows if row.year is not None]
    assert len(years) > 5
    assert years == sorted(years)
    assert all("demonstration" in (row.title or "") for row in every.rows)


async def test_every_item_that_is_found_can_be_read() -> None:
    async with playing() as archive:
        found = await archive.search_items(CatalogueQuery(text="demo", limit=25))
        records = [await archive.get_item(row.identifier) for row in found.rows]
    assert len(records) >= 12
    assert all("demonstration" in (record.title or "").lower() for record in records)
    assert all(record.copies for record in records)
    assert any(record.rights.statement is record.rights.url is None for record in records)
    assert "@" not in "".join(record.model_dump_json() for record in records)


@pytest.mark.parametrize("identifier", ["no-such-item", "withdrawn-demo"])
async def test_an_unknown_and_a_withdrawn_item_are_not_found(identifier: str) -> None:
    async with playing() as archive:
        with pytest.raises(RecordNotFound):
            await archive.get_item(identifier)


@pytest.mark.parametrize(
    ("typed", "found"),
    [('"call me', True), ("NOT AT&T", False), ("fahrenheit 9/11", False), ("(whale)?", True)],
)
async def test_what_the_archives_parser_would_refuse_reaches_it_made_safe(
    typed: str, found: bool
) -> None:
    async with playing() as archive:
        page = await archive.search_inside(InsideQuery(text=typed, limit=3))
    assert bool(page.rows) is found
    assert page.sent_as is not None


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"user_query": '"open', "service_backend": "fts"}, 400),
        ({"user_query": "AT&T", "service_backend": "metadata"}, 400),
        ({"user_query": "9/11", "service_backend": "metadata"}, 400),
        ({"user_query": "", "service_backend": "fts"}, 400),
        ({"user_query": "whale", "page": "201", "hits_per_page": "50"}, 400),
        ({"user_query": "whale", "page": "200", "hits_per_page": "50"}, 200),
    ],
)
def test_it_refuses_what_the_archive_refuses(query: dict[str, str], status: int) -> None:
    assert answered(SEARCH, query).status == status


def test_it_answers_no_other_route() -> None:
    assert answered("/details/whale-voyage-demo", {}).status == 404


def answered(path: str, query: dict[str, str]) -> Response:
    return InternetArchiveStandIn().answer(Request("GET", path, query, {}, BASE))
