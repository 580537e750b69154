"""The rules of the merge, through the public client, over archives that answer from memory."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date

import anyio
import pytest

from mcp_books._phrases import Kind
from mcp_books.arguments import InsideRequest
from mcp_books.client import BooksClient
from mcp_books.errors import (
    BooksError,
    InvalidInput,
    NetworkFailure,
    ParseFailure,
    RateLimited,
    RecordNotFound,
)
from mcp_books.identifiers import Claim
from mcp_books.models import BriefRecord, Hit, Rights
from mcp_books.reports import Absent, Answered, Failed, InsideAnswer, ItemsAnswer
from mcp_books.settings import Settings
from mcp_books.sources.base import (
    CatalogueQuery,
    HitCount,
    InsideQuery,
    Remark,
    ResultPage,
    Source,
)
from tests.fakes import (
    FakeArchive,
    FakeCatalogue,
    Inside,
    answering,
    failing,
    hit,
    items_of,
    listing,
    page_of,
    record,
    row,
)

pytestmark = pytest.mark.anyio


async def _inside(*sources: Source, query: str = "whale", **arguments: object) -> InsideAnswer:
    with anyio.fail_after(5):
        async with BooksClient(Settings(), sources=sources) as books:
            return await books.search_inside(query, **arguments)  # type: ignore[arg-type]


async def _items(*sources: Source, query: str = "whale", **arguments: object) -> ItemsAnswer:
    with anyio.fail_after(5):
        async with BooksClient(Settings(), sources=sources) as books:
            return await books.search_items(query, **arguments)  # type: ignore[arg-type]


def _kinds(answer: InsideAnswer | ItemsAnswer) -> list[Kind]:
    return [note.kind for note in answer.notes]


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
    answer = await _inside(alpha, beta, query="whale ship")
    assert in_flight[:2] == ["whale ship", "whale ship"]
    assert sorted(in_flight[2:]) == ["whaleship", "whaleship"]
    assert answer.queries_run == ("whale ship", "whaleship")


@pytest.mark.proves("6.2", "6.3")
async def test_hits_interleave_and_passages_come_before_openings() -> None:
    alpha = FakeArchive("alpha", inside=answering(hit(reference="a1", kind="page_opening"), hit()))
    beta = FakeArchive("beta", inside=answering(hit("beta", "b1"), hit("beta", "b2")))
    answer = await _inside(alpha, beta)
    assert [each.identifier for each in answer.hits] == ["b1", "alpha-1", "b2", "a1"]
    assert (answer.excerpt_kinds.passage, answer.excerpt_kinds.page_opening) == (3, 1)
    assert Kind.PAGE_OPENINGS in _kinds(answer)


@pytest.mark.proves("6.4")
async def test_a_record_found_by_two_wordings_is_one_row_and_two_archives_are_two() -> None:
    same = row("alpha", "x")
    alpha, beta = (
        FakeArchive("alpha", items=listing(same)),
        FakeArchive("beta", items=listing(row("beta", "x"))),
    )
    answer = await _items(alpha, beta, query="whale ship")
    assert [each.id for each in answer.items] == ["alpha:x", "beta:x"]
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert [(each.count, each.added) for each in report.queries] == [(1, 1), (1, 0)]


@pytest.mark.proves("6.5", "5.1", "5.2")
async def test_failed_absent_and_empty_are_three_different_statements() -> None:
    failed = FakeArchive("alpha", inside=failing(RateLimited("slow down", hint="Wait.")))
    answer = await _inside(failed, FakeArchive("beta"), FakeCatalogue())
    first, second, third = answer.per_source
    assert isinstance(first, Failed)
    assert (first.error.code, first.stage) == ("rate_limited", "search")
    assert first.queries[0].error is not None
    assert isinstance(second, Answered)
    assert (second.count, second.reported_total) == (0, 0)
    assert isinstance(third, Absent)
    assert set(third.dump()) == {"source", "name", "status", "absent_because"}
    assert Kind.SOURCE_FAILED in _kinds(answer)
    assert Kind.NOTHING_ESTABLISHED not in _kinds(answer)


@pytest.mark.proves("6.6")
async def test_a_narrowing_that_cannot_be_applied_is_not_sent_and_is_named() -> None:
    able = FakeArchive("alpha")
    unable = FakeCatalogue(
        honours=frozenset(), cannot_filter={"year_range": "no years", "sort": "one order"}
    )
    answer = await _items(able, unable, year_from=1850, sort="newest")
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
    answer = await _items(FakeArchive("alpha"), films, media_type="texts")
    absent = answer.per_source[1]
    assert isinstance(absent, Absent)
    assert "films" in absent.absent_because
    assert films.asked == []
    assert list(answer.media_types) == ["alpha"]


@pytest.mark.proves("6.7")
async def test_a_media_type_of_no_archive_is_refused_with_all_names() -> None:
    with pytest.raises(InvalidInput) as refused:
        await _items(FakeArchive("alpha"), media_type="text")
    assert "texts" in (refused.value.hint or "")


@pytest.mark.proves("6.7")
async def test_an_archive_that_is_not_asked_for_everything_says_for_what() -> None:
    answer = await _items(FakeArchive(default_media_type="texts", items=listing(row())))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert report.media_type_asked == "texts"
    assert Kind.DEFAULT_MEDIA_TYPE in _kinds(answer)


@pytest.mark.proves("6.8")
async def test_a_count_belongs_to_the_wording_that_produced_it() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        found = [hit(reference="one")] if query.text == "whale ship" else [hit(reference="two")]
        count = 7 if query.text == "whale ship" else 900
        return page_of(found, total=HitCount(count, "documents"), more=True)

    answer = await _inside(FakeArchive(inside=inside), query="whale ship")
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert (report.count, report.reported_total) == (2, 7)
    assert "'whale ship'" in (report.reported_total_means or "")
    assert report.more_on_this_archive is None
    assert Kind.MORE_AVAILABLE not in _kinds(answer)


@pytest.mark.proves("6.8")
async def test_more_is_what_the_archive_says_when_the_words_as_asked_were_enough() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        return page_of([hit(reference=str(n)) for n in range(3)], more=True)

    answer = await _inside(FakeArchive(inside=inside))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert report.more_on_this_archive is True
    assert Kind.MORE_AVAILABLE in _kinds(answer)


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

    answer = await _items(FakeArchive(items=items))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert (report.skipped, report.set_aside, report.count) == (2, 3, 1)


@pytest.mark.proves("6.10")
async def test_an_answer_of_unreadable_rows_is_a_parse_failure_and_no_absence() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([], unreadable=5)

    answer = await _items(FakeArchive(items=items))
    report = answer.per_source[0]
    assert isinstance(report, Failed)
    assert (report.error.code, report.stage) == ("parse_failure", "read")


@pytest.mark.proves("6.11")
async def test_what_one_archive_cannot_take_is_its_own_failure() -> None:
    refusing = FakeArchive("alpha", inside=failing(InvalidInput("no word it can search")))
    answer = await _inside(refusing, FakeArchive("beta", inside=answering(hit("beta"))))
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
        await _inside(*refusing, FakeCatalogue())
    assert refused.value.hint == "Use words."


@pytest.mark.proves("6.12")
async def test_when_every_archive_failed_the_answer_says_that_nothing_was_established() -> None:
    answer = await _inside(
        FakeArchive("alpha", inside=failing(NetworkFailure("down"))),
        FakeArchive("beta", inside=failing(ParseFailure("html"))),
    )
    assert _kinds(answer)[0] is Kind.NOTHING_ESTABLISHED
    assert answer.hits == ()


@pytest.mark.proves("6.12")
async def test_naming_only_archives_that_cannot_answer_gives_absences() -> None:
    answer = await _inside(FakeArchive(), FakeCatalogue(), sources=["gamma"])
    assert [each.status for each in answer.per_source] == ["absent"]
    assert _kinds(answer) == [Kind.NOTHING_ASKED]


@pytest.mark.proves("6.12")
async def test_naming_calibre_where_none_is_configured_is_refused_with_the_reason() -> None:
    with pytest.raises(InvalidInput) as refused:
        await _inside(FakeArchive(), sources=["calibre"])
    assert "Calibre" in refused.value.message
    async with BooksClient(Settings(), sources=[FakeArchive()]) as books:
        with pytest.raises(InvalidInput) as refused:
            await books.get_item("calibre:Library/7")
    assert "Calibre" in refused.value.message


@pytest.mark.proves("7.8", "7.11")
async def test_at_most_three_wordings_are_sent_and_the_rest_listed_with_the_reason() -> None:
    archive = FakeArchive()
    answer = await _inside(archive, query='"le vieil océan"')
    assert len(archive.asked) == 3
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    ran = [each for each in report.queries if each.ran]
    withheld = [each for each in report.queries if not each.ran]
    assert [each.count for each in ran] == [0, 0, 0]
    assert withheld
    assert all(each.not_run_because for each in withheld)


@pytest.mark.proves("7.8")
async def test_a_derived_wording_is_withheld_once_enough_was_found() -> None:
    archive = FakeArchive(inside=answering(hit(reference="a"), hit(reference="b")))
    await _inside(archive, query="whale ship", limit=2)
    assert [each.text for each in archive.asked] == ["whale ship"]


async def _asked_again(follow_up: ResultPage[BriefRecord] | Exception) -> ItemsAnswer:
    """Search an archive whose first answer establishes nothing and which then asks again."""

    async def again() -> ResultPage[BriefRecord]:
        if isinstance(follow_up, Exception):
            raise follow_up
        return follow_up

    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        windowed = Remark(Kind.WINDOW_WITHOUT_WORKS, {"name": "A", "window": 400})
        return items_of([], total=None, more=None, remarks=(windowed,), again=again)

    return await _items(FakeArchive(items=items), query="whale", limit=1)


@pytest.mark.proves("7.8", "7.11")
async def test_the_same_words_asked_in_another_field_replace_what_established_nothing() -> None:
    answer = await _asked_again(items_of([row()], more=True))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert [(each.query, each.added) for each in report.queries] == [("whale", 0), ("whale", 1)]
    assert report.queries[0].derivation != report.queries[1].derivation
    assert report.more_on_this_archive is True
    assert _kinds(answer) == [Kind.MORE_AVAILABLE]


@pytest.mark.proves("7.10")
async def test_the_first_answer_stands_when_asking_again_fails() -> None:
    answer = await _asked_again(NetworkFailure("down"))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert (report.count, report.more_on_this_archive) == (0, None)
    assert {Kind.WINDOW_WITHOUT_WORKS, Kind.WORDING_FAILED} <= set(_kinds(answer))


@pytest.mark.proves("7.8")
async def test_asking_again_counts_as_one_of_the_three_requests() -> None:
    sent: list[str] = []

    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        async def again() -> ResultPage[BriefRecord]:
            sent.append(f"again {query.text}")
            return items_of([])

        sent.append(query.text)
        return items_of([], again=again)

    await _items(FakeArchive(items=items), query="whale ship")
    assert sent == ["whale ship", "again whale ship", "whaleship"]


@pytest.mark.proves("7.9")
@pytest.mark.parametrize("arguments", [{"page": 2}, {"fan_out": False}])
async def test_beyond_page_one_or_without_fan_out_only_the_words_as_asked_are_sent(
    arguments: dict[str, object],
) -> None:
    archive = FakeArchive()
    await _inside(archive, query="whale ship", **arguments)
    assert [each.text for each in archive.asked] == ["whale ship"]


@pytest.mark.proves("7.10")
async def test_rows_stand_when_a_further_wording_fails() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        if query.text == "whale ship":
            return page_of([hit()])
        raise NetworkFailure("down")

    answer = await _inside(FakeArchive(inside=inside), query="whale ship")
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert report.count == 1
    assert report.queries[1].error is not None
    assert Kind.WORDING_FAILED in _kinds(answer)


@pytest.mark.proves("7.10")
async def test_a_failure_stops_the_in_turn() -> None:
    archive = FakeArchive(inside=failing(NetworkFailure("down")))
    answer = await _inside(archive, query="whale ship")
    assert len(archive.asked) == 1
    report = answer.per_source[0]
    assert isinstance(report, Failed)
    assert [each.ran for each in report.queries] == [True, False]


@pytest.mark.proves("5.3")
async def test_an_entry_carries_only_what_this_call_asked() -> None:
    inside = (await _inside(FakeArchive())).per_source[0].dump()
    items = (await _items(FakeArchive())).per_source[0].dump()
    assert {"corpus", "publishes_page_number"} <= set(inside)
    assert not {"searches_on", "row_describes", "media_type_asked"} & set(inside)
    assert {"searches_on", "row_describes", "media_type_asked"} <= set(items)
    assert not {"corpus", "publishes_page_number"} & set(items)


@pytest.mark.proves("5.4")
async def test_what_was_sent_is_told_only_where_it_differs_from_the_wording() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        return page_of([], sent_as='"AT T"')

    reworded = (await _inside(FakeArchive(inside=inside))).per_source[0]
    as_it_was = (await _inside(FakeArchive())).per_source[0]
    assert isinstance(reworded, Answered)
    assert isinstance(as_it_was, Answered)
    assert reworded.queries[0].sent_as == '"AT T"'
    assert "sent_as" not in as_it_was.queries[0].dump()


@pytest.mark.proves("9.4")
async def test_a_fault_of_our_own_is_that_archives_parse_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = FakeArchive("alpha", inside=failing(KeyError("title")))
    answer = await _inside(broken, FakeArchive("beta", inside=answering(hit("beta"))))
    first = answer.per_source[0]
    assert isinstance(first, Failed)
    assert first.error.code == "parse_failure"
    assert answer.hit_count == 1
    assert "KeyError" in caplog.text


@pytest.mark.proves("10.5")
async def test_a_field_that_does_not_apply_is_left_out_and_an_unknown_one_is_null() -> None:
    answer = await _inside(FakeArchive(inside=answering(hit(page_number=None))))
    dumped = answer.dump()["hits"][0]
    assert dumped["page_number"] is None
    assert dumped["creator"] is None
    assert "section" not in dumped


async def test_remarks_of_an_archive_become_notes_about_it() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([], remarks=(Remark(Kind.WORDS_SET_ASIDE, {"name": "A", "words": "x"}),))

    answer = await _items(FakeArchive(items=items))
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
    inside, items = await _inside(silent), await _items(silent, year_from=1850)
    assert isinstance(inside.per_source[0], Absent)
    report = items.per_source[0]
    assert isinstance(report, Answered)
    assert report.attribution == "A {b}"
    assert report.filters_dropped[0].because


@pytest.mark.proves("9.1")
async def test_a_time_out_raised_by_an_archive_is_not_taken_for_the_calls_deadline(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = await _inside(FakeArchive(inside=failing(TimeoutError("socket"))))
    report = answer.per_source[0]
    assert isinstance(report, Failed)
    assert report.error.code == "parse_failure"
    assert "socket" in caplog.text


async def test_a_media_type_is_read_whatever_its_case() -> None:
    archive = FakeArchive()
    await _items(archive, media_type=" Texts ")
    assert [each.media_type for each in archive.asked if isinstance(each, CatalogueQuery)] == [
        "texts"
    ]


@pytest.mark.proves("7.11", "6.11")
async def test_a_wording_refused_before_it_was_sent_did_not_run() -> None:
    refusing = FakeArchive("alpha", inside=failing(InvalidInput("no word it can search")))
    answer = await _inside(refusing, FakeArchive("beta", inside=answering(hit("beta"))))
    report = answer.per_source[0]
    assert isinstance(report, Failed)
    assert (report.queries[0].ran, report.queries[0].error is not None) == (False, True)
    assert report.queries[0].not_run_because


async def test_queries_run_holds_only_what_was_sent_to_an_archive() -> None:
    refusal = NetworkFailure("silence")
    refusal.sent = False
    answer = await _inside(FakeArchive("alpha", inside=failing(refusal)))
    assert answer.queries_run == ()


@pytest.mark.proves("7.10")
async def test_a_failed_further_wording_ends_the_in_turn() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        if query.text == '"le vieil océan"':
            return page_of([])
        raise NetworkFailure("down")

    archive = FakeArchive(inside=inside)
    await _inside(archive, query='"le vieil océan"')
    assert len(archive.asked) == 2


@pytest.mark.proves("7.8")
async def test_no_more_rows_are_taken_than_the_limit_and_the_rest_is_more() -> None:
    rows = [hit(reference=str(n)) for n in range(5)]
    answer = await _inside(FakeArchive(inside=answering(*rows)), limit=2)
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert [each.identifier for each in answer.hits] == ["0", "1"]
    assert report.more_on_this_archive is True


@pytest.mark.proves("6.8")
async def test_a_row_sent_twice_is_not_taken_for_more() -> None:
    rows = hit(reference="a"), hit(reference="a"), hit(reference="b")
    answer = await _inside(FakeArchive(inside=answering(*rows)), limit=3)
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert (report.count, report.more_on_this_archive) == (2, False)


@pytest.mark.proves("6.8")
async def test_a_count_smaller_than_its_rows_is_not_published() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        found = [hit(reference=str(n)) for n in range(3)]
        return page_of(found, total=HitCount(1, "documents"), more=False)

    report = (await _inside(FakeArchive(inside=inside))).per_source[0]
    assert isinstance(report, Answered)
    assert (report.reported_total, report.more_on_this_archive) == (None, None)


@pytest.mark.proves("5.5")
async def test_rows_that_could_not_be_read_are_counted_over_all_wordings() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([row("alpha", query.text)], unreadable=1, set_aside=1)

    report = (await _items(FakeArchive(items=items), query="whale ship")).per_source[0]
    assert isinstance(report, Answered)
    assert (report.skipped, report.set_aside) == (2, 2)


@pytest.mark.proves("6.10")
async def test_unreadable_rows_beside_rows_set_aside_are_still_a_parse_failure() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([], unreadable=1, set_aside=4)

    report = (await _items(FakeArchive(items=items))).per_source[0]
    assert isinstance(report, Failed)
    assert report.error.code == "parse_failure"


async def test_an_answer_is_cached_only_if_all_of_it_was_and_keeps_its_first_date() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        first = query.text == "whale ship"
        day = date(2026, 11, 28 if first else 29)
        return items_of([], cached=first, retrieved=day)

    archive = FakeArchive(items=items, attribution="Alpha, {retrieved}")
    report = (await _items(archive, query="whale ship")).per_source[0]
    assert isinstance(report, Answered)
    assert (report.cached, report.attribution) == (False, "Alpha, 2026-11-28")


@pytest.mark.proves("6.6")
async def test_a_year_to_alone_is_dropped_and_named_too() -> None:
    unable = FakeCatalogue(honours=frozenset(), cannot_filter={"year_range": "no years"})
    report = (await _items(unable, year_to=1900)).per_source[0]
    assert isinstance(report, Answered)
    assert [each.filter for each in report.filters_dropped] == ["year_range"]


async def test_no_further_page_is_offered_where_a_window_was_full_or_pages_end() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        full = Remark(Kind.WINDOW_FULL, {"name": "A", "window": 400})
        remarks = (full,) if query.page == 1 else ()
        return items_of([row()], more=True, remarks=remarks)

    assert Kind.MORE_AVAILABLE not in _kinds(await _items(FakeArchive(items=items)))
    assert Kind.MORE_AVAILABLE in _kinds(await _items(FakeArchive(items=items), page=2))
    assert Kind.MORE_AVAILABLE not in _kinds(await _items(FakeArchive(items=items), page=100))


async def test_a_page_past_the_last_row_says_so() -> None:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of([], total=HitCount(3, "items"))

    assert Kind.PAST_THE_END in _kinds(await _items(FakeArchive(items=items), page=7))
    assert Kind.PAST_THE_END not in _kinds(await _items(FakeArchive(items=items)))


async def test_hits_without_an_excerpt_are_told_apart_from_page_openings() -> None:
    bare = hit(reference="bare", kind="page_opening").model_copy(update={"excerpts": ()})
    answer = await _inside(FakeArchive(inside=answering(bare)))
    assert Kind.NO_EXCERPT in _kinds(answer)
    assert Kind.PAGE_OPENINGS not in _kinds(answer)


@pytest.mark.proves("9.4")
async def test_a_fault_in_pacing_or_progress_does_not_lose_the_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Faulty(FakeArchive):
        async def next_slot(self) -> float:
            raise KeyError("slot")

    async def on_progress(done: int, total: int, name: str) -> None:
        raise RuntimeError("nobody listens")

    async with BooksClient(Settings(), sources=[Faulty()]) as books:
        answer = await books.ask(InsideRequest(query="whale ship"), on_progress=on_progress)
    assert [report.status for report in answer.per_source] == ["answered"]
    assert "nobody listens" in caplog.text


@pytest.mark.proves("9.4")
async def test_a_fault_in_one_archives_claim_does_not_lose_anothers_record() -> None:
    class Faulty(FakeArchive):
        def claim(self, text: str) -> Claim | None:
            raise KeyError(text)

    good = FakeArchive("beta", records={"b7": record("beta", "b7")})
    async with BooksClient(Settings(), sources=[Faulty("alpha"), good]) as books:
        assert (await books.get_item("https://beta.example/b7")).item.id == "beta:b7"


async def test_terms_that_are_not_the_records_own_are_qualified() -> None:
    rights = Rights(statement="Free", url=None, covers="the whole collection")
    archive = FakeArchive(records={"abc": record(reference="abc", rights=rights)})
    async with BooksClient(Settings(), sources=[archive]) as books:
        answer = await books.get_item("alpha:abc")
    assert [note.kind for note in answer.notes] == [Kind.TERMS_OF_COLLECTION]


@pytest.mark.parametrize("sources", ["archive", ["nope"], ["calibre"], ["archive", "archive"]])
async def test_sources_that_cannot_be_asked_are_refused_at_once(
    sources: list[Source | str],
) -> None:
    with pytest.raises(InvalidInput):
        BooksClient(Settings(), sources=sources)


async def _lies(query: InsideQuery) -> ResultPage[Hit]:
    return None  # type: ignore[return-value]  # what an archive without a type checker may do


async def _rows_of_another_kind(query: InsideQuery) -> ResultPage[Hit]:
    return items_of([row()])  # type: ignore[return-value]  # the same


async def _rows_of_another_archive(query: InsideQuery) -> ResultPage[Hit]:
    return page_of([hit("beta", "b1")])


async def _counts_backwards(query: InsideQuery) -> ResultPage[Hit]:
    return page_of([hit()], unreadable=-3)


async def _awaits_what_was_cancelled(query: InsideQuery) -> ResultPage[Hit]:
    task = asyncio.create_task(asyncio.sleep(60))
    task.cancel()
    await task
    raise AssertionError


async def _raises_the_base(query: InsideQuery) -> ResultPage[Hit]:
    raise BooksError("something")


@pytest.mark.proves("9.4")
@pytest.mark.parametrize(
    "inside",
    [
        _lies,
        _rows_of_another_kind,
        _rows_of_another_archive,
        _counts_backwards,
        _awaits_what_was_cancelled,
        _raises_the_base,
    ],
)
async def test_an_archive_that_does_not_answer_as_agreed_costs_its_own_rows_alone(
    inside: Inside,
) -> None:
    answer = await _inside(
        FakeArchive("alpha", inside=inside), FakeArchive("beta", inside=answering(hit("beta")))
    )
    first, second = answer.per_source
    assert isinstance(first, Failed)
    assert (first.error.code, second.status) == ("parse_failure", "answered")


@pytest.mark.proves("9.4")
async def test_a_record_that_is_none_is_a_parse_failure() -> None:
    archive = FakeArchive(records={"abc": None})  # type: ignore[dict-item]  # as such archives may
    async with BooksClient(Settings(), sources=[archive]) as books:
        with pytest.raises(ParseFailure):
            await books.get_item("alpha:abc")


async def test_a_client_that_is_open_cannot_be_opened_again() -> None:
    books = BooksClient(Settings(), sources=[FakeArchive()])
    async with books:
        with pytest.raises(RuntimeError):
            await books.__aenter__()


async def test_what_was_not_sent_was_asked_for_no_kind_of_material() -> None:
    async def refuse(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        raise InvalidInput("past its window")

    refusing = FakeArchive("alpha", items=refuse, default_media_type="texts")
    answer = await _items(refusing, FakeArchive("beta", default_media_type="maps"))
    asked = {source: each.asked_with for source, each in answer.media_types.items()}
    assert asked == {"alpha": None, "beta": "maps"}
