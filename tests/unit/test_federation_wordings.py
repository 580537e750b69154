"""Which wordings are sent, in which order, and what becomes of the answer when one fails."""

from __future__ import annotations

import pytest

from mcp_books._phrases import Kind
from mcp_books.errors import InvalidInput, NetworkFailure
from mcp_books.models import BriefRecord, Hit
from mcp_books.reports import Answered, Failed, ItemsAnswer
from mcp_books.sources.base import CatalogueQuery, InsideQuery, Remark, ResultPage
from tests.fakes import FakeArchive, answering, failing, hit, items_of, page_of, row

from .asked_archives import ask_inside, ask_items, kinds_of

pytestmark = pytest.mark.anyio


@pytest.mark.proves("7.8", "7.11")
async def test_at_most_three_wordings_are_sent_and_the_rest_listed_with_the_reason() -> None:
    archive = FakeArchive()
    answer = await ask_inside(archive, query='"le vieil océan"')
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
    await ask_inside(archive, query="whale ship", limit=2)
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

    return await ask_items(FakeArchive(items=items), query="whale", limit=1)


@pytest.mark.proves("7.8", "7.11")
async def test_the_same_words_asked_in_another_field_replace_what_established_nothing() -> None:
    answer = await _asked_again(items_of([row()], more=True))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert [(each.query, each.added) for each in report.queries] == [("whale", 0), ("whale", 1)]
    assert report.queries[0].derivation != report.queries[1].derivation
    assert report.more_on_this_archive is True
    assert kinds_of(answer) == [Kind.MORE_AVAILABLE]


@pytest.mark.proves("7.10")
async def test_the_first_answer_stands_when_asking_again_fails() -> None:
    answer = await _asked_again(NetworkFailure("down"))
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert (report.count, report.more_on_this_archive) == (0, None)
    assert {Kind.WINDOW_WITHOUT_WORKS, Kind.WORDING_FAILED} <= set(kinds_of(answer))


@pytest.mark.proves("7.8")
async def test_asking_again_counts_as_one_of_the_three_requests() -> None:
    sent: list[str] = []

    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        async def again() -> ResultPage[BriefRecord]:
            sent.append(f"again {query.text}")
            return items_of([])

        sent.append(query.text)
        return items_of([], again=again)

    await ask_items(FakeArchive(items=items), query="whale ship")
    assert sent == ["whale ship", "again whale ship", "whaleship"]


@pytest.mark.proves("7.9")
@pytest.mark.parametrize("arguments", [{"page": 2}, {"fan_out": False}])
async def test_beyond_page_one_or_without_fan_out_only_the_words_as_asked_are_sent(
    arguments: dict[str, object],
) -> None:
    archive = FakeArchive()
    await ask_inside(archive, query="whale ship", **arguments)
    assert [each.text for each in archive.asked] == ["whale ship"]


@pytest.mark.proves("7.10")
async def test_rows_stand_when_a_further_wording_fails() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        if query.text == "whale ship":
            return page_of([hit()])
        raise NetworkFailure("down")

    answer = await ask_inside(FakeArchive(inside=inside), query="whale ship")
    report = answer.per_source[0]
    assert isinstance(report, Answered)
    assert report.count == 1
    assert report.queries[1].error is not None
    assert Kind.WORDING_FAILED in kinds_of(answer)


@pytest.mark.proves("7.10")
async def test_a_failure_stops_the_in_turn() -> None:
    archive = FakeArchive(inside=failing(NetworkFailure("down")))
    answer = await ask_inside(archive, query="whale ship")
    assert len(archive.asked) == 1
    report = answer.per_source[0]
    assert isinstance(report, Failed)
    assert [each.ran for each in report.queries] == [True, False]


@pytest.mark.proves("7.11", "6.11")
async def test_a_wording_refused_before_it_was_sent_did_not_run() -> None:
    refusing = FakeArchive("alpha", inside=failing(InvalidInput("no word it can search")))
    answer = await ask_inside(refusing, FakeArchive("beta", inside=answering(hit("beta"))))
    report = answer.per_source[0]
    assert isinstance(report, Failed)
    assert (report.queries[0].ran, report.queries[0].error is not None) == (False, True)
    assert report.queries[0].not_run_because


async def test_queries_run_holds_only_what_was_sent_to_an_archive() -> None:
    refusal = NetworkFailure("silence")
    refusal.sent = False
    answer = await ask_inside(FakeArchive("alpha", inside=failing(refusal)))
    assert answer.queries_run == ()


@pytest.mark.proves("7.10")
async def test_a_failed_further_wording_ends_the_in_turn() -> None:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        if query.text == '"le vieil océan"':
            return page_of([])
        raise NetworkFailure("down")

    archive = FakeArchive(inside=inside)
    await ask_inside(archive, query='"le vieil océan"')
    assert len(archive.asked) == 2
