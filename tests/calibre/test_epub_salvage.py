"""An EPUB that lost its directory: a broken entry is lost alone, a hostile file costs little."""

from __future__ import annotations

import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mcp_books.sources.calibre.extract.base import Incomplete, Unreadable
from mcp_books.sources.calibre.extract.epub import read
from tests.calibre.epub_files import epub, nav
from tests.calibre.partly import partly

TEXTS = {f"{name}.xhtml": f"<p>Text {name}. {name * 50}</p>" for name in "abcd"}
NAV = nav('<li><a href="a.xhtml">Chapter A</a></li>')
NESTED = (
    b"PK\x03\x04\x14\0\x08\0\x08" + bytes(17) + b"\x01\0\0\0a" + b"\0\x1f\0\xe0\xff"
) * 100_000
"""Entries whose sizes stand behind their data; the data of each takes in all after it."""


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
    whole = list(read(book))
    assert list(read(whole_but_for_its_directory(written(book)))) == whole
    assert whole[0].section == "Chapter A"


@pytest.mark.parametrize("length", [60_000, 70_000, 700_000])
def test_long_texts_of_an_epub_that_lost_its_directory_are_read(
    tmp_path: Path, length: int
) -> None:
    numbers = " ".join(str(number) for number in range(length // 6))
    book = epub(tmp_path / "b.epub", {"a.xhtml": f"<p>{numbers}</p>", **TEXTS})
    whole = list(read(book))
    assert list(read(whole_but_for_its_directory(streamed(book)))) == whole


def test_an_epub_cut_short_gives_the_texts_before_the_cut(tmp_path: Path) -> None:
    book = cut(package_first(epub(tmp_path / "b.epub", TEXTS, nav=NAV)), b"OPS/c.xhtml")
    found = partly(read(book))
    assert [text[:6] for text in found.texts] == ["Text a", "Text b"]
    assert found.lost == "2 of 4 texts could not be read"


def test_an_epub_cut_short_before_its_package_document_gives_the_texts_there_are(
    tmp_path: Path,
) -> None:
    found = partly(read(cut(epub(tmp_path / "b.epub", TEXTS), b"OPS/d.xhtml")))
    assert [text[:6] for text in found.texts] == ["Text a", "Text b", "Text c"]
    assert found.lost == "the list of its texts is lost, and perhaps more texts with it"


def test_an_epub_cut_short_before_its_first_text_is_damaged(tmp_path: Path) -> None:
    book = cut(epub(tmp_path / "b.epub", TEXTS), b"META-INF/container.xml")
    with pytest.raises(Unreadable) as raised:
        list(read(book))
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


def up_to_another_entry(data: bytearray, at: int) -> None:
    reach = data.index(b"OPS/d.xhtml") - 30 - (at + 30 + len("OPS/b.xhtml"))
    data[at + 18 : at + 22] = reach.to_bytes(4, "little")


def swollen(data: bytearray, at: int) -> None:
    data[at + 22 : at + 26] = b"\xff\xff\xff\x7f"


def begun_in_another_entry(data: bytearray, at: int) -> None:
    following = data.index(b"OPS/c.xhtml") - 30
    data[at + 28 : at + 30] = (following - at).to_bytes(2, "little")
    data[at + 30] = 0xFF


def of_another_compression(data: bytearray, at: int) -> None:
    data[at + 8] = 93


def no_signature(data: bytearray, at: int) -> None:
    data[at] = 0


@pytest.mark.parametrize(
    ("spoil", "written"),
    [
        *product((garbled_data, garbled_name, of_another_compression, no_signature), WAYS),
        *product((endless, too_long, up_to_another_entry, swollen), WAYS[:1]),
        *product((begun_in_another_entry,), WAYS),
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
    found = partly(read(book))
    assert [text[:6] for text in found.texts] == ["Text a", "Text c", "Text d"]
    assert found.lost == "1 of 4 texts could not be read"


@settings(max_examples=200, deadline=None)
@given(
    written=st.sampled_from(WAYS),
    changes=st.lists(st.tuples(st.integers(0), st.integers(0, 255)), min_size=1, max_size=20),
)
def test_bytes_of_one_entry_cost_no_other_entry(
    written: Callable[[Path], Path], changes: list[tuple[int, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        book = whole_but_for_its_directory(written(epub(Path(folder) / "b.epub", TEXTS)))
        data = bytearray(book.read_bytes())
        start, end = (data.index(f"OPS/{one}.xhtml".encode()) - 30 for one in "bc")
        for at, value in changes:
            data[start + at % (end - start)] = value
        assume(data[start + 34] not in b"acd")  # the name of another entry
        book.write_bytes(data)
        texts: list[str] = []
        with suppress(Incomplete):
            texts.extend(stretch.text[:6] for stretch in read(book))
    assert [text for text in texts if text != "Text b"] == ["Text a", "Text c", "Text d"]


def test_stored_text_whose_sizes_stand_before_and_behind_it_is_read(tmp_path: Path) -> None:
    book = epub(tmp_path / "b.epub", TEXTS)
    with zipfile.ZipFile(book) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(book, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
        headers = [entry.header_offset for entry in archive.infolist()]
    data = bytearray(whole_but_for_its_directory(book).read_bytes())
    for at in headers:
        data[at + 6] |= 0x08
    book.write_bytes(data)
    assert [stretch.text[:6] for stretch in read(book)] == [f"Text {one}" for one in "abcd"]


@pytest.mark.parametrize("content", [b"PK\x03\x04" * 2_000_000, NESTED])
def test_an_epub_of_headers_alone_is_soon_given_up(tmp_path: Path, content: bytes) -> None:
    book = tmp_path / "b.epub"
    book.write_bytes(content)
    began = time.process_time()
    with pytest.raises(Unreadable):
        list(read(book))
    assert time.process_time() - began < 10


def test_what_swells_without_end_in_an_epub_cut_short_is_let_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = "mcp_books.sources.calibre.extract.epub.container._LARGEST_TOTAL"
    texts = {"a.xhtml": "<p>one</p>", "b.xhtml": f"<p>{'x' * 900_000}</p>"}
    book = whole_but_for_its_directory(streamed(epub(tmp_path / "b.epub", texts)))
    monkeypatch.setattr(container, 100_000)
    assert partly(read(book)).texts == ["one"]
