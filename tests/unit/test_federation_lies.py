"""Archives that do not answer as agreed cost their own rows alone."""

from __future__ import annotations

import asyncio

import pytest

from mcp_books._phrases import Kind
from mcp_books.arguments import InsideRequest
from mcp_books.client import BooksClient
from mcp_books.errors import BooksError, InvalidInput, ParseFailure
from mcp_books.identifiers import Claim
from mcp_books.models import BriefRecord, Hit, Rights
from mcp_books.reports import Failed
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery, InsideQuery, ResultPage, Source
from tests.fakes import FakeArchive, Inside, answering, hit, items_of, page_of, record, row

from .asked_archives import ask_inside, ask_items

pytestmark = pytest.mark.anyio


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
    answer = await ask_inside(
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
    answer = await ask_items(refusing, FakeArchive("beta", default_media_type="maps"))
    asked = {source: each.asked_with for source, each in answer.media_types.items()}
    assert asked == {"alpha": None, "beta": "maps"}
