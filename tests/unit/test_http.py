from __future__ import annotations

import json
import logging
import ssl
import threading
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
import respx

from mcp_books import _http
from mcp_books._http import Channel, Http, Reply
from mcp_books._replies import SMALL_BODY
from mcp_books.errors import (
    BooksError,
    DeadlineExceeded,
    InvalidInput,
    NetworkFailure,
    ParseFailure,
    SourceError,
)
from mcp_books.settings import Settings
from tests.unit.asked import BASE, Played, ask, channel_of, read_json
from tests.unit.virtual_time import anyio_backend, clock

__all__ = ["anyio_backend", "clock"]

pytestmark = pytest.mark.anyio

AGENT = r"mcp-books/\d+\.\d+\.\d+\S* \(\+https://github\.com/mcp-books/mcp-books\)"


def status(reply: Reply) -> int:
    return reply.status


@pytest.mark.parametrize(
    ("base", "path", "params", "asked"),
    [
        (BASE, "/a/", [], f"{BASE}/a/"),
        (BASE, "/a/", [("q", "é & b"), ("q", "c/d")], f"{BASE}/a/?q=%C3%A9%20%26%20b&q=c%2Fd"),
        (BASE, "/a/?sp=2", [("fo", "json")], f"{BASE}/a/?sp=2&fo=json"),
        (BASE, "/a/?sp=2", [], f"{BASE}/a/?sp=2"),
        ("http://127.0.0.1:9/mirror/x/", "/a", [("q", "1")], "http://127.0.0.1:9/mirror/x/a?q=1"),
        (BASE, "/metadata/caf%C3%A9", [], f"{BASE}/metadata/caf%C3%A9"),
    ],
)
async def test_an_address_keeps_its_base_its_path_and_every_parameter(
    respx_mock: respx.MockRouter,
    base: str,
    path: str,
    params: list[tuple[str, str]],
    asked: str,
) -> None:
    archive = Played(respx_mock)
    async with Http(Settings()) as http:
        await channel_of(http, base_url=base).get(path, params, status)
    assert str(archive.requests[0].url) == asked


async def test_a_form_is_sent_as_a_form(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock)
    form = [("query", "SELECT ?x { ?x a 'é+&' }"), ("format", "json")]
    async with Http(Settings()) as http:
        await channel_of(http).post_form("/sparql", form, status, accept="application/x")
    sent = archive.requests[0]
    assert sent.method == "POST"
    assert sent.headers["content-type"] == "application/x-www-form-urlencoded"
    assert sent.headers["accept"] == "application/x"
    assert parse_qsl(sent.content.decode()) == form


async def test_a_request_says_who_asks_and_what_it_takes(respx_mock: respx.MockRouter) -> None:
    import re

    archive = Played(respx_mock)
    for caller in (None, "reading-room/2 (desk@example.org)"):
        async with Http(Settings(user_agent=caller)) as http:
            await ask(channel_of(http))
    plain, named = (request.headers for request in archive.requests)
    assert re.fullmatch(AGENT, plain["user-agent"])
    assert named["user-agent"] == f"reading-room/2 (desk@example.org) {plain['user-agent']}"
    assert plain["accept-encoding"] == "gzip, deflate"
    assert plain["accept"] == "application/json"


async def test_a_cookie_is_not_kept(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, [httpx.Response(200, headers={"set-cookie": "id=1"}, json={})])
    async with Http(Settings()) as http:
        channel = channel_of(http)
        await ask(channel, "one")
        await ask(channel, "two")
    assert "cookie" not in archive.requests[1].headers


async def test_a_reply_carries_status_lower_case_headers_and_its_address(
    respx_mock: respx.MockRouter,
) -> None:
    Played(respx_mock, [httpx.Response(404, headers={"X-SQL-State": "S1TAT"}, content=b"none")])
    replies: list[Reply] = []
    async with Http(Settings()) as http:
        await channel_of(http).get("/a", [("q", "1")], replies.append)
    (reply,) = replies
    assert (reply.status, reply.body, reply.url) == (404, b"none", f"{BASE}/a?q=1")
    assert reply.headers["x-sql-state"] == "S1TAT"


