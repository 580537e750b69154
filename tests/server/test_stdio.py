"""The installed command over real pipes."""

from __future__ import annotations

import json
import signal
import sys
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters

from tests.server.pipe import Pipe

OLDEST_TO_NEWEST = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.mark.parametrize("version", OLDEST_TO_NEWEST)
def test_every_handshake_version_is_spoken(version: str) -> None:
    with Pipe() as server:
        assert server.greet(version)["protocolVersion"] == version
        listed = server.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == ["search_inside", "search_items", "get_item"]


def test_the_version_without_a_handshake_is_spoken() -> None:
    with Pipe() as server:
        found = server.ask("server/discover", {"_meta": ENVELOPE})["result"]
        assert "2026-07-28" in found["supportedVersions"]
        listed = server.ask("tools/list", {"_meta": ENVELOPE})["result"]
    assert len(listed["tools"]) == 3
    assert listed["ttlMs"] > 0
    assert listed["cacheScope"] == "public"


def test_stdout_carries_protocol_only_and_the_end_of_input_ends_the_server() -> None:
    with Pipe(environ={"BOOKS_LOG_LEVEL": "debug", "BOOKS_MAX_RETRIES": "many"}) as server:
        server.greet()
        refused = server.ask("tools/call", {"name": "search_inside", "arguments": {"limt": 1}})
        assert refused["result"]["isError"]
        assert server.end() == 0
    assert len(server.stdout) == 2
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.stdout)
    assert b"BOOKS_MAX_RETRIES" in server.stderr
    assert b"Traceback" not in server.stderr


def test_junk_on_the_input_is_passed_over() -> None:
    with Pipe() as server:
        server.greet()
        for junk in (b"", b"not json", b"\xff\xfe", b'{"jsonrpc": "2.0"}', b"[]", b"{"):
            server.write(junk)
        assert server.ask("ping")["result"] == {}
        assert server.end() == 0


def test_the_input_may_end_before_anything_was_said() -> None:
    with Pipe() as server:
        assert server.end() == 0
    assert server.stdout == []


def test_the_input_may_end_while_a_call_is_answered() -> None:
    with Pipe("--demo") as server:
        server.greet()
        call = {"name": "search_inside", "arguments": {"query": "whale"}}
        message = {"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": call}
        server.write(json.dumps(message).encode())
        assert server.end() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child process")
def test_ctrl_c_ends_the_server_although_its_input_is_open() -> None:
    with Pipe() as server:
        server.greet()
        assert server.interrupt() == -signal.SIGINT


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_host_asks_the_demonstration(mode: Literal["auto", "legacy"]) -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "mcp_books", "--demo"])
    with anyio.fail_after(30):
        async with Client(command, mode=mode) as host:
            assert host.instructions is not None
            assert "DEMONSTRATION" in host.instructions
            answers: list[Any] = [
                await host.call_tool("search_inside", {"query": "whale"}),
                await host.call_tool("search_items", {"query": "whale"}),
            ]
            first = answers[1].structured_content["items"][0]["id"]
            answers.append(await host.call_tool("get_item", {"identifier": first}))
    assert not any(answer.is_error for answer in answers)
    assert answers[2].structured_content["item"]["id"] == first
    assert all("demonstration" in answer.content[0].text.lower() for answer in answers)
