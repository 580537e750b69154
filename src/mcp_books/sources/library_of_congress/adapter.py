"""The Library of Congress: newspaper pages by their text, one catalogue per kind of material.

Its site answers JSON beside HTML, on the same addresses, behind a guard against programs. It drops
filters and operators it does not know in silence, so nothing is sent that it does not honour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, TypedDict, TypeVar

from mcp_books._phrases import Kind
from mcp_books.arguments import Sort
from mcp_books.errors import InvalidInput
from mcp_books.models import BriefRecord, Hit, Record
from mcp_books.sources import _excerpts, _values
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

from .record import read_record
from .references import Reference, parse_address, parse_reference
from .reply import SILENCE, read_document
from .rows import CatalogueRow, PageRow, Rows, read_catalogue, read_pages
from .wording import Sent, wording_sent

if TYPE_CHECKING:
    from mcp_books._http import Fetched, Reply

__all__ = ["LibraryOfCongress"]

RowT = TypeVar("RowT", Hit, BriefRecord)

_NEWSPAPER_PAGES = "/collections/chronicling-america/"
_SEARCH_BLOCKS = "results,pagination,options"
_ITEM_BLOCKS = "item,resources,cite_this"
_PAGE_BLOCKS = "item,resource,page,segments,cite_this"

_ROUTES: Mapping[str, str] = {
    kind: f"/{kind}/"
    for kind in (
        "books",
        "photos",
        "maps",
        "audio",
        "film-and-videos",
        "manuscripts",
        "notated-music",
        "newspapers",
    )
}
_SORTS: Mapping[Sort, tuple[str | None, str]] = {
    "relevance": (None, "relevance"),
    "newest": ("date_desc", "filed date, latest first"),
    "oldest": ("date", "filed date, earliest first"),
    "title": ("title_s", "title"),
}


class _Provenance(TypedDict):
    id: str
    source: str
    source_name: str
    identifier: str
    source_url: str


class LibraryOfCongress(RemoteSource, FullTextSource, CatalogueSource, RecordSource):
    """The Library of Congress, Washington."""

    default_base_url: ClassVar[str] = "https://www.loc.gov"
    hosts: ClassVar[tuple[str, ...]] = ("www.loc.gov", "tile.loc.gov")
    max_in_flight: ClassVar[int] = 1
    closed_paths: ClassVar[tuple[str, ...]] = ("/search",)
    silence_after_refusal: ClassVar[float | None] = SILENCE

    profile = Profile(
        id="loc",
        name="Library of Congress",
        home_url="https://www.loc.gov",
        examples=(
            "sn83030214/1897-07-29/ed-1/seq-6",
            "https://www.loc.gov/item/98688726/",
            "https://www.loc.gov/resource/sn83030214/1897-07-29/ed-1/?sp=6",
            "https://lccn.loc.gov/2007680728",
        ),
        attribution="Library of Congress",
        credit_note=None,
        searches_on=("catalogue record", "online text"),
        searches_on_caveat="a match in the online text may not show in the record",
        catalogue_requires_every_word=True,
        inside_requires_every_word=True,
        row_describes="one catalogue record of the kind of material asked for",
        corpus="machine-read pages of American newspapers (Chronicling America)",
        machine_read=True,
        year_means="year the Library files it under; of a newspaper page, its issue",
        description_means="summary, essay or description as catalogued",
        publishes_page_number=True,
        page_unit="image",
        media_types=tuple(_ROUTES),
        default_media_type="books",
        honours=frozenset(("year_range", "sort")),
        pace_seconds=6.0,
        pace_reason="publishes ten requests a minute; the lowest published limit governs",
    )

    def claim(self, text: str) -> Claim | None:
        text = text.strip()
        found = parse_address(text, self.base_url)
        if found is not None:
            return Claim(str(found), exact=True)
        named = parse_reference(text)
        return None if named is None else Claim(str(named[0]), exact=named[1])

    async def search_inside(self, query: InsideQuery) -> ResultPage[Hit]:
        sent = wording_sent(query.text)
        fetched = await self.channel.get(
            _NEWSPAPER_PAGES,
            [("dl", "page"), *_paged(sent, query.limit, query.page)],
            lambda reply: read_pages(reply, query.page, self.base_url),
        )
        wanted = _excerpts.needles(sent.text)
        remarks = self._remarks(sent, fetched, query.page)
        if wanted.phrases:
            remarks.append(self._remark(Kind.PHRASE_APPROXIMATE))
        return _page(
            fetched,
            tuple(self._hit(row, wanted, query) for row in fetched.value.read),
            counts="newspaper pages",
            ordered_on="relevance",
            sent_as=_where_it_differs(sent, query.text),
            remarks=remarks,
        )

    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        sent = wording_sent(query.text)
        order, ordered_on = _SORTS[query.sort]
        params = [("all", "true"), *_paged(sent, query.limit, query.page)]
        ranged = query.year_from is not None or query.year_to is not None
        if ranged:
            params.append(("dates", f"{query.year_from or 1000}/{query.year_to or 9999}"))
        if order is not None:
            params.append(("sb", order))
        fetched = await self.channel.get(
            self._route(query.media_type),
            params,
            lambda reply: read_catalogue(reply, query.page, self.base_url),
        )
        remarks = self._remarks(sent, fetched, query.page)
        if ranged or query.sort in ("newest", "oldest"):
            remarks.append(self._remark(Kind.FILED_YEARS))
        return _page(
            fetched,
            tuple(self._brief(row, query) for row in fetched.value.read),
            counts="rows, records and other pages alike",
            ordered_on=ordered_on,
            sent_as=_where_it_differs(sent, query.text),
            remarks=remarks,
        )

    async def get_item(self, reference: str) -> Record:
        named = parse_reference(reference)
        if named is None:
            raise InvalidInput(
                f"{reference!r} is not an identifier of the Library of Congress",
                hint="Give the id of a row.",
            )
        asked = named[0]
        params = [("fo", "json"), ("at", _ITEM_BLOCKS)]
        if asked.sequence is not None:
            params = [("fo", "json"), ("sp", str(asked.sequence)), ("at", _PAGE_BLOCKS)]

        def read(reply: Reply) -> Record:
            return read_record(
                read_document(reply, str(asked)),
                asked,
                profile=self.profile,
                base_url=self.base_url,
            )

        return (await self.channel.get(asked.path, params, read)).value

    def _route(self, media_type: str | None) -> str:
        route = _ROUTES.get(media_type or self.profile.default_media_type or "")
        if route is None:
            raise InvalidInput(
                f"the Library files nothing under {media_type!r}",
                hint=f"It knows: {', '.join(_ROUTES)}.",
            )
        return route

    def _hit(self, row: PageRow, wanted: _excerpts.Needles, query: InsideQuery) -> Hit:
        marks = _excerpts.spans(row.text, wanted)
        budget = query.max_excerpt_chars
        cut = (
            _excerpts.cut_around(row.text, marks, budget)
            if marks
            else _excerpts.opening(row.text, budget)
        )
        date = row.reference.issued_on
        return Hit(
            **self._provenance(row.reference),
            title=row.title,
            creator=None,
            year=_values.year(date),
            page_number=row.page_number,
            excerpts=(cut,) if cut else (),
            excerpt_kind="passage" if marks else "page_opening",
            found_by_query=query.text,
            published_on=date,
            publication=row.publication,
        )

    def _brief(self, row: CatalogueRow, query: CatalogueQuery) -> BriefRecord:
        return BriefRecord(
            **self._provenance(row.reference),
            title=row.title,
            creator=row.creator,
            year=_values.year(row.date),
            date=row.date,
            media_type=row.media_type,
            found_by_query=query.text,
            location=row.location,
            online=row.online,
        )

    def _provenance(self, reference: Reference) -> _Provenance:
        return {
            "id": self.record_id(str(reference)),
            "source": self.id,
            "source_name": self.profile.name,
            "identifier": str(reference),
            "source_url": self.address(reference.public_path),
        }

    def _remarks(
        self, sent: Sent, fetched: Fetched[Rows[PageRow]] | Fetched[Rows[CatalogueRow]], page: int
    ) -> list[Remark]:
        remarks: list[Remark] = []
        if sent.left_out:
            remarks.append(self._remark(Kind.WORDS_SET_ASIDE, words=", ".join(sent.left_out)))
        if fetched.value.past_the_end:
            remarks.append(self._remark(Kind.PAST_THE_END, page=page))
        return remarks

    def _remark(self, kind: Kind, **values: object) -> Remark:
        return Remark(kind, {"name": self.profile.name, **values})


def _paged(sent: Sent, limit: int, page: int) -> list[tuple[str, str]]:
    return [
        ("q", sent.text),
        ("c", str(limit)),
        ("sp", str(page)),
        ("at", _SEARCH_BLOCKS),
        ("fo", "json"),
    ]


def _where_it_differs(sent: Sent, wording: str) -> str | None:
    return sent.text if sent.text != wording else None


def _page(
    fetched: Fetched[Rows[PageRow]] | Fetched[Rows[CatalogueRow]],
    rows: tuple[RowT, ...],
    *,
    counts: str,
    ordered_on: str,
    sent_as: str | None,
    remarks: list[Remark],
) -> ResultPage[RowT]:
    answer = fetched.value
    return ResultPage(
        rows=rows,
        total=None if answer.of is None else HitCount(answer.of, counts),
        more=answer.more,
        unreadable=answer.unreadable,
        set_aside=answer.set_aside,
        ordered_on=ordered_on,
        sent_as=sent_as,
        retrieved=fetched.retrieved,
        cached=fetched.cached,
        remarks=tuple(remarks),
    )
