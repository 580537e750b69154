"""The contract over every registered archive, each asked at its stand-in on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping

import pytest

from mcp_books._http import Http
from mcp_books.demo import faults
from mcp_books.demo.faults import Fault
from mcp_books.demo.server import Server, stand_ins
from mcp_books.settings import Settings
from mcp_books.sources.base import Source
from mcp_books.sources.registry import PROFILES, build_sources
from mcp_books.testing import Samples, Trouble, WireContract

SAMPLES: Mapping[str, Samples] = {
    "archive": Samples(
        inside="whale", catalogue="whale", nothing="zzxqzv", missing="no-such-item-000"
    ),
    "loc": Samples(inside="whale", catalogue="whale", nothing="zzxqzv", missing="99999999"),
    "bnf": Samples(catalogue="moby dick", nothing="zzxqzv", missing="temp-work/" + "0" * 32),
}

IDENTIFYING: Mapping[str, tuple[str, ...]] = {
    "archive": ("identifier",),
    "loc": ("id", "url"),
    "bnf": ("work",),
}
"""The keys a row of each archive is known by."""

FAULTS: Mapping[Trouble, Fault] = {
    Trouble.PUSH_BACK: faults.pushing_back(),
    Trouble.SERVER_ERROR: faults.failing(),
    Trouble.HTML: faults.html(),
    Trouble.EMPTY_BODY: faults.empty(),
    Trouble.TRUNCATED_BODY: faults.truncated(),
    Trouble.CUT_OFF: faults.cut_off(),
    Trouble.DROPPED: faults.dropped(),
    Trouble.STALLED: faults.stalled(),
    Trouble.FLOOD: faults.flooding(40 * faults.MIB),
    Trouble.ELSEWHERE: faults.moved("http://127.0.0.2:9/elsewhere"),
}


class TestRegisteredSource(WireContract):
    """An archive joins by being registered, with its samples above."""

    @pytest.fixture(params=[profile.id for profile in PROFILES])
    def source_id(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest.fixture
    def server(self) -> Iterator[Server]:
        with Server(stand_ins()) as running:
            yield running

    @pytest.fixture
    async def source(self, source_id: str, server: Server) -> AsyncIterator[Source]:
        settings = server.settings(Settings(request_timeout=1, max_retries=0))
        # The profile under test is the archive's own, not that of its demonstration.
        settings = settings.model_copy(update={"demonstration": False})
        http = Http(settings)
        async with http:
            yield next(each for each in build_sources(settings, http) if each.id == source_id)

    @pytest.fixture
    def samples(self, source_id: str) -> Samples:
        return SAMPLES[source_id]

    @pytest.fixture
    def trouble(self, source_id: str, server: Server) -> Callable[[Trouble], None]:
        keys = IDENTIFYING[source_id]
        kinds = {
            **FAULTS,
            Trouble.ONE_ROW_WITHOUT_IDENTIFIER: faults.without_keys(*keys, objects=1),
            Trouble.NO_ROW_WITH_IDENTIFIER: faults.without_keys(*keys),
        }

        def misbehave(kind: Trouble) -> None:
            server.faults.inject(source_id, kinds[kind])

        return misbehave
