"""Where the files of books lie, and that no path leads out of the library."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest

from mcp_books.sources.calibre.books import Format
from mcp_books.sources.calibre.library import Library, PathRefused
from mcp_books.sources.calibre.problems import LibraryUnavailable

from .libraries import Volume, connect, make_library

posix_alone = pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    volume = Volume(path="Ann Author/A Book (1)", files={"EPUB": b"the book"})
    (tmp_path / "secret.epub").write_bytes(b"secret")
    return make_library(tmp_path / "Library", [volume])


@pytest.fixture
def library(folder: Path) -> Library:
    return Library("mine", folder)


def move(folder: Path, path: str) -> None:
    """Do to a book what Calibre does when its title is edited."""
    with closing(connect(folder)) as db:
        (old,) = db.execute("SELECT path FROM books WHERE id = 1").fetchone()
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / old).rename(folder / path)
        db.execute("UPDATE books SET path = ? WHERE id = 1", (path,))


def test_a_file_is_found_where_path_and_name_say(library: Library, folder: Path) -> None:
    path = library.locate(1, "epub")
    assert path == (folder / "Ann Author" / "A Book (1)" / "Book.epub").resolve()
    assert path.read_bytes() == b"the book"


def test_a_book_that_was_renamed_is_found_at_its_new_place(library: Library, folder: Path) -> None:
    library.locate(1, "EPUB")
    move(folder, "Ann Author/Another Title (1)")
    assert library.locate(1, "EPUB").parent.name == "Another Title (1)"


def test_a_rename_between_catalogue_and_file_is_followed_once(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path_of = library.path_of
    moved: list[str] = []

    def renamed_just_before(one: Format) -> Path:
        if not moved:
            moved.append(one.path)
            move(folder, "Ann Author/Another Title (1)")
        return path_of(one)

    monkeypatch.setattr(library, "path_of", renamed_just_before)
    assert library.locate(1, "EPUB").parent.name == "Another Title (1)"


def test_a_library_folder_that_was_replaced_by_a_link_is_followed(
    library: Library, folder: Path
) -> None:
    if sys.platform == "win32":
        pytest.skip("links need a privilege on Windows")
    elsewhere = folder.rename(folder.with_name("Elsewhere"))
    folder.symlink_to(elsewhere)
    assert library.locate(1, "EPUB").is_relative_to(elsewhere.resolve())
    assert library.folder_name == "Elsewhere"


@pytest.mark.parametrize(("book", "name"), [(2, "EPUB"), (1, "PDF"), (1, "ORIGINAL_EPUB")])
def test_what_the_catalogue_does_not_hold_is_not_found(
    library: Library, book: int, name: str
) -> None:
    with pytest.raises(FileNotFoundError):
        library.locate(book, name)


def test_a_file_that_is_gone_is_not_found(library: Library, folder: Path) -> None:
    shutil.rmtree(folder / "Ann Author")
    with pytest.raises(FileNotFoundError):
        library.locate(1, "EPUB")
    (folder / "Ann Author").touch()
    with pytest.raises(FileNotFoundError):
        library.locate(1, "EPUB")


def test_a_file_of_a_library_that_cannot_be_read_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(LibraryUnavailable):
        Library("mine", tmp_path).locate(1, "EPUB")


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../secret.epub",
        "Ann Author/../../secret.epub",
        "..",
        "",
        "..\\secret.epub",
        "Ann Author\\Book.epub",
        "C:/Windows/win.ini",
        "C:secret.epub",
        "//server/share/secret.epub",
        "Ann Author/\0",
        "Ann Author",
        ".",
    ],
)
def test_a_path_that_is_no_file_below_the_library_is_refused(library: Library, path: str) -> None:
    with pytest.raises(PathRefused):
        library.path_of(Format("EPUB", path, 1))


def test_a_hostile_catalogue_opens_nothing_outside(library: Library, folder: Path) -> None:
    with closing(connect(folder)) as db:
        db.execute("UPDATE books SET path = '..'")
        db.execute("UPDATE data SET name = 'secret'")
    with pytest.raises(PathRefused):
        library.locate(1, "EPUB")


@posix_alone
def test_a_link_out_of_the_library_is_refused_and_one_inside_it_followed(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    book = folder / "Ann Author" / "A Book (1)" / "Book.epub"
    inside = folder / "Ann Author" / "kept.epub"
    book.rename(inside)
    book.symlink_to(inside)
    assert library.locate(1, "EPUB") == inside.resolve()
    book.unlink()
    book.symlink_to(tmp_path / "secret.epub")
    with pytest.raises(PathRefused):
        library.locate(1, "EPUB")


@posix_alone
def test_a_folder_linked_out_of_the_library_is_refused(
    library: Library, folder: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "Elsewhere"
    (folder / "Ann Author").rename(elsewhere)
    (folder / "Ann Author").symlink_to(elsewhere)
    with pytest.raises(PathRefused):
        library.locate(1, "EPUB")


@posix_alone
def test_links_in_a_circle_and_pipes_are_refused(library: Library, folder: Path) -> None:
    book = folder / "Ann Author" / "A Book (1)" / "Book.epub"
    book.unlink()
    book.symlink_to(book)
    with pytest.raises(PathRefused):
        library.locate(1, "EPUB")
    book.unlink()
    if sys.platform != "win32":
        os.mkfifo(book)
    with pytest.raises(PathRefused):
        library.locate(1, "EPUB")
