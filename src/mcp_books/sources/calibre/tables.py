"""The tables of metadata.db that are read: base tables and columns of schema 25 and 27 alone.

Views need functions that only Calibre registers, and schema 26 dropped columns of `books`, so
every column is named and stands in both. Authors are ordered by the id of their link, languages by
`item_order`. A custom column is reached through its number: its label is what a user typed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .books import CustomColumn

__all__ = ["SELECTS", "Tables", "custom_select", "read_custom_columns", "read_tables"]

Rows = list[tuple[Any, ...]]

SELECTS: Mapping[str, str] = {
    "books": (
        "SELECT id, title, sort, author_sort, timestamp, pubdate, last_modified, series_index, "
        "path, uuid FROM books ORDER BY id"
    ),
    "authors": "SELECT id, name, sort FROM authors",
    "books_authors": "SELECT book, author FROM books_authors_link ORDER BY id",
    "series": "SELECT id, name FROM series",
    "books_series": "SELECT book, series FROM books_series_link",
    "publishers": "SELECT id, name FROM publishers",
    "books_publishers": "SELECT book, publisher FROM books_publishers_link",
    "tags": "SELECT id, name FROM tags",
    "books_tags": "SELECT book, tag FROM books_tags_link ORDER BY id",
    "languages": "SELECT id, lang_code FROM languages",
    "books_languages": ("SELECT book, lang_code FROM books_languages_link ORDER BY item_order, id"),
    "ratings": "SELECT id, rating FROM ratings",
    "books_ratings": "SELECT book, rating FROM books_ratings_link",
    "identifiers": "SELECT book, type, val FROM identifiers ORDER BY id",
    "comments": "SELECT book, text FROM comments",
    "data": "SELECT book, format, name, uncompressed_size FROM data ORDER BY id",
    "library_id": "SELECT uuid FROM library_id",
}
"""Statement by the name of what it reads."""

_CUSTOM_COLUMNS = (
    "SELECT id, label, name, datatype, normalized FROM custom_columns "
    "WHERE mark_for_delete = 0 ORDER BY id"
)


@dataclass(frozen=True, slots=True)
class Tables:
    """What one transaction read."""

    schema: int
    rows: Mapping[str, Rows]
    """By the names of `SELECTS`."""
    custom: tuple[tuple[CustomColumn, Rows], ...]
    """Each column with its rows: book, value, and the index of a series or None."""


def read_tables(connection: sqlite3.Connection) -> Tables:
    """Read everything; every cursor is exhausted on return.

    Raises:
        sqlite3.Error: a table or a column is missing, or the file cannot be read.
    """
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    rows = {name: connection.execute(select).fetchall() for name, select in SELECTS.items()}
    custom = tuple(
        (column, connection.execute(custom_select(column)).fetchall())
        for column in read_custom_columns(connection)
    )
    return Tables(int(schema), rows, custom)


def read_custom_columns(connection: sqlite3.Connection) -> tuple[CustomColumn, ...]:
    """Return the custom columns that hold values.

    A composite column holds none (Calibre evaluates it), and a column that is about to be deleted
    or whose table is missing is passed over.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master").fetchall()}
    columns = (
        CustomColumn(int(number), str(label), str(name), str(kind), bool(linked))
        for number, label, name, kind, linked in connection.execute(_CUSTOM_COLUMNS).fetchall()
        if kind != "composite"
    )
    return tuple(column for column in columns if tables.issuperset(_tables_of(column)))


def custom_select(column: CustomColumn) -> str:
    """Return the statement that reads book, value and index of one custom column."""
    values = f"custom_column_{int(column.id)}"
    if not column.normalized:
        return f"SELECT book, value, NULL FROM {values} ORDER BY id"
    index = "l.extra" if column.datatype == "series" else "NULL"
    return (
        f"SELECT l.book, v.value, {index} FROM books_{values}_link l "
        f"JOIN {values} v ON v.id = l.value ORDER BY l.id"
    )


def _tables_of(column: CustomColumn) -> tuple[str, ...]:
    values = f"custom_column_{column.id}"
    return (values, f"books_{values}_link") if column.normalized else (values,)
