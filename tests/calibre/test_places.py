"""Where the index lies and which libraries there are."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from mcp_books.settings import Settings
from mcp_books.sources.calibre.places import index_file, libraries
from tests.calibre.libraries import Volume, make_library


def test_the_index_lies_in_the_folder_that_is_set(tmp_path: Path) -> None:
    settings = Settings(index_dir=tmp_path)
    assert index_file(settings) == tmp_path / "text-index.sqlite3"


def test_the_index_lies_in_the_users_data_folder_otherwise() -> None:
    found = index_file(Settings())
    assert found.name == "text-index.sqlite3"
    assert "mcp-books" in found.parts


def test_no_library_is_configured_by_default() -> None:
    assert libraries(Settings()) == ()


def test_libraries_come_with_their_names_and_excluded_tags(tmp_path: Path) -> None:
    folder = make_library(tmp_path / "Books", [Volume(tags=["secret"]), Volume(title="Open")])
    configured = os.pathsep.join((f"mine={folder}", str(tmp_path / "Other")))
    settings = Settings(calibre_libraries=configured, calibre_exclude_tags="secret")
    mine, other = libraries(settings)
    assert (mine.name, other.name) == ("mine", "Other")
    assert [book.title for book in mine.current().snapshot.books()] == ["Open"]


def test_an_entry_that_is_no_library_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(calibre_libraries=f"?=a{os.pathsep}{tmp_path / 'Books'}")
    with caplog.at_level(logging.ERROR):
        assert [one.name for one in libraries(settings)] == ["Books"]
        libraries(settings)
    assert len(caplog.records) == 1
