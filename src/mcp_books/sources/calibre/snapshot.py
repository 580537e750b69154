"""The catalogue of one library as it was read at one moment. Books are made when they are asked."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from functools import cached_property, partial
from typing import Any

from .books import Author, Book, CustomColumn, CustomValue, Format, Value
from .dates import day_of, moment_of
from .folding import fold
from .haystacks import Haystack, haystacks
from .tables import Rows, Tables

__all__ = ["Snapshot", "is_excluded"]


class Snapshot:
    """One library at one moment: its books by number, without those of an excluded tag."""

    def __init__(
        self,
        tables: Tables,
        *,
        library: str,
        folder_name: str,
        excluded_tags: Collection[str] = (),
    ) -> None:
        """Group what was read; `library` is the configured name, `folder_name` Calibre's."""
        rows = tables.rows
        self.library = library
        self.folder_name = folder_name
        self.schema = tables.schema
        self.uuid: str | None = next((_text(uuid) for (uuid,) in rows["library_id"]), None)
        self._tags: dict[int, object] = dict(rows["tags"])
        excluded = {
            number for number, name in self._tags.items() if is_excluded(name, excluded_tags)
        }
        hidden = (
            {book for book, tag in rows["books_tags"] if tag in excluded} if excluded else set()
        )
        self._books = {row[0]: row for row in rows["books"] if row[0] not in hidden}
        self._authors = {row[0]: row for row in rows["authors"]}
        self._series: dict[int, object] = dict(rows["series"])
        self._publishers: dict[int, object] = dict(rows["publishers"])
        self._languages: dict[int, object] = dict(rows["languages"])
        self._ratings: dict[int, object] = dict(rows["ratings"])
        self._series_of: dict[int, int] = dict(rows["books_series"])
        self._publisher_of: dict[int, int] = dict(rows["books_publishers"])
        self._rating_of: dict[int, int] = dict(rows["books_ratings"])
        self._comments_of: dict[int, object] = dict(rows["comments"])
        self.custom_columns = tuple(column for column, _ in tables.custom)
        """The custom columns whose values are read."""
        grouped = ("books_authors", "books_tags", "books_languages", "identifiers", "data")
        self._ungrouped: dict[str | int, Rows] = {name: rows[name] for name in grouped}
        self._ungrouped |= {column.id: found for column, found in tables.custom}
        self._groups: dict[str | int, dict[int, Rows]] = {}
        self._grouping = threading.Lock()
        self._title_keys: dict[int, str] = {}
        self._haystacks: Mapping[int, Haystack] | None = None
        self._folding = threading.Lock()

    @property
    def key(self) -> str:
        """What the index calls this library: its uuid, or its configured name if it has none."""
        return self.uuid or self.library

    def __len__(self) -> int:
        return len(self._books)

    def __contains__(self, book: object) -> bool:
        return book in self._books

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers of the books, ascending."""
        return iter(self._books)

    @cached_property
    def media_types(self) -> tuple[str, ...]:
        """The formats that the books have, as media types: "epub", "pdf"."""
        names = {
            _text(row[1]).lower()
            for book, found in self._grouped("data").items()
            if book in self._books
            for row in found
            if not _is_backup(row[1])
        }
        return tuple(sorted(filter(None, names)))

    def books(self) -> Iterator[Book]:
        """Yield every book, by number."""
        return (self._made(row) for row in self._books.values())

    def book(self, number: int) -> Book | None:
        """Return the book of that number, or None."""
        row = self._books.get(number)
        return None if row is None else self._made(row)

    def published_of(self, number: int) -> date | None:
        """Return the day a book was published, or None where no date is stated."""
        return _day(self._books[number][5])

    def title_key(self, number: int) -> str:
        """Return what a book is sorted by: its title sort, folded."""
        key = self._title_keys.get(number)
        if key is None:
            _, title, sort, *_ = self._books[number]
            key = self._title_keys[number] = fold(_text(sort) or _text(title))
        return key

    def has_format(self, number: int, media_type: str) -> bool:
        """Return whether a book has a file in that format."""
        wanted = media_type.upper()
        return not _is_backup(wanted) and any(
            _text(row[1]).upper() == wanted for row in self._grouped("data").get(number, ())
        )

    def uuid_of(self, number: int) -> str | None:
        """Return the uuid of a book; None: there is no such book."""
        row = self._books.get(number)
        return _text(row[-1]) if row is not None else None

    def formats_of(self, number: int) -> tuple[str, ...]:
        """Return the formats that a book has files in, as Calibre names them: EPUB."""
        found = self._grouped("data").get(number, ())
        return tuple(_text(row[1]).upper() for row in found if not _is_backup(row[1]))

    @property
    def haystacks(self) -> Mapping[int, Haystack]:
        """What a search looks through, by book; made at the first search."""
        with self._folding:
            if self._haystacks is None:
                self._haystacks = haystacks(
                    titles={number: _text(row[1]) for number, row in self._books.items()},
                    authors={key: _authors_name(row[1]) for key, row in self._authors.items()},
                    authors_of=partial(self._linked, "books_authors"),
                    labels=(
                        (_texts(self._series), partial(_one, self._series_of)),
                        (_texts(self._tags), partial(self._linked, "books_tags")),
                        (_texts(self._publishers), partial(_one, self._publisher_of)),
                    ),
                    identifiers_of=self._grouped("identifiers"),
                    comments_of=self._comments_of,
                )
            return self._haystacks

    def _grouped(self, name: str | int) -> Mapping[int, Rows]:
        """Return rows by their book; a table is grouped when it is first asked for."""
        found = self._groups.get(name)
        if found is None:
            with self._grouping:
                found = self._groups.get(name)
                if found is None:
                    found = self._groups[name] = _grouped(self._ungrouped.pop(name))
        return found

    def _linked(self, name: str, number: int) -> Iterator[int]:
        return (row[1] for row in self._grouped(name).get(number, ()))

    def _made(self, row: tuple[Any, ...]) -> Book:
        number, title, _, author_sort, added, pubdate, modified, index, path, uuid = row
        series = _named(self._series, self._series_of.get(number))
        formats, backups = self._files(number, _text(path))
        return Book(
            id=number,
            uuid=_text(uuid),
            title=_line(title),
            authors=tuple(self._authors_named(number)),
            author_sort=_line(author_sort),
            series=series,
            series_index=_number(index) if series else None,
            publisher=_named(self._publishers, self._publisher_of.get(number)),
            published=_day(pubdate),
            tags=tuple(_names(self._tags, self._linked("books_tags", number))),
            languages=tuple(_names(self._languages, self._linked("books_languages", number))),
            rating=_rating(self._ratings.get(self._rating_of.get(number, 0))),
            identifiers=tuple(
                (_line(kind).lower(), _line(value))
                for _, kind, value in self._grouped("identifiers").get(number, ())
            ),
            comments=_text(self._comments_of.get(number)) or None,
            added=moment_of(added),
            modified=moment_of(modified),
            formats=formats,
            backups=backups,
            custom=tuple(self._custom_values(number)),
        )

    def _authors_named(self, number: int) -> Iterator[Author]:
        for author in self._linked("books_authors", number):
            row = self._authors.get(author)
            if row is not None and (name := _authors_name(row[1])):
                yield Author(name, _authors_name(row[2]) or name)

    def _files(self, number: int, folder: str) -> tuple[tuple[Format, ...], int]:
        found = self._grouped("data").get(number, [])
        formats = tuple(
            Format(
                _text(name).upper(),
                f"{folder}/{_text(stem)}.{_text(name).lower()}",
                size if isinstance(size, int) else 0,
            )
            for _, name, stem, size in found
            if not _is_backup(name)
        )
        return formats, len(found) - len(formats)

    def _custom_values(self, number: int) -> Iterator[CustomValue]:
        for column in self.custom_columns:
            rows = self._grouped(column.id).get(number, [])
            values = tuple(
                value for row in rows if (value := _custom_value(column, row[1])) is not None
            )
            if values:
                index = _number(rows[0][2]) if column.datatype == "series" else None
                yield CustomValue(column, values, index)


def is_excluded(tag: object, excluded: Iterable[str]) -> bool:
    """Return whether `tag` is one of `excluded` or lies below one: `private.letters`."""
    name = _key(_text(tag))
    return any(name == key or name.startswith(f"{key}.") for key in map(_key, excluded) if key)


def _grouped(rows: Rows) -> dict[int, Rows]:
    found: dict[int, Rows] = {}
    for row in rows:
        if (book := row[0]) in found:
            found[book].append(row)
        else:
            found[book] = [row]
    return found


def _one(values: Mapping[int, int], book: int) -> Iterable[int]:
    """Return what a book has of what it can have one of."""
    value = values.get(book)
    return () if value is None else (value,)


def _texts(names: Mapping[int, object]) -> dict[int, str]:
    return {number: _text(name) for number, name in names.items()}


def _named(names: Mapping[int, object], number: int | None) -> str | None:
    return _line(names.get(number)) or None if number is not None else None


def _names(names: Mapping[int, object], numbers: Iterable[int]) -> Iterator[str]:
    return filter(None, (_line(names.get(number)) for number in numbers))


def _is_backup(format_name: object) -> bool:
    return _text(format_name).upper().startswith("ORIGINAL_")


def _authors_name(text: object) -> str:
    """Return an author's name: Calibre writes the comma inside one as a bar."""
    return _line(_text(text).replace("|", ","))


def _rating(value: object) -> int | None:
    return value if isinstance(value, int) and 0 < value <= 10 else None


def _custom_value(column: CustomColumn, value: object) -> Value | None:
    """Return a value of the column's own type, or None where it is not one."""
    kind = column.datatype
    if kind == "bool":
        return bool(value) if isinstance(value, int) else None
    if kind == "datetime":
        return moment_of(value)
    if kind == "rating":
        return _rating(value)
    if kind in ("int", "float"):
        return value if isinstance(value, int | float) else None
    return (_text(value) if kind == "comments" else _line(value)) or None


def _day(text: object) -> date | None:
    moment = moment_of(text)
    return day_of(moment) if moment else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _text(value: object) -> str:
    """Return a cell as text: SQLite keeps any type in any column."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _line(value: object) -> str:
    return " ".join(_text(value).split())


def _key(tag: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", tag).casefold().split())
