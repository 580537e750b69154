"""An engine that lost its text index: it answers, and finds nothing."""

from __future__ import annotations

import pytest

from mcp_books._http import Http
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery
from mcp_books.sources.data_bnf import DataBnf

from . import records

pytestmark = pytest.mark.anyio


async def test_without_its_text_index_a_search_is_an_empty_answer_and_records_are_read(
    engine_without_index: str,
) -> None:
    """The wire cannot tell a lost index from an absence: HTTP 200 and no row, flagged nowhere."""
    async with Http(Settings(cache_ttl=0, max_retries=0)) as http:
        bnf = DataBnf(http, base_url=engine_without_index)
        for text in ("vent novembre", "brouillard", "catalogue des phares"):
            page = await bnf.search_items(CatalogueQuery(text=text, limit=5))
            assert (page.rows, page.more, page.again) == ((), False, None)
            assert page.remarks == ()
        assert (await bnf.get_item(records.POEMS)).title == "Le vent de novembre"
