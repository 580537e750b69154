"""Libraries made and changed by calibredb itself."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from mcp_books.sources.calibre.books import Author, Book
from mcp_books.sources.calibre.catalogue import search
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.snapshot import Snapshot

from .libraries import REAL_COLUMNS, Calibredb, calibredb

COLUMNS: Mapping[str, tuple[str, ...]] = {
    **REAL_COLUMNS,
    "computed": ("Computed", "composite", "--display", '{"composite_template": "{title}"}'),
}
VALUES = {
    "title": "Frankenstein; Ünïcode / Slash: 質問?",
    "authors": "Anonymous, Editor & Mary W. Shelley",
    "pubdate": "1818-03-11",
    "publisher": "Lackington",
    "tags": "Horror, Science",
    "languages": "fra,eng",
    "rating": "4",
    "identifiers": "isbn:9780306406157,doi:10.1000/1",
    "comments": "<p>A <b>m</b>odern Prometheus</p>",
    "series": "Gothic",
    "series_index": "2.5",
    "#shelf": "upper, lower",
    "#cycle": "Circle",
    "#cycle_index": "3.0",
    "#state": "worn",
    "#stars": "3.5",
    "#read": "true",
    "#when": "2020-05-06",
    "#count": "7",
    "#note": "<p>mine</p>",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Calibredb:
    """Make a library of four books: one with everything, one bare, one private, one to delete."""
    root = tmp_path_factory.mktemp("calibre")
    book = root / "book.txt"
    book.write_text("It was on a dreary night of November.", encoding="utf-8")
    other = root / "book.rtf"
    other.write_text(r"{\rtf1 It was on a dreary night of November.}", encoding="utf-8")
    run = calibredb(root / "My Books", root / "home")
    run("add", str(book), "--title", "Whole")
    run("add_format", "1", str(other))
    run("add", "--empty", "--title", "Bare", "--authors", "Nobody")
    run("add", "--empty", "--title", "Diary", "--tags", "Private")
    run("add", "--empty", "--title", "To delete")
    for label, (name, *rest) in COLUMNS.items():
        run("add_custom_column", label, name, *rest)
    fields = [part for name, value in VALUES.items() for part in ("--field", f"{name}:{value}")]
    run("set_metadata", "1", *fields)
    return run


@pytest.fixture
def run(made: Calibredb, tmp_path: Path) -> Calibredb:
    """Return calibredb on a copy of that library."""
    return made.on(Path(shutil.copytree(made.folder, tmp_path / "My Books")))


def snapshot(run: Calibredb) -> Snapshot:
    return Library("mine", run.folder, excluded_tags=("private",)).current().snapshot


def whole(run: Calibredb) -> Book:
    book = snapshot(run).book(1)
    assert book is not None
    return book


def test_a_real_book_is_read_whole(run: Calibredb) -> None:
    book = whole(run)
    assert book.title == VALUES["title"]
    assert book.authors == (
        Author("Anonymous, Editor", "Anonymous, Editor"),
        Author("Mary W. Shelley", "Shelley, Mary W."),
    )
    assert book.published == date(1818, 3, 11)
    assert (book.publisher, book.tags) == ("Lackington", ("Horror", "Science"))
    assert (book.languages, book.rating, book.isbn) == (("fra", "eng"), 8, "9780306406157")
    assert (book.series, book.series_index) == ("Gothic", 2.5)
    assert book.comments == VALUES["comments"]
    assert {one.name for one in book.formats} == {"TXT", "RTF"}


def test_real_custom_columns_are_read(run: Calibredb) -> None:
    custom = {one.column.label: one for one in whole(run).custom}
    when = custom.pop("when").values[0]
    assert getattr(when, "year", None) == 2020
    assert {label: one.values for label, one in custom.items()} == {
        "shelf": ("upper", "lower"),
        "cycle": ("Circle",),
        "state": ("worn",),
        "stars": (7,),
        "read": (True,),
        "count": (7,),
        "note": ("<p>mine</p>",),
    }
    assert custom["cycle"].series_index == 3.0


def test_a_real_book_without_a_date_or_a_series_has_none(run: Calibredb) -> None:
    bare = snapshot(run).book(2)
    assert bare is not None
    assert (bare.published, bare.series, bare.series_index, bare.formats) == (None, None, None, ())


def test_a_real_book_with_a_private_tag_is_not_there(run: Calibredb) -> None:
    assert [book.title for book in snapshot(run).books()] == [VALUES["title"], "Bare", "To delete"]


def test_a_real_file_is_found_before_and_after_calibre_renames_it(run: Calibredb) -> None:
    library = Library("mine", run.folder)
    before = library.locate(1, "TXT")
    assert before.read_text(encoding="utf-8").startswith("It was on a dreary night")
    run("set_metadata", "1", "--field", "title:Prometheus", "--field", "authors:Mary Shelley")
    after = library.locate(1, "TXT")
    assert not before.exists()
    assert after.parent.parent.name == "Mary Shelley"


def test_a_book_that_calibre_deletes_leaves_the_snapshot(run: Calibredb) -> None:
    library = Library("mine", run.folder)
    assert 4 in library.current().snapshot
    run("remove", "--permanent", "4")
    assert 4 not in library.current().snapshot


def test_reading_changes_no_byte_of_a_real_library(run: Calibredb) -> None:
    database = run.folder / "metadata.db"
    before = (database.read_bytes(), database.stat().st_mtime_ns, sorted(run.folder.rglob("*")))
    whole(run)
    assert before == (
        database.read_bytes(),
        database.stat().st_mtime_ns,
        sorted(run.folder.rglob("*")),
    )


def test_two_real_libraries_are_searched_together(run: Calibredb, tmp_path: Path) -> None:
    second = run.on(tmp_path / "Papers")
    second("add", "--empty", "--title", "Prometheus Unbound", "--authors", "Shelley")
    both = [
        snapshot(run),
        Library("papers", second.folder).current().snapshot,
    ]
    found = search(both, "prometheus shelley")
    assert [(one.snapshot.library, one.book.id) for one in found.rows] == [
        ("papers", 1),
        ("mine", 1),
    ]
    assert both[0].uuid != both[1].uuid


@pytest.mark.parametrize("query", ["質問", "unicode slash", "modern", "isbn:9780306406157"])
def test_a_real_book_is_found_by_its_words(run: Calibredb, query: str) -> None:
    assert [one.book.id for one in search([snapshot(run)], query).rows] == [1]
