"""Ask every archive at once, each its wordings in turn; every failure becomes a report."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import anyio
import anyio.to_thread

from ._guard import guarded
from ._in_turn import Outcome, ask_in_turn
from ._merging import (
    hit_key,
    interleave,
    order_of_hits,
    order_of_rows,
    passages_first,
    record_key,
)
from ._paring import SECTION_FIELDS, pare, unread_fields
from ._phrases import ORDERS
from ._qualify import by_weight, qualify_hits, qualify_items, qualify_record, qualify_search
from ._reformulation import Reformulation, non_word_characters, reformulate
from ._reporting import Asked, absent, cannot, dropped_filter, files_nothing_under, report
from .arguments import InsideRequest, ItemsRequest, RecordRequest
from .errors import DeadlineExceeded, InvalidInput
from .identifiers import Reading, route
from .models import BriefRecord, Hit, Record
from .reports import (
    Absent,
    ExcerptKinds,
    InsideAnswer,
    ItemsAnswer,
    MediaTypesAsked,
    RecordAnswer,
    SourceReport,
)
from .sources.base import (
    CatalogueQuery,
    CatalogueSource,
    FullTextSource,
    InsideQuery,
    RecordSource,
    Remark,
    ResultPage,
    Source,
)

logger = logging.getLogger(__name__)

__all__ = ["OnProgress", "get_item", "search_inside", "search_items"]

OnProgress = Callable[[int, int, str], Awaitable[None]]
"""Called after each archive with how many are done, how many were asked, and its name."""

ARCHIVE_MARGIN = 1.0
"""Seconds by which an archive's deadline comes before the whole call's."""

RowT = TypeVar("RowT", Hit, BriefRecord)


@dataclass(frozen=True, slots=True)
class _Job(Generic[RowT]):
    """One archive in scope: how to ask it, or why it is not asked."""

    source: Source
    asked: Asked
    ask: Callable[[Reformulation], Awaitable[ResultPage[RowT]]] | None
    absent_because: str = ""


@dataclass(frozen=True, slots=True)
class _Gathered(Generic[RowT]):
    """What all archives brought, in the order of the registry."""

    reports: tuple[SourceReport, ...]
    lists: tuple[tuple[RowT, ...], ...]
    remarks: dict[str, tuple[Remark, ...]]
    queries_run: tuple[str, ...]


async def search_inside(
    sources: Sequence[Source],
    request: InsideRequest,
    *,
    answer_timeout: float,
    on_progress: OnProgress | None = None,
) -> InsideAnswer:
    """Answer `request` from `sources`, the archives in scope.

    Raises:
        InvalidInput: every archive that was asked refused the query or the page.
    """
    jobs = [_inside_job(source, request) for source in sources]
    gathered = await _gather(jobs, request, Hit, hit_key, answer_timeout, on_progress)
    hits = passages_first(interleave(gathered.lists))
    openings = sum(hit.excerpt_kind == "page_opening" for hit in hits)
    profiles = {source.id: source.profile for source in sources}
    return InsideAnswer(
        query=request.query,
        page=request.page,
        hits=hits,
        hit_count=len(hits),
        excerpt_kinds=ExcerptKinds(passage=len(hits) - openings, page_opening=openings),
        per_source=gathered.reports,
        queries_run=gathered.queries_run,
        non_word_characters=non_word_characters(request.query),
        order=ORDERS[order_of_hits(gathered.lists)],
        notes=by_weight(
            [
                *qualify_search(gathered.reports, gathered.remarks, request.page),
                *qualify_hits(hits, profiles),
            ]
        ),
    )


async def search_items(
    sources: Sequence[Source],
    request: ItemsRequest,
    *,
    answer_timeout: float,
    on_progress: OnProgress | None = None,
) -> ItemsAnswer:
    """Answer `request` from `sources`, the archives in scope; raises as `search_inside` does."""
    jobs = [_items_job(source, request) for source in sources]
    gathered = await _gather(jobs, request, BriefRecord, record_key, answer_timeout, on_progress)
    items = interleave(gathered.lists)
    sent_to = {
        report.source
        for report in gathered.reports
        if not isinstance(report, Absent) and any(attempt.ran for attempt in report.queries)
    }
    profiles = {source.id: source.profile for source in sources}
    return ItemsAnswer(
        query=request.query,
        page=request.page,
        items=items,
        item_count=len(items),
        per_source=gathered.reports,
        queries_run=gathered.queries_run,
        media_types={
            job.source.id: MediaTypesAsked(
                asked_with=job.asked.media_type if report.source in sent_to else None,
                vocabulary=job.source.profile.media_types,
            )
            for job, report in zip(jobs, gathered.reports, strict=True)
            if job.ask is not None
        },
        non_word_characters=non_word_characters(request.query),
        order=ORDERS[order_of_rows(gathered.lists)],
        notes=by_weight(
            [
                *qualify_search(gathered.reports, gathered.remarks, request.page),
                *qualify_items(gathered.reports, request.media_type, profiles),
            ]
        ),
    )


async def get_item(
    sources: Sequence[Source],
    request: RecordRequest,
    *,
    answer_timeout: float,
    on_progress: OnProgress | None = None,
) -> RecordAnswer:
    """Read the one record that `request` names.

    Raises:
        InvalidInput: the identifier is unsafe, nobody's, or several archives'.
        SourceError: the archive holds no such record, or did not answer.
    """
    deadline = anyio.current_time() + answer_timeout - ARCHIVE_MARGIN
    source, reading = await _routed(request.identifier, sources, deadline)
    if not isinstance(source, RecordSource):
        raise InvalidInput(
            f"{source.profile.name} does not read records",
            hint=cannot(source.profile, "get_item"),
            source=source.id,
        )
    record = await guarded(
        source, partial(source.get_item, reading.id.reference), _vet_record, deadline=deadline
    )
    await _told(on_progress, 1, 1, source)
    pared, cut = pare(record, request)
    values: dict[str, object] = {
        "item": pared,
        "sections_returned": tuple(s for s in SECTION_FIELDS if s in request.sections),
        "sections_omitted": tuple(s for s in SECTION_FIELDS if s not in request.sections),
        "fields_not_read_from_this_archive": unread_fields(record),
        "notes": by_weight(qualify_record(record, request, cut)),
    }
    if not reading.as_given:
        values["id_read_as"] = str(reading.id)
    if cut is not None:
        values["text_window"] = cut
    return RecordAnswer.model_validate(values)


async def _routed(text: str, sources: Sequence[Source], deadline: float) -> tuple[Source, Reading]:
    """Read an identifier beside the event loop: one of a library may need the reader's disk."""
    with anyio.move_on_after(deadline - anyio.current_time()):
        return await anyio.to_thread.run_sync(route, text, sources, abandon_on_cancel=True)
    raise DeadlineExceeded(
        f"whose record {text[:200]!r} is could not be told in the time allowed",
        hint="A drive with a library on it may not answer; ask again once it does.",
    )


