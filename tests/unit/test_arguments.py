from __future__ import annotations

from typing import Any

import pytest

from mcp_books.arguments import InsideRequest, ItemsRequest, RecordRequest
from mcp_books.errors import InvalidInput


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"query": "a"}, "query"),
        ({"query": "  a  "}, "query"),
        ({"query": "x" * 301}, "query"),
        ({"query": "whale\x00"}, "query"),
        ({"query": "whale\u202e"}, "U+202E"),
        ({"query": "☃☃ — !"}, "query"),
        ({"query": '""'}, "query"),
        ({"query": "whale", "limit": 0}, "limit"),
        ({"query": "whale", "limit": 26}, "limit"),
        ({"query": "whale", "page": 101}, "page"),
        ({"query": "whale", "max_excerpt_chars": 79}, "max_excerpt_chars"),
        ({"query": "whale", "max_excerpts_per_match": 11}, "max_excerpts_per_match"),
        ({"query": "whale", "limt": 4}, "limt"),
        ({"query": "whale", "sources": []}, "sources"),
        ({}, "query"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        InsideRequest.of(arguments)
    assert named in refused.value.message
    assert ("limit" in (refused.value.hint or "")) == (named == "limt" or not arguments)
    assert "pydantic" not in refused.value.message


@pytest.mark.proves("6.6")
def test_reversed_years_are_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        ItemsRequest.of({"query": "whale", "year_from": 1900, "year_to": 1850})
    assert "1900" in refused.value.message


@pytest.mark.parametrize("year", [999, 2101])
def test_a_year_out_of_its_bounds_is_refused(year: int) -> None:
    with pytest.raises(InvalidInput):
        ItemsRequest.of({"query": "whale", "year_from": year})


def test_spaces_are_folded_and_archives_named_once_in_lower_case() -> None:
    request = InsideRequest.of({"query": " white \n whale ", "sources": ["LOC", "loc", "archive"]})
    assert (request.query, request.sources) == ("white whale", ("loc", "archive"))


def test_an_unknown_section_is_refused() -> None:
    with pytest.raises(InvalidInput):
        RecordRequest.of({"identifier": "archive:x", "sections": ["contents"]})


def test_an_error_is_short_however_much_was_sent() -> None:
    with pytest.raises(InvalidInput) as refused:
        InsideRequest.of({"query": "whale"} | {f"{'x' * 500}{n}": n for n in range(500)})
    assert len(refused.value.message) < 1000


@pytest.mark.parametrize(
    ("query", "read"),
    [("ma\u00adrine", "marine"), ("\ufeffwhale", "whale"), ("می\u200cخواهم", "می\u200cخواهم")],
)
def test_what_is_not_seen_is_dropped_and_what_joins_letters_is_kept(query: str, read: str) -> None:
    assert InsideRequest.of({"query": query}).query == read
