"""The one way to one archive: paced, retried, held to its hosts, cached."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import quote, urlencode

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from ._cache import Answers, Flight, Unfinished
from ._ledger import Silenced, TooLate
from ._pacing import Pace, time_left
from ._redirects import Bounds, Question
from ._replies import SMALL_BODY, Reply, retry_after
from .errors import (
    BooksError,
    DeadlineExceeded,
    InvalidInput,
    NetworkFailure,
    RateLimited,
    RecordNotFound,
    SourceError,
    asking,
)
from .settings import RETRY_ROOM

__all__ = ["PATIENCE", "Channel", "Fetched"]

logger = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE = 30.0
"""The longest `Retry-After` that is waited for; a longer one is reported at once."""
MAX_REDIRECTS = 5
_LONGEST_PAUSE = 8.0


@dataclass(frozen=True, slots=True)
class Fetched(Generic[T]):
    """A parsed answer, when it was first retrieved (UTC), and whether the cache gave it."""

    value: T
    retrieved: date
    cached: bool


class _Wire(Protocol):
    async def prepare(self, url: str) -> object: ...
    async def send(self, question: Question, archive: str) -> Reply: ...


class Channel:
    """The one way to one archive. Made by `Http.channel`."""

    def __init__(
        self,
        *,
        wire: _Wire,
        tasks: Callable[[], TaskGroup],
        answers: Answers[Fetched[Any]],
        pace: Pace,
        source: str,
        name: str,
        base_url: str,
        hosts: tuple[str, ...],
        closed_paths: tuple[str, ...],
        max_retries: int,
        silence_after_refusal: float | None,
    ) -> None:
        self._wire = wire
        self._tasks = tasks
        self._answers = answers
        self._pace = pace
        self._source = source
        self._name = name
        self._base = base_url.rstrip("/")
        self._bounds = Bounds(name, self._base, hosts, closed_paths)
        self._max_retries = max_retries
        self._silence_after_refusal = silence_after_refusal

    @property
    def interval(self) -> float:
        """The seconds between two starts that were in force at the last request."""
        return self._pace.interval

    async def get(
        self,
        path: str,
        params: Sequence[tuple[str, str]],
        read: Callable[[Reply], T],
        *,
        accept: str = "application/json",
        variant: Hashable = None,
    ) -> Fetched[T]:
        """Ask with GET and return what `read` makes of the answer.

        `read` runs inside the retries: what it raises is asked again as often as the error's
        `retries` and the settings allow. Its value is kept and shared, so it must not be changed,
        and may depend on nothing but the answer and `variant`. A large answer is read in a thread.

        Raises:
            BooksError: one of the six codes, with `source` and `sent` set.
        """
        url = self._base + path
        if params:
            url += ("&" if "?" in path else "?") + urlencode(params, quote_via=quote)
        return await self._answer(Question("GET", url, accept), read, variant)

    async def post_form(
        self,
        path: str,
        form: Sequence[tuple[str, str]],
        read: Callable[[Reply], T],
        *,
        accept: str = "application/json",
        variant: Hashable = None,
    ) -> Fetched[T]:
        """Ask with a POST of `form`, for a question too long for an address; otherwise as `get`."""
        question = Question("POST", self._base + path, accept, urlencode(form).encode())
        return await self._answer(question, read, variant)

    async def next_slot(self) -> float:
        """Return how many seconds pass before a request could start; nothing is reserved.

        Counts the requests already waiting here, other processes, and a silence asked for.
        """
        try:
            return await self._pace.next_slot()
        except Silenced as silenced:
            return silenced.seconds

    async def _answer(
        self, question: Question, read: Callable[[Reply], T], variant: Hashable
    ) -> Fetched[T]:
        reader = getattr(getattr(read, "func", read), "__qualname__", None)
        ask = partial(self._ask, question, read)
        with asking(self._source):
            try:
                kept = await self._answers.get(self._tasks(), (question, reader, variant), ask)
            except Unfinished as unfinished:
                raise self._unfinished(unfinished) from None
        return replace(kept.value, cached=kept.cached)

    async def _ask(
        self, question: Question, read: Callable[[Reply], T], flight: Flight[Any]
    ) -> Fetched[T]:
        """Ask until there is an answer or nothing more to try."""
        try:
            return await self._retried(question, read, flight)
        except BooksError as error:
            error.sent = flight.sent
            raise

    async def _retried(
        self, question: Question, read: Callable[[Reply], T], flight: Flight[Any]
    ) -> Fetched[T]:
        cause: SourceError | None = None
        for retried in count():
            try:
                return await self._once(question, read, RETRY_ROOM if cause else 0.0, flight)
            except Silenced as silenced:
                raise self._silent(silenced.seconds, flight) from None
            except TooLate as late:
                raise (cause or self._too_late(late.seconds, flight)) from None
            except SourceError as error:
                if retried >= min(error.retries, self._max_retries):
                    raise
                cause = error
            if not await self._pause(retried):
                raise cause
        raise AssertionError("unreachable")

    async def _once(
        self, question: Question, read: Callable[[Reply], T], room: float, flight: Flight[Any]
    ) -> Fetched[T]:
        reply, since = await self._exchange(question, room, flight)
        try:
            self._refuse_push_back(reply)
            value = await _read(read, reply)
        except RateLimited as error:
            await self._pushed_back(error, since)
            raise
        except BooksError as error:
            await self._pace.answered(well=isinstance(error, RecordNotFound | InvalidInput))
            raise
        await self._pace.answered(well=True)
        flight.size = len(reply.body)
        return Fetched(value, datetime.now(UTC).date(), cached=False)

    async def _exchange(
        self, question: Question, room: float, flight: Flight[Any]
    ) -> tuple[Reply, int]:
        """Send `question` and follow its redirects, each at a slot of its own."""
        for _ in range(MAX_REDIRECTS + 1):
            # Before the slot: a first TLS context would let the request leave after its time.
            await self._wire.prepare(question.url)
            async with self._pace.request(room) as since:
                reply = await self._send(question, flight)
            if reply.status not in (301, 302, 303, 307, 308) or "location" not in reply.headers:
                return reply, since
            question = self._bounds.follow(question, reply)
        raise NetworkFailure(
            f"{self._name} redirected more than {MAX_REDIRECTS} times", hint="Ask again later."
        )

    async def _send(self, question: Question, flight: Flight[Any]) -> Reply:
        started, before = anyio.current_time(), flight.sent
        flight.sent = True
        try:
            reply = await self._wire.send(question, self._name)
        except InvalidInput:  # it made no address
            flight.sent = before
            raise
        self._log(reply, anyio.current_time() - started)
        return reply

    def _log(self, reply: Reply, took: float) -> None:
        """Say what was exchanged; the address is left out, because it holds the reader's words."""
        logger.info(
            "%s answered HTTP %d, %d bytes, in %.2f s (spacing %g s)",
            self._source,
            reply.status,
            len(reply.body),
            took,
            self._pace.interval,
        )

    def _refuse_push_back(self, reply: Reply) -> None:
        if reply.status not in (429, 503):
            return
        wait = retry_after(reply.headers, datetime.now(UTC))
        refused = reply.status == 429 and self._silence_after_refusal is not None
        if refused and wait is None:
            wait = self._silence_after_refusal
        once = refused or (wait is not None and wait > PATIENCE)
        raise RateLimited(
            f"{self._name} asked for fewer requests (HTTP {reply.status})",
            hint=_ask_again(wait),
            retries=0 if once else 8,
            retry_after=wait,
        )

    async def _pushed_back(self, error: RateLimited, since: int) -> None:
        """Slow down; fall silent if the error is not to be retried or asks for a long wait."""
        wait = error.retry_after
        if wait is None and error.retries == 0:
            wait = self._silence_after_refusal
        silent = wait is not None and (wait > PATIENCE or error.retries == 0)
        with anyio.CancelScope(shield=True):
            await self._pace.pushed_back(since=since, wait=0.0 if silent else wait or 0.0)
            if silent and wait is not None:
                error.retries, error.retry_after = 0, wait
                await self._pace.silence(wait)

    async def _pause(self, retried: int) -> bool:
        """Let a failing archive breathe before a retry; False if no time is left for one."""
        pause = min(_LONGEST_PAUSE, 0.5 * 2**retried) if self._pace.floor > 0 else 0.0
        if time_left() < pause + RETRY_ROOM:
            return False
        await anyio.sleep(pause)
        return True

    def _unfinished(self, unfinished: Unfinished) -> SourceError:
        error: SourceError
        if unfinished.closed:
            error = NetworkFailure(
                f"{self._name} was not waited for: the client was closed", hint="Open another."
            )
        else:
            error = DeadlineExceeded(
                f"{self._name} had not answered when the time allowed was over",
                hint="Ask this archive alone, or allow more time.",
            )
        error.sent = unfinished.sent
        return error

    def _silent(self, seconds: float, flight: Flight[Any]) -> RateLimited:
        return RateLimited(
            f"{self._name} had refused requests and is left alone for a while; "
            f"{_none_was_sent(flight)}",
            hint=_ask_again(seconds),
            retry_after=seconds,
        )

    def _too_late(self, seconds: float, flight: Flight[Any]) -> DeadlineExceeded:
        return DeadlineExceeded(
            f"{self._name} could be asked in {seconds:.0f} s only, after the time allowed; "
            f"{_none_was_sent(flight)}",
            hint="Ask again in a moment, or ask this archive alone.",
        )


async def _read(read: Callable[[Reply], T], reply: Reply) -> T:
    if len(reply.body) <= SMALL_BODY:
        return read(reply)
    return await to_thread.run_sync(read, reply, abandon_on_cancel=True)


def _none_was_sent(flight: Flight[Any]) -> str:
    return "it was not asked again" if flight.sent else "no request was sent"


def _ask_again(wait: float | None) -> str:
    if wait is None:
        return "Ask again in a minute."
    until = datetime.now(UTC) + timedelta(seconds=min(wait, 86400))
    return f"Ask again in {wait:.0f} s, after {until:%H:%M} UTC."
