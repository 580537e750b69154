"""One call of a client over archives that answer from memory."""

from __future__ import annotations

import anyio

from mcp_books._phrases import Kind
from mcp_books.client import BooksClient
from mcp_books.reports import InsideAnswer, ItemsAnswer
from mcp_books.settings import Settings
from mcp_books.sources.base import Source

__all__ = ["ask_inside", "ask_items", "kinds_of"]


async def ask_inside(*sources: Source, query: str = "whale", **arguments: object) -> InsideAnswer:
    with anyio.fail_after(5):
        async with BooksClient(Settings(), sources=sources) as books:
            return await books.search_inside(query, **arguments)  # type: ignore[arg-type]


async def ask_items(*sources: Source, query: str = "whale", **arguments: object) -> ItemsAnswer:
    with anyio.fail_after(5):
        async with BooksClient(Settings(), sources=sources) as books:
            return await books.search_items(query, **arguments)  # type: ignore[arg-type]


def kinds_of(answer: InsideAnswer | ItemsAnswer) -> list[Kind]:
    return [note.kind for note in answer.notes]
