"""One archive and its wordings, one after another, until enough is found."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

import anyio

from ._guard import guarded
from ._phrases import DERIVATIONS, WITHHELD, Withheld
from ._reformulation import Reformulation
from .errors import BooksError, ParseFailure
from .models import BriefRecord, Hit
from .reports import ErrorReport, QueryAttempt
from .sources.base import Remark, ResultPage, Source

__all__ = ["MAX_REQUESTS", "Climb", "climb"]

MAX_REQUESTS = 3
"""Requests one archive gets in one call; retries are extra."""

RETRY_ROOM = 5.0
"""Seconds that have to be left, after its slot, for a further wording to be worth starting."""

RowT = TypeVar("RowT", Hit, BriefRecord)
Ask = Callable[[Reformulation, int], Awaitable[ResultPage[RowT]]]


@dataclass(slots=True)
class Climb(Generic[RowT]):
    """What one archive's wordings brought, complete at every moment."""

    rows: list[RowT] = field(default_factory=list)
    attempts: list[QueryAttempt] = field(default_factory=list)
    pages: list[tuple[Reformulation, ResultPage[RowT], int]] = field(default_factory=list)
    """Each page with its wording and how many rows it added."""
    failure: BooksError | None = None
    """Why the words as asked were not answered."""

    @property
    def stage(self) -> Literal["search", "read"]:
        return "read" if isinstance(self.failure, ParseFailure) else "search"

    @property
    def remarks(self) -> tuple[Remark, ...]:
        return tuple(remark for _, page, _ in self.pages for remark in page.remarks)


async def climb(
    source: Source,
    wordings: Sequence[Reformulation],
    ask: Ask[RowT],
    *,
    limit: int,
    key: Callable[[RowT], Hashable],
    deadline: float,
) -> Climb[RowT]:
    """Send `wordings` to `source` until `limit` rows are found; never raises for the archive.

    `deadline` is a time of the running loop's clock.
    """
    climbed: Climb[RowT] = Climb()
    spent = 0
    for wording in wordings:
        withheld = await _withheld(source, climbed, spent, limit=limit, deadline=deadline)
        if withheld is not None:
            climbed.attempts.append(_not_run(wording, withheld))
            continue
        try:
            page = await _ask(source, ask, wording, MAX_REQUESTS - spent, deadline)
        except BooksError as error:
            _fail(climbed, wording, error)
        else:
            spent += page.requests
            _keep(climbed, wording, page, limit=limit, key=key)
    return climbed


async def _ask(
    source: Source, ask: Ask[RowT], wording: Reformulation, requests_left: int, deadline: float
) -> ResultPage[RowT]:
    page = await guarded(source, ask(wording, requests_left), deadline=deadline)
    if page.unreadable and not page.rows and not page.set_aside:
        raise ParseFailure(
            f"{source.profile.name} sent {page.unreadable} rows and none could be read",
            hint="Its answers may have changed: ask again later, or report it.",
            source=source.id,
        )
    return page


async def _withheld(
    source: Source, climbed: Climb[RowT], spent: int, *, limit: int, deadline: float
) -> Withheld | None:
    if not climbed.attempts:
        return None
    if any(attempt.error is not None for attempt in climbed.attempts):
        return Withheld.EARLIER_FAILURE
    if len(climbed.rows) >= limit:
        return Withheld.ENOUGH_FOUND
    if spent >= MAX_REQUESTS:
        return Withheld.REQUESTS_SPENT
    room = deadline - anyio.current_time()
    if not math.isinf(room) and room < await source.next_slot() + RETRY_ROOM:
        return Withheld.NO_TIME
    return None


def _keep(
    climbed: Climb[RowT],
    wording: Reformulation,
    page: ResultPage[RowT],
    *,
    limit: int,
    key: Callable[[RowT], Hashable],
) -> None:
    seen = {key(row) for row in climbed.rows}
    fresh: list[RowT] = []
    for row in page.rows:
        if key(row) not in seen:
            seen.add(key(row))
            fresh.append(row)
    kept = fresh[: max(0, limit - len(climbed.rows))]
    climbed.rows.extend(kept)
    climbed.pages.append((wording, page, len(kept)))
    attempt = QueryAttempt(
        query=wording.text,
        derivation=DERIVATIONS[wording.derivation],
        ran=True,
        count=len(page.rows),
        added=len(kept),
    )
    if page.sent_as is not None:
        attempt = attempt.model_copy(update={"sent_as": page.sent_as})
    climbed.attempts.append(attempt)


def _fail(climbed: Climb[RowT], wording: Reformulation, error: BooksError) -> None:
    if not climbed.attempts:
        climbed.failure = error
    climbed.attempts.append(
        QueryAttempt(
            query=wording.text,
            derivation=DERIVATIONS[wording.derivation],
            ran=True,
            error=ErrorReport.of(error),
        )
    )


def _not_run(wording: Reformulation, withheld: Withheld) -> QueryAttempt:
    return QueryAttempt(
        query=wording.text,
        derivation=DERIVATIONS[wording.derivation],
        ran=False,
        not_run_because=WITHHELD[withheld],
    )
