from __future__ import annotations

import httpx
import pytest
import respx

from mcp_books._http import Http, Reply
from mcp_books._redirects import Bounds, Question, is_loopback
from mcp_books.errors import NetworkFailure
from mcp_books.settings import Settings
from tests.unit.asked import BASE, Played, ask, channel_of
from tests.unit.virtual_time import anyio_backend, clock

__all__ = ["anyio_backend", "clock"]

pytestmark = pytest.mark.anyio


def status(reply: Reply) -> int:
    return reply.status


def moved(to: str, code: int = 302) -> httpx.Response:
    return httpx.Response(code, headers={"location": to})


async def test_a_redirect_within_the_archive_is_followed_and_pays_the_spacing(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(
        respx_mock,
        [
            moved("/books/?fa=a%20b&q=1", 301),
            moved("https://files.archive.test/x?y=2#part", 307),
            httpx.Response(200, json={}),
        ],
    )
    replies: list[Reply] = []
    async with Http(Settings()) as http:
        await channel_of(http).get("/search/", [("q", "1")], replies.append)
    assert [str(request.url) for request in archive.requests] == [
        f"{BASE}/search/?q=1",
        f"{BASE}/books/?fa=a%20b&q=1",
        "https://files.archive.test/x?y=2",
    ]
    assert archive.starts == [0, 1, 2]
    assert replies[0].url == "https://files.archive.test/x?y=2"


@pytest.mark.parametrize(
    "target",
    [
        "https://elsewhere.test/",
        "//elsewhere.test/",
        "http://archive.test/",
        "http://127.0.0.1:9/",
        "https://archive.test:8443/",
        "https://user:word@archive.test/",
        "https://archive.test@elsewhere.test/",
        "https://archive.test.elsewhere.test/",
        "ftp://archive.test/",
        "file:///etc/passwd",
        "https://[broken/",
    ],
)
async def test_a_redirect_elsewhere_is_refused_and_nothing_is_sent_there(
    respx_mock: respx.MockRouter, target: str
) -> None:
    archive = Played(respx_mock, [moved(target)])
    async with Http(Settings()) as http:
        with pytest.raises(NetworkFailure) as raised:
            await ask(channel_of(http))
    assert raised.value.retries == 0
    assert len(archive.requests) == 1
    if "elsewhere.test" in target:
        assert "elsewhere.test" in raised.value.message


async def test_a_redirect_to_no_address_is_a_failure(respx_mock: respx.MockRouter) -> None:
    Played(respx_mock, [moved("https://archive.test:port/")])
    async with Http(Settings()) as http:
        with pytest.raises(NetworkFailure):
            await ask(channel_of(http))


async def test_a_stand_in_may_redirect_on_itself_and_nowhere_else(
    respx_mock: respx.MockRouter,
) -> None:
    base = "http://127.0.0.1:9/mirror"
    archive = Played(respx_mock, [moved("/mirror/b"), moved("https://archive.test/")])
    async with Http(Settings()) as http:
        with pytest.raises(NetworkFailure):
            await ask(channel_of(http, base_url=base))
    assert [str(request.url) for request in archive.requests][1:] == ["http://127.0.0.1:9/mirror/b"]


async def test_redirects_end_after_five(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, [moved("/again")])
    async with Http(Settings()) as http:
        with pytest.raises(NetworkFailure):
            await ask(channel_of(http))
    assert len(archive.requests) == 6


@pytest.mark.parametrize(
    ("code", "to", "followed"),
    [
        (307, "/other", True),
        (308, "/other", True),
        (301, "/other", False),
        (302, "/other", False),
        (303, "/other", False),
        (307, "https://files.archive.test/other", False),
    ],
)
async def test_a_form_is_sent_again_only_where_the_archive_says_so_on_the_same_host(
    respx_mock: respx.MockRouter, code: int, to: str, followed: bool
) -> None:
    archive = Played(respx_mock, [moved(to, code), httpx.Response(200)])
    async with Http(Settings()) as http:
        channel = channel_of(http)
        if followed:
            await channel.post_form("/sparql", [("query", "x")], status)
            assert archive.requests[1].method == "POST"
            assert archive.requests[1].content == b"query=x"
        else:
            with pytest.raises(NetworkFailure):
                await channel.post_form("/sparql", [("query", "x")], status)
            assert len(archive.requests) == 1


async def test_a_redirect_without_a_target_reaches_the_reader(
    respx_mock: respx.MockRouter,
) -> None:
    Played(respx_mock, [httpx.Response(302)])
    async with Http(Settings()) as http:
        assert (await channel_of(http).get("/", [], status)).value == 302


@pytest.mark.parametrize(
    "path",
    [
        "/search",
        "/search/?q=whale",
        "//search/",
        "///search",
        "/%73earch/",
        "/%2fsearch",
        "/./search",
        "/books/../search/",
        "/books/%2e%2e/search",
        "/Search/",
        "/\\search",
        "/search;x=1",
        "/private/",
        "/private",
    ],
)
async def test_a_redirect_to_a_path_the_archive_closes_is_not_followed(
    respx_mock: respx.MockRouter, path: str
) -> None:
    archive = Played(respx_mock, [moved(f"https://files.archive.test{path}")])
    async with Http(Settings()) as http:
        channel = channel_of(http, closed_paths=("/search", "/private/"))
        with pytest.raises(NetworkFailure):
            await channel.get("/books/", [], status)
    assert len(archive.requests) == 1


@pytest.mark.parametrize("path", ["/books/search", "/privateers/", "/a//search", "/"])
async def test_a_redirect_beside_a_closed_path_is_followed(
    respx_mock: respx.MockRouter, path: str
) -> None:
    archive = Played(respx_mock, [moved(f"{BASE}{path}"), httpx.Response(200)])
    async with Http(Settings()) as http:
        channel = channel_of(http, closed_paths=("/search", "/private/"))
        await channel.get("/x", [], status)
    assert len(archive.requests) == 2


async def test_a_path_closed_at_the_archive_is_closed_under_another_base(
    respx_mock: respx.MockRouter,
) -> None:
    archive = Played(respx_mock, [moved("/mirror/%73earch/")])
    async with Http(Settings()) as http:
        channel = channel_of(http, base_url=f"{BASE}/mirror", closed_paths=("/search",))
        with pytest.raises(NetworkFailure):
            await channel.get("/x", [], status)
    assert len(archive.requests) == 1


def test_of_a_refused_redirect_the_host_alone_is_quoted() -> None:
    bounds = Bounds("Test Archive", BASE, ("archive.test",), ())
    to = {"location": "https://else\x9bwhere.test\x1b[2J]/"}
    for headers in (to, {"location": "https://else\x9bwh\x1b\u202eere.test/"}):
        with pytest.raises(NetworkFailure) as raised:
            bounds.follow(Question("GET", BASE, "*/*"), Reply(302, headers, b"", BASE))
        assert raised.value.message.isprintable()
    assert r"'else\x9bwh\x1b\u202eere.test'" in raised.value.message
    assert "'to " not in raised.value.message


@pytest.mark.parametrize(
    ("host", "is_mine"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("127.0.0.1", True),
        ("127.200.3.4", True),
        ("127.0.0.1.", True),
        ("::1", True),
        ("[::1]", True),
        ("0:0:0:0:0:0:0:1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:7f00:1", True),
        ("127.a.evil.test", False),
        ("127.0.0.1.evil.test", False),
        ("127.0.0.256", False),
        ("localhost.evil.test", False),
        ("::ffff:203.0.113.1", False),
        ("10.0.0.1", False),
        ("", False),
    ],
)
def test_loopback_is_told_by_the_address_and_not_by_how_it_begins(host: str, is_mine: bool) -> None:
    assert is_loopback(host) is is_mine


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "mailto:x@y", "data:text/html,x", "https://xn--/"]
)
async def test_a_redirect_to_no_web_address_is_the_archives_failure_and_was_sent(
    respx_mock: respx.MockRouter, target: str
) -> None:
    archive = Played(respx_mock, [moved(target)])
    async with Http(Settings()) as http:
        with pytest.raises(NetworkFailure) as refused:
            await ask(channel_of(http))
    assert refused.value.sent
    assert len(archive.requests) == 1
