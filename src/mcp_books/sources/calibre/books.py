"""A book as Calibre's catalogue states it: frozen values, and which of its files to read first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

__all__ = [
    "Author",
    "Book",
    "CustomColumn",
    "CustomValue",
    "Format",
    "Value",
    "isbn13",
    "order_to_try",
]

Value = str | int | float | bool | datetime
"""One value of a custom column."""

_ORDER = ("EPUB", "AZW3", "MOBI", "AZW", "PRC")
"""Formats without pages of their own, by the quality of the places one can cite in them."""
_PAGED = ("PDF", "AZW4")


@dataclass(frozen=True, slots=True)
class Author:
    """One author: the name as written, and as it is sorted ("Melville, Herman")."""

    name: str
    sort: str


@dataclass(frozen=True, slots=True)
class Format:
    """One file of a book."""

    name: str
    """Calibre's name of the format, in capitals: EPUB."""
    path: str
    """Where it lies inside the library's folder, with `/` on every platform."""
    size: int
    """Bytes, as the catalogue states them."""


@dataclass(frozen=True, slots=True)
class CustomColumn:
    """A column that the owner of the library added."""

    id: int
    label: str
    """The lookup name, without its `#`."""
    name: str
    datatype: str
    normalized: bool = False


@dataclass(frozen=True, slots=True)
class CustomValue:
    """What one book has in one custom column; a rating is 0 to 10, two for each star."""

    column: CustomColumn
    values: tuple[Value, ...]
    series_index: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """One book of one library."""

    id: int
    uuid: str
    title: str
    authors: tuple[Author, ...] = ()
    author_sort: str = ""
    """Of the whole book; it can lag behind the authors, whose own `sort` is to be cited."""
    series: str | None = None
    series_index: float | None = None
    """None without a series."""
    publisher: str | None = None
    published: date | None = None
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """ISO 639 codes of three letters, in the owner's order."""
    rating: int | None = None
    """1 to 10, two for each star."""
    identifiers: tuple[tuple[str, str], ...] = ()
    """Kind and value: ("isbn", "9780306406157")."""
    comments: str | None = None
    """HTML, written by anybody."""
    added: datetime | None = None
    modified: datetime | None = None
    formats: tuple[Format, ...] = ()
    backups: int = 0
    """Files that Calibre keeps as originals of conversions; they are not among the formats."""
    custom: tuple[CustomValue, ...] = ()

    def format(self, name: str) -> Format | None:
        """Return the file in the format of that name, in either case, or None."""
        return next((one for one in self.formats if one.name == name.upper()), None)

    @property
    def isbn(self) -> str | None:
        """The ISBN as it is stated, without hyphens, if its check digit holds."""
        for kind, value in self.identifiers:
            if kind == "isbn" and isbn13(value):
                return _compact(value)
        return None


def isbn13(text: str) -> str | None:
    """Return an ISBN of 10 or 13 digits as one of 13, or None where its check digit fails."""
    digits = _compact(text)
    if re.fullmatch(r"97[89]\d{10}", digits, re.ASCII):
        return digits if _check_digit(digits[:12]) == digits[12] else None
    if not re.fullmatch(r"\d{9}[\dX]", digits, re.ASCII):
        return None
    weighed = sum(
        (10 - place) * (10 if digit == "X" else int(digit)) for place, digit in enumerate(digits)
    )
    body = "978" + digits[:9]
    return body + _check_digit(body) if weighed % 11 == 0 else None


def order_to_try(
    formats: Sequence[Format], printed_pages: Mapping[str, bool] | None = None
) -> tuple[Format, ...]:
    """Return `formats` in the order they should be read for the index: best places to cite first.

    `printed_pages` says of a format (PDF, EPUB) whether its file states printed pages: page labels
    of a PDF, the page list of an EPUB. What is not said counts as stating none.
    """
    stated = printed_pages or {}

    def place(one: Format) -> tuple[int, int, str]:
        if one.name == "PDF" and stated.get("PDF"):
            return 0, 0, ""
        if one.name == "EPUB" and stated.get("EPUB"):
            return 1, 0, ""
        if one.name in _ORDER:
            return 2, _ORDER.index(one.name), ""
        if one.name in _PAGED:
            return 3, _PAGED.index(one.name), ""
        return 4, 0, one.name

    return tuple(sorted(formats, key=place))


def _compact(text: str) -> str:
    return re.sub(r"[\s\u2010-\u2015-]", "", text).upper()


def _check_digit(twelve: str) -> str:
    weighed = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(twelve))
    return str(-weighed % 10)
