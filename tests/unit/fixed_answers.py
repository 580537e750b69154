"""The fixed answers on which sizes are measured.

They are put together by the product itself, from result pages of fixed rows in the shape each
archive sends, so that their reports and notes are what a caller would get.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import anyio

from mcp_books import _federation
from mcp_books.arguments import InsideRequest, ItemsRequest
from mcp_books.models import BriefRecord, Hit
from mcp_books.reports import InsideAnswer, ItemsAnswer
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    Claim,
    FullTextSource,
    HitCount,
    InsideQuery,
    Profile,
    ResultPage,
)

from .answers import PROFILES, QUERY, brief, hit, page_hit

__all__ = ["fixed_inside", "fixed_items"]

_RETRIEVED = date(2026, 11, 30)

_WORDS = "Some years ago, never mind how long precisely, having little or no money in my purse, "


def _text(opening: str, length: int) -> str:
    return (opening + _WORDS * (length // len(_WORDS) + 1))[:length]


class _Texts(FullTextSource):
    def __init__(self, profile: Profile, rows: tuple[Hit, ...], counts: str) -> None:
        self.profile, self._rows, self._counts = profile, rows, counts

    def claim(self, text: str) -> Claim | None:
        return None

    async def search_inside(self, query: InsideQuery) -> ResultPage[Hit]:
        return ResultPage(
            rows=self._rows,
            total=HitCount(12_345, self._counts),
            more=True,
            ordered_on="relevance",
            retrieved=_RETRIEVED,
        )


class _Catalogue(CatalogueSource):
    def __init__(
        self, profile: Profile, rows: tuple[BriefRecord, ...], counts: str | None = None
    ) -> None:
        self.profile, self._rows, self._counts = profile, rows, counts

    def claim(self, text: str) -> Claim | None:
        return None

    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return ResultPage(
            rows=self._rows,
            total=HitCount(1_234, self._counts) if self._counts else None,
            more=True,
            ordered_on="date" if "sort" in self.profile.honours else "identifier",
            retrieved=_RETRIEVED,
        )


def fixed_inside() -> InsideAnswer:
    """Return six hits: three with two excerpts of 130 characters, three with one of 300."""
    books = tuple(
        hit(
            id=f"archive:mobydickorwhale0{n}melvgoog",
            identifier=f"mobydickorwhale0{n}melvgoog",
            title=_text(f"Moby-Dick; or, The whale, volume {n}. ", 80),
            creator="Melville, Herman, 1819-1891",
            source_url=(
                f"https://archive.org/details/mobydickorwhale0{n}melvgoog/page/n{n}8/mode/2up"
                "?q=call+me+ishmael"
            ),
            excerpts=(_text("Call me Ishmael. ", 130), _text("Loomings. Call me Ishmael. ", 130)),
            matched_file=f"mobydickorwhale0{n}melvgoog",
            inside_container=False,
        )
        for n in range(1, 4)
    )
    pages = tuple(
        page_hit(
            id=f"loc:sn8303021{n}/1897-07-29/ed-1/seq-{n}",
            identifier=f"sn8303021{n}/1897-07-29/ed-1/seq-{n}",
            title=_text(f"The sun (New York [N.Y.]), July 29, 1897, edition {n}. ", 80),
            source_url=f"https://www.loc.gov/resource/sn8303021{n}/1897-07-29/ed-1/?sp={n}&st=text",
            page_number=n,
            excerpts=(_text("Call me Ishmael. ", 300),),
        )
        for n in range(1, 4)
    )
    return anyio.run(_ask_inside, books, pages)


async def _ask_inside(books: tuple[Hit, ...], pages: tuple[Hit, ...]) -> InsideAnswer:
    sources = (
        _Texts(PROFILES["archive"], books, "documents"),
        _Texts(PROFILES["loc"], pages, "newspaper pages"),
        _Catalogue(PROFILES["bnf"], ()),
    )
    return await _federation.search_inside(sources, InsideRequest(query=QUERY), answer_timeout=50)


def fixed_items() -> ItemsAnswer:
    """Return fifteen catalogue rows, five of each archive, from a call that narrows by year."""
    uploads = tuple(
        brief(
            id=f"archive:mobydickorwhale0{n}melvgoog",
            identifier=f"mobydickorwhale0{n}melvgoog",
            title=_text(f"Moby-Dick; or, The whale, volume {n}. ", 80),
            creator="Melville, Herman, 1819-1891",
            source_url=f"https://archive.org/details/mobydickorwhale0{n}melvgoog",
            date=f"1851-0{n}-01",
            downloads=1234 * n,
            found_by_query="moby dick",
        )
        for n in range(1, 6)
    )
    books = tuple(
        brief(
            id=f"loc:0100283{n}",
            source="loc",
            source_name="Library of Congress",
            identifier=f"0100283{n}",
            title=_text(f"Moby Dick, or, The white whale, printing {n}. ", 80),
            creator="Melville, Herman, 1819-1891",
            year=1900 + n,
            source_url=f"https://www.loc.gov/item/0100283{n}/",
            date=f"{1900 + n}",
            media_type="book",
            found_by_query="moby dick",
            online=n % 2 == 0,
        )
        for n in range(1, 6)
    )
    works = tuple(
        brief(
            id=f"bnf:cb1194796{n}f",
            source="bnf",
            source_name="data.bnf.fr",
            identifier=f"cb1194796{n}f",
            title=_text(f"Moby Dick ou le cachalot, traduction {n}. ", 80),
            creator="Herman Melville (1819-1891)",
            source_url=f"https://data.bnf.fr/ark:/12148/cb1194796{n}f",
            date="1851",
            media_type="work",
            found_by_query="moby dick",
            identifier_provisional=False,
        )
        for n in range(1, 6)
    )
    return anyio.run(_ask_items, {"archive": uploads, "loc": books, "bnf": works})


async def _ask_items(rows: Mapping[str, tuple[BriefRecord, ...]]) -> ItemsAnswer:
    counts = {"archive": "items", "loc": "records", "bnf": None}
    sources = [
        _Catalogue(PROFILES[source], found, counts[source]) for source, found in rows.items()
    ]
    request = ItemsRequest(query="moby dick", year_from=1800, year_to=1950, sort="oldest")
    return await _federation.search_items(sources, request, answer_timeout=50)
