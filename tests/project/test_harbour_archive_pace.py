"""The worked example at its own address, on a clock that jumps: never faster than it says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import anyio
import httpx
import pytest
import respx

from docs.harbour_archive import HarbourArchive
from mcp_books.settings import Settings
from mcp_books.testing import PaceContract
from mcp_books.transport import Http
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

        with respx.mock(assert_all_called=False) as archive:
            archive.route(host="harbour.example").mock(side_effect=fail)
            yield started

    @pytest.fixture
    async def source(self, starts: Sequence[float]) -> AsyncIterator[HarbourArchive]:
        async with Http(Settings(max_retries=1)) as http:
            yield HarbourArchive(http)
