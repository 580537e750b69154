"""The worked example at its own address, on a clock that jumps: never faster than it says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from harbour_archive import HarbourArchive
from mcp_books.settings import Settings
from mcp_books.transport import Http
from tests.contract.failing_archives import FailingPace, clock

__all__ = ["TestPace", "clock"]


class TestPace(FailingPace):
    """Three questions at once, each retried once."""

    @pytest.fixture
    async def source(self, starts: Sequence[float]) -> AsyncIterator[HarbourArchive]:
        async with Http(Settings(max_retries=1)) as http:
            yield HarbourArchive(http)
