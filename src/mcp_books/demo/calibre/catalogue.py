"""Writes a metadata.db of schema 25: the tables of a Calibre library, for a few books."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Volume", "write_catalogue"]

_LAYOUT = """
CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE, sort TEXT COLLATE NOCASE,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, pubdate TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    series_index REAL NOT NULL DEFAULT 1.0, author_sort TEXT COLLATE NOCASE,
    isbn TEXT DEFAULT "" COLLATE NOCASE, lccn TEXT DEFAULT "" COLLATE NOCASE,
    path TEXT NOT NULL DEFAULT "", flags INTEGER NOT NULL DEFAULT 1, uuid TEXT,
    has_cover BOOL DEFAULT 0,
    last_modified TIMESTAMP NOT NULL DEFAULT "2000-01-01 00:00:00+00:00");
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE,
    sort TEXT COLLATE NOCASE, link TEXT NOT NULL DEFAULT "", UNIQUE(name));
CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE,
    sort TEXT COLLATE NOCASE, UNIQUE(name));
CREATE TABLE publishers (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE,
    sort TEXT COLLATE NOCASE, UNIQUE(name));
CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, UNIQUE(name));
CREATE TABLE ratings (id INTEGER PRIMARY KEY,
    rating INTEGER CHECK(rating > -1 AND rating < 11), UNIQUE(rating));
CREATE TABLE languages (id INTEGER PRIMARY KEY, lang_code TEXT NOT NULL COLLATE NOCASE,
    UNIQUE(lang_code));
CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    author INTEGER NOT NULL, UNIQUE(book, author));
CREATE TABLE books_series_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    series INTEGER NOT NULL, UNIQUE(book));
CREATE TABLE books_publishers_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    publisher INTEGER NOT NULL, UNIQUE(book));
CREATE TABLE books_tags_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    tag INTEGER NOT NULL, UNIQUE(book, tag));
CREATE TABLE books_ratings_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    rating INTEGER NOT NULL, UNIQUE(book, rating));
CREATE TABLE books_languages_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    lang_code INTEGER NOT NULL, item_order INTEGER NOT NULL DEFAULT 0, UNIQUE(book, lang_code));
CREATE TABLE identifiers (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    type TEXT NOT NULL DEFAULT "isbn" COLLATE NOCASE, val TEXT NOT NULL COLLATE NOCASE,
    UNIQUE(book, type));
CREATE TABLE comments (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    text TEXT NOT NULL COLLATE NOCASE, UNIQUE(book));
CREATE TABLE data (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    format TEXT NOT NULL COLLATE NOCASE, uncompressed_size INTEGER NOT NULL, name TEXT NOT NULL,
    UNIQUE(book, format));
CREATE TABLE library_id (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, UNIQUE(uuid));
CREATE TABLE preferences (id INTEGER PRIMARY KEY, key TEXT NOT NULL, val TEXT NOT NULL,
    UNIQUE(key));
CREATE TABLE custom_columns (id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL,
    name TEXT NOT NULL, datatype TEXT NOT NULL, mark_for_delete BOOL DEFAULT 0 NOT NULL,
    editable BOOL DEFAULT 1 NOT NULL, display TEXT DEFAULT "{}" NOT NULL,
    is_multiple BOOL DEFAULT 0 NOT NULL, normalized BOOL NOT NULL, UNIQUE(label));
PRAGMA user_version = 25;
"""

_ADDED = "2026-01-01 00:00:00+00:00"
_NO_DATE = "0101-01-01 00:00:00+00:00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """One book; `files` are the names of its files by format, without the ending, and sizes."""

    title: str
    author: str
    author_sort: str
    path: str
    uuid: str
    published: str | None
    language: str
    publisher: str
    tags: Sequence[str]
    comments: str
    files: Mapping[str, tuple[str, int]] = field(default_factory=dict)


def write_catalogue(file: Path, volumes: Sequence[Volume], *, uuid: str) -> None:
    """Write the catalogue of `volumes`, numbered from 1."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.executescript(f"BEGIN; {_LAYOUT} COMMIT;")
        db.execute("INSERT INTO library_id (uuid) VALUES (?)", (uuid,))
        for number, volume in enumerate(volumes, 1):
            _add(db, number, volume)
        db.commit()


def _add(db: sqlite3.Connection, number: int, volume: Volume) -> None:
    published = f"{volume.published} 00:00:00+00:00" if volume.published else _NO_DATE
    db.execute(
        """INSERT INTO books (id, title, sort, timestamp, pubdate, author_sort, path, uuid,
            last_modified) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (number, volume.title, volume.title, _ADDED, published, volume.author_sort, volume.path,
         volume.uuid, _ADDED),
    )  # fmt: skip
    db.execute(
        "INSERT INTO authors (id, name, sort) VALUES (?, ?, ?)",
        (number, volume.author.replace(",", "|"), volume.author_sort),
    )
    db.execute("INSERT INTO books_authors_link (book, author) VALUES (?, ?)", (number, number))
    _link(db, number, "publishers", "name", "publisher", volume.publisher)
    _link(db, number, "languages", "lang_code", "lang_code", volume.language)
    for tag in volume.tags:
        _link(db, number, "tags", "name", "tag", tag)
    db.execute("INSERT INTO comments (book, text) VALUES (?, ?)", (number, volume.comments))
    db.executemany(
        "INSERT INTO data (book, format, uncompressed_size, name) VALUES (?, ?, ?, ?)",
        [(number, kind, size, name) for kind, (name, size) in volume.files.items()],
    )


def _link(
    db: sqlite3.Connection, book: int, table: str, named: str, column: str, value: str
) -> None:
    db.execute(f"INSERT OR IGNORE INTO {table} ({named}) VALUES (?)", (value,))
    db.execute(
        f"INSERT INTO books_{table}_link (book, {column}) "
        f"SELECT ?, id FROM {table} WHERE {named} = ?",
        (book, value),
    )
