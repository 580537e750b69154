"""Which arguments are refused, and which are understood although they are written loosely."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_books import server
from mcp_books.arguments import InsideRequest, ItemsRequest, RecordRequest, Request
from mcp_books.sources.base import CatalogueQuery, InsideQuery
from tests.server.conftest import Connect, library
from tests.server.test_tools import text_of

pytestmark = pytest.mark.anyio

TAKES: dict[str, type[Request]] = {
    "search_inside": InsideRequest,
    "search_items": ItemsRequest,
    "get_item": RecordRequest,
}


@pytest.mark.parametrize("tool", TAKES)
async def test_an_unknown_argument_is_refused_with_the_names_that_exist(
    connect: Connect, tool: str
) -> None:
    attic = library("attic")
    async with connect(attic) as host:
        given = {"query": "call me", "identifier": "attic:attic1", "limt": 4}
        result = await host.call_tool(tool, given)
    assert result.is_error
    assert text_of(result).startswith("[invalid_input] ")
    assert "'limt'" in text_of(result)
    assert all(name in text_of(result) for name in TAKES[tool].model_fields)
    assert attic.asked == []


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("search_inside", {}, "query"),
        ("search_inside", {"query": ""}, "query"),
        ("search_inside", {"query": None}, "query"),
        ("search_inside", {"query": "x"}, "query"),
        ("search_inside", {"query": "x" * 301}, "query"),
        ("search_inside", {"query": "a\x07b"}, "query"),
        ("search_inside", {"query": "whale", "limit": 26}, "limit"),
        ("search_inside", {"query": "whale", "limit": "many"}, "limit"),
        ("search_inside", {"query": "whale", "page": 0}, "page"),
        ("search_inside", {"query": "whale", "sources": ["cellar"]}, "cellar"),
        ("search_inside", {"query": "whale", "sources": {"attic": True}}, "sources"),
        ("search_inside", {"query": "whale", "max_excerpt_chars": 20}, "max_excerpt_chars"),
        ("search_items", {"query": "whale", "year_from": 1900, "year_to": 1800}, "1900"),
        ("search_items", {"query": "whale", "media_type": "stamps"}, "stamps"),
        ("search_items", {"query": "whale", "sort": "best"}, "sort"),
        ("get_item", {}, "identifier"),
        ("get_item", {"identifier": "attic:attic1", "sections": ["price"]}, "sections"),
        ("get_item", {"identifier": "cellar:1"}, "cellar"),
        ("get_item", {"identifier": "attic:attic1", "max_copies": 51}, "max_copies"),
    ],
)
async def test_what_is_out_of_bounds_is_refused_by_name_and_nothing_is_sent(
    connect: Connect, tool: str, arguments: dict[str, Any], named: str
) -> None:
    attic = library("attic")
    async with connect(attic) as host:
        result = await host.call_tool(tool, arguments)
    assert result.is_error
    assert text_of(result).startswith("[invalid_input] ")
    assert named in text_of(result)
    assert "pydantic" not in text_of(result)
    assert len(text_of(result)) < 400
    assert attic.asked == []


@pytest.mark.parametrize("nothing", ["", "  ", None, []])
@pytest.mark.parametrize("name", ["sources", "limit", "media_type", "year_from", "sort"])
async def test_an_empty_optional_argument_counts_as_absent(
    connect: Connect, name: str, nothing: object
) -> None:
    attic = library("attic")
    given = {"query": "moby dick", "fan_out": False, name: nothing}
    async with connect(attic) as host:
        result = await host.call_tool("search_items", given)
    assert not result.is_error
    (query,) = attic.asked
    assert isinstance(query, CatalogueQuery)
    assert (query.limit, query.sort, query.year_from) == (5, "relevance", None)


@pytest.mark.parametrize(
    "written",
    [["attic"], '["attic"]', "attic", "attic, ", ["Attic"], ["attic", ""], '["attic", null]'],
)
async def test_a_list_is_understood_however_it_is_written(
    connect: Connect, written: object
) -> None:
    attic, barn = library("attic"), library("barn")
    async with connect(attic, barn) as host:
        result = await host.call_tool("search_inside", {"query": "call me", "sources": written})
    assert not result.is_error
    assert len(attic.asked) == 1
    assert barn.asked == []


async def test_two_sections_in_one_string_are_both_returned(connect: Connect) -> None:
    async with connect(library("attic")) as host:
        given = {"identifier": "attic:attic1", "sections": "description,subjects"}
        result = await host.call_tool("get_item", given)
    assert result.structured_content is not None
    assert result.structured_content["sections_returned"] == ["description", "subjects"]


async def test_numbers_and_truth_values_written_as_text_are_understood(connect: Connect) -> None:
    attic = library("attic")
    async with connect(attic) as host:
        given = {"query": "call me", "limit": "7", "fan_out": "false"}
        result = await host.call_tool("search_inside", given)
    assert not result.is_error
    (query,) = attic.asked
    assert isinstance(query, InsideQuery)
    assert query.limit == 7


@pytest.mark.parametrize("name", ["sources", "sections", "media_type", "query", "limit", "fan_out"])
@pytest.mark.parametrize(
    "value",
    ["[" * 200_000, "[" + "9" * 5000 + "]", "," * 100_000, [["x"] * 3] * 3, {"a": {}}],
    ids=["deep", "digits", "commas", "lists", "object"],
)
async def test_no_argument_fails_without_a_code(connect: Connect, name: str, value: object) -> None:
    attic = library("attic")
    tool = "get_item" if name == "sections" else "search_items"
    given = {"query": "call me"} if tool == "search_items" else {"identifier": "attic:attic1"}
    async with connect(attic) as host:
        result = await host.call_tool(tool, given | {name: value})
    if result.is_error:
        assert text_of(result).startswith("[invalid_input] ")
        assert len(text_of(result)) < 1000


async def test_a_fault_of_our_own_in_reading_arguments_has_a_code(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object) -> dict[str, Any]:
        raise KeyError("ours")

    monkeypatch.setattr(server, "tolerant", faulty)
    async with connect(library("attic")) as host:
        result = await host.call_tool("search_inside", {"query": "call me"})
    assert result.is_error
    assert text_of(result).startswith("[parse_failure] ")


async def test_a_list_that_is_no_json_is_refused_and_not_guessed(connect: Connect) -> None:
    attic = library("attic")
    async with connect(attic) as host:
        result = await host.call_tool("search_inside", {"query": "call me", "sources": "[attic"})
    assert text_of(result).startswith("[invalid_input] sources")
    assert attic.asked == []
