"""What a mock cannot show: real sockets that stall, drop, drip, truncate and overflow."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream

from mcp_books._http import SIZE_CAP, Channel, Http, Reply
from mcp_books.errors import DeadlineExceeded, NetworkFailure, ParseFailure, RateLimited
from mcp_books.settings import Settings

pytestmark = pytest.mark.anyio

Behaviour = Callable[[SocketStream], Awaitable[None]]


class Archive:
    """A server on loopback that answers every request as it is told to."""

    def __init__(self, behaviour: Behaviour, port: int, *, listens: bool) -> None:
        self.behaviour = behaviour
        self.port = port
        self.listens = listens
        self.requests: list[bytes] = []
        self.left_alone = anyio.Event()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, stream: SocketStream) -> None:
        async with stream:
            try:
                self.requests.append(await _head(stream) if self.listens else b"")
                await self.behaviour(stream)
            except (anyio.BrokenResourceError, anyio.EndOfStream):
                self.left_alone.set()


async def _head(stream: SocketStream) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        head += await stream.receive()
    return head


@asynccontextmanager
async def archive_that(behaviour: Behaviour, *, listens: bool = True) -> AsyncIterator[Archive]:
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    archive = Archive(behaviour, listener.extra(SocketAttribute.local_port), listens=listens)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, archive.serve)
        with anyio.fail_after(20):
            yield archive
        tasks.cancel_scope.cancel()


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def sending(*pieces: bytes) -> Behaviour:
    async def behaviour(stream: SocketStream) -> None:
        for piece in pieces:
            await stream.send(piece)

    return behaviour


def settings(**changes: Any) -> Settings:
    """Return settings whose time-outs are shorter than anybody may ask for in earnest."""
    return Settings().model_copy(update={"max_retries": 0, "request_timeout": 10.0} | changes)


def channel_to(http: Http, base: str, **changes: Any) -> Channel:
    values: dict[str, Any] = {"hosts": ("archive.test",), "min_interval": 1.0}
    return http.channel(source="archive", name="Test Archive", base_url=base, **values | changes)


def read_json(reply: Reply) -> Any:
    reply.require_ok()
    return reply.json()


async def ask(base: str, chosen: Settings | None = None) -> Any:
    async with Http(chosen or settings()) as http:
        return (await channel_to(http, base).get("/x", [("q", "whale")], read_json)).value


async def test_a_plain_and_a_compressed_answer_arrive() -> None:
    body = '{"titre": "Misérables"}'.encode()
    async with archive_that(sending(answer(body))) as archive:
        assert await ask(archive.base) == {"titre": "Misérables"}
    packed = answer(gzip.compress(body), "Content-Encoding: gzip")
    async with archive_that(sending(packed[:150], packed[150:])) as archive:
        assert await ask(archive.base) == {"titre": "Misérables"}


async def test_an_archive_that_stalls_is_a_time_out() -> None:
    async def stall(stream: SocketStream) -> None:
        await stream.receive()

    async with archive_that(stall) as archive:
        with pytest.raises(DeadlineExceeded):
            await ask(archive.base, settings(request_timeout=0.1, max_retries=3))
        assert len(archive.requests) == 2
        await archive.left_alone.wait()


async def test_an_archive_that_drips_is_bounded_as_a_whole() -> None:
    async def drip(stream: SocketStream) -> None:
        await stream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            await stream.send(b" ")
            await anyio.sleep(0.01)

    async with archive_that(drip) as archive:
        with pytest.raises(DeadlineExceeded):
            await ask(archive.base, settings(request_timeout=0.2))
        await archive.left_alone.wait()


@pytest.mark.parametrize(
    "sent",
    [
        (),
        (b"HTTP/1.1 200 OK\r\nContent-Le",),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a": ',),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1,2,\r\n",),
        (b"this is no HTTP at all\r\n\r\n",),
        (answer(gzip.compress(b"[1, 2, 3]" * 99)[:-9], "Content-Encoding: gzip"),),
    ],
    ids=["no answer", "head", "body", "chunks", "no HTTP", "gzip"],
)
async def test_a_connection_dropped_anywhere_is_tried_again_and_then_a_network_error(
    sent: tuple[bytes, ...],
) -> None:
    async with archive_that(sending(*sent)) as archive:
        with pytest.raises(NetworkFailure):
            await ask(archive.base, settings(max_retries=2))
        assert len(archive.requests) == 3


async def test_a_port_nobody_listens_on_is_a_network_error() -> None:
    async with archive_that(sending()) as archive:
        base = archive.base
    with pytest.raises(NetworkFailure) as raised:
        await ask(base)
    assert raised.value.retries == 8


async def test_an_archive_that_cannot_be_reached_securely_is_not_tried_again() -> None:
    async with archive_that(sending(answer(b"{}")), listens=False) as archive:
        with pytest.raises(NetworkFailure) as raised:
            await ask(archive.base.replace("http:", "https:"), settings(max_retries=2))
        assert len(archive.requests) == 1
    assert raised.value.retries == 0


async def test_an_answer_that_says_it_is_too_large_is_not_read() -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {80 * 2**20}\r\n\r\n".encode()
    async with archive_that(sending(head)) as archive:
        with pytest.raises(ParseFailure) as raised:
            await ask(archive.base)
    assert "32 MiB" in raised.value.message
    assert raised.value.retries == 0


async def test_eighty_megabytes_that_do_not_say_so_are_read_up_to_the_cap() -> None:
    chunk = b"100000\r\n" + b" " * 2**20 + b"\r\n"
    sent = 0

    async def overflow(stream: SocketStream) -> None:
        nonlocal sent
        await stream.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while sent < 80:
            await stream.send(chunk)
            sent += 1

    async with archive_that(overflow) as archive:
        with pytest.raises(ParseFailure):
            await ask(archive.base)
        await archive.left_alone.wait()
    assert 32 <= sent < 80


async def test_a_small_answer_that_unpacks_to_a_gigabyte_is_cut_at_the_cap() -> None:
    packer = gzip.compress(b"\0" * 2**24, compresslevel=9)
    bomb = answer(packer * 64, "Content-Encoding: gzip")
    async with archive_that(sending(bomb)) as archive:
        tracemalloc.start()
        with pytest.raises(ParseFailure):
            await ask(archive.base)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 2 * SIZE_CAP


async def test_a_long_retry_after_is_kept_by_another_process() -> None:
    refusal = answer(b"", "Retry-After: 900", status="429 Too Many Requests")
    async with archive_that(sending(refusal)) as archive:
        with pytest.raises(RateLimited):
            await ask(archive.base)
        script = f"""
