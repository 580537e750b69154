"""The only module that imports httpx: clients, one request on the wire, what its failures mean."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.metadata import metadata
from typing import Any, NamedTuple, Self, cast
from urllib.parse import urlsplit

import anyio
import anyio.lowlevel
import httpx
from anyio import to_thread
from anyio.abc import TaskGroup

from ._cache import Answers
from ._channel import Channel, Fetched
from ._ledger import Ledger
from ._pacing import Pace
from ._redirects import Question, is_loopback
from ._replies import SIZE_CAP, Decoder, Reply, TooLarge, Undecodable
from .errors import (
    BooksError,
    DeadlineExceeded,
    InvalidInput,
    NetworkFailure,
    ParseFailure,
    SourceError,
)
from .settings import Settings

__all__ = ["SIZE_CAP", "Channel", "Fetched", "Http", "Reply"]

_LATER = "Ask again later."
_OFTEN = 8
_KEPT_ALIVE = 30.0
_SLICE = 16 * 1024
"""Bytes off the wire decoded in one go: 16 MiB at most, while nothing else runs."""


class Http:
    """Every channel of one client: one connection pool, one cache, one ledger.

    An async context manager; channels may be made before it is entered and ask only inside it.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ledger = Ledger()
        self._wire = _Wire(settings)
        self._answers: Answers[Fetched[Any]] = Answers(
            max_entries=settings.cache_max_entries, ttl=settings.cache_ttl
        )
        self._bases: list[str] = []
        self._task_group: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._task_group = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        task_group, self._task_group = self._task_group, None
        if task_group is None:
            return
        self._answers.cancel()
        try:
            await task_group.__aexit__(None, None, None)
        finally:
            with anyio.CancelScope(shield=True):
                await self._wire.close()
                await to_thread.run_sync(self._ledger.close)

    async def warm(self) -> None:
        """Open the ledger and the connection pools ahead of the first request.

        Certificates are left for the first request to an archive: loading them takes a fortieth of
        a second beside its answer, and 3 MiB for as long as a server is not asked anything.
        """
        for base in self._bases:
            await to_thread.run_sync(self._ledger.look, base, 0.0)
            if not base.startswith("https:"):
                with suppress(BooksError):  # told by the first request
                    await self._wire.prepare(base)

    def channel(
        self,
        *,
        source: str,
        name: str,
        base_url: str,
        hosts: tuple[str, ...],
        min_interval: float,
        max_in_flight: int = 4,
        closed_paths: tuple[str, ...] = (),
        silence_after_refusal: float | None = None,
    ) -> Channel:
        """Return the way to one archive.

        Args:
            source: the archive's id, set on every error.
            name: its name, for messages.
            base_url: scheme, host and port of every request; a path stays in front of theirs.
            hosts: the archive's own hosts, where redirects over https may lead.
            min_interval: seconds between two starts; 0 on a loopback base address. The settings
                widen it, and set it on loopback.
            max_in_flight: how many requests may be under way at once.
            closed_paths: beginnings of paths the archive closes to programs; not followed to.
            silence_after_refusal: seconds without a request after a 429 that names no time; such
                a 429 is not retried. None: it is.

        Raises:
            ValueError: `base_url` is no http or https address.
        """
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"not an http or https address: {base_url!r}")
        floor = max(
            0.0 if is_loopback(parts.hostname) else min_interval, self._settings.min_interval or 0.0
        )
        self._bases.append(base_url)
        return Channel(
            wire=self._wire,
            tasks=self._tasks,
            answers=self._answers,
            pace=Pace(self._ledger, base_url.rstrip("/"), floor=floor, max_in_flight=max_in_flight),
            source=source,
            name=name,
            base_url=base_url,
            hosts=hosts,
            closed_paths=closed_paths,
            max_retries=self._settings.max_retries,
            silence_after_refusal=silence_after_refusal,
        )

    def _tasks(self) -> TaskGroup:
        if self._task_group is None:
            raise RuntimeError("not open: use it inside 'async with'")
        return self._task_group


