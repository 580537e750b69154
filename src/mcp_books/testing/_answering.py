"""What a working archive answers: rules that hold with or without a wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import pytest

from mcp_books.errors import RecordNotFound
from mcp_books.identifiers import RecordId
from mcp_books.models import BriefRecord, Hit
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    FullTextSource,
    InsideQuery,
    RecordSource,
    ResultPage,
    Source,
)

from ._declared import DeclaredContract

__all__ = ["AnsweringContract", "Samples"]

LIMIT = 5
"""Rows asked for by the rules below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """What an archive's suite can ask it: words, and identifiers of its own."""

    inside: str | None = None
    """Words that stand in at least two of its texts; None where it holds no text."""
    catalogue: str | None = None
    """Words of at least two of its records; None where it has no catalogue."""
    nothing: str
    """A word that it holds nowhere."""
    missing: str | None = None
    """An identifier of its shape that it holds no record under; None where it reads no record."""


def inside_query(samples: Samples) -> InsideQuery:
    """Return the question a full text is asked by these rules."""
    assert samples.inside is not None, "samples.inside: it answers search_inside"
    return InsideQuery(text=samples.inside, limit=LIMIT)


def catalogue_query(source: Source, samples: Samples) -> CatalogueQuery:
    """Return the question a catalogue is asked by these rules."""
    assert samples.catalogue is not None, "samples.catalogue: it answers search_items"
    return CatalogueQuery(
        text=samples.catalogue,
        limit=LIMIT,
        media_type=source.profile.default_media_type,
    )


async def searched(
    source: Source, inside: InsideQuery | None, catalogue: CatalogueQuery | None
) -> AsyncIterator[ResultPage[Hit] | ResultPage[BriefRecord]]:
    """Yield what each search that `source` answers brings."""
    if isinstance(source, FullTextSource) and inside is not None:
        yield await source.search_inside(inside)
    if isinstance(source, CatalogueSource) and catalogue is not None:
        yield await source.search_items(catalogue)


@pytest.mark.anyio
class AnsweringContract(DeclaredContract):
    """Rules of what a working archive answers; `source` has to be ready to be asked."""

    @pytest.fixture
    def samples(self) -> Samples:
        """What can be asked of it."""
        raise NotImplementedError("a suite defines the fixture 'samples'")

    @pytest.fixture
    def inside(self, source: Source, samples: Samples) -> InsideQuery | None:
        """The question put to its full text."""
        return inside_query(samples) if "search_inside" in source.answers else None

    @pytest.fixture
    def catalogue(self, source: Source, samples: Samples) -> CatalogueQuery | None:
        """The question put to its catalogue."""
        return catalogue_query(source, samples) if "search_items" in source.answers else None

    async def test_rows_name_their_archive_and_stay_within_the_limit(
        self, source: Source, inside: InsideQuery | None, catalogue: CatalogueQuery | None
    ) -> None:
        shown = {urlsplit(example).scheme for example in source.profile.examples} - {""}
        openable = {"http", "https", "file"} | shown
        async for page in searched(source, inside, catalogue):
            assert 2 <= len(page.rows) <= LIMIT
            for row in page.rows:
                assert (row.source, row.source_name) == (source.id, source.profile.name)
                assert row.id == str(RecordId(source.id, row.identifier))
                assert urlsplit(row.source_url).scheme in openable

    async def test_what_a_row_found_can_be_claimed_back_by_id_and_by_address(
        self, source: Source, inside: InsideQuery | None, catalogue: CatalogueQuery | None
    ) -> None:
        async for page in searched(source, inside, catalogue):
            for row in page.rows:
                claim = source.claim(row.identifier)
                assert claim is not None, row.identifier
                assert claim.reference == row.identifier
                at = source.claim(row.source_url)
                assert at is not None, row.source_url
                assert at.exact

    async def test_a_limit_of_one_brings_one_row_and_says_there_may_be_more(
        self, source: Source, inside: InsideQuery | None, catalogue: CatalogueQuery | None
    ) -> None:
        one_hit = replace(inside, limit=1) if inside else None
        one_record = replace(catalogue, limit=1) if catalogue else None
        async for page in searched(source, one_hit, one_record):
            assert len(page.rows) == 1
            assert page.more is not False

    async def test_the_second_page_repeats_no_row_of_the_first(
        self, source: Source, inside: InsideQuery | None, catalogue: CatalogueQuery | None
    ) -> None:
        seen: list[Hit | BriefRecord] = []
        for number in (1, 2):
            hits = replace(inside, limit=1, page=number) if inside else None
            records = replace(catalogue, limit=1, page=number) if catalogue else None
            async for page in searched(source, hits, records):
                assert len(page.rows) == 1
                assert page.rows[0] not in seen
                seen.extend(page.rows)

    async def test_nothing_found_is_a_page_without_rows(
        self,
        source: Source,
        samples: Samples,
        inside: InsideQuery | None,
        catalogue: CatalogueQuery | None,
    ) -> None:
        no_hit = replace(inside, text=samples.nothing) if inside else None
        no_record = replace(catalogue, text=samples.nothing) if catalogue else None
        async for page in searched(source, no_hit, no_record):
            assert page.rows == ()
            assert page.unreadable == 0
            assert page.total is None or page.total.value == 0
            assert page.more is not True

    async def test_a_page_number_comes_only_from_an_archive_that_publishes_one(
        self, source: Source, inside: InsideQuery | None
    ) -> None:
        async for page in searched(source, inside, None):
            numbers = [hit.page_number for hit in page.rows if isinstance(hit, Hit)]
            if source.profile.publishes_page_number:
                assert any(number is not None for number in numbers)
            else:
                assert set(numbers) == {None}

    async def test_excerpts_keep_to_their_number_and_length(
        self, source: Source, inside: InsideQuery | None
    ) -> None:
        short = replace(inside, max_excerpt_chars=80, max_excerpts=1) if inside else None
        async for page in searched(source, short, None):
            for hit in page.rows:
                assert isinstance(hit, Hit)
                assert len(hit.excerpts) <= 1
                assert all(0 < len(excerpt) <= 80 for excerpt in hit.excerpts)

    async def test_what_a_row_found_can_be_read(
        self, source: Source, inside: InsideQuery | None, catalogue: CatalogueQuery | None
    ) -> None:
        if not isinstance(source, RecordSource):
            pytest.skip("it reads no records")
        async for page in searched(source, inside, catalogue):
            record = await source.get_item(page.rows[0].identifier)
            assert record.id == page.rows[0].id
            assert (record.source, record.source_name) == (source.id, source.profile.name)
            assert record.rights.covers
            assert record.year_means

    async def test_a_record_it_does_not_hold_is_not_found(
        self, source: Source, samples: Samples
    ) -> None:
        if not isinstance(source, RecordSource):
            pytest.skip("it reads no records")
        assert samples.missing is not None, "samples.missing: it answers get_item"
        claim = source.claim(samples.missing)
        assert claim is not None
        with pytest.raises(RecordNotFound) as refusal:
            await source.get_item(claim.reference)
        assert refusal.value.retries == 0
