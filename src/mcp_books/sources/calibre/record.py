"""A book of a library as the records that an answer carries. No path of the user's disk leaves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from mcp_books.models import BriefRecord, DigitalCopy, Record, Rights
from mcp_books.sources import _values
from mcp_books.sources.base import Profile

from .addresses import show_book, view_book
from .books import Book, CustomValue, Value, order_to_try
from .dates import day_of
from .snapshot import Snapshot

__all__ = ["brief_record", "creator_of", "reference_of", "whole_record"]

_COVERS = "this book in the reader's own library"


def reference_of(library: str, number: int) -> str:
    """Return the identifier of a book: the configured name of its library, and its number."""
    return f"{library}/{number}"


def brief_record(
    snapshot: Snapshot, book: Book, *, profile: Profile, found_by_query: str
) -> BriefRecord:
    """Return `book` as a row of a result list."""
    reference = reference_of(snapshot.library, book.id)
    return BriefRecord(
        id=f"{profile.id}:{reference}",
        source=profile.id,
        source_name=profile.name,
        identifier=reference,
        title=book.title or None,
        creator=creator_of(book),
        year=book.published.year if book.published else None,
        source_url=show_book(snapshot.folder_name, book.id),
        date=_date_of(book),
        media_type=_media_types(book),
        found_by_query=found_by_query,
    )


def whole_record(snapshot: Snapshot, book: Book, *, profile: Profile) -> Record:
    """Return everything the catalogue states of `book`."""
    reference = reference_of(snapshot.library, book.id)
    copies = tuple(_copies(snapshot, book))
    return Record(
        id=f"{profile.id}:{reference}",
        source=profile.id,
        source_name=profile.name,
        identifier=reference,
        title=book.title or None,
        creator=creator_of(book),
        year=book.published.year if book.published else None,
        year_means=profile.year_means,
        date=_date_of(book),
        media_type=_media_types(book),
        source_url=show_book(snapshot.folder_name, book.id),
        attribution=profile.attribution,
        rights=Rights(statement=None, url=None, covers=_COVERS),
        description=_values.plain(book.comments) or None if book.comments else None,
        description_means=profile.description_means,
        subjects=book.tags,
        copies=copies,
        copies_available=len(copies),
        generated_entries=book.backups,
        context=dict(_context(snapshot, book)),
    )


def creator_of(book: Book) -> str | None:
    """Return the authors as they are sorted, in their order on the title page."""
    return "; ".join(author.sort for author in book.authors) or None


def _date_of(book: Book) -> str | None:
    return book.published.isoformat() if book.published else None


def _media_types(book: Book) -> str | None:
    return "; ".join(one.name.lower() for one in order_to_try(book.formats)) or None


def _copies(snapshot: Snapshot, book: Book) -> Iterator[DigitalCopy]:
    for one in order_to_try(book.formats):
        yield DigitalCopy(
            label=f"{one.name}, {_size(one.size)}",
            format=one.name.lower(),
            url=view_book(snapshot.folder_name, book.id, one.name),
        )


def _size(size: int) -> str:
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1000:.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def _context(snapshot: Snapshot, book: Book) -> Iterator[tuple[str, tuple[str, ...]]]:
    stated: dict[str, tuple[str | None, ...]] = {
        "library": (snapshot.library,),
        "authors": tuple(author.name for author in book.authors),
        "series": (_in_series(book.series, book.series_index),),
        "publisher": (book.publisher,),
        "languages": book.languages,
        "isbn": (book.isbn,),
        "identifiers": tuple(
            f"{kind} {value}" for kind, value in book.identifiers if _is_public(kind, value)
        ),
        "rating": (_stars(book.rating) if book.rating else None,),
        "added to the library": (book.added.date().isoformat() if book.added else None,),
    }
    for label, values in stated.items():
        if held := tuple(value for value in values if value):
            yield label, held
    for custom in book.custom:
        yield f"{custom.column.name} (#{custom.column.label})", tuple(_custom_texts(custom))


def _is_public(kind: str, value: str) -> bool:
    """Whether an identifier is listed as one: an ISBN is on a line of its own, if it is one, and
    an address of a file is a path of the user's disk."""
    return kind != "isbn" and not value.lower().startswith("file:")


def _custom_texts(custom: CustomValue) -> Iterator[str]:
    kind = custom.column.datatype
    for value in custom.values:
        if kind == "series":
            yield _in_series(str(value), custom.series_index) or ""
        elif kind == "comments":
            yield _values.plain(str(value))
        elif kind == "rating" and isinstance(value, int):
            yield _stars(value)
        else:
            yield _plain(value)


def _plain(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return day_of(value).isoformat()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _in_series(name: str | None, index: float | None) -> str | None:
    if not name:
        return None
    return name if index is None else f"{name} [{index:g}]"


def _stars(rating: int) -> str:
    return f"{rating / 2:g} of 5 stars"
