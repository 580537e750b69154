"""The number printed on a page: as the file states it, and as the page confirms it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mcp_books.sources.calibre.extract.pdf import read_bytes
from mcp_books.sources.calibre.extract.pdf_labels import LONGEST_LABEL
from tests.calibre.pdf_files import pdf


def _labels(count: int, *labels: tuple[int, str]) -> list[str | None]:
    return [page.page_label for page in read_bytes(pdf(["text"] * count, labels=labels))]


def _sources(pages: Sequence[str | None], *labels: tuple[int, str]) -> list[str | None]:
    return [page.label_source for page in read_bytes(pdf(pages, labels=labels))]


@pytest.mark.parametrize(
    ("style", "labels"),
    [
        ("/S /D", ["1", "2", "3"]),
        ("/S /D /St 41", ["41", "42", "43"]),
        ("/S /r", ["i", "ii", "iii"]),
        ("/S /R /St 8", ["VIII", "IX", "X"]),
        ("/S /a", ["a", "b", "c"]),
        ("/S /A /St 26", ["Z", "AA", "BB"]),
        ("/S /D /P (A-)", ["A-1", "A-2", "A-3"]),
        ("/P (Plate)", ["Plate", "Plate", "Plate"]),
    ],
)
def test_every_style_of_label_is_given_as_the_file_states_it(style: str, labels: list[str]) -> None:
    assert _labels(3, (0, style)) == labels


def test_labels_that_repeat_stay_with_their_pages() -> None:
    assert _labels(6, (0, "/S /D"), (2, "/S /r"), (4, "/S /D")) == ["1", "2", "i", "ii", "1", "2"]


def test_a_file_without_labels_gets_none() -> None:
    assert _labels(3) == [None, None, None]


def test_an_empty_label_is_none() -> None:
    assert _labels(3, (0, ""), (1, "/S /D")) == [None, "1", "2"]


def test_pages_before_the_first_range_get_no_label() -> None:
    assert _labels(5, (3, "/S /D")) == [None, None, None, "1", "2"]


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    ("tree", "labels"),
    [
        (["<< /Nums [0 << /S /D >> 2 << /S /r >>] >>"], ["1", "2", "i", "ii"]),
        (["<< /Nums [2 << /S /D >>] >>"], [None, None, "1", "2"]),
        (["<< /Nums [] >>"], [None, None, None, None]),
        (["<< >>"], [None, None, None, None]),
        (["null"], [None, None, None, None]),
        (["<< /Nums [0 null 2 << /S /D >>] >>"], [None, None, "1", "2"]),
        (["<< /Nums [0 @1 2 << /S /A >>] >>", "<< /S /D >>"], ["1", "2", "A", "B"]),
        (["<< /Nums @1 >>", "[0 << /S /D >>]"], ["1", "2", "3", "4"]),
        (["<< /Kids [<< /Nums [0 << /S /D >>] >>] >>"], ["1", "2", "3", "4"]),
        (["<< /Kids [] >>"], [None, None, None, None]),
        (
            ["<< /Kids [@1] >>", "<< /Limits [2 2] /Nums [2 << /S /D >>] >>"],
            [None, None, "1", "2"],
        ),
        (
            [
                "<< /Kids [@1 @2] >>",
                "<< /Limits [0 0] /Kids [@3] >>",
                "<< /Limits [3 3] /Nums [3 << /S /A >>] >>",
                "<< /Limits [0 0] /Nums [0 << /S /D >>] >>",
            ],
            ["1", "2", "3", "A"],
        ),
    ],
)
def test_only_pages_the_label_tree_covers_get_a_label(
    tree: list[str], labels: list[str | None], *, compressed: bool
) -> None:
    data = pdf(["text"] * 4, label_tree=tree, compressed=compressed)
    assert [page.page_label for page in read_bytes(data)] == labels


@pytest.mark.parametrize(
    "misleading", ["(/PageLabels)", "(/ObjStm)", f"({'/ObjStm ' * 5000})", "(/ObjStm >> stream\n)"]
)
def test_words_in_the_file_that_only_look_like_a_label_tree_mislead_nobody(misleading: str) -> None:
    data = pdf(["text"] * 2, label_tree=["<< /Nums [0 << /S /D >>] >>", misleading])
    assert [page.page_label for page in read_bytes(data)] == ["1", "2"]


def test_where_the_tree_cannot_be_followed_a_physical_number_is_no_label() -> None:
    tree = "<< /Nums [0 << /S /D >> 2 << /S /D >>] >>"
    for _ in range(30):
        tree = f"<< /Kids [{tree}] >>"
    data = pdf(["text"] * 4, label_tree=[tree])
    assert [page.page_label for page in read_bytes(data)] == [None, None, "1", "2"]


def test_a_label_tree_behind_a_long_stream_is_found() -> None:
    long = "\n".join(["all the whales in all the seas"] * 2000)
    data = pdf([long, "text"], labels=[(0, "/S /D")])
    assert len(data) > 200_000
    assert [page.page_label for page in read_bytes(data)] == ["1", "2"]


def test_a_label_of_absurd_length_is_none() -> None:
    assert _labels(1, (0, f"/P ({'x' * (LONGEST_LABEL + 1)})")) == [None]


def test_the_file_is_the_source_of_a_label_its_page_does_not_show() -> None:
    assert _sources(["text"] * 3, (0, "/S /D")) == ["pagelabels"] * 3


def test_a_page_without_label_has_no_source_though_it_shows_a_number() -> None:
    assert _sources(["text\n1", "text\n2", "text\n3"]) == [None, None, None]


@pytest.mark.parametrize(
    "layout",
    [
        "text\nmore\nand more\n{}",
        "{}\ntext\nmore\nand more",
        "Whales\n{}\ntext\nand more",
        "text\nmore\n{}\nWhales",
        "text\nmore\n– {} –",
        "text\nmore\n[{}]",
        "text\nmore\nPage {} of 300",
        "text\nmore\n{} / 300",
        "text\nmore\nSeite {}",
        "正文\n正文\n第{}页",
        "{} Chapter 3. Whales\ntext\nmore",
        "CHAPTER 3. WHALES {}\ntext\nmore",
        "A Guide to Whales {} / 300\ntext\nmore",
        "{}Chapter 3. Whales\ntext\nmore",
        "text\nmore\nOn ways to upgrade {}",
    ],
)
def test_a_label_shown_at_the_head_or_foot_is_printed(layout: str) -> None:
    pages = [layout.format(number) for number in (41, 42, 43)]
    assert _sources(pages, (0, "/S /D /St 41")) == ["printed"] * 3


def test_roman_folios_and_prefixed_ones_are_confirmed() -> None:
    pages = ["text\niv", "text\nv", "text\nA-1", "text\nA-2"]
    assert _sources(pages, (0, "/S /r /St 4"), (2, "/S /D /P (A-)")) == ["printed"] * 4


def test_labels_one_off_from_the_folios_are_not_printed() -> None:
    pages = [f"text\n{number}" for number in range(1, 9)]
    assert _sources(pages, (0, "/S /D /St 2")) == ["pagelabels"] * 8


def test_a_number_that_equals_a_label_by_chance_confirms_nothing() -> None:
    pages = ["text", "text", "3\nThe Whale", "text", "text", "text"]
    assert _sources(pages, (0, "/S /D")) == ["pagelabels"] * 6


def test_a_number_in_the_text_confirms_nothing() -> None:
    pages = ["one\ntwo\n1\nthree\nfour", "one\ntwo\n2\nthree\nfour"]
    assert _sources(pages, (0, "/S /D")) == ["pagelabels"] * 2


def test_folios_confirm_one_another_across_a_page_without_one() -> None:
    pages = ["text\n1", "A plate", "text\n3", None, None, None, "text\n7"]
    assert _sources(pages, (0, "/S /D")) == ["printed", "pagelabels", "printed", "pagelabels"]
