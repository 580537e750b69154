"""The pace of one archive: in flight, spaced, widened by push-back, silent when asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

import anyio
from aiolimiter import AsyncLimiter
from anyio import to_thread

from ._ledger import Ledger, Outlook, Silenced, Slot, TooLate

__all__ = ["CALM", "Pace", "time_left"]

R = TypeVar("R")

CALM = 3
"""Good answers in a row after which a widened interval is halved."""


def time_left() -> float:
    """Return the seconds before the caller's deadline; infinity where there is none."""
    return anyio.current_effective_deadline() - anyio.current_time()


class Pace:
    """Lets requests to one base address start, each at its own slot.

    The ledger hands out the slots; an `AsyncLimiter` holds the spacing inside this process even
    while the ledger cannot be used or the wall clock is set.
    """

    def __init__(self, ledger: Ledger, base: str, *, floor: float, max_in_flight: int) -> None:
        self._ledger = ledger
        self._base = base
        self._floor = floor
        self._in_flight = anyio.Semaphore(max_in_flight)
        self._limiter: AsyncLimiter | None = None
        self._interval = floor
        self._last_start = float("-inf")
        self._good = 0
        self._silent_until = float("-inf")

    @property
    def interval(self) -> float:
        """The interval in force at the last request, in seconds."""
        return self._interval

    @property
    def floor(self) -> float:
        """The interval without push-back, in seconds."""
        return self._floor

    @asynccontextmanager
    async def request(self, room: float = 0.0) -> AsyncIterator[int]:
        """Wait for a slot and hold a place in flight; yields the refusals known at the start.

        Raises:
            Silenced: the archive asked for silence, here or in another process.
            TooLate: the slot, and `room` seconds after it, do not fit before the deadline of
                the caller. Nothing was reserved.
        """
        if self._in_flight.value == 0:
            queued = await self.next_slot()
            if queued > time_left() - room:
                raise TooLate(queued)
        async with self._in_flight:
            yield (await self._start(room)).refusals

    async def next_slot(self) -> float:
        """Return the seconds until a request could start, the own queue included.

        Raises:
            Silenced: none may start before the silence the archive asked for has passed.
        """
        outlook = await self._look()
        return outlook.wait + self._in_flight.statistics().tasks_waiting * outlook.interval

    async def pushed_back(self, *, since: int, wait: float = 0.0) -> None:
        """The archive asked for fewer requests, and for none within `wait` seconds."""
        self._good = 0
        await _in_thread(
            partial(self._ledger.push_back, self._base, self._floor, wait=wait, since=since)
        )

    async def silence(self, seconds: float) -> None:
        """Nobody on this machine asks for `seconds`."""
        self._silent_until = max(self._silent_until, anyio.current_time() + seconds)
        await _in_thread(partial(self._ledger.silence, self._base, seconds))

    async def answered(self, *, well: bool) -> None:
        """An answer came; after `CALM` good ones in a row a widened interval narrows."""
        self._good = self._good + 1 if well else 0
        if self._good >= CALM and self._interval > self._floor:
            self._good = 0
            await _in_thread(partial(self._ledger.narrow, self._base, self._floor))

    async def _look(self) -> Outlook:
        self._refuse_while_silent()
        look = partial(self._ledger.look, self._base, self._floor, patience=time_left())
        outlook = await _in_thread(look)
        if outlook.silence > 0:
            raise Silenced(outlook.silence)
        return outlook

    def _refuse_while_silent(self) -> None:
        silence = self._silent_until - anyio.current_time()
        if silence > 0:
            raise Silenced(silence)

    async def _start(self, room: float) -> Slot:
        while True:
            self._refuse_while_silent()
            latest = time_left() - room
            reserve = partial(self._ledger.reserve, self._base, self._floor, latest)
            slot = await _in_thread(reserve)
            try:
                if await self._reach(slot):
                    return slot
            except BaseException:
                with anyio.CancelScope(shield=True):
                    await _in_thread(partial(self._ledger.release, slot))
                raise

    async def _reach(self, slot: Slot) -> bool:
        """Wait until `slot`; False if the archive pushed back meanwhile and it is void."""
        if slot.wait > 0:
            await anyio.sleep(slot.wait)
            if (await self._look()).refusals != slot.refusals:
                return False
        if slot.interval > 0:
            await (await self._limit(slot.interval)).acquire()
        self._interval = slot.interval
        self._last_start = anyio.current_time()
        return True

    async def _limit(self, interval: float) -> AsyncLimiter:
        """Return the limiter of `interval`; a new one knows of the last start."""
        if self._limiter is None or self._limiter.time_period != interval:
            self._limiter = AsyncLimiter(1, interval)
            spent = 1 - (anyio.current_time() - self._last_start) / interval
            if spent > 0:
                await self._limiter.acquire(min(spent, 1.0))
        return self._limiter


async def _in_thread(work: Callable[[], R]) -> R:
    return await to_thread.run_sync(work)
