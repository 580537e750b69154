"""A real SPARQL engine for the session, and the adapter that asks it through the real transport."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator

import pytest

from mcp_books._http import Http
from mcp_books.settings import Settings
from mcp_books.sources.data_bnf import DataBnf

from .engine import missing, running
from .records import graphs


def require_engine() -> None:
    lacking = missing()
    if lacking is None:
        return
    if sys.platform == "linux" and os.environ.get("CI") == "true":
        pytest.fail(f"CI has to have the engine: {lacking}")
    pytest.skip(lacking)


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the base address of an engine with the records and their text index."""
    require_engine()
    with running(tmp_path_factory.mktemp("engine"), graphs()) as base:
        yield base


@pytest.fixture(scope="session")
def engine_without_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the base address of an engine with the records and no text index."""
    require_engine()
    with running(tmp_path_factory.mktemp("engine"), graphs(), text_index=False) as base:
        yield base


@pytest.fixture
async def bnf(engine: str, anyio_backend: str) -> AsyncIterator[DataBnf]:
    async with Http(Settings(cache_ttl=0, max_retries=0)) as http:
        yield DataBnf(http, base_url=engine)
