"""The Library's identifiers: records, issues and pages of newspapers, digitised resources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import parse_qs, quote, unquote

from mcp_books.errors import InvalidInput
from mcp_books.sources._addresses import Place, place_of

__all__ = ["HOSTS", "Reference", "parse_address", "parse_reference"]

_LCCN = re.compile(r"[a-z]{0,3}[0-9]{8}|[a-z]{0,2}[0-9]{10}", re.IGNORECASE)
_PREFIX_GAP = re.compile(r"^([A-Za-z]{1,3})\s+(?=[0-9])")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EDITION = re.compile(r"ed-0*([0-9]{1,4})", re.IGNORECASE)
_SEQUENCE = re.compile(r"seq-0*([0-9]{1,5})", re.IGNORECASE)
_SLUG = re.compile(r"(?=[^/]*[0-9])[A-Za-z0-9][A-Za-z0-9._~,-]{3,119}")

HOSTS = ("www.loc.gov", "loc.gov", "lccn.loc.gov", "chroniclingamerica.loc.gov")
"""Where the Library's records have addresses."""

_RECORD_HINT = "Give an address with /item/ or /resource/, or the id of a row."


@dataclass(frozen=True, slots=True)
class Reference:
    """What one of the Library's identifiers names.

    `number` is the LCCN or local id, `issue` the day and edition of a newspaper's issue, `sequence`
    the image counted from 1; `of_resource`: `number` names a set of files, not a record.
    """

    number: str
    issue: tuple[str, int] | None = None
    sequence: int | None = None
    of_resource: bool = False

    def __str__(self) -> str:
        parts = ["resource"] if self.of_resource else []
        parts.append(self.number)
        if self.issue is not None:
            parts += [self.issue[0], f"ed-{self.issue[1]}"]
        if self.sequence is not None:
            parts.append(f"seq-{self.sequence}")
        return "/".join(parts)

    @property
    def is_page(self) -> bool:
        """Whether it names one page of a newspaper."""
        return self.issue is not None and self.sequence is not None

    @property
    def issued_on(self) -> str | None:
        """The day of a newspaper's issue, or None."""
        return self.issue[0] if self.issue else None

    @property
    def path(self) -> str:
        """The path of its document, which carries no query."""
        under = "resource" if self.of_resource or self.sequence is not None else "item"
        parts = [under, self.number]
        if self.issue is not None:
            parts += [self.issue[0], f"ed-{self.issue[1]}"]
        return "/" + "/".join(quote(part, safe="~,") for part in parts) + "/"

    @property
    def public_path(self) -> str:
        """The path to cite: a page keeps its number."""
        return self.path if self.sequence is None else f"{self.path}?sp={self.sequence}"


def parse_reference(text: str) -> tuple[Reference, bool] | None:
    """Read a bare identifier; the flag says that nobody else mints such a shape.

    Raises:
        InvalidInput: it is plainly a newspaper page and its date, edition or page cannot be.
    """
    parts = text.strip().strip("/").split("/")
    if parts[0].lower() == "resource" and len(parts) > 1:
        found = _from_resource(parts[1:], None)
        return (found, True) if found else None
    if parts[0].lower() == "item" and len(parts) > 1:
        parts = parts[1:]
    if len(parts) > 1:
        found = _from_newspaper(parts)
        return (found, True) if found else None
    found = _from_slug(parts[0])
    return (found, False) if found else None


def parse_address(text: str, base_url: str) -> Reference | None:
    """Read an address on the Library's hosts or under `base_url`; None for any other text.

    Raises:
        InvalidInput: the address is the Library's and names no record.
    """
    place = place_of(text, HOSTS, base_url)
    if place is None:
        return None
    if place.host == "lccn.loc.gov":
        segments = _segments(place.path)
        return _required(_from_slug(segments[0]) if segments else None)
    if place.host == "chroniclingamerica.loc.gov":
        return _from_retired_site(place.path)
    return _from_site(place, text)


