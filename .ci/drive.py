"""Drive an installed mcp-books over stdio: list the tools, call each, and read a refusal."""

from __future__ import annotations

import sys

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent


def _text(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def drive(command: str) -> None:
    server = StdioServerParameters(command=command, args=["--demo"])
    async with Client(server) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert sorted(tools) == ["get_item", "search_inside", "search_items"], tools
        inside = await client.call_tool("search_inside", {"query": '"call me ishmael"'})
        assert inside.structured_content is not None, _text(inside)
        hits = inside.structured_content["hits"]
        assert {hit["source"] for hit in hits} == {"archive", "loc", "calibre"}, _text(inside)
        (page,) = (hit for hit in hits if hit["source"] == "calibre")
        assert (page["page_number"], page["page_label"]) == (3, "1"), _text(inside)
        items = await client.call_tool("search_items", {"query": "moby dick"})
        assert items.structured_content is not None, _text(items)
        rows = items.structured_content["items"]
        assert {row["source"] for row in rows} == {"archive", "loc", "bnf", "calibre"}, _text(items)
        for row in rows:
            read = await client.call_tool("get_item", {"identifier": row["id"]})
            assert read.structured_content is not None, _text(read)
            assert row["id"] in _text(read)
        refused = await client.call_tool("search_inside", {"query": "whale", "limt": 4})
        assert refused.is_error, _text(refused)
        assert "limt" in _text(refused)
    sys.stdout.write(f"{len(tools)} tools, {len(hits)} hits, {len(rows)} records read\n")


if __name__ == "__main__":
    anyio.run(drive, sys.argv[1])