def _inside_job(source: Source, request: InsideRequest) -> _Job[Hit]:
    if not isinstance(source, FullTextSource):
        return _Job(source, Asked("search_inside"), None, cannot(source.profile, "search_inside"))

    async def ask(wording: Reformulation) -> ResultPage[Hit]:
        return await source.search_inside(
            InsideQuery(
                text=wording.text,
                limit=request.limit,
                page=request.page,
                max_excerpt_chars=request.max_excerpt_chars,
                max_excerpts=request.max_excerpts_per_match,
            )
        )

    return _Job(source, Asked("search_inside"), ask)


def _items_job(source: Source, request: ItemsRequest) -> _Job[BriefRecord]:
    profile = source.profile
    media_type = request.media_type or profile.default_media_type
    dropped = []
    if not isinstance(source, CatalogueSource):
        return _Job(source, Asked("search_items"), None, cannot(profile, "search_items"))
    if media_type is not None and media_type not in profile.media_types:
        return _Job(source, Asked("search_items"), None, files_nothing_under(profile, media_type))
    year_from, year_to, sort = request.year_from, request.year_to, request.sort
    if (year_from is not None or year_to is not None) and "year_range" not in profile.honours:
        dropped.append(dropped_filter(profile, "year_range"))
        year_from = year_to = None
    if sort != "relevance" and "sort" not in profile.honours:
        dropped.append(dropped_filter(profile, "sort"))
        sort = "relevance"
    asked = Asked("search_items", media_type=media_type, filters_dropped=tuple(dropped))

    async def ask(wording: Reformulation) -> ResultPage[BriefRecord]:
        return await source.search_items(
            CatalogueQuery(
                text=wording.text,
                limit=request.limit,
                page=request.page,
                media_type=media_type,
                year_from=year_from,
                year_to=year_to,
                sort=sort,
            )
        )

    return _Job(source, asked, ask)


