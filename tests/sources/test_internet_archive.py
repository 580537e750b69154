"""The two searches of the Internet Archive, from replies to answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_books._phrases import Kind
from mcp_books.errors import InvalidInput
from mcp_books.models import Hit
from mcp_books.sources.base import CatalogueQuery, HitCount, InsideQuery
from tests.sources.internet_archive_wire import (
    answers,
    asked,
    inside,
    item_row,
    items,
    page,
    text_row,
)

pytestmark = pytest.mark.anyio
SEARCH = "/services/search/beta/page_production/"


async def one_hit(*fragments: str, **fields: Any) -> Hit:
    found = await inside(answers(page(text_row("a-book", *fragments, **fields))))
    return found.rows[0]


async def test_a_search_inside_sends_what_the_sites_own_page_sends() -> None:
    async with asked(answers(page())) as wire:
        await wire.archive.search_inside(InsideQuery(text='"white whale"', limit=4, page=2))
    (sent,) = wire.sent
    assert sent.path == SEARCH
    assert sent.params == {
        "service_backend": "fts",
        "user_query": '"white whale"',
        "hits_per_page": "4",
        "page": "2",
        "aggregations": "false",
    }


async def test_a_hit_carries_what_its_row_states() -> None:
    row = text_row(
        "Paper-1910-01",
        "a  {{{whale}}}\nwas seen",
        title="Paper &amp; Ink",
        creator=["Smith, A.", "Brown, B."],
        year=1910,
        date="1910-01-01T00:00:00Z",
        __href__="/details/Paper-1910-01?q=%22%22whale%22%22",
    )
    found = await inside(answers(page(row, total=7)))
    assert found.rows[0].dump() == {
        "id": "archive:Paper-1910-01",
        "source": "archive",
        "source_name": "Internet Archive",
        "identifier": "Paper-1910-01",
        "title": "Paper & Ink",
        "creator": "Smith, A.; Brown, B.",
        "year": 1910,
        "source_url": "https://archive.org/details/Paper-1910-01?q=%22whale%22",
        "page_number": None,
        "excerpts": ["a whale was seen"],
        "excerpt_kind": "passage",
        "found_by_query": "whale",
    }
    assert found.total == HitCount(7, "documents")
    assert found.ordered_on == "relevance"
    assert found.sent_as is None


async def test_documents_of_one_bundle_are_hits_of_their_own() -> None:
    rows = [
        text_row("run", "{{{whale}}}", file_basename=name, result_in_subfile=True)
        for name in ("Run.1882", "Run.1883")
    ]
    found = await inside(answers(page(*rows)))
    assert [hit.id for hit in found.rows] == ["archive:run", "archive:run"]
    assert [hit.matched_file for hit in found.rows] == ["Run.1882", "Run.1883"]
    assert all(hit.inside_container for hit in found.rows)


async def test_a_document_named_unlike_its_item_is_named_without_claiming_a_bundle() -> None:
    dumped = (await one_hit("{{{whale}}}", file_basename="Another")).dump()
    assert dumped["matched_file"] == "Another"
    assert "inside_container" not in dumped


@pytest.mark.parametrize(
    ("href", "path"),
    [
        ("/details/a-book/Sub.1882?q=whale", "/details/a-book/Sub.1882?q=whale"),
        ('/details/a-book?q=""white whale""', "/details/a-book?q=%22white%20whale%22"),
        ("/details/a-book-else", "/details/a-book"),
        ("/details/a-book/../../evil", "/details/a-book"),
        ("//evil.example/details/a-book", "/details/a-book"),
        ("https://evil.example/details/a-book", "/details/a-book"),
        (["/details/a-book?q=1"], "/details/a-book"),
        (None, "/details/a-book"),
    ],
)
async def test_an_address_is_the_items_own_page(href: object, path: str) -> None:
    hit = await one_hit("{{{whale}}}", __href__=href)
    assert hit.source_url == f"https://archive.org{path}"


@pytest.mark.parametrize(
    ("fields", "year"),
    [
        ({"year": 1862}, 1862),
        ({"date": "1986-01-01T00:00:00Z"}, 1986),
        ({"year": 15, "date": "0015-01-01T00:00:00Z"}, None),
        ({"date": "0000-01-01T00:00:00Z"}, None),
        ({"year": 9999}, None),
        ({"date": "-1712-01-01T00:00:00Z"}, None),
        ({}, None),
    ],
)
async def test_a_year_is_one_that_a_record_can_mean(fields: dict[str, object], year: int) -> None:
    assert (await one_hit("{{{whale}}}", **fields)).year == year


async def test_a_row_without_a_title_or_creator_is_a_hit_without_them() -> None:
    hit = await one_hit("{{{whale}}}", title=None, creator=None)
    assert (hit.title, hit.creator) == (None, None)
    assert {"title", "creator"} <= hit.dump().keys()


@pytest.mark.proves("5.5")
@pytest.mark.parametrize("ask", [inside, items])
async def test_rows_that_cannot_be_read_and_rows_that_are_no_records_are_counted_apart(
    ask: Any,
) -> None:
    rows = [
        item_row("good-one"),
        item_row(None),
        "no object",
        {"fields": []},
        item_row("two words"),
        item_row("cut|suffix"),
        item_row("fav-somebody", mediatype="collection"),
        item_row("@somebody", mediatype="account"),
        item_row("fav-recipes", mediatype="texts"),
    ]
    found = await ask(answers(page(*rows)))
    assert [row.identifier for row in found.rows] == ["good-one", "cut", "fav-recipes"]
    assert found.unreadable == 4
    assert found.set_aside == 2


@pytest.mark.parametrize("ask", [inside, items])
async def test_an_empty_list_is_an_answer(ask: Any) -> None:
    found = await ask(answers(page()))
    assert found.rows == ()
    assert found.total is not None
    assert found.total.value == 0
    assert found.more is False


@pytest.mark.parametrize(
    ("total", "at", "more"), [(7, 1, True), (7, 2, True), (6, 2, False), ({"value": 4}, 1, True)]
)
async def test_more_is_what_the_count_leaves(total: object, at: int, more: bool) -> None:
    found = await inside(answers(page(text_row(), total=total)), page=at)
    assert found.more is more


async def test_without_a_count_nothing_is_said_of_more() -> None:
    body = page(text_row())
    body["response"]["body"]["hits"]["total"] = None
    found = await inside(answers(body))
    assert (found.total, found.more) == (None, None)


@pytest.mark.proves("5.4")
@pytest.mark.parametrize(
    ("text", "sent_as"), [('"AT&T', '"AT T"'), ("9/11", '"9/11"'), ("whale", None)]
)
async def test_what_was_sent_is_stated_where_it_differs(text: str, sent_as: str | None) -> None:
    async with asked(answers(page())) as wire:
        found = await wire.archive.search_inside(InsideQuery(text=text, limit=3))
    assert found.sent_as == sent_as
    assert wire.sent[0].params["user_query"] == (sent_as or text)


async def test_a_catalogue_search_states_what_was_sent_too() -> None:
    assert (await items(answers(page()), text="title:moby")).sent_as == '"title:moby"'


async def test_a_query_without_a_usable_word_is_refused_and_not_sent() -> None:
    async with asked() as wire:
        with pytest.raises(InvalidInput):
            await wire.archive.search_inside(InsideQuery(text='"" &', limit=3))
        with pytest.raises(InvalidInput):
            await wire.archive.search_items(CatalogueQuery(text="(?)", limit=3))
    assert wire.sent == []


@pytest.mark.parametrize("limit", [25, 100])
async def test_as_many_rows_are_asked_for_as_are_wanted_and_pages_follow_that(limit: int) -> None:
    body = page(text_row(), total=2 * limit + 1)
    async with asked(answers(body), answers(body)) as wire:
        pages = [
            await wire.archive.search_inside(InsideQuery(text="whale", limit=limit, page=number))
            for number in (2, 3)
        ]
    assert [sent.params["hits_per_page"] for sent in wire.sent] == [str(limit)] * 2
    assert [found.more for found in pages] == [True, False]


async def test_a_page_past_the_archives_depth_is_refused_and_not_sent() -> None:
    async with asked(answers(page())) as wire:
        with pytest.raises(InvalidInput):
            await wire.archive.search_inside(InsideQuery(text="whale", limit=25, page=401))
        await wire.archive.search_inside(InsideQuery(text="whale", limit=25, page=400))
    assert [sent.params["page"] for sent in wire.sent] == ["400"]


async def test_a_catalogue_search_sends_its_narrowings_as_the_site_does() -> None:
    async with asked(answers(page())) as wire:
        found = await wire.archive.search_items(
            CatalogueQuery(
                text="whale",
                limit=5,
                media_type="texts",
                year_from=1850,
                year_to=1899,
                sort="oldest",
            )
        )
    params = dict(wire.sent[0].params)
    assert wire.sent[0].path == SEARCH
    assert json.loads(params.pop("filter_map")) == {
        "mediatype": {"texts": "inc"},
        "year": {"1850": "gte", "1899": "lte"},
    }
    assert params == {
        "service_backend": "metadata",
        "user_query": "whale",
        "hits_per_page": "5",
        "page": "1",
        "aggregations": "false",
        "fields": "identifier,title,creator,date,year,mediatype,downloads",
        "sort": "date:asc",
    }
    assert found.ordered_on == "oldest"
    assert found.remarks[0].kind is Kind.FILED_YEARS
    assert found.remarks[0].values == {"name": "Internet Archive"}


async def test_one_year_is_bounded_from_both_sides() -> None:
    async with asked(answers(page())) as wire:
        await wire.archive.search_items(
            CatalogueQuery(text="whale", limit=5, year_from=1851, year_to=1851)
        )
    assert json.loads(wire.sent[0].params["filter_map"]) == {"year": {"1851": ["gte", "lte"]}}


@pytest.mark.parametrize(
    ("sort", "sent", "years"),
    [
        ("relevance", None, False),
        ("newest", "date:desc", True),
        ("oldest", "date:asc", True),
        ("title", "titleSorter:asc", False),
    ],
)
async def test_an_order_is_sent_by_the_archives_own_key(
    sort: Any, sent: str | None, years: bool
) -> None:
    async with asked(answers(page())) as wire:
        found = await wire.archive.search_items(CatalogueQuery(text="whale", limit=5, sort=sort))
    assert wire.sent[0].params.get("sort") == sent
    assert found.ordered_on == sort
    assert bool(found.remarks) is years


@pytest.mark.parametrize("narrowing", [{"media_type": "books"}, {"sort": "popular"}])
async def test_an_unknown_kind_or_order_is_refused_and_not_sent(narrowing: dict[str, Any]) -> None:
    async with asked() as wire:
        with pytest.raises(InvalidInput):
            await wire.archive.search_items(CatalogueQuery(text="whale", limit=5, **narrowing))
    assert wire.sent == []


async def test_a_brief_record_carries_what_its_row_states() -> None:
    row = item_row(
        "a-book",
        title="<i>A</i> Book",
        creator="Somebody",
        date="1851-11-14T00:00:00Z",
        year="1851",
        downloads="12",
    )
    found = await items(answers(page(row, total=40)))
    assert found.rows[0].dump() == {
        "id": "archive:a-book",
        "source": "archive",
        "source_name": "Internet Archive",
        "identifier": "a-book",
        "title": "A Book",
        "creator": "Somebody",
        "year": 1851,
        "source_url": "https://archive.org/details/a-book",
        "date": "1851-11-14",
        "media_type": "texts",
        "found_by_query": "whale",
        "downloads": 12,
    }
    assert found.total == HitCount(40, "items")
    assert found.more is True


@pytest.mark.proves("10.5")
@pytest.mark.parametrize("sent", [{}, {"downloads": None}, {"downloads": "many"}])
async def test_a_row_without_its_downloads_says_that_they_are_unknown(
    sent: dict[str, object],
) -> None:
    found = await items(answers(page(item_row("a-book", **sent))))
    assert found.rows[0].dump()["downloads"] is None


async def test_an_undated_record_has_no_date() -> None:
    found = await items(answers(page(item_row("a-book", date="0000-01-01T00:00:00Z"))))
    dumped = found.rows[0].dump()
    assert (dumped["date"], dumped["year"]) == (None, None)
