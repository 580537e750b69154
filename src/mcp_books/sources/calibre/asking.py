"""The three questions put to the libraries and their index. Everything here may block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import date

from mcp_books._phrases import Kind, say
from mcp_books.errors import DeadlineExceeded, InvalidInput, RecordNotFound
from mcp_books.models import BriefRecord, Hit, Record
from mcp_books.reports import Coverage
from mcp_books.settings import Settings
from mcp_books.sources.base import (
    CatalogueQuery,
    HitCount,
    InsideQuery,
    Profile,
    Remark,
    ResultPage,
)

from . import catalogue, references
from .copies import read_one
from .covered import Survey
from .failures import nothing_indexed, told
from .holdings import Holdings, look, unavailable
from .index import Found, Index, Query, Reader, read_query, read_words
from .library import Library
from .passages import hit_of
from .places import index_file, libraries
from .problems import UnreadLibrary
from .record import brief_record, whole_record

__all__ = ["Desk"]

PER_BOOK = 3
"""Hits of one book on one page of an answer."""


class Desk:
    """Answers from the libraries of `settings`; every method may be called from any thread."""

    def __init__(self, settings: Settings, profile: Profile) -> None:
        self.libraries: tuple[Library, ...] = libraries(settings)
        self._profile = profile
        self._index = index_file(settings)
        self._opening = threading.Lock()
        self._reader: Reader | None = None
        self._survey = Survey()

    def close(self) -> None:
        """Close the text index; asked again, it is opened again."""
        with self._opening:
            if self._reader is not None:
                self._reader.close()

    def search_inside(self, query: InsideQuery, until: float, today: date) -> ResultPage[Hit]:
        """Return one page of places; `until` is a time of `time.monotonic`.

        Raises:
            InvalidInput: no word can be searched.
            SourceError: no library or no index can be read, or the time was too short.
        """
        asked = read_query(query.text)
        holdings = look(self.libraries, self._profile)
        with told(self._profile):
            reader = self._opened()
            covered = self._survey.of(reader, holdings, self.libraries)
            if covered.coverage.readable and not covered.coverage.indexed:
                raise nothing_indexed(self._profile, covered.coverage.readable)
            found = reader.search(
                asked,
                limit=query.limit,
                offset=(query.page - 1) * query.limit,
                deadline=until,
                allowed=covered.allowed,
                per_book=PER_BOOK,
            )
        if found.timed_out and not found.places:
            raise DeadlineExceeded(
                f"{self._profile.name}: the time allowed was too short to search the text index",
                hint="Ask with rarer words, or with a phrase in double quotes.",
            )
        hits = tuple(self._hits(found, holdings, asked, query))
        return ResultPage(
            rows=hits,
            total=None if found.total is None else HitCount(found.total, "pages or passages"),
            more=found.more,
            set_aside=len(found.places) - len(hits),
            ordered_on="rank of the words" if found.ranked else "place in the index",
            sent_as=asked.sent_as,
            retrieved=today,
            remarks=tuple(self._remarks(found, holdings, asked, covered.coverage)),
            coverage=covered.coverage,
        )

    def search_items(self, query: CatalogueQuery, today: date) -> ResultPage[BriefRecord]:
        """Return one page of books.

        Raises:
            InvalidInput: no word can be searched.
            SourceError: no library can be read.
        """
        holdings = look(self.libraries, self._profile)
        found = catalogue.search(
            holdings.snapshots,
            query.text,
            year_from=query.year_from,
            year_to=query.year_to,
            sort=query.sort,
            media_type=query.media_type,
            limit=query.limit,
            page=query.page,
        )
        return ResultPage(
            rows=tuple(
                brief_record(snapshot, book, profile=self._profile, found_by_query=query.text)
                for snapshot, book in found.rows
            ),
            total=HitCount(found.total, "books"),
            more=found.more,
            ordered_on=catalogue.ORDERED_ON[query.sort],
            sent_as=read_words(query.text),
            retrieved=today,
            remarks=tuple(holdings.remarks(self._profile.name)),
        )

    def get_item(self, reference: str) -> Record:
        """Return the record of one book.

        Raises:
            InvalidInput: `reference` names no book of a configured library.
            RecordNotFound: its library holds no such book, or does not show it.
            SourceError: its library cannot be read.
        """
        named = references.parse(reference, lambda: self.libraries)
        if named is None:
            raise InvalidInput(
                f"{reference!r} names no book of a configured library",
                hint=f"Libraries: {', '.join(one.name for one in self.libraries) or 'none'}.",
            )
        try:
            reading = read_one(named.library, self.libraries)
        except UnreadLibrary as failure:
            raise unavailable(self._profile, [failure]) from failure
        book = reading.snapshot.book(named.number)
        if book is None:
            raise RecordNotFound(
                f"{self._profile.name}: {named.library.name!r} shows no book {named.number}",
                hint="Find it with search_items: a book that left its library has no record.",
            )
        record = whole_record(reading.snapshot, book, profile=self._profile)
        notes = tuple(
            say(remark.kind, **remark.values)
            for remark in Holdings((reading,), ()).remarks(self._profile.name)
        )
        return record.model_copy(update={"notes": notes}) if notes else record

    def _opened(self) -> Reader:
        with self._opening:
            if self._reader is None:
                self._reader = Index.open_reading(self._index)
            return self._reader

    def _hits(
        self, found: Found, holdings: Holdings, asked: Query, query: InsideQuery
    ) -> Iterator[Hit]:
        for place in found.places:
            for document in (place.document, *place.others):
                held = holdings.book_of(document.file)
                if held is not None:
                    snapshot, book = held
                    yield hit_of(
                        place,
                        document.file.format,
                        snapshot,
                        book,
                        asked=asked,
                        query=query,
                        profile=self._profile,
                    )
                    break

    def _remarks(
        self, found: Found, holdings: Holdings, asked: Query, coverage: Coverage
    ) -> Iterator[Remark]:
        name = self._profile.name
        yield from holdings.remarks(name)
        if coverage.indexed < coverage.readable:
            yield Remark(
                Kind.INDEX_PARTIAL,
                {"name": name, "indexed": coverage.indexed, "readable": coverage.readable},
            )
        if not found.ranked:
            yield Remark(Kind.UNRANKED, {"name": name})
        if asked.left_out:
            words = f"the last {asked.left_out} of the query"
            yield Remark(Kind.WORDS_SET_ASIDE, {"name": name, "words": words})
