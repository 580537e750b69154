"""A book as the records of an answer, and that no path of the user's disk is in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcp_books.sources.base import Profile
from mcp_books.sources.calibre.addresses import show_book, view_book
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.record import brief_record, whole_record

from .libraries import Column, Volume, make_library

PROFILE = Profile(
    id="calibre",
    name="Calibre",
    home_url="https://calibre-ebook.com",
    examples=(),
    attribution="From the reader's own library",
    credit_note=None,
    searches_on=("title",),
    row_describes="a book",
    corpus=None,
    year_means="year of publication",
    description_means="comments",
)
MIDNIGHT_IN_BERLIN = "2020-05-05 22:00:00+00:00"
WHALE = Volume(
    title="Moby-Dick",
    authors=("Herman Melville", "Anonymous| Editor"),
    author_sorts=("Melville, Herman", "Anonymous, Editor"),
    series="Voyages",
    series_index=2.0,
    publisher="Harper",
    pubdate="1851-10-18 00:00:00+00:00",
    tags=("Sea", "Whaling"),
    languages=("eng",),
    rating=7,
    identifiers={"isbn": "0-306-40615-2", "doi": "10.1000/1", "uri": "file:///home/me/x.pdf"},
    comments="<p>A <b>w</b>hale.</p><p>Ahab &amp; Pip</p>",
    sizes={"PDF": 2_340_000, "EPUB": 812, "MOBI": 54_321, "ORIGINAL_EPUB": 5},
)
COLUMNS = [
    Column(label="shelf", name="Shelf", datatype="text", is_multiple=True, values={1: ("a", "b")}),
    Column(label="cycle", name="Cycle", datatype="series", values={1: ("Circle", 1.5)}),
    Column(label="stars", name="Stars", datatype="rating", values={1: (10,)}),
    Column(label="read", name="Read", datatype="bool", values={1: (0,)}),
    Column(
        label="when", name="When", datatype="datetime", values={1: ("2020-05-05 22:00:00+00:00",)}
    ),
    Column(label="weight", name="Weight", datatype="float", values={1: (2.5,)}),
    Column(label="note", name="Note", datatype="comments", values={1: ("<p>hi <i>you</i></p>",)}),
]


def library(folder: Path, *volumes: Volume, columns: list[Column] | None = None) -> Library:
    make_library(folder, volumes, columns=columns or ())
    return Library("mine", folder)


def test_a_row_carries_what_the_catalogue_states(tmp_path: Path) -> None:
    snapshot = library(tmp_path / "My Books", WHALE).current().snapshot
    book = snapshot.book(1)
    assert book is not None
    row = brief_record(snapshot, book, profile=PROFILE, found_by_query="whale")
    assert row.dump() == {
        "id": "calibre:mine/1",
        "source": "calibre",
        "source_name": "Calibre",
        "identifier": "mine/1",
        "title": "Moby-Dick",
        "creator": "Melville, Herman; Anonymous, Editor",
        "year": 1851,
        "source_url": "calibre://show-book/My_Books/1",
        "date": "1851-10-18",
        "media_type": "epub; mobi; pdf",
        "found_by_query": "whale",
    }


def test_a_record_carries_everything_and_no_path(tmp_path: Path) -> None:
    snapshot = library(tmp_path / "My Books", WHALE, columns=COLUMNS).current().snapshot
    book = snapshot.book(1)
    assert book is not None
    record = whole_record(snapshot, book, profile=PROFILE)
    assert record.description == "A whale.\nAhab & Pip"
    assert record.subjects == ("Sea", "Whaling")
    assert [copy.model_dump() for copy in record.copies] == [
        {
            "label": "EPUB, 812 bytes",
            "format": "epub",
            "url": "calibre://view-book/My_Books/1/EPUB",
        },
        {"label": "MOBI, 54 kB", "format": "mobi", "url": "calibre://view-book/My_Books/1/MOBI"},
        {"label": "PDF, 2.3 MB", "format": "pdf", "url": "calibre://view-book/My_Books/1/PDF"},
    ]
    assert (record.copies_available, record.generated_entries) == (3, 1)
    assert record.rights.statement is None
    assert record.context == {
        "library": ("mine",),
        "authors": ("Herman Melville", "Anonymous, Editor"),
        "series": ("Voyages [2]",),
        "publisher": ("Harper",),
        "languages": ("eng",),
        "isbn": ("0306406152",),
        "identifiers": ("doi 10.1000/1",),
        "rating": ("3.5 of 5 stars",),
        "added to the library": ("2024-03-01",),
        "Shelf (#shelf)": ("a", "b"),
        "Cycle (#cycle)": ("Circle [1.5]",),
        "Stars (#stars)": ("5 of 5 stars",),
        "Read (#read)": ("no",),
        "When (#when)": ("2020-05-06",),
        "Weight (#weight)": ("2.5",),
        "Note (#note)": ("hi you",),
    }
    dumped = json.dumps(record.dump())
    assert str(tmp_path) not in dumped
    assert "Somebody/" not in dumped
    assert "/home/me" not in dumped


def test_a_book_of_which_nothing_is_known_is_a_record_with_nulls(tmp_path: Path) -> None:
    bare = Volume(title="", authors=(), identifiers={"isbn": "9780306406158"})
    snapshot = library(tmp_path, bare).current().snapshot
    book = snapshot.book(1)
    assert book is not None
    record = whole_record(snapshot, book, profile=PROFILE)
    nulls = (record.title, record.creator, record.year, record.date, record.media_type)
    assert nulls == (None,) * 5
    assert (record.description, record.subjects, record.copies) == (None, (), ())
    assert set(record.context) == {"library", "added to the library"}
    row = brief_record(snapshot, book, profile=PROFILE, found_by_query="x")
    assert row.title is None
    assert "online" not in row.model_fields_set


@pytest.mark.parametrize(
    ("folder", "named"),
    [
        ("Library", "Library"),
        ("My Books", "My_Books"),
        ("livres-2.0~x", "livres-2.0~x"),
        ("Müller", "_hex_-4dc3bc6c6c6572"),
        ("a&b c", "_hex_-6126625f63"),
        ("_", "_hex_-5f"),
        ("_hex_-41", "_hex_-5f6865785f2d3431"),
    ],
)
def test_an_address_names_the_library_as_calibre_does(folder: str, named: str) -> None:
    assert show_book(folder, 7) == f"calibre://show-book/{named}/7"
    assert view_book(folder, 7, "PDF") == f"calibre://view-book/{named}/7/PDF"


def test_an_address_opens_a_book_at_the_words_of_a_passage() -> None:
    assert view_book("Lib", 7, "EPUB", "Call me\nIshmael & co?") == (
        "calibre://view-book/Lib/7/EPUB?open_at=search:Call%20me%20Ishmael%20%26%20co%3F"
    )