@pytest.mark.parametrize("base", ["ftp://archive.test", "archive.test", "file:///etc/passwd"])
async def test_a_base_address_is_http_or_https(base: str) -> None:
    with pytest.raises(ValueError, match="http"):
        channel_of(Http(Settings()), base_url=base)


async def test_archives_share_one_tls_context_and_stand_ins_make_none(
    respx_mock: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    Played(respx_mock)
    made: list[ssl.SSLContext] = []
    create = httpx.create_ssl_context

    def counted(*args: Any, **options: Any) -> ssl.SSLContext:
        made.append(create(*args, **options))
        return made[-1]

    monkeypatch.setattr(httpx, "create_ssl_context", counted)
    async with Http(Settings()) as http:
        channel = channel_of(http, base_url="http://127.0.0.1:9")
        await http.warm()
        await ask(channel)
    assert made == []
    async with Http(Settings()) as http:
        channels = [channel_of(http), channel_of(http, base_url="https://other.test")]
        await http.warm()
        assert made == []
        for channel in channels:
            await ask(channel)
    assert len(made) == 1


async def test_a_proxy_of_the_environment_that_makes_no_sense_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "gopher://proxy.test")
    async with Http(Settings()) as http:
        channel = channel_of(http)
        await http.warm()
        with pytest.raises(NetworkFailure) as raised:
            await ask(channel)
    assert raised.value.retries == 0
    assert raised.value.hint


def exceptions_of_httpx() -> list[type[BaseException]]:
    return [
        kind
        for kind in vars(httpx).values()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    ]


def raised_by_httpx(kind: type[BaseException]) -> BaseException:
    request = httpx.Request("GET", BASE)
    if issubclass(kind, httpx.HTTPStatusError):
        return kind("", request=request, response=httpx.Response(500, request=request))
    if kind in (
        httpx.StreamConsumed,
        httpx.ResponseNotRead,
        httpx.RequestNotRead,
        httpx.StreamClosed,
    ):
        return kind()
    return kind("")


@pytest.mark.parametrize("kind", exceptions_of_httpx(), ids=lambda kind: kind.__name__)
@pytest.mark.proves("9.1")
async def test_every_exception_of_httpx_becomes_one_of_the_six_codes(
    respx_mock: respx.MockRouter, kind: type[BaseException]
) -> None:
    failure = raised_by_httpx(kind)
    respx_mock.route().mock(side_effect=lambda _: (_ for _ in ()).throw(failure))
    async with Http(Settings(max_retries=0)) as http:
        with pytest.raises(BooksError) as raised:
            await ask(channel_of(http))
    error = raised.value
    assert isinstance(error.__cause__, kind)
    assert error.source == "archive"
    assert error.hint
    assert "Test Archive" in error.message


