"""Archives that fail each time they are asked, on a clock that jumps: how fast are they asked?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import anyio
import httpx
import pytest
import respx

from mcp_books.testing import PaceContract
from tests.unit.virtual_time import VirtualLoop, clock

__all__ = ["FailingPace", "clock"]


class FailingPace(PaceContract):
    """The contract of pace; an archive's own suite adds the `source`."""

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
