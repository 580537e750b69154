"""Typed builders of answers: plain ones, but for the values a test gives."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from mcp_books._phrases import Kind, say
from mcp_books.models import BriefRecord, Hit, Record, Rights, TextWindow
from mcp_books.reports import (
    Absent,
    Answered,
    ErrorReport,
    ExcerptKinds,
    Failed,
    InsideAnswer,
    ItemsAnswer,
    MediaTypesAsked,
    Note,
    QueryAttempt,
    RecordAnswer,
    SourceReport,
)
from mcp_books.sources.base import (
    Profile,
)
from mcp_books.sources.registry import PROFILES as REGISTERED

__all__ = [
    "PROFILES",
    "QUERY",
    "absent",
    "answered",
    "attempt",
    "brief",
    "failed",
    "hit",
    "inside",
    "items",
    "lines_of",
    "note",
    "page_hit",
    "record",
]

PROFILES: Mapping[str, Profile] = {profile.id: profile for profile in REGISTERED}
QUERY = '"call me ishmael"'
_RETRIEVED = date(2026, 11, 30)


def hit(**values: Any) -> Hit:
    """Return a hit of the Internet Archive, a plain one but for `values`."""
    return Hit.model_validate(
        {
            "id": "archive:mobydick00melv",
            "source": "archive",
            "source_name": "Internet Archive",
            "identifier": "mobydick00melv",
            "title": "Moby-Dick",
            "creator": "Herman Melville",
            "year": 1851,
            "source_url": "https://archive.org/details/mobydick00melv",
            "page_number": None,
            "excerpts": ("Call me Ishmael.",),
            "excerpt_kind": "passage",
            "found_by_query": QUERY,
        }
        | values
    )


def page_hit(**values: Any) -> Hit:
    """Return a newspaper page of the Library of Congress."""
    return hit(
        **{
            "id": "loc:sn83030214/1897-07-29/ed-1/seq-6",
            "source": "loc",
            "source_name": "Library of Congress",
            "identifier": "sn83030214/1897-07-29/ed-1/seq-6",
            "title": "The sun (New York [N.Y.]), July 29, 1897",
            "creator": None,
            "year": 1897,
            "source_url": "https://www.loc.gov/resource/sn83030214/1897-07-29/ed-1/?sp=6",
            "page_number": 6,
            "published_on": "1897-07-29",
            "publication": "The sun (New York [N.Y.])",
        }
        | values
    )


def brief(**values: Any) -> BriefRecord:
    """Return a row of the Internet Archive's catalogue."""
    return BriefRecord.model_validate(
        {
            "id": "archive:mobydick00melv",
            "source": "archive",
            "source_name": "Internet Archive",
            "identifier": "mobydick00melv",
            "title": "Moby-Dick",
            "creator": "Herman Melville",
            "year": 1851,
            "source_url": "https://archive.org/details/mobydick00melv",
            "date": "1851",
            "media_type": "texts",
            "found_by_query": QUERY,
        }
        | values
    )


def attempt(**values: Any) -> QueryAttempt:
    """Return the words as asked, sent and answered."""
    asked = {"query": QUERY, "derivation": "as asked", "ran": True, "count": 1, "added": 1}
    return QueryAttempt.model_validate(asked | values)


def answered(source: str = "archive", **values: Any) -> Answered:
    """Return the report of an archive that answered with one row."""
    profile = PROFILES[source]
    return Answered.model_validate(
        {
            "source": source,
            "name": profile.name,
            "status": "answered",
            "count": 1,
            "reported_total": 12,
            "reported_total_means": "documents, for the words as asked",
            "skipped": 0,
            "set_aside": 0,
            "more_on_this_archive": False,
            "ordered_on": "relevance",
            "attribution": f"{profile.name}, as it asks to be credited",
            "filters_dropped": (),
            "queries": (attempt(),),
            "year_means": profile.year_means,
            "requires_every_word": True,
            "cached": False,
        }
        | values
    )


def failed(source: str = "loc", **values: Any) -> Failed:
    """Return the report of an archive that asked for fewer requests."""
    error = ErrorReport(code="rate_limited", message="fewer requests, please", hint="Wait 60 s.")
    return Failed.model_validate(
        {
            "source": source,
            "name": PROFILES[source].name,
            "status": "failed",
            "stage": "search",
            "error": error,
            "queries": (),
        }
        | values
    )


def absent(source: str = "bnf", because: str = "it holds no text") -> Absent:
    """Return the report of an archive that was not asked."""
    return Absent(
        source=source, name=PROFILES[source].name, status="absent", absent_because=because
    )


def note(kind: Kind, source: str | None = None, **values: object) -> Note:
    """Return a note in the product's own wording."""
    text = say(kind, **values)
    return Note(kind=kind, text=text, source=source) if source else Note(kind=kind, text=text)


def inside(
    *hits: Hit, reports: tuple[SourceReport, ...] | None = None, **values: Any
) -> InsideAnswer:
    """Return the answer of search_inside that holds `hits`."""
    openings = sum(each.excerpt_kind == "page_opening" for each in hits)
    kinds = ExcerptKinds(passage=len(hits) - openings, page_opening=openings)
    return InsideAnswer.model_validate(
        _search(hits, reports)
        | {"hits": hits, "hit_count": len(hits), "excerpt_kinds": kinds}
        | values
    )


def items(
    *rows: BriefRecord, reports: tuple[SourceReport, ...] | None = None, **values: Any
) -> ItemsAnswer:
    """Return the answer of search_items that holds `rows`."""
    kinds = {"archive": MediaTypesAsked(asked_with=None, vocabulary=("texts", "movies"))}
    return ItemsAnswer.model_validate(
        _search(rows, reports)
        | {"items": rows, "item_count": len(rows), "media_types": kinds}
        | values
    )


def record(
    *, told: tuple[Note, ...] = (), window: TextWindow | None = None, **values: Any
) -> RecordAnswer:
    """Return the answer of get_item for a record that is plain but for `values`."""
    item = Record.model_validate(
        {
            "id": "archive:mobydick00melv",
            "source": "archive",
            "source_name": "Internet Archive",
            "identifier": "mobydick00melv",
            "title": "Moby-Dick",
            "creator": "Herman Melville",
            "year": 1851,
            "year_means": "year filed with the item",
            "date": "1851",
            "media_type": "texts",
            "source_url": "https://archive.org/details/mobydick00melv",
            "attribution": "Internet Archive (archive.org)",
            "rights": Rights(statement=None, url=None, covers="the item"),
        }
        | values
    )
    answer = RecordAnswer(
        item=item,
        sections_returned=("description",),
        sections_omitted=("subjects", "copies", "context"),
        fields_not_read_from_this_archive=(),
        notes=told,
    )
    return answer.model_copy(update={"text_window": window}) if window else answer


def lines_of(text: str, label: str) -> list[str]:
    """Return what stands behind each line that opens with `label`."""
    opening = f"{label}: "
    return [
        line.strip()[len(opening) :]
        for line in text.split("\n")
        if line.strip().startswith(opening)
    ]


def _search(
    rows: tuple[Hit, ...] | tuple[BriefRecord, ...], reports: tuple[SourceReport, ...] | None
) -> dict[str, Any]:
    sources = dict.fromkeys(row.source for row in rows)
    made = tuple(
        answered(source, count=sum(row.source == source for row in rows)) for source in sources
    )
    return {
        "query": QUERY,
        "page": 1,
        "per_source": made if reports is None else reports,
        "queries_run": (QUERY,),
        "non_word_characters": (),
        "order": "the archive's own order",
        "notes": (),
    }
