"""Calibre libraries for tests: small ones of schema 25 or 27, and real ones made by calibredb."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

__all__ = [
    "REAL_COLUMNS",
    "Calibredb",
    "Column",
    "Volume",
    "add",
    "calibredb",
    "connect",
    "hot_journal",
    "make_library",
]

NO_DATE = "0101-01-01 00:00:00+00:00"
ADDED = "2024-03-01 10:11:12.345678+00:00"

_ONLY_25 = """isbn TEXT DEFAULT "" COLLATE NOCASE, lccn TEXT DEFAULT "" COLLATE NOCASE,
    flags INTEGER NOT NULL DEFAULT 1,"""
_BOOKS = """
CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE, sort TEXT COLLATE NOCASE,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, pubdate TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    series_index REAL NOT NULL DEFAULT 1.0, author_sort TEXT COLLATE NOCASE, {only_25}
    path TEXT NOT NULL DEFAULT "", uuid TEXT, has_cover BOOL DEFAULT 0,
    last_modified TIMESTAMP NOT NULL DEFAULT "2000-01-01 00:00:00+00:00");
"""
_LINK = """
CREATE TABLE {table} (id INTEGER PRIMARY KEY, {layout});
CREATE TABLE books_{table}_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,
    {column} INTEGER NOT NULL, {order} UNIQUE(book, {column}));
"""
_SORTED = "name TEXT NOT NULL COLLATE NOCASE, sort TEXT COLLATE NOCASE, UNIQUE(name)"
_LINKED = {
    "authors": ("author", f'link TEXT NOT NULL DEFAULT "", {_SORTED}'),
    "series": ("series", _SORTED),
    "publishers": ("publisher", _SORTED),
    "tags": ("tag", "name TEXT NOT NULL COLLATE NOCASE, UNIQUE(name)"),
    "ratings": ("rating", "rating INTEGER CHECK(rating > -1 AND rating < 11), UNIQUE(rating)"),
    "languages": ("lang_code", "lang_code TEXT NOT NULL COLLATE NOCASE, UNIQUE(lang_code)"),
}
_PLAIN = """
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
CREATE VIEW meta AS SELECT id, title, (SELECT sortconcat(l.id, name) FROM books_authors_link AS l
    JOIN authors ON l.author = authors.id WHERE book = books.id) authors FROM books;
"""
_FROM_26 = """
CREATE TABLE books_pages_link (book INTEGER PRIMARY KEY, pages INTEGER NOT NULL DEFAULT 0,
    algorithm INTEGER NOT NULL DEFAULT 0, format TEXT NOT NULL DEFAULT '',
    format_size INTEGER NOT NULL DEFAULT 0, timestamp TEXT, needs_scan BOOL NOT NULL DEFAULT 0);
"""
# Functions that only Calibre has: whoever writes from outside meets them.
_TRIGGERS = """
CREATE TRIGGER books_insert_trg AFTER INSERT ON books BEGIN
    UPDATE books SET sort = title_sort(NEW.title), uuid = uuid4() WHERE id = NEW.id; END;
CREATE TRIGGER books_update_trg AFTER UPDATE ON books BEGIN
    UPDATE books SET sort = title_sort(NEW.title) WHERE id = NEW.id AND OLD.title <> NEW.title; END;
"""
_NORMALIZED = ("text", "series", "enumeration", "rating")


@dataclass(frozen=True, kw_only=True)
class Column:
    """A custom column, and the values that books have in it."""

    label: str
    datatype: str
    name: str = ""
    is_multiple: bool = False
    deleted: bool = False
    display: str = "{}"
    values: Mapping[int, Sequence[object]] = field(default_factory=dict)
    """By book; the index of a series follows its name."""


@dataclass(frozen=True, kw_only=True)
class Volume:
    """One book as it goes into a library; `files` are written below the library's folder."""

    title: str = "Untitled"
    sort: str | None = None
    authors: Sequence[str] = ("Unknown",)
    author_sorts: Sequence[str] | None = None
    series: str | None = None
    series_index: float = 1.0
    publisher: str | None = None
    pubdate: str = NO_DATE
    tags: Sequence[str] = ()
    languages: Sequence[str] = ()
    rating: int | None = None
    identifiers: Mapping[str, str] = field(default_factory=dict)
    comments: str | None = None
    path: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    """By format: EPUB."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Files that are listed and not written, by format."""


