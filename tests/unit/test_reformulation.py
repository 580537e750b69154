from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books._phrases import Derivation
from mcp_books._reformulation import Reformulation, non_word_characters, reformulate

D = Derivation


def _wordings(query: str) -> list[tuple[Derivation, str]]:
    return [(each.derivation, each.text) for each in reformulate(query)]


@pytest.mark.proves("7.1", "7.2", "7.5")
def test_a_quoted_phrase_is_asked_as_it_is_then_unquoted_then_by_its_longest_words() -> None:
    assert _wordings('"call me ishmael"') == [
        (D.AS_ASKED, '"call me ishmael"'),
        (D.UNQUOTED, "call me ishmael"),
        (D.LONGEST_WORDS, "call ishmael"),
    ]


@pytest.mark.proves("7.2")
@pytest.mark.parametrize("query", ['"white whale', 'white whale"', 'the 12" gun'])
def test_a_stray_quotation_mark_quotes_nothing(query: str) -> None:
    assert D.UNQUOTED not in [kind for kind, _ in _wordings(query)]


@pytest.mark.proves("7.2")
@pytest.mark.parametrize(
    "query",
    [
        "“white whale”",
        "«white whale»",
        "„white whale“",
        "＂white whale＂",
        "〝white whale〞",
        "〝white whale〟",
    ],
)
def test_a_phrase_is_quoted_by_any_scripts_marks(query: str) -> None:
    assert (D.UNQUOTED, "white whale") in _wordings(query)


@pytest.mark.proves("7.3")
def test_decomposed_letters_are_also_asked_composed() -> None:
    decomposed = unicodedata.normalize("NFD", "été")
    assert (D.NFC, "été") in _wordings(decomposed)
    assert D.NFC not in [kind for kind, _ in _wordings("été")]


@pytest.mark.proves("7.4")
@pytest.mark.parametrize(
    ("query", "names"),
    [
        (
            "the voyage of Charles Darwin aboard the Beagle",
            ["Charles Darwin Beagle", "Charles Darwin"],
        ),
        ("where did Darwin go", ["Darwin"]),
        ("Where did Darwin go", ["Darwin"]),
        ("Charles Darwin wrote letters home", ["Charles Darwin"]),
        ("letters of the Royal Geographical Society London to Livingstone", ["Livingstone"]),
        ("Moby Dick", []),
        ("MOBY DICK", []),
        ("Whale ships of old", []),
        ("le roi Louis-Philippe", ["Louis-Philippe"]),
    ],
)
def test_names_marked_by_capitals_are_asked_in_whole_runs(query: str, names: list[str]) -> None:
    assert [text for kind, text in _wordings(query) if kind is D.NAMES] == names


@pytest.mark.proves("7.4", "7.5")
def test_marked_names_leave_no_room_for_longest_words() -> None:
    assert D.LONGEST_WORDS not in [kind for kind, _ in _wordings("the ship of Ahab in a storm")]


@pytest.mark.proves("7.5")
def test_the_longest_words_keep_their_written_order_and_the_earliest_of_equals() -> None:
    assert _wordings("of ships and whales and men")[1:] == [
        (D.LONGEST_WORDS, "ships and whales"),
        (D.LONGEST_WORDS, "ships whales"),
    ]


@pytest.mark.proves("7.6")
def test_diacritics_leave_latin_letters_only() -> None:
    assert (D.FOLDED, "ete война и мир йод") in _wordings("été война и мир йод")


@pytest.mark.proves("7.7")
def test_two_words_are_run_together_with_and_without_diacritics() -> None:
    assert _wordings("été indien") == [
        (D.AS_ASKED, "été indien"),
        (D.FOLDED, "ete indien"),
        (D.JOINED, "étéindien"),
        (D.JOINED_FOLDED, "eteindien"),
    ]
    assert [kind for kind, _ in _wordings("le roi")] == [D.AS_ASKED]


@pytest.mark.proves("7.9")
def test_without_fan_out_only_the_words_as_asked_remain() -> None:
    assert reformulate('"moby dick" été', fan_out=False) == (
        Reformulation('"moby dick" été', D.AS_ASKED),
    )


@pytest.mark.proves("7.12")
def test_symbols_are_listed_and_letters_marks_and_punctuation_are_not() -> None:
    assert non_word_characters("a+b = ½ 😀, n'été (२) 😀") == ("+", "=", "½", "😀")


@given(st.text(max_size=60))
def test_wordings_never_repeat_and_start_with_the_query(query: str) -> None:
    wordings = reformulate(query)
    keys = [" ".join(each.text.casefold().split()) for each in wordings]
    assert wordings[0] == Reformulation(query, D.AS_ASKED)
    assert len(keys) == len(set(keys))


@given(st.text(alphabet="abcdefé ĉ\u0301йЖ-' ", max_size=40))
def test_no_wording_holds_a_letter_that_the_query_does_not(query: str) -> None:
    letters = set(unicodedata.normalize("NFD", query))
    for wording in reformulate(query):
        assert set(unicodedata.normalize("NFD", wording.text)) <= letters | {" "}
