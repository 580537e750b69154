from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.errors import InvalidInput
from mcp_books.sources.calibre.index import Query, Term, read_query, read_words
from mcp_books.sources.calibre.index.query import MOST_CHARACTERS, MOST_WORDS


@pytest.fixture(scope="module")
def database() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE f USING fts5 (t, content='')")
        yield db


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("White  Whale", '"white" "whale"'),
        ('"white whale" ship', '"white whale" "ship"'),
        ("“white whale” «le bateau»", '"white whale" "le bateau"'),
        ('an "unclosed phrase', '"an" "unclosed" "phrase"'),
        ("state-of-the-art C++ AT&T 3.11", '"state of the art" "c" "at t" "3 11"'),
        ("title:T -foo foo* (a OR b) NOT^c", '"title t" "foo" "a" "or" "b" "not c"'),
        ("levia* lev*", '"levia"* "lev"'),
        ("今天，阅读 テキスト", '"今 天" "阅 读" "テ キ ス ト"'),
        ("كِتَاب שלום мир", '"كتاب" "שלום" "мир"'),
        ("Python编程", '"python 编 程"'),
        ("wh\x00ale whale", '"whale"'),
    ],
)
def test_a_query_becomes_quoted_terms(text: str, expression: str) -> None:
    assert read_query(text).expression == expression


@pytest.mark.parametrize(
    "text", ["", " \n", '""', '"""', "*", "?! … —", "\x00", "\U0001f600", "\ud800"]
)
def test_a_query_without_a_word_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_query(text)


def test_ten_thousand_words_are_cut_and_the_rest_counted() -> None:
    query = read_query(" ".join(f"w{number}" for number in range(10_000)))
    assert len(query.terms) == MOST_WORDS
    assert query.left_out == 10_000 - MOST_WORDS


def test_a_phrase_past_the_last_word_is_cut() -> None:
    query = read_query('one "' + " ".join("abc" for _ in range(40)) + '"')
    assert sum(len(term.words) for term in query.terms) == MOST_WORDS
    assert query.left_out == 41 - MOST_WORDS


def test_a_word_asked_twice_counts_once() -> None:
    assert read_query("whale Whale WHALE") == Query((Term(("whale",)),))


def test_a_single_run_of_many_characters_is_cut() -> None:
    query = read_query("x" * (MOST_CHARACTERS + 500))
    assert query.terms == (Term(("x" * MOST_CHARACTERS,)),)
    assert query.left_out == 1


@given(text=st.text(max_size=120))
def test_no_query_is_a_syntax_error(database: sqlite3.Connection, text: str) -> None:
    try:
        query = read_query(text)
    except InvalidInput:
        return
    database.execute("SELECT rowid FROM f WHERE f MATCH ?", (query.expression,)).fetchall()


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("whale ete", "A Whale in l'Été; the whales.", ["Whale", "Été"]),
        ('"white whale"', "white, whale\nand white ship", ["white, whale"]),
        ("levia*", "The LEVIATHAN, levity", ["LEVIATHAN"]),
        ("软件", "今天软件很软", ["软件"]),
        ("content", "con\u00adtent e\u0301 content", ["con\u00adtent", "content"]),
        ("ete", "e\u0301te\u0301!", ["e\u0301te\u0301"]),
        ('"a b" "b c"', "a b c", ["a b c"]),
        ("absent", "nothing here", []),
    ],
)
def test_marks_stand_where_the_index_found_the_words(
    query: str, text: str, marked: list[str]
) -> None:
    assert [text[start:end] for start, end in read_query(query).marks(text)] == marked


@pytest.mark.parametrize(
    ("text", "sent_as"),
    [
        ("wh* whale", "wh whale"),
        ('"call me * ishmael"', '"call me ishmael"'),
        ('"call me ? ishmael"', '"call me ishmael"'),
        ("whale -ship", "whale ship"),
        ("whale +ship !boat", "whale ship boat"),
        ('whale -"white ship"', 'whale "white ship"'),
        ("wh?le whale", '"wh le" whale'),
        ("wha*le*", '"wha le"'),
        ("levia* -ship", "levia* ship"),
        ("state-of-the-arti* (x)", "state-of-the-arti* x"),
        ("roam~ whale^2", 'roam "whale 2"'),
        ('"white whale"~3', '"white whale" 3'),
        ("title:whale", '"title whale"'),
        ('title:"white whale"', 'title "white whale"'),
        ("whale AND ship", "whale and ship"),
        ("whale OR (boat NOT ship)", "whale or boat not ship"),
        ("NOT whale", "not whale"),
        ("whale NEAR/3 ship", 'whale "near 3" ship'),
        ("whale && ship || boat", "whale ship boat"),
        ('"white whale', "white whale"),
        ("白鯨 -海", "白鯨 海"),
        ("Été (L'Œuvre)", 'ete "l oeuvre"'),
    ],
)
def test_what_was_asked_instead_is_said_where_a_sign_is_not_obeyed(text: str, sent_as: str) -> None:
    query = read_query(text)
    assert query.sent_as == sent_as
    assert read_query(sent_as).terms == query.terms
    assert read_query(sent_as).sent_as is None


@pytest.mark.parametrize(
    "text",
    [
        "White  Whale",
        '"Call me Ishmael."',
        "“white whale” «le bateau» ＂ship＂",
        '"Who goes there?"',
        "state-of-the-art C++ AT&T 3.11 12.5%",
        "Moby-Dick; or, the Whale: a romance - 1851 -- Été",
        "TO BE OR NOT TO BE",
        "AND NOW",
        "whale and ship or not",
        "Dombey & Son, http://example.org 12:30",
        "L'Œuvre au noir…",
        "今天，阅读（テキスト）？",
        "levia* leviathan*",
        "whale Whale",
    ],
)
def test_words_and_phrases_with_the_punctuation_of_prose_are_asked_as_written(text: str) -> None:
    assert read_query(text).sent_as is None


@given(
    text=st.lists(
        st.sampled_from(["whale", "Été", "白鯨", "state-of-the-arti", "*", "-", "(", ")", '"', " ",
                         "AND", ":", "?", "~", "x"]),
        max_size=14,
    ).map("".join)
)  # fmt: skip
def test_what_is_said_to_be_asked_is_read_as_the_same_query(text: str) -> None:
    try:
        query = read_query(text)
    except InvalidInput:
        return
    if query.sent_as is not None:
        again = read_query(query.sent_as)
        assert (again.terms, again.sent_as) == (query.terms, None)


def test_a_search_of_whole_words_obeys_no_star() -> None:
    assert read_words("levia* ship") == "levia ship"
    assert read_words("leviathan ship") is None
    assert (read_words("-" + " ".join(f"w{n}" for n in range(40))) or "").split()[39] == "w39"
