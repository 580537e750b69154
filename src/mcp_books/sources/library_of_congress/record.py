"""One record of the Library in full, and one page of a newspaper."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_books.models import Record
from mcp_books.sources import _values
from mcp_books.sources.base import Profile

from .copies import copies_of
from .references import Reference
from .rights import rights_of
from .wire import creator_of, date_of, identified, kind_of, labels

__all__ = ["OPENING", "read_record"]

OPENING = "the opening of the page's machine-read text"

_CONTEXT: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("contributors", ("contributor_names", "contributors", "contributor")),
    ("published", ("created_published",)),
    ("dates of publication", ("dates_of_publication",)),
    ("frequency", ("publication_frequency",)),
    ("language", ("language", "languages")),
    ("places", ("location", "locations")),
    ("medium", ("medium",)),
    ("genre", ("genre",)),
    ("other titles", ("other_title",)),
    ("contents", ("contents",)),
    ("repository", ("repository",)),
    ("call number", ("call_number",)),
    ("source collection", ("source_collection",)),
    ("part of", ("partof",)),
    ("earlier title", ("preceding_titles",)),
    ("later title", ("succeeding_titles",)),
    ("online formats", ("online_format",)),
    ("access to the original", ("access_advisory",)),
    ("reproduction number", ("reproduction_number",)),
    ("digital identifier", ("digital_id",)),
    ("control number", ("library_of_congress_control_number", "number_lccn", "control_number")),
    ("ISSN", ("number_issn",)),
    ("OCLC number", ("number_oclc",)),
)
"""Label and the fields it is read from: the first that holds something."""


def read_record(
    document: Mapping[str, object],
    reference: Reference,
    *,
    profile: Profile,
    base_url: str,
) -> Record:
    """Return the record of `document`, which was asked for as `reference`."""
    item = _values.mapping(document.get("item"))
    segment = _segment(document, reference, base_url)
    date = reference.issued_on or date_of(item)
    copies = copies_of(document, of_page=reference.sequence is not None)
    description = _page_text(segment) if reference.is_page else _prose(item)
    return Record(
        id=f"{profile.id}:{reference}",
        source=profile.id,
        source_name=profile.name,
        identifier=str(reference),
        title=_values.first(segment.get("title")) or _values.first(item.get("title")),
        creator=None if reference.issue else creator_of(item),
        year=_values.year(date),
        year_means=profile.year_means,
        date=date,
        media_type=kind_of(item),
        source_url=base_url + reference.public_path,
        attribution=profile.attribution,
        rights=rights_of(item, base_url),
        description=description,
        description_means=OPENING if reference.is_page else profile.description_means,
        notes=_values.texts(item.get("notes")),
        subjects=_subjects(item),
        copies=copies.offered,
        copies_available=len(copies.offered),
        generated_entries=copies.by_products,
        context=_context(document, item, segment, reference),
    )


def _prose(item: Mapping[str, object]) -> str | None:
    """Return the prose about the thing; a description that only repeats the notes is none."""
    notes = " ".join(_values.texts(item.get("notes")))
    for name in ("summary", "essay", "description"):
        found = [_values.plain(text) for text in _values.texts(item.get(name))]
        prose = "\n".join(dict.fromkeys(text for text in found if text))
        if prose and " ".join(prose.split()) != notes:
            return prose
    return None


def _page_text(segment: Mapping[str, object]) -> str | None:
    return _values.first(segment.get("description"))


def _subjects(item: Mapping[str, object]) -> tuple[str, ...]:
    """Return the headings as catalogued, else the index terms made from them."""
    names = ("subject_headings", "subjects", "subject")
    return next((found for name in names if (found := labels(item.get(name)))), ())


def _segment(
    document: Mapping[str, object], reference: Reference, base_url: str
) -> Mapping[str, object]:
    """Return what the document says of the page asked for, not of another one."""
    if reference.sequence is None:
        return {}
    segments = [one for one in _values.rows(document.get("segments")) if isinstance(one, Mapping)]
    for segment in segments:
        named = identified(segment, base_url)
        number = named.sequence if named else _values.number(segment.get("number_page"))
        if number == reference.sequence:
            return segment
    return {}


def _context(
    document: Mapping[str, object],
    item: Mapping[str, object],
    segment: Mapping[str, object],
    reference: Reference,
) -> dict[str, tuple[str, ...]]:
    context: dict[str, tuple[str, ...]] = {}
    if reference.issue is not None:
        context |= _newspaper_context(item, segment, reference)
    inner = _values.mapping(item.get("item"))
    for label, names in _CONTEXT:
        if label == "contributors" and reference.issue is not None:
            continue
        found = next(
            (
                found
                for block in (item, inner)
                for name in names
                if (found := labels(block.get(name)))
            ),
            (),
        )
        if found:
            context[label] = found
    citation = _values.plain_or_none(_values.mapping(document.get("cite_this")).get("chicago"))
    if citation:
        context["citation generated by the Library"] = (citation,)
    return context


def _newspaper_context(
    item: Mapping[str, object], segment: Mapping[str, object], reference: Reference
) -> dict[str, tuple[str, ...]]:
    """Return where a page or issue stands, and which library scanned it."""
    stated = {
        "newspaper": labels(segment.get("partof_title")) or labels(item.get("partof_title")),
        "issue date": _values.texts(reference.issued_on),
        "page number": _values.texts(
            _values.number(segment.get("number_page")) or reference.sequence
        ),
        "contributed by": next(
            (
                found
                for block in (segment, item)
                for name in ("contributor", "contributor_names", "contributors")
                if (found := labels(block.get(name)))
            ),
            (),
        ),
    }
    return {label: values for label, values in stated.items() if values}
