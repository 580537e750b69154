from __future__ import annotations

import errno
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_books.sources.calibre.extract.base import Incomplete, Unreadable
from mcp_books.sources.calibre.extract.epub import read
from tests.calibre.epub_files import encrypted, epub, flagged, nav, opf, xhtml
from tests.calibre.partly import partly

ONE = {"a.xhtml": "<p>one</p>"}
AES = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
MEBIBYTE = 1024 * 1024


def status_of(path: Path) -> str:
    """Read the book; no stretch may come before the refusal."""
    stretches = read(path)
    with pytest.raises(Unreadable) as refusal:
        next(stretches)
    return refusal.value.status


@pytest.mark.parametrize("name", ["META-INF/rights.xml", "META-INF/license.lcpl"])
def test_a_licence_is_drm(tmp_path: Path, name: str) -> None:
    assert status_of(epub(tmp_path / "b.epub", ONE, others={name: "<rights/>"})) == "drm"


@pytest.mark.parametrize("algorithm", [AES, "", "http://itunes.apple.com/dataenc"])
def test_an_encrypted_text_is_drm(tmp_path: Path, algorithm: str) -> None:
    listed = encrypted(
        ("OPS/b.ttf", "http://www.idpf.org/2008/embedding"), ("OPS/a.xhtml", algorithm)
    )
    others = {"META-INF/encryption.xml": listed}
    assert status_of(epub(tmp_path / "b.epub", ONE, others=others)) == "drm"


@pytest.mark.parametrize(
    "algorithm", ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]
)
def test_obfuscated_fonts_are_no_drm(tmp_path: Path, algorithm: str) -> None:
    others: dict[str, str | bytes] = {
        "META-INF/encryption.xml": encrypted(("OPS/font.otf", algorithm)),
        "OPS/font.otf": b"\x10\x20",
    }
    assert [s.text for s in read(epub(tmp_path / "b.epub", ONE, others=others))] == ["one"]


def test_an_encrypted_picture_leaves_the_texts_readable(tmp_path: Path) -> None:
    others: dict[str, str | bytes] = {
        "META-INF/encryption.xml": encrypted(("OPS/p.jpg", AES)),
        "OPS/p.jpg": b"\x10\x20",
    }
    assert [s.text for s in read(epub(tmp_path / "b.epub", ONE, others=others))] == ["one"]


@pytest.mark.parametrize("name", ["OPS/a.xhtml", "OPS/book.opf"])
def test_an_entry_that_asks_for_a_password_is_refused(tmp_path: Path, name: str) -> None:
    book = epub(tmp_path / "b.epub", ONE)
    flagged(book, name)
    assert status_of(book) == "password"


@pytest.mark.parametrize("content", [b"no zip file", b"PK\x03\x04" + b"\0" * 400])
def test_what_is_no_zip_file_is_damaged(tmp_path: Path, content: bytes) -> None:
    book = tmp_path / "b.epub"
    book.write_bytes(content)
    assert status_of(book) == "damaged"


def test_a_file_without_bytes_is_empty(tmp_path: Path) -> None:
    (tmp_path / "b.epub").touch()
    assert status_of(tmp_path / "b.epub") == "empty"


