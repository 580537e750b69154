"""What a snapshot says of a book, from libraries of either schema."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from mcp_books.sources.calibre.books import Author, Book, Format, isbn13, order_to_try
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.snapshot import Snapshot

from .libraries import Column, Volume, connect, make_library

WHALE = Volume(
    title="Moby-Dick; or, The Whale",
    sort="Moby-Dick; or, The Whale",
    authors=("Herman Melville", "Anonymous| Editor"),
    author_sorts=("Melville, Herman", "Anonymous| Editor"),
    series="Voyages",
    series_index=2.5,
    publisher="Harper & Brothers",
    pubdate="1851-10-18 00:00:00+00:00",
    tags=("Sea", "Whaling"),
    languages=("fra", "eng"),
    rating=8,
    identifiers={"isbn": "978-0-306-40615-7", "goodreads": "153747"},
    comments="<p>A <b>w</b>hale.</p>",
    files={"EPUB": b"epub", "PDF": b"four", "ORIGINAL_EPUB": b"before"},
)


def read(
    folder: Path, *volumes: Volume, schema: int = 25, excluded: tuple[str, ...] = ()
) -> Snapshot:
    make_library(folder, volumes, schema=schema)
    return Library("mine", folder, excluded_tags=excluded).current().snapshot


def only(snapshot: Snapshot) -> Book:
    (book,) = snapshot.books()
    return book


@pytest.mark.parametrize("schema", [25, 27])
def test_a_book_is_read_whole_from_either_schema(tmp_path: Path, schema: int) -> None:
    make_library(tmp_path, [WHALE], schema=schema, library_uuid="the-library")
    snapshot = Library("mine", tmp_path).current().snapshot
    book = only(snapshot)
    assert (snapshot.schema, snapshot.uuid, len(snapshot)) == (schema, "the-library", 1)
    assert book.title == "Moby-Dick; or, The Whale"
    assert book.authors == (
        Author("Herman Melville", "Melville, Herman"),
        Author("Anonymous, Editor", "Anonymous, Editor"),
    )
    assert (book.series, book.series_index, book.publisher) == ("Voyages", 2.5, "Harper & Brothers")
    assert book.published == date(1851, 10, 18)
    assert (book.tags, book.languages, book.rating) == (("Sea", "Whaling"), ("fra", "eng"), 8)
    assert book.identifiers == (("isbn", "978-0-306-40615-7"), ("goodreads", "153747"))
    assert book.isbn == "9780306406157"
    assert book.comments == "<p>A <b>w</b>hale.</p>"
    assert book.added == datetime(2024, 3, 1, 10, 11, 12, 345678, tzinfo=UTC)
    assert book.uuid


def test_originals_of_conversions_are_counted_and_not_offered(tmp_path: Path) -> None:
    book = only(read(tmp_path, WHALE))
    assert book.formats == (
        Format("EPUB", "Somebody/Book (1)/Book.epub", 4),
        Format("PDF", "Somebody/Book (1)/Book.pdf", 4),
    )
    assert book.backups == 1
    assert book.format("epub") == book.formats[0]
    assert book.format("ORIGINAL_EPUB") is None


def test_media_types_are_the_formats_of_the_books_that_are_shown(tmp_path: Path) -> None:
    hidden = Volume(tags=("private",), sizes={"MOBI": 1})
    snapshot = read(tmp_path, WHALE, hidden, excluded=("private",))
    assert snapshot.media_types == ("epub", "pdf")
    assert not snapshot.has_format(1, "original_epub")


def test_a_series_index_without_a_series_is_none(tmp_path: Path) -> None:
    book = only(read(tmp_path, Volume(series_index=1.0)))
    assert (book.series, book.series_index) == (None, None)


def test_a_rating_of_zero_is_none(tmp_path: Path) -> None:
    assert only(read(tmp_path, Volume(rating=0))).rating is None


@pytest.mark.parametrize(
    ("stored", "day"),
    [
        ("0101-01-01 00:00:00+00:00", None),
        ("0100-12-31 23:00:00+00:00", None),
        ("1851-10-18 00:00:00+00:00", date(1851, 10, 18)),
        ("1850-12-31 23:00:00+00:00", date(1851, 1, 1)),  # a midnight in Berlin
        ("2014-05-24 18:30:00+00:00", date(2014, 5, 25)),  # in Kolkata
        ("2014-05-25 04:00:00+00:00", date(2014, 5, 25)),  # in New York
        ("2014-05-25 18:42:07.123456+00:00", date(2014, 5, 25)),  # a time of the day
        ("2014-05-25", date(2014, 5, 25)),
        ("9999-12-31 23:00:00+00:00", date(9999, 12, 31)),
        ("yesterday", None),
        ("", None),
    ],
)
def test_a_date_of_publication_is_the_day_that_was_meant(
    tmp_path: Path, stored: str, day: date | None
) -> None:
    assert only(read(tmp_path, Volume(pubdate=stored))).published == day


@pytest.mark.parametrize("tag", ["private", "Private", "PRIVATE", " private ", "private.letters"])
def test_a_book_with_an_excluded_tag_is_nowhere_in_the_snapshot(tmp_path: Path, tag: str) -> None:
    snapshot = read(
        tmp_path, WHALE, Volume(title="Diary", tags=("Sea", tag)), excluded=("private",)
    )
    assert [book.title for book in snapshot.books()] == [WHALE.title]
    assert (snapshot.book(2), 2 in snapshot, list(snapshot)) == (None, False, [1])
    assert 2 not in snapshot.haystacks


def test_a_tag_without_a_letter_can_be_excluded(tmp_path: Path) -> None:
    volumes = [Volume(tags=("★",)), Volume(tags=("C",)), Volume(tags=("c++",))]
    assert list(read(tmp_path, *volumes, excluded=("★", "C++"))) == [2]


@pytest.mark.parametrize("tag", ["privateer", "not private", "sea.private"])
def test_a_tag_that_only_resembles_an_excluded_one_hides_nothing(tmp_path: Path, tag: str) -> None:
    assert len(read(tmp_path, Volume(tags=(tag,)), excluded=("private", ""))) == 1


COLUMNS = [
    Column(label="shelf", datatype="text", is_multiple=True, values={1: ("a", "b")}),
    Column(label="cycle", datatype="series", values={1: ("Circle", 3.0)}),
    Column(label="state", datatype="enumeration", values={1: ("worn",)}),
    Column(label="stars", datatype="rating", values={1: (7,), 2: (0,)}),
    Column(label="read", datatype="bool", values={1: (1,), 2: (0,)}),
    Column(label="when", datatype="datetime", values={1: ("2020-05-05 22:00:00+00:00",)}),
    Column(label="count", datatype="int", values={1: (7,)}),
    Column(label="weight", datatype="float", values={1: (2.5,)}),
    Column(label="note", datatype="comments", values={1: ("<p>hi</p>",)}),
    Column(label="computed", datatype="composite", values={1: ("{title}",)}),
    Column(label="gone", datatype="text", deleted=True, values={1: ("x",)}),
    Column(label='q"; DROP TABLE books; --', datatype="text", name="Odd", values={1: ("odd",)}),
]


@pytest.mark.parametrize("schema", [25, 27])
def test_custom_columns_are_read_by_their_type(tmp_path: Path, schema: int) -> None:
    make_library(tmp_path, [Volume(), Volume()], schema=schema, columns=COLUMNS)
    snapshot = Library("mine", tmp_path).current().snapshot
    first, second = snapshot.books()
    assert {one.column.label: (one.values, one.series_index) for one in first.custom} == {
        "shelf": (("a", "b"), None),
        "cycle": (("Circle",), 3.0),
        "state": (("worn",), None),
        "stars": ((7,), None),
        "read": ((True,), None),
        "when": ((datetime(2020, 5, 5, 22, tzinfo=UTC),), None),
        "count": ((7,), None),
        "weight": ((2.5,), None),
        "note": (("<p>hi</p>",), None),
        'q"; DROP TABLE books; --': (("odd",), None),
    }
    assert {one.column.label: one.values for one in second.custom} == {"read": (False,)}


def test_a_custom_column_without_its_table_is_passed_over(tmp_path: Path) -> None:
    make_library(tmp_path, [WHALE], columns=COLUMNS[:2])
    with closing(connect(tmp_path)) as db:
        db.execute("DROP TABLE books_custom_column_1_link")
    book = only(Library("mine", tmp_path).current().snapshot)
    assert [one.column.label for one in book.custom] == ["cycle"]


def test_text_that_is_not_utf_8_is_read_with_its_bad_bytes_replaced(tmp_path: Path) -> None:
    make_library(tmp_path, [WHALE])
    with closing(connect(tmp_path)) as db:
        db.execute("UPDATE comments SET text = CAST(x'63616ce9' AS TEXT)")
    assert only(Library("mine", tmp_path).current().snapshot).comments == "cal�"


def test_cells_of_another_type_than_their_column_lose_no_book(tmp_path: Path) -> None:
    make_library(tmp_path, [WHALE])
    with closing(sqlite3.connect(tmp_path / "metadata.db", isolation_level=None)) as db:
        db.executescript(
            "DROP TRIGGER books_update_trg;"
            "UPDATE books SET title = 1984, pubdate = 5, uuid = NULL, sort = x'ff', path = 7,"
            " series_index = 'x';"
            "UPDATE data SET uncompressed_size = 'big'; UPDATE identifiers SET val = 12;"
        )
    book = only(Library("mine", tmp_path).current().snapshot)
    assert (book.title, book.published, book.uuid, book.series_index) == ("1984", None, "", None)
    assert book.formats[0].size == 0


def test_links_to_entries_that_are_gone_are_left_out(tmp_path: Path) -> None:
    make_library(tmp_path, [WHALE])
    with closing(connect(tmp_path)) as db:
        for table in ("authors", "tags", "series", "publishers", "languages", "ratings"):
            db.execute(f"DELETE FROM {table}")
    book = only(Library("mine", tmp_path).current().snapshot)
    assert (book.authors, book.tags, book.languages) == ((), (), ())
    assert (book.series, book.series_index, book.publisher, book.rating) == (None,) * 4


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("9780306406157", "9780306406157"),
        ("978-0-306-40615-7", "9780306406157"),
        ("0306406152", "9780306406157"),
        ("0-8044-2957-x", "9780804429573"),
        ("9780306406158", None),
        ("0306406153", None),
        ("4006381333931", None),  # another article number
        ("030640615", None),
        ("٠٣٠٦٤٠٦١٥٢", None),
        ("", None),
    ],
)
def test_an_isbn_counts_only_with_its_check_digit(text: str, read: str | None) -> None:
    assert isbn13(text) == read


FORMATS = tuple(
    Format(name, f"a/b.{name.lower()}", 1)
    for name in ("DOCX", "AZW4", "PDF", "MOBI", "AZW3", "EPUB", "PRC", "AZW")
)


@pytest.mark.parametrize(
    ("printed_pages", "first"),
    [
        ({"PDF": True, "EPUB": True}, ["PDF", "EPUB", "AZW3", "MOBI"]),
        ({"PDF": False, "EPUB": True}, ["EPUB", "AZW3", "MOBI"]),
        ({"PDF": True}, ["PDF", "EPUB", "AZW3", "MOBI"]),
        ({}, ["EPUB", "AZW3", "MOBI", "AZW", "PRC", "PDF", "AZW4", "DOCX"]),
    ],
)
def test_the_format_with_the_best_places_to_cite_comes_first(
    printed_pages: dict[str, bool], first: list[str]
) -> None:
    ordered = [one.name for one in order_to_try(FORMATS, printed_pages)]
    assert ordered[: len(first)] == first
    assert sorted(ordered) == sorted(one.name for one in FORMATS)
