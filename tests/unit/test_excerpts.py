"""Whether a text carries the words of a query, and cutting it around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.sources._excerpts import Needles, cut_around, fold, needles, opening, spans

PROSE = st.lists(
    st.text(alphabet="abcdefghié—", min_size=1, max_size=12), min_size=1, max_size=120
).map(" ".join)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Call me", Needles(("call", "me"), ())),
        ('"Call me" Ishmael', Needles(("ishmael",), (("call", "me"),))),
        ("“Call me”", Needles((), (("call", "me"),))),
        ("« café noir »", Needles((), (("cafe", "noir"),))),
        ('open "quote', Needles(("open", "quote"), ())),
        ("same same SAME", Needles(("same",), ())),
        ('"" - ', Needles((), ())),
        ("‟call me‟ x", Needles(("x",), (("call", "me"),))),
        ("＂call me＂", Needles((), (("call", "me"),))),
        ("„call me“ „me“", Needles((), (("call", "me"), ("me",)))),
        ("AT&T", Needles((), (), (("at", "t"),))),
        ("-ship (ex-president's)", Needles(("ship",), (), (("ex", "president", "s"),))),
        ("三國 演", Needles(("演",), (), (("三", "國"),))),
    ],
)
def test_a_query_is_read_as_words_and_phrases(query: str, wanted: Needles) -> None:
    assert needles(query) == wanted


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("Call me Ishmael.", "ishmael", ["Ishmael"]),
        ("Call me Ishmael.", "ishmael call", ["Call", "Ishmael"]),
        ("Call me Ishmael.", '"call me"', ["Call me"]),
        ("Call me,\nIshmael.", '"me ishmael"', ["me,\nIshmael"]),
        ("a whale, a Whale", "whale", ["whale", "Whale"]),
        ("LES CAFÉS", "cafes", ["CAFÉS"]),
        ("les cafe\u0301s", "cafés", ["cafe\u0301s"]),
        ("ex\u00adample", "example", ["ex\u00adample"]),
        ("der Fluß", "fluss", ["Fluß"]),
        ("der Fluss", "Fluß", ["Fluss"]),
        ("Łódź", "lodz", ["Łódź"]),
        ("Lodz", "Łódź", ["Lodz"]),
        ("KØBENHAVN", "kobenhavn", ["KØBENHAVN"]),
        ("Encyclopædia", "encyclopaedia", ["Encyclopædia"]),
        ("ses Oeuvres", "œuvres", ["Oeuvres"]),
        ("Þórður og Guðrún", "thordur gudrun", ["Þórður", "Guðrún"]),
        ("Đà Nẵng, Diyarbakır", '"da nang" diyarbakir', ["Đà Nẵng", "Diyarbakır"]),
        ("卷一 三國演義全文", "三國演義", ["三國演義"]),
        ("吾輩は猫である", "猫である", ["猫である"]),
        ("ﾄｳｷｮｳの塔", "トウキョウ", ["ﾄｳｷｮｳ"]),
        ("푸른 바다를 보다", "바다", ["바다"]),
        ("푸른 바다를", "\u1107\u1161\u1103\u1161", ["바다"]),
        ("ในทะเลลึก", "ทะเล", ["ทะเล"]),
        ("the ex-President spoke", "ex-president", ["ex-President"]),
        ("the ex president spoke", "ex-president", ["ex president"]),
        ("de l’été", "l'été", ["l’été"]),
        ("of AT & T", "AT&T", ["AT & T"]),
    ],
)
def test_words_are_found_without_case_and_diacritics(
    text: str, query: str, found: list[str]
) -> None:
    assert [text[start:end] for start, end in spans(text, needles(query))] == found


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Call me Ishmael.", "ishmael whale"),
        ("Call me Ishmael.", '"me call"'),
        ("whales", "whale"),
        ("", "whale"),
        ("whale", '""'),
        ("the president of an ex", "ex-president"),
        ("T. sat at home", "AT&T"),
        ("été, dit l'homme", "l'été"),
        ("三國志演義", "三國演義"),
        ("Baroque", "bæroque"),
        ("I call and me too", "‟call me‟"),
    ],
)
def test_nothing_is_found_unless_everything_is(text: str, query: str) -> None:
    assert spans(text, needles(query)) == ()


def test_a_cut_lies_around_the_mark_between_words_and_says_what_is_left_out() -> None:
    text = "one two three four five six seven eight nine ten"
    start = text.index("five")
    cut = cut_around(text, [(start, start + 4)], 20)
    assert cut == "…four five six…"


def test_a_cut_takes_in_as_many_marks_as_fit() -> None:
    text = "whale " + "x" * 60 + " whale and whale again " + "y" * 60
    marks = spans(text, needles("whale"))
    assert cut_around(text, marks, 40).count("whale") == 2


def test_a_text_within_the_budget_is_not_cut() -> None:
    assert cut_around("short", [(0, 5)], 80) == "short"
    assert opening("short", 5) == "short"


def test_an_opening_starts_at_the_start() -> None:
    cut = opening("word " * 40, 30)
    assert cut.startswith("word")
    assert cut.endswith("word…")


def test_a_line_end_is_a_place_to_cut() -> None:
    assert opening("first\nsecond\nthird", 14) == "first\nsecond…"


@given(PROSE, st.integers(80, 200), st.data())
def test_a_cut_keeps_to_its_budget_and_holds_its_mark(
    text: str, budget: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, min(len(text), start + 40)))
    cut = cut_around(text, [(start, end)], budget)
    assert len(cut) <= budget
    assert text[start:end].strip() in cut
    assert cut.removeprefix("…").removesuffix("…") in text


@given(PROSE, st.integers(80, 200), st.data())
def test_a_cut_without_room_for_its_marks_still_keeps_to_its_budget(
    text: str, budget: int, data: st.DataObject
) -> None:
    edges = st.integers(0, len(text))
    marks = data.draw(st.lists(st.tuples(edges, edges).map(sorted).map(tuple), max_size=6))
    cut = cut_around(text, [(mark[0], mark[1]) for mark in marks], budget)
    assert 0 < len(cut) <= budget


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(min_size=1))
def test_a_text_carries_its_own_words(text: str) -> None:
    wanted = needles(text)
    if (wanted.words or wanted.compounds) and not wanted.phrases:
        assert spans(text, wanted)
