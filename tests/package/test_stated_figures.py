"""Figures that the READMEs state in prose are those of the code."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from mcp_books.settings import LogLevel, Settings
from mcp_books.sources.registry import PROFILES
from tests.package.reading import project, text

pytestmark = pytest.mark.parametrize("readme", ["README.md", "README.fr.md"])


def test_the_spacings_are_those_of_the_profiles(readme: str) -> None:
    stated = re.findall(r"^\| [^|]+ \| (\d+) s(?:,[^|]+)? \|", text(readme), re.MULTILINE)
    assert [float(one) for one in stated] == [profile.pace_seconds for profile in PROFILES]


def test_the_times_are_the_defaults_of_the_settings(readme: str) -> None:
    minutes = re.findall(r"(\d+) minutes", text(readme))
    seconds = re.findall(r"(\d+) secondes?", text(readme)) + re.findall(
        r"(\d+) seconds", text(readme)
    )
    assert [int(one) * 60 for one in minutes] == [Settings().cache_ttl]
    assert [int(one) for one in seconds] == [Settings().answer_timeout]


def test_the_log_levels_are_those_there_are(readme: str) -> None:
    (row,) = re.findall(r"^\| `BOOKS_LOG_LEVEL` \|[^|]*\| ([\w, ]+)", text(readme), re.MULTILINE)
    assert row.strip().split(", ") == list(get_args(LogLevel))


def test_the_lowest_python_is_the_one_asked_for(readme: str) -> None:
    assert f"Python {project()['requires-python'].removeprefix('>=')} " in text(readme)
