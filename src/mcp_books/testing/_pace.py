"""How fast an archive is asked: never faster than its profile says, retries included."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import pairwise

import anyio
import pytest

from mcp_books.errors import BooksError
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    FullTextSource,
    InsideQuery,
    Source,
)

__all__ = ["PaceContract"]

QUESTIONS = 3
JITTER = 0.05
"""Seconds a request may leave after its slot, which shortens the gap to the next one."""


@pytest.mark.anyio
class PaceContract:
    """A rule of an archive that declares a spacing.

    The suite makes the clock: `starts` and `source` have to go by the same one, best one that
    leaps where nothing is to be done but wait.
    """

    @pytest.fixture
    def anyio_backend(self) -> object:
        return "asyncio"

    @pytest.fixture
    def source(self) -> Source:
        """The source under test, ready to be asked; its archive may answer anything."""
        raise NotImplementedError("a suite defines the fixture 'source'")

    @pytest.fixture
    def starts(self) -> Sequence[float]:
        """When each request to the archive started, in seconds, as far as they have."""
        raise NotImplementedError("a suite defines the fixture 'starts'")

    async def test_questions_at_once_start_no_faster_than_the_profile_says(
        self, source: Source, starts: Sequence[float]
    ) -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(QUESTIONS):
                tasks.start_soon(_ask, _question(source, f"word{number}"))
        assert len(starts) >= QUESTIONS
        for earlier, later in pairwise(sorted(starts)):
            assert later - earlier >= source.profile.pace_seconds - JITTER


def _question(source: Source, words: str) -> Callable[[], Awaitable[object]]:
    if isinstance(source, CatalogueSource):
        return lambda: source.search_items(
            CatalogueQuery(text=words, limit=1, media_type=source.profile.default_media_type)
        )
    assert isinstance(source, FullTextSource), "an archive without a search has no pace to study"
    return lambda: source.search_inside(InsideQuery(text=words, limit=1))


async def _ask(question: Callable[[], Awaitable[object]]) -> None:
    with suppress(BooksError):
        await question()
