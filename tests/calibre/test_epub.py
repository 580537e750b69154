from __future__ import annotations

from pathlib import Path

import pytest

from mcp_books.sources.calibre.extract.base import Stretch
from mcp_books.sources.calibre.extract.epub import read
from tests.calibre.epub_files import epub, nav, ncx, opf, xhtml
from tests.calibre.partly import partly

ITEM = '<item id="{0}" href="{1}" media-type="application/xhtml+xml"/>'


def texts_of(path: Path) -> list[str]:
    return [stretch.text for stretch in read(path)]


def sections_of(path: Path) -> list[tuple[str, str | None]]:
    return [(stretch.text, stretch.section) for stretch in read(path)]


def kinds_of(path: Path) -> list[tuple[str, str]]:
    return [(stretch.text, stretch.kind) for stretch in read(path)]


def test_the_spine_gives_the_order_and_texts_beside_it_are_read_too(tmp_path: Path) -> None:
    texts = {"z.xhtml": "<p>two</p>", "n.xhtml": "<p>note</p>", "a.xhtml": "<p>one</p>"}
    spine = ["a.xhtml", "n.xhtml", "z.xhtml"]
    book = epub(tmp_path / "b.epub", texts, spine=spine, aside=["n.xhtml"])
    assert list(read(book)) == [Stretch("one"), Stretch("note"), Stretch("two")]


def test_a_text_that_the_spine_lists_by_its_fragments_is_read_once(tmp_path: Path) -> None:
    items = "".join(ITEM.format(f"i{n}", f"a.xhtml#s{n}") for n in range(50))
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(50))
    package = opf(items + ITEM.format("b", "b.xhtml"), spine + '<itemref idref="b"/>')
    texts = {"a.xhtml": "<p id='s1'>one</p>", "b.xhtml": "<p>two</p>"}
    book = epub(tmp_path / "b.epub", texts, others={"OPS/book.opf": package})
    assert texts_of(book) == ["one", "two"]


@pytest.mark.parametrize(
    ("href", "entry"),
    [
        ("a%20b%C3%A9.xhtml", "OPS/a bé.xhtml"),
        ("a b.xhtml", "OPS/a b.xhtml"),
        ("100%25.xhtml", "OPS/100%.xhtml"),
        ("100%.xhtml", "OPS/100%.xhtml"),
        ("/Text/a.xhtml", "Text/a.xhtml"),
        ("../Text/a.xhtml", "Text/a.xhtml"),
        ("../../../Text/a.xhtml", "Text/a.xhtml"),
        ("./x/../Text/./a.xhtml", "OPS/Text/a.xhtml"),
        (r"Text\a.xhtml", "OPS/Text/a.xhtml"),
        ("Text/a.xhtml", r"OPS\Text\a.xhtml"),
        ("text/A.XHTML", "OPS/Text/a.xhtml"),
        ("a.xhtml?version=2", "OPS/a.xhtml"),
        ("caf%C3%A9.xhtml", "OPS/cafe\u0301.xhtml"),
        ("a.xhtml", "/OPS/a.xhtml"),
    ],
)
def test_an_address_finds_its_entry_however_it_is_written(
    tmp_path: Path, href: str, entry: str
) -> None:
    others = {
        "OPS/book.opf": opf(ITEM.format("a", href), '<itemref idref="a"/>'),
        entry: xhtml("<p>found</p>"),
    }
    assert texts_of(epub(tmp_path / "b.epub", {}, others=others)) == ["found"]


@pytest.mark.parametrize(
    "href",
    ["../../outside.xhtml", "/outside.xhtml", "file:///{0}/outside.xhtml", "{0}/outside.xhtml"],
)
def test_no_address_leads_out_of_the_zip_file(tmp_path: Path, href: str) -> None:
    (tmp_path / "outside.xhtml").write_text(xhtml("<p>secret</p>"), encoding="utf-8")
    folder = tmp_path / "one" / "two"
    folder.mkdir(parents=True)
    items = ITEM.format("a", "a.xhtml") + ITEM.format("x", href.format(tmp_path.as_posix()))
    package = opf(items, '<itemref idref="a"/><itemref idref="x"/>')
    others = {"OPS/book.opf": package}
    book = epub(folder / "b.epub", {"a.xhtml": "<p>inside</p>"}, others=others)
    assert partly(read(book)).texts == ["inside"]