import anyio
from mcp_books._http import Http
from mcp_books.errors import BooksError
from mcp_books.settings import Settings

async def main():
    async with Http(Settings()) as http:
        channel = http.channel(source="a", name="A", base_url={archive.base!r}, hosts=(),
                               min_interval=1.0)
        try:
            await channel.get("/x", [], lambda reply: reply.status)
        except BooksError as error:
            print(error.code)

anyio.run(main)
"""
        ran = await anyio.run_process([sys.executable, "-c", script], stderr=subprocess.STDOUT)
        assert ran.stdout.decode().strip() == "rate_limited"
        assert len(archive.requests) == 1


async def test_a_caller_who_leaves_closes_the_connection() -> None:
    async def stall(stream: SocketStream) -> None:
        left.set()
        await stream.receive()

    left = anyio.Event()
    async with archive_that(stall) as archive, Http(settings()) as http:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(channel_to(http, archive.base).get, "/x", [], read_json)
            await left.wait()
            tasks.cancel_scope.cancel()
        await archive.left_alone.wait()


async def test_a_proxy_of_the_environment_is_used_for_an_archive_and_never_on_loopback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with (
        archive_that(sending(answer(b'"proxy"'))) as proxy,
        archive_that(sending(answer(b'"stand-in"'))) as stand_in,
    ):
        monkeypatch.setenv("HTTP_PROXY", proxy.base)
        monkeypatch.setenv("ALL_PROXY", proxy.base)
        assert await ask("http://archive.test") == "proxy"
        assert await ask(stand_in.base) == "stand-in"
    assert proxy.requests[0].startswith(b"GET http://archive.test/x?q=whale ")
    assert stand_in.requests[0].startswith(b"GET /x?q=whale ")
