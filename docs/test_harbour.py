"""The Harbour Archive, held to the contract of mcp-books on a stand-in of three logbooks."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from harbour_archive import HarbourArchive
from mcp_books.demo import faults
from mcp_books.demo.server import Server
from mcp_books.demo.standin import Request, Response, json_response
from mcp_books.settings import Settings
from mcp_books.testing import Samples, Trouble, WireContract
from mcp_books.transport import Http

LOGBOOKS: tuple[dict[str, Any], ...] = (
    {"id": "log-0001", "ship": "Whale", "master": "Ada Brook", "year": 1841},
    {"id": "log-0002", "ship": "White Whale", "master": None, "year": None},
    {"id": "log-0003", "ship": "Plover", "master": "Jonah Reed", "year": 1852},
)

FAULTS = {
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
    Trouble.ONE_ROW_WITHOUT_IDENTIFIER: faults.without_keys("id", objects=1),
    Trouble.NO_ROW_WITH_IDENTIFIER: faults.without_keys("id"),
}


class HarbourStandIn:
    """The invented API, over three logbooks."""

    source = "harbour"

    def answer(self, request: Request) -> Response:
        if request.path == "/api/logbooks":
            words = request.query["q"].casefold().split()
            found = [
                book
                for book in LOGBOOKS
                if all(word in f"{book['ship']} {book['master']}".casefold() for word in words)
            ]
            limit, page = int(request.query["limit"]), int(request.query["page"])
            rows = found[(page - 1) * limit : page * limit]
            return json_response({"found": len(found), "logbooks": rows})
        return json_response({"error": "no such route"}, status=404)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server([HarbourStandIn()]) as running:
        yield running


class TestHarbourArchive(WireContract):
    @pytest.fixture
    async def source(self, server: Server) -> AsyncIterator[HarbourArchive]:
        async with Http(Settings(request_timeout=1, max_retries=0)) as http:
            yield HarbourArchive(http, base_url=server.address("harbour"))

    @pytest.fixture
    def samples(self) -> Samples:
        return Samples(catalogue="whale", nothing="zzxqzv")

    @pytest.fixture
    def trouble(self, server: Server) -> Callable[[Trouble], None]:
        def misbehave(kind: Trouble) -> None:
            server.faults.inject("harbour", FAULTS[kind])

        return misbehave
