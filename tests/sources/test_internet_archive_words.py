"""A caller's words made safe for the archive's query parser."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.sources.internet_archive.lucene import safe_words

TYPED = st.lists(
    st.sampled_from(
        [
            *(
                "whale",
                "AT&T",
                "R&D",
                "9/11",
                "title:moby",
                "AND",
                "OR",
                "NOT",
                "TO",
                "&&",
                "||",
                "&",
            ),
            *(
                '"',
                "“",
                "”",
                "«",
                "»",
                "-",
                "+x",
                "-y",
                "(a",
                "b)",
                "[18",
                "TO",
                "19]",
                "{",
                "a*",
                "?",
            ),
            *(
                "\\",
                "\\&",
                "x~2",
                "^3",
                "~",
                "café",
                "鯨",
                "☉",
                "!",
                "C++",
                "l'homme",
                "…",
                " ",
                "\n",
            ),
        ]
    )
).map(" ".join) | st.text(max_size=60)


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("moby dick", "moby dick"),
        ('"call me ishmael"', '"call me ishmael"'),
        ('call "me ishmael', 'call "me ishmael"'),
        ('ishmael"', "ishmael"),
        ('12" record', '12 "record"'),
        ("“call me” ishmael", '"call me" ishmael'),
        ("« café noir »", '"café noir"'),
        ("‟call me ishmael‟", '"call me ishmael"'),
        ("＂call me＂ x", '"call me" x'),
        ("„call me“ x", '"call me" x'),
        ('one"two three"four', 'one "two three" four'),
        ("AT&T", '"AT T"'),
        ('"AT&T company"', '"AT T company"'),
        ("Smith & Sons", "Smith Sons"),
        ("Fahrenheit 9/11", 'Fahrenheit "9/11"'),
        ("title:moby", '"title:moby"'),
        ("title: moby", "title moby"),
        ("http://archive.org/", '"http://archive.org"'),
        ("to be OR NOT to be", "to be or not to be"),
        ("FROM HERE TO ETERNITY", "FROM HERE to ETERNITY"),
        ('"THIS AND THAT" OR so', '"THIS AND THAT" or so'),
        ("year:[1884 TO 1888]", '"year:[1884" to 1888'),
        ("(whale) [ship] {sea}", "whale ship sea"),
        ("who wrote hamlet?", "who wrote hamlet"),
        ("hist*ry", '"hist*ry"'),
        ("histor*", "histor"),
        ("-exclude +include", "exclude include"),
        ("twenty-one C++", "twenty-one C++"),
        ('"call me"~5 now', '"call me" now'),
        ("roam~2", '"roam~2"'),
        ("back\\slash", '"back slash"'),
        ("a && b || !c", "a b c"),
        ("l'homme qui rit", "l'homme qui rit"),
        ("Кит и маяк", "Кит и маяк"),
        ("☉ rising", "☉ rising"),
        ("", ""),
        ('"" & ... (!)', ""),
        ("\u2014 \u2026", ""),
    ],
)
def test_words_keep_their_meaning_and_lose_their_syntax(typed: str, sent: str) -> None:
    assert safe_words(typed) == sent


@given(TYPED)
def test_what_is_sent_is_words_and_balanced_phrases_alone(typed: str) -> None:
    sent = safe_words(typed)
    assert sent.count('"') % 2 == 0
    assert not re.search(r"\w&|&\w|\\", sent)
    outside = " ".join(sent.split('"')[::2])
    assert not re.search(r"[&|!(){}\[\]^~*?:\\/<>=]", outside)
    assert not {"AND", "OR", "NOT", "TO"} & set(outside.split())
    assert not any(word.startswith(("+", "-")) for word in outside.split())


@given(TYPED)
def test_making_safe_words_safe_changes_nothing(typed: str) -> None:
    sent = safe_words(typed)
    assert safe_words(sent) == sent


@given(TYPED)
def test_no_word_is_added_or_lost(typed: str) -> None:
    asked = re.sub(r'(["“”„‟«»＂])[~^][\d.]*', r"\1", typed)
    assert re.findall(r"[^\W_]+", safe_words(typed).lower()) == re.findall(
        r"[^\W_]+", asked.lower()
    )