def test_a_file_that_is_gone_is_an_error_of_the_disk(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(read(tmp_path / "gone.epub"))


@pytest.mark.parametrize("package", ["", "<html/>", "no markup"])
def test_a_book_without_a_package_document_is_damaged(tmp_path: Path, package: str) -> None:
    assert status_of(epub(tmp_path / "b.epub", ONE, others={"OPS/book.opf": package})) == "damaged"


def test_a_book_whose_spine_lists_nothing_is_empty(tmp_path: Path) -> None:
    assert status_of(epub(tmp_path / "b.epub", ONE, spine=[])) == "empty"


def test_a_book_whose_texts_are_all_missing_is_damaged(tmp_path: Path) -> None:
    package = opf('<item id="x" href="x.xhtml"/>', '<itemref idref="x"/>')
    assert status_of(epub(tmp_path / "b.epub", {}, others={"OPS/book.opf": package})) == "damaged"


def test_a_book_of_pictures_has_no_text(tmp_path: Path) -> None:
    pages = {f"{n}.xhtml": f'<div><img src="{n}.jpg" alt=""/></div>' for n in range(3)}
    assert status_of(epub(tmp_path / "a.epub", pages)) == "no_text"
    package = opf('<item id="i" href="i.jpg" media-type="image/jpeg"/>', '<itemref idref="i"/>')
    others: dict[str, str | bytes] = {"OPS/book.opf": package, "OPS/i.jpg": b"\xff\xd8"}
    assert status_of(epub(tmp_path / "b.epub", {}, others=others)) == "no_text"


def test_a_bad_checksum_costs_one_text_and_not_the_book(tmp_path: Path) -> None:
    texts = {"a.xhtml": "<p>one</p>", "b.xhtml": "<p>two</p>", "c.xhtml": "<p>three</p>"}
    book = epub(tmp_path / "b.epub", texts, nav=nav('<li><a href="a.xhtml">One</a></li>'))
    for name in ("OPS/b.xhtml", "OPS/nav.xhtml"):
        flagged(book, name, checksum=1)
    found = partly(read(book))
    assert [(s.text, s.section) for s in found.stretches] == [("one", None), ("three", None)]
    assert found.lost == "1 of 3 texts could not be read"


def test_a_book_of_bad_checksums_alone_is_damaged(tmp_path: Path) -> None:
    book = epub(tmp_path / "b.epub", ONE)
    flagged(book, "OPS/a.xhtml", checksum=1)
    assert status_of(book) == "damaged"


def test_a_text_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    texts: dict[str, str | bytes] = {"a.xhtml": bytes(range(256)) * 16, "b.xhtml": "<p>two</p>"}
    assert partly(read(epub(tmp_path / "b.epub", texts))).texts == ["two"]


@pytest.mark.parametrize("name", ["OPS/a.xhtml", "OPS/book.opf", "OPS/nav.xhtml"])
def test_an_entry_that_swells_when_unpacked_is_too_large(tmp_path: Path, name: str) -> None:
    others = {name: b" " * (8 * MEBIBYTE)}
    book = epub(tmp_path / "b.epub", ONE, nav=nav(), others=others)
    assert status_of(book) == "too_large"


def test_an_entry_over_the_limit_is_too_large_however_it_is_packed(tmp_path: Path) -> None:
    book = epub(tmp_path / "b.epub", ONE)
    flagged(book, "OPS/a.xhtml", size=33 * MEBIBYTE)
    assert status_of(book) == "too_large"


def test_texts_that_are_too_large_together_are_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    container = "mcp_books.sources.calibre.extract.epub.container._LARGEST_TOTAL"
    monkeypatch.setattr(container, 5000)
    texts = {f"{n}.xhtml": f"<p>{'text ' * 200}</p>" for n in range(6)}
    assert status_of(epub(tmp_path / "b.epub", texts)) == "too_large"


def test_an_entry_larger_than_it_says_is_not_unpacked_further(tmp_path: Path) -> None:
    texts = {"a.xhtml": f"<p>{'x' * MEBIBYTE}</p>", "b.xhtml": "<p>two</p>"}
    book = epub(tmp_path / "b.epub", texts)
    flagged(book, "OPS/a.xhtml", size=1000)
    assert partly(read(book)).texts == ["two"]


def test_an_entry_that_is_cut_short_is_left_out(tmp_path: Path) -> None:
    book = epub(tmp_path / "b.epub", {"a.xhtml": "<p>one</p>", "b.xhtml": "<p>two</p>"})
    flagged(book, "OPS/a.xhtml", size=10_000)
    assert partly(read(book)).texts == ["two"]


def test_an_unusual_compression_costs_its_entry(tmp_path: Path) -> None:
    package = "".join(f'<item id="{n}" href="{n}.xhtml"/>' for n in ("a", "b"))
    spine = '<itemref idref="b"/><itemref idref="a"/>'
    book = epub(tmp_path / "b.epub", ONE, others={"OPS/book.opf": opf(package, spine)})
    with zipfile.ZipFile(book, "a", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("OPS/b.xhtml", xhtml("<p>packed oddly</p>"))
    assert partly(read(book)).texts == ["one"]


def test_a_name_in_utf8_that_the_zip_file_does_not_declare_is_found(tmp_path: Path) -> None:
    package = opf('<item id="a" href="caf&#233;.xhtml"/>', '<itemref idref="a"/>')
    texts = {"cafXX.xhtml": "<p>one</p>"}
    book = epub(tmp_path / "b.epub", texts, others={"OPS/book.opf": package})
    book.write_bytes(book.read_bytes().replace(b"OPS/cafXX", "OPS/café".encode()))
    assert [s.text for s in read(book)] == ["one"]


@pytest.mark.parametrize(("number", "outcome"), [(errno.EIO, OSError), (errno.EINVAL, Unreadable)])
def test_a_disk_that_fails_is_no_damage_of_the_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, outcome: type[Exception]
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, "failed")

    book = epub(tmp_path / "b.epub", ONE)
    monkeypatch.setattr(zipfile.ZipFile, "__init__", fail)
    monkeypatch.setattr(zipfile.ZipFile, "__del__", lambda _: None)
    with pytest.raises(outcome):
        next(read(book))


def test_too_many_entries_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_books.sources.calibre.extract.epub.container._MOST_ENTRIES", 3)
    assert status_of(epub(tmp_path / "b.epub", ONE)) == "too_large"


def test_an_entry_without_a_name_is_passed_over(tmp_path: Path) -> None:
    book = epub(tmp_path / "b.epub", {**ONE, "x": "y"})
    listed = book.read_bytes().rpartition(b"OPS/x")
    book.write_bytes(listed[0] + b"\0PS/x" + listed[2])
    assert partly(read(book)).texts == ["one"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_book_damaged_anywhere_is_read_in_part_or_refused(
    tmp_path: Path, data: st.DataObject
) -> None:
    toc = nav('<li><a href="a.xhtml">One</a></li>', '<li><a href="b.xhtml">1</a></li>')
    whole = epub(tmp_path / "whole.epub", {**ONE, "b.xhtml": "<p>two</p>"}, nav=toc).read_bytes()
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    book = tmp_path / "damaged.epub"
    book.write_bytes(damaged[: data.draw(st.integers(len(whole) // 2, len(whole)))])
    texts: list[str] = []
    try:
        texts.extend(stretch.text for stretch in read(book))
    except Unreadable:
        return
    except Incomplete as problem:
        texts = texts if problem.detail else []
    assert texts
