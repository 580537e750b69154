"""What the server and the client know of Calibre: it is asked once a library is configured."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import Client

from mcp_books import BooksClient
from mcp_books.errors import InvalidInput
from mcp_books.server import build_server
from mcp_books.settings import Settings
from mcp_books.sources.registry import PROFILES, not_read, profiles

from .test_definitions import compact
from .test_imports import TRANSPORT, loaded_after

pytestmark = pytest.mark.anyio


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(calibre_libraries=f"home={tmp_path}", index_dir=tmp_path)


async def test_a_configured_library_is_offered_to_the_model(settings: Settings) -> None:
    async with Client(build_server(settings)) as host:
        tools = (await host.list_tools()).tools
    for tool in tools[:2]:
        assert tool.input_schema["properties"]["sources"]["items"]["enum"][-1] == "calibre"
    assert "calibre:" in (tools[0].description or "")
    visible = [compact([tool.name, tool.description, tool.input_schema]) for tool in tools]
    assert sum(len(one.encode()) for one in visible) < 8_500


async def test_a_client_asks_it_by_its_name(settings: Settings) -> None:
    async with BooksClient(settings, sources=["calibre"]) as books:
        assert list(books.profiles) == ["calibre"]


async def test_a_client_without_it_does_not_say_that_it_is_not_configured(
    settings: Settings,
) -> None:
    async with BooksClient(settings, sources=["archive"]) as books:
        with pytest.raises(InvalidInput, match="no archive asked here"):
            await books.search_inside("whale", sources=["calibre"])


def test_it_is_not_read_until_a_library_is_configured(settings: Settings) -> None:
    assert profiles(Settings()) == PROFILES
    assert "BOOKS_CALIBRE_LIBRARIES" in not_read(Settings())["calibre"]
    assert [profile.id for profile in profiles(settings)][-1] == "calibre"
    assert not not_read(settings)


def test_a_demonstration_says_that_its_library_is_one(settings: Settings) -> None:
    shown = profiles(settings.model_copy(update={"demonstration": True}))[-1]
    assert "demonstration" in shown.name
    assert "Demonstration" in shown.attribution


def test_without_a_library_nothing_of_calibre_is_loaded_and_with_one_no_database() -> None:
    starting = "from mcp_books import Settings\nfrom mcp_books.server import build_server\n"
    without = loaded_after(starting + "build_server(Settings())")
    assert not [name for name in without if name.startswith("mcp_books.sources.calibre")]
    configured = loaded_after(starting + "build_server(Settings(calibre_libraries='x'))")
    assert configured.isdisjoint(TRANSPORT)
    client = "from mcp_books import BooksClient, Settings\n"
    asked = loaded_after(
        client + "BooksClient(Settings(calibre_libraries='x'), sources=['calibre'])"
    )
    assert asked.isdisjoint(TRANSPORT)
