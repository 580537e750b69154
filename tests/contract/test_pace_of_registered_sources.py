"""Every registered archive at its own address, failing each time, on a clock that jumps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from mcp_books._http import Http
from mcp_books.settings import Settings
from mcp_books.sources.base import Source
from mcp_books.sources.registry import PROFILES, build_sources
from tests.contract.failing_archives import FailingPace, clock

__all__ = ["TestPace", "clock"]


class TestPace(FailingPace):
    """Three questions at once, each retried once."""

    @pytest.fixture(params=[profile.id for profile in PROFILES])
    async def source(
        self, request: pytest.FixtureRequest, starts: Sequence[float]
    ) -> AsyncIterator[Source]:
        settings = Settings(max_retries=1)
        http = Http(settings)
        sources = build_sources(settings, http)
        async with http:
            yield next(each for each in sources if each.id == request.param)
