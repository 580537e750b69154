"""What parsing and merging cost: three catalogues of 25 rows each, from bytes to one answer."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any, cast

import anyio
from _figures import Figures

from mcp_books import BooksClient, Settings
from mcp_books._http import Fetched, Http, Reply
from mcp_books.sources.base import Source
from mcp_books.sources.data_bnf import DataBnf
from mcp_books.sources.internet_archive import InternetArchive
from mcp_books.sources.library_of_congress import LibraryOfCongress

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.sources import internet_archive_wire as archive
from tests.sources import library_of_congress_wire as loc

ROWS = 25
RUNS = 31
MILLISECONDS = 15


class _Canned:
    """A channel whose archive always sends the same bytes; `read` runs on them each time."""

    def __init__(self, body: bytes, content_type: str) -> None:
        headers = {"content-type": content_type, "cache-control": "max-age=86400"}
        self._reply = Reply(200, headers, body, "https://archive.example/")

    def channel(self, **_: object) -> _Canned:
        return self

    async def get(
        self, path: str, params: Sequence[object], read: Callable[[Reply], Any], **_: object
    ) -> Fetched[Any]:
        return Fetched(read(self._reply), date(2026, 11, 30), cached=False)

    post_form = get

    async def next_slot(self) -> float:
        return 0.0


def _sources() -> list[Source | str]:
    items = [
        archive.item_row(
            f"book-{n}",
            title=f"The whale fishery &amp; its ships, volume {n}",
            creator=["Author, First", f"Author, Second {n}"],
            date="1851-01-01T00:00:00Z",
            year=1851,
            downloads=n,
            description=["<p>About <b>whales</b></p>" * 5],
        )
        for n in range(ROWS)
    ]
    records = [loc.record_row(f"5100{n:04}", description=["words " * 150]) for n in range(ROWS)]
    return [
        InternetArchive(_http(archive.page(*items, total=4_000))),
        LibraryOfCongress(_http(loc.results(*records, of=4_000))),
        DataBnf(_http(_works(), "application/sparql-results+json")),
    ]


def _works() -> dict[str, Any]:
    """Works of two titles and two creators, so four rows each, and the counts of the window."""
    bindings: list[dict[str, Any]] = [
        {
            name: {"type": "typed-literal", "datatype": "integer", "value": "60"}
            for name in ("matches", "works")
        }
    ]
    for n in range(ROWS):
        work = f"http://data.bnf.fr/temp-work/{n:032x}/#about"
        bindings += [
            {
                "work": {"type": "uri", "value": work},
                "title": {"type": "literal", "xml:lang": "fr", "value": f"La baleine {n} {title}"},
                "label": {"type": "literal", "value": f"La baleine {n} a"},
                "date": {"type": "literal", "value": "1851"},
                "creator": {"type": "uri", "value": f"http://data.bnf.fr/person/{creator}"},
                "name": {"type": "literal", "value": f"Personne {creator}"},
            }
            for title in "ab"
            for creator in "cd"
        ]
    return {"head": {"link": [], "vars": []}, "results": {"bindings": bindings}}


def _http(body: object, content_type: str = "application/json") -> Http:
    return cast(Http, _Canned(json.dumps(body).encode(), content_type))


async def main() -> int:
    figures = Figures()
    spent: list[float] = []
    async with BooksClient(Settings(), sources=_sources()) as books:
        for _ in range(RUNS):
            start = time.process_time()
            answer = await books.search_items("whale fishery", limit=ROWS, fan_out=False)
            spent.append((time.process_time() - start) * 1000)
            statuses = [report.status for report in answer.per_source]
            if answer.item_count != 3 * ROWS or set(statuses) != {"answered"}:
                figures.note(f"{answer.item_count} rows, {statuses}: not what was to be measured")
                return 1
    figures.figure(
        f"parsing and merging 3 x {ROWS} rows, CPU, median of {RUNS}",
        median(spent),
        MILLISECONDS,
        "ms",
    )
    return figures.code


if __name__ == "__main__":
    sys.exit(anyio.run(main))
