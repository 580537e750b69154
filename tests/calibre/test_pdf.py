"""Reading PDF files: their text page by page, and what becomes of those that give none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_books.sources.calibre.extract.base import Unreadable
from mcp_books.sources.calibre.extract.pdf import read, read_bytes
from tests.calibre.partly import partly
from tests.calibre.pdf_files import UNLOADABLE, damaged_xref, pdf

Save = Callable[[bytes], Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write a file whose name no narrow encoding holds, and return its path."""

    def write(data: bytes) -> Path:
        path = tmp_path / "Bücher 書.pdf"
        path.write_bytes(data)
        return path

    return write


def _text(page: str) -> str:
    (only,) = read_bytes(pdf([page]))
    return only.text


def _status(data: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        list(read_bytes(data))
    return caught.value.status


def test_each_page_is_one_stretch_with_its_physical_number(save: Save) -> None:
    pages = list(read(save(pdf(["Call me Ishmael.", "Some years ago", "never mind how long"]))))
    assert [(page.page_number, page.text) for page in pages] == [
        (1, "Call me Ishmael."),
        (2, "Some years ago"),
        (3, "never mind how long"),
    ]


def test_a_file_and_its_bytes_read_alike(save: Save) -> None:
    data = pdf(["one", None, "two"], labels=[(0, "/S /r")])
    assert list(read_bytes(data)) == list(read(save(data)))


def test_a_page_without_text_is_passed_over_and_still_counted() -> None:
    pages = read_bytes(pdf(["one", None, "* * *", "four"]))
    assert [page.page_number for page in pages] == [1, 4]


def test_lines_end_with_a_line_feed_alone() -> None:
    assert _text("first line\nsecond line") == "first line\nsecond line"


def test_a_word_broken_at_a_line_end_is_made_whole() -> None:
    assert _text("under these con-\nditions of use") == "under these conditions of use"


def test_a_soft_hyphen_at_a_line_end_breaks_no_word() -> None:
    assert _text("under these con\u00ad\nditions") == "under these conditions"


def test_a_soft_hyphen_within_a_line_is_dropped() -> None:
    assert _text("under these con\u00additions") == "under these conditions"


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("the Anglo-\nSaxon chronicle", "the Anglo-Saxon chronicle"),
        ("NOTWITH-\nSTANDING all", "NOTWITHSTANDING all"),
    ],
)
def test_a_hyphen_before_a_capital_stays_unless_all_is_in_capitals(broken: str, whole: str) -> None:
    assert _text(broken) == whole


def test_glyphs_that_name_no_character_are_dropped() -> None:
    assert _text("a\x01b \x04 c\ue000d \x7f\x88 e\ufefff \U000f0001g") == "ab cd ef g"


def test_characters_beyond_the_basic_plane_are_kept() -> None:
    assert _text("𝑥 ∈ 𠀀 漢字") == "𝑥 ∈ 𠀀 漢字"


def test_spaces_are_single_and_empty_lines_left_out() -> None:
    assert _text("wide \u00a0  space \n\n \x04 \nnext") == "wide space\nnext"


def test_a_file_that_needs_a_password_says_so() -> None:
    assert _status(pdf(["secret"], password="open sesame")) == "password"


def test_a_file_encrypted_without_a_password_is_read() -> None:
    (page,) = read_bytes(pdf(["for all eyes"], password="", labels=[(0, "/S /D")]))
    assert (page.text, page.page_label) == ("for all eyes", "1")


def test_a_file_locked_for_another_program_is_drm() -> None:
    assert _status(pdf(["lent"], security_handler="EBX_HANDLER")) == "drm"


def test_a_scan_holds_no_text() -> None:
    assert _status(pdf([None, None])) == "no_text"


def test_a_file_without_pages_is_empty_whatever_was_read_before_it() -> None:
    assert _status(pdf(["secret"], password="open sesame")) == "password"
    assert _status(pdf([])) == "empty"


def test_a_file_of_no_bytes_is_empty(save: Save) -> None:
    assert _status(b"") == "empty"
    with pytest.raises(Unreadable) as caught:
        next(iter(read(save(b""))))
    assert caught.value.status == "empty"


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"no PDF at all", pdf(["page"] * 9)[:300]])
def test_what_is_no_whole_pdf_is_damaged(data: bytes) -> None:
    assert _status(data) == "damaged"


def test_a_file_whose_pages_all_fail_is_damaged() -> None:
    assert _status(pdf([UNLOADABLE, UNLOADABLE])) == "damaged"


def test_a_file_with_one_damaged_page_and_no_text_holds_no_text() -> None:
    assert _status(pdf([None, UNLOADABLE])) == "no_text"


def test_a_damaged_page_costs_that_page_and_is_told_after_the_others() -> None:
    found = partly(read_bytes(pdf(["one", UNLOADABLE, "three"])))
    assert [page.page_number for page in found.stretches] == [1, 3]
    assert found.lost == "1 of 3 pages could not be read"


def test_a_broken_cross_reference_table_is_rebuilt() -> None:
    (page,) = read_bytes(damaged_xref(pdf(["still here"])))
    assert page.text == "still here"


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(iter(read(tmp_path / "gone.pdf")))


def test_reading_that_stops_half_way_lets_the_file_go(save: Save) -> None:
    path = save(pdf(["one"] * 20))
    pages = iter(read(path))
    next(pages)
    del pages
    path.rename(path.with_suffix(".old"))
