"""One item of the archive as a record.

A value of the archive's metadata is a string, or a list where the element occurs more than once.
What names people who handled the item (uploader, operator, scanner, reviews…) is never read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mcp_books.errors import InvalidInput
from mcp_books.identifiers import RecordId
from mcp_books.models import Record, Rights
from mcp_books.sources._values import (
    first,
    joined,
    links,
    mapping,
    plain,
    rows,
    texts,
    web_address,
)
from mcp_books.sources._values import year as year_of
from mcp_books.sources.base import Profile

from .files import copies_of
from .identifiers import is_identifier, is_list_of_a_person

__all__ = ["date_of", "record_of", "title_of"]

_CONTEXT: Mapping[str, str] = {
    "publisher": "publisher",
    "language": "language",
    "volume": "volume",
    "issue": "issue",
    "coverage": "coverage",
    "venue": "venue",
    "runtime": "runtime",
    "collection": "collection",
    "contributor": "contributor",
    "call_number": "call number",
    "isbn": "isbn",
    "issn": "issn",
    "lccn": "lccn",
    "oclc-id": "oclc",
    "identifier-ark": "ark",
    "external-identifier": "external identifier",
    "imagecount": "images",
    "copyright-region": "copyright region",
    "access-restricted-item": "access-restricted-item",
}
"""Element of the archive's metadata to the label it is published under."""


def title_of(value: object) -> str | None:
    """Return a title in one line, read as HTML once, or None."""
    return " ".join(plain(first(value) or "").split()) or None


def date_of(value: object) -> str | None:
    """Return a date as filed, or None; the index adds a time of day and writes none as year 0."""
    date = first(value)
    if date is None or date.startswith("0000"):
        return None
    return date.removesuffix("T00:00:00Z")


def record_of(
    item: Mapping[str, object], reference: str, profile: Profile, address: Callable[[str], str]
) -> Record:
    """Return `item`, as the metadata route sent it, as a record.

    Raises:
        InvalidInput: it is an account or somebody's favourites.
    """
    metadata = mapping(item.get("metadata"))
    identifier = _identifier(metadata, reference)
    media_type = first(metadata.get("mediatype"))
    if is_list_of_a_person(identifier, media_type):
        raise InvalidInput(
            f"{identifier!r} is an account's own list, not a record",
            hint="Give the identifier of an item; find one with search_items.",
        )
    copies, left_out = copies_of(item, identifier, media_type, address)
    return Record(
        id=str(RecordId(profile.id, identifier)),
        source=profile.id,
        source_name=profile.name,
        identifier=identifier,
        title=title_of(metadata.get("title")),
        creator=joined(metadata.get("creator")),
        year=year_of(metadata.get("date")) or year_of(metadata.get("year")),
        year_means=profile.year_means,
        date=date_of(metadata.get("date")),
        media_type=media_type,
        source_url=address(f"/details/{identifier}"),
        attribution=profile.attribution,
        rights=_rights(metadata, address("")),
        description=_prose(metadata.get("description")),
        description_means=profile.description_means,
        subjects=_subjects(metadata.get("subject")),
        copies=copies,
        copies_available=len(copies),
        generated_entries=left_out,
        context=_context(metadata),
    )


def _identifier(metadata: Mapping[str, object], reference: str) -> str:
    stated = first(metadata.get("identifier")) or ""
    return stated if is_identifier(stated) else reference


def _prose(value: object) -> str | None:
    parts = [plain(part) for part in rows(value) or [value] if isinstance(part, str)]
    return "\n\n".join(part for part in parts if part) or None


def _subjects(value: object) -> tuple[str, ...]:
    found = texts(value)
    if len(found) == 1:
        found = texts(found[0].split(";"))
    return tuple(dict.fromkeys(subject.rstrip("; ") for subject in found if subject.strip("; ")))


def _rights(metadata: Mapping[str, object], site: str) -> Rights:
    licence = first(metadata.get("licenseurl"))
    url = web_address(licence)
    stated = _prose(metadata.get("rights")) or (licence if url is None else None)
    linked = links(" ".join(texts(metadata.get("rights"))), site)
    status = first(metadata.get("possible-copyright-status"))
    rights = Rights(
        statement=stated or status,
        url=url or next((link.address for link in linked), None),
        covers="this item",
    )
    if status is None:
        return rights
    note = f"possible-copyright-status: {status}" if stated else "as possible-copyright-status"
    return rights.model_copy(update={"note": note})


def _context(metadata: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    context: dict[str, tuple[str, ...]] = {}
    for element, label in _CONTEXT.items():
        values = dict.fromkeys(
            text for text in texts(metadata.get(element)) if not text.startswith("fav-")
        )
        if metadata.get(element) is True:
            values = {"true": None}
        if values:
            context[label] = tuple(values)
    return context
