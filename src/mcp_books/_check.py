"""One cheap question to each archive: what answered, how fast, at what spacing."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from ._defuse import one_line
from ._progress import Progress
from .arguments import InsideRequest, ItemsRequest
from .client import BooksClient
from .errors import BooksError
from .reports import ErrorReport
from .sources.base import RemoteSource, Source

if TYPE_CHECKING:
    from .settings import Settings

__all__ = ["check"]


@dataclass(frozen=True, slots=True)
class _Outcome:
    waited: float
    """Seconds until its spacing allowed a request."""
    took: float
    error: ErrorReport | None
    found: int | None = None
    """Rows it found; None where it did not answer."""
    texts: str | None = None
    """How far the texts of the reader's own books can be searched."""


def check(settings: Settings) -> int:
    """Print what each archive did; return 0 if one answered, else 1. Nothing is asked again."""
    return anyio.run(_check, settings.model_copy(update={"max_retries": 0}))


async def _check(settings: Settings) -> int:
    outcomes: dict[str, _Outcome] = {}
    with Progress(sys.stderr) as progress:
        async with BooksClient(settings) as books:
            await books.warm()
            sources = books.sources

            async def ask(source: Source) -> None:
                outcomes[source.id] = await _ask(books, source)
                await progress.report(len(outcomes), len(sources), source.profile.name)

            async with anyio.create_task_group() as tasks:
                for source in sources:
                    tasks.start_soon(ask, source)
    for source in sources:
        sys.stdout.write(_entry(source, outcomes[source.id], settings))
    return 0 if any(outcome.error is None for outcome in outcomes.values()) else 1


async def _ask(books: BooksClient, source: Source) -> _Outcome:
    kind = InsideRequest if "search_items" in source.profile.cannot else ItemsRequest
    request = kind(query=source.profile.probe, limit=1, fan_out=False, sources=(source.id,))
    waited = await source.next_slot()
    started = time.monotonic()
    found: int | None = None
    try:
        answer = await books.ask(request)
    except BooksError as refused:
        error: ErrorReport | None = ErrorReport.of(refused)
    else:
        report = answer.per_source[0]
        error = report.error if report.status == "failed" else None
        found = report.count if report.status == "answered" else None
    took = time.monotonic() - started
    texts = await _texts(books, source) if source.profile.reader_owned and not error else None
    return _Outcome(waited, max(0.0, took - waited), error, found, texts)


async def _texts(books: BooksClient, source: Source) -> str | None:
    """Return how much of the texts can be searched, or why nothing."""
    request = InsideRequest(
        query=source.profile.probe, limit=1, fan_out=False, sources=(source.id,)
    )
    try:
        report = (await books.ask(request)).per_source[0]
    except BooksError as refused:
        return _said(ErrorReport.of(refused))
    if report.status == "failed":
        return _said(report.error)
    coverage = report.coverage if report.status == "answered" else None
    if coverage is None:
        return None
    return f"{coverage.indexed} of {coverage.readable} readable books can be searched inside"


def _said(error: ErrorReport) -> str:
    return " ".join(filter(None, (f"[{error.code}]", f"{error.message}.", error.hint)))


def _entry(source: Source, outcome: _Outcome, settings: Settings) -> str:
    lines = [f"{source.id}: {source.profile.name}, {_address(source)}"]
    if outcome.error is None:
        waited = f", after {outcome.waited:.1f} s for its turn" if outcome.waited >= 0.1 else ""
        lines.append(f"answered in {outcome.took:.1f} s{waited}")
        if outcome.found == 0 and source.profile.reader_owned:
            lines.append(f"and holds nothing under {source.profile.probe!r}, which it need not")
        elif outcome.found == 0:
            lines.append(
                f"but found nothing for {source.profile.probe!r}: its search may be out of order"
            )
        lines.extend(filter(None, (outcome.texts,)))
    else:
        lines.append(f"did not answer ({outcome.took:.1f} s): [{outcome.error.code}]")
        lines.extend(filter(None, (outcome.error.message, outcome.error.hint)))
    interval = _interval(source, settings)
    own = interval == source.profile.pace_seconds
    because = f": {source.profile.pace_reason}" if own else " (as set, or after push-back)"
    lines.append(f"one request every {interval:g} s at most{because}" if interval else "unspaced")
    return "\n  ".join(map(one_line, lines)) + "\n"


def _address(source: Source) -> str:
    return source.base_url if isinstance(source, RemoteSource) else source.profile.home_url


def _interval(source: Source, settings: Settings) -> float:
    """Return the seconds between two requests that are in force."""
    if isinstance(source, RemoteSource):
        return source.channel.interval
    return max(source.profile.pace_seconds, settings.min_interval or 0.0)
