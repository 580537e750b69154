"""Each fault over plain sockets: what a client sees, and which requests meet it."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest

from mcp_books.demo import faults
from mcp_books.demo.faults import Fault
from mcp_books.demo.server import Server
from mcp_books.demo.standin import Request, Response, json_response

ROWS = {"rows": [{"id": "a", "title": "A", "link": {"id": "x"}}, {"id": "b", "title": "B"}]}


@dataclass
class Library:
    """Always answers with the same two rows."""

    source: str = "library"

    def answer(self, request: Request) -> Response:
        return json_response(ROWS)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server([Library(), Library("other")]) as running:
        yield running


def connect(server: Server) -> http.client.HTTPConnection:
    host, _, port = server.origin.removeprefix("http://").partition(":")
    return http.client.HTTPConnection(host, int(port), timeout=5)


@contextmanager
def get(
    server: Server, path: str = "/", source: str = "library"
) -> Iterator[http.client.HTTPResponse]:
    with closing(connect(server)) as connection:
        connection.request("GET", f"/demonstration/{source}{path}")
        yield connection.getresponse()


def body(server: Server, path: str = "/", source: str = "library") -> bytes:
    with get(server, path, source) as reply:
        return reply.read()


def test_a_fault_meets_the_next_requests_it_was_counted_for(server: Server) -> None:
    injection = server.faults.inject("library", faults.failing(), times=2)
    statuses = []
    for _ in range(3):
        with get(server) as reply:
            statuses.append(reply.status)
    assert statuses == [500, 500, 200]
    assert injection.served == 2


def test_a_fault_meets_one_archive_and_the_requests_that_satisfy_it(server: Server) -> None:
    server.faults.inject("library", faults.failing(), when=lambda request: request.path == "/b")
    with get(server, "/a") as first, get(server, "/b") as second:
        assert (first.status, second.status) == (200, 500)
    with get(server, "/b", "other") as third:
        assert third.status == 200


def test_cleared_faults_are_gone(server: Server) -> None:
    server.faults.inject("library", faults.failing())
    server.faults.clear()
    with get(server) as reply:
        assert reply.status == 200


def test_two_faults_are_served_one_after_another(server: Server) -> None:
    server.faults.inject("library", faults.failing(503), times=1)
    server.faults.inject("library", faults.empty(), times=1)
    with get(server) as first:
        assert first.status == 503
    assert body(server) == b""
    assert json.loads(body(server)) == ROWS


def test_a_stalled_answer_comes_when_it_is_released(server: Server) -> None:
    injection = server.faults.inject("library", faults.stalled())
    answers: list[bytes] = []
    asking = threading.Thread(target=lambda: answers.append(body(server)))
    asking.start()
    assert injection.reached.wait(5)
    assert answers == []
    injection.released.set()
    asking.join(5)
    assert json.loads(answers[0]) == ROWS


def test_a_caller_that_leaves_a_stalled_answer_is_noticed(server: Server) -> None:
    injection = server.faults.inject("library", faults.stalled())
    connection = connect(server)
    connection.request("GET", "/demonstration/library/")
    assert injection.reached.wait(5)
    connection.close()
    assert server.received()[0].gave_up.wait(5)


def test_leaving_the_server_ends_a_stalled_answer() -> None:
    with Server([Library()]) as server:
        injection = server.faults.inject("library", faults.stalled())
        connection = connect(server)
        connection.request("GET", "/demonstration/library/")
        assert injection.reached.wait(5)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        connection.getresponse()
    connection.close()
    assert server.received()[0].ended is not None


def test_a_slow_answer_still_is_the_genuine_one(server: Server) -> None:
    server.faults.inject("library", faults.slow(0.01))
    assert json.loads(body(server)) == ROWS
    received = server.received()[0]
    assert received.over.wait(5)
    assert received.ended is not None
    assert received.ended - received.started >= 0.01


def test_push_back_says_how_long_in_seconds_or_as_a_date_or_not_at_all(server: Server) -> None:
    server.faults.inject("library", faults.pushing_back(retry_after=7), times=1)
    server.faults.inject("library", faults.pushing_back(503, retry_after=60, as_date=True), times=1)
    server.faults.inject("library", faults.pushing_back(), times=1)
    with get(server) as reply:
        assert (reply.status, reply.headers["Retry-After"]) == (429, "7")
    with get(server) as reply:
        left = parsedate_to_datetime(reply.headers["Retry-After"]) - datetime.now(UTC)
        assert reply.status == 503
        assert timedelta(seconds=50) < left <= timedelta(seconds=60)
    with get(server) as reply:
        assert (reply.status, reply.headers["Retry-After"]) == (429, None)


def test_a_dropped_connection_ends_without_a_status(server: Server) -> None:
    server.faults.inject("library", faults.dropped())
    with pytest.raises(http.client.RemoteDisconnected), get(server):
        pass


def test_a_body_cut_off_is_shorter_than_announced(server: Server) -> None:
    server.faults.inject("library", faults.cut_off())
    with get(server) as reply, pytest.raises(http.client.IncompleteRead):
        reply.read()


def test_a_truncated_body_is_complete_http_and_no_json(server: Server) -> None:
    server.faults.inject("library", faults.truncated())
    with pytest.raises(ValueError, match=r"delimiter|Unterminated|Expecting"):
        json.loads(body(server))


@pytest.mark.parametrize("status", [200, 403, 404])
def test_html_comes_with_the_status_asked_for(server: Server, status: int) -> None:
    server.faults.inject("library", faults.html(status))
    with get(server) as reply:
        assert reply.status == status
        assert reply.headers["Content-Type"].startswith("text/html")
        assert reply.read().startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize(
    "fault",
    [faults.flooding(3_000_001), faults.flooding(3_000_001, announced=False)],
    ids=["announced", "in chunks"],
)
def test_a_flood_is_as_long_as_asked(server: Server, fault: Fault) -> None:
    server.faults.inject("library", fault)
    assert len(body(server)) == 3_000_001


def test_a_flood_ends_when_the_caller_leaves(server: Server) -> None:
    server.faults.inject("library", faults.flooding())
    host, _, port = server.origin.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(b"GET /demonstration/library/ HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(1000)
    assert server.received()[0].gave_up.wait(5)


def test_a_small_body_unpacks_to_the_size_asked(server: Server) -> None:
    server.faults.inject("library", faults.inflating(5_000_000))
    with get(server) as reply:
        assert reply.headers["Content-Encoding"] == "gzip"
        packed = reply.read()
    assert len(packed) < 50_000
    assert len(gzip.decompress(packed)) == 5_000_000


def test_a_redirect_leads_elsewhere_or_stays_on_the_archive(server: Server) -> None:
    server.faults.inject("library", faults.moved("http://127.0.0.2:9/x"), times=1)
    server.faults.inject("library", faults.moved("/there", status=301), times=1)
    with get(server) as reply:
        assert (reply.status, reply.headers["Location"]) == (302, "http://127.0.0.2:9/x")
    with get(server) as reply:
        assert reply.status == 301
        assert reply.headers["Location"] == server.address("library") + "/there"


def test_keys_are_taken_out_of_every_object(server: Server) -> None:
    server.faults.inject("library", faults.without_keys("id"))
    assert json.loads(body(server)) == {
        "rows": [{"title": "A", "link": {}}, {"title": "B"}],
    }


def test_keys_are_taken_out_of_the_first_objects_and_what_they_hold(server: Server) -> None:
    server.faults.inject("library", faults.without_keys("id", "title", objects=1))
    assert json.loads(body(server)) == {"rows": [{"link": {}}, {"id": "b", "title": "B"}]}
