"""Rows of a result list, as hits and as brief records."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar
from urllib.parse import quote

from mcp_books.identifiers import RecordId
from mcp_books.models import BriefRecord, ExcerptKind, Hit
from mcp_books.sources._excerpts import cut_around, needles, spans
from mcp_books.sources._values import first, joined, mapping, number, rows
from mcp_books.sources._values import year as year_of
from mcp_books.sources.base import InsideQuery, Profile

from .identifiers import is_identifier, is_list_of_a_person
from .record import date_of, title_of

__all__ = ["brief_record_of", "hit_of", "sort_out"]

logger = logging.getLogger(__name__)

T = TypeVar("T")

_MARKS = re.compile(r"(\{\{\{|\}\}\}|</?IA_FTS_MATCH>)")
_OPENING_MARKS = frozenset({"{{{", "<IA_FTS_MATCH>"})


def sort_out(
    sent: Iterable[object], read: Callable[[str, Mapping[str, object]], T]
) -> tuple[tuple[T, ...], int, int]:
    """Return the rows read, how many could not be, and how many are no records.

    `read` takes an identifier and the row. A row is unreadable where it holds no identifier, or a
    value that no model takes.
    """
    found: list[T] = []
    unreadable = set_aside = 0
    for row in map(mapping, sent):
        fields = mapping(row.get("fields"))
        identifier = _identifier(fields)
        if identifier is None:
            unreadable += 1
        elif is_list_of_a_person(identifier, first(fields.get("mediatype"))):
            set_aside += 1
        else:
            try:
                found.append(read(identifier, row))
            except ValueError:
                logger.warning("A row of %s could not be read", identifier, exc_info=True)
                unreadable += 1
    return tuple(found), unreadable, set_aside


def hit_of(
    identifier: str,
    row: Mapping[str, object],
    query: InsideQuery,
    profile: Profile,
    address: Callable[[str], str],
) -> Hit:
    """Return a row of the full-text search as a hit.

    The row's `page_num` is how many pages the document has, not where the words stand.
    """
    fields = mapping(row.get("fields"))
    excerpts, kind = _excerpts(mapping(row.get("highlight")).get("text"), query)
    hit = Hit(
        id=str(RecordId(profile.id, identifier)),
        source=profile.id,
        source_name=profile.name,
        identifier=identifier,
        title=title_of(fields.get("title")),
        creator=joined(fields.get("creator")),
        year=year_of(fields.get("year")) or year_of(fields.get("date")),
        source_url=address(_details_path(fields.get("__href__"), identifier)),
        page_number=None,
        excerpts=excerpts,
        excerpt_kind=kind,
        found_by_query=query.text,
    )
    document = first(fields.get("file_basename"))
    in_bundle = fields.get("result_in_subfile") is True
    applying: dict[str, object] = {}
    if document and (in_bundle or document != identifier):
        applying["matched_file"] = document
    if in_bundle:
        applying["inside_container"] = True
    return hit.model_copy(update=applying)


def brief_record_of(
    identifier: str,
    row: Mapping[str, object],
    found_by: str,
    profile: Profile,
    address: Callable[[str], str],
) -> BriefRecord:
    """Return a row of the catalogue search as a brief record."""
    fields = mapping(row.get("fields"))
    return BriefRecord(
        id=str(RecordId(profile.id, identifier)),
        source=profile.id,
        source_name=profile.name,
        identifier=identifier,
        title=title_of(fields.get("title")),
        creator=joined(fields.get("creator")),
        year=year_of(fields.get("year")) or year_of(fields.get("date")),
        source_url=address(f"/details/{identifier}"),
        date=date_of(fields.get("date")),
        media_type=first(fields.get("mediatype")),
        found_by_query=found_by,
        downloads=number(fields.get("downloads")),
    )


def _identifier(fields: Mapping[str, object]) -> str | None:
    identifier = (first(fields.get("identifier")) or "").partition("|")[0]
    return identifier if is_identifier(identifier.removeprefix("@")) else None


def _details_path(href: object, identifier: str) -> str:
    details = f"/details/{identifier}"
    path = re.sub(r'(?:%22){2,}|"{2,}', "%22", href) if isinstance(href, str) else ""
    behind = path.removeprefix(details)
    if behind == path or (behind and behind[0] not in "/?#") or "/../" in behind:
        return details
    return details + quote(behind, safe="/?#&=+%:@!$'()*,;~")


def _excerpts(highlights: object, query: InsideQuery) -> tuple[tuple[str, ...], ExcerptKind]:
    """Return what is shown of a row: the passages sent with it, else whatever text came.

    A fragment that shows no match never stands among passages.
    """
    wanted = needles(query.text)
    marked: list[str] = []
    carrying: list[str] = []
    others: list[str] = []
    for fragment in rows(highlights):
        if isinstance(fragment, str):
            text, marks = _unmarked(fragment)
            found = marks or spans(text, wanted)
            kept = marked if marks else carrying if found else others
            kept.append(cut_around(text, found, query.max_excerpt_chars))
    passages = _some((*marked, *carrying), query.max_excerpts)
    if passages:
        return passages, "passage"
    return _some(others, query.max_excerpts), "page_opening"


def _some(cuts: Iterable[str], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, cuts)))[:limit]


def _unmarked(fragment: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return `fragment` without its marks, spaces folded, and where the marks stood."""
    text = ""
    marks: list[tuple[int, int]] = []
    opened: int | None = None
    for piece in _MARKS.split(fragment):
        if piece in _OPENING_MARKS:
            opened = len(text)
        elif _MARKS.fullmatch(piece):
            if opened is not None and opened < len(text):
                marks.append((opened, len(text)))
            opened = None
        else:
            folded = re.sub(r"\s+", " ", piece)
            text += folded.lstrip() if not text or text.endswith(" ") else folded
    text = text.rstrip()
    return text, tuple((start, min(end, len(text))) for start, end in marks if start < len(text))
