"""Off unless BOOKS_LIVE=1; one way to each archive for the whole run; the report at its end."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from mcp_books import __version__
from mcp_books._http import Http
from mcp_books.client import BooksClient
from mcp_books.settings import Settings
from mcp_books.sources.base import RemoteSource
from mcp_books.sources.registry import PROFILES, build_sources

from .asking import Archive, settings_for
from .report import Outcome, Report

SWITCH, PLACE = "BOOKS_LIVE", "BOOKS_LIVE_REPORT"
CLOSING = "test_closing.py"

_REPORT = pytest.StashKey[Report]()


def is_on() -> bool:
    return os.environ.get(SWITCH) == "1"


def pytest_configure(config: pytest.Config) -> None:
    for marker in (
        "archive(id): the archive that a live test asks",
        "question(id, text): an open question; the test records what it saw",
    ):
        config.addinivalue_line("markers", marker)
    config.stash[_REPORT] = Report()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    live = [item for item in items if item.path.is_relative_to(Path(__file__).parent)]
    if not is_on():
        for item in live:
            item.add_marker(pytest.mark.skip(reason=f"asks the archives: set {SWITCH}=1"))
        return
    items.sort(key=_is_closing)
    for item in live:
        if marker := item.get_closest_marker("question"):
            name, text = marker.args
            config.stash[_REPORT].expect_question(
                name, archive=_archive_of(item), question=text, test=item.nodeid
            )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if is_on() and item.get_closest_marker("archive"):
        item.config.stash[_REPORT].ran(
            item.nodeid,
            archive=_archive_of(item),
            closing=_is_closing(item),
            outcome=report.outcome,
            reason=_reason(report.outcome, call),
            seconds=report.duration,
        )
    return report


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if is_on():
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        session.config.stash[_REPORT].write(place(), complete=ended, version=__version__)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if is_on():
        terminalreporter.write_line(f"live report: {place()}")


def place() -> Path:
    return Path(os.environ.get(PLACE) or Path(__file__).with_name("report.json"))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
async def archives(
    anyio_backend: str, pytestconfig: pytest.Config
) -> AsyncIterator[Mapping[str, Archive]]:
    """Every archive, asked with one connection pool, one cache and one pace through the run."""
    own = (SWITCH, PLACE)
    given = Settings.from_env({name: os.environ[name] for name in os.environ if name not in own})
    ready: dict[str, Archive] = {}
    async with AsyncExitStack() as stack:
        for profile in PROFILES:
            settings = settings_for(profile.id, given)
            http = await stack.enter_async_context(Http(settings))
            built = {source.id: source for source in build_sources(settings, http)}
            source = built[profile.id]
            assert isinstance(source, RemoteSource)
            books = await stack.enter_async_context(BooksClient(settings, sources=[source]))
            ready[source.id] = Archive(books, source, http)
        yield ready
        for name, archive in ready.items():
            pytestconfig.stash[_REPORT].asked(
                name,
                name=archive.source.profile.name,
                address=archive.source.base_url,
                answers=archive.answers,
            )


@pytest.fixture
def archive(request: pytest.FixtureRequest, archives: Mapping[str, Archive]) -> Archive:
    """The archive that the test is marked with."""
    return archives[_archive_of(request.node)]


@pytest.fixture
def seen(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Record what the test's question saw: `seen(status=404)`."""
    marker = request.node.get_closest_marker("question")
    report = request.config.stash[_REPORT]

    def record(**facts: Any) -> None:
        report.saw(marker.args[0], facts)

    return record


def _archive_of(item: pytest.Item) -> str:
    marker = item.get_closest_marker("archive")
    assert marker is not None, f"{item.nodeid} names no archive"
    return str(marker.args[0])


def _is_closing(item: pytest.Item) -> bool:
    return item.path.name == CLOSING


def _reason(outcome: Outcome, call: pytest.CallInfo[None]) -> str | None:
    if outcome == "passed" or call.excinfo is None:
        return None
    told = getattr(call.excinfo.value, "msg", None) or str(call.excinfo.value)
    return " ".join(str(told).split()) or call.excinfo.typename
