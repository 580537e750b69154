"""What an answer says of its rows, its counts and the archives that sent them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from mcp_books._phrases import Kind
from mcp_books.arguments import InsideRequest
from mcp_books.client import BooksClient
from mcp_books.errors import InvalidInput, RecordNotFound
from mcp_books.models import BriefRecord, Hit
from mcp_books.reports import Absent, Answered, Failed
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery, HitCount, InsideQuery, Remark, ResultPage
from tests.fakes import (
    FakeArchive,
    FakeCatalogue,
    answering,
    failing,
    hit,
    items_of,
    page_of,
    record,
    row,
)

from .asked_archives import ask_inside, ask_items, kinds_of

pytestmark = pytest.mark.anyio


@pytest.mark.proves("5.3")
async def test_an_entry_carries_only_what_this_call_asked() -> None:
    inside = (await ask_inside(FakeArchive())).per_source[0].dump()
    items = (await ask_items(FakeArchive())).per_source[0].dump()
    assert {"corpus", "publishes_page_number"} <= set(inside)
    assert not {"searches_on", "row_describes", "media_type_asked"} & set(inside)
    assert {"searches_on", "row_describes", "media_type_asked"} <= set(items)
    assert not {"corpus", "publishes_page_number"} & set(items)


@pytest.mark.proves("5.4")
async def test_what_was_sent_is_told_only_where_it_differs_from_the_wording() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        return page_of([], sent_as='"AT T"')

    reworded = (await ask_inside(FakeArchive(inside=inside))).per_source[0]
    as_it_was = (await ask_inside(FakeArchive())).per_source[0]
    assert isinstance(reworded, Answered)
    assert isinstance(as_it_was, Answered)
    assert reworded.queries[0].sent_as == '"AT T"'
    assert "sent_as" not in as_it_was.queries[0].dump()


@pytest.mark.proves("9.4")
async def test_a_fault_of_our_own_is_that_archives_parse_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = FakeArchive("alpha", inside=failing(KeyError("title")))
    answer = await ask_inside(broken, FakeArchive("beta", inside=answering(hit("beta"))))
    first = answer.per_source[0]
    assert isinstance(first, Failed)
    assert first.error.code == "parse_failure"
    assert answer.hit_count == 1
    assert "KeyError" in caplog.text


@pytest.mark.proves("10.5")
async def test_a_field_that_does_not_apply_is_left_out_and_an_unknown_one_is_null() -> None:
    answer = await ask_inside(FakeArchive(inside=answering(hit(page_number=None))))
    dumped = answer.dump()["hits"][0]
    assert dumped["page_number"] is None
    assert dumped["creator"] is None
    assert "section" not in dumped


async def test_remarks_of_an_archive_become_notes_about_it() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([], remarks=(Remark(Kind.WORDS_SET_ASIDE, {"name": "A", "words": "x"}),))

    answer = await ask_items(FakeArchive(items=items))
    assert [(note.kind, note.source) for note in answer.notes] == [(Kind.WORDS_SET_ASIDE, "alpha")]


async def test_progress_is_told_after_each_archive_that_was_asked() -> None:
    told: list[tuple[int, int, str]] = []

    async def on_progress(done: int, total: int, name: str) -> None:
        told.append((done, total, name))

    sources = FakeArchive("alpha"), FakeArchive("beta"), FakeCatalogue()
    async with BooksClient(Settings(), sources=sources) as books:
        await books.ask(InsideRequest(query="whale"), on_progress=on_progress)
    assert [each[:2] for each in told] == [(1, 2), (2, 2)]
    assert {each[2] for each in told} == {"Alpha", "Beta"}


@pytest.mark.proves("8.3")
async def test_a_record_is_read_and_says_how_its_identifier_was_read() -> None:
    archive = FakeArchive(records={"abc": record(reference="abc", description="Text")})
    async with BooksClient(Settings(), sources=[archive]) as books:
        given = await books.get_item("alpha:abc")
        bare = await books.get_item("abc")
    assert "id_read_as" not in given.dump()
    assert bare.id_read_as == "alpha:abc"
    assert given.item.description == "Text"
    assert Kind.NO_TERMS_STATED in [note.kind for note in given.notes]


async def test_an_unknown_record_is_not_found_and_names_its_archive() -> None:
    async with BooksClient(Settings(), sources=[FakeArchive()]) as books:
        with pytest.raises(RecordNotFound) as missing:
            await books.get_item("alpha:zzz")
    assert missing.value.source == "alpha"


async def test_a_client_outside_its_block_says_so() -> None:
    with pytest.raises(RuntimeError):
        await BooksClient(Settings(), sources=[FakeArchive()]).search_inside("whale")


async def test_the_same_archive_twice_is_refused() -> None:
    with pytest.raises(InvalidInput):
        BooksClient(Settings(), sources=[FakeArchive(), FakeArchive()])


@pytest.mark.proves("9.4")
async def test_an_archive_that_declares_no_reasons_is_still_reported() -> None:
    silent = FakeCatalogue()
    silent.profile = replace(silent.profile, cannot={}, honours=frozenset(), attribution="A {b}")
    inside, items = await ask_inside(silent), await ask_items(silent, year_from=1850)
    assert isinstance(inside.per_source[0], Absent)
    report = items.per_source[0]
    assert isinstance(report, Answered)
    assert report.attribution == "A {b}"
    assert report.filters_dropped[0].because


@pytest.mark.proves("9.1")
async def test_a_time_out_raised_by_an_archive_is_not_taken_for_the_calls_deadline(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = await ask_inside(FakeArchive(inside=failing(TimeoutError("socket"))))
    report = answer.per_source[0]
    assert isinstance(report, Failed)
    assert report.error.code == "parse_failure"
    assert "socket" in caplog.text


async def test_a_media_type_is_read_whatever_its_case() -> None:
    archive = FakeArchive()
    await ask_items(archive, media_type=" Texts ")
    assert [each.media_type for each in archive.asked if isinstance(each, CatalogueQuery)] == [
        "texts"
    ]


@pytest.mark.proves("7.8")
async def test_no_more_rows_are_taken_than_the_limit_and_the_rest_is_more() -> None:
    rows = [hit(reference=str(n)) for n in range(5)]
    answer = await ask_inside(FakeArchive(inside=answering(*rows)), limit=2)
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert [each.identifier for each in answer.hits] == ["0", "1"]
    assert report.more_on_this_archive is True


@pytest.mark.proves("6.8")
async def test_a_row_sent_twice_is_not_taken_for_more() -> None:
    rows = hit(reference="a"), hit(reference="a"), hit(reference="b")
    answer = await ask_inside(FakeArchive(inside=answering(*rows)), limit=3)
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert (report.count, report.more_on_this_archive) == (2, False)


@pytest.mark.proves("6.8")
async def test_a_count_smaller_than_its_rows_is_not_published() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        found = [hit(reference=str(n)) for n in range(3)]
        return page_of(found, total=HitCount(1, "documents"), more=False)

    report = (await ask_inside(FakeArchive(inside=inside))).per_source[0]
    assert isinstance(report, Answered)
    assert (report.reported_total, report.more_on_this_archive) == (None, None)


@pytest.mark.proves("5.5")
async def test_rows_that_could_not_be_read_are_counted_over_all_wordings() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([row("alpha", query.text)], unreadable=1, set_aside=1)

    report = (await ask_items(FakeArchive(items=items), query="whale ship")).per_source[0]
    assert isinstance(report, Answered)
    assert (report.skipped, report.set_aside) == (2, 2)


@pytest.mark.proves("6.10")
async def test_unreadable_rows_beside_rows_set_aside_are_still_a_parse_failure() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([], unreadable=1, set_aside=4)

    report = (await ask_items(FakeArchive(items=items))).per_source[0]
    assert isinstance(report, Failed)
    assert report.error.code == "parse_failure"


async def test_an_answer_is_cached_only_if_all_of_it_was_and_keeps_its_first_date() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        first = query.text == "whale ship"
        day = date(2026, 11, 28 if first else 29)
        return items_of([], cached=first, retrieved=day)

    archive = FakeArchive(items=items, attribution="Alpha, {retrieved}")
    report = (await ask_items(archive, query="whale ship")).per_source[0]
    assert isinstance(report, Answered)
    assert (report.cached, report.attribution) == (False, "Alpha, 2026-11-28")


@pytest.mark.proves("6.6")
async def test_a_year_to_alone_is_dropped_and_named_too() -> None:
    unable = FakeCatalogue(honours=frozenset(), cannot_filter={"year_range": "no years"})
    report = (await ask_items(unable, year_to=1900)).per_source[0]
    assert isinstance(report, Answered)
    assert [each.filter for each in report.filters_dropped] == ["year_range"]


async def test_no_further_page_is_offered_where_a_window_was_full_or_pages_end() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        full = Remark(Kind.WINDOW_FULL, {"name": "A", "window": 400})
        remarks = (full,) if query.page == 1 else ()
        return items_of([row()], more=True, remarks=remarks)

    assert Kind.MORE_AVAILABLE not in kinds_of(await ask_items(FakeArchive(items=items)))
    assert Kind.MORE_AVAILABLE in kinds_of(await ask_items(FakeArchive(items=items), page=2))
    assert Kind.MORE_AVAILABLE not in kinds_of(await ask_items(FakeArchive(items=items), page=100))


async def test_a_page_past_the_last_row_says_so() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([], total=HitCount(3, "items"))

    assert Kind.PAST_THE_END in kinds_of(await ask_items(FakeArchive(items=items), page=7))
    assert Kind.PAST_THE_END not in kinds_of(await ask_items(FakeArchive(items=items)))


async def test_hits_without_an_excerpt_are_told_apart_from_page_openings() -> None:
    bare = hit(reference="bare", kind="page_opening").model_copy(update={"excerpts": ()})
    answer = await ask_inside(FakeArchive(inside=answering(bare)))
    assert Kind.NO_EXCERPT in kinds_of(answer)
    assert Kind.PAGE_OPENINGS not in kinds_of(answer)
