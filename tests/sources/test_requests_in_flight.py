"""How many requests an archive has to answer at once, on a clock that jumps."""

from __future__ import annotations

from functools import partial

import anyio
import httpx
import pytest
import respx

from mcp_books._http import Http
from mcp_books.errors import BooksError
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery, CatalogueSource
from mcp_books.sources.registry import PROFILES, build_sources
from tests.unit.virtual_time import anyio_backend, clock

__all__ = ["anyio_backend", "clock"]

pytestmark = pytest.mark.anyio

ANSWERS_AFTER = 25.0
"""Seconds: longer than the spacing of three requests to any archive, shorter than a time-out."""

AT_MOST = {"archive": 4, "loc": 1, "bnf": 1}


@pytest.mark.parametrize("name", [profile.id for profile in PROFILES])
async def test_different_searches_at_once_are_in_flight_together_only_where_the_archive_bears_it(
    name: str,
) -> None:
    in_flight: list[str] = []
    most = 0

    async def answer(request: httpx.Request) -> httpx.Response:
        nonlocal most
        in_flight.append(str(request.url))
        most = max(most, len(in_flight))
        await anyio.sleep(ANSWERS_AFTER)
        in_flight.pop()
        return httpx.Response(404, text="nothing here")

    async def ask(source: CatalogueSource, text: str) -> None:
        with pytest.raises(BooksError):
            await source.search_items(CatalogueQuery(text=text, limit=1))

    settings = Settings(max_retries=0, request_timeout=60.0)
    with respx.mock(assert_all_called=False) as archives:
        archives.route().mock(side_effect=answer)
        async with Http(settings) as http:
            source = next(each for each in build_sources(settings, http) if each.id == name)
            assert isinstance(source, CatalogueSource)
            async with anyio.create_task_group() as tasks:
                for text in ("whale", "ship", "sea", "wind"):
                    tasks.start_soon(partial(ask, source, text))
            assert archives.calls.call_count == 4
    assert most == AT_MOST[name]
