from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.sources.calibre.index.normalise import normalise, tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Été À LA œuvre", "ete a la oeuvre"),
        ("Łódź Đặng Ærø ışık İstanbul", "lodz dang aero isik istanbul"),
        ("Ёлка ὈΔΥΣΣΕΎΣ Straße", "елка οδυσσευσ strasse"),
        ("e\u0301te\u0301", "ete"),
        ("con\u00adtent ﬁne ｆｕｌｌ x²", "content fine full x2"),
        ("كِتَابٌ كـتاب שָׁלוֹם", "كتاب كتاب שלום"),
        ("می\u200cخواهم", "میخواهم"),
        ("state-of-the-art 3.11 C++ don't a_b", "state of the art 3 11 c don t a b"),
        ("a\x00b \ud800 \U0001f600", "a b"),
    ],
)
def test_two_spellings_become_the_same_words(text: str, words: str) -> None:
    assert normalise(text).split() == words.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("今天ABC软件", "今 天 abc 软 件"),
        ("か\u3099 ｶﾞ 책을", "が ガ 책 을"),
        ("ภาษา", "ภ า ษ า"),
    ],
)
def test_scripts_without_spaces_have_a_word_a_character(text: str, words: str) -> None:
    assert normalise(text).split() == words.split()


def test_marks_that_make_another_word_stay() -> None:
    assert normalise("か") != normalise("が")
    assert normalise("कर") != normalise("कुर")
    assert normalise("क्ष") != normalise("कष")


def test_a_word_of_an_indian_script_is_one_word() -> None:
    assert normalise("भारत की किताब").split() == ["भारत", "की", "किताब"]


@given(st.text(max_size=60))
def test_the_places_of_words_are_those_of_the_normalised_text(text: str) -> None:
    found = list(tokens(text))
    assert all(0 <= token.start < token.end <= len(text) for token in found)
    if unicodedata.is_normalized("NFKC", text):
        assert [token.word for token in found] == normalise(text).split()


@given(st.text(max_size=60))
def test_what_is_normalised_stays_as_it_is(text: str) -> None:
    once = normalise(text).split()
    assert normalise(" ".join(once)).split() == once
