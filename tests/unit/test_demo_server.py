"""The demonstration server over plain sockets: routes, records of requests, the page for people."""

from __future__ import annotations

import gzip
import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mcp_books.demo.server import Server, demonstration, stand_ins
from mcp_books.demo.standin import Request, Response, json_response
from mcp_books.settings import Settings
from mcp_books.sources.calibre.places import index_file, libraries


@dataclass
class Echo:
    """Answers with what it was asked."""

    source: str = "echo"

    def answer(self, request: Request) -> Response:
        if request.path == "/broken":
            raise KeyError(request.path)
        return json_response(
            {
                "method": request.method,
                "path": request.path,
                "query": dict(request.query),
                "form": dict(request.form),
                "base": request.base,
                "padding": "x" * int(request.query.get("padding", "0")),
            },
            X_Played="yes",
        )


@pytest.fixture
def server() -> Iterator[Server]:
    with Server([Echo(), Echo("other")]) as running:
        yield running


@dataclass(frozen=True)
class Got:
    status: int
    headers: dict[str, str]
    body: bytes


def ask(
    server: Server,
    path: str,
    *,
    form: str | None = None,
    accept: str = "application/json",
    **more: str,
) -> Got:
    host, _, port = server.origin.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=5)
    headers = {"Accept": accept, **{name.replace("_", "-"): value for name, value in more.items()}}
    if form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    try:
        connection.request("GET" if form is None else "POST", path, body=form, headers=headers)
        reply = connection.getresponse()
        return Got(
            reply.status,
            {name.lower(): value for name, value in reply.getheaders()},
            reply.read(),
        )
    finally:
        connection.close()


def test_a_stand_in_sees_its_own_path_with_query_and_base(server: Server) -> None:
    got = ask(server, "/demonstration/echo/a%20b/c?q=%C3%A9t%C3%A9&empty=")
    assert got.status == 200
    assert got.headers["x-played"] == "yes"
    seen = json.loads(got.body)
    assert seen["path"] == "/a b/c"
    assert seen["query"] == {"q": "été", "empty": ""}
    assert seen["base"] == server.address("echo")


def test_a_form_reaches_the_stand_in_read(server: Server) -> None:
    seen = json.loads(ask(server, "/demonstration/echo/sparql", form="query=a+b&format=x").body)
    assert (seen["method"], seen["form"]) == ("POST", {"query": "a b", "format": "x"})


def test_an_oversized_form_is_refused_unread(server: Server) -> None:
    assert ask(server, "/demonstration/echo/", form="x", Content_Length="9999999").status == 413


def test_a_large_body_is_packed_only_for_who_accepts_it(server: Server) -> None:
    path = "/demonstration/echo/?padding=5000"
    packed = ask(server, path, Accept_Encoding="gzip, deflate")
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < 1000
    unpacked = ask(server, path)
    assert "content-encoding" not in unpacked.headers
    assert gzip.decompress(packed.body) == unpacked.body


def test_requests_are_recorded_by_archive_in_the_order_they_started(server: Server) -> None:
    for path in ("echo/one", "other/two", "echo/three"):
        ask(server, f"/demonstration/{path}")
    assert [one.request.path for one in server.received("echo")] == ["/one", "/three"]
    assert [one.source for one in server.received()] == ["echo", "other", "echo"]
    times = [one.started for one in server.received()]
    assert times == sorted(times)
    for one in server.received():
        assert one.over.wait(5)
        assert one.ended is not None
        assert one.ended >= one.started


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("path", ["/demonstration/echo/details/some-record", "/demonstration/echo"])
def test_an_address_opened_in_a_browser_says_it_is_a_demonstration(
    server: Server, path: str
) -> None:
    got = ask(server, path, accept=BROWSER)
    assert got.status == 200
    assert got.headers["content-type"].startswith("text/html")
    assert b"demonstration" in got.body
    assert server.received() == ()


@pytest.mark.parametrize(
    "path", ["/", "/demonstration/", "/demonstration/unknown/x", "/demonstrationecho/x"]
)
def test_an_address_no_stand_in_is_mounted_at_is_404(server: Server, path: str) -> None:
    got = ask(server, path)
    assert got.status == 404
    assert b"demonstration" in got.body


def test_a_stand_in_that_breaks_answers_500_and_the_server_goes_on(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    assert ask(server, "/demonstration/echo/broken").status == 500
    assert "KeyError" in caplog.text
    assert ask(server, "/demonstration/echo/").status == 200


def test_settings_keep_what_was_set_and_point_every_archive_at_its_stand_in() -> None:
    with demonstration(Settings(max_retries=1)) as settings:
        assert settings.max_retries == 1
        assert settings.demonstration
        for stand_in in stand_ins():
            address = getattr(settings, f"{stand_in.source}_url")
            assert address.startswith("http://127.0.0.1:")
            assert address.endswith(f"/demonstration/{stand_in.source}")


def test_a_server_that_left_has_no_address_and_refuses_connections(server: Server) -> None:
    origin = server.origin
    server.__exit__()
    server.__exit__()
    with pytest.raises(RuntimeError):
        _ = server.origin
    host, _, port = origin.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=5)
    with pytest.raises(ConnectionRefusedError):
        connection.request("GET", "/")
    connection.close()


def test_a_demonstration_has_a_library_and_its_index_until_it_ends() -> None:
    with demonstration() as settings:
        (library,) = libraries(settings)
        assert library.name == "Demonstration"
        assert len(list(library.current().snapshot.books())) == 3
        assert index_file(settings).is_file()
        assert settings.index_dir is not None
        assert not settings.index_auto
        made = settings.index_dir.parent
    assert not made.exists()


def test_a_library_of_the_reader_is_never_asked_in_a_demonstration(tmp_path: Path) -> None:
    with demonstration(Settings(calibre_libraries=str(tmp_path))) as settings:
        assert [library.name for library in libraries(settings)] == ["Demonstration"]