async def _gather(
    jobs: Sequence[_Job[RowT]],
    request: InsideRequest | ItemsRequest,
    row_type: type[RowT],
    key: Callable[[RowT], Hashable],
    answer_timeout: float,
    on_progress: OnProgress | None,
) -> _Gathered[RowT]:
    wordings = reformulate(request.query, fan_out=request.fan_out and request.page == 1)
    deadline = anyio.current_time() + answer_timeout - ARCHIVE_MARGIN
    outcomes: dict[str, Outcome[RowT]] = {}
    asked = [job for job in jobs if job.ask is not None]

    async def one(job: _Job[RowT]) -> None:
        assert job.ask is not None
        outcomes[job.source.id] = await ask_in_turn(
            job.source,
            wordings,
            job.ask,
            row_type=row_type,
            limit=request.limit,
            key=key,
            deadline=deadline,
        )
        await _told(on_progress, len(outcomes), len(asked), job.source)

    async with anyio.create_task_group() as tasks:
        for job in asked:
            tasks.start_soon(one, job)
    reports = tuple(
        absent(job.source.profile, job.absent_because)
        if job.ask is None
        else report(job.source.profile, job.asked, outcomes[job.source.id])
        for job in jobs
    )
    _refuse_what_all_refuse({job.source.profile.name: outcomes[job.source.id] for job in asked})
    return _Gathered(
        reports,
        tuple(tuple(outcomes[job.source.id].rows) for job in asked),
        {source: outcome.remarks for source, outcome in outcomes.items()},
        tuple(
            dict.fromkeys(
                attempt.query
                for job in asked
                for attempt in outcomes[job.source.id].attempts
                if attempt.ran
            )
        ),
    )


def _vet_record(record: Record) -> None:
    if not isinstance(record, Record):
        raise TypeError(f"no record: {record!r:.200}")


async def _told(on_progress: OnProgress | None, done: int, of: int, source: Source) -> None:
    """Tell of one archive; whoever cannot be told does not lose the answer."""
    if on_progress is None:
        return
    try:
        await on_progress(done, of, source.profile.name)
    except Exception:
        logger.exception("Progress could not be told")


def _refuse_what_all_refuse(outcomes: Mapping[str, Outcome[RowT]]) -> None:
    """Raise where every archive asked (by name) refused the query or the page."""
    refusals = {
        name: outcome.failure
        for name, outcome in outcomes.items()
        if isinstance(outcome.failure, InvalidInput)
    }
    if not refusals or len(refusals) < len(outcomes):
        return
    if len(refusals) == 1:
        raise next(iter(refusals.values()))
    hints = dict.fromkeys(refusal.hint for refusal in refusals.values() if refusal.hint)
    raise InvalidInput(
        "; ".join(f"{name}: {refusal.message}" for name, refusal in refusals.items()),
        hint=" ".join(hints) or None,
    )
