"""Which notes an answer owes: values in, notes of a kind out, no sentences. Pure.

What per_source states of an archive (its error, a dropped filter, rows that could not be read) is
not said again as a note; a failure is, because an answer without an archive is a different answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ._phrases import WORDINGS, Kind, say
from .arguments import LAST_PAGE, RecordRequest
from .models import THIS_ITEM, Hit, Record, TextWindow
from .reports import Absent, Answered, Failed, Note, SourceReport
from .sources.base import Profile, Remark

__all__ = [
    "KINDS_OF_HITS",
    "Profiles",
    "by_weight",
    "note",
    "qualify_hits",
    "qualify_items",
    "qualify_record",
    "qualify_search",
]

Profiles = Mapping[str, Profile]

KINDS_OF_HITS = frozenset(
    {
        Kind.PAGE_OPENINGS,
        Kind.NO_EXCERPT,
        Kind.NO_PAGE_NUMBER,
        Kind.WHOLE_BUNDLE,
        Kind.MACHINE_READ_TEXT,
    }
)
"""What `qualify_hits` says: true of the hits it was given, so said anew when some are left out."""


def note(kind: Kind, source: str | None = None, /, **values: object) -> Note:
    """Return the note of `kind`, about `source` where it is about one archive."""
    text = say(kind, **values)
    return (
        Note(kind=kind, text=text) if source is None else Note(kind=kind, text=text, source=source)
    )


def qualify_search(
    reports: Sequence[SourceReport], remarks: Mapping[str, Iterable[Remark]], page: int
) -> Iterator[Note]:
    """Yield what either search owes its reader."""
    failed = [report for report in reports if isinstance(report, Failed)]
    answered = [report for report in reports if isinstance(report, Answered)]
    if all(isinstance(report, Absent) for report in reports):
        yield note(Kind.NOTHING_ASKED)
    if failed and not answered:
        yield note(Kind.NOTHING_ESTABLISHED)
    for failure in failed:
        yield note(Kind.SOURCE_FAILED, failure.source, name=failure.name, code=failure.error.code)
    for report in answered:
        yield from _of_answered(report)
        if page > 1 and not report.count and report.reported_total:
            yield note(Kind.PAST_THE_END, report.source, name=report.name, page=page)
        for remark in remarks.get(report.source, ()):
            yield note(remark.kind, report.source, **remark.values)
    cut_off = {
        source
        for source, said in remarks.items()
        if any(remark.kind in (Kind.WINDOW_FULL, Kind.WINDOW_WITHOUT_WORKS) for remark in said)
    }
    more = [r.name for r in answered if r.more_on_this_archive and r.source not in cut_off]
    if more and page < LAST_PAGE:
        yield note(Kind.MORE_AVAILABLE, names=", ".join(more), page=page + 1)


def _of_answered(report: Answered) -> Iterator[Note]:
    for attempt in report.queries:
        if attempt.error is not None:
            yield note(
                Kind.WORDING_FAILED,
                report.source,
                name=report.name,
                wording=attempt.query,
                code=attempt.error.code,
            )


def qualify_hits(hits: Sequence[Hit], profiles: Profiles) -> Iterator[Note]:
    """Yield what hits owe their reader."""
    sources = dict.fromkeys(hit.source for hit in hits)
    for source in sources:
        own = [hit for hit in hits if hit.source == source]
        bare = sum(not hit.excerpts for hit in own)
        openings = sum(hit.excerpt_kind == "page_opening" for hit in own) - bare
        if openings:
            yield note(Kind.PAGE_OPENINGS, source, name=profiles[source].name, count=openings)
        if bare:
            yield note(Kind.NO_EXCERPT, source, name=profiles[source].name, count=bare)
        if not profiles[source].publishes_page_number:
            yield note(Kind.NO_PAGE_NUMBER, source, name=profiles[source].name)
    if any(hit.inside_container for hit in hits):
        yield note(Kind.WHOLE_BUNDLE)
    if any(profiles[source].machine_read for source in sources):
        yield note(Kind.MACHINE_READ_TEXT)


def qualify_items(
    reports: Sequence[SourceReport], media_type: str | None, profiles: Profiles
) -> Iterator[Note]:
    """Yield what catalogue rows owe their reader."""
    for report in reports:
        if media_type is not None or not isinstance(report, Answered):
            continue
        profile = profiles[report.source]
        others = [kind for kind in profile.media_types if kind != profile.default_media_type]
        if profile.default_media_type is not None and others:
            yield note(
                Kind.DEFAULT_MEDIA_TYPE,
                report.source,
                name=profile.name,
                media_type=profile.default_media_type,
                others=", ".join(others),
            )


def qualify_record(
    record: Record, request: RecordRequest, cut: TextWindow | None
) -> Iterator[Note]:
    """Yield what one record owes its reader."""
    if record.rights.statement is None and record.rights.url is None:
        yield note(Kind.NO_TERMS_STATED, record.source)
    elif record.rights.covers != THIS_ITEM:
        yield note(Kind.TERMS_OF_COLLECTION, record.source, covers=record.rights.covers)
    if cut is not None and cut.offset and cut.offset >= cut.total_chars:
        yield note(Kind.PAST_THE_PROSE, offset=cut.offset, total=cut.total_chars)
    if cut is not None and cut.next_offset is not None:
        yield note(Kind.MORE_PROSE, offset=cut.next_offset)
    available = record.copies_available or 0
    shown = min(request.max_copies, len(record.copies))
    if "copies" in request.sections and shown < available:
        yield note(Kind.MORE_COPIES, shown=shown, available=available)


def by_weight(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return `notes` with what decides most about the answer first, without repeats."""
    unique = {(each.kind, each.source, each.text): each for each in notes}
    return tuple(sorted(unique.values(), key=lambda each: -WORDINGS[each.kind].weight))
