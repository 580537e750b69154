"""The client a server shares among its calls, opened only once the host has its first answer."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Self

import anyio
import anyio.to_thread

from .errors import NetworkFailure

if TYPE_CHECKING:
    from .client import BooksClient

__all__ = ["SharedClient"]

logger = logging.getLogger(__name__)


class SharedClient:
    """Where calls get the client.

    Loading the adapters and the HTTP library takes longer than answering a greeting does, so it
    happens in the background after it. A call that comes sooner waits for it.
    """

    def __init__(
        self,
        build: Callable[[], BooksClient],
        *,
        beside: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`beside` runs once the client has been opened, and is cancelled when the server ends."""
        self._build = build
        self._beside = beside
        self._client: BooksClient | None = None
        self._wanted = anyio.Event()
        self._settled = anyio.Event()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Self]:
        """Hold the client open, once it is wanted, until the server ends."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._keep_open)
            if self._beside is not None:
                tasks.start_soon(self._run_beside, self._beside)
            yield self
            tasks.cancel_scope.cancel()

    def want(self) -> None:
        """Have the client opened, if that has not begun."""
        self._wanted.set()

    async def client(self) -> BooksClient:
        """Return the open client.

        Raises:
            NetworkFailure: it could not be opened; the reason is in the log.
        """
        self.want()
        await self._settled.wait()
        if self._client is None:
            raise NetworkFailure(
                "the archives cannot be asked: this server could not prepare its connections",
                hint="The operator finds the reason in the server's log on stderr.",
            )
        return self._client

    async def _run_beside(self, beside: Callable[[], Awaitable[None]]) -> None:
        await self._settled.wait()
        try:
            await beside()
        except Exception:
            logger.exception("what runs beside the client failed")

    async def _keep_open(self) -> None:
        await self._wanted.wait()
        try:
            client = await anyio.to_thread.run_sync(self._build, abandon_on_cancel=True)
            async with client:
                await client.warm()
                self._client = client
                self._settled.set()
                await anyio.sleep_forever()
        except Exception:
            logger.exception("the client failed")
            self._client = None
        finally:
            self._settled.set()
