"""`BooksClient`: the archives for programs. No policy of its own."""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Self, TypeAlias, TypeGuard, overload

import anyio
import anyio.to_thread

from . import _federation
from ._federation import OnProgress
from .arguments import InsideRequest, ItemsRequest, RecordRequest, Section, Sort
from .errors import InvalidInput
from .reports import InsideAnswer, ItemsAnswer, RecordAnswer
from .settings import Settings
from .sources.base import Profile, RemoteSource, Source
from .sources.registry import build_sources, not_read, profiles

if TYPE_CHECKING:
    from ._http import Http

__all__ = ["BooksClient"]

SourceGiven: TypeAlias = "Source | type[RemoteSource] | str"

_CLOSING = 5.0
"""Seconds that the archives may take to let go of what they hold open."""
_PREFIX = re.compile(r"^\s*([A-Za-z][\w-]*)\s*:")


class BooksClient:
    """Several archives, asked at once.

        async with BooksClient() as books:
            answer = await books.search_inside('"call me ishmael"', limit=3)

    `settings`: how the archives are asked; read from the environment when not given.
    `sources`: what to ask, in this order: a program's own archives, and registered ones by id
    (`sources=["archive", MyLibrary()]`); every registered archive when not given. A class of
    `RemoteSource` is asked through this client's own transport (`sources=[MyArchive]`).

    Raises:
        InvalidInput: `sources` names an archive that cannot be asked here, or one twice.
    """

    def __init__(
        self, settings: Settings | None = None, *, sources: Sequence[SourceGiven] | None = None
    ) -> None:
        self.settings = settings or Settings.from_env()
        self._wanted = sources
        self._http: Http | None = None
        self._sources: tuple[Source, ...] | None = None
        self._host: asyncio.Task[None] | None = None
        self._is_entered = False
        if sources is not None:
            _refuse_unusable(sources, self.settings)

    async def __aenter__(self) -> Self:
        if self._is_entered:
            raise RuntimeError("this BooksClient is open already; open another one")
        self._opened, self._closing = anyio.Event(), anyio.Event()
        self._is_entered = True
        return self

    async def __aexit__(self, *_: object) -> None:
        self._is_entered = False
        self._closing.set()
        host, self._host = self._host, None
        if host is not None:
            with anyio.CancelScope(shield=True):
                await host
        with anyio.move_on_after(_CLOSING, shield=True):
            async with AsyncExitStack() as closing:
                for source in self._sources or ():
                    closing.push_async_callback(source.aclose)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The archives of this client, in order."""
        if self._sources is None:
            self._sources = self._build()
        return self._sources

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """What each archive of this client is, by id."""
        return {source.id: source.profile for source in self.sources}

    async def warm(self) -> None:
        """Load ahead of time what the first question would have to wait for."""
        await anyio.to_thread.run_sync(importlib.import_module, "mcp_books._http")
        await self._open()
        if self._http is not None:
            await self._http.warm()

    async def search_inside(
        self,
        query: str,
        *,
        limit: int = 3,
        page: int = 1,
        max_excerpt_chars: int = 300,
        max_excerpts_per_match: int = 2,
        fan_out: bool = True,
        sources: Sequence[str] | None = None,
    ) -> InsideAnswer:
        """Search inside the texts of every archive that holds text.

        `limit` matches are taken from each archive; bounds and meanings are those of
        `InsideRequest`.

        Raises:
            InvalidInput: an argument is wrong, or every archive refused the query.
        """
        return await self.ask(
            InsideRequest.of(
                {
                    "query": query,
                    "limit": limit,
                    "page": page,
                    "max_excerpt_chars": max_excerpt_chars,
                    "max_excerpts_per_match": max_excerpts_per_match,
                    "fan_out": fan_out,
                    "sources": sources,
                }
            )
        )

    async def search_items(
        self,
        query: str,
        *,
        media_type: str | None = None,
        year_from: int | None = None,
        year_to: int | None = None,
        sort: Sort = "relevance",
        limit: int = 5,
        page: int = 1,
        fan_out: bool = True,
        sources: Sequence[str] | None = None,
    ) -> ItemsAnswer:
        """Search the catalogues; bounds and meanings are those of `ItemsRequest`.

        Raises:
            InvalidInput: an argument is wrong, or every archive refused the query.
        """
        return await self.ask(
            ItemsRequest.of(
                {
                    "query": query,
                    "media_type": media_type,
                    "year_from": year_from,
                    "year_to": year_to,
                    "sort": sort,
                    "limit": limit,
                    "page": page,
                    "fan_out": fan_out,
                    "sources": sources,
                }
            )
        )

    async def get_item(
        self,
        identifier: str,
        *,
        sections: Sequence[Section] = ("description",),
        max_copies: int = 10,
        text_offset: int = 0,
        max_text_chars: int = 1500,
    ) -> RecordAnswer:
        """Read one record; bounds and meanings are those of `RecordRequest`.

        Raises:
            InvalidInput: an argument is wrong, or the identifier is not one archive's.
            RecordNotFound: the archive answered and holds no such record.
            SourceError: the archive did not answer, or not readably.
        """
        return await self.ask(
            RecordRequest.of(
                {
                    "identifier": identifier,
                    "sections": sections,
                    "max_copies": max_copies,
                    "text_offset": text_offset,
                    "max_text_chars": max_text_chars,
                }
            )
        )

    @overload
    async def ask(
        self, request: InsideRequest, *, on_progress: OnProgress | None = None
    ) -> InsideAnswer: ...
    @overload
    async def ask(
        self, request: ItemsRequest, *, on_progress: OnProgress | None = None
    ) -> ItemsAnswer: ...
    @overload
    async def ask(
        self, request: RecordRequest, *, on_progress: OnProgress | None = None
    ) -> RecordAnswer: ...
    async def ask(
        self,
        request: InsideRequest | ItemsRequest | RecordRequest,
        *,
        on_progress: OnProgress | None = None,
    ) -> InsideAnswer | ItemsAnswer | RecordAnswer:
        """Answer a validated request; `on_progress` is called after each archive."""
        timeout = self.settings.answer_timeout
        if isinstance(request, RecordRequest):
            self._refuse_not_read(request.identifier)
            await self._open()
            return await _federation.get_item(
                self.sources, request, answer_timeout=timeout, on_progress=on_progress
            )
        if isinstance(request, ItemsRequest):
            self._refuse_unknown_kind(request.media_type)
        scope = self._in_scope(request.sources)
        await self._open()
        if isinstance(request, ItemsRequest):
            return await _federation.search_items(
                scope, request, answer_timeout=timeout, on_progress=on_progress
            )
        return await _federation.search_inside(
            scope, request, answer_timeout=timeout, on_progress=on_progress
        )

    def _build(self) -> tuple[Source, ...]:
        own = tuple(each for each in self._wanted or () if isinstance(each, Source))
        if self._wanted is not None and len(own) == len(self._wanted):
            return own
        from ._http import Http

        self._http = http = Http(self.settings)
        if self._wanted is None:
            return build_sources(self.settings, http)
        by_id: dict[str, Source] = {}
        if any(isinstance(each, str) for each in self._wanted):
            by_id = {source.id: source for source in build_sources(self.settings, http)}
        return tuple(self._built(each, by_id, http) for each in self._wanted)

    def _built(self, wanted: SourceGiven, registered: Mapping[str, Source], http: Http) -> Source:
        if isinstance(wanted, Source):
            return wanted
        if isinstance(wanted, str):
            return _named(wanted, registered, self.settings)
        return wanted(http)

    async def _open(self) -> None:
        if not self._is_entered:
            raise RuntimeError("a BooksClient is used inside 'async with BooksClient() as books'")
        _ = self.sources
        if self._http is None:
            return
        if self._host is None:
            self._host = asyncio.create_task(self._keep_open(self._http), name="mcp-books")
        await self._opened.wait()

    async def _keep_open(self, http: Http) -> None:
        """Hold the transport open until the client closes.

        A task of its own: whichever caller comes first opens it, and a task group held open
        across the caller's block would wrap the caller's own exceptions.
        """
        try:
            async with http:
                self._opened.set()
                await self._closing.wait()
        finally:
            self._opened.set()

    def _in_scope(self, wanted: Sequence[str] | None) -> tuple[Source, ...]:
        if wanted is None:
            return self.sources
        by_id = {source.id: source for source in self.sources}
        return tuple(_named(each, by_id, self.settings) for each in wanted)

    def _refuse_unknown_kind(self, media_type: str | None) -> None:
        known = dict.fromkeys(kind for each in self.sources for kind in each.profile.media_types)
        if media_type is not None and media_type not in known:
            raise InvalidInput(
                f"media_type: no archive files anything under {media_type!r}",
                hint=f"Use one of: {', '.join(known)}.",
            )

    def _refuse_not_read(self, identifier: str) -> None:
        prefix = _PREFIX.match(identifier)
        if prefix is None or prefix[1].lower() in self.profiles:
            return
        because = not_read(self.settings).get(prefix[1].lower())
        if because is not None:
            raise InvalidInput(f"{prefix[1]!r}: {because}", hint=_use(self.profiles))


def _named(source: str, by_id: Mapping[str, Source], settings: Settings) -> Source:
    if source in by_id:
        return by_id[source]
    because = not_read(settings).get(source)
    if because is not None:
        raise InvalidInput(f"sources: {source!r}: {because}", hint=_use(by_id))
    raise InvalidInput(f"sources: {source!r} is no archive asked here", hint=_use(by_id))


def _use(known: Iterable[str]) -> str:
    return f"Use: {', '.join(known)}."


def _refuse_unusable(sources: Sequence[SourceGiven], settings: Settings) -> None:
    if isinstance(sources, str):
        raise InvalidInput(f"sources: {sources!r} is one name, not a list", hint="Use [name].")
    known = [profile.id for profile in profiles(settings)]
    ids: list[str] = []
    for source in sources:
        if isinstance(source, Source) or _is_remote(source):
            ids.append(source.profile.id)
        elif source in known:
            ids.append(source)
        else:
            because = not_read(settings).get(str(source), "is no registered archive")
            raise InvalidInput(f"sources: {source!r}: {because}", hint=_use(known))
    repeated = [each for each in dict.fromkeys(ids) if ids.count(each) > 1]
    if repeated:
        raise InvalidInput(f"sources: {', '.join(repeated)} is given more than once")


def _is_remote(source: object) -> TypeGuard[type[RemoteSource]]:
    return isinstance(source, type) and issubclass(source, RemoteSource)
