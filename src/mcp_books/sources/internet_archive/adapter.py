"""The Internet Archive (archive.org): text of digitised books, a catalogue of items, records.

Both searches use the route of the site's own search page, which nobody documents; records come
from the documented metadata route. The full-text index holds no page of a match.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from mcp_books._phrases import Kind
from mcp_books.arguments import Sort
from mcp_books.errors import InvalidInput
from mcp_books.models import BriefRecord, Hit, Record
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    Claim,
    FullTextSource,
    HitCount,
    InsideQuery,
    Profile,
    RecordSource,
    Remark,
    RemoteSource,
    ResultPage,
)

from .identifiers import claim, is_identifier
from .lucene import safe_words
from .reading import Found, read_found, read_item
from .record import record_of
from .rows import brief_record_of, hit_of, sort_out

if TYPE_CHECKING:
    from mcp_books._http import Fetched, Reply

__all__ = ["InternetArchive"]

_SEARCH = "/services/search/beta/page_production/"
_DEPTH = 10_000
_FIELDS = "identifier,title,creator,date,year,mediatype,downloads"
_SORTS: Mapping[Sort, str] = {
    "newest": "date:desc",
    "oldest": "date:asc",
    "title": "titleSorter:asc",
}


class InternetArchive(RemoteSource, FullTextSource, CatalogueSource, RecordSource):
    """The Internet Archive as an archive to be asked."""

    default_base_url = "https://archive.org"
    hosts = ("archive.org", "www.archive.org")

    profile = Profile(
        id="archive",
        name="Internet Archive",
        home_url="https://archive.org",
        examples=(
            "journalofexpedit00ford",
            "https://archive.org/details/journalofexpedit00ford",
            "https://www.archive.org/download/journalofexpedit00ford/journalofexpedit00ford.pdf",
        ),
        attribution="Internet Archive (archive.org)",
        credit_note=None,
        searches_on=("title", "creator", "description", "subject"),
        searches_on_caveat="and any other field of the record",
        catalogue_requires_every_word=True,
        inside_requires_every_word=True,
        row_describes="an item: one upload, which may hold several documents",
        corpus="machine-read text of digitised books, periodicals and documents",
        machine_read=True,
        year_means="year filed with the item, often not that of the text; can be wrong",
        description_means="text filed with the item by whoever uploaded it",
        media_types=("texts", "movies", "audio", "image", "software", "data", "web"),
        honours=frozenset({"year_range", "sort"}),
        pace_seconds=1.0,
        pace_reason="publishes no ceiling for such a client; politeness",
    )

    def claim(self, text: str) -> Claim | None:
        return claim(text, hosts=self.hosts, base_url=self.base_url)

    async def search_inside(self, query: InsideQuery) -> ResultPage[Hit]:
        sent = self._words(query.text)
        self._refuse_too_deep(query)
        fetched = await self._search("fts", sent, query)
        hits, unreadable, set_aside = sort_out(
            fetched.value.rows,
            lambda identifier, row: hit_of(identifier, row, query, self.profile, self.address),
        )
        return ResultPage(
            rows=hits,
            total=_count(fetched.value, "documents"),
            more=_more(fetched.value, query),
            unreadable=unreadable,
            set_aside=set_aside,
            ordered_on="relevance",
            sent_as=sent if sent != query.text else None,
            retrieved=fetched.retrieved,
            cached=fetched.cached,
        )

    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        sent = self._words(query.text)
        self._refuse_too_deep(query)
        narrowings = [("fields", _FIELDS)]
        if filters := self._filters(query):
            narrowings.append(("filter_map", json.dumps(filters, separators=(",", ":"))))
        if query.sort != "relevance":
            narrowings.append(("sort", self._sort_key(query.sort)))
        fetched = await self._search("metadata", sent, query, narrowings)
        records, unreadable, set_aside = sort_out(
            fetched.value.rows,
            lambda identifier, row: brief_record_of(
                identifier, row, query.text, self.profile, self.address
            ),
        )
        return ResultPage(
            rows=records,
            total=_count(fetched.value, "items"),
            more=_more(fetched.value, query),
            unreadable=unreadable,
            set_aside=set_aside,
            ordered_on=query.sort,
            sent_as=sent if sent != query.text else None,
            retrieved=fetched.retrieved,
            cached=fetched.cached,
            remarks=_remarks(query, self.profile.name),
        )

    async def get_item(self, reference: str) -> Record:
        if not is_identifier(reference):
            raise InvalidInput(
                f"{reference!r} is not an identifier of {self.profile.name}",
                hint="Find the record with search_items and pass its id.",
            )

        def read(reply: Reply) -> Record:
            item = read_item(reply, reference)
            return record_of(item, reference, self.profile, self.address)

        return (await self.channel.get(f"/metadata/{quote(reference, safe='')}", (), read)).value

    async def _search(
        self,
        backend: str,
        words: str,
        query: InsideQuery | CatalogueQuery,
        narrowings: list[tuple[str, str]] | None = None,
    ) -> Fetched[Found]:
        params = [
            ("service_backend", backend),
            ("user_query", words),
            ("hits_per_page", str(query.limit)),
            ("page", str(query.page)),
            ("aggregations", "false"),
            *(narrowings or ()),
        ]
        return await self.channel.get(_SEARCH, params, read_found)

    def _words(self, text: str) -> str:
        words = safe_words(text)
        if not words:
            raise InvalidInput(
                f"{text!r} holds no word that {self.profile.name} could look for",
                hint="Give at least one word of letters or digits.",
            )
        return words

    def _refuse_too_deep(self, query: InsideQuery | CatalogueQuery) -> None:
        if query.page * query.limit > _DEPTH:
            raise InvalidInput(
                f"page {query.page} lies past the {_DEPTH} results {self.profile.name} lists",
                hint=f"Ask for page {_DEPTH // query.limit} or an earlier one.",
            )

    def _filters(self, query: CatalogueQuery) -> dict[str, object]:
        filters: dict[str, object] = {}
        if query.media_type is not None:
            if query.media_type not in self.profile.media_types:
                raise InvalidInput(
                    f"{self.profile.name} files nothing under {query.media_type!r}",
                    hint=f"It knows: {', '.join(self.profile.media_types)}.",
                )
            filters["mediatype"] = {query.media_type: "inc"}
        bounds: dict[str, object] = {}
        if query.year_from is not None:
            bounds[str(query.year_from)] = "gte"
        if query.year_to is not None:
            same = query.year_to == query.year_from
            bounds[str(query.year_to)] = ["gte", "lte"] if same else "lte"
        if bounds:
            filters["year"] = bounds
        return filters

    def _sort_key(self, sort: Sort) -> str:
        try:
            return _SORTS[sort]
        except KeyError:
            raise InvalidInput(
                f"{self.profile.name} has no order {sort!r}",
                hint=f"It knows: relevance, {', '.join(_SORTS)}.",
            ) from None


def _remarks(query: CatalogueQuery, name: str) -> tuple[Remark, ...]:
    ranged = query.year_from is not None or query.year_to is not None
    if ranged or query.sort in ("newest", "oldest"):
        return (Remark(Kind.FILED_YEARS, {"name": name}),)
    return ()


def _count(found: Found, counts: str) -> HitCount | None:
    return None if found.total is None else HitCount(found.total, counts)


def _more(found: Found, query: InsideQuery | CatalogueQuery) -> bool | None:
    return None if found.total is None else query.page * query.limit < found.total
