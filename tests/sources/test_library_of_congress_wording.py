"""What is sent for a wording, so that what was asked stays true."""

from __future__ import annotations

import pytest

from mcp_books.errors import InvalidInput
from mcp_books.sources.library_of_congress.wording import Sent, wording_sent


@pytest.mark.parametrize(
    ("asked", "text", "left_out"),
    [
        ("whale fishery", "whale fishery", ()),
        ('"call me ishmael"', '"call me ishmael"', ()),
        ("«call me» “ishmael ahab”", '"call me" "ishmael ahab"', ()),
        ("‟call me ishmael‟", '"call me ishmael"', ()),
        ("＂call me＂ x", '"call me" x', ()),
        ("„call me“ x", '"call me" x', ()),
        ('whale "white', "whale white", ()),
        ("whale (white) [i.e. grey] {x}", "whale white i.e. grey x", ()),
        ("hypnotism -doctor", "hypnotism", ("doctor",)),
        ('hypnotism -"family doctor"', "hypnotism", ('"family doctor"',)),
        ("hypnotism NOT doctor", "hypnotism", ("doctor",)),
        ("hypnotism AND NOT doctor", "hypnotism", ("doctor",)),
        ("whale AND ship", "whale ship", ()),
        ("co-operation well-known", "co-operation well-known", ()),
        ("Paris - London", "Paris London", ()),
        ("AT & T", "AT & T", ()),
        ("to be or not to be", "to be or not to be", ()),
        ("LIFE OR DEATH NOT WANTED", "LIFE or DEATH not WANTED", ()),
        ("NOT guilty", "not guilty", ()),
        ("OR Tambo", "or Tambo", ()),
        ('"live OR die | trying"', '"live OR die trying"', ()),
        ("鯨", "鯨", ()),
    ],
)
def test_operators_the_library_would_drop_are_never_sent(
    asked: str, text: str, left_out: tuple[str, ...]
) -> None:
    assert wording_sent(asked) == Sent(text, left_out)


@pytest.mark.parametrize(
    "asked",
    ["whale OR shark", "whale | shark", "whale|shark", "1925 OR 1926", "鯨 OR 海", "a (b OR c)"],
)
def test_alternatives_are_refused_because_every_side_would_be_required(asked: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        wording_sent(asked)
    assert refused.value.hint


@pytest.mark.parametrize("asked", ["--", '""', "!?", "-whale", "|", "()"])
def test_a_query_without_a_word_left_is_refused(asked: str) -> None:
    with pytest.raises(InvalidInput):
        wording_sent(asked)
