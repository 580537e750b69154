"""An event loop whose clock jumps to the next thing to do, so that waiting costs no time.

A module takes it with ``from tests.unit.virtual_time import anyio_backend, clock``.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from anyio import to_thread

from mcp_books import _ledger

__all__ = ["EPOCH", "VirtualLoop", "anyio_backend", "clock"]

EPOCH = 1_800_000_000.0
"""The wall clock when a test starts."""


class _Jumping(selectors.DefaultSelector):
    """Never waits for a timer: it moves the clock. Waits for threads and sockets as any other."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self.loop.threads or timeout is None:
            return super().select(0.05)
        # A little further than asked: a limiter woken an instant early would wait for ever.
        self.loop.now += max(timeout, 0.0) + 1e-7
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
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
