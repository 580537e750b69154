"""What a host and its model read before the first call, and what it costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from mcp.types import Tool

from mcp_books import Settings
from mcp_books.server import build_server
from mcp_books.sources.registry import PROFILES

pytestmark = pytest.mark.anyio


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema inside `schema`; the values of `properties` are schemas, not keywords."""
    if isinstance(schema, list):
        for one in schema:
            yield from nodes(one)
    if not isinstance(schema, dict):
        return
    yield schema
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            for one in value.values():
                yield from nodes(one)
        elif key not in ("enum", "default"):
            yield from nodes(value)


@pytest.fixture
async def tools() -> list[Tool]:
    async with Client(build_server(Settings())) as host:
        return (await host.list_tools()).tools


async def test_the_three_tools_are_offered_in_a_fixed_order(tools: list[Tool]) -> None:
    assert [tool.name for tool in tools] == ["search_inside", "search_items", "get_item"]


async def test_definitions_stay_within_their_budget(tools: list[Tool]) -> None:
    visible = [compact([tool.name, tool.description, tool.input_schema]) for tool in tools]
    whole = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools]
    assert sum(len(one.encode()) for one in visible) < 8_000
    assert len(compact({"tools": whole}).encode()) < 25_000
    assert max(len(tool.description or "") for tool in tools) < 900


async def test_every_tool_says_that_it_only_reads(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.title
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.idempotent_hint is True
        assert tool.annotations.open_world_hint is True


async def test_arguments_are_closed_and_free_of_generated_noise(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.input_schema["additionalProperties"] is False
        for node in nodes(tool.input_schema):
            assert "title" not in node
            assert "anyOf" not in node
            assert node.get("default", 0) is not None


async def test_argument_values_that_exist_are_listed_from_the_registry(tools: list[Tool]) -> None:
    ids = [profile.id for profile in PROFILES]
    kinds = {kind for profile in PROFILES for kind in profile.media_types}
    inside, items, _ = (tool.input_schema["properties"] for tool in tools)
    assert inside["sources"]["items"]["enum"] == ids
    assert items["sources"]["items"]["enum"] == ids
    assert set(items["media_type"]["enum"]) == kinds


async def test_answers_keep_null_alternatives_and_stay_open(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.output_schema is not None
        for node in nodes(tool.output_schema):
            assert node.get("additionalProperties") is not False
            assert not isinstance(node.get("title"), str)
    inside = tools[0].output_schema
    assert inside is not None
    hit = inside["$defs"]["Hit"]
    assert hit["properties"]["page_number"]["type"] == ["integer", "null"]
    assert "page_number" in hit["required"]
    assert "status" in inside["$defs"]["Failed"]["required"]


async def test_every_archive_is_described_where_it_can_be_asked(tools: list[Tool]) -> None:
    inside, items, one = (tool.description or "" for tool in tools)
    for profile in PROFILES:
        assert (f"- {profile.id}: " in inside) == ("search_inside" not in profile.cannot)
        assert (f"- {profile.id}: " in items) == ("search_items" not in profile.cannot)
        assert profile.examples[0] in one


@pytest.mark.parametrize("demonstration", [False, True])
async def test_instructions_are_short_and_name_every_archive(demonstration: bool) -> None:
    server = build_server(Settings(demonstration=demonstration))
    assert server.instructions is not None
    assert len(server.instructions) < 1_500
    assert ("DEMONSTRATION" in server.instructions) == demonstration
    for profile in PROFILES:
        assert f"{profile.id} ({profile.name})" in server.instructions
        assert all(reason in server.instructions for reason in profile.cannot.values())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_server_introduces_itself(mode: Any) -> None:
    from importlib.metadata import version

    async with Client(build_server(Settings()), mode=mode) as host:
        assert host.server_info is not None
        assert host.server_info.name == "mcp-books"
        assert host.server_info.version == version("mcp-books")
        assert host.instructions is not None
