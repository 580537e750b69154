"""`mcp-books demo`: one question of each kind to the stand-ins, through the real stack."""

from __future__ import annotations

import shlex
from typing import TextIO

from mcp_books._render import render_inside, render_items, render_record
from mcp_books.client import BooksClient
from mcp_books.errors import BooksError
from mcp_books.reports import Absent, Failed, InsideAnswer, ItemsAnswer
from mcp_books.settings import Settings

from .calibre import demonstration_library
from .faults import html
from .server import Server, stand_ins

__all__ = ["run"]

PASSAGE = '"call me ishmael"'
TITLE = "moby dick"
WHILE_ONE_FAILS = "whale"
FAILING = "loc"

_INTRODUCTION = """\
This is a demonstration. The archives asked below are stand-ins on this computer, with invented
records; the Calibre library was made a moment ago, of a few pages in the public domain. Every
address and credit says so. To ask the real archives:

    mcp-books search '"call me ishmael"'
"""

_FAILS_ON_REQUEST = """
One archive can fail while the others answer. For the next question the stand-in of the Library of
Congress was told to turn programs away.
"""


async def run(out: TextIO) -> int:
    """Write the demonstration to `out`; return 0 if every part did what it should, else 1."""
    out.write(_INTRODUCTION)
    with (
        Server(stand_ins()) as server,
        demonstration_library(server.settings(Settings(max_retries=0))) as settings,
    ):
        async with BooksClient(settings) as books:
            tour = _Tour(books, out)
            await tour.search_inside(PASSAGE)
            first = await tour.search_items(TITLE)
            if first is not None:
                await tour.get_item(first)
            server.faults.inject(FAILING, html(403))
            out.write(_FAILS_ON_REQUEST)
            await tour.search_inside(WHILE_ONE_FAILS, failing=frozenset({FAILING}))
    if tour.faults:
        out.write("\nThe demonstration did not do what it should:\n")
        out.writelines(f"- {fault}\n" for fault in tour.faults)
    return 1 if tour.faults else 0


class _Tour:
    """Asks, writes what came, and keeps what did not come as it should."""

    def __init__(self, books: BooksClient, out: TextIO) -> None:
        self._books = books
        self._out = out
        self.faults: list[str] = []

    async def search_inside(self, query: str, *, failing: frozenset[str] = frozenset()) -> None:
        self._ask("search", query)
        answer = await self._books.search_inside(query)
        self._out.write(f"{render_inside(answer, self._books.profiles)}\n")
        self._expect(bool(answer.hits), "no passage was found")
        self._expect_failed(answer, failing)
        absent = {report.source for report in answer.per_source if isinstance(report, Absent)}
        self._expect(bool(absent), "no archive was absent")

    async def search_items(self, query: str) -> str | None:
        """Return the id of the first row."""
        self._ask("items", query)
        answer = await self._books.search_items(query)
        self._out.write(f"{render_items(answer, self._books.profiles)}\n")
        self._expect_failed(answer, frozenset())
        found = {row.source for row in answer.items}
        self._expect(found == self._books.profiles.keys(), "an archive found no record")
        return answer.items[0].id if answer.items else None

    async def get_item(self, identifier: str) -> None:
        self._ask("get", identifier)
        try:
            answer = await self._books.get_item(identifier)
        except BooksError as error:
            self._expect(False, f"{identifier!r} could not be read: {error.message}")
        else:
            self._out.write(f"{render_record(answer, self._books.profiles)}\n")

    def _ask(self, command: str, words: str) -> None:
        self._out.write(f"\n$ mcp-books --demo {command} {shlex.quote(words)}\n\n")
        self._out.flush()

    def _expect_failed(self, answer: InsideAnswer | ItemsAnswer, failing: frozenset[str]) -> None:
        failed = {report.source for report in answer.per_source if isinstance(report, Failed)}
        self._expect(failed == failing, f"failed: {sorted(failed)}, not {sorted(failing)}")

    def _expect(self, held: bool, fault: str) -> None:
        if not held:
            self.faults.append(fault)
