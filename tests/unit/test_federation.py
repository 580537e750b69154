"""The rules of the merge, through the public client, over archives that answer from memory."""

from __future__ import annotations

import anyio
import pytest

from mcp_books._phrases import Kind
from mcp_books.client import BooksClient
from mcp_books.errors import InvalidInput, NetworkFailure, ParseFailure, RateLimited
from mcp_books.models import BriefRecord, Hit
from mcp_books.reports import Absent, Answered, Failed
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery, HitCount, InsideQuery, ResultPage
from tests.fakes import (
    FakeArchive,
    FakeCatalogue,
    answering,
    failing,
    hit,
    items_of,
    listing,
    page_of,
    row,
)

from .asked_archives import ask_inside, ask_items, kinds_of

pytestmark = pytest.mark.anyio


@pytest.mark.proves("6.1")
async def test_archives_are_asked_at_the_same_time_and_wordings_in_turn() -> None:
    both_asked = anyio.Event()
    waiting = 0
    in_flight: list[str] = []

    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        nonlocal waiting
        in_flight.append(query.text)
        waiting += 1
        if waiting == 2:
            both_asked.set()
        await both_asked.wait()
        return page_of(())

    alpha, beta = FakeArchive("alpha", inside=inside), FakeArchive("beta", inside=inside)
    answer = await ask_inside(alpha, beta, query="whale ship")
    assert in_flight[:2] == ["whale ship", "whale ship"]
    assert sorted(in_flight[2:]) == ["whaleship", "whaleship"]
    assert answer.queries_run == ("whale ship", "whaleship")


@pytest.mark.proves("6.2", "6.3")
async def test_hits_interleave_and_passages_come_before_openings() -> None:
    alpha = FakeArchive("alpha", inside=answering(hit(reference="a1", kind="page_opening"), hit()))
    beta = FakeArchive("beta", inside=answering(hit("beta", "b1"), hit("beta", "b2")))
    answer = await ask_inside(alpha, beta)
    assert [each.identifier for each in answer.hits] == ["b1", "alpha-1", "b2", "a1"]
    assert (answer.excerpt_kinds.passage, answer.excerpt_kinds.page_opening) == (3, 1)
    assert Kind.PAGE_OPENINGS in kinds_of(answer)


@pytest.mark.proves("6.4")
async def test_a_record_found_by_two_wordings_is_one_row_and_two_archives_are_two() -> None:
    same = row("alpha", "x")
    alpha, beta = (
        FakeArchive("alpha", items=listing(same)),
        FakeArchive("beta", items=listing(row("beta", "x"))),
    )
    answer = await ask_items(alpha, beta, query="whale ship")
    assert [each.id for each in answer.items] == ["alpha:x", "beta:x"]
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert [(each.count, each.added) for each in report.queries] == [(1, 1), (1, 0)]


@pytest.mark.proves("6.5", "5.1", "5.2")
async def test_failed_absent_and_empty_are_three_different_statements() -> None:
    failed = FakeArchive("alpha", inside=failing(RateLimited("slow down", hint="Wait.")))
    answer = await ask_inside(failed, FakeArchive("beta"), FakeCatalogue())
    first, second, third = answer.per_source
    assert isinstance(first, Failed)
    assert (first.error.code, first.stage) == ("rate_limited", "search")
    assert first.queries[0].error is not None
    assert isinstance(second, Answered)
    assert (second.count, second.reported_total) == (0, 0)
    assert isinstance(third, Absent)
    assert set(third.dump()) == {"source", "name", "status", "absent_because"}
    assert Kind.SOURCE_FAILED in kinds_of(answer)
    assert Kind.NOTHING_ESTABLISHED not in kinds_of(answer)


@pytest.mark.proves("6.6")
async def test_a_narrowing_that_cannot_be_applied_is_not_sent_and_is_named() -> None:
    able = FakeArchive("alpha")
    unable = FakeCatalogue(
        honours=frozenset(), cannot_filter={"year_range": "no years", "sort": "one order"}
    )
    answer = await ask_items(able, unable, year_from=1850, sort="newest")
    asked = able.asked[0], unable.asked[0]
    assert [(each.year_from, each.sort) for each in asked if isinstance(each, CatalogueQuery)] == [
        (1850, "newest"),
        (None, "relevance"),
    ]
    reports = [each for each in answer.per_source if isinstance(each, Answered)]
    assert [[dropped.filter for dropped in each.filters_dropped] for each in reports] == [
        [],
        ["year_range", "sort"],
    ]


@pytest.mark.proves("6.7")
async def test_an_archive_without_the_media_type_is_absent_with_its_own_names() -> None:
    films = FakeArchive("beta", media_types=("films", "books"), default_media_type="books")
    answer = await ask_items(FakeArchive("alpha"), films, media_type="texts")
    absent = answer.per_source[1]
    assert isinstance(absent, Absent)
    assert "films" in absent.absent_because
    assert films.asked == []
    assert list(answer.media_types) == ["alpha"]


@pytest.mark.proves("6.7")
async def test_a_media_type_of_no_archive_is_refused_with_all_names() -> None:
    with pytest.raises(InvalidInput) as refused:
        await ask_items(FakeArchive("alpha"), media_type="text")
    assert "texts" in (refused.value.hint or "")


