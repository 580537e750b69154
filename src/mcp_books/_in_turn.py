"""One archive and its wordings, one after another, until enough is found."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Generic, Literal, NamedTuple, TypeVar

import anyio

from ._guard import guarded
from ._phrases import DERIVATIONS, IN_ANOTHER_FIELD, WITHHELD, Withheld
from ._reformulation import Reformulation
from .errors import BooksError, ParseFailure
from .models import BriefRecord, Hit
from .reports import ErrorReport, QueryAttempt
from .settings import RETRY_ROOM
from .sources.base import Remark, ResultPage, Source

__all__ = ["MAX_REQUESTS", "Outcome", "Step", "ask_in_turn"]

logger = logging.getLogger(__name__)

MAX_REQUESTS = 3
"""Requests one archive gets in one call; retries are extra."""

RowT = TypeVar("RowT", Hit, BriefRecord)
Ask = Callable[[Reformulation], Awaitable[ResultPage[RowT]]]
_Again = Callable[[], Awaitable[ResultPage[RowT]]]


class Step(NamedTuple, Generic[RowT]):
    """One wording that was answered."""

    wording: Reformulation
    page: ResultPage[RowT]
    added: int
    """Rows it added to the answer."""
    held_back: int
    """Rows it found beyond what the answer takes."""


@dataclass(slots=True)
class Outcome(Generic[RowT]):
    """What one archive's wordings brought, complete at every moment."""

    rows: list[RowT] = field(default_factory=list)
    attempts: list[QueryAttempt] = field(default_factory=list)
    steps: list[Step[RowT]] = field(default_factory=list)
    failure: BooksError | None = None
    """Why the words as asked were not answered."""

    @property
    def stage(self) -> Literal["search", "read"]:
        return "read" if isinstance(self.failure, ParseFailure) else "search"

    @property
    def standing(self) -> tuple[Step[RowT], ...]:
        """The steps that say something: one asked again in another field gives way to that."""
        again = {step.wording.text for step in self.steps if step.wording.again}
        return tuple(
            step for step in self.steps if step.wording.again or step.wording.text not in again
        )

    @property
    def remarks(self) -> tuple[Remark, ...]:
        return tuple(remark for step in self.standing for remark in step.page.remarks)


async def ask_in_turn(
    source: Source,
    wordings: Sequence[Reformulation],
    ask: Ask[RowT],
    *,
    row_type: type[RowT],
    limit: int,
    key: Callable[[RowT], Hashable],
    deadline: float,
) -> Outcome[RowT]:
    """Send `wordings` to `source` until `limit` rows are found; never raises for the archive.

    `deadline` is a time of the running loop's clock.
    """
    outcome: Outcome[RowT] = Outcome()
    waiting: deque[tuple[Reformulation, _Again[RowT] | None]] = deque(
        (wording, None) for wording in wordings
    )
    while waiting:
        wording, again = waiting.popleft()
        withheld = await _withheld(source, outcome, limit=limit, deadline=deadline)
        if withheld is not None:
            outcome.attempts.append(_not_run(wording, WITHHELD[withheld]))
            continue
        try:
            page = await guarded(
                source,
                partial(ask, wording) if again is None else again,
                partial(_vet, source, row_type),
                deadline=deadline,
            )
            _refuse_unreadable(source, page)
        except BooksError as error:
            _fail(outcome, wording, error)
        else:
            _keep(outcome, wording, page, limit=limit, key=key)
            if page.again is not None and not wording.again:
                waiting.appendleft((wording._replace(again=True), page.again))
    return outcome


def _vet(source: Source, row_type: type[RowT], page: ResultPage[RowT]) -> None:
    """Raise where a program's own archive does not answer as its types say."""
    if not isinstance(page, ResultPage) or not isinstance(page.retrieved, date):
        raise TypeError(f"no result page: {page!r:.200}")
    if min(page.unreadable, page.set_aside) < 0:
        raise ValueError("a number of rows is negative")
    for row in page.rows:
        if not isinstance(row, row_type) or row.source != source.id:
            raise TypeError(f"no {row_type.__name__} of {source.id}: {row!r:.200}")


def _refuse_unreadable(source: Source, page: ResultPage[RowT]) -> None:
    if page.unreadable and not page.rows:
        raise ParseFailure(
            f"{source.profile.name} sent {page.unreadable} rows and none could be read",
            hint="Its answers may have changed: ask again later, or report it.",
            source=source.id,
        )


async def _withheld(
    source: Source, outcome: Outcome[RowT], *, limit: int, deadline: float
) -> Withheld | None:
    if not outcome.attempts:
        return None
    if any(attempt.error is not None for attempt in outcome.attempts):
        return Withheld.EARLIER_FAILURE
    if len(outcome.rows) >= limit:
        return Withheld.ENOUGH_FOUND
    if len(outcome.steps) >= MAX_REQUESTS:
        return Withheld.REQUESTS_SPENT
    if deadline - anyio.current_time() < await _next_slot(source) + RETRY_ROOM:
        return Withheld.NO_TIME
    return None


async def _next_slot(source: Source) -> float:
    try:
        return float(await source.next_slot())
    except Exception:
        logger.exception("A fault in the code that asks %s", source.id)
        return math.inf


def _keep(
    outcome: Outcome[RowT],
    wording: Reformulation,
    page: ResultPage[RowT],
    *,
    limit: int,
    key: Callable[[RowT], Hashable],
) -> None:
    seen = {key(row) for row in outcome.rows}
    fresh: list[RowT] = []
    for row in page.rows:
        if key(row) not in seen:
            seen.add(key(row))
            fresh.append(row)
    kept = fresh[: max(0, limit - len(outcome.rows))]
    outcome.rows.extend(kept)
    outcome.steps.append(Step(wording, page, len(kept), len(fresh) - len(kept)))
    attempt = QueryAttempt(
        query=wording.text,
        derivation=_derivation(wording),
        ran=True,
        count=len(page.rows),
        added=len(kept),
    )
    if page.sent_as is not None:
        attempt = attempt.model_copy(update={"sent_as": page.sent_as})
    outcome.attempts.append(attempt)


def _fail(outcome: Outcome[RowT], wording: Reformulation, error: BooksError) -> None:
    if not outcome.attempts:
        outcome.failure = error
    told = {"error": ErrorReport.of(error)}
    attempt = QueryAttempt(query=wording.text, derivation=_derivation(wording), ran=True)
    if not error.sent:
        attempt = _not_run(wording, WITHHELD[Withheld.NOT_SENT])
    outcome.attempts.append(attempt.model_copy(update=told))


def _not_run(wording: Reformulation, because: str) -> QueryAttempt:
    return QueryAttempt(
        query=wording.text, derivation=_derivation(wording), ran=False, not_run_because=because
    )


def _derivation(wording: Reformulation) -> str:
    return DERIVATIONS[wording.derivation] + (IN_ANOTHER_FIELD if wording.again else "")
