"""Reading one value an archive sent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.sources import _values as values

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
TAGS = (
    *(
        "<b>",
        "</b>",
        "<p>",
        "<br/>",
        "<script>",
        "</script>",
        "<style>",
        "<head>",
        "<body>",
        "<html>",
        "<td>",
        "<tr>",
        "<form>",
    ),
    *("<?php", "<!--", "-->", "<![CDATA[", "]]>", "<", ">", "&", "&amp;", "&#0;", "&#xD800;"),
)
SITE = "https://site.example/base"
WRITTEN = [("https://x.example/y", None), ("http://z.example/?a=1&b=2", None)]
MARKUP = st.lists(st.sampled_from([*TAGS, "\n", " ", "é", "\x00", '"'])).map("".join)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (None, ()),
        ("", ()),
        ("  two\n words ", ("two words",)),
        (["a", "", None, {"b": 1}, ["c"], "d"], ("a", "d")),
        (1884, ("1884",)),
        (True, ()),
        (("a", 2), ("a", "2")),
    ],
)
def test_texts_are_the_non_empty_ones_in_order(value: object, read: tuple[str, ...]) -> None:
    assert values.texts(value) == read


def test_first_is_the_first_text_or_none() -> None:
    assert values.first(["", "b", "c"]) == "b"
    assert values.first([]) is None


def test_joined_names_each_text_once() -> None:
    assert values.joined(["a", "b", "a"]) == "a; b"
    assert values.joined(["a", "b"], " / ") == "a / b"
    assert values.joined([]) is None


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (7, 7),
        (0, 0),
        ("0000000006", 6),
        (["6"], 6),
        ({"value": 6}, 6),
        ("1180974425.0", 1180974425),
        (7.0, 7),
        (7.5, None),
        (-3, None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        ([[214]], None),
        ("six", None),
        ("9" * 16, None),
        (None, None),
    ],
)
def test_a_number_is_read_from_any_of_its_shapes(value: object, read: int | None) -> None:
    assert values.number(value) == read


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (1884, 1884),
        ("1884-01-01T00:00:00Z", 1884),
        ("[1794]", 1794),
        ("c.a. 1850", 1850),
        (["n.d.", "1901"], 1901),
        ("1862-1905", 1862),
        ("03/07/1922", 1922),
        ("[18--?]", None),
        ("0000-01-01T00:00:00Z", None),
        ("0015-01-01", None),
        ("0999", None),
        (1000, 1000),
        (2200, 2200),
        (2201, None),
        ("18840101", None),
        (15, None),
        (None, None),
        ("-1712-01-01T00:00:00Z", None),
        (-1712, None),
        ("-1712/-1650", None),
        ("[ca. -1712]", None),
        ("\u22121712", None),
        ("1712 B.C.", None),
        ("1712 BCE", None),
        ("1712 av. J.-C.", None),
        ("1200 BC, printed 1880", 1880),
        ("03-07-1922", 1922),
        ("[18--?]-1905", 1905),
    ],
)
def test_a_year_has_four_digits_and_is_one_that_a_record_can_mean(
    value: object, read: int | None
) -> None:
    assert values.year(value) == read


def test_a_map_written_as_a_list_is_empty() -> None:
    assert values.mapping([]) == {}
    assert values.mapping({"a": 1}) == {"a": 1}
    assert values.rows({}) == []
    assert values.rows([1]) == [1]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("plain", "plain"),
        ("  padded ", "padded"),
        ("AT&T", "AT&T"),
        ("a < b > c", "a < b > c"),
        ("Smith &amp; Sons", "Smith & Sons"),
        ("&lt;b&gt;bold&lt;/b&gt;", "<b>bold</b>"),
        ("before<p>inside</p>after", "before\ninside\nafter"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<ul><li>x<li>y</ul>", "x\ny"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<b>bo</b>ld", "bold"),
        ("<script>x()</script>kept<style>p{}</style>", "kept"),
        ("<html><head><title>t</title></head><body><p>hi</p></body></html>", "hi"),
        ("<!-- no -->yes", "yes"),
        ("first\r\nsecond", "first\nsecond"),
        ("first\n\nsecond", "first\n\nsecond"),
        ("x <y z &amp; q", "x <y z & q"),
        ("&nbsp;", ""),
        ("<script>x()</script>&#160;", ""),
        ("", ""),
        ("<font>a" * 1000, "a" * 1000),
    ],
)
def test_markup_is_read_as_html_once(text: str, read: str) -> None:
    assert values.plain(text) == read


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (
            '<a class="x" href="/legal/?a=1&amp;b=2">Terms</a>',
            [(f"{SITE}/legal/?a=1&b=2", "Terms")],
        ),
        ("<A HREF='https://x.example/y'>y</A> https://z.example/", [("https://x.example/y", "y")]),
        ('<a href="//x.example/y">y</a>', [("https://x.example/y", "y")]),
        ("See https://x.example/y. Or http://z.example/?a=1&amp;b=2", WRITTEN),
        ('<a href="mailto:a@x.example">a</a> https://x.example/', []),
        ("no link", []),
    ],
)
def test_links_are_absolute_and_addresses_written_out_count_where_there_are_none(
    html: str, found: list[tuple[str, str | None]]
) -> None:
    assert list(values.links(html, SITE)) == found


def test_a_text_that_is_only_markup_is_none() -> None:
    assert values.plain_or_none("<p> </p>") is None
    assert values.plain_or_none(None) is None
    assert values.plain_or_none(["<i>a</i>"]) == "a"


@given(MARKUP | st.text())
def test_reading_markup_never_fails_and_keeps_no_whole_tag_of_the_page(text: str) -> None:
    read = values.plain(text)
    assert read == read.strip()
    assert "<script>" not in read
    read.encode()


@given(st.text(alphabet=st.characters(exclude_characters="<&\r", exclude_categories=["Cs"])))
def test_a_text_without_markup_is_kept_as_it_is(text: str) -> None:
    assert values.plain(text) == text.strip()


@given(ANYTHING)
def test_no_value_makes_a_reader_fail(value: Any) -> None:
    assert all(text and text == " ".join(text.split()) for text in values.texts(value))
    year = values.year(value)
    assert year is None or 1000 <= year <= 2200
    number = values.number(value)
    assert number is None or number >= 0
    values.mapping(value)
    values.rows(value)
    values.plain_or_none(value)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>a\x0bb</p>", "a b"),
        ("a<br>\x1bb", "a\n\x1bb"),
        ("<p>&#1;x", "x"),
        ("<p>\ufffe</p>y", "\ufffe\ny"),
        ("text</body></html>\n<p>two", "text\ntwo"),
        ("<plaintext>x <b>y</b>", "x y"),
        ("<!-- gone -->kept", "kept"),
        ("<style>a</style>b<script>c</script>d<title>e</title>f", "bdf"),
    ],
)
def test_odd_markup_is_read_without_losing_its_text(markup: str, text: str) -> None:
    found = values.plain(markup)
    assert found.replace("\x01", "") == text


@pytest.mark.parametrize(
    "hostile",
    [
        "<p " + " ".join(f"a{n}=1" for n in range(60_000)) + ">x",
        "x<style>y</style>" * 40_000,
        "<a " * 60_000,
        "<p>" * 60_000 + "x",
        "&#" * 60_000,
        "<" * 60_000,
    ],
    ids=["attributes", "styles", "open tags", "nested", "entities", "signs"],
)
def test_markup_that_a_parser_could_spend_minutes_on_is_read(hostile: str) -> None:
    assert isinstance(values.plain(hostile), str)