def test_missing_files_cost_no_more_than_themselves(tmp_path: Path) -> None:
    items = ITEM.format("a", "a.xhtml") + ITEM.format("gone", "gone.xhtml")
    items += '<item id="nav" href="gone-nav.xhtml" properties="nav"/><item id="bare"/>'
    order = ("gone", "nowhere", "bare", "a")
    spine = "".join(f'<itemref idref="{name}"/>' for name in order)
    others = {"OPS/book.opf": opf(items, f"{spine}<itemref/>")}
    book = epub(tmp_path / "b.epub", {"a.xhtml": "<p>one</p>"}, others=others)
    assert partly(read(book)) == ([Stretch("one")], "1 of 2 texts could not be read")


def test_without_a_container_file_the_package_document_is_looked_for(tmp_path: Path) -> None:
    book = epub(
        tmp_path / "b.epub", {"a.xhtml": "<p>one</p>"}, others={"META-INF/container.xml": ""}
    )
    assert texts_of(book) == ["one"]


def test_of_several_package_documents_the_first_is_read(tmp_path: Path) -> None:
    container = (
        '<container><rootfiles><rootfile full-path="book.pdf" media-type="application/pdf"/>'
        '<rootfile full-path="OPS/book.opf"/><rootfile full-path="other.opf"/></rootfiles>'
        "</container>"
    )
    others = {
        "META-INF/container.xml": container,
        "book.pdf": "%PDF",
        "other.opf": opf(ITEM.format("x", "x.xhtml"), '<itemref idref="x"/>'),
        "x.xhtml": xhtml("<p>other</p>"),
    }
    assert texts_of(epub(tmp_path / "b.epub", {"a.xhtml": "<p>one</p>"}, others=others)) == ["one"]


def test_a_package_document_with_an_odd_prefix_and_an_ampersand_is_read(tmp_path: Path) -> None:
    package = (
        '<?xml version="1.0"?><o:package xmlns:o="http://www.idpf.org/2007/opf"><o:metadata>'
        '<dc:title>Q & A</dc:title></o:metadata><o:manifest><o:item id="a" href="a.xhtml"/>'
        '</o:manifest><o:spine><o:itemref idref="a"/></o:spine></o:package>'
    )
    others = {"OPS/book.opf": package}
    assert texts_of(epub(tmp_path / "b.epub", {"a.xhtml": "<p>one</p>"}, others=others)) == ["one"]


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (b"\xef\xbb\xbf" + xhtml("<p>d\u00e9j\u00e0</p>").encode(), "déjà"),
        (xhtml("<p>déjà</p>").replace("utf-8", "utf-16").encode("utf-16"), "déjà"),
        (xhtml("<p>déjà</p>").replace("utf-8", "iso-8859-1").encode("latin-1"), "déjà"),
        (b"<?xml version='1.0'?><html><p>one<p>two & three</html>", "one\n\ntwo & three"),
        (xhtml("<div>" * 10_000 + "deep" + "</div>" * 10_000).encode(), "deep"),
    ],
    ids=["bom", "utf-16", "latin-1", "not well-formed", "deep"],
)
def test_a_text_is_read_in_its_encoding_and_however_it_is_made(
    tmp_path: Path, document: bytes, text: str
) -> None:
    assert texts_of(epub(tmp_path / "b.epub", {"a.xhtml": document})) == [text]


CHAPTERS = {
    "a.xhtml": "<p>cover</p>",
    "b.xhtml": '<h1 id="p">Part</h1><h2 id="c1">One</h2><p>first</p><h2 id="c2">Two</h2><p>x</p>',
    "c.xhtml": "<p>still two</p>",
    "n.xhtml": "<p>a note</p>",
    "d.xhtml": "<p>end</p>",
}
EXPECTED = [
    ("cover", None),
    ("Part", "Part I"),
    ("One\n\nfirst", "Part I › The One"),
    ("Two\n\nx", "Part I › Two"),
    ("still two", "Part I › Two"),
    ("a note", None),
    ("end", "End"),
]
TOC = (
    '<li><a href="b.xhtml">Part I</a><ol><li><a href="b.xhtml#c1">The\n <i>One</i></a></li>'
    '<li><span><a href="./b%2Exhtml#c2"><ruby>Two<rt>ni</rt></ruby></a></span></li></ol></li>'
    '<li><a href="d.xhtml">End</a></li><li><a href="gone.xhtml">Gone</a></li>'
)
NCX = (
    '<navPoint><navLabel><text>Part I</text></navLabel><content src="b.xhtml"/>'
    "<navPoint><navLabel><text>The One</text></navLabel>"
    '<content src="b.xhtml#c1"/></navPoint><navPoint><content src="b.xhtml#c2"/>'
    "<navLabel><text>Two</text></navLabel></navPoint></navPoint>"
    '<navPoint><navLabel><text>End</text></navLabel><content src="d.xhtml"/></navPoint>'
)


