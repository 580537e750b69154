"""One archive asked under a deadline: whatever goes wrong is one of the six codes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from .errors import BooksError, DeadlineExceeded, ParseFailure, asking
from .sources.base import Source

__all__ = ["guarded"]

logger = logging.getLogger(__name__)

T = TypeVar("T")


async def guarded(
    source: Source, ask: Callable[[], Awaitable[T]], vet: Callable[[T], None], *, deadline: float
) -> T:
    """Return what `source` answers to `ask` until `deadline` (a time of the running loop's clock).

    `vet` looks at the answer and raises where it is not what was agreed.

    Raises:
        DeadlineExceeded: it had not answered by then.
        ParseFailure: the code that asks it has a fault; its traceback is logged.
        BooksError: any other of the six codes, as raised; `source` is set on each.
    """
    with asking(source.id):
        with anyio.move_on_after(deadline - anyio.current_time()):
            try:
                answer = await ask()
                vet(answer)
            except BooksError:
                raise
            except asyncio.CancelledError as cancelled:
                if _is_cancelled():
                    raise
                logger.exception("Code that asks %s awaited what was cancelled", source.id)
                raise _fault(source) from cancelled
            except Exception as fault:
                logger.exception("A fault in the code that asks %s", source.id)
                raise _fault(source) from fault
            return answer
        raise DeadlineExceeded(
            f"{source.profile.name} had not answered when the time for this call was over",
            hint="Ask it alone, or later.",
        )


def _is_cancelled() -> bool:
    """Tell whether it is this call that was cancelled, not something the archive's code awaited."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _fault(source: Source) -> ParseFailure:
    return ParseFailure(
        f"a fault in the code that asks {source.profile.name} kept its answer from being read",
        hint="Report it with the question asked; the other archives are not affected.",
    )
