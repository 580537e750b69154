"""One archive under test: asked slowly, its silence told from an answer that changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar
from urllib.parse import urlsplit

import pytest

from mcp_books._http import Channel, Http, Reply
from mcp_books._redirects import is_loopback
from mcp_books.client import BooksClient
from mcp_books.errors import BooksError, InvalidInput, ParseFailure, RecordNotFound
from mcp_books.models import Record
from mcp_books.reports import Absent, Answered, InsideAnswer, ItemsAnswer, SourceReport
from mcp_books.settings import Settings
from mcp_books.sources._sparql import read_answer
from mcp_books.sources.base import RemoteSource
from mcp_books.sources.internet_archive.reading import read_found
from mcp_books.sources.library_of_congress.reply import read_document

__all__ = ["ABSENT_WORD", "Archive", "anything", "as_sent", "settings_for"]

ABSENT_WORD = "qzxvjkwqhz"
"""A word that no text holds."""

OUTAGES = frozenset({"network_error", "timeout", "rate_limited"})
_SPACING = 8.0
"""Seconds between two requests: more than the product's own for each of the archives."""
_SILENCES = 3
"""Requests in a row without an answer after which an archive is left alone."""

T = TypeVar("T")
Params = Sequence[tuple[str, str]]


def settings_for(archive: str, given: Settings) -> Settings:
    """Return how `archive` is asked here: patient, slow unless it is a stand-in on loopback."""
    address = getattr(given, f"{archive}_url")
    interval = given.min_interval
    if address is None or not is_loopback(urlsplit(address).hostname or ""):
        interval = max(interval or 0.0, _SPACING)
    wanted = {
        "min_interval": interval,
        "request_timeout": 90,
        "answer_timeout": 600,
        "max_retries": 1,
        "cache_ttl": 86400,
        "calibre_libraries": None,
    }
    return Settings.model_validate({**given.model_dump(), **wanted})


@dataclass
class Archive:
    """One archive, by the public client and, for what stands on the wire, by its own channel.

    Whatever asks it skips the test where no answer comes, and leaves every other failure to it.
    """

    books: BooksClient
    source: RemoteSource
    http: Http
    answers: int = 0
    silences: list[str] = field(default_factory=list)
    left_alone: bool = False

    @property
    def id(self) -> str:
        return self.source.id

    @property
    def is_stand_in(self) -> bool:
        return self.source.base_url != self.source.default_base_url

    async def inside(self, query: str, **options: Any) -> tuple[InsideAnswer, Answered]:
        """Search inside, with one wording."""
        with self._reached(counts=False):
            answer = await self.books.search_inside(query, fan_out=False, **options)
        return answer, self._report(answer.per_source)

    async def items(self, query: str, **options: Any) -> tuple[ItemsAnswer, Answered]:
        """Search the catalogue, with one wording."""
        with self._reached(counts=False):
            answer = await self.books.search_items(query, fan_out=False, **options)
        return answer, self._report(answer.per_source)

    async def record(self, identifier: str) -> Record:
        """Read a record with all its sections."""
        with self._reached():
            answer = await self.books.get_item(
                identifier, sections=("description", "subjects", "copies", "context")
            )
        return answer.item

    async def wire(
        self,
        path: str,
        params: Params = (),
        read: Callable[[Reply], T] | None = None,
        *,
        channel: Channel | None = None,
        counts: bool = True,
    ) -> Any:
        """Ask one address and return what `read` makes of the reply; by default the reply."""
        with self._reached(counts=counts):
            fetched = await (channel or self.source.channel).get(path, params, read or as_sent)
        return fetched.value

    async def form(self, path: str, fields: Params, *, accept: str) -> tuple[Reply, float]:
        """Post a form; return the reply and the seconds it took, its turn left out."""
        waited = await self.source.next_slot()
        started = time.monotonic()
        with self._reached():
            fetched = await self.source.channel.post_form(path, fields, as_sent, accept=accept)
        return fetched.value, round(max(0.0, time.monotonic() - started - waited), 2)

    def beside(self, host: str) -> Channel:
        """Return the way to another host of the archive; a stand-in plays them all at one."""
        if self.is_stand_in:
            return self.source.channel
        return self.http.channel(
            source=self.id,
            name=self.source.profile.name,
            base_url=f"https://{host}",
            hosts=(host,),
            min_interval=self.source.profile.pace_seconds,
            max_in_flight=1,
        )

    @contextmanager
    def _reached(self, *, counts: bool = True) -> Iterator[None]:
        if self.left_alone:
            pytest.skip(f"{self.id} is left alone since: {self.silences[-1]}")
        try:
            yield
        except BooksError as error:
            if error.code in OUTAGES:
                self._fell_silent(error.code, error.message)
            if error.sent and counts:
                self._answered()
            raise
        if counts:
            self._answered()

    def _report(self, reports: Sequence[SourceReport]) -> Answered:
        (report,) = reports
        if isinstance(report, Answered):
            self._answered()
            return report
        assert not isinstance(report, Absent), report.absent_because
        if report.error.code in OUTAGES:
            self._fell_silent(report.error.code, report.error.message)
        self._answered()
        raise AssertionError(f"{report.error.code}: {report.error.message}")

    def _answered(self) -> None:
        self.answers += 1
        self.silences.clear()

    def _fell_silent(self, code: str, message: str) -> NoReturn:
        self.silences.append(f"{code}: {message}")
        self.left_alone = code == "rate_limited" or len(self.silences) >= _SILENCES
        pytest.skip(f"{self.id} did not answer: {code}: {message}")


def anything(reply: Reply) -> Reply:
    """Return a reply of whatever status but a failure of the server."""
    if reply.status >= 500:
        reply.require_ok()
    return reply


def as_sent(reply: Reply) -> Reply:
    """Return a reply as it came, unless the product reads it as no answer at all.

    Raises:
        SourceError: it is a bot wall, a failure of the archive, or a refusal to be asked so often.
    """
    try:
        _judged(reply)
    except (InvalidInput, ParseFailure, RecordNotFound):
        return reply
    return reply


def _judged(reply: Reply) -> None:
    """Read `reply` as the adapter of its archive does."""
    path = urlsplit(reply.url).path
    if path.endswith("/sparql"):  # which says in a 500 what is wrong with a query
        read_answer(reply)
        return
    anything(reply)
    if path.endswith("/page_production/"):
        read_found(reply)
    elif "fo=json" in reply.url:
        read_document(reply, "record")