def make_library(
    folder: Path,
    volumes: Sequence[Volume] = (),
    *,
    schema: int = 25,
    columns: Sequence[Column] = (),
    library_uuid: str | None = None,
    wal: bool = False,
) -> Path:
    """Make a library of `volumes`, numbered from 1, in `folder`; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(folder / "metadata.db")) as db:
        if wal:
            db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        db.executescript(f"BEGIN; {_layout(schema)} COMMIT;")
        known = library_uuid or str(uuid.uuid4())
        db.execute("INSERT INTO library_id (uuid) VALUES (?)", (known,))
        for volume in volumes:
            add(db, volume, folder=folder)
        for number, column in enumerate(columns, 1):
            _add_column(db, number, column)
        db.commit()
        db.executescript(_TRIGGERS)
    return folder


def connect(folder: Path) -> sqlite3.Connection:
    """Return a connection that writes as Calibre does: its functions, and transactions by hand."""
    db = sqlite3.connect(folder / "metadata.db", timeout=0, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    db.create_function("title_sort", 1, lambda title: title)
    db.create_function("uuid4", 0, lambda: str(uuid.uuid4()))
    return db


def hot_journal(folder: Path, to: Path) -> None:
    """Copy a library as a writer leaves it that is killed in the middle of a transaction."""
    with closing(connect(folder)) as db:
        db.execute("PRAGMA cache_size = 2")
        db.execute("BEGIN")
        for number in range(300):
            add(db, Volume(title=f"Half {number}", comments="x" * 2000), folder=folder)
        shutil.copytree(folder, to, dirs_exist_ok=True)
        db.execute("ROLLBACK")
    assert (to / "metadata.db-journal").exists()


def add(db: sqlite3.Connection, volume: Volume, *, folder: Path) -> int:
    """Add one book and write its files; return its number."""
    sorts = volume.author_sorts or volume.authors
    row = db.execute(
        "INSERT INTO books (title, sort, timestamp, pubdate, series_index, author_sort, path, uuid,"
        " last_modified) VALUES (?, ?, ?, ?, ?, ?, '', ?, ?)",
        (volume.title, volume.sort or volume.title, ADDED, volume.pubdate, volume.series_index,
         " & ".join(sorts), str(uuid.uuid4()), ADDED),
    )  # fmt: skip
    number = int(row.lastrowid or 0)
    path = volume.path if volume.path is not None else f"Somebody/Book ({number})"
    db.execute("UPDATE books SET path = ? WHERE id = ?", (path, number))
    for name, sort in zip(volume.authors, sorts, strict=True):
        _link(db, number, "authors", "name", name, sort=sort)
    for kind, value in (("series", volume.series), ("publishers", volume.publisher)):
        if value is not None:
            _link(db, number, kind, "name", value)
    for tag in volume.tags:
        _link(db, number, "tags", "name", tag)
    for place, code in enumerate(volume.languages):
        _link(db, number, "languages", "lang_code", code, item_order=place)
    if volume.rating is not None:
        _link(db, number, "ratings", "rating", volume.rating)
    db.executemany(
        "INSERT INTO identifiers (book, type, val) VALUES (?, ?, ?)",
        [(number, kind, value) for kind, value in volume.identifiers.items()],
    )
    if volume.comments is not None:
        db.execute("INSERT INTO comments (book, text) VALUES (?, ?)", (number, volume.comments))
    listed = {name: len(content) for name, content in volume.files.items()} | dict(volume.sizes)
    db.executemany(
        "INSERT INTO data (book, format, uncompressed_size, name) VALUES (?, ?, ?, 'Book')",
        [(number, name, size) for name, size in listed.items()],
    )
    for name, content in volume.files.items():
        (folder / path).mkdir(parents=True, exist_ok=True)
        (folder / path / f"Book.{name.lower()}").write_bytes(content)
    return number


def _layout(schema: int) -> str:
    parts = [_BOOKS.format(only_25=_ONLY_25 if schema < 26 else "")]
    for table, (column, layout) in _LINKED.items():
        order = "item_order INTEGER NOT NULL DEFAULT 0," if table == "languages" else ""
        parts.append(_LINK.format(table=table, column=column, layout=layout, order=order))
    parts.append(_PLAIN)
    if schema >= 26:
        parts += [_FROM_26, f"PRAGMA application_id = {0x63616C69};"]
    return "".join([*parts, f"PRAGMA user_version = {schema};"])


def _link(
    db: sqlite3.Connection, book: int, table: str, named: str, value: object, **more: object
) -> None:
    entity = {named: value, **{name: one for name, one in more.items() if name != "item_order"}}
    db.execute(
        f"INSERT OR IGNORE INTO {table} ({', '.join(entity)}) VALUES ({_places(entity)})",
        tuple(entity.values()),
    )
    (number,) = db.execute(f"SELECT id FROM {table} WHERE {named} = ?", (value,)).fetchone()
    link = {"book": book, _LINKED[table][0]: number}
    link |= {name: one for name, one in more.items() if name == "item_order"}
    db.execute(
        f"INSERT INTO books_{table}_link ({', '.join(link)}) VALUES ({_places(link)})",
        tuple(link.values()),
    )


def _places(values: Mapping[str, object]) -> str:
    return ", ".join("?" * len(values))


def _add_column(db: sqlite3.Connection, number: int, column: Column) -> None:
    linked = column.datatype in _NORMALIZED
    db.execute(
        "INSERT INTO custom_columns VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)",
        (number, column.label, column.name or column.label.title(), column.datatype,
         column.deleted, column.display, column.is_multiple, linked),
    )  # fmt: skip
    table = f"custom_column_{number}"
    if not linked:
        db.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, book INTEGER, value NOT NULL)")
        for book, values in column.values.items():
            db.execute(f"INSERT INTO {table} (book, value) VALUES (?, ?)", (book, values[0]))
        return
    is_series = column.datatype == "series"
    extra = ", extra REAL" if is_series else ""
    db.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, value NOT NULL, UNIQUE(value))")
    db.execute(
        f"CREATE TABLE books_{table}_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL,"
        f" value INTEGER NOT NULL{extra}, UNIQUE(book, value))"
    )
    for book, values in column.values.items():
        for value in values[:1] if is_series else values:
            db.execute(f"INSERT OR IGNORE INTO {table} (value) VALUES (?)", (value,))
            found = db.execute(f"SELECT id FROM {table} WHERE value = ?", (value,)).fetchone()
            more = (values[1],) if is_series else ()
            db.execute(
                f"INSERT INTO books_{table}_link (book, value{', extra' if is_series else ''})"
                f" VALUES (?, ?{', ?' if is_series else ''})",
                (book, found[0], *more),
            )


REAL_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "shelf": ("Shelf", "text", "--is-multiple"),
    "cycle": ("Cycle", "series"),
    "state": ("State", "enumeration", "--display", '{"enum_values": ["new", "worn"]}'),
    "stars": ("Stars", "rating"),
    "read": ("Read", "bool"),
    "when": ("When", "datetime"),
    "count": ("Count", "int"),
    "note": ("Note", "comments"),
}
"""Custom columns by label, as `calibredb add_custom_column` takes them."""


@dataclass(frozen=True)
class Calibredb:
    """Debian's calibredb on one library, with a configuration of its own."""

    program: str
    folder: Path
    home: Path
    zone: str = "UTC"

    def __call__(self, *arguments: str) -> str:
        """Run one command; return what it printed."""
        environ = {
            **os.environ,
            "HOME": str(self.home),
            "CALIBRE_CONFIG_DIRECTORY": str(self.home / "calibre"),
            "QT_QPA_PLATFORM": "offscreen",
            "TZ": self.zone,
        }
        done = subprocess.run(
            [self.program, f"--with-library={self.folder}", *arguments],
            env=environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"calibredb {arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def on(self, folder: Path) -> Calibredb:
        """Return the same program on another library."""
        return replace(self, folder=folder)


def calibredb(folder: Path, home: Path) -> Calibredb:
    """Return calibredb for the library in `folder`; a machine without it skips the test.

    On Linux in continuous integration it has to be there.
    """
    program = shutil.which("calibredb")
    if program is None:
        if sys.platform == "linux" and os.environ.get("CI") == "true":
            pytest.fail("calibredb is needed in continuous integration: apt-get install calibre")
        pytest.skip("calibredb is not installed (Debian: apt-get install calibre)")
    home.mkdir(parents=True, exist_ok=True)
    return Calibredb(program, folder, home)