def _from_site(place: Place, text: str) -> Reference:
    segments = _segments(place.path)
    sequence = _sequence(place.query)
    match segments:
        case ["item", *rest] if rest:
            return _required(_from_item(rest, sequence))
        case ["resource", *rest] if rest:
            return _required(_from_resource(rest, sequence))
        case ["pictures", *rest] if "item" in rest[:-1]:
            return _required(_from_slug(rest[rest.index("item") + 1]))
        case ["collections", slug, *_]:
            raise InvalidInput(f"{slug!r} is a collection, not a record", hint=_RECORD_HINT)
        case _:
            raise InvalidInput(f"{text!r} is not the address of a record", hint=_RECORD_HINT)


def _from_retired_site(path: str) -> Reference:
    segments = _segments(path)
    if segments[:1] != ["lccn"] or len(segments) < 2:
        return _required(None)
    depth = next((n for n, part in enumerate(segments) if _SEQUENCE.fullmatch(part)), 3)
    return _required(_from_item(segments[1 : depth + 1], None))


def _from_item(parts: Sequence[str], sequence: int | None) -> Reference | None:
    if len(parts) == 1:
        return _from_slug(parts[0])
    found = _from_newspaper(parts)
    if found is None or sequence is None or found.sequence is not None:
        return found
    return Reference(found.number, found.issue, sequence)


def _from_resource(parts: Sequence[str], sequence: int | None) -> Reference | None:
    if len(parts) > 1 and _DATE.fullmatch(parts[1]):
        return _from_item(parts, sequence)
    slug = _from_slug(parts[0])
    if slug is None or len(parts) > 2:
        return None
    if len(parts) == 2:
        sequence = _from_sequence(parts[1])
        if sequence is None:
            return None
    return Reference(slug.number, None, sequence, of_resource=True)


def _from_newspaper(parts: Sequence[str]) -> Reference | None:
    """Read `<lccn>/<date>/ed-<n>[/seq-<n>]`."""
    number, *rest = parts
    if not rest or len(rest) > 3 or not _LCCN.fullmatch(number) or not _DATE.fullmatch(rest[0]):
        return None
    shown = "/".join(parts)
    try:
        date.fromisoformat(rest[0])
    except ValueError:
        raise InvalidInput(f"{rest[0]!r} is no date", hint=f"Check {shown!r}.") from None
    edition = _EDITION.fullmatch(rest[1]) if len(rest) > 1 else None
    if edition is None or int(edition[1]) == 0:
        raise InvalidInput(f"{shown!r} names no edition", hint="An issue ends in ed-1, ed-2, ….")
    sequence: int | None = None
    if len(rest) == 3:
        sequence = _from_sequence(rest[2])
        if sequence is None:
            raise InvalidInput(f"{rest[2]!r} is no page", hint="A page ends in seq-1, seq-2, ….")
    return Reference(number.lower(), (rest[0], int(edition[1])), sequence)


def _from_slug(text: str) -> Reference | None:
    number = _PREFIX_GAP.sub(r"\1", text.strip())
    if _LCCN.fullmatch(number):
        return Reference(number.lower())
    return Reference(text) if _SLUG.fullmatch(text) else None


def _from_sequence(text: str) -> int | None:
    found = _SEQUENCE.fullmatch(text)
    return (int(found[1]) or None) if found else None


def _sequence(query: str) -> int | None:
    given = parse_qs(query).get("sp", [])
    return int(given[0]) or None if given and re.fullmatch(r"[0-9]{1,5}", given[0]) else None


def _segments(path: str) -> list[str]:
    return [unquote(part) for part in path.split("/") if part]


def _required(reference: Reference | None) -> Reference:
    if reference is None:
        raise InvalidInput(
            "the address names no record the Library could be asked for", hint=_RECORD_HINT
        )
    return reference
