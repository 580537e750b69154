"""The reader's own Calibre libraries: their catalogues, and our text index of their books."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from mcp_books.models import BriefRecord, Hit, Record
from mcp_books.settings import Settings
from mcp_books.sources.base import (
    CatalogueQuery,
    CatalogueSource,
    Claim,
    FullTextSource,
    InsideQuery,
    RecordSource,
    ResultPage,
)

from . import references
from .profile import profile_of

if TYPE_CHECKING:
    from .asking import Desk
    from .library import Library

__all__ = ["CalibreLibraries"]

MARGIN = 0.5
"""Seconds that an answer needs once the index has been searched."""
LONGEST_SEARCH = 10.0
"""Seconds after which a search takes what it has: every answer waits for its slowest archive."""
_AT_ONCE = 4

T = TypeVar("T")


class CalibreLibraries(FullTextSource, CatalogueSource, RecordSource):
    """The libraries that the settings name. Files are opened in threads, none before a question."""

    def __init__(self, settings: Settings) -> None:
        self.profile = profile_of(settings)
        self._settings = settings
        self._opening = threading.Lock()
        self._desk: Desk | None = None
        # Of its own: threads that hang on a drive that is gone take nobody else's place.
        self._threads = anyio.CapacityLimiter(_AT_ONCE)

    def claim(self, text: str) -> Claim | None:
        return references.claim(text.strip(), self._libraries)

    async def search_inside(self, query: InsideQuery) -> ResultPage[Hit]:
        until = _until()
        return await self._in_thread(lambda desk: desk.search_inside(query, until, _today()))

    async def search_items(self, query: CatalogueQuery) -> ResultPage[BriefRecord]:
        return await self._in_thread(lambda desk: desk.search_items(query, _today()))

    async def get_item(self, reference: str) -> Record:
        return await self._in_thread(lambda desk: desk.get_item(reference))

    async def aclose(self) -> None:
        await anyio.to_thread.run_sync(self.close, abandon_on_cancel=True)

    def close(self) -> None:
        """Close the text index; asked again, it is opened again."""
        with self._opening:
            if self._desk is not None:
                self._desk.close()

    def _libraries(self) -> Sequence[Library]:
        return self._opened().libraries

    def _opened(self) -> Desk:
        with self._opening:
            if self._desk is None:
                from .asking import Desk

                self._desk = Desk(self._settings, self.profile)
            return self._desk

    async def _in_thread(self, ask: Callable[[Desk], T]) -> T:
        def work() -> T:
            return ask(self._opened())

        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)


def _until() -> float:
    """Return when a search has to end, as a time of `time.monotonic`."""
    left = anyio.current_effective_deadline() - anyio.current_time() - MARGIN
    return time.monotonic() + min(max(left, 0.0), LONGEST_SEARCH)


def _today() -> date:
    return datetime.now(UTC).date()
