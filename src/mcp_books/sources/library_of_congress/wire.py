"""Fields the Library sends in several shapes, whatever the kind of record."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_books.errors import InvalidInput
from mcp_books.sources import _values

from .dates import date_published
from .references import Reference, parse_address

__all__ = [
    "addresses",
    "creator_of",
    "date_of",
    "identified",
    "kind_of",
    "labels",
    "secure",
    "shelf_of",
]

_NO_MAKER = re.compile(
    r"(?:\bcollection \(library of congress\)|, former owner)\.?$", re.IGNORECASE
)
_OF_THE_HOUSE = re.compile(
    r"^Library of Congress\s+|\s+Washington, D\. ?C\. 20540.*|\s*(?<!\S)https?://\S+$"
)
"""What every division's name says again: the Library's own name and postal address."""
_ADDRESS = re.compile(r"(?:https?:)?//", re.IGNORECASE)


def identified(block: Mapping[str, object], base_url: str) -> Reference | None:
    """Return what a row says it is, from its `id`, else its `url`; None if neither names a record.

    A row of the picture catalogue (`/pictures/`) is not sure to be a record of this one.
    """
    for address in addresses(block, base_url):
        if "/pictures/" in address:
            continue
        try:
            found = parse_address(address, base_url)
        except InvalidInput:
            continue
        if found is not None:
            return found
    return None


def addresses(block: Mapping[str, object], base_url: str) -> tuple[str, ...]:
    """Return the addresses a row gives for itself; one that starts from the site is completed."""
    stated = (_values.first(block.get(name)) for name in ("id", "url"))
    return tuple(
        base_url + address if re.match("/(?!/)", address) else secure(address)
        for address in stated
        if address is not None
    )


def labels(value: object) -> tuple[str, ...]:
    """Return the labels of `value`: texts, `{label: address}` or `{"title": label, …}`."""
    values = value if isinstance(value, list) else [value]
    found: list[str] = []
    for one in values:
        if isinstance(one, Mapping):
            titled = one.get("title", one.get("label"))
            found += _values.texts(list(one) if titled is None else titled)
        else:
            found += _values.texts(one)
    return tuple(dict.fromkeys(found))


def secure(address: str) -> str:
    """Return `address` with the scheme that a protocol-relative one leaves out."""
    return f"https:{address}" if address.startswith("//") else address


def creator_of(block: Mapping[str, object]) -> str | None:
    """Return who made it, in the record's own spelling where it is given.

    The Library lists the collection a copy belongs to and its former owners among the
    contributors; they made nothing.
    """
    inner = _values.mapping(block.get("item"))
    for value in (
        block.get("contributor_names"),
        inner.get("contributor_names"),
        inner.get("contributors"),
        block.get("contributors"),
        block.get("contributor"),
    ):
        names = [name for name in labels(value) if not _NO_MAKER.search(name)]
        if names:
            return "; ".join(names)
    return None


def date_of(block: Mapping[str, object]) -> str | None:
    """Return the date of a row or record as far as its words carry it."""
    inner = _values.mapping(block.get("item"))
    words = [
        *_values.texts(block.get("created_published")),
        *_values.texts(inner.get("created_published")),
        *_values.texts(inner.get("date")),
    ]
    filed = _values.first(block.get("date")) or _values.first(inner.get("date"))
    return date_published(filed, words)


def kind_of(block: Mapping[str, object]) -> str | None:
    """Return the record's own words for what it is."""
    return "; ".join(labels(block.get("original_format"))) or None


def shelf_of(block: Mapping[str, object]) -> str | None:
    """Return where a copy is kept: the division and the call number, or None."""
    inner = _values.mapping(block.get("item"))
    repository = _values.first(block.get("repository")) or _values.first(inner.get("repository"))
    call = _values.first(block.get("call_number")) or _values.first(inner.get("call_number"))
    shelf = call or _values.first(block.get("shelf_id"))
    parts = [
        _OF_THE_HOUSE.sub("", repository) if repository else None,
        shelf if shelf and not _ADDRESS.match(shelf) else None,
    ]
    return ", ".join(part for part in parts if part) or None
