"""Searching the catalogues of libraries by words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.arguments import Sort
from mcp_books.errors import InvalidInput
from mcp_books.sources.calibre.catalogue import ORDERED_ON, Found, search
from mcp_books.sources.calibre.folding import fold
from mcp_books.sources.calibre.haystacks import terms
from mcp_books.sources.calibre.index import read_words
from mcp_books.sources.calibre.library import Library
from mcp_books.sources.calibre.snapshot import Snapshot

from .libraries import Volume, make_library

WHALE = Volume(
    title="Moby-Dick; or, The Whale",
    authors=("Herman Melville", "Anonymous| Editor"),
    series="Cétacés",
    publisher="Harper & Brothers",
    pubdate="1851-10-18 00:00:00+00:00",
    tags=("Sea stories", "Whaling"),
    identifiers={"isbn": "978-0-306-40615-7", "doi": "10.1000/xyz-1", "goodreads": "153747"},
    comments="<p>The <b>w</b>hite beast&nbsp;&eacute;chou&eacute;e.</p><p>Ahab<br>Pip</p>"
    "<script>hidden()</script><!-- unsaid -->",
    sizes={"EPUB": 1, "ORIGINAL_MOBI": 1},
)
OTHERS = (
    Volume(title="A Life of Whales", sort="Life of Whales, A", authors=("Zoe Whale",)),
    Volume(title="Straße nach Øst", authors=("Łukasz Đorđe",), pubdate="1900-01-01 00:00:00+00:00"),
    Volume(title="今天我们阅读软件包维护者指南", authors=("夏目漱石",), sizes={"PDF": 1}),
    Volume(title="책을 읽는 사람", authors=("ドストエフスキー",), tags=("ガラス",)),
    Volume(title="Ahab's Wife", pubdate="2000-12-31 23:00:00+00:00", comments="About whaling."),
)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = make_library(tmp_path_factory.mktemp("Library"), [WHALE, *OTHERS])
    return Library("mine", folder).current().snapshot


def numbers(found: Found) -> list[int]:
    return [match.book.id for match in found.rows]


@pytest.mark.parametrize(
    ("query", "books"),
    [
        ("whale", [1, 2]),
        ("WHALE moby", [1]),
        ("whal", []),  # whole words
        ("melville", [1]),
        ("editor anonymous", [1]),
        ("cetaces", [1]),
        ("CÉTACÉS", [1]),
        ("harper brothers whale", [1]),
        ("Harper & Brothers", [1]),
        ("stories", [1]),
        ("white", [1]),  # marked up in its middle
        ("echouee beast", [1]),
        ("ahab", [6, 1]),
        ("hidden", []),
        ("unsaid", []),
        ("ahabpip", []),  # a line break is a space
        ("strasse ost", [3]),
        ("lukasz dorde", [3]),
        ("阅读", [4]),
        ("读软", [4]),
        ("包读", []),
        ("漱石", [4]),
        ("책", [5]),
        ("책을", [5]),
        ("ガラス", [5]),
        ("ｶﾞﾗｽ", [5]),
        ("カラス", []),
        ('"moby dick"', [1]),
        ('"dick moby"', []),
        ("moby-dick", [1]),
        ("dick-moby", []),
        ("«or, the whale» melville", [1]),
        ("＂dick moby＂", []),
        ("〝moby dick〞", [1]),
        ("〝dick moby〞", []),
        ('"whale herman"', []),  # a phrase stays inside one text
        ('"sea stories whaling"', []),
        ('"melville anonymous"', []),
        ("ahab’s", [6]),
        ("9780306406157", [1]),
        ("978-0-306-40615-7", [1]),
        ("0306406152", [1]),
        ("0-306-40615-2", [1]),
        ("(0-306-40615-2),", [1]),
        ("moby，whale・dick", [1]),  # full-width punctuation is a space
        ("isbn:9780306406157", [1]),
        ("10.1000/xyz-1", [1]),
        ("goodreads 153747", [1]),
        ("15374", []),
        ('whale "', [1, 2]),
        ("whale AND moby", []),
        ("whale) OR (ahab", [1]),
        ("wha\u00adle", [1, 2]),
    ],
)
def test_every_word_and_every_phrase_has_to_stand_in_the_book(
    snapshot: Snapshot, query: str, books: list[int]
) -> None:
    found = search([snapshot], query)
    assert numbers(found) == books
    assert (found.total, found.more) == (len(books), False)


@pytest.mark.parametrize("query", ["", '""', "&&", "—", "\u0301", "\0"])
def test_a_query_without_a_word_is_refused(snapshot: Snapshot, query: str) -> None:
    with pytest.raises(InvalidInput):
        search([snapshot], query)


def test_ten_thousand_words_are_searched_like_one(snapshot: Snapshot) -> None:
    assert search([snapshot], "whale " * 10_000).total == 2
    assert search([snapshot], " ".join(f"word{number}" for number in range(10_000))).total == 0


@pytest.mark.parametrize(
    ("years", "books"),
    [
        ((None, None), [6, 1]),
        ((1851, 1851), [1]),
        ((None, 1900), [1]),
        ((2001, None), [6]),  # a midnight further east
        ((1852, 2000), []),
    ],
)
def test_a_range_of_years_is_of_the_date_of_publication(
    snapshot: Snapshot, years: tuple[int | None, int | None], books: list[int]
) -> None:
    found = search([snapshot], "ahab", year_from=years[0], year_to=years[1])
    assert numbers(found) == books


def test_a_book_without_a_date_is_in_no_range(snapshot: Snapshot) -> None:
    assert numbers(search([snapshot], "whale", year_to=2100)) == [1]


@pytest.mark.parametrize(
    ("media_type", "books"), [("epub", [1]), ("EPUB", [1]), ("pdf", []), ("original_mobi", [])]
)
def test_a_media_type_is_a_format_the_book_has(
    snapshot: Snapshot, media_type: str, books: list[int]
) -> None:
    assert numbers(search([snapshot], "whale", media_type=media_type)) == books


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> list[Snapshot]:
    first = make_library(
        tmp_path_factory.mktemp("First"),
        [
            Volume(title="The sea", sort="sea, The", pubdate="1900-01-01 00:00:00+00:00"),
            Volume(title="Undated sea"),
            Volume(title="Old", authors=("Sea Author",), pubdate="1800-01-01 00:00:00+00:00"),
            Volume(title="Aaa", comments="sea", pubdate="1990-01-01 00:00:00+00:00"),
        ],
    )
    second = make_library(
        tmp_path_factory.mktemp("Second"),
        [Volume(title="Éa sea", pubdate="1900-01-01 00:00:00+00:00", sort="ea sea")],
    )
    return [Library(name, path).current().snapshot for name, path in (("a", first), ("b", second))]


@pytest.mark.parametrize(
    ("sort", "titles"),
    [
        ("relevance", ["Éa sea", "The sea", "Undated sea", "Old", "Aaa"]),
        ("title", ["Aaa", "Éa sea", "Old", "The sea", "Undated sea"]),
        ("newest", ["Aaa", "Éa sea", "The sea", "Old", "Undated sea"]),
        ("oldest", ["Old", "Éa sea", "The sea", "Aaa", "Undated sea"]),
    ],
)
def test_rows_of_all_libraries_stand_in_one_order(
    dated: list[Snapshot], sort: Sort, titles: list[str]
) -> None:
    found = search(dated, "sea", sort=sort)
    assert [match.book.title for match in found.rows] == titles
    assert sort in ORDERED_ON
    assert [match.snapshot.library for match in found.rows if match.book.title == "Éa sea"] == ["b"]


def test_pages_follow_one_another_and_end(dated: list[Snapshot]) -> None:
    pages = [search(dated, "sea", limit=2, page=page) for page in (1, 2, 3, 4)]
    assert [[match.book.title for match in one.rows] for one in pages] == [
        ["Éa sea", "The sea"],
        ["Undated sea", "Old"],
        ["Aaa"],
        [],
    ]
    assert [(one.total, one.more) for one in pages] == [
        (5, True),
        (5, True),
        (5, False),
        (5, False),
    ]


def test_no_library_holds_no_book() -> None:
    assert search([], "sea") == Found((), 0, False)


def test_a_hostile_comment_is_folded_in_time_that_grows_with_its_length(tmp_path: Path) -> None:
    hostile = "<script" * 40_000 + "<!--" * 40_000 + "<" * 100_000 + "&" * 100_000
    folder = make_library(tmp_path, [Volume(title="sea", comments=hostile)])
    assert search([Library("mine", folder).current().snapshot], "sea").total == 1


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ægir’s ﬁne İstanbul", "aegir s fine istanbul"),
        ("résumé RE\u0301SUME\u0301", "resume resume"),
        ("snake_case, C++ & AT&T", "snake case c at t"),
        ("ΌΣΟΣ", "οσοσ"),
        ("Ёжик й", "ежик и"),
        ("שָׁלוֹם", "שלום"),
        ("日本 語", "日 本 語"),
        ("ไทย", "ไ ท ย"),
    ],
)
def test_words_are_folded_to_their_letters(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_a_term_stands_once_however_often_it_is_asked() -> None:
    assert terms('sea Sea "sea" SÉA') == ((" sea ",),)


@pytest.mark.parametrize(
    ("before", "after"), ['""', "“”", "””", "„“", "„”", "‟”", "«»", "»«", "＂＂", "〝〞", "〝〟"]
)
def test_a_phrase_is_searched_and_told_alike_in_any_quotation_marks(
    snapshot: Snapshot, before: str, after: str
) -> None:
    assert numbers(search([snapshot], f"{before}moby dick{after} -whale")) == [1]
    assert numbers(search([snapshot], f"{before}dick moby{after} -whale")) == []
    assert read_words(f"{before}moby dick{after} -whale") == '"moby dick" whale'


@given(
    st.lists(
        st.sampled_from([*'"“»〝〟 *-(:&', "，", "・", "\x01", "whale", "Été", "白鯨", "a-b",
                         "ガ", "AND", "0-306-40615-2", "L'Œuvre"]),
        max_size=8,
    ).map("".join)
)  # fmt: skip
def test_what_is_said_to_be_searched_finds_the_same(query: str) -> None:
    told = read_words(query)
    assert told is None or terms(told) == terms(query)