@pytest.mark.parametrize(
    ("kind", "becomes", "retries"),
    [
        (httpx.ConnectError, NetworkFailure, 8),
        (httpx.ReadError, NetworkFailure, 8),
        (httpx.WriteError, NetworkFailure, 8),
        (httpx.CloseError, NetworkFailure, 8),
        (httpx.RemoteProtocolError, NetworkFailure, 8),
        (httpx.LocalProtocolError, NetworkFailure, 0),
        (httpx.ProxyError, NetworkFailure, 0),
        (httpx.UnsupportedProtocol, NetworkFailure, 0),
        (httpx.TooManyRedirects, NetworkFailure, 0),
        (httpx.ReadTimeout, DeadlineExceeded, 1),
        (httpx.ConnectTimeout, DeadlineExceeded, 1),
        (httpx.PoolTimeout, DeadlineExceeded, 1),
        (httpx.DecodingError, ParseFailure, 1),
        (ConnectionResetError, NetworkFailure, 8),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_the_most_specific_counterpart_decides(
    kind: type[Exception], becomes: type[SourceError], retries: int
) -> None:
    error = _http.translated(kind(""), "Test Archive")
    assert isinstance(error, becomes)
    assert error.retries == retries


def test_a_certificate_behind_a_failed_connection_is_found() -> None:
    handshake = httpx.ConnectError("handshake")
    handshake.__cause__ = OSError()
    handshake.__cause__.__context__ = ssl.SSLCertVerificationError(1, "self-signed")
    error = _http.translated(handshake, "Test Archive")
    assert isinstance(error, NetworkFailure)
    assert error.retries == 0


async def test_what_makes_no_address_is_the_fault_of_who_asked() -> None:
    async with Http(Settings()) as http:
        channel = channel_of(http)
        for path in ("/a\x00b", "/" + "x" * 70_000):
            with pytest.raises(InvalidInput):
                await channel.get(path, [], status)


@pytest.mark.parametrize("wire", ["plain", "redirected", "retried"])
async def test_a_log_line_holds_neither_the_words_nor_the_address(
    respx_mock: respx.MockRouter, caplog: pytest.LogCaptureFixture, wire: str
) -> None:
    first = {
        "plain": [],
        "redirected": [httpx.Response(302, headers={"location": "/moved?q=narwhal"})],
        "retried": [httpx.Response(500)],
    }[wire]
    Played(respx_mock, [*first, httpx.Response(200, json={"said": "narwhal"})])
    caplog.set_level(logging.INFO, "mcp_books")
    async with Http(Settings()) as http:
        await ask(channel_of(http), "narwhal")
        await channel_of(http).post_form("/sparql", [("query", "narwhal")], read_json)
    said = [record.getMessage() for record in caplog.records if record.name.startswith("mcp_books")]
    assert len(said) == 2 + len(first)
    assert all(line.startswith("archive answered HTTP ") for line in said)
    assert "HTTP 200, 18 bytes" in said[-1]
    for secret in ("narwhal", "archive.test", "/search", "/moved", "/sparql", "q="):
        assert secret not in "\n".join(said)


async def test_a_large_answer_is_read_beside_the_loop_and_a_small_one_on_it(
    respx_mock: respx.MockRouter,
) -> None:
    Played(respx_mock, [httpx.Response(200, json=[1]), httpx.Response(200, json="x" * SMALL_BODY)])
    threads: list[int] = []

    def read(reply: Reply) -> Any:
        threads.append(threading.get_ident())
        return reply.json()

    async with Http(Settings()) as http:
        small, large = [await channel_of(http).get("/", [("n", n)], read) for n in "12"]
    assert (small.value, len(large.value)) == ([1], SMALL_BODY)
    assert threads[0] == threading.get_ident() != threads[1]


def test_reading_a_large_answer_stops_no_other_thread() -> None:
    body = json.dumps([{"id": number} for number in range(500_000)]).encode()
    reading = threading.Thread(target=Reply(200, {}, body, BASE).json)
    reading.start()
    turns = 0
    while reading.is_alive():
        reading.join(0.001)
        turns += 1
    assert turns > 5


@pytest.mark.parametrize("error", [NetworkFailure("wall"), InvalidInput("no such word")])
async def test_what_fails_in_a_large_answer_fails_as_in_a_small_one(
    respx_mock: respx.MockRouter, error: BooksError
) -> None:
    Played(respx_mock, [httpx.Response(200, json="x" * SMALL_BODY)])

    def read(_: Reply) -> None:
        raise error

    async with Http(Settings()) as http:
        with pytest.raises(type(error)) as raised:
            await channel_of(http).get("/", [], read)
    assert (raised.value.source, raised.value.sent) == ("archive", True)


async def test_nothing_is_asked_outside_the_context(respx_mock: respx.MockRouter) -> None:
    http = Http(Settings())
    channel: Channel = channel_of(http)
    with pytest.raises(RuntimeError):
        await channel.get("/", [], read_json)


async def test_a_retried_answer_needs_no_second_question(respx_mock: respx.MockRouter) -> None:
    archive = Played(respx_mock, [httpx.Response(500), httpx.Response(200, json=[1])])
    async with Http(Settings()) as http:
        channel = channel_of(http)
        assert await ask(channel) == [1]
        assert await ask(channel) == [1]
    assert len(archive.requests) == 2
