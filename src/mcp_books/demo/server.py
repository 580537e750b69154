"""A small HTTP server on 127.0.0.1 that plays archives: their routes, and faults on request."""

from __future__ import annotations

import gzip
import logging
import selectors
import socket
import socketserver
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qsl, unquote, urlsplit

from mcp_books.settings import Settings

from .calibre import demonstration_library
from .data_bnf import DataBnfStandIn
from .faults import Faults, Injection
from .internet_archive import InternetArchiveStandIn
from .library_of_congress import LibraryOfCongressStandIn
from .standin import PREFIX, Request, Response, StandIn

__all__ = ["Received", "Server", "demonstration", "stand_ins"]

logger = logging.getLogger(__name__)

PAGE = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Demonstration</title>'
    "</head><body><p>This address belongs to a demonstration of mcp-books on this computer: its "
    "records are invented, and no archive holds them.</p></body></html>\n"
)

_LARGEST_FORM = 1 << 20
_WORTH_PACKING = 512
_LOOK_AGAIN = 0.02
_ASK_SHUTDOWN = 0.02


def stand_ins() -> tuple[StandIn, ...]:
    """Return a stand-in for each remote archive, with its invented records."""
    return InternetArchiveStandIn(), LibraryOfCongressStandIn(), DataBnfStandIn()


@contextmanager
def demonstration(settings: Settings | None = None) -> Iterator[Settings]:
    """Play every archive on loopback, and yield `settings` pointed at them and at a library of the
    demonstration's own."""
    with Server(stand_ins()) as server, demonstration_library(server.settings(settings)) as shown:
        yield shown


@dataclass(slots=True)
class Received:
    """One request a stand-in got. Times are those of `time.monotonic`."""

    source: str
    request: Request
    headers: Mapping[str, str]
    started: float
    ended: float | None = None
    """None while it is being answered."""
    over: threading.Event = field(default_factory=threading.Event)
    """Set once it has ended, which a caller can see a moment after its answer."""
    gave_up: threading.Event = field(default_factory=threading.Event)
    """Set when the caller went away before it was answered."""


