"""The contract over an archive that a program brings itself and that asks nobody over a wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import pytest

from mcp_books.errors import RecordNotFound
from mcp_books.models import BriefRecord, Record, Rights
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    Claim,
    HitCount,
    Profile,
    RecordSource,
    ResultPage,
)
from mcp_books.testing import AnsweringContract, Samples


@dataclass(frozen=True)
class Book:
    title: str
    creator: str | None
    year: int | None


BOOKS: Mapping[str, Book] = {
    "shelf-1": Book("The Whale and the Harbour", "Ada Brook", 1899),
    "shelf-2": Book("A Whale at Anchor", None, None),
    "shelf-3": Book("Gardens", "Ada Brook", 1902),
}


class Shelf(CatalogueSource, RecordSource):
    """Three books in memory."""

    profile = Profile(
        id="shelf",
        name="Reading-room shelf",
        home_url="https://shelf.example",
        examples=("shelf-1", "https://shelf.example/books/shelf-2"),
        attribution="The reading room",
        credit_note=None,
        searches_on=("title",),
        row_describes="a printed book",
        corpus=None,
        year_means="year on the title page",
        cannot={"search_inside": "a list of titles, holds no text"},
        cannot_filter={
            "year_range": "its list cannot be narrowed",
            "sort": "its list has one order",
        },
    )

    def claim(self, text: str) -> Claim | None:
        reference = text.removeprefix("https://shelf.example/books/")
        number = reference.removeprefix("shelf-")
        if number == reference or not (number.isascii() and number.isdigit()):
            return None
        return Claim(reference, exact=True)

    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        words = query.text.casefold().split()
        found = [
            reference
            for reference, book in BOOKS.items()
            if all(word in book.title.casefold() for word in words)
        ]
        start = (query.page - 1) * query.limit
        return ResultPage(
            rows=tuple(
                self._row(reference, query) for reference in found[start : start + query.limit]
            ),
            total=HitCount(len(found), "books"),
            more=start + query.limit < len(found),
            retrieved=date(2026, 1, 31),
        )

    async def get_item(self, reference: str) -> Record:
        if reference not in BOOKS:
            raise RecordNotFound(f"no book {reference!r} on the shelf")
        book = BOOKS[reference]
        return Record(
            id=self.record_id(reference),
            source=self.id,
            source_name=self.profile.name,
            identifier=reference,
            title=book.title,
            creator=book.creator,
            year=book.year,
            year_means=self.profile.year_means,
            date=None,
            media_type=None,
            source_url=f"https://shelf.example/books/{reference}",
            attribution=self.profile.attribution,
            rights=Rights(statement=None, url=None, covers="this book"),
        )

    def _row(self, reference: str, query: CatalogueQuery) -> BriefRecord:
        book = BOOKS[reference]
        return BriefRecord(
            id=self.record_id(reference),
            source=self.id,
            source_name=self.profile.name,
            identifier=reference,
            title=book.title,
            creator=book.creator,
            year=book.year,
            date=None,
            media_type=None,
            source_url=f"https://shelf.example/books/{reference}",
            found_by_query=query.text,
        )


class TestShelf(AnsweringContract):
    """A whole archive's suite: its source, and what it can be asked."""

    @pytest.fixture
    def source(self) -> Shelf:
        return Shelf()

    @pytest.fixture
    def samples(self) -> Samples:
        return Samples(catalogue="whale", nothing="zzxqzv", missing="shelf-99")
