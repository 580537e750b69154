"""What a source declares and claims: rules that ask the archive nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import get_args
from urllib.parse import urlsplit

import pytest

from mcp_books._http import Http
from mcp_books.errors import InvalidInput
from mcp_books.identifiers import Claim, route
from mcp_books.settings import Settings
from mcp_books.sources.base import Narrowing, Question, Source
from mcp_books.sources.registry import build_sources

__all__ = ["DeclaredContract"]

HOSTILE: tuple[str, ...] = (
    "",
    " ",
    "\x00",
    "a\x00b",
    "a\r\nHost: elsewhere.example",
    "..",
    "../../etc/passwd",
    "%2e%2e/%2e%2e/x",
    "%",
    "%zz",
    "%00",
    "/",
    "//",
    "///elsewhere.example/x",
    "?",
    "#",
    ":",
    "::",
    "x:",
    "http://",
    "https://",
    "http://[",
    "http://[::1",
    "http://[::1]:99999/x",
    "http://127.0.0.1:port/x",
    "https://elsewhere.example",
    "https://elsewhere.example/a b",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "ark:",
    "ark:/",
    "ark:/12148",
    "ark:/12148/",
    "ark:/12148/cb",
    "temp-work/",
    "'; DROP TABLE books; --",
    '"><script>alert(1)</script>',
    "{}",
    "${x}",
    "\ud800",
    "\u202eabc",
    "\u0661\u0662\u0663",
    "é" * 50,
    "日本語",
    "a" * 100_000,
    "1" * 100_000,
    "https://elsewhere.example/" + "a/" * 20_000,
)
"""Strings nobody's claim may trip over."""

LENGTHS: Mapping[str, int] = {
    "attribution": 75,
    "corpus": 80,
    "year_means": 80,
    "row_describes": 80,
    "pace_reason": 90,
}
"""Characters a profile has for what every answer repeats; a reason has `REASON_LENGTH`."""

REASON_LENGTH = 90


# An asynchronous fixture needs it, whatever the test that asks for the fixture.
@pytest.mark.usefixtures("anyio_backend")
class DeclaredContract:
    """Rules of what a source declares and claims; nothing is asked of the archive."""

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    def source(self) -> Source:
        """The source under test."""
        raise NotImplementedError("a suite defines the fixture 'source'")

    @pytest.fixture
    def neighbours(self, source: Source) -> Sequence[Source]:
        """The registered archives, but for the one under test: whom a claim could collide with."""
        settings = Settings()
        return [each for each in build_sources(settings, Http(settings)) if each.id != source.id]

    def test_a_question_is_answered_or_has_its_reason(self, source: Source) -> None:
        questions = frozenset(get_args(Question))
        assert source.answers | source.profile.cannot.keys() == questions
        assert not source.answers & source.profile.cannot.keys()

    def test_what_is_declared_of_its_texts_agrees_with_what_it_answers(
        self, source: Source
    ) -> None:
        holds_text = "search_inside" in source.answers
        assert (source.profile.corpus is not None) == holds_text
        assert holds_text or not source.profile.publishes_page_number

    def test_a_narrowing_is_honoured_or_has_its_reason(self, source: Source) -> None:
        if "search_items" not in source.answers:
            pytest.skip("it has no catalogue to narrow")
        profile = source.profile
        assert profile.honours | profile.cannot_filter.keys() == frozenset(get_args(Narrowing))
        assert not profile.honours & profile.cannot_filter.keys()

    def test_the_default_media_type_is_one_of_its_own(self, source: Source) -> None:
        profile = source.profile
        assert profile.default_media_type in (None, *profile.media_types)
        assert len(set(profile.media_types)) == len(profile.media_types)
        assert all(kind == kind.strip().lower() != "" for kind in profile.media_types)

    def test_what_every_answer_repeats_is_short(self, source: Source) -> None:
        profile = source.profile
        for name, length in LENGTHS.items():
            text = getattr(profile, name) or ""
            assert len(text.replace("{retrieved}", "2026-01-31")) <= length, name
        for reason in (*profile.cannot.values(), *profile.cannot_filter.values()):
            assert 0 < len(reason) <= REASON_LENGTH, reason

    def test_what_a_reader_sees_of_it_is_one_line_of_text(self, source: Source) -> None:
        profile = source.profile
        for text in (
            profile.name,
            profile.attribution,
            profile.row_describes,
            profile.year_means,
            *filter(None, (profile.corpus, profile.credit_note, profile.description_means)),
            *profile.searches_on,
            *profile.cannot.values(),
            *profile.cannot_filter.values(),
        ):
            assert text == " ".join(text.split()) != "", text
        assert profile.credit(date(2026, 1, 31)).strip()
        assert urlsplit(profile.home_url).scheme in ("http", "https")

    def test_its_id_can_stand_in_front_of_an_identifier(
        self, source: Source, neighbours: Sequence[Source]
    ) -> None:
        assert source.id.isascii()
        assert source.id.isidentifier()
        assert source.id == source.id.lower()
        assert source.id not in [each.id for each in neighbours]

    def test_it_has_examples_and_claims_them(self, source: Source) -> None:
        assert source.profile.examples
        for example in source.profile.examples:
            assert source.claim(example) is not None, example

    def test_no_neighbour_claims_its_examples_exactly(
        self, source: Source, neighbours: Sequence[Source]
    ) -> None:
        for example in source.profile.examples:
            for neighbour in neighbours:
                claim = _claim(neighbour, example)
                assert claim is None or not claim.exact, (example, neighbour.id)

    def test_it_claims_no_example_of_a_neighbour_exactly(
        self, source: Source, neighbours: Sequence[Source]
    ) -> None:
        for neighbour in neighbours:
            for example in neighbour.profile.examples:
                claim = _claim(source, example)
                assert claim is None or not claim.exact, (example, neighbour.id)

    def test_an_identifier_survives_being_printed_and_routed(
        self, source: Source, neighbours: Sequence[Source]
    ) -> None:
        everyone = [*neighbours, source]
        for example in source.profile.examples:
            claim = source.claim(example)
            assert claim is not None
            who, reading = route(source.record_id(claim.reference), everyone)
            assert who is source, example
            assert reading.id.reference == claim.reference, example
            assert reading.as_given, example

    def test_an_address_on_a_host_that_is_not_its_own_is_refused(self, source: Source) -> None:
        addresses = [each for each in source.profile.examples if "://" in each]
        for address in (source.profile.home_url, *addresses):
            parts = urlsplit(address)
            for host in (
                "elsewhere.example",
                f"{parts.netloc}.elsewhere.example",
                f"{parts.netloc}@elsewhere.example",
            ):
                foreign = parts._replace(netloc=host).geturl()
                assert _claim(source, foreign) is None, foreign

    def test_a_hostile_string_is_claimed_safely_or_refused(self, source: Source) -> None:
        for text in HOSTILE:
            claim = _claim(source, text)
            if claim is None:
                continue
            shown = ascii(text[:40])
            assert claim.reference, shown
            assert ".." not in claim.reference.split("/"), shown
            categories = {unicodedata.category(character) for character in claim.reference}
            assert not categories & {"Cc", "Cf", "Cs", "Zl", "Zp"}, shown


def _claim(source: Source, text: str) -> Claim | None:
    with suppress(InvalidInput):
        return source.claim(text)
    return None
