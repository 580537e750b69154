"""Whatever string is routed among the registered archives, it is read safely or refused."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_books._http import Http
from mcp_books.errors import InvalidInput
from mcp_books.identifiers import route
from mcp_books.settings import Settings
from mcp_books.sources.base import Profile
from mcp_books.sources.registry import PROFILES, build_sources

SOURCES = build_sources(Settings(), Http(Settings()))
EXAMPLES = [example for profile in PROFILES for example in profile.examples]
PREFIXES = ["", *(f"{profile.id}:" for profile in PROFILES)]


def _edited(parts: tuple[str, int, int, str]) -> str:
    example, start, length, inserted = parts
    return example[:start] + inserted + example[start + length :]


edited_examples = st.tuples(
    st.sampled_from(EXAMPLES),
    st.integers(0, 80),
    st.integers(0, 5),
    st.one_of(st.text(max_size=3), st.sampled_from(["/", "%2e%2e", "@", ":", "?", "#", "//", " "])),
).map(_edited)


@pytest.mark.proves("8.1", "8.5")
@settings(max_examples=400, deadline=None)
@given(st.sampled_from(PREFIXES), st.one_of(st.text(max_size=60), edited_examples))
def test_a_string_is_read_as_one_archives_safe_identifier_or_refused(
    prefix: str, text: str
) -> None:
    try:
        source, reading = route(prefix + text, SOURCES)
    except InvalidInput:
        return
    reference = reading.id.reference
    assert reference
    assert ".." not in reference.split("/")
    categories = {unicodedata.category(character) for character in reference}
    assert not categories & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    again, repeated = route(str(reading.id), SOURCES)
    assert again is source
    assert repeated.id == reading.id


@pytest.mark.proves("8.2", "8.3")
@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.id)
def test_an_example_is_routed_to_its_own_archive_once_prefixed_or_complete(
    profile: Profile,
) -> None:
    for example in profile.examples:
        text = example if "://" in example else f"{profile.id}:{example}"
        source, _ = route(text, SOURCES)
        assert source.id == profile.id
