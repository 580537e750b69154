"""Searching the catalogue of one kind of material."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_books._phrases import Kind
from mcp_books.errors import InvalidInput, ParseFailure
from mcp_books.models import BriefRecord
from mcp_books.sources.base import CatalogueQuery, HitCount, ResultPage

from .library_of_congress_wire import library, record_row, results, sent

pytestmark = pytest.mark.anyio

ALIKE = "rows, records and other pages alike"


def asking(query: dict[str, Any]) -> CatalogueQuery:
    whole: dict[str, Any] = {"text": "whale", "limit": 5}
    return CatalogueQuery(**(whole | query))


async def items(reply: Any, **query: Any) -> ResultPage[BriefRecord]:
    async with library(reply) as asked:
        return await asked.source.search_items(asking(query))


async def row(**fields: object) -> BriefRecord:
    (found,) = (await items(sent(results(record_row() | fields)))).rows
    return found


@pytest.mark.parametrize(
    ("query", "path", "extra"),
    [
        ({}, "/books/", {}),
        ({"media_type": "photos"}, "/photos/", {}),
        ({"media_type": "film-and-videos"}, "/film-and-videos/", {}),
        ({"year_from": 1840, "year_to": 1880}, "/books/", {"dates": "1840/1880"}),
        ({"year_from": 1840}, "/books/", {"dates": "1840/9999"}),
        ({"year_to": 1880}, "/books/", {"dates": "1000/1880"}),
        ({"sort": "newest"}, "/books/", {"sb": "date_desc"}),
        ({"sort": "oldest"}, "/books/", {"sb": "date"}),
        ({"sort": "title", "page": 3}, "/books/", {"sb": "title_s", "sp": "3"}),
    ],
)
async def test_one_route_is_asked_with_what_was_narrowed_and_nothing_else(
    query: dict[str, Any], path: str, extra: dict[str, str]
) -> None:
    always = {"all": "true", "q": "whale", "c": "5", "sp": "1", "fo": "json"}
    always["at"] = "results,pagination,options"
    async with library(sent(results(record_row()))) as asked:
        await asked.source.search_items(asking(query))
        assert asked.path == path
        assert asked.params == always | extra


async def test_a_kind_of_material_it_does_not_file_is_refused() -> None:
    with pytest.raises(InvalidInput):
        await items(sent(results()), media_type="software")


async def test_a_record_is_read_in_full() -> None:
    inner = {
        "call_number": ["AC20 .C8", "another copy"],
        "contributors": [
            "Lemonnyer, Jules",
            "Lessing J. Rosenwald Collection (Library of Congress)",
        ],
        "created_published": ["Rouen, J. Lemonnyer, 1879-80."],
        "repository": "Library of Congress Rare Book Division Washington, D.C. 20540 USA http://x",
    }
    assert (await row(item=inner)).dump() == {
        "id": "loc:51006716",
        "source": "loc",
        "source_name": "Library of Congress",
        "identifier": "51006716",
        "title": "Curious bibliographies.",
        "creator": "Lemonnyer, Jules",
        "year": 1879,
        "date": "1879",
        "media_type": "book",
        "source_url": "https://www.loc.gov/item/51006716/",
        "found_by_query": "whale",
        "location": "Rare Book Division, AC20 .C8",
        "online": True,
    }


async def test_a_bare_row_leaves_what_it_does_not_state_null() -> None:
    found = await row(contributor=None, date=None, original_format=[], shelf_id=None, title=None)
    assert (found.title, found.creator, found.year, found.date) == (None, None, None, None)
    assert (found.media_type, found.location) == (None, None)


async def test_an_address_in_place_of_a_shelf_is_no_holding() -> None:
    assert (await row(shelf_id="http://www.loc.gov/item/51006716/")).location is None


@pytest.mark.parametrize(
    ("fields", "creator"),
    [
        ({"contributor": ["lessing j. rosenwald collection (library of congress)"]}, None),
        (
            {"item": {"contributors": ["Molina, Juan de", "Perrins, C. W., former owner."]}},
            "Molina, Juan de",
        ),
        (
            {"item": {"contributor_names": ["Tory, Geoffroy", "Bure, Guy"]}},
            "Tory, Geoffroy; Bure, Guy",
        ),
    ],
)
async def test_a_collection_or_a_former_owner_is_no_creator(
    fields: dict[str, object], creator: str | None
) -> None:
    assert (await row(**fields)).creator == creator


@pytest.mark.parametrize(
    ("fields", "online"),
    [
        ({"online_format": ["image"], "digitized": True}, True),
        ({"online_format": "image", "digitized": None}, True),
        ({"online_format": [], "digitized": True}, True),
        ({"online_format": [], "digitized": False}, False),
        ({"online_format": None, "digitized": None}, None),
        ({"access_restricted": True}, False),
    ],
)
async def test_online_means_a_copy_can_be_opened_from_anywhere(
    fields: dict[str, object], online: bool | None
) -> None:
    assert (await row(**fields)).online is online


async def test_a_filled_in_month_is_not_published() -> None:
    found = await row(date="1888-01-01", item={"created_published": "1888.", "date": "1888."})
    assert (found.date, found.year) == ("1888", 1888)


async def test_a_year_nobody_knows_is_null() -> None:
    found = await row(date="uuuu")
    assert (found.date, found.year) == (None, None)


async def test_a_newspaper_issue_is_dated_by_its_day_and_has_no_creator() -> None:
    found = await row(id="http://www.loc.gov/resource/sn99990001/1901-01-01/ed-1/?sp=5")
    assert found.identifier == "sn99990001/1901-01-01/ed-1/seq-5"
    assert (found.date, found.year, found.creator) == ("1901-01-01", 1901, None)


@pytest.mark.parametrize(
    ("fields", "identifier"),
    [
        ({"id": "http://lccn.loc.gov/2003557015"}, "2003557015"),
        ({"id": "//www.loc.gov/item/51006716/"}, "51006716"),
        ({"id": "/item/51006716/"}, "51006716"),
        ({"id": "http://www.loc.gov/pictures/item/51006716/"}, "51006716"),
        ({"id": "https://example.org/1", "url": "http://www.loc.gov/item/51006716/"}, "51006716"),
        ({"id": "http://www.loc.gov/resource/rbc0001.2009rosen/"}, "resource/rbc0001.2009rosen"),
    ],
)
async def test_a_record_is_known_by_its_address(fields: dict[str, object], identifier: str) -> None:
    assert (await row(**fields)).identifier == identifier


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "http://www.loc.gov/collections/aaron-copland/about-this-collection/"},
        {"id": "https://www.loc.gov/exhibits/sea/"},
        {"id": "http://www.loc.gov/pictures/item/2007680728/"},
        {"id": "https://www.example.org/item/51006716/"},
        {"id": "//www.loc.gov/programs/poetry-and-literature/"},
        {"id": "https://www.loc.gov/research-centers/geography-and-map/"},
        {"id": "https://www.loc.gov/rr/print/"},
        {"id": "https://www.loc.gov/static/collections/maps/x.html"},
        {"id": "/collections/maps/"},
        {"id": "/item/prn-20-032/"},
        {"id": "https://blogs.loc.gov/loc/2020/01/whales/"},
        {"original_format": ["collection", "manuscript/mixed material"]},
        {"original_format": "Web Page"},
        {"original_format": ["exhibit"], "id": None},
    ],
)
async def test_a_row_that_is_no_record_is_set_aside_and_counted(fields: dict[str, object]) -> None:
    other = record_row() | {"url": None} | fields
    page = await items(sent(results(other, record_row(), of=2)))
    assert (len(page.rows), page.set_aside, page.unreadable) == (1, 1, 0)
    assert page.total == HitCount(2, ALIKE)


@pytest.mark.proves("6.10")
@pytest.mark.parametrize(
    "fields",
    [
        {"id": "http://www.loc.gov/item/twenty/"},
        {"id": "http://www.loc.gov/item/"},
        {"id": "http://www.loc.gov/records/51006716/"},
        {"id": "http://www.loc.gov/"},
        {"id": "https://hdl.loc.gov/loc.mss/ms012345"},
        {"id": "https://[broken/item/51006716/"},
        {"id": "https://www.loc.gov:8443/item/51006716/"},
        {"id": "https://reader@www.loc.gov/item/51006716/"},
        {"id": "51006716"},
        {"id": None},
        {"id": "51006716", "url": "https://www.loc.gov/collections/maps/"},
    ],
)
async def test_a_row_whose_address_cannot_be_read_is_unreadable_and_not_set_aside(
    fields: dict[str, object],
) -> None:
    other = record_row() | {"url": None} | fields
    page = await items(sent(results(other, record_row(), of=2)))
    assert (len(page.rows), page.set_aside, page.unreadable) == (1, 0, 1)


@pytest.mark.proves("6.10")
async def test_rows_that_all_drifted_to_another_address_are_a_failure() -> None:
    rows = [record_row() | {"id": f"https://www.loc.gov/records/{n}/", "url": None} for n in "12"]
    with pytest.raises(ParseFailure):
        await items(sent(results(*rows)))


@pytest.mark.proves("6.10")
async def test_an_unreadable_row_among_good_ones_is_counted() -> None:
    page = await items(sent(results(record_row("11111111"), None, record_row("22222222"))))
    assert ([one.identifier for one in page.rows], page.unreadable) == (
        ["11111111", "22222222"],
        1,
    )


@pytest.mark.proves("6.10")
async def test_rows_that_are_all_unreadable_are_a_failure() -> None:
    with pytest.raises(ParseFailure):
        await items(sent(results(7, {})))


async def test_rows_that_are_all_no_records_are_an_answer_without_rows() -> None:
    other = record_row(id="https://www.loc.gov/collections/maps/", url=None)
    page = await items(sent(results(other)))
    assert (page.rows, page.set_aside) == ((), 1)


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ({}, []),
        ({"sort": "title"}, []),
        ({"sort": "newest"}, [Kind.FILED_YEARS]),
        ({"sort": "oldest"}, [Kind.FILED_YEARS]),
        ({"year_from": 1840}, [Kind.FILED_YEARS]),
        ({"year_to": 1880, "text": "whale -shark"}, [Kind.WORDS_SET_ASIDE, Kind.FILED_YEARS]),
    ],
)
async def test_filed_years_are_said_to_be_so_wherever_they_decide(
    query: dict[str, Any], kinds: list[Kind]
) -> None:
    page = await items(sent(results(record_row())), **query)
    assert [remark.kind for remark in page.remarks] == kinds


@pytest.mark.parametrize(
    "reply", [sent({"status": 404}, 404), sent({"status": 404}), sent(results())]
)
async def test_nothing_found_is_zero_however_it_is_said(reply: Any) -> None:
    page = await items(reply)
    assert (page.rows, page.total, page.more) == ((), HitCount(0, ALIKE), False)


async def test_a_page_past_the_end_is_said_to_be_so() -> None:
    page = await items(sent({"status": 404}, 404), page=9)
    assert (page.total, page.more) == (None, False)
    assert [(one.kind, one.values["page"]) for one in page.remarks] == [(Kind.PAST_THE_END, 9)]


async def test_the_order_is_named() -> None:
    assert (await items(sent(results(record_row())))).ordered_on == "relevance"
