"""What a stand-in archive does wrong on request, and for which requests."""

from __future__ import annotations

import itertools
import json
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache
from typing import Protocol

from .standin import Request, Response

__all__ = [
    "Exchange",
    "Fault",
    "Faults",
    "Injection",
    "cut_off",
    "dropped",
    "empty",
    "failing",
    "flooding",
    "html",
    "inflating",
    "moved",
    "pushing_back",
    "rewriting",
    "slow",
    "stalled",
    "truncated",
    "without_keys",
]

MIB = 1 << 20
_CHUNK = b" " * (64 * 1024)


class Exchange(Protocol):
    """One request being answered. Every method raises ConnectionError once the caller is gone."""

    @property
    def request(self) -> Request: ...

    def genuine(self) -> Response:
        """Return what the stand-in answers when nothing goes wrong."""

    def send(self, response: Response) -> None:
        """Send a complete answer."""

    def stream(self, chunks: Iterable[bytes], *, length: int | None, **headers: str) -> None:
        """Send a 200 with `length` announced (None: chunked), whether or not that much comes."""

    def wait(self, seconds: float | None) -> None:
        """Return after `seconds`, or as soon as the test releases the fault."""

    def hang_up(self) -> None:
        """Close the connection without another byte."""


Fault = Callable[[Exchange], None]


class Injection:
    """One fault put in place: which requests it is for, and what it has met."""

    def __init__(
        self, fault: Fault, *, times: int | None, when: Callable[[Request], bool] | None
    ) -> None:
        self.fault = fault
        self.served = 0
        """How many requests it has been applied to."""
        self.reached = threading.Event()
        """Set once a request has met it."""
        self.released = threading.Event()
        """Set by a test: whoever waits goes on."""
        self._left = times
        self._when = when

    def takes(self, request: Request) -> bool:
        """Return whether `request` meets this fault, and count it if so. Called under a lock."""
        if self._left == 0 or (self._when is not None and not self._when(request)):
            return False
        if self._left is not None:
            self._left -= 1
        self.served += 1
        return True


class Faults:
    """The faults of one server, by archive. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._injections: dict[str, list[Injection]] = {}

    def inject(
        self,
        source: str,
        fault: Fault,
        *,
        times: int | None = None,
        when: Callable[[Request], bool] | None = None,
    ) -> Injection:
        """Apply `fault` to the next `times` requests of `source` (None: all) that satisfy `when`.

        The earliest injection that takes a request serves it.
        """
        injection = Injection(fault, times=times, when=when)
        with self._lock:
            self._injections.setdefault(source, []).append(injection)
        return injection

    def take(self, source: str, request: Request) -> Injection | None:
        """Return the injection that serves `request`, or None."""
        with self._lock:
            for injection in self._injections.get(source, ()):
                if injection.takes(request):
                    injection.reached.set()
                    return injection
        return None

    def clear(self) -> None:
        """Take every fault away and release whoever waits."""
        with self._lock:
            injections = list(itertools.chain.from_iterable(self._injections.values()))
            self._injections.clear()
        for injection in injections:
            injection.released.set()


def stalled() -> Fault:
    """Answer nothing until released."""
    return slow(None)


def slow(seconds: float | None) -> Fault:
    """Answer as usual, `seconds` late, or once released."""

    def serve(exchange: Exchange) -> None:
        exchange.wait(seconds)
        exchange.send(exchange.genuine())

    return serve


def pushing_back(
    status: int = 429, *, retry_after: float | None = None, as_date: bool = False
) -> Fault:
    """Ask for fewer requests; `retry_after` in seconds, written as a date where `as_date`."""

    def serve(exchange: Exchange) -> None:
        headers: dict[str, str] = {}
        if retry_after is not None:
            when = datetime.now(UTC) + timedelta(seconds=retry_after)
            headers["Retry-After"] = (
                format_datetime(when, usegmt=True) if as_date else f"{retry_after:g}"
            )
        exchange.send(Response(b"slow down", status, "text/plain", headers))

    return serve


def failing(status: int = 500) -> Fault:
    """Fail as a server does, with a line of plain text."""
    return _always(Response(b"internal failure", status, "text/plain"))


def html(status: int = 200) -> Fault:
    """Answer with a page for people."""
    page = "<!DOCTYPE html><html><head><title>Notice</title></head><body><p>Please wait.</p></body>"
    return _always(Response(page.encode(), status, "text/html; charset=utf-8"))


def empty() -> Fault:
    """Answer 200 with no body."""
    return _always(Response(b""))


def dropped() -> Fault:
    """Close the connection without an answer."""

    def serve(exchange: Exchange) -> None:
        exchange.hang_up()

    return serve


def cut_off() -> Fault:
    """Announce the whole body, send half of it and close the connection."""

    def serve(exchange: Exchange) -> None:
        body = exchange.genuine().body
        exchange.stream([body[: len(body) // 2]], length=len(body))
        exchange.hang_up()

    return serve


def truncated() -> Fault:
    """Send half of the body as if it were whole."""

    def serve(exchange: Exchange) -> None:
        genuine = exchange.genuine()
        exchange.send(replace(genuine, body=genuine.body[: len(genuine.body) // 2]))

    return serve


def flooding(size: int = 80 * MIB, *, announced: bool = True) -> Fault:
    """Send `size` bytes; unless `announced`, in chunks, so that only counting them tells."""

    def serve(exchange: Exchange) -> None:
        exchange.stream(_repeated(size), length=size if announced else None)

    return serve


def inflating(size: int = 80 * MIB) -> Fault:
    """Send a small body that unpacks to `size` bytes."""

    body = _packed(size)

    def serve(exchange: Exchange) -> None:
        exchange.stream([body], length=len(body), content_encoding="gzip")

    return serve


def moved(address: str, *, status: int = 302) -> Fault:
    """Redirect to `address`; one that starts with "/" is a path of this archive."""

    def serve(exchange: Exchange) -> None:
        target = exchange.request.base + address if address.startswith("/") else address
        exchange.send(Response(b"", status, "text/plain", {"Location": target}))

    return serve


def rewriting(change: Callable[[object], object]) -> Fault:
    """Answer with the genuine JSON after `change`."""

    def serve(exchange: Exchange) -> None:
        genuine = exchange.genuine()
        changed = change(json.loads(genuine.body))
        exchange.send(replace(genuine, body=json.dumps(changed).encode()))

    return serve


def without_keys(*names: str, objects: int | None = None) -> Fault:
    """Take the keys `names` out of the first `objects` JSON objects that hold one (None: all)."""

    def change(document: object) -> object:
        left = itertools.count() if objects is None else iter(range(objects))
        _strip(document, frozenset(names), left)
        return document

    return rewriting(change)


def _strip(value: object, names: frozenset[str], left: Iterator[int]) -> None:
    if isinstance(value, dict):
        if not names.isdisjoint(value) and next(left, None) is not None:
            for name in names & value.keys():
                del value[name]
            left = itertools.count()
        children: Iterable[object] = value.values()
    else:
        children = value if isinstance(value, list) else ()
    for child in children:
        _strip(child, names, left)


def _always(response: Response) -> Fault:
    def serve(exchange: Exchange) -> None:
        exchange.send(response)

    return serve


def _repeated(size: int) -> Iterator[bytes]:
    whole, rest = divmod(size, len(_CHUNK))
    yield from itertools.repeat(_CHUNK, whole)
    if rest:
        yield _CHUNK[:rest]


@cache
def _packed(size: int) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    return b"".join(packer.compress(chunk) for chunk in _repeated(size)) + packer.flush()
