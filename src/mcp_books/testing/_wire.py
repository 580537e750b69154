"""What becomes of an archive that misbehaves on the wire: each trouble has its code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

import anyio
import pytest

from mcp_books.errors import BooksError, ErrorCode, ParseFailure
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    FullTextSource,
    InsideQuery,
    RecordSource,
    Source,
)

from ._answering import AnsweringContract, searched

__all__ = ["Trouble", "WireContract"]

PATIENCE = 20
"""Seconds within which every question under trouble has to end."""


class Trouble(StrEnum):
    """How an archive misbehaves on the wire."""

    PUSH_BACK = "push_back"
    """429, without a time."""
    SERVER_ERROR = "server_error"
    """500 with a line of text."""
    HTML = "html"
    """A page for people with status 200, where data was asked for."""
    EMPTY_BODY = "empty_body"
    TRUNCATED_BODY = "truncated_body"
    CUT_OFF = "cut_off"
    """The connection closes in the middle of the body."""
    DROPPED = "dropped"
    """The connection closes before the answer."""
    STALLED = "stalled"
    """Nothing comes within the time the source allows a request."""
    FLOOD = "flood"
    """More is sent than any answer holds."""
    ELSEWHERE = "elsewhere"
    """A redirect to a host that is not the archive's."""
    ONE_ROW_WITHOUT_IDENTIFIER = "one_row_without_identifier"
    NO_ROW_WITH_IDENTIFIER = "no_row_with_identifier"


CODES: Mapping[Trouble, frozenset[ErrorCode]] = {
    Trouble.PUSH_BACK: frozenset({"rate_limited"}),
    Trouble.SERVER_ERROR: frozenset({"network_error"}),
    Trouble.HTML: frozenset({"parse_failure"}),
    Trouble.EMPTY_BODY: frozenset({"parse_failure", "network_error"}),
    Trouble.TRUNCATED_BODY: frozenset({"parse_failure"}),
    Trouble.CUT_OFF: frozenset({"network_error"}),
    Trouble.DROPPED: frozenset({"network_error"}),
    Trouble.STALLED: frozenset({"timeout"}),
    Trouble.FLOOD: frozenset({"parse_failure", "network_error"}),
    Trouble.ELSEWHERE: frozenset({"network_error"}),
}
"""What each trouble is reported as."""


@pytest.mark.anyio
class WireContract(AnsweringContract):
    """Rules of an archive asked over a wire.

    `source` has to give up on a request that stalls after a second or so, and not try for long.
    """

    @pytest.fixture
    def trouble(self) -> Callable[[Trouble], None]:
        """A function that makes every answer of the archive misbehave from now on."""
        raise NotImplementedError("a suite defines the fixture 'trouble'")

    @pytest.mark.parametrize("kind", CODES)
    async def test_a_search_inside_in_trouble_ends_in_its_code(
        self,
        source: Source,
        inside: InsideQuery | None,
        trouble: Callable[[Trouble], None],
        kind: Trouble,
    ) -> None:
        if not isinstance(source, FullTextSource) or inside is None:
            pytest.skip("it holds no text")
        trouble(kind)
        with anyio.fail_after(PATIENCE), pytest.raises(BooksError) as failure:
            await source.search_inside(inside)
        assert failure.value.code in CODES[kind]

    @pytest.mark.parametrize("kind", CODES)
    async def test_a_catalogue_search_in_trouble_ends_in_its_code(
        self,
        source: Source,
        catalogue: CatalogueQuery | None,
        trouble: Callable[[Trouble], None],
        kind: Trouble,
    ) -> None:
        if not isinstance(source, CatalogueSource) or catalogue is None:
            pytest.skip("it has no catalogue")
        trouble(kind)
        with anyio.fail_after(PATIENCE), pytest.raises(BooksError) as failure:
            await source.search_items(catalogue)
        assert failure.value.code in CODES[kind]

    @pytest.mark.parametrize("kind", CODES)
    async def test_a_record_read_in_trouble_ends_in_its_code(
        self,
        source: Source,
        inside: InsideQuery | None,
        catalogue: CatalogueQuery | None,
        trouble: Callable[[Trouble], None],
        kind: Trouble,
    ) -> None:
        if not isinstance(source, RecordSource):
            pytest.skip("it reads no records")
        found = [page async for page in searched(source, inside, catalogue)]
        known = found[-1].rows[0].identifier
        trouble(kind)
        with anyio.fail_after(PATIENCE), pytest.raises(BooksError) as failure:
            await source.get_item(known)
        assert failure.value.code in CODES[kind]

    async def test_one_row_without_an_identifier_is_counted_and_the_others_stand(
        self,
        source: Source,
        inside: InsideQuery | None,
        catalogue: CatalogueQuery | None,
        trouble: Callable[[Trouble], None],
    ) -> None:
        trouble(Trouble.ONE_ROW_WITHOUT_IDENTIFIER)
        async for page in searched(source, inside, catalogue):
            assert page.rows
            assert page.unreadable == 1

    async def test_rows_without_identifiers_are_never_nothing_found(
        self,
        source: Source,
        inside: InsideQuery | None,
        catalogue: CatalogueQuery | None,
        trouble: Callable[[Trouble], None],
    ) -> None:
        trouble(Trouble.NO_ROW_WITH_IDENTIFIER)
        for hits, records in ((inside, None), (None, catalogue)):
            try:
                pages = [page async for page in searched(source, hits, records)]
            except ParseFailure:
                continue
            assert all(not page.rows and page.unreadable for page in pages)
