"""A book of which a part can be read: that part is given and indexed, and the loss is told."""

from __future__ import annotations

import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_books import cli
from mcp_books.sources.calibre.extract.base import Incomplete, Stretch, Unreadable
from mcp_books.sources.calibre.extract.epub import read as read_epub
from mcp_books.sources.calibre.extract.mobi import read as read_mobi
from mcp_books.sources.calibre.index import Index
from mcp_books.sources.calibre.worker import Extractor
from tests.calibre.epub_files import epub, nav
from tests.calibre.libraries import Volume, make_library
from tests.calibre.mobi_files import PALMDOC, Mobi, palm
from tests.calibre.mobi_texts import chaptered
from tests.calibre.partly import partly
from tests.calibre.pdf_files import UNLOADABLE, pdf
from tests.calibre.shelves import Shelf

TEXTS = {f"{name}.xhtml": f"<p>Text {name}. {name * 50}</p>" for name in "abcd"}
NAV = nav('<li><a href="a.xhtml">Chapter A</a></li>')
BROKEN_PDF = pdf(["A whale on page one.", UNLOADABLE, "A whale on page three."])


class Unseekable:
    """A place that zip files are written to without going back."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")

    def write(self, data: bytes) -> int:
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def package_first(path: Path) -> Path:
    """Write the same entries again, those that tell of the others before them."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    first = ("mimetype", "META-INF/container.xml", "OPS/book.opf", "OPS/nav.xhtml")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in dict.fromkeys((*first, *entries)):
            archive.writestr(name, entries[name])
    return path


def streamed(path: Path) -> Path:
    """Write the same entries as a writer does that cannot go back: sizes behind the data."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    target = Unseekable(path)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    target.close()
    return path


def cut(path: Path, before: bytes) -> Path:
    """Cut a file off in the middle of the last entry of this name."""
    data = path.read_bytes()
    path.write_bytes(data[: data.index(before) + len(before) + 10])
    return path


def whole_but_for_its_directory(path: Path) -> Path:
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"PK\x01\x02")])
    return path


WAYS: tuple[Callable[[Path], Path], ...] = (lambda path: path, streamed)


@pytest.mark.parametrize("written", WAYS)
def test_an_epub_that_lost_its_directory_alone_gives_every_text(
    tmp_path: Path, written: Callable[[Path], Path]
) -> None:
    book = epub(tmp_path / "b.epub", TEXTS, nav=NAV)
    whole = list(read_epub(book))
    assert list(read_epub(whole_but_for_its_directory(written(book)))) == whole
    assert whole[0].section == "Chapter A"


def test_an_epub_cut_short_gives_the_texts_before_the_cut(tmp_path: Path) -> None:
    book = cut(package_first(epub(tmp_path / "b.epub", TEXTS, nav=NAV)), b"OPS/c.xhtml")
    found = partly(read_epub(book))
    assert [text[:6] for text in found.texts] == ["Text a", "Text b"]
    assert found.lost == "2 of 4 texts could not be read"


def test_an_epub_cut_short_before_its_package_document_gives_the_texts_there_are(
    tmp_path: Path,
) -> None:
    found = partly(read_epub(cut(epub(tmp_path / "b.epub", TEXTS), b"OPS/d.xhtml")))
    assert [text[:6] for text in found.texts] == ["Text a", "Text b", "Text c"]
    assert found.lost == "the list of its texts is lost, and perhaps more texts with it"


def test_an_epub_cut_short_before_its_first_text_is_damaged(tmp_path: Path) -> None:
    book = cut(epub(tmp_path / "b.epub", TEXTS), b"META-INF/container.xml")
    with pytest.raises(Unreadable) as raised:
        list(read_epub(book))
    assert raised.value.status == "damaged"


def garbled_data(data: bytearray, at: int) -> None:
    data[at + 45 : at + 60] = b"\xff" * 15


def garbled_name(data: bytearray, at: int) -> None:
    data[at + 7] |= 0x08
    data[at + 30] = 0xFF


def endless(data: bytearray, at: int) -> None:
    data[at + 18 : at + 22] = b"\xff\xff\xff\x7f"


def too_long(data: bytearray, at: int) -> None:
    data[at + 18 : at + 22] = b"\x60\x00\x00\x00"


def of_another_compression(data: bytearray, at: int) -> None:
    data[at + 8] = 93


def no_signature(data: bytearray, at: int) -> None:
    data[at] = 0


@pytest.mark.parametrize(
    ("spoil", "written"),
    [
        *product((garbled_data, garbled_name, of_another_compression, no_signature), WAYS),
        (endless, WAYS[0]),
        (too_long, WAYS[0]),
    ],
)
def test_a_broken_entry_of_an_epub_without_directory_is_lost_alone(
    tmp_path: Path,
    spoil: Callable[[bytearray, int], None],
    written: Callable[[Path], Path],
) -> None:
    book = whole_but_for_its_directory(written(epub(tmp_path / "b.epub", TEXTS, nav=NAV)))
    data = bytearray(book.read_bytes())
    spoil(data, data.index(b"OPS/b.xhtml") - 30)
    book.write_bytes(data)
    found = partly(read_epub(book))
    assert [text[:6] for text in found.texts] == ["Text a", "Text c", "Text d"]
    assert found.lost == "1 of 4 texts could not be read"


@settings(max_examples=200, deadline=None)
@given(at=st.integers(0), value=st.integers(0, 255))
def test_any_byte_of_one_entry_costs_no_other_entry(at: int, value: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        book = whole_but_for_its_directory(streamed(epub(Path(folder) / "b.epub", TEXTS)))
        data = bytearray(book.read_bytes())
        start, end = (data.index(f"OPS/{one}.xhtml".encode()) - 30 for one in "bc")
        data[start + at % (end - start)] = value
        book.write_bytes(data)
        texts: list[str] = []
        with suppress(Incomplete):
            texts.extend(stretch.text[:6] for stretch in read_epub(book))
    assert [text for text in texts if text != "Text b"] == ["Text a", "Text c", "Text d"]


def test_an_epub_of_headers_alone_is_soon_given_up(tmp_path: Path) -> None:
    book = tmp_path / "b.epub"
    book.write_bytes(b"PK\x03\x04" * 2_000_000)
    began = time.process_time()
    with pytest.raises(Unreadable):
        list(read_epub(book))
    assert time.process_time() - began < 10


def test_what_swells_without_end_in_an_epub_cut_short_is_let_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = "mcp_books.sources.calibre.extract.epub.container._LARGEST_TOTAL"
    texts = {"a.xhtml": "<p>one</p>", "b.xhtml": f"<p>{'x' * 900_000}</p>"}
    book = whole_but_for_its_directory(streamed(epub(tmp_path / "b.epub", texts)))
    monkeypatch.setattr(container, 100_000)
    assert partly(read_epub(book)).texts == ["one"]


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