@pytest.mark.proves("6.7")
async def test_an_archive_that_is_not_asked_for_everything_says_for_what() -> None:
    answer = await ask_items(FakeArchive(default_media_type="texts", items=listing(row())))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert report.media_type_asked == "texts"
    assert Kind.DEFAULT_MEDIA_TYPE in kinds_of(answer)


@pytest.mark.proves("6.8")
async def test_a_count_belongs_to_the_wording_that_produced_it() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        found = [hit(reference="one")] if query.text == "whale ship" else [hit(reference="two")]
        count = 7 if query.text == "whale ship" else 900
        return page_of(found, total=HitCount(count, "documents"), more=True)

    answer = await ask_inside(FakeArchive(inside=inside), query="whale ship")
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert (report.count, report.reported_total) == (2, 7)
    assert "'whale ship'" in (report.reported_total_means or "")
    assert report.more_on_this_archive is None
    assert Kind.MORE_AVAILABLE not in kinds_of(answer)


@pytest.mark.proves("6.8")
async def test_more_is_what_the_archive_says_when_the_words_as_asked_were_enough() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        return page_of([hit(reference=str(n)) for n in range(3)], more=True)

    answer = await ask_inside(FakeArchive(inside=inside))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert report.more_on_this_archive is True
    assert Kind.MORE_AVAILABLE in kinds_of(answer)


@pytest.mark.proves("6.9")
async def test_an_archive_that_stalls_is_a_time_out_and_the_others_rows_arrive() -> None:
    async def stall(query: InsideQuery) -> ResultPage[Hit]:
        await anyio.sleep_forever()
        raise AssertionError

    settings = Settings.model_construct(**(Settings().model_dump() | {"answer_timeout": 1.05}))
    sources = FakeArchive("alpha", inside=stall), FakeArchive("beta", inside=answering(hit("beta")))
    with anyio.fail_after(5):
        async with BooksClient(settings, sources=sources) as books:
            answer = await books.search_inside("whale")
    first = answer.per_source[0]
    assert isinstance(first, Failed)
    assert first.error.code == "timeout"
    assert [each.source for each in answer.hits] == ["beta"]


@pytest.mark.proves("6.9")
async def test_a_further_wording_is_withheld_when_its_slot_and_five_seconds_do_not_fit() -> None:
    settings = Settings(answer_timeout=10)
    async with BooksClient(settings, sources=[FakeArchive(next_slot=4.5)]) as books:
        answer = await books.search_inside("whale ship")
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert [each.ran for each in report.queries] == [True, False]
    assert report.queries[1].not_run_because is not None


@pytest.mark.proves("6.10", "5.5")
async def test_unreadable_rows_are_counted_and_rows_set_aside_apart() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([row()], unreadable=2, set_aside=3)

    answer = await ask_items(FakeArchive(items=items))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert (report.skipped, report.set_aside, report.count) == (2, 3, 1)


@pytest.mark.proves("6.10")
async def test_an_answer_of_unreadable_rows_is_a_parse_failure_and_no_absence() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([], unreadable=5)

    answer = await ask_items(FakeArchive(items=items))
    report = answer.per_source[0]
    assert isinstance(report, Failed)
    assert (report.error.code, report.stage) == ("parse_failure", "read")


@pytest.mark.proves("6.11")
async def test_what_one_archive_cannot_take_is_its_own_failure() -> None:
    refusing = FakeArchive("alpha", inside=failing(InvalidInput("no word it can search")))
    answer = await ask_inside(refusing, FakeArchive("beta", inside=answering(hit("beta"))))
    first = answer.per_source[0]
    assert isinstance(first, Failed)
    assert first.error.code == "invalid_input"
    assert answer.hit_count == 1


@pytest.mark.proves("6.11")
async def test_a_call_is_refused_when_every_archive_asked_would_refuse_it() -> None:
    refusing = [
        FakeArchive(name, inside=failing(InvalidInput("no word", hint="Use words.")))
        for name in ("alpha", "beta")
    ]
    with pytest.raises(InvalidInput) as refused:
        await ask_inside(*refusing, FakeCatalogue())
    assert refused.value.hint == "Use words."


@pytest.mark.proves("6.12")
async def test_when_every_archive_failed_the_answer_says_that_nothing_was_established() -> None:
    answer = await ask_inside(
        FakeArchive("alpha", inside=failing(NetworkFailure("down"))),
        FakeArchive("beta", inside=failing(ParseFailure("html"))),
    )
    assert kinds_of(answer)[0] is Kind.NOTHING_ESTABLISHED
    assert answer.hits == ()


@pytest.mark.proves("6.12")
async def test_naming_only_archives_that_cannot_answer_gives_absences() -> None:
    answer = await ask_inside(FakeArchive(), FakeCatalogue(), sources=["gamma"])
    assert [each.status for each in answer.per_source] == ["absent"]
    assert kinds_of(answer) == [Kind.NOTHING_ASKED]


@pytest.mark.proves("6.12")
async def test_naming_calibre_where_none_is_configured_is_refused_with_the_reason() -> None:
    with pytest.raises(InvalidInput) as refused:
        await ask_inside(FakeArchive(), sources=["calibre"])
    assert "Calibre" in refused.value.message
    async with BooksClient(Settings(), sources=[FakeArchive()]) as books:
        with pytest.raises(InvalidInput) as refused:
            await books.get_item("calibre:Library/7")
    assert "Calibre" in refused.value.message
