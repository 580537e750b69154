"""What `mcp-books demo` prints, and its exit code."""

from __future__ import annotations

import io
import re

import anyio
import pytest

from mcp_books.demo import server, tour
from mcp_books.demo.standin import Request, Response, json_response

pytestmark = pytest.mark.anyio


@pytest.fixture
async def printed() -> str:
    out = io.StringIO()
    with anyio.fail_after(10):
        assert await tour.run(out) == 0
    return out.getvalue()


async def test_it_says_first_that_it_is_a_demonstration_and_how_to_ask_the_real_archives(
    printed: str,
) -> None:
    first = printed.partition("\n$ ")[0]
    assert "demonstration" in first
    assert "invented" in first
    assert "mcp-books search '\"call me ishmael\"'" in first


async def test_each_part_is_introduced_by_the_command_that_asks_it(printed: str) -> None:
    commands = re.findall(r"^\$ mcp-books --demo (\w+) .+$", printed, re.MULTILINE)
    assert commands == ["search", "items", "get", "search"]


async def test_a_passage_an_absent_archive_and_a_failed_one_can_be_seen(printed: str) -> None:
    parts = printed.split("\n$ ")
    assert "passage:" in parts[1]
    assert "absent:" in parts[1]
    assert "failed:" not in parts[1]
    assert "record:" in parts[3]
    assert re.search(r"^failed: Library of Congress", parts[4], re.MULTILINE)
    assert re.search(r"^answered: Internet Archive", parts[4], re.MULTILINE)


async def test_a_library_shows_page_printed_number_and_chapter(printed: str) -> None:
    parts = printed.split("\n$ ")
    assert "calibre:Demonstration/1" in parts[1]
    assert "p. 3 · labelled 1 (printed) · section Chapter 1. Loomings" in parts[1]
    assert "3 of 3 readable documents indexed" in parts[1]
    assert "calibre:Demonstration/1" in parts[2]
    assert "answered: Calibre libraries (demonstration)" in parts[4]


async def test_every_address_printed_after_the_introduction_is_on_this_computer(
    printed: str,
) -> None:
    addresses = re.findall(r"(?:https?|calibre)://\S+", printed)
    assert addresses
    terms = [line for line in printed.splitlines() if line.startswith("terms")]
    elsewhere = [
        address
        for address in addresses
        if not re.match(r"http://127\.0\.0\.1:\d+/demonstration/", address)
        and not re.match(r"calibre://(?:show|view)-book/Demonstration/\d", address)
        and not any(address in line for line in terms)
    ]
    assert elsewhere == []


class Bare:
    """Holds nothing."""

    source = "archive"

    def answer(self, request: Request) -> Response:
        return json_response({})


async def test_a_part_that_does_not_do_what_it_should_is_named_and_gives_exit_code_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    others = [each for each in server.stand_ins() if each.source != "archive"]
    monkeypatch.setattr(tour, "stand_ins", lambda: (Bare(), *others))
    out = io.StringIO()
    with anyio.fail_after(10):
        assert await tour.run(out) == 1
    assert "archive" in out.getvalue().rpartition("did not do what it should")[2]
