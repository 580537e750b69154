from __future__ import annotations

from pathlib import Path

import pytest

from mcp_books.sources.calibre.extract.epub import read
from tests.calibre.epub_files import epub, nav, ncx, page_list, xhtml

FULL = "A page that is full of text, as pages are. " * 3


def mark(label: str, name: str = "") -> str:
    named = f' id="{name}"' if name else ""
    return f'<span epub:type="pagebreak"{named} title="{label}"/>'


def labels_of(path: Path) -> list[tuple[str, str | None]]:
    found = list(read(path))
    assert all((s.page_label is None) == (s.label_source is None) for s in found)
    assert {s.label_source for s in found} <= {None, "pagelist"}
    return [(stretch.text, stretch.page_label) for stretch in found]


PAGES = {"a.xhtml": f'<p>title</p><p id="p1">{FULL}</p><p><a id="p2"/>two</p><p id="p3">three</p>'}
LIST = page_list("1 a.xhtml#p1", "2 a.xhtml#p2", "3 a.xhtml#p3")
LABELLED = [("title", None), (FULL.strip(), "1"), ("two", "2"), ("three", "3")]


def test_a_page_list_gives_the_label_of_the_text_between_two_breaks(tmp_path: Path) -> None:
    assert labels_of(epub(tmp_path / "b.epub", PAGES, nav=nav(pages=LIST))) == LABELLED


def test_the_ncx_gives_it_where_the_nav_document_has_no_page_list(tmp_path: Path) -> None:
    targets = "".join(
        f'<pageTarget type="normal" value="{n}">{label}<content src="a.xhtml#p{n}"/></pageTarget>'
        for n, label in ((1, "<navLabel><text>1</text></navLabel>"), (2, ""), (3, ""))
    )
    assert labels_of(epub(tmp_path / "b.epub", PAGES, ncx=ncx("", targets))) == LABELLED


@pytest.mark.parametrize(
    "one",
    [
        '<span epub:type="pagebreak" title="{}"/>',
        '<span epub:type="pagebreak">{}</span>',
        '<span role="doc-pagebreak" aria-label="Page {}."></span>',
    ],
)
def test_marks_in_the_text_give_it_without_any_list(tmp_path: Path, one: str) -> None:
    body = f"<p>title {one.format(1)} {FULL} {one.format(2)} two {one.format(3)} three</p>"
    assert labels_of(epub(tmp_path / "b.epub", {"a.xhtml": body})) == LABELLED


def test_the_list_counts_where_it_and_a_mark_disagree(tmp_path: Path) -> None:
    body = f"<p>{mark('x', 'p1')}{FULL}{mark('', 'p2')}two {mark('3')}three</p>"
    pages = page_list("1 a.xhtml#p1", "2 a.xhtml#p2")
    book = epub(tmp_path / "b.epub", {"a.xhtml": body}, nav=nav(pages=pages))
    assert labels_of(book) == LABELLED[1:]


def test_a_mark_without_a_label_ends_a_page_and_begins_an_unknown_one(tmp_path: Path) -> None:
    body = f"<p>{mark('1')}one {mark('')}unknown {mark('3')}three {mark('4')}four</p>"
    assert labels_of(epub(tmp_path / "b.epub", {"a.xhtml": body}))[:3] == [
        ("one", "1"),
        ("unknown", None),
        ("three", "3"),
    ]


@pytest.mark.parametrize(
    ("labels", "known"),
    [
        (("5", "6"), True),
        (("5", "7"), False),
        (("7", "5"), False),
        (("xii", "xiii"), True),
        (("xii", "xiv"), False),
        (("xii", "1"), True),
        (("xii", "3"), False),
        (("120", "1"), True),
        (("120", "120"), True),
        (("A-3", "A-4"), True),
        (("A-3", "A-5"), False),
        (("cover", "endpaper"), True),
    ],
)
def test_a_page_list_with_gaps_is_never_filled_in(
    tmp_path: Path, labels: tuple[str, str], known: bool
) -> None:
    body = f"<p>{mark(labels[0])}text {mark(labels[1])}more</p>"
    first, _ = labels_of(epub(tmp_path / "b.epub", {"a.xhtml": body}))
    assert first == ("text", labels[0] if known else None)


@pytest.mark.parametrize("gone", ["2 a.xhtml#gone", "2 gone.xhtml#p2", "plate gone.xhtml"])
def test_text_before_a_page_whose_place_is_missing_has_no_label(tmp_path: Path, gone: str) -> None:
    body = f'<p id="p1">one</p><p id="p3">three</p><p id="p4">{FULL}</p><p id="p5">five</p>'
    pages = page_list("1 a.xhtml#p1", gone, "2 a.xhtml#p3", "3 a.xhtml#p4", "4 a.xhtml#p5")
    book = epub(tmp_path / "b.epub", {"a.xhtml": body}, nav=nav(pages=pages))
    assert labels_of(book) == [("one", None), ("three", "2"), (FULL.strip(), "3"), ("five", "4")]


