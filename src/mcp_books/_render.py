"""An answer as its text block. Labels stand here; every sentence comes with the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ._defuse import one_line
from ._fitting import fit
from ._lines import dated, explained, handle, joined, labelled, note_line, or_not_stated
from ._phrases import WORDINGS, Kind, Weight, say
from ._render_record import render_record
from .errors import BooksError
from .models import BriefRecord, Hit
from .reports import (
    Absent,
    Answered,
    Coverage,
    Failed,
    InsideAnswer,
    ItemsAnswer,
    QueryAttempt,
    SourceReport,
)
from .sources.base import Profile
from .sources.registry import registered

__all__ = ["fit", "render_error", "render_inside", "render_items", "render_record"]

Profiles = Mapping[str, Profile]
_SearchAnswer = InsideAnswer | ItemsAnswer

_MORE = {True: "more follow", False: "no more", None: "more: not established"}


def render_inside(answer: InsideAnswer, profiles: Profiles | None = None) -> str:
    """Return the text block of a search inside texts.

    `profiles`: what each archive is, by id; the registered archives when not given.
    """
    profiles = registered() if profiles is None else profiles
    unnumbered = {note.source for note in answer.notes if note.kind is Kind.NO_PAGE_NUMBER}
    rows = (
        line
        for position, hit in enumerate(answer.hits, 1)
        for line in _hit(position, hit, answer.query, profiles, hit.source in unnumbered)
    )
    return _search(answer, "hit", rows, answer.hit_count)


def render_items(answer: ItemsAnswer, profiles: Profiles | None = None) -> str:
    """Return the text block of a catalogue search; it needs nothing of `profiles`."""
    rows = (
        line
        for position, record in enumerate(answer.items, 1)
        for line in _brief(position, record, answer.query)
    )
    return _search(answer, "record", rows, answer.item_count)


def render_error(error: BooksError) -> str:
    """Return the text of a failed call: the code in brackets, the archive, the reason, the hint."""
    return explained(error.code, error.message, error.hint, source=error.source)


def _search(
    answer: _SearchAnswer,
    noun: str,
    rows: Iterable[str],
    count: int,
) -> str:
    asked = f"{_count(count, noun)}, page {answer.page}, for: {one_line(answer.query)}"
    nothing = _nothing_established(answer.per_source)
    first = f"{say(nothing)} {asked}" if nothing else asked
    notes = [note for note in answer.notes if note.kind is not nothing]
    decisive = [note for note in notes if WORDINGS[note.kind].weight is Weight.DECISIVE]
    lines = [first, *map(note_line, decisive)]
    if count:
        lines.append(f"order: {answer.order}")
    lines += labelled("not surely indexed", " ".join(map(one_line, answer.non_word_characters)))
    lines += ["", *rows] if count else []
    lines.append("")
    for report in answer.per_source:
        lines += _report(report, noun, answer.query)
    lines += [note_line(note) for note in notes if note not in decisive]
    lines += labelled("credit", joined(*_credits(answer.per_source)))
    return "\n".join(lines)


def _nothing_established(reports: Sequence[SourceReport]) -> Kind | None:
    if any(isinstance(report, Answered) for report in reports):
        return None
    failed = any(isinstance(report, Failed) for report in reports)
    return Kind.NOTHING_ESTABLISHED if failed else Kind.NOTHING_ASKED


def _hit(
    position: int, hit: Hit, query: str, profiles: Profiles, unnumbered_as_noted: bool
) -> Iterator[str]:
    yield f"[{position}] {or_not_stated(hit.title)}"
    yield handle(hit.id, hit.source_url)
    publication = one_line(hit.publication or "")
    if publication.casefold() in (hit.title or "").casefold():
        publication = ""
    yield joined(
        f"  by {or_not_stated(hit.creator)}",
        dated(hit.published_on, hit.year),
        publication,
        _page(hit, profiles, unnumbered_as_noted),
        _page_label(hit),
        f"section {one_line(hit.section)}" if hit.section else "",
        _matched_file(hit),
        _wording(hit.found_by_query, query),
    )
    kind = "passage" if hit.excerpt_kind == "passage" else "page opening, not the match"
    for excerpt in hit.excerpts:
        yield f"  {kind}: {one_line(excerpt)}"
    if not hit.excerpts:
        yield "  excerpt: none came with it"


def _matched_file(hit: Hit) -> str:
    named = f"file {one_line(hit.matched_file)}" if hit.matched_file else "file"
    if hit.inside_container:
        return f"{named} of a bundle"
    return "" if hit.matched_file in (None, hit.identifier) else named


def _page(hit: Hit, profiles: Profiles, unnumbered_as_noted: bool) -> str:
    if hit.page_number is None:
        return "" if unnumbered_as_noted else "page not given"
    profile = profiles.get(hit.source)
    return f"{profile.page_unit if profile else 'page'} {hit.page_number}"


def _page_label(hit: Hit) -> str:
    if hit.page_label is None:
        return ""
    sure = "" if hit.label_confidence is None else f", {hit.label_confidence:.2f}"
    return f"labelled {one_line(hit.page_label)} ({hit.label_source or 'archive'}{sure})"


def _brief(position: int, record: BriefRecord, query: str) -> Iterator[str]:
    yield f"[{position}] {or_not_stated(record.title)}"
    yield handle(record.id, record.source_url)
    yield joined(
        f"  by {or_not_stated(record.creator)}",
        dated(record.date, record.year),
        one_line(record.media_type or ""),
        f"{record.downloads} downloads" if record.downloads is not None else "",
        f"at {one_line(record.location)}" if record.location else "",
        {True: "online", False: "not online", None: ""}[record.online],
        "id may change" if record.identifier_provisional else "",
        _wording(record.found_by_query, query),
    )


def _report(report: SourceReport, noun: str, query: str) -> Iterator[str]:
    who = f"{report.status}: {one_line(report.name)} ({report.source})"
    if isinstance(report, Absent):
        yield joined(who, one_line(report.absent_because))
        return
    filters = [
        f"without {dropped.filter} ({one_line(dropped.because)})"
        for dropped in report.filters_dropped
    ]
    if isinstance(report, Failed):
        yield joined(
            who,
            f"at {report.stage}",
            explained(report.error.code, report.error.message, report.error.hint),
            *filters,
        )
    else:
        yield joined(who, *_outcome(report, noun), *filters)
    for attempt in report.queries:
        if attempt.ran:
            yield from _attempt(attempt, query)


def _outcome(report: Answered, noun: str) -> Iterator[str]:
    yield _count(report.count, noun)
    if report.media_type_asked is not None:
        yield f"asked for {one_line(report.media_type_asked)}"
    means = f" ({one_line(report.reported_total_means)})" if report.reported_total_means else ""
    if report.reported_total is None:
        yield f"no total{means}"
    else:
        yield f"total {report.reported_total}{means}"
    yield _MORE[report.more_on_this_archive]
    if report.count and report.ordered_on:
        yield f"ordered on {one_line(report.ordered_on)}"
    if report.skipped:
        yield f"{report.skipped} unreadable"
    if report.set_aside:
        yield f"{report.set_aside} set aside, no records"
    if report.coverage is not None:
        yield _coverage(report.coverage)


def _coverage(coverage: Coverage) -> str:
    reasons = ", ".join(f"{count} {one_line(why)}" for why, count in coverage.unreadable.items())
    unreadable = f" ({reasons})" if reasons else ""
    return f"{coverage.indexed} of {coverage.readable} readable documents indexed{unreadable}"


def _attempt(attempt: QueryAttempt, query: str) -> Iterator[str]:
    sent = f"sent as: {one_line(attempt.sent_as)}" if attempt.sent_as else ""
    if attempt.query == query:
        if sent:
            yield f"  {sent}"
        return
    error = attempt.error
    failed = explained(error.code, error.message, error.hint) if error else ""
    found = f"{attempt.count or 0} found, {attempt.added or 0} new"
    yield joined(
        f"  also asked: {one_line(attempt.query)}",
        one_line(attempt.derivation),
        failed or found,
        sent,
    )


def _credits(reports: Iterable[SourceReport]) -> Iterator[str]:
    for report in reports:
        if isinstance(report, Answered) and report.count:
            yield one_line(report.attribution)


def _wording(found_by: str, query: str) -> str:
    return "" if found_by == query else f"found by: {one_line(found_by)}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
