from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_books.sources.calibre.extract.html_text import Walked, plain_label, walk
from tests.calibre.epub_files import xhtml


def body(markup: str) -> Walked:
    return walk(xhtml(markup))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>One  word\n and <i>an</i>other.</p><p>Two.</p>", "One word and another.\n\nTwo."),
        ("<div>One<div>Two</div>Three</div>", "One\n\nTwo\n\nThree"),
        ("<p>A line<br/>and a line</p>", "A line\nand a line"),
        ("<ul><li>One</li><li>Two</li></ul>", "One\nTwo"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<p>kept</p><script>var x = 1;</script><style>p {}</style>", "kept"),
        ("<p>a<svg xmlns='http://www.w3.org/2000/svg'><text>no</text></svg>b</p>", "ab"),
        ("<p>a <math xmlns='http://www.w3.org/1998/Math/MathML'><mi>x</mi></math> b</p>", "a b"),
        ("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby></p>", "漢字"),
        ("<p><ruby>\n<rb>漢</rb>\n<rt>かん</rt>\n<rb>字</rb><rt>じ</rt>\n</ruby>の</p>", "漢字の"),
        ("<p>日本\n  語の<em>本</em>\n文</p>", "日本語の本文"),
        ("<p>Rus\nсский 日本\nword</p>", "Rus сский 日本 word"),
        ("<p>co&#173;op&nbsp;&eacute;&hellip; AT&amp;T &lt;b&gt;</p>", "co\xadop é… AT&T <b>"),
        ("<p>\ufeffno mark</p>", "no mark"),
        ("<p><![CDATA[1 < 2]]></p>", "1 < 2"),
        ("<pre>\n  if a:\n    <b>b</b>\n\n  c\n</pre><p>d</p>", "  if a:\n    b\n\n  c\n\nd"),
        ("<title/><p>after an empty title</p>", "after an empty title"),
        ("", ""),
    ],
)
def test_a_document_reads_as_it_is_displayed(markup: str, text: str) -> None:
    assert body(markup).text == text


def test_ids_point_at_the_text_that_begins_at_them() -> None:
    walked = body('<h1 id="a">One</h1><p>x <span id="b"/> y</p><a name="c"/><p id="d">z</p>')
    assert {name: walked.text[place:][:3] for name, place in walked.ids.items()} == {
        "a": "One",
        "b": "y\n\n",
        "c": "z",
        "d": "z",
    }


def test_the_first_of_two_equal_ids_counts() -> None:
    assert body('<p id="a">x</p><p id="a">y</p>').ids == {"a": 0}


def test_an_id_after_the_last_text_points_at_the_end() -> None:
    assert body('<p>abc</p><p id="end"/>').ids["end"] == 3


@pytest.mark.parametrize(
    "mark",
    [
        '<span epub:type="pagebreak" id="p" title="12"/>',
        '<span epub:type="pagebreak" id="p" title="12">12</span>',
        '<span epub:type="pagebreak" id="p">12</span>',
        '<span role="doc-pagebreak" id="p" aria-label=" Page 12. "/>',
        '<a epub:type="noteref pagebreak" id="p"><b>12</b></a>',
    ],
)
def test_a_page_break_gives_its_label_and_no_text(mark: str) -> None:
    walked = body(f"<p>before {mark} after</p>")
    assert walked.text == "before after"
    assert [(b.offset, b.label, b.id) for b in walked.breaks] == [(7, "12", "p")]


def test_a_page_break_without_a_label_is_still_a_break() -> None:
    walked = body('<p>a</p><hr epub:type="pagebreak"/><p>b</p>')
    assert [(b.offset, b.label, b.id) for b in walked.breaks] == [(3, "", None)]


def test_a_page_break_that_holds_the_page_loses_none_of_it() -> None:
    walked = body(
        '<div epub:type="pagebreak" title="9"><p>All of the page that follows.</p>'
        '<p id="x">And more.</p></div>'
    )
    assert walked.text == "All of the page that follows.\n\nAnd more."
    assert walked.text[walked.ids["x"] :] == "And more."
    assert [(b.offset, b.label) for b in walked.breaks] == [(0, "9")]


def test_markup_that_ends_too_early_gives_what_there_was() -> None:
    cut = '<p>text <span epub:type="pagebreak" title="4">4'
    assert (walk(cut).text, [b.label for b in walk(cut).breaks]) == ("text", ["4"])
    assert walk("<h1>Title<script>var x").text == "Title"
    assert walk("<section><h1>Title").text == "Title"


