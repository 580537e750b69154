"""What a host gets from each tool: the same facts twice, or a failure as text."""

from __future__ import annotations

import logging
import re

import anyio
import pytest
from mcp.types import CallToolResult, TextContent

from mcp_books.errors import RateLimited
from tests.fakes import FakeArchive, FakeCatalogue, listing, row
from tests.server.conftest import Connect, library

pytestmark = pytest.mark.anyio


def cards() -> FakeCatalogue:
    return FakeCatalogue("cards", items=listing(row("cards", "cards1", found_by="moby dick")))


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


async def test_search_inside_returns_hits_in_both_forms(connect: Connect) -> None:
    async with connect(library("attic"), cards()) as host:
        result = await host.call_tool("search_inside", {"query": "call me"})
    assert not result.is_error
    answer = result.structured_content
    assert answer is not None
    assert [hit["id"] for hit in answer["hits"]] == ["attic:attic1"]
    assert answer["hits"][0]["page_number"] is None
    assert [report["status"] for report in answer["per_source"]] == ["answered", "absent"]
    for fact in ("attic:attic1", "https://attic.example/attic1", "the whale", "cards"):
        assert fact in text_of(result)


async def test_search_items_returns_rows_in_both_forms(connect: Connect) -> None:
    async with connect(library("attic"), cards()) as host:
        result = await host.call_tool("search_items", {"query": "moby dick"})
    assert result.structured_content is not None
    ids = [row["id"] for row in result.structured_content["items"]]
    assert ids == ["attic:attic1", "cards:cards1"]
    assert all(one in text_of(result) for one in ids)


async def test_get_item_returns_the_record_in_both_forms(connect: Connect) -> None:
    async with connect(library("attic")) as host:
        result = await host.call_tool("get_item", {"identifier": "attic:attic1"})
    assert result.structured_content is not None
    assert result.structured_content["item"]["rights"]["statement"] is None
    assert "subjects" not in result.structured_content["item"]
    assert "A voyage." in text_of(result)


@pytest.mark.proves("10.6")
async def test_an_answer_too_long_for_a_host_keeps_the_same_rows_in_both_forms(
    connect: Connect,
) -> None:
    def long(name: str) -> FakeArchive:
        rows = [row(name, f"{name}{n}", found_by="whale") for n in range(25)]
        titled = [one.model_copy(update={"title": "whale " * 50}) for one in rows]
        return FakeArchive(name, items=listing(*titled))

    async with connect(*map(long, ("attic", "barn", "cellar"))) as host:
        result = await host.call_tool("search_items", {"query": "whale", "limit": 25})
    answer, text = result.structured_content, text_of(result)
    assert answer is not None
    assert 0 < len(answer["items"]) < 75
    assert len(text) <= 20_000
    assert re.findall(r"(?<=id: )\w+:\w+", text) == [one["id"] for one in answer["items"]]
    assert "rows_left_out" in [note["kind"] for note in answer["notes"]]


async def test_a_failure_is_text_with_its_code_first_and_nothing_structured(
    connect: Connect,
) -> None:
    async with connect(library("attic")) as host:
        result = await host.call_tool("get_item", {"identifier": "attic:attic2"})
    assert result.is_error
    assert result.structured_content is None
    assert text_of(result).startswith("[not_found] ")


@pytest.mark.proves("6.12")
async def test_when_every_archive_failed_the_result_is_an_answer(connect: Connect) -> None:
    async def refuse() -> None:
        raise RateLimited("asked for fewer requests")

    async with connect(library("attic", refuse)) as host:
        result = await host.call_tool("search_inside", {"query": "call me"})
    assert not result.is_error
    assert result.structured_content is not None
    assert result.structured_content["per_source"][0]["error"]["code"] == "rate_limited"


async def test_a_fault_of_our_own_is_logged_and_its_text_stays_here(
    connect: Connect, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def break_down(*_: object, **__: object) -> None:
        raise RuntimeError("the inside of the machine")

    monkeypatch.setattr("mcp_books.client.BooksClient.ask", break_down)
    with caplog.at_level(logging.ERROR):
        async with connect(library("attic")) as host:
            result = await host.call_tool("search_inside", {"query": "call me"})
    assert result.is_error
    assert text_of(result).startswith("[parse_failure] ")
    assert "inside of the machine" not in text_of(result)
    assert "the inside of the machine" in caplog.text


async def test_a_client_that_cannot_be_prepared_is_said_on_every_call(
    connect: Connect, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def break_down(_: object) -> None:
        raise OSError("no certificates")

    monkeypatch.setattr("mcp_books.client.BooksClient.warm", break_down)
    async with connect(library("attic")) as host:
        with anyio.fail_after(5):
            results = [
                await host.call_tool("search_inside", {"query": "call me"}) for _ in range(2)
            ]
    assert [text_of(one).split()[0] for one in results] == ["[network_error]"] * 2
    assert "no certificates" in caplog.text


async def test_progress_is_reported_after_each_archive(connect: Connect) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with connect(library("attic"), library("barn")) as host:
        await host.call_tool("search_inside", {"query": "call me"}, progress_callback=note)
    assert [(done, total) for done, total, _ in seen] == [(1, 2), (2, 2)]
    assert {message for *_, message in seen} == {"Attic", "Barn"}


async def test_a_call_that_is_given_up_stops_asking(connect: Connect) -> None:
    began, stopped = anyio.Event(), anyio.Event()

    async def hang() -> None:
        began.set()
        try:
            await anyio.sleep_forever()
        finally:
            stopped.set()

    with anyio.fail_after(5):
        async with connect(library("attic", hang)) as host, anyio.create_task_group() as calls:
            calls.start_soon(host.call_tool, "search_inside", {"query": "call me"})
            await began.wait()
            calls.cancel_scope.cancel()
        await stopped.wait()


async def test_an_unknown_tool_is_an_error_the_model_sees(connect: Connect) -> None:
    async with connect(library("attic")) as host:
        result = await host.call_tool("search_outside", {"query": "call me"})
    assert result.is_error
    assert "search_outside" in text_of(result)
