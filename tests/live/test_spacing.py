"""The live suite asks more slowly than the product, and a stand-in on loopback at once."""

from __future__ import annotations

import pytest

from mcp_books.settings import Settings
from mcp_books.sources.base import Profile
from mcp_books.sources.registry import PROFILES
from tests_live.asking import settings_for


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.id)
def test_an_archive_is_asked_more_slowly_than_the_product_asks(profile: Profile) -> None:
    interval = settings_for(profile.id, Settings()).min_interval
    assert interval is not None
    assert interval > profile.pace_seconds


def test_a_wider_spacing_of_the_readers_own_stands() -> None:
    assert settings_for("loc", Settings(min_interval=20)).min_interval == 20


def test_a_stand_in_on_loopback_is_asked_at_once() -> None:
    given = Settings.model_validate({"bnf_url": "http://127.0.0.1:9"})
    assert settings_for("bnf", given).min_interval is None
    assert settings_for("loc", given).min_interval is not None


def test_the_readers_own_libraries_are_no_part_of_it() -> None:
    given = Settings.model_validate({"calibre_libraries": "Books"})
    assert settings_for("archive", given).calibre_libraries is None
