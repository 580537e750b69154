"""One archive asked under a deadline: whatever goes wrong is one of the six codes."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import TypeVar

import anyio

from .errors import BooksError, DeadlineExceeded, ParseFailure, asking
from .sources.base import Source

__all__ = ["guarded"]

logger = logging.getLogger(__name__)

T = TypeVar("T")


async def guarded(source: Source, answer: Awaitable[T], *, deadline: float) -> T:
    """Await what `source` answers, until `deadline` (a time of the running loop's clock).

    Raises:
        DeadlineExceeded: it had not answered by then.
        ParseFailure: the code that asks it has a fault; its traceback is logged.
        BooksError: any other of the six codes, as raised; `source` is set on each.
    """
    with asking(source.id):
        with anyio.move_on_after(deadline - anyio.current_time()):
            try:
                return await answer
            except BooksError:
                raise
            except Exception as fault:
                logger.exception("A fault in the code that asks %s", source.id)
                raise ParseFailure(
                    f"a fault in mcp-books kept {source.profile.name} from being read",
                    hint="Report it with the question asked; the other archives are not affected.",
                ) from fault
        raise DeadlineExceeded(
            f"{source.profile.name} had not answered when the time for this call was over",
            hint="Ask it alone, or later.",
        )
