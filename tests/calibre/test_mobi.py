"""Reading MOBI files that are sound: every compression, both ways of keeping text, sections."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_books.sources.calibre.extract.base import LONGEST_STRETCH, Stretch
from mcp_books.sources.calibre.extract.mobi import read
from tests.calibre.mobi_files import (
    HUFFMAN,
    PALMDOC,
    STORED,
    Chapter,
    Compression,
    Mobi,
    joint,
    kf8,
    palmdoc_book,
)
from tests.calibre.mobi_texts import FILES, chaptered, kf8_chapters, markup
from tests.calibre.pdf_files import pdf

Read = Callable[[bytes], list[Stretch]]


@pytest.fixture
def book(tmp_path: Path) -> Read:
    """Read the stretches of the file with these bytes."""

    def stretches(data: bytes) -> list[Stretch]:
        path = tmp_path / "book.mobi"
        path.write_bytes(data)
        return list(read(path))

    return stretches


def words(stretches: list[Stretch]) -> list[str]:
    return " ".join(stretch.text for stretch in stretches).split()


@pytest.mark.parametrize("compression", [STORED, PALMDOC, HUFFMAN])
@pytest.mark.parametrize("trailing", [0, 0b1, 0b10, 0b111])
def test_the_text_is_the_same_however_its_records_are_written(
    book: Read, compression: Compression, trailing: int
) -> None:
    text = "the whale and the sea, déjà vu, 鯨 and the whale again. " * 300
    data = f"<html><body><p>{text}</p></body></html>".encode()
    assert words(book(Mobi(data, compression, trailing=trailing).file())) == text.split()


def test_a_book_in_windows_1252_keeps_its_letters_and_quotes(book: Read) -> None:
    text = "“Où est l’œuvre ?” — naïve façade"
    data = f"<html><body><p>{text}</p></body></html>".encode("cp1252")
    assert book(Mobi(data, PALMDOC, encoding=1252).file())[0].text == text


def test_a_stretch_is_never_given_a_page(book: Read) -> None:
    data, chapters = chaptered(["One", "Two"], 900)
    stretches = book(Mobi(data, chapters=chapters).file())
    assert {stretch.page_number for stretch in stretches} == {None}
    assert {stretch.page_label for stretch in stretches} == {None}
    assert {stretch.label_source for stretch in stretches} == {None}


def test_a_stretch_is_never_longer_than_the_bound(book: Read) -> None:
    data, chapters = chaptered(["One", "Two"], 900)
    lengths = [len(stretch.text) for stretch in book(Mobi(data, chapters=chapters).file())]
    assert 0 < max(lengths) <= LONGEST_STRETCH


def test_each_stretch_names_the_chapter_it_stands_in(book: Read) -> None:
    data, chapters = chaptered(["Loomings", "The Spouter-Inn", "Breakfast"], 40)
    stretches = book(Mobi(data, PALMDOC, chapters=chapters).file())
    assert [(stretch.section, stretch.text.split()[0]) for stretch in stretches] == [
        (None, "before"),
        ("Loomings", "Loomings"),
        ("The Spouter-Inn", "The"),
        ("Breakfast", "Breakfast"),
    ]


def test_a_chapter_goes_on_over_page_breaks_until_the_next_begins(book: Read) -> None:
    long = "<p>" + "word " * 2000 + "</p>"
    first = f"<html><body><h1>One</h1>{long * 4}<mbp:pagebreak/>"
    second = f"{long}still one<mbp:pagebreak/>"
    third = "<h1>Two</h1><p>end</p></body></html>"
    chapters = [Chapter("One", first.index("<h1>")), Chapter("Two", len(first + second))]
    stretches = book(Mobi((first + second + third).encode(), chapters=chapters).file())
    assert [stretch.section for stretch in stretches if "still" in stretch.text] == ["One"]
    assert [stretch.section for stretch in stretches if "end" in stretch.text] == ["Two"]


def test_a_chapter_below_another_has_both_titles(book: Read) -> None:
    data, flat = chaptered(["Part I", "Chapter 1", "Chapter 2"], 40)
    chapters = [flat[0], Chapter("Chapter 1", flat[1].at, 0), Chapter("Chapter 2", flat[2].at, 0)]
    sections = [stretch.section for stretch in book(Mobi(data, chapters=chapters).file())]
    assert sections == [None, "Part I", "Part I › Chapter 1", "Part I › Chapter 2"]


def test_a_chapter_that_leads_inside_a_tag_starts_at_that_tag(book: Read) -> None:
    data = b"<html><body><p>before</p><p class='x'>after</p></body></html>"
    chapters = [Chapter("Here", data.index(b"class"))]
    stretches = book(Mobi(data, chapters=chapters).file())
    assert [(s.section, s.text) for s in stretches] == [(None, "before"), ("Here", "after")]


def test_the_contents_that_the_guide_names_are_marked_as_such(book: Read) -> None:
    head = '<html><head><guide><reference type="toc" filepos=%010d /></guide></head><body>'
    opening = "<p>a title page</p><mbp:pagebreak/>"
    listing = "<p>One</p><p>Two</p><mbp:pagebreak/>"
    rest = "<p>" + "text " * 100 + "</p></body></html>"
    at = len(head % 0) + len(opening) - len("<mbp:pagebreak/>")
    data = (head % (at + len("<mbp:pagebreak/>"))) + opening + listing + rest
    kinds = [
        (stretch.kind, stretch.text.split()[0]) for stretch in book(Mobi(data.encode()).file())
    ]
    assert kinds == [("body", "a"), ("contents", "One"), ("body", "text")]


def test_the_files_of_a_kf8_book_are_put_together(book: Read) -> None:
    stretches = book(kf8(FILES, styles=b"p { color: red }").file())
    expected = " ".join(f"{name} starts here and goes on there" for name in ("one", "two", "three"))
    assert words(stretches) == expected.split()


def test_chapters_of_a_kf8_book_are_found_by_fragment_and_offset(book: Read) -> None:
    stretches = book(kf8(FILES, kf8_chapters()).file())
    assert [(stretch.section, stretch.text) for stretch in stretches] == [
        ("Première", "one starts here"),
        ("Première › Inside", "and goes on there"),
        ("Second", "two starts here\n\nand goes on there"),
        ("Second", "three starts here\n\nand goes on there"),
    ]


def test_the_contents_that_the_guide_of_a_kf8_book_names_are_marked(book: Read) -> None:
    stretches = book(kf8(FILES, toc=(2, 0)).file())
    assert [stretch.kind for stretch in stretches] == ["body", "contents", "body"]


def test_a_kf8_book_without_its_indexes_still_gives_its_text(book: Read) -> None:
    whole = kf8(FILES)
    bare = Mobi(whole.text, version=8)
    assert sorted(words(book(bare.file()))) == sorted(words(book(whole.file())))


def test_a_print_replica_gives_the_pages_of_the_pdf_inside(book: Read) -> None:
    inside = pdf(["first page", "second page"], labels=[(0, "/S /r")])
    table = struct.pack(">4sLLLLLL", b"%MOP", 1, 2, 28, len(inside), 28 + len(inside), 4)
    stretches = book(Mobi(table + inside + b"more", PALMDOC, version=8).file())
    assert [(s.text, s.page_number, s.page_label) for s in stretches] == [
        ("first page", 1, "i"),
        ("second page", 2, "ii"),
    ]


def test_of_a_joint_file_the_newer_book_is_read(book: Read) -> None:
    stretches = book(joint(Mobi(markup("old")), kf8(FILES, kf8_chapters())))
    assert stretches == book(kf8(FILES, kf8_chapters()).file())


def test_of_a_joint_file_cut_short_the_older_book_is_read(book: Read) -> None:
    whole = joint(Mobi(markup("old words")), kf8(FILES))
    start = whole.index(b"<html><head><title>one")
    assert words(book(whole[: start + 10])) == ["old", "words"]


def test_a_boundary_that_leads_nowhere_leaves_the_older_book(book: Read) -> None:
    data = Mobi(markup("old words"), exth={100: b"Somebody", 121: b"\0\0\x40\0"}).file()
    assert words(book(data)) == ["old", "words"]


@pytest.mark.parametrize("compression", [STORED, PALMDOC])
def test_a_palmdoc_file_of_plain_text_keeps_its_paragraphs(
    book: Read, compression: Compression
) -> None:
    text = b"It was a dark < stormy night.\r\n\r\nThe rain fell.\0"
    stretches = book(palmdoc_book(text, compression))
    assert [s.text for s in stretches] == ["It was a dark < stormy night.\n\nThe rain fell."]


def test_a_palmdoc_file_of_markup_is_read_as_markup(book: Read) -> None:
    assert words(book(palmdoc_book(markup("plain words")))) == ["plain", "words"]


def test_a_heading_that_the_contents_lead_behind_belongs_to_its_chapter(book: Read) -> None:
    data = b"<html><body><p>before</p><h1>Two  Friends</h1><a></a><p>after</p></body></html>"
    chapters = [Chapter("Two Friends", data.index(b"<a>"))]
    stretches = book(Mobi(data, chapters=chapters).file())
    assert [(stretch.section, stretch.text) for stretch in stretches] == [
        (None, "before"),
        ("Two Friends", "Two Friends\n\nafter"),
    ]


def test_the_heading_of_a_chapter_above_stays_with_it(book: Read) -> None:
    data = b"<html><body><h1>I</h1><p>x</p><h1>I</h1><h2>a</h2><p>y</p></body></html>"
    at = [data.index(b"<h1>I</h1><h2"), data.index(b"<h2>")]
    chapters = [Chapter("I", at[0]), Chapter("I", at[1], 0)]
    sections = [stretch.section for stretch in book(Mobi(data, chapters=chapters).file())]
    assert sections == [None, "I", "I › I"]