class Server:
    """Stand-ins mounted at `/demonstration/<source id>`; a context manager that serves."""

    def __init__(self, playing: Iterable[StandIn]) -> None:
        self._state = _State({stand_in.source: stand_in for stand_in in playing})
        self._listener: _Listener | None = None

    def __enter__(self) -> Self:
        self._listener = _Listener(self._state)
        threading.Thread(
            target=self._listener.serve_forever,
            args=(_ASK_SHUTDOWN,),
            name="mcp-books-demonstration",
            daemon=True,
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        listener, self._listener = self._listener, None
        if listener is None:
            return
        self._state.closing.set()
        listener.shutdown()
        listener.server_close()
        listener.end_connections()

    @property
    def faults(self) -> Faults:
        """What the stand-ins do wrong."""
        return self._state.faults

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        if self._listener is None:
            raise RuntimeError("the demonstration server is not running")
        return self._listener.origin

    def address(self, source: str) -> str:
        """Return the base address of the stand-in for `source`."""
        return f"{self.origin}{PREFIX}/{source}"

    def settings(self, settings: Settings | None = None) -> Settings:
        """Return `settings` with every archive played here asked here."""
        played = {f"{source}_url": self.address(source) for source in self._state.playing}
        kept = settings.model_dump() if settings is not None else {}
        return Settings.model_validate({**kept, **played, "demonstration": True})

    def received(self, source: str | None = None) -> tuple[Received, ...]:
        """Return the requests so far, of one archive or of all, in the order they started."""
        return tuple(one for one in self._state.received() if source in (None, one.source))


class _State:
    """What the connections of one server share."""

    def __init__(self, playing: Mapping[str, StandIn]) -> None:
        self.playing = playing
        self.faults = Faults()
        self.closing = threading.Event()
        self._received: list[Received] = []
        self._lock = threading.Lock()

    def at(self, path: str) -> StandIn | None:
        """Return the stand-in mounted at the head of `path`, or None."""
        below = path.removeprefix(f"{PREFIX}/")
        return None if below == path else self.playing.get(below.partition("/")[0])

    def record(self, received: Received) -> None:
        with self._lock:
            self._received.append(received)

    def received(self) -> tuple[Received, ...]:
        with self._lock:
            return tuple(self._received)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, state: _State) -> None:
        self.state = state
        self._open: dict[socket.socket, threading.Thread] = {}
        self._open_lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_bind(self) -> None:
        # The parent's looks the host's name up, which can take seconds where no resolver answers.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def finish_request(self, request: object, client_address: object) -> None:
        connection = request if isinstance(request, socket.socket) else None
        assert connection is not None
        with self._open_lock:
            self._open[connection] = threading.current_thread()
        try:
            super().finish_request(connection, client_address)
        finally:
            with self._open_lock:
                self._open.pop(connection, None)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        # The parent calls this while it handles the exception.
        logger.error("A connection failed", exc_info=True)  # noqa: LOG014 - as the line above says

    def end_connections(self) -> None:
        """Wake and end the threads of connections that are still open."""
        with self._open_lock:
            still_open = dict(self._open)
        for connection, thread in still_open.items():
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join(timeout=2)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def handle(self) -> None:
        with suppress(ConnectionError):
            super().handle()

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _LARGEST_FORM:
            self.close_connection = True
            self.send_error(413)
            return
        self._serve(dict(parse_qsl(self.rfile.read(int(length)).decode(), keep_blank_values=True)))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        logger.debug(format, *args)

    def _serve(self, form: Mapping[str, str]) -> None:
        parts = urlsplit(self.path)
        state = self.server.state
        stand_in = state.at(parts.path)
        if stand_in is None or self._is_browser():
            self.send(Response(PAGE.encode(), 200 if stand_in else 404, "text/html"))
            return
        base = f"{PREFIX}/{stand_in.source}"
        request = Request(
            method=self.command,
            path=unquote(parts.path.removeprefix(base)) or "/",
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            form=form,
            base=self.server.origin + base,
        )
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(stand_in.source, request, headers, time.monotonic())
        state.record(received)
        injection = state.faults.take(stand_in.source, request)
        exchange = _Exchange(self, stand_in, received, injection)
        try:
            if injection is None:
                exchange.send(exchange.genuine())
            else:
                injection.fault(exchange)
        except ConnectionError:
            self.close_connection = True
            received.gave_up.set()
        except Exception:
            self.close_connection = True
            logger.exception("The stand-in for %r failed on %s", stand_in.source, self.path)
            self.send(Response(b"the stand-in itself failed", 500, "text/plain"))
        finally:
            received.ended = time.monotonic()
            received.over.set()

    def _is_browser(self) -> bool:
        accepted = self.headers.get("Accept", "")
        return self.command == "GET" and "text/html" in accepted and "json" not in accepted

    def send(self, response: Response) -> None:
        body, headers = response.body, dict(response.headers)
        if len(body) > _WORTH_PACKING and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            headers["Content-Encoding"] = "gzip"
        self.send_response(response.status)
        self.send_header("Content-Type", response.content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class _Exchange:
    """How a fault, or the absence of one, answers a request."""

    def __init__(
        self, handler: _Handler, stand_in: StandIn, received: Received, injection: Injection | None
    ) -> None:
        self.request = received.request
        self._handler = handler
        self._stand_in = stand_in
        self._released = injection.released if injection else threading.Event()
        self._closing = handler.server.state.closing

    def genuine(self) -> Response:
        return self._stand_in.answer(self.request)

    def send(self, response: Response) -> None:
        self._handler.send(response)

    def stream(self, chunks: Iterable[bytes], *, length: int | None, **headers: str) -> None:
        handler = self._handler
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        if length is None:
            handler.send_header("Transfer-Encoding", "chunked")
        else:
            handler.send_header("Content-Length", str(length))
        handler.end_headers()
        for chunk in chunks:
            handler.wfile.write(
                chunk if length is not None else b"%x\r\n%b\r\n" % (len(chunk), chunk)
            )
        if length is None:
            handler.wfile.write(b"0\r\n\r\n")

    def wait(self, seconds: float | None) -> None:
        deadline = None if seconds is None else time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._handler.connection, selectors.EVENT_READ)
            while not self._released.is_set():
                left = _LOOK_AGAIN if deadline is None else deadline - time.monotonic()
                if left <= 0:
                    return
                if self._closing.is_set():
                    raise ConnectionAbortedError("the server is closing")
                if selector.select(min(left, _LOOK_AGAIN)):
                    self._refuse_if_gone()

    def _refuse_if_gone(self) -> None:
        if not self._handler.connection.recv(1, socket.MSG_PEEK):
            raise ConnectionAbortedError("the caller went away")
        # More came on the connection: nothing to learn from it, and no reason to spin.
        time.sleep(_LOOK_AGAIN)

    def hang_up(self) -> None:
        self._handler.close_connection = True
