"""Asking data.bnf.fr for its text window, with the product's own query."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from mcp_books._http import Reply
from mcp_books.sources._sparql import ACCEPT, Row, form, read_answer
from mcp_books.sources.data_bnf import queries

from .asking import Archive

__all__ = ["ENDPOINT", "Window", "require_index", "run", "window"]

ENDPOINT = "/sparql"
PROBE = "'mer'"


class Window(NamedTuple):
    """How many texts matched, how many of them are works, the works' rows, and how long it took."""

    matches: int
    works: int
    rows: tuple[Row, ...]
    seconds: float


async def run(archive: Archive, query: str) -> tuple[Reply, float]:
    """Post a query; return the reply and the seconds it took."""
    return await archive.form(ENDPOINT, form(query), accept=ACCEPT)


async def window(
    archive: Archive, argument: str, matched: queries.Matched = "dcterms:title"
) -> Window:
    """Search for an expression of the text index; the answer has to be a whole one."""
    reply, seconds = await run(archive, queries.search(argument, matched, limit=25, offset=0))
    answer = read_answer(reply)
    counts = next(row for row in answer.rows if "matches" in row)
    rows = tuple(row for row in answer.rows if "work" in row)
    return Window(int(counts["matches"].value), int(counts["works"].value), rows, seconds)


async def require_index(archive: Archive) -> None:
    """Skip a test about what the text index holds if there is none: another test fails for that."""
    if not (await window(archive, PROBE)).matches:
        pytest.skip(f"nothing to go on: the text index holds nothing under {PROBE}")
