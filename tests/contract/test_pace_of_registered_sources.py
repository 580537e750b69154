"""Every registered archive at its own address, failing each time, on a clock that jumps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import anyio
import httpx
import pytest
import respx

from mcp_books._http import Http
from mcp_books.settings import Settings
from mcp_books.sources.base import Source
from mcp_books.sources.registry import PROFILES, build_sources
from mcp_books.testing import PaceContract
from tests.unit.virtual_time import VirtualLoop, clock

__all__ = ["TestPace", "clock"]


class TestPace(PaceContract):
    """Three questions at once, each retried once."""

    @pytest.fixture
    def anyio_backend(self) -> tuple[str, dict[str, Any]]:
        return "asyncio", {"loop_factory": VirtualLoop}

    @pytest.fixture
    def starts(self) -> Iterator[Sequence[float]]:
        started: list[float] = []

        def fail(request: httpx.Request) -> httpx.Response:
            started.append(anyio.current_time())
            return httpx.Response(500, text="failure")

        with respx.mock(assert_all_called=False) as archives:
            archives.route().mock(side_effect=fail)
            yield started

    @pytest.fixture(params=[profile.id for profile in PROFILES])
    async def source(
        self, request: pytest.FixtureRequest, starts: Sequence[float]
    ) -> AsyncIterator[Source]:
        settings = Settings(max_retries=1)
        http = Http(settings)
        sources = build_sources(settings, http)
        async with http:
            yield next(each for each in sources if each.id == request.param)