def test_a_page_break_of_one_long_text_is_text() -> None:
    walked = body('<p><span epub:type="pagebreak">no label but a whole sentence</span></p>')
    assert walked.text == "no label but a whole sentence"


def test_a_word_that_a_page_break_parts_is_whole_and_stands_before_the_break() -> None:
    walked = body('<p>the con<span epub:type="pagebreak" title="2"/>ditions, which</p>')
    assert walked.text == "the conditions, which"
    assert walked.text[walked.breaks[0].offset :] == "which"


def test_a_page_break_between_two_ideographs_stays_there() -> None:
    walked = body('<p>日本<span epub:type="pagebreak" title="2"/>語</p>')
    assert walked.text[walked.breaks[0].offset :] == "語"


def test_what_calls_itself_contents_or_index_is_a_region() -> None:
    walked = body(
        '<nav epub:type="toc"><ol><li>One</li></ol></nav><p>text</p>'
        '<section role="doc-index"><p>Aa, 1</p></section>'
    )
    assert [(walked.text[r.start : r.end], r.kind) for r in walked.regions] == [
        ("One", "contents"),
        ("Aa, 1", "index"),
    ]


def test_page_lists_and_hidden_lists_are_no_text() -> None:
    walked = body(
        '<p>text</p><nav epub:type="page-list"><ol><li>1</li></ol></nav>'
        '<nav epub:type="landmarks" hidden="hidden"><ol><li>Start</li></ol></nav>'
        '<aside hidden="hidden"><p>a note</p></aside>'
    )
    assert walked.text == "text\n\na note"


@pytest.mark.parametrize(
    "markup",
    [
        "<p>one<p>two & <b>three<i> four</b>",
        "<html><body><p>one</p><p>two & three four",
        "<?xml version='1.0'?><html><p>one<p>two & three &nosuch four</html>",
    ],
)
def test_markup_that_is_not_well_formed_is_read_as_html(markup: str) -> None:
    assert walk(markup).text.replace(" &nosuch", "") == "one\n\ntwo & three four"


def test_page_breaks_are_found_in_html_too_and_without_the_namespace() -> None:
    for markup in (
        '<p>a <span epub:type="pagebreak" title="3"></span>b',
        '<p>a <span epub:type="pagebreak" title="3"></span>b</p>',
    ):
        assert [b.label for b in walk(markup).breaks] == ["3"]


def test_nesting_ten_thousand_deep_is_read() -> None:
    deep = 10_000
    walked = body("<div>" * deep + "bottom" + "</div>" * deep + "<p>after</p>")
    assert walked.text == "bottom\n\nafter"


def test_no_entity_is_expanded_or_fetched() -> None:
    bomb = (
        '<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">'
        '<!-- don\'t ] --><!ENTITY file SYSTEM "file:///etc/passwd">]>'
        '<html xmlns="http://www.w3.org/1999/xhtml"><p title="&b;">x&file;&b;y</p></html>'
    )
    assert walk(bomb).text == "x&file;&b;y"


@pytest.mark.parametrize(
    ("label", "plain"),
    [(" xii ", "xii"), ("Page 5.", "5"), ("p. 7", "7"), ("A-3", "A-3"), ("", ""), ("x" * 40, "")],
)
def test_a_label_is_given_without_what_is_said_for_listeners(label: str, plain: str) -> None:
    assert plain_label(label) == plain


_TAGS = ["p", "b", "br/", "pre", "li", "ruby", "rt", "svg", "h2", "script", "nav hidden='' id='n'"]


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([f"<{tag}>" for tag in _TAGS]),
            st.sampled_from([f"</{tag.split(' ', 1)[0]}>" for tag in _TAGS]),
            st.sampled_from(['<i epub:type="pagebreak">', "</i>", '<a id="x">', "&amp;", "&", "<"]),
            st.text(max_size=6),
        ),
        max_size=30,
    )
)
def test_any_markup_gives_text_without_loose_space_and_places_within_it(parts: list[str]) -> None:
    walked = walk("".join(parts))
    assert walked.text == walked.text.strip() or "<pre>" in parts
    places = [*walked.ids.values(), *(b.offset for b in walked.breaks)]
    assert all(0 <= place <= len(walked.text) for place in places)
    assert [b.offset for b in walked.breaks] == sorted(b.offset for b in walked.breaks)
