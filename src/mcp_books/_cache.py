"""Answers kept for a while, and the same question asked twice at once sent once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from copy import copy
from typing import Generic, NamedTuple, TypeVar

import anyio
from anyio.abc import TaskGroup
from cachetools import TTLCache

from .errors import BooksError

__all__ = ["MOST_KEPT", "Answers", "Flight", "Kept", "Unfinished"]

V = TypeVar("V")

MOST_KEPT = 64 * 1024 * 1024
"""Bytes of the bodies whose answers are kept, all together."""


class Unfinished(Exception):
    """The flight ended without an answer: its deadline passed, or (`closed`) it was cut short.

    `sent`: whether a request had gone out by then.
    """

    def __init__(self, *, closed: bool, sent: bool) -> None:
        super().__init__(closed, sent)
        self.closed = closed
        self.sent = sent


class Kept(NamedTuple, Generic[V]):
    """An answer, and whether it had been kept from an earlier question."""

    value: V
    cached: bool


class _Stored(NamedTuple, Generic[V]):
    value: V
    weight: int


class Flight(Generic[V]):
    """One question under way, with everybody who waits for its answer.

    Whoever asks it notes on it whether a request has gone out (`sent`) and how many bytes the
    answer was made from (`size`).
    """

    def __init__(self) -> None:
        self.sent = False
        self.size = 0
        self.scope = anyio.CancelScope(deadline=float("-inf"))
        self.landed = anyio.Event()
        self.waiters = 0
        self.closed = False
        self.values: list[V] = []
        self.error: Exception | None = None

    def outcome(self) -> V:
        if self.error is not None:
            raise _fresh(self.error) from self.error.__cause__
        if not self.values:
            raise Unfinished(closed=self.closed, sent=self.sent)
        return self.values[0]


class Answers(Generic[V]):
    """Kept answers by question. Values are shared: whoever gets one must not change it.

    A flight belongs to nobody: it runs in `tasks`, lives as long as somebody waits for it, and its
    deadline is the latest of theirs. What fails is never kept.
    """

    def __init__(self, *, max_entries: int, ttl: float) -> None:
        """Keep `max_entries` answers for `ttl` seconds each, fewer if large; 0 keeps none."""
        # The lightest answer weighs an equal share, so that no more than `max_entries` fit.
        self._lightest = -(-MOST_KEPT // max_entries)
        self._kept: TTLCache[Hashable, _Stored[V]] | None = None
        if ttl > 0:
            self._kept = TTLCache(
                self._lightest * max_entries,
                ttl,
                timer=anyio.current_time,
                getsizeof=lambda stored: stored.weight,
            )
        self._flights: dict[Hashable, Flight[V]] = {}

    async def get(
        self, tasks: TaskGroup, key: Hashable, ask: Callable[[Flight[V]], Awaitable[V]]
    ) -> Kept[V]:
        """Return the answer to `key`: kept, under way, or asked for with `ask`.

        Raises:
            Unfinished: the flight was cut short.
            Exception: what `ask` raised; a `BooksError` as a copy of its own for each waiter.
        """
        if self._kept is not None and (stored := self._kept.get(key)) is not None:
            return Kept(stored.value, cached=True)
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = Flight()
            tasks.start_soon(self._fly, key, flight, ask)
        flight.scope.deadline = max(flight.scope.deadline, anyio.current_effective_deadline())
        flight.waiters += 1
        try:
            await flight.landed.wait()
        finally:
            flight.waiters -= 1
            if flight.waiters == 0 and not flight.landed.is_set():
                self._forget(key, flight)
                flight.scope.cancel()
        return Kept(flight.outcome(), cached=False)

    def cancel(self) -> None:
        """Cut every flight short."""
        for flight in self._flights.values():
            flight.closed = True
            flight.scope.cancel()

    async def _fly(
        self, key: Hashable, flight: Flight[V], ask: Callable[[Flight[V]], Awaitable[V]]
    ) -> None:
        try:
            with flight.scope:
                value = await ask(flight)
                flight.values.append(value)
                self._keep(key, value, flight.size)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is raised in every waiter
            flight.error = error
        finally:
            self._forget(key, flight)
            flight.landed.set()

    def _keep(self, key: Hashable, value: V, size: int) -> None:
        weight = max(size, self._lightest)
        if self._kept is not None and weight <= self._kept.maxsize:
            self._kept[key] = _Stored(value, weight)

    def _forget(self, key: Hashable, flight: Flight[V]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


def _fresh(error: Exception) -> Exception:
    """Return a copy of `error`, so that one waiter's traceback and `source` stay its own."""
    if not isinstance(error, BooksError):
        return error
    return copy(error).with_traceback(error.__traceback__)
