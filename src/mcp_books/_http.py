"""The only module that imports httpx. Signatures first; the transport itself is being written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Generic, Self, TypeVar

from .settings import Settings

__all__ = ["Channel", "Fetched", "Http", "Reply"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer, decoded. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    def json(self, *, retries: int = 0) -> Any:
        """Return the body read as JSON; ParseFailure (with `retries`) saying what came instead."""
        raise NotImplementedError

    def text(self) -> str:
        raise NotImplementedError

    def require_ok(self) -> None:
        """Raise NetworkFailure unless the status is 2xx (5xx: retried; other 4xx, 3xx: not)."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Fetched(Generic[T]):
    """A parsed answer, when it was first retrieved, and whether the cache gave it."""

    value: T
    retrieved: date
    cached: bool


class Channel:
    """The one way to one archive: paced, retried, capped, cached."""

    async def get(
        self,
        path: str,
        params: Sequence[tuple[str, str]],
        read: Callable[[Reply], T],
        *,
        accept: str = "application/json",
    ) -> Fetched[T]:
        raise NotImplementedError

    async def post_form(
        self,
        path: str,
        form: Sequence[tuple[str, str]],
        read: Callable[[Reply], T],
        *,
        accept: str = "application/json",
    ) -> Fetched[T]:
        raise NotImplementedError

    async def next_slot(self) -> float:
        raise NotImplementedError


class Http:
    """Every channel of one client: one connection pool, one cache, one ledger."""

    def __init__(self, settings: Settings) -> None: ...
    async def __aenter__(self) -> Self:
        raise NotImplementedError

    async def __aexit__(self, *_: object) -> None:
        raise NotImplementedError

    def channel(
        self,
        *,
        source: str,
        name: str,
        base_url: str,
        hosts: tuple[str, ...],
        min_interval: float,
        max_in_flight: int = 4,
        silence_after_refusal: float | None = None,
    ) -> Channel:
        raise NotImplementedError