def test_the_section_is_the_path_in_the_nav_document(tmp_path: Path) -> None:
    wrong = ncx("<navPoint><navLabel><text>No</text></navLabel><content src='a.xhtml'/></navPoint>")
    book = epub(tmp_path / "b.epub", CHAPTERS, nav=nav(TOC), ncx=wrong, aside=["n.xhtml"])
    assert sections_of(book) == EXPECTED


def test_the_section_is_the_path_in_the_ncx_where_there_is_no_nav(tmp_path: Path) -> None:
    book = epub(tmp_path / "b.epub", CHAPTERS, ncx=ncx(NCX), aside=["n.xhtml"])
    assert sections_of(book) == EXPECTED


def test_a_nav_document_without_a_table_of_contents_leaves_it_to_the_ncx(tmp_path: Path) -> None:
    landmarks = nav(landmarks='<li><a epub:type="cover" href="a.xhtml">Cover</a></li>')
    book = epub(tmp_path / "b.epub", CHAPTERS, nav=landmarks, ncx=ncx(NCX), aside=["n.xhtml"])
    assert sections_of(book) == EXPECTED


def test_a_heading_without_a_link_stands_in_the_path_of_its_entries(tmp_path: Path) -> None:
    toc = '<li><span>Part I</span><ol><li><a href="a.xhtml">One</a></li></ol></li>'
    book = epub(tmp_path / "b.epub", {"a.xhtml": "<p>x</p>"}, nav=nav(toc))
    assert sections_of(book) == [("x", "Part I › One")]


def test_a_chapter_whose_id_is_missing_begins_with_its_text_if_alone(tmp_path: Path) -> None:
    texts = {"a.xhtml": "<p>x</p>", "b.xhtml": '<p>y</p><p id="here">z</p>'}
    toc = (
        '<li><a href="a.xhtml#gone">A</a></li><li><a href="b.xhtml#gone">B</a></li>'
        '<li><a href="b.xhtml#here">C</a></li>'
    )
    book = epub(tmp_path / "b.epub", texts, nav=nav(toc))
    assert sections_of(book) == [("x", "A"), ("y", "A"), ("z", "C")]


def test_chapters_that_all_point_at_one_place_name_what_encloses_them(tmp_path: Path) -> None:
    toc = "".join(f'<li><a href="a.xhtml">Chapter {n}</a></li>' for n in (1, 2, 3))
    apart = epub(tmp_path / "a.epub", {"a.xhtml": "<p>x</p>"}, nav=nav(toc))
    assert sections_of(apart) == [("x", None)]
    enclosed = nav(f"<li><span>Book</span><ol>{toc}</ol></li>")
    book = epub(tmp_path / "b.epub", {"a.xhtml": "<p>x</p>"}, nav=enclosed)
    assert sections_of(book) == [("x", "Book")]


def test_a_part_and_its_first_chapter_at_one_place_name_the_chapter(tmp_path: Path) -> None:
    toc = (
        '<li><a href="a.xhtml">Part</a><ol><li><a href="a.xhtml">One</a></li></ol></li>'
        '<li><a href="a.xhtml">Part</a></li>'
    )
    book = epub(tmp_path / "b.epub", {"a.xhtml": "<p>x</p>"}, nav=nav(toc))
    assert sections_of(book) == [("x", "Part › One")]


