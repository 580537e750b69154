"""What a model pays: the fixed answers in both forms, the tool definitions, the instructions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
from _figures import Figures
from mcp import Client

from mcp_books._fitting import fit, structured_size
from mcp_books._render import render_inside, render_items
from mcp_books.server import build_server
from mcp_books.settings import Settings

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.unit.answers import PROFILES  # needs the path
from tests.unit.fixed_answers import fixed_inside, fixed_items  # the same

# Every figure is to stay under its number: the most it may be is one less.
INSIDE_TEXT, INSIDE_STRUCTURED = 5_000 - 1, 8_000 - 1
ITEMS_TEXT, ITEMS_STRUCTURED = 4_800 - 1, 11_000 - 1
DEFINITIONS, TOOLS_LIST, INSTRUCTIONS = 8_000 - 1, 25_000 - 1, 1_500 - 1
DESCRIPTION = 900 - 1


def answers(figures: Figures) -> None:
    """Measure the two fixed answers, with every row of them in the text."""
    inside, text = fit(fixed_inside(), lambda answer: render_inside(answer, PROFILES))
    shown = [hit for hit in inside.hits if f"id: {hit.id} · {hit.source_url}" in text]
    excerpts = sum(excerpt in text for hit in shown for excerpt in hit.excerpts)
    figures.note(f"search_inside: {len(shown)} hits and {excerpts} excerpts in the text")
    figures.figure("search_inside, hits not in the text", 6 - len(shown), 0, "hits")
    figures.figure("search_inside, excerpts not in the text", 9 - excerpts, 0, "excerpts")
    figures.figure("search_inside, text", len(text), INSIDE_TEXT, "characters")
    figures.figure(
        "search_inside, structured", structured_size(inside), INSIDE_STRUCTURED, "characters"
    )
    items, text = fit(fixed_items(), lambda answer: render_items(answer, PROFILES))
    rows = [row for row in items.items if f"id: {row.id} · {row.source_url}" in text]
    figures.note(f"search_items: {len(rows)} rows in the text")
    figures.figure("search_items, rows not in the text", 15 - len(rows), 0, "rows")
    figures.figure("search_items, text", len(text), ITEMS_TEXT, "characters")
    figures.figure(
        "search_items, structured", structured_size(items), ITEMS_STRUCTURED, "characters"
    )


async def definitions(figures: Figures) -> None:
    """Measure what a host reads of the server before any question."""
    async with Client(build_server(Settings())) as client:
        listed = await client.list_tools()
        instructions = client.instructions or ""
    visible = 0
    for tool in listed.tools:
        wire = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        seen = sum(
            _size(wire[part]) if part == "inputSchema" else len(wire[part].encode())
            for part in ("name", "description", "inputSchema")
        )
        visible += seen
        figures.note(f"{tool.name}: {seen} bytes, {len(tool.description or '')} of description")
        figures.figure(
            f"{tool.name}, description", len(tool.description or ""), DESCRIPTION, "characters"
        )
    figures.figure("definitions a model sees", visible, DEFINITIONS, "bytes")
    whole = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
    figures.figure("tools/list", _size(whole), TOOLS_LIST, "bytes")
    figures.figure("instructions", len(instructions), INSTRUCTIONS, "characters")


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def main() -> int:
    figures = Figures()
    answers(figures)
    anyio.run(definitions, figures)
    return figures.code


if __name__ == "__main__":
    sys.exit(main())