class _Wire:
    """Sends one request and returns its answer, or raises one of the six codes."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._clients: dict[tuple[bool, bool], httpx.AsyncClient] = {}
        self._tls: ssl.SSLContext | None = None
        self._making = anyio.Lock()

    async def prepare(self, url: str) -> httpx.AsyncClient:
        """Return the client that reaches `url`, made once.

        Archives share one, with the one TLS context and the proxies of the environment. A
        stand-in on loopback is reached directly, and over plain http without a TLS context.
        """
        parts = urlsplit(url)
        direct = is_loopback(parts.hostname or "")
        kind = (direct, parts.scheme == "https" or not direct)
        async with self._making:
            if kind not in self._clients:
                try:
                    client = await to_thread.run_sync(self._new_client, *kind)
                except (ValueError, ImportError, OSError, httpx.InvalidURL) as problem:
                    raise NetworkFailure(
                        f"no connection can be made from here ({type(problem).__name__})",
                        hint="Check the proxy and certificate settings of the environment.",
                    ) from problem
                self._clients[kind] = client
            return self._clients[kind]

    async def send(self, question: Question, archive: str) -> Reply:
        """Send `question` once and read its whole answer, within the time of one request."""
        client = await self.prepare(question.url)
        limit = self._settings.request_timeout
        try:
            with anyio.move_on_after(limit):
                return await self._exchange(client, question, archive)
        except _FAILURES as failure:
            raise translated(failure, archive) from failure
        raise DeadlineExceeded(
            f"{archive} had not answered in full within {limit:g} s", hint=_LATER, retries=1
        )

    async def close(self) -> None:
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.aclose()

    async def _exchange(self, client: httpx.AsyncClient, question: Question, archive: str) -> Reply:
        headers = {"Accept": question.accept}
        if question.form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        request = client.build_request(
            question.method, question.url, headers=headers, content=question.form
        )
        try:
            response = await client.send(request, stream=True, follow_redirects=False)
        except (httpx.InvalidURL, httpx.ProtocolError, ValueError) as nowhere:
            if isinstance(nowhere, httpx.ProtocolError) and not _is_of_an_address(nowhere):
                raise
            # The address asked was sound: httpx reads where a redirect leads before it is asked to.
            raise NetworkFailure(
                f"{archive} redirected to what is no web address, and that was not followed",
                hint="Asking again will not help; the archive may have moved this service.",
            ) from nowhere
        try:
            body = await _read(response)
        except TooLarge:
            raise ParseFailure(
                f"{archive} sent more than {SIZE_CAP // 2**20} MiB; the rest was not read",
                hint="Ask for fewer rows, or open the record on its own site.",
            ) from None
        except Undecodable as problem:
            raise _undecodable(problem, archive) from problem
        finally:
            await response.aclose()
        lower = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status_code, lower, body, question.url, archive)

    def _new_client(self, direct: bool, secure: bool) -> httpx.AsyncClient:
        if secure and self._tls is None:
            self._tls = httpx.create_ssl_context()
        return httpx.AsyncClient(
            # Without its certificates loaded, a context costs nothing and trusts nobody.
            verify=self._tls or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            trust_env=not direct,
            timeout=None,  # `send` bounds the whole request
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            headers={"User-Agent": self._user_agent(), "Accept-Encoding": "gzip, deflate"},
            limits=httpx.Limits(max_keepalive_connections=20, keepalive_expiry=_KEPT_ALIVE),
        )

    def _user_agent(self) -> str:
        package = metadata("mcp-books")
        addresses = dict(line.split(", ", 1) for line in package.get_all("Project-URL", failobj=[]))
        own = f"mcp-books/{package['Version']} (+{addresses['Homepage']})"
        caller = self._settings.user_agent
        return f"{caller} {own}" if caller else own


async def _read(response: httpx.Response) -> bytes:
    """Read the body off the wire, decoded under the cap (httpx would decode without one)."""
    decoder = Decoder(response.headers.get("content-encoding", ""), SIZE_CAP)
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length) > SIZE_CAP:
        raise TooLarge
    stream = cast("AsyncGenerator[bytes, None]", response.aiter_raw())
    async with aclosing(stream) as pieces:
        async for piece in pieces:
            for start in range(0, len(piece), _SLICE):
                decoder.feed(piece[start : start + _SLICE])
                await anyio.lowlevel.checkpoint()
    return decoder.finish()


def _undecodable(problem: Undecodable, archive: str) -> SourceError:
    if problem.cut:
        return NetworkFailure(
            f"{archive} broke off while answering: {problem}", hint=_LATER, retries=_OFTEN
        )
    return ParseFailure(
        f"{archive} sent an answer that cannot be decoded: {problem}", hint=_LATER, retries=1
    )


class _Counterpart(NamedTuple):
    error: type[BooksError]
    what: str
    retries: int = 0
    hint: str = _LATER


_OURS = "This is a fault of mcp-books; please report it."
_COUNTERPARTS: Mapping[type[BaseException], _Counterpart] = {
    OSError: _Counterpart(NetworkFailure, "could not be reached", _OFTEN),
    anyio.BrokenResourceError: _Counterpart(NetworkFailure, "dropped the connection", _OFTEN),
    anyio.ClosedResourceError: _Counterpart(NetworkFailure, "dropped the connection", _OFTEN),
    anyio.EndOfStream: _Counterpart(NetworkFailure, "dropped the connection", _OFTEN),
    httpx.HTTPError: _Counterpart(NetworkFailure, "gave no usable answer"),
    httpx.TransportError: _Counterpart(NetworkFailure, "gave no usable answer", _OFTEN),
    httpx.NetworkError: _Counterpart(NetworkFailure, "dropped the connection", _OFTEN),
    httpx.ConnectError: _Counterpart(NetworkFailure, "could not be reached", _OFTEN),
    httpx.ReadError: _Counterpart(NetworkFailure, "dropped the connection while answering", _OFTEN),
    httpx.WriteError: _Counterpart(
        NetworkFailure, "dropped the connection while it was being asked", _OFTEN
    ),
    httpx.ProtocolError: _Counterpart(
        NetworkFailure, "broke off or broke the protocol while answering", _OFTEN
    ),
    httpx.LocalProtocolError: _Counterpart(
        NetworkFailure, "could not be sent the request", hint=_OURS
    ),
    httpx.TimeoutException: _Counterpart(DeadlineExceeded, "had not answered in time", 1),
    httpx.ConnectTimeout: _Counterpart(DeadlineExceeded, "could not be reached in time", 1),
    httpx.ProxyError: _Counterpart(
        NetworkFailure,
        "could not be reached through the proxy",
        hint="Check the proxy settings of the environment.",
    ),
    httpx.UnsupportedProtocol: _Counterpart(
        NetworkFailure, "named an address that is neither http nor https"
    ),
    httpx.DecodingError: _Counterpart(ParseFailure, "sent an answer that cannot be decoded", 1),
    httpx.TooManyRedirects: _Counterpart(NetworkFailure, "redirected too often"),
    httpx.HTTPStatusError: _Counterpart(NetworkFailure, "answered with a failure"),
    httpx.InvalidURL: _Counterpart(
        InvalidInput,
        "cannot be asked this: it makes no address",
        hint="Shorten the query or the identifier, and leave out control characters.",
    ),
    httpx.CookieConflict: _Counterpart(NetworkFailure, "sent cookies that conflict", hint=_OURS),
    httpx.StreamError: _Counterpart(NetworkFailure, "could not be read", hint=_OURS),
}
_FAILURES = (
    *(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream),
    *(httpx.HTTPError, httpx.InvalidURL, httpx.CookieConflict, httpx.StreamError),
)


def translated(failure: BaseException, archive: str) -> BooksError:
    """Return what `failure` means, by the most specific class that has a counterpart."""
    kind = next(kind for kind in type(failure).__mro__ if kind in _COUNTERPARTS)
    counterpart = _COUNTERPARTS[kind]
    message = f"{archive} {counterpart.what}"
    if not issubclass(counterpart.error, SourceError):
        return counterpart.error(message, hint=counterpart.hint)
    if _is_certificate_trouble(failure):
        return NetworkFailure(
            f"{archive} could not be reached securely (TLS)",
            hint="Check the clock and the certificates of this machine, or a proxy in between.",
        )
    return counterpart.error(message, hint=counterpart.hint, retries=counterpart.retries)


def _is_of_an_address(failure: httpx.ProtocolError) -> bool:
    return isinstance(failure.__cause__ or failure.__context__, httpx.InvalidURL)


def _is_certificate_trouble(failure: BaseException | None) -> bool:
    seen: list[BaseException] = []
    while failure is not None and failure not in seen:
        if isinstance(failure, ssl.SSLError) and not isinstance(failure, ssl.SSLEOFError):
            return True
        seen.append(failure)
        failure = failure.__cause__ or failure.__context__
    return False
