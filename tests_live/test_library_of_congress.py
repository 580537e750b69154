"""The Library of Congress: what every answer of the product rests on."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from mcp_books.errors import RecordNotFound
from mcp_books.sources.library_of_congress import LibraryOfCongress
from mcp_books.sources.library_of_congress.reply import read_search

from .asking import ABSENT_WORD, Archive
from .reading import ascending, library_rows, simple

pytestmark = [pytest.mark.anyio, pytest.mark.archive("loc")]

PAGES = "/collections/chronicling-america/"
PHRASE, WORDS = '"call me ishmael"', "call me ishmael"


async def test_a_hit_is_a_newspaper_page_with_its_real_number(archive: Archive) -> None:
    answer, _ = await archive.inside(PHRASE, limit=10)
    assert answer.hits
    for hit in answer.hits:
        assert hit.page_number is not None
        assert hit.identifier.endswith(f"/seq-{hit.page_number}")
        assert hit.source_url.endswith(f"?sp={hit.page_number}")
        assert hit.published_on is not None


async def test_a_row_states_its_page_number_apart_from_its_address(archive: Archive) -> None:
    _, document = await library_rows(archive, PAGES, ("dl", "page"), ("q", PHRASE), ("c", "10"))
    assert document["results"]
    for row in document["results"]:
        stated = (
            row["number_page"][0] if isinstance(row["number_page"], list) else row["number_page"]
        )
        sequence = parse_qs(urlsplit(row["id"]).query)["sp"][0]
        assert int(stated) == int(sequence)


async def test_a_passage_is_told_from_a_page_opening(archive: Archive) -> None:
    answer, _ = await archive.inside(PHRASE, limit=25)
    assert answer.hits
    for hit in answer.hits:
        carries = any(WORDS in simple(text) for text in hit.excerpts)
        assert carries == (hit.excerpt_kind == "passage")


async def test_of_counts_the_results_and_total_the_pages_of_results(archive: Archive) -> None:
    _, document = await library_rows(archive, PAGES, ("dl", "page"), ("q", "whale"), ("c", "2"))
    pagination = document["pagination"]
    assert pagination["perpage"] == 2
    assert pagination["of"] > pagination["total"] > 1
    _, report = await archive.inside("whale", limit=2)
    assert report.reported_total == pagination["of"]


@pytest.mark.parametrize("kind", LibraryOfCongress.profile.media_types)
async def test_each_catalogue_answers(archive: Archive, kind: str) -> None:
    answer, report = await archive.items("whale", media_type=kind)
    assert report.media_type_asked == kind
    assert answer.items or not report.skipped
    assert all(row.title for row in answer.items)


async def test_a_span_of_years_is_kept_to(archive: Archive) -> None:
    params = (("all", "true"), ("q", "whale"), ("c", "25"), ("dates", "1840/1900"))
    _, document = await library_rows(archive, "/books/", *params)
    years = [str(row["date"])[:4] for row in document["results"] if row.get("date")]
    assert years
    assert all("1840" <= year <= "1900" for year in years)


async def test_rows_are_sorted_by_filed_date(archive: Archive) -> None:
    ends = []
    for order in ("date", "date_desc"):
        params = (("all", "true"), ("q", "whale"), ("c", "25"), ("sb", order))
        _, document = await library_rows(archive, "/books/", *params)
        filed = [str(row["date"])[:4] for row in document["results"] if row.get("date")]
        years = [year for year in filed if year.isdecimal()]
        assert ascending(years if order == "date" else reversed(years))
        ends.append(document["results"][0]["id"])
    assert ends[0] != ends[1]


async def test_nothing_found_is_an_answer_of_no_rows(archive: Archive) -> None:
    inside, _ = await archive.inside(ABSENT_WORD)
    photos, _ = await archive.items(ABSENT_WORD, media_type="photos")
    assert not inside.hits
    assert not photos.items


async def test_a_page_past_the_last_is_no_failure(archive: Archive) -> None:
    params = [("dl", "page"), ("q", PHRASE), ("c", "150"), ("sp", "600")]
    params += [("at", "results,pagination,options"), ("fo", "json")]
    read = await archive.wire(PAGES, params, lambda reply: read_search(reply, 600))
    assert read.rows == []
    assert read.past_the_end


async def test_the_record_of_a_catalogue_row_is_read(archive: Archive) -> None:
    answer, _ = await archive.items("whale", limit=10)
    assert answer.items
    record = await archive.record(answer.items[0].id)
    assert record.identifier == answer.items[0].identifier
    assert record.title


async def test_the_page_behind_a_hit_is_read(archive: Archive) -> None:
    answer, _ = await archive.inside(PHRASE, limit=10)
    assert answer.hits
    record = await archive.record(answer.hits[0].id)
    assert record.identifier == answer.hits[0].identifier
    assert record.copies


@pytest.mark.parametrize("identifier", ["sn00000000", "sn83030214/1700-01-01/ed-1/seq-1"])
async def test_an_unknown_record_is_not_found(archive: Archive, identifier: str) -> None:
    with pytest.raises(RecordNotFound):
        await archive.record(f"loc:{identifier}")
