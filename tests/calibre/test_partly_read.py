"""A book of which a part can be read: that part is given and indexed, and the loss is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mcp_books import cli
from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.extract.mobi import read as read_mobi
from mcp_books.sources.calibre.index import Index
from mcp_books.sources.calibre.worker import Extractor
from tests.calibre.libraries import Volume, make_library
from tests.calibre.mobi_files import PALMDOC, Mobi, palm
from tests.calibre.mobi_texts import chaptered
from tests.calibre.partly import partly
from tests.calibre.pdf_files import UNLOADABLE, pdf
from tests.calibre.shelves import Shelf

BROKEN_PDF = pdf(["A whale on page one.", UNLOADABLE, "A whale on page three."])


def test_half_of_the_records_of_a_mobi_give_their_text(tmp_path: Path) -> None:
    data, chapters = chaptered(["One", "Two"], 6000)
    records = Mobi(data, PALMDOC, chapters=chapters).file()
    path = tmp_path / "b.mobi"
    path.write_bytes(records)
    whole = list(read_mobi(path))
    path.write_bytes(records[: len(records) // 2])
    found = partly(read_mobi(path))
    words, every = " ".join(found.texts).split(), " ".join(one.text for one in whole).split()
    assert len(every) // 3 < len(words) < len(every)
    assert words[:-1] == every[: len(words) - 1]
    assert "records of the text are lost" in found.lost


def test_a_lost_record_in_the_middle_of_a_mobi_costs_what_it_held_and_no_chapter(
    tmp_path: Path,
) -> None:
    data, chapters = chaptered(["One", "Two", "Three"], 3000)
    book = replace(Mobi(data, PALMDOC), chapters=chapters)
    path = tmp_path / "b.mobi"
    path.write_bytes(book.file())
    sections = [one.section for one in read_mobi(path)]
    path.write_bytes(with_lost_record(book, 3))
    found = partly(read_mobi(path))
    assert found.lost.startswith("1 of ")
    assert [one.section for one in found.stretches][-5:] == sections[-5:]
    assert {one.section for one in found.stretches} == set(sections)


def with_lost_record(book: Mobi, number: int) -> bytes:
    records = book.records()
    records[number] = b"\x80\x01" * 40  # copies from before the text
    return palm(records)


def test_a_record_of_zeros_in_a_mobi_is_lost(tmp_path: Path) -> None:
    data, chapters = chaptered(["One", "Two", "Three"], 3000)
    book = replace(Mobi(data, PALMDOC), chapters=chapters)
    records = book.records()
    records[3] = bytes(len(records[3]))
    path = tmp_path / "b.mobi"
    path.write_bytes(palm(records))
    assert partly(read_mobi(path)).lost.startswith("1 of ")


def test_what_was_lost_comes_after_the_text_from_the_reading_process(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("say one\nsay two\npartly a page of three", "utf-8")
    with Extractor(readers="tests.calibre.obeying_readers", time_limit=60) as extractor:
        found = partly(extractor.read(path, "TXT"))
        pid = extractor.pid
        assert partly(extractor.read(path, "TXT")) == found
        assert extractor.pid == pid
    assert found == ([Stretch("one", 1), Stretch("two", 1)], "a page of three")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    volumes = [Volume(title="Whales", files={"PDF": BROKEN_PDF})]
    return Shelf(make_library(tmp_path / "Library", volumes), tmp_path / "data" / "index.sqlite3")


def test_a_book_read_in_part_is_indexed_with_what_was_lost(shelf: Shelf) -> None:
    assert shelf.run().added == 1
    assert shelf.found("whale") == ["A whale on page one.", "A whale on page three."]
    assert details(shelf) == [("indexed", "1 of 3 pages could not be read")]
    assert shelf.run().unchanged == 1
    assert shelf.read == []


def test_a_copy_of_a_book_read_in_part_tells_the_same(shelf: Shelf, tmp_path: Path) -> None:
    shelf.run()
    other = make_library(tmp_path / "Other", [Volume(title="Copy", files={"PDF": BROKEN_PDF})])
    both = Shelf(shelf.folder, shelf.path, ("other", other))
    both.run()
    assert both.read == []
    assert details(both) == [("indexed", "1 of 3 pages could not be read")] * 2


def test_the_status_counts_what_was_read_in_part(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.run()
    monkeypatch.setenv("BOOKS_CALIBRE_LIBRARIES", str(shelf.folder))
    monkeypatch.setenv("BOOKS_INDEX_DIR", str(shelf.path.parent))
    shelf.path.rename(shelf.path.parent / "text-index.sqlite3")
    assert cli.run(["index", "--status"]) == 0
    told = capsys.readouterr().out
    assert "1 of 1 readable books indexed" in told
    assert "1 read in part" in told


def details(shelf: Shelf) -> list[tuple[str, str]]:
    with Index.open_reading(shelf.path) as reader:
        return [(one.status, one.detail) for one in reader.documents()]
