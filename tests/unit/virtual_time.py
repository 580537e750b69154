"""An event loop whose clock jumps to the next thing to do, so that waiting costs no time.

A module takes it with ``from tests.unit.virtual_time import anyio_backend, clock``.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from anyio import to_thread

from mcp_books import _ledger

__all__ = ["EPOCH", "Stuck", "VirtualLoop", "anyio_backend", "clock"]

EPOCH = 1_800_000_000.0
"""The wall clock when a test starts."""
FAREST = 10 * 86400.0
"""No test waits for longer than this, by its own clock."""


class Stuck(Exception):
    """Everybody waits for somebody else, or nothing but a clock goes on."""


class _Jumping(selectors.DefaultSelector):
    """Never waits for a timer: it moves the clock. Waits for threads and sockets as any other."""

    loop: VirtualLoop
    idle_since: float | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout != 0 and (self.loop.threads or timeout is None):
            ready = self._from_outside()
        elif not ready and timeout:
            # A little further than asked: a limiter woken an instant early would wait for ever.
            self.loop.now += max(timeout, 0.0) + 1e-7
            if self.loop.now > FAREST:
                raise Stuck(f"nothing but time passes: {self.loop.now:.0f} s of it")
        if ready or timeout == 0:
            self.idle_since = None
            # A timer due within the loop's own resolution would be set again for ever.
            self.loop.now += 1e-9
        return ready

    def _from_outside(self) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for a thread or a socket, which take real time, but not for ever."""
        now = time.monotonic()
        self.idle_since = now if self.idle_since is None else self.idle_since
        if now - self.idle_since > self.loop.patience:
            self.idle_since = None
            raise Stuck(f"nothing happened for {self.loop.patience} s and no timer is set")
        return super().select(0.05)


class VirtualLoop(asyncio.SelectorEventLoop):
    patience = 30.0
    """Real seconds in which a thread or a socket must bring something."""

    def __init__(self) -> None:
        self.now = 0.0
        self.threads = 0
        selector = _Jumping()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"loop_factory": VirtualLoop}


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The wall clock follows the loop's; the loop's stands still while a thread works."""
    loops: list[VirtualLoop] = []
    run_sync = to_thread.run_sync

    async def counted(work: Callable[..., Any], *args: Any, **options: Any) -> Any:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loops[:] = [loop]
        loop.threads += 1
        try:
            return await run_sync(work, *args, **options)
        finally:
            loop.threads -= 1

    monkeypatch.setattr(to_thread, "run_sync", counted)
    monkeypatch.setattr(_ledger, "wall_clock", lambda: EPOCH + (loops[0].now if loops else 0.0))
    yield
    loops.clear()
