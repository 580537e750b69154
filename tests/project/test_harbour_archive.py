"""The worked example of the documentation: held to the contract, and printed as it runs."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.harbour_archive import HarbourArchive
from mcp_books import BooksClient
from mcp_books.demo import faults
from mcp_books.demo.server import Server
from mcp_books.demo.standin import Request, Response, json_response
from mcp_books.errors import InvalidInput, ParseFailure
from mcp_books.reports import Answered
from mcp_books.settings import Settings
from mcp_books.sources.base import CatalogueQuery
from mcp_books.testing import Samples, Trouble, WireContract
from mcp_books.transport import Http

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "a-source-of-your-own.md"

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


@pytest.mark.anyio
async def test_a_client_asks_it_through_its_own_transport(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HarbourArchive, "default_base_url", server.address("harbour"))
    async with BooksClient(Settings(), sources=[HarbourArchive]) as books:
        answer = await books.search_items("white whale", fan_out=False)
    assert [row.id for row in answer.items] == ["harbour:log-0002"]
    (report,) = answer.per_source
    assert isinstance(report, Answered)
    assert report.name == "Harbour Archive"


def test_a_class_of_an_archive_that_is_given_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="harbour"):
        BooksClient(Settings(), sources=[HarbourArchive, HarbourArchive])


def test_a_class_that_is_no_archive_is_refused() -> None:
    with pytest.raises(InvalidInput, match="registered"):
        BooksClient(Settings(), sources=[dict])  # type: ignore[list-item]  # what is refused


@pytest.mark.anyio
@pytest.mark.parametrize("document", [[], {"found": 1}, {"found": "many", "logbooks": []}])
async def test_a_list_of_another_shape_is_a_parse_failure(server: Server, document: object) -> None:
    server.faults.inject("harbour", faults.rewriting(lambda _: document))
    async with Http(Settings(max_retries=0)) as http:
        source = HarbourArchive(http, base_url=server.address("harbour"))
        with pytest.raises(ParseFailure):
            await source.search_items(CatalogueQuery(text="whale", limit=2))


def _blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_guide_prints_the_code_that_runs() -> None:
    printed = _blocks()
    adapter = (ROOT / "docs" / "harbour_archive.py").read_text("utf-8")
    here = Path(__file__).read_text("utf-8")
    assert printed[0] == adapter
    assert len(printed) == 3
    assert printed[1] in here


@pytest.mark.anyio
async def test_the_program_of_the_guide_prints_what_it_found(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = _blocks()[2]
    monkeypatch.setattr(HarbourArchive, "default_base_url", server.address("harbour"))
    names: dict[str, Any] = {"__name__": "guide"}
    exec(compile(program, str(GUIDE), "exec"), names)
    await names["main"]()
    assert "harbour:log-0001 Logbook of the Whale" in capsys.readouterr().out
