"""The MCP server: three questions to the archives over stdio."""

from __future__ import annotations

import gc
import logging
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import version
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import anyio
from mcp.server import CacheHint, MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from . import _guide
from ._leaving import leave
from ._shared_client import SharedClient
from ._strict_tool import StrictTool
from ._tolerance import tolerant
from .arguments import InsideRequest, ItemsRequest, RecordRequest, Request
from .errors import BooksError, ParseFailure
from .settings import Settings
from .sources.base import Profile, Question
from .sources.registry import profiles as configured

if TYPE_CHECKING:
    from ._answers import Answer
    from .client import BooksClient

__all__ = ["build_server", "serve"]

logger = logging.getLogger(__name__)

_GREETINGS = frozenset({"initialize", "server/discover", "ping"})
_HOUR = 3_600_000


async def _answer(
    request: type[Request], arguments: dict[str, Any], context: Context[Any, Any]
) -> CallToolResult:
    """Ask, and turn every failure into text a model can act on."""
    shared: SharedClient = context.request_context.lifespan_context
    try:
        asked: Any = request.of(tolerant(request, arguments))
        books = await shared.client()
        answer = await books.ask(asked, on_progress=context.report_progress)
        return _success(answer, books.profiles)
    except BooksError as error:
        return _failure(error)
    except Exception:
        logger.exception("%s failed", request.__name__)
        return _failure(_our_fault())


_REQUESTS: Mapping[Question, type[Request]] = {
    "search_inside": InsideRequest,
    "search_items": ItemsRequest,
    "get_item": RecordRequest,
}


# A greeting needs none of what answers are made of: it is loaded later, in the background.


def _model(question: Question) -> type[BaseModel]:
    from ._answers import MODELS

    return MODELS[question]


def _success(answer: Answer, profiles: Mapping[str, Profile]) -> CallToolResult:
    from ._answers import fitted

    kept, text = fitted(answer, profiles)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=kept.dump()
    )


def _failure(error: BooksError) -> CallToolResult:
    """Return a failure as hosts pass it on: text alone, because some check structured content."""
    from ._render import render_error

    return CallToolResult(
        content=[TextContent(type="text", text=render_error(error))], is_error=True
    )


def _our_fault() -> ParseFailure:
    return ParseFailure(
        "a fault in mcp-books, not in an archive: the answer could not be put together",
        hint="Ask again with one archive in sources; the operator finds the cause on stderr.",
    )


def build_server(settings: Settings, client: BooksClient | None = None) -> MCPServer[SharedClient]:
    """Return the server; `client` (not yet entered) replaces the one that `settings` describe."""
    profiles = configured(settings) if client is None else tuple(client.profiles.values())

    @asynccontextmanager
    async def lifespan(_: MCPServer[SharedClient]) -> AsyncIterator[SharedClient]:
        shared = SharedClient(
            lambda: client or _client(settings), beside=partial(_keep_indexed, settings)
        )
        async with shared.serving():
            yield shared

    return MCPServer(
        "mcp-books",
        title="Books",
        version=version("mcp-books"),
        instructions=_guide.instructions(profiles, demonstration=settings.demonstration),
        tools=[_tool(question, profiles) for question in _REQUESTS],
        lifespan=lifespan,
        middleware=[_open_after_greeting],
        cache_hints={"tools/list": CacheHint(ttl_ms=_HOUR, scope="public")},
    )


def _client(settings: Settings) -> BooksClient:
    """Load what asking needs, and what answers are made of: this runs in the background."""
    for module in ("_http", "_answers"):
        import_module(f"mcp_books.{module}")
    from .client import BooksClient

    return BooksClient(settings)


async def _keep_indexed(settings: Settings) -> None:
    if settings.calibre_libraries is not None and settings.index_auto:
        from ._background_indexing import index_in_background

        await index_in_background(settings)


def _tool(question: Question, profiles: Sequence[Profile]) -> StrictTool:
    return StrictTool.of(
        partial(_answer, _REQUESTS[question]),
        name=question,
        title=_guide.TITLES[question],
        description=_guide.describe(question, profiles),
        request=_REQUESTS[question],
        answer=partial(_model, question),
        choices=_guide.choices(question, profiles),
        guidance=_guide.guidance(question),
    )


async def _open_after_greeting(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Open the client at the first message that shows the greeting was answered."""
    if ctx.method not in _GREETINGS:
        ctx.lifespan_context.want()
    return await call_next(ctx)


def serve(settings: Settings, *, at_end: Callable[[], None] | None = None) -> NoReturn:
    """Serve on stdio until the input ends, call `at_end`, then end the process at once.

    The interpreter's own shutdown takes up to 0.2 s, and aborts if a thread still waits on stdin.
    """
    server = build_server(settings)
    _end_by_signals(at_end)
    gc.freeze()
    gc.enable()
    code = 1
    try:
        anyio.run(server.run_stdio_async)
        code = 0
    except Exception as stopped:
        if _host_left(stopped):
            code = 0
        else:
            logger.exception("the server stopped")
    finally:
        if at_end is not None:
            at_end()
        leave(code)


def _end_by_signals(at_end: Callable[[], None] | None) -> None:
    """End at once at Ctrl-C, as at a request to end, whether or not the input is still open."""
    if at_end is None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        return

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        at_end()
        signal.raise_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def _host_left(stopped: Exception) -> bool:
    """Tell whether nothing went wrong but that the host no longer reads."""
    if isinstance(stopped, ExceptionGroup):
        return all(map(_host_left, stopped.exceptions))
    return isinstance(stopped, BrokenPipeError | anyio.BrokenResourceError)
