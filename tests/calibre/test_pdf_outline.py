"""The chapter path of a page, and the pages that list other pages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mcp_books.sources.calibre.extract.pdf import read_bytes
from mcp_books.sources.calibre.extract.pdf_outline import OutlineEntry, Sections
from tests.calibre.pdf_files import Entry, pdf


def _sections(
    count: int, outline: Sequence[Entry], *, outline_loops: bool = False
) -> list[str | None]:
    data = pdf(["text"] * count, outline=outline, outline_loops=outline_loops)
    return [page.section for page in read_bytes(data)]


def _kinds(*pages: str, outline: Sequence[Entry] = ()) -> list[str]:
    return [page.kind for page in read_bytes(pdf(pages, outline=outline))]


def _at(index: int, *entries: tuple[int, str, int | None]) -> Sequence[str]:
    return Sections(OutlineEntry(*entry) for entry in entries).at(index)


def test_a_page_belongs_to_the_last_entry_at_or_before_it() -> None:
    outline = [
        Entry("Part I", 1, [Entry("Chapter 1", 1), Entry("Chapter 2", 3)]),
        Entry("Part II", 4),
    ]
    assert _sections(6, outline) == [
        None,
        "Part I › Chapter 1",
        "Part I › Chapter 1",
        "Part I › Chapter 2",
        "Part II",
        "Part II",
    ]


def test_a_file_without_outline_has_no_sections() -> None:
    assert _sections(2, []) == [None, None]


def test_an_entry_without_destination_still_names_its_children() -> None:
    assert _sections(2, [Entry("Part I", None, [Entry("Chapter 1", 1)])]) == [
        None,
        "Part I › Chapter 1",
    ]


def test_an_entry_into_another_file_is_no_place_in_this_one() -> None:
    assert _sections(2, [Entry("Volume II", file="two.pdf"), Entry("Here", 1)]) == [None, "Here"]


def test_an_entry_that_leads_back_does_not_take_the_pages_after_it() -> None:
    assert _sections(4, [Entry("One", 1), Entry("Two", 2), Entry("Cover", 0)]) == [
        "Cover",
        "One",
        "Two",
        "Two",
    ]


def test_an_outline_that_runs_in_a_circle_is_read_once() -> None:
    outline = [Entry("One", 0), Entry("Two", 1)]
    assert _sections(2, outline, outline_loops=True) == ["One", "Two"]


def test_titles_are_set_on_one_line_and_empty_ones_left_out() -> None:
    outline = [Entry(" The\tWhale\r\n ", 0, [Entry("", 0, [Entry("Étude\u0000 鯨", 0)])])]
    assert _sections(1, outline) == ["The Whale › Étude 鯨"]


def test_a_title_of_absurd_length_is_cut() -> None:
    (section,) = _sections(1, [Entry("whale " * 1000, 0)])
    assert section is not None
    assert len(section) <= 200
    assert section.endswith("…")


def test_ten_thousand_entries_are_all_found() -> None:
    outline = [Entry(f"Section {number}", number // 100) for number in range(10_000)]
    sections = _sections(100, outline)
    assert sections == [f"Section {page * 100 + 99}" for page in range(100)]


def test_an_outline_nested_beyond_all_use_is_followed_as_far_as_it_is_read() -> None:
    entry = Entry("bottom", 0)
    for _ in range(200):
        entry = Entry("down", 0, [entry])
    (section,) = _sections(1, [entry])
    assert section is not None
    assert set(section.split(" › ")) == {"down"}


def test_levels_that_jump_keep_their_nearest_ancestors() -> None:
    entries = ((0, "One", 0), (3, "Deep", 1), (1, "Shallow", 2), (0, "Two", 3))
    assert [list(_at(index, *entries)) for index in range(4)] == [
        ["One"],
        ["One", "Deep"],
        ["One", "Shallow"],
        ["Two"],
    ]


LED = "\n".join(f"Chapter {n} . . . . . . . . . . {n * 10}" for n in range(1, 9))
NUMBERED = "\n".join(f"Chapter {n} on whales {n * 10}" for n in range(1, 9))
INDEXED = "\n".join(f"whales, {n}, {n * 10}–{n * 10 + 2}" for n in range(1, 9))
PROSE = "\n".join(["Some years ago, never mind how long precisely,"] * 8)


def test_rows_of_dots_and_numbers_are_a_table_of_contents() -> None:
    assert _kinds(LED, PROSE) == ["contents", "body"]


def test_dots_without_spaces_and_ellipses_lead_as_well() -> None:
    dots = "\n".join(f"Chapter {n}..............{n * 10}" for n in range(1, 9))
    ellipses = "\n".join(f"Chapter {n} …… xi" for n in range(1, 9))
    assert _kinds(dots, PROSE, ellipses) == ["contents", "body", "contents"]


@pytest.mark.parametrize(
    "heading",
    [
        "Contents",
        "TABLE OF CONTENTS",
        "vi Contents",
        "CONTENTS | 7",
        "Inhaltsverzeichnis",
        "Table des matières",
        "Índice",
        "İÇİNDEKİLER",
        "Содержание",
        "目次",
    ],
)
def test_a_list_called_contents_is_one(heading: str) -> None:
    assert _kinds(f"{heading}\n{NUMBERED}") == ["contents"]


@pytest.mark.parametrize(
    "heading", ["Index", "INDEX 345", "General Index", "Stichwortverzeichnis", "索引", "Index."]
)
def test_a_list_called_index_is_one(heading: str) -> None:
    assert _kinds(f"{heading}\n{INDEXED}") == ["index"]


def test_the_outline_calls_a_list_index_too() -> None:
    assert _kinds(PROSE, INDEXED, outline=[Entry("Text", 0), Entry("Index", 1)]) == [
        "body",
        "index",
    ]


def test_a_list_goes_on_over_the_pages_that_follow() -> None:
    assert _kinds(f"Index\n{INDEXED}", INDEXED, PROSE, INDEXED) == [
        "index",
        "index",
        "body",
        "body",
    ]


def test_an_index_set_with_dots_is_an_index() -> None:
    assert _kinds(f"Index\n{LED}", LED) == ["index", "index"]


def test_prose_under_a_heading_or_an_outline_that_says_index_is_text() -> None:
    outline = [Entry("Index", 0)]
    assert _kinds(f"Index\n{PROSE}", PROSE, outline=outline) == ["body", "body"]


def test_a_table_of_figures_is_text() -> None:
    assert _kinds(NUMBERED) == ["body"]
