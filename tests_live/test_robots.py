"""What each archive's robots.txt allows a program, held against what the product asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.robotparser import RobotFileParser

import pytest

from mcp_books._http import Reply

from .asking import Archive, anything
from .reading import kind

pytestmark = pytest.mark.anyio

ASKED: Mapping[str, tuple[str, ...]] = {
    "archive": ("/services/search/beta/page_production/", "/metadata/item"),
    "loc": ("/collections/chronicling-america/", "/books/", "/photos/", "/item/1/", "/resource/1/"),
    "bnf": ("/sparql",),
}
OURS = "mcp-books"


PARAMETERS = [
    pytest.param(
        paths,
        marks=(
            pytest.mark.archive(archive),
            pytest.mark.question(f"{archive}-robots", "What does robots.txt close, at what pace?"),
        ),
        id=archive,
    )
    for archive, paths in ASKED.items()
]


@pytest.mark.parametrize("paths", PARAMETERS)
async def test_robots(paths: tuple[str, ...], archive: Archive, seen: Callable[..., None]) -> None:
    reply: Reply = await archive.wire("/robots.txt", (), anything, counts=False)
    is_text = reply.status == 200 and kind(reply) == "text/plain"
    rules = RobotFileParser()
    rules.parse(reply.text().splitlines() if is_text else [])
    delay = rules.crawl_delay(OURS)
    closed = [path for path in paths if not rules.can_fetch(OURS, path)]
    lines = [line.strip() for line in reply.text().splitlines() if is_text]
    seen(
        status=reply.status,
        content_type=kind(reply),
        closed=closed,
        crawl_delay=delay,
        disallowed=[line for line in lines if line.lower().startswith("disallow")][:30],
    )
    assert not closed, "robots.txt closes an address that the product asks"
    assert float(delay or 0) <= archive.source.profile.pace_seconds
