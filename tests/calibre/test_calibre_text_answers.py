"""Books that Calibre alone reads, as they are asked; also of a library that calibredb made."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_books import BooksClient
from mcp_books._index_command import Wanted, index
from mcp_books.models import Hit
from mcp_books.settings import Settings
from mcp_books.sources.calibre.indexing import Indexing
from mcp_books.sources.calibre.places import index_file, libraries

from .asked_shelves import answered, asking
from .calibre_text_files import (
    DATABASE,
    DOCX,
    TEXT,
    put,
    shelf,
)
from .libraries import Volume, calibredb, make_library
from .shelves import Shelf, add_book

__all__ = ["shelf"]


def indexed(folder: Path, data: Path) -> Settings:
    settings = Settings(calibre_libraries=f"home={folder}", index_dir=data)
    Indexing(libraries(settings), index_file(settings)).run()
    return settings


async def asked(
    books: BooksClient, query: str
) -> tuple[tuple[Hit, ...], tuple[int, int, dict[str, int]]]:
    answer = await books.search_inside(query)
    coverage = answered(answer.per_source[0]).coverage
    assert coverage is not None
    told = (coverage.indexed, coverage.readable, dict(coverage.unreadable))
    return tuple(answer.hits), told


@pytest.mark.anyio
async def test_a_hit_has_the_address_of_its_format_and_no_page(shelf: Shelf) -> None:
    settings = indexed(shelf.folder, shelf.path.parent)
    add_book(shelf.folder, Volume(files={"RTF": b"rich"}))
    put(shelf.folder, 2, "RTF", "Later.")
    add_book(shelf.folder, Volume(files={"CBZ": b"pictures"}))
    async with asking(settings) as books:
        answer = await asked(books, '"porpoise off the cape"')
    (hit,) = answer[0]
    assert hit.source_url is not None
    assert "/1/DOCX?open_at=" in hit.source_url
    assert (hit.page_number, hit.page_label, hit.section) == (None, None, None)
    assert (hit.excerpts, hit.matched_file) == (("A porpoise off the cape.",), "DOCX")
    assert answer[1] == (1, 2, {"unsupported": 1})


def test_status_says_that_calibre_could_read_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_library(tmp_path / "Library", [Volume(files=DOCX)])
    settings = indexed(folder, tmp_path / "data")
    assert index(settings, Wanted(status=True)) == 0
    assert "Calibre's full-text search" in capsys.readouterr().out
    put(folder, 1, "DOCX", TEXT)
    assert index(settings, Wanted(status=True)) == 0
    assert "Calibre's full-text search" not in capsys.readouterr().out


FB2 = (
    '<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">'
    "<description><title-info><book-title>Sea</book-title></title-info></description>"
    "<body><section><p>A porpoise in fiction.</p></section></body></FictionBook>"
)


@pytest.mark.anyio
async def test_books_of_a_real_library_are_found_by_a_phrase(tmp_path: Path) -> None:
    files = {
        "txt": "It was on a dreary night of November.\n\nA dugong.",
        "rtf": r"{\rtf1 A narwhal under the ice.}",
        "fb2": FB2,
        "docx": "no document",
    }
    paths = [tmp_path / f"book.{kind}" for kind in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_text(content, encoding="utf-8")
    run = calibredb(tmp_path / "My Books", tmp_path / "home")
    for path in paths:
        run("add", "--duplicates", str(path))
    run("fts_index", "enable", "--wait-for-completion", "--indexing-speed", "fast")
    before = (run.folder / DATABASE).read_bytes()
    settings = indexed(run.folder, tmp_path / "data")
    phrases = {
        "TXT": '"dreary night of November"',
        "RTF": '"under the ice"',
        "FB2": '"porpoise in fiction"',
    }
    async with asking(settings) as books:
        for kind, phrase in phrases.items():
            hits, coverage = await asked(books, phrase)
            assert [hit.matched_file for hit in hits] == [kind]
            assert coverage == (3, 3, {"damaged": 1})
    assert (run.folder / DATABASE).read_bytes() == before