def test_a_title_may_be_a_picture_and_is_shortened_when_it_is_a_paragraph(tmp_path: Path) -> None:
    texts = {"a.xhtml": "<p>x</p>", "b.xhtml": "<p>y</p>"}
    toc = (
        '<li><a href="a.xhtml"><img alt="Plate I"/></a></li>'
        f'<li><a href="b.xhtml">{"word " * 100}</a></li>'
    )
    (_, first), (_, second) = sections_of(epub(tmp_path / "b.epub", texts, nav=nav(toc)))
    assert first == "Plate I"
    assert second is not None
    assert second.endswith("word…")
    assert len(second) <= 200


def test_a_nav_document_in_the_spine_is_contents(tmp_path: Path) -> None:
    texts = {"a.xhtml": "<p>x</p>"}
    book = epub(
        tmp_path / "b.epub",
        texts,
        nav=nav('<li><a href="a.xhtml">One</a></li>', '<li><a href="a.xhtml">1</a></li>'),
        spine=["nav", "a.xhtml"],
    )
    assert kinds_of(book) == [("toc\n\nOne", "contents"), ("x", "body")]


@pytest.mark.parametrize("mark", ['epub:type="index"', 'role="doc-index"'])
def test_what_the_text_calls_an_index_is_one(tmp_path: Path, mark: str) -> None:
    body = f"<p>text</p><section {mark}><p>Ahab, 1</p></section>"
    assert kinds_of(epub(tmp_path / "b.epub", {"a.xhtml": body})) == [
        ("text", "body"),
        ("Ahab, 1", "index"),
    ]


PLACES = {
    "a.xhtml": '<p id="t">One, 3</p><p id="c">chapter</p>',
    "i.xhtml": '<h2 id="i">Aa</h2><h2 id="ii">Bb</h2><p id="after">colophon</p>',
}
PLACES_TOC = (
    '<li><a href="a.xhtml#t">Contents</a></li><li><a href="a.xhtml#c">One</a></li>'
    '<li><a href="i.xhtml">Index</a><ol><li><a href="i.xhtml#ii">B</a></li></ol></li>'
    '<li><a href="i.xhtml#after">Colophon</a></li>'
)
PLACES_KINDS = [
    ("One, 3", "contents"),
    ("chapter", "body"),
    ("Aa", "index"),
    ("Bb", "index"),
    ("colophon", "body"),
]


def test_landmarks_and_the_guide_tell_contents_and_index_up_to_the_next_section(
    tmp_path: Path,
) -> None:
    landmarks = (
        '<li><a epub:type="toc" href="a.xhtml#t">Contents</a></li>'
        '<li><a epub:type="index" href="i.xhtml">Index</a></li>'
    )
    marked = epub(tmp_path / "a.epub", PLACES, nav=nav(PLACES_TOC, landmarks=landmarks))
    assert kinds_of(marked) == PLACES_KINDS
    guide = '<reference type="toc" href="a.xhtml#t"/><reference type="index" href="i.xhtml"/>'
    guided = epub(tmp_path / "b.epub", PLACES, nav=nav(PLACES_TOC), guide=guide)
    assert kinds_of(guided) == PLACES_KINDS


def test_a_nav_document_that_is_mostly_text_is_a_text(tmp_path: Path) -> None:
    front = nav('<li><a href="a.xhtml">One</a></li>').replace("</body>", "<p>more</p></body>")
    book = epub(tmp_path / "b.epub", {"a.xhtml": "<p>x</p>"}, nav=front, spine=["nav", "a.xhtml"])
    long = front.replace("more", "A preface, and a long one at that.")
    assert kinds_of(book)[-2:] == [("more", "contents"), ("x", "body")]
    other = epub(tmp_path / "c.epub", {"a.xhtml": "<p>x</p>"}, nav=long, spine=["nav", "a.xhtml"])
    assert kinds_of(other) == [
        ("toc\n\nOne", "contents"),
        ("A preface, and a long one at that.", "body"),
        ("x", "body"),
    ]


def test_a_long_chapter_is_cut_into_stretches_of_one_section(tmp_path: Path) -> None:
    body = "<p>A sentence of the chapter.</p>" * 500
    book = epub(tmp_path / "b.epub", {"a.xhtml": body}, nav=nav('<li><a href="a.xhtml">A</a></li>'))
    found = list(read(book))
    assert len(found) > 5
    assert {(stretch.section, stretch.page_number, stretch.kind) for stretch in found} == {
        ("A", None, "body")
    }
