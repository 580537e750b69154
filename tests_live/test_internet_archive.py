"""The Internet Archive: what every answer of the product rests on."""

from __future__ import annotations

import pytest

from mcp_books.errors import InvalidInput, RecordNotFound
from mcp_books.sources.internet_archive.reading import read_found

from .asking import ABSENT_WORD, Archive
from .reading import SEARCH, ascending, found, simple

pytestmark = [pytest.mark.anyio, pytest.mark.archive("archive")]

PHRASE, WORDS = '"call me ishmael"', "call me ishmael"
ANOTHER = '"insular city of the manhattoes"'
"""A phrase of the same book, some sentences on."""


async def test_the_full_text_search_sends_passages_that_carry_the_words(archive: Archive) -> None:
    answer, report = await archive.inside(PHRASE, limit=10)
    passages = [hit for hit in answer.hits if hit.excerpt_kind == "passage"]
    assert any("ishmael" in simple(text) for hit in passages for text in hit.excerpts)
    openings = [hit for hit in answer.hits if hit.excerpt_kind == "page_opening"]
    assert not any(WORDS in simple(text) for hit in openings for text in hit.excerpts)
    assert report.reported_total is not None


async def test_the_full_text_index_names_no_page_of_a_match(archive: Archive) -> None:
    answer, _ = await archive.inside(PHRASE, limit=10)
    assert answer.hits
    assert {hit.page_number for hit in answer.hits} == {None}
    sent = await found(archive, "fts", PHRASE)
    names = {name for fields in sent.fields for name in fields}
    assert {name for name in names if "page" in name or "leaf" in name} <= {"page_num"}


async def test_page_num_is_one_number_a_document_wherever_the_words_stand(
    archive: Archive,
) -> None:
    numbers = [
        {
            (fields["identifier"], fields.get("file_basename")): fields.get("page_num")
            for fields in (await found(archive, "fts", words, size=50)).fields
        }
        for words in (ANOTHER, f"{PHRASE} {ANOTHER}")
    ]
    both = numbers[0].keys() & numbers[1].keys()
    if not both:
        pytest.skip("nothing to compare: no document came for both searches")
    differing = {document for document in both if numbers[0][document] != numbers[1][document]}
    assert not differing


async def test_as_many_rows_come_as_hits_per_page_asks_for(archive: Archive) -> None:
    for backend in ("fts", "metadata"):
        sent = await found(archive, backend, "whale", size=2)
        assert sent.total > 2
        assert len(sent.rows) == 2


async def test_or_in_lower_case_is_a_word_and_every_word_is_required(archive: Archive) -> None:
    query = f"whale OR {ABSENT_WORD}"
    inside, of_texts = await archive.inside(query)
    items, of_items = await archive.items(query)
    assert not inside.hits
    assert not items.items
    lowered = f"whale or {ABSENT_WORD}"
    assert {of_texts.queries[0].sent_as, of_items.queries[0].sent_as} == {lowered}


async def test_filter_map_narrows_by_kind_and_by_years(archive: Archive) -> None:
    answer, report = await archive.items(
        "whale", media_type="texts", year_from=1840, year_to=1900, limit=25
    )
    assert answer.items
    assert {row.media_type for row in answer.items} == {"texts"}
    assert all(row.year is not None and 1840 <= row.year <= 1900 for row in answer.items)
    assert not report.filters_dropped


async def test_filter_map_takes_two_bounds_on_one_year(archive: Archive) -> None:
    answer, _ = await archive.items("whale", year_from=1851, year_to=1851)
    assert {row.year for row in answer.items} == {1851}


async def test_fields_are_one_list_between_commas(archive: Archive) -> None:
    sent = await found(archive, "metadata", "whale", ("fields", "identifier,title"))
    assert sent.rows
    assert all({"identifier", "title"} <= fields.keys() for fields in sent.fields)
    more = {name for fields in sent.fields for name in fields} - {"identifier", "title", "_tile_"}
    assert not more & {"description", "creator", "date", "downloads", "subject"}


@pytest.mark.parametrize(("sort", "key"), [("oldest", "date:asc"), ("newest", "date:desc")])
async def test_sort_is_a_field_and_a_direction(archive: Archive, sort: str, key: str) -> None:
    narrowed = ("filter_map", '{"year":{"1800":"gte","1900":"lte"}}')
    asked = (("fields", "identifier,date"), narrowed, ("sort", key))
    sent = await found(archive, "metadata", "whale", *asked, size=50)
    dates = [str(fields["date"]) for fields in sent.fields if "date" in fields]
    assert len(set(dates)) > 1
    assert ascending(dates if sort == "oldest" else reversed(dates))
    _, report = await archive.items("whale", sort=sort)
    assert report.ordered_on == sort


async def test_rows_are_sorted_by_title(archive: Archive) -> None:
    ends = []
    for key in ("titleSorter:asc", "titleSorter:desc"):
        asked = (("fields", "identifier,title"), ("sort", key))
        ends.append((await found(archive, "metadata", "whale", *asked)).fields[0])
    assert ends[0] != ends[1]


async def test_a_page_past_ten_thousand_results_is_refused_as_the_callers(
    archive: Archive,
) -> None:
    params = [
        ("service_backend", "fts"),
        ("user_query", "whale"),
        ("hits_per_page", "50"),
        ("page", "201"),
        ("aggregations", "false"),
    ]
    with pytest.raises(InvalidInput, match="refused the page"):
        await archive.wire(SEARCH, params, read_found)


async def test_the_record_of_a_row_is_read_without_the_names_of_those_who_handled_it(
    archive: Archive,
) -> None:
    answer, _ = await archive.items("whale", media_type="texts", limit=1)
    record = await archive.record(answer.items[0].id)
    assert record.identifier == answer.items[0].identifier
    assert record.title
    assert record.copies
    assert not record.context.keys() & {"uploader", "scanner", "operator", "updater"}


async def test_an_unknown_item_is_not_found(archive: Archive) -> None:
    with pytest.raises(RecordNotFound):
        await archive.record(f"archive:no-such-item-{ABSENT_WORD}")