def test_of_two_pages_that_begin_at_one_place_the_last_holds_the_text(tmp_path: Path) -> None:
    body = f"<p>{mark('1')}{FULL}{mark('2')}{mark('3')}three {mark('4')}four</p>"
    assert labels_of(epub(tmp_path / "b.epub", {"a.xhtml": body})) == [
        (FULL.strip(), "1"),
        ("three", "3"),
        ("four", "4"),
    ]


def test_the_last_label_ends_with_its_text_and_no_later_than_a_page_can(tmp_path: Path) -> None:
    two_pages = f"{mark('1')}{FULL}{mark('2')}"
    short = {"a.xhtml": f"<p>{two_pages}end</p>", "b.xhtml": "<p>advertisement</p>"}
    assert labels_of(epub(tmp_path / "a.epub", short))[1:] == [
        ("end", "2"),
        ("advertisement", None),
    ]
    long = {"a.xhtml": f"<p>{two_pages}{FULL * 2}</p>"}
    assert labels_of(epub(tmp_path / "b.epub", long))[1:] == [((FULL * 2).strip(), None)]


def test_a_page_runs_on_into_the_next_text_of_the_spine(tmp_path: Path) -> None:
    texts = {
        "a.xhtml": f"<p>{mark('1')}{FULL}{mark('2')}two</p>",
        "b.xhtml": "<p>two too</p>",
        "n.xhtml": "<p>a note</p>",
        "c.xhtml": f"<p>still two {mark('3')}three</p>",
    }
    assert labels_of(epub(tmp_path / "b.epub", texts, aside=["n.xhtml"])) == [
        (FULL.strip(), "1"),
        ("two", "2"),
        ("two too", "2"),
        ("a note", None),
        ("still two", "2"),
        ("three", "3"),
    ]


def test_no_page_runs_on_through_more_text_than_a_page_holds(tmp_path: Path) -> None:
    texts = {
        "a.xhtml": f"<p>{mark('1')}{FULL}{mark('2')}two</p>",
        "b.xhtml": f"<p>{FULL * 3}</p>",
        "c.xhtml": f"<p>{mark('3')}three</p>",
    }
    assert labels_of(epub(tmp_path / "b.epub", texts)) == [
        (FULL.strip(), "1"),
        ("two", "2"),
        ((FULL * 3).strip(), None),
        ("three", "3"),
    ]


def test_notes_beside_the_flow_keep_the_breaks_of_their_own(tmp_path: Path) -> None:
    texts = {
        "a.xhtml": f"<p>{mark('1')}{FULL}{mark('2')}two</p>",
        "n.xhtml": f"<p>notes {mark('90')}ninety {mark('91')}end</p>",
        "b.xhtml": f"<p>{mark('3')}three</p>",
    }
    assert labels_of(epub(tmp_path / "b.epub", texts, aside=["n.xhtml"])) == [
        (FULL.strip(), "1"),
        ("two", "2"),
        ("notes", None),
        ("ninety", "90"),
        ("end", "91"),
        ("three", "3"),
    ]


def test_a_nav_document_between_two_pages_is_on_neither(tmp_path: Path) -> None:
    texts = {"a.xhtml": f"<p>{mark('i')}{FULL}{mark('ii')}two</p>", "b.xhtml": f"{mark('1')}one"}
    toc = nav('<li><a href="b.xhtml">One</a></li>')
    book = epub(tmp_path / "b.epub", texts, nav=toc, spine=["a.xhtml", "nav", "b.xhtml"])
    assert labels_of(book) == [
        (FULL.strip(), "i"),
        ("two", "ii"),
        ("toc\n\nOne", None),
        ("one", "1"),
    ]


def test_an_entry_that_names_a_whole_text_is_a_page_that_begins_with_it(tmp_path: Path) -> None:
    texts = {"a.xhtml": "<p>one</p>", "b.xhtml": "<p>two</p>"}
    book = epub(tmp_path / "b.epub", texts, nav=nav(pages=page_list("1 a.xhtml", "2 b.xhtml")))
    assert labels_of(book) == [("one", "1"), ("two", None)]


def test_adobes_page_map_gives_the_labels_of_older_books(tmp_path: Path) -> None:
    page_map = "".join(f'<page name="{n}" href="a.xhtml#p{n}"/>' for n in (1, 2, 3))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml"/>'
        '<item id="map" href="map.xml"/></manifest><spine page-map="map"><itemref idref="a"/>'
        "</spine></package>"
    )
    others = {
        "OPS/book.opf": package,
        "OPS/map.xml": f'<page-map xmlns="http://www.idpf.org/2007/opf">{page_map}</page-map>',
    }
    assert labels_of(epub(tmp_path / "b.epub", PAGES, others=others)) == LABELLED


def test_a_break_inside_a_word_leaves_the_word_on_the_page_it_begins_on(tmp_path: Path) -> None:
    body = f'<p>{mark("1")}{FULL}the con<a id="p2"/>ditions of it {mark("3")}end</p>'
    book = epub(
        tmp_path / "b.epub",
        {"a.xhtml": xhtml(body)},
        nav=nav(pages=page_list("2 a.xhtml#p2")),
    )
    assert labels_of(book) == [(f"{FULL}the conditions", "1"), ("of it", "2"), ("end", "3")]
