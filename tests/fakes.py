"""Archives that answer from memory, for tests that need no wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from mcp_books.errors import RecordNotFound
from mcp_books.identifiers import Claim
from mcp_books.models import BriefRecord, ExcerptKind, Hit, Record, Rights
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    FullTextSource,
    HitCount,
    InsideQuery,
    Profile,
    RecordSource,
    ResultPage,
)

RETRIEVED = date(2026, 11, 30)
EVERY_WORD_REASON = "its catalogue has no such filter"

PROFILE = Profile(
    id="alpha",
    name="Alpha Archive",
    home_url="https://alpha.example",
    examples=("alpha-1",),
    attribution="Alpha Archive",
    credit_note=None,
    searches_on=("title",),
    inside_requires_every_word=True,
    row_describes="an item",
    corpus="books",
    year_means="year of publication",
    publishes_page_number=True,
    media_types=("texts", "maps"),
    default_media_type=None,
    honours=frozenset({"year_range", "sort"}),
)


def profile(source: str, **changes: object) -> Profile:
    named: dict[str, object] = {"id": source, "name": source.title(), "attribution": source.title()}
    return replace(PROFILE, **(named | changes))  # type: ignore[arg-type]


def hit(
    source: str = "alpha",
    reference: str = "alpha-1",
    *,
    kind: ExcerptKind = "passage",
    page_number: int | None = 1,
    matched_file: str | None = None,
    found_by: str = "whale",
) -> Hit:
    values = {
        "id": f"{source}:{reference}",
        "source": source,
        "source_name": source.title(),
        "identifier": reference,
        "title": f"Title of {reference}",
        "creator": None,
        "year": 1851,
        "page_number": page_number,
        "excerpts": ("the whale",),
        "excerpt_kind": kind,
        "source_url": f"https://{source}.example/{reference}",
        "found_by_query": found_by,
    }
    if matched_file is not None:
        values["matched_file"] = matched_file
    return Hit.model_validate(values)


def row(source: str = "alpha", reference: str = "alpha-1", *, found_by: str = "w") -> BriefRecord:
    return BriefRecord(
        id=f"{source}:{reference}",
        source=source,
        source_name=source.title(),
        identifier=reference,
        title=f"Title of {reference}",
        creator=None,
        year=None,
        source_url=f"https://{source}.example/{reference}",
        date=None,
        media_type="texts",
        found_by_query=found_by,
    )


def page_of(rows: Sequence[Hit], **changes: object) -> ResultPage[Hit]:
    total = HitCount(len(rows), "documents")
    return replace(
        ResultPage(rows=tuple(rows), total=total, more=False, retrieved=RETRIEVED),
        **changes,  # type: ignore[arg-type]
    )


def items_of(rows: Sequence[BriefRecord], **changes: object) -> ResultPage[BriefRecord]:
    total = HitCount(len(rows), "items")
    return replace(
        ResultPage(rows=tuple(rows), total=total, more=False, retrieved=RETRIEVED),
        **changes,  # type: ignore[arg-type]
    )


def record(source: str = "alpha", reference: str = "alpha-1", **fields: object) -> Record:
    values: dict[str, object] = {
        "id": f"{source}:{reference}",
        "source": source,
        "source_name": source.title(),
        "identifier": reference,
        "title": "A title",
        "creator": None,
        "year": None,
        "year_means": "year of publication",
        "date": None,
        "media_type": "texts",
        "source_url": f"https://{source}.example/{reference}",
        "attribution": source.title(),
        "rights": Rights(statement=None, url=None, covers="this item"),
    }
    return Record.model_validate(values | fields)


Inside = Callable[[InsideQuery], Awaitable[ResultPage[Hit]]]
Items = Callable[[CatalogueQuery], Awaitable[ResultPage[BriefRecord]]]


class FakeArchive(FullTextSource, CatalogueSource, RecordSource):
    """Answers what it is told to, and remembers what it was asked."""

    def __init__(
        self,
        source: str = "alpha",
        *,
        inside: Inside | None = None,
        items: Items | None = None,
        records: Mapping[str, Record] | None = None,
        next_slot: float = 0.0,
        **profile_changes: object,
    ) -> None:
        self.profile = profile(source, **profile_changes)
        self._inside = inside
        self._items = items
        self._records = records or {}
        self._next_slot = next_slot
        self.asked: list[InsideQuery | CatalogueQuery] = []

    def claim(self, text: str) -> Claim | None:
        if text.startswith(f"https://{self.id}.example/"):
            return Claim(text.rpartition("/")[2], exact=True)
        if text.startswith("exact-" + self.id):
            return Claim(text, exact=True)
        return Claim(text, exact=False) if text.isascii() and text.isalnum() else None

    async def next_slot(self) -> float:
        return self._next_slot

    async def search_inside(self, query: InsideQuery) -> ResultPage[Hit]:
        self.asked.append(query)
        return page_of(()) if self._inside is None else await self._inside(query)

    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        self.asked.append(query)
        return items_of(()) if self._items is None else await self._items(query)

    async def get_item(self, reference: str) -> Record:
        if reference not in self._records:
            raise RecordNotFound(f"no record {reference!r}")
        return self._records[reference]


class FakeCatalogue(CatalogueSource, RecordSource):
    """A catalogue that holds no text."""

    def __init__(self, source: str = "gamma", *, items: Items | None = None, **changes: object):
        self.profile = profile(
            source, cannot={"search_inside": "a catalogue, holds no text"}, corpus=None, **changes
        )
        self._items = items
        self.asked: list[CatalogueQuery] = []

    def claim(self, text: str) -> Claim | None:
        return None

    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        self.asked.append(query)
        return items_of(()) if self._items is None else await self._items(query)

    async def get_item(self, reference: str) -> Record:
        raise RecordNotFound(f"no record {reference!r}")


def answering(*rows: Hit) -> Inside:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        return page_of(rows)

    return inside


def listing(*rows: BriefRecord) -> Items:
    async def items(query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return items_of(rows)

    return items


def failing(error: Exception) -> Inside:
    async def inside(query: InsideQuery) -> ResultPage[Hit]:
        raise error

    return inside
