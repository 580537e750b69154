from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.errors import InvalidInput
from mcp_books.identifiers import Claim, RecordId, route
from tests.fakes import FakeArchive

ARCHIVES = (FakeArchive("alpha"), FakeArchive("beta"))


@pytest.mark.proves("8.1")
@pytest.mark.parametrize("text", ["alpha:abc", "ALPHA:abc", " alpha:abc ", "alpha: abc"])
def test_a_prefix_routes_whatever_its_case(text: str) -> None:
    source, reading = route(text, ARCHIVES)
    assert (source.id, str(reading.id)) == ("alpha", "alpha:abc")


@pytest.mark.proves("8.2")
def test_an_address_is_routed_to_the_archive_whose_it_is() -> None:
    source, reading = route("https://beta.example/b7", ARCHIVES)
    assert (source.id, reading.id, reading.as_given) == ("beta", RecordId("beta", "b7"), False)


@pytest.mark.proves("8.2")
def test_an_address_on_a_foreign_host_is_refused() -> None:
    with pytest.raises(InvalidInput):
        route("https://elsewhere.example/alpha/abc", ARCHIVES)


@pytest.mark.proves("8.3")
def test_one_exact_claim_wins_over_loose_ones() -> None:
    class Greedy(FakeArchive):
        def claim(self, text: str) -> Claim | None:
            return Claim(text, exact=False)

    source, reading = route("exact-beta", (Greedy("alpha"), FakeArchive("beta"), Greedy("gamma")))
    assert (source.id, reading.as_given) == ("beta", False)


@pytest.mark.proves("8.4")
def test_several_loose_claims_are_refused_with_both_spellings() -> None:
    with pytest.raises(InvalidInput) as refused:
        route("12345", ARCHIVES)
    assert "alpha:12345" in (refused.value.hint or "")
    assert "beta:12345" in (refused.value.hint or "")


@pytest.mark.proves("8.4")
def test_what_nobody_claims_points_at_the_searches() -> None:
    with pytest.raises(InvalidInput) as refused:
        route("no such thing!", ARCHIVES)
    assert "search_items" in (refused.value.hint or "")


class Anything(FakeArchive):
    """Claims whatever it is given, so that only the refusal can keep a string out."""

    def claim(self, text: str) -> Claim | None:
        return Claim(text, exact=True)


@pytest.mark.proves("8.5")
@pytest.mark.parametrize(
    "text",
    [
        "alpha:a\x00b",
        "alpha:a\u202eb",
        "alpha:a\u200bb",
        "alpha:a%00b",
        "alpha:../b",
        "alpha:a/%2e%2E/b",
        "alpha:a/%252e%252e/b",
        "https://alpha.example/./b",
        "alpha:https://alpha.example/b",
        "alpha:http://elsewhere.example",
    ],
)
def test_unsafe_identifiers_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        route(text, [Anything("alpha")])
    assert refused.value.hint


@pytest.mark.proves("8.5")
def test_a_string_with_control_characters_is_not_echoed() -> None:
    with pytest.raises(InvalidInput) as refused:
        route("alpha:secret\x1b[31m", ARCHIVES)
    assert "secret" not in refused.value.message


@given(st.text(max_size=80))
def test_any_string_is_read_or_refused(text: str) -> None:
    try:
        source, reading = route(text, ARCHIVES)
    except InvalidInput:
        return
    assert reading.id.source == source.id
