"""A query as a full-text expression: what is a word, what is left out, what can never get in."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.errors import InvalidInput
from mcp_books.sources._sparql import expression, literal, words
from mcp_books.sources._sparql.full_text import MAX_WORD_LENGTH, MAX_WORDS

TYPED = st.text(max_size=120) | st.lists(
    st.sampled_from(
        ["vent", "L'été", '"', "“", "»", "'", "''", "*", ".", " ", "AND", "\\", "½", "源", "\n"]
    ),
    max_size=40,
).map("".join)
SHAPE = re.compile(r"'[^'\"\\*\n\r\t]+'(?: AND '[^'\"\\*\n\r\t]+')*")


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("vent", "'vent'"),
        ("vent octobre", "'vent' AND 'octobre'"),
        ("vent  vent", "'vent'"),
        ("L'été", "'L' AND 'été'"),
        ("l’e\u0301te\u0301", "'l' AND 'été'"),
        ("Charleville-Mézières", "'Charleville' AND 'Mézières'"),
        ("S.O.S.", "'S.O.S'"),
        ("20.000 lieues", "'20.000' AND 'lieues'"),
        ("Fin. Début", "'Fin' AND 'Début'"),
        ("a..b", "'a' AND 'b'"),
        ("snake_case/word&#+x", "'snake' AND 'case' AND 'word' AND 'x'"),
        ('"vent d\'octobre" lire', "'vent d octobre' AND 'lire'"),
        ("« vent d’octobre »", "'vent d octobre'"),
        ("‟vent octobre‟ ＂neige bleue＂", "'vent octobre' AND 'neige bleue'"),
        ('vent "d octobre', "'vent' AND 'd' AND 'octobre'"),
        ('"" vent ""', "'vent'"),
        ("oct* *bre", "'oct' AND 'bre'"),
        ("zzz'OR'octobre", "'zzz' AND 'OR' AND 'octobre'"),
        ("NOT vent", "'NOT' AND 'vent'"),
        ("n º 5 ½", "'n' AND '5'"),
        ("Muʿawwaḍ Turcʼh", "'Muʿawwaḍ' AND 'Turcʼh'"),
        ("源氏", "'源' AND '氏'"),
        ("x\u00ady\u200bz\u00a0w", "'x' AND 'y' AND 'z' AND 'w'"),
    ],
)
def test_words_are_split_as_the_engine_splits_them(text: str, argument: str) -> None:
    assert expression(text).argument == argument


@pytest.mark.parametrize(
    ("text", "plain", "set_aside", "differs"),
    [
        ("vent d octobre", "vent d octobre", (), False),
        ("vent d'octobre", "vent d octobre", (), True),
        ('lire "vent  d octobre"', 'lire "vent d octobre"', (), False),
        ("lire « vent d octobre »", 'lire "vent d octobre"', (), False),
        ("vent -octobre", "vent octobre", (), True),
        ("vent*", "vent", (), True),
        ("vent ★", "vent", (), True),
        ("e\u0301te\u0301", "été", (), True),
        ("n º 5", "n 5", ("º",), True),
        ("ߞߟߡ vent", "vent", ("ߞߟߡ",), True),
        ("vent " + "x" * 66, "vent", ("x" * 39 + "…",), True),
        ("x" * 65, "x" * 65, (), False),
        (
            '"a b c d e f g h i j k l m" n',
            '"a b c d e f g h i j k l"',
            ("m", "n"),
            True,
        ),
    ],
)
def test_what_differs_from_the_wording_is_said(
    text: str, plain: str, set_aside: tuple[str, ...], differs: bool
) -> None:
    made = expression(text)
    assert (made.plain, made.set_aside, made.differs) == (plain, set_aside, differs)


@pytest.mark.parametrize("text", ["", "  ", "?!", "'", '"', "*", "😀", "½ º ²", "…", "\U00020000"])
def test_a_query_without_a_word_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        expression(text)
    assert caught.value.hint


@given(TYPED)
def test_whatever_is_typed_the_expression_holds_quoted_words_alone(text: str) -> None:
    try:
        made = expression(text)
    except InvalidInput:
        assert words(unicodedata.normalize("NFC", text)) == ()
        return
    assert SHAPE.fullmatch(made.argument)
    sent = made.argument.replace("' AND '", " ").strip("'").split(" ")
    assert 0 < len(sent) <= MAX_WORDS
    assert all(0 < len(word) <= MAX_WORD_LENGTH for word in sent)
    assert all(words(word) == (word,) for word in sent)


@given(TYPED)
def test_what_was_sent_says_the_same_when_it_is_asked_again(text: str) -> None:
    try:
        made = expression(text)
    except InvalidInput:
        return
    assert expression(made.plain).argument == made.argument


@given(st.text())
def test_a_literal_ends_where_it_was_meant_to(text: str) -> None:
    written = literal(text)
    assert re.fullmatch(r'"(?:[^"\\\n\r]|\\.)*"', written, re.DOTALL)
    assert "\n" not in written
    unescaped = {"n": "\n", "r": "\r", "t": "\t"}
    read = re.sub(r"\\(.)", lambda found: unescaped.get(found[1], found[1]), written[1:-1])
    assert read == text
