"""One question, several archives: search inside books, newspapers and catalogues at once.

    from mcp_books import BooksClient

    async with BooksClient() as books:
        answer = await books.search_inside('"call me ishmael"', limit=3)

Names are loaded on first use: the console script imports this package before anything else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._phrases import Kind
    from .arguments import InsideRequest, ItemsRequest, RecordRequest
    from .client import BooksClient
    from .errors import (
        BooksError,
        DeadlineExceeded,
        InvalidInput,
        NetworkFailure,
        ParseFailure,
        RateLimited,
        RecordNotFound,
        SourceError,
    )
    from .models import BriefRecord, DigitalCopy, Hit, Record, Rights, TextWindow
    from .reports import (
        Absent,
        Answered,
        DroppedFilter,
        ErrorReport,
        Failed,
        InsideAnswer,
        ItemsAnswer,
        Note,
        QueryAttempt,
        RecordAnswer,
    )
    from .settings import Settings

    __version__: str

__all__ = [
    "Absent",
    "Answered",
    "BooksClient",
    "BooksError",
    "BriefRecord",
    "DeadlineExceeded",
    "DigitalCopy",
    "DroppedFilter",
    "ErrorReport",
    "Failed",
    "Hit",
    "InsideAnswer",
    "InsideRequest",
    "InvalidInput",
    "ItemsAnswer",
    "ItemsRequest",
    "Kind",
    "NetworkFailure",
    "Note",
    "ParseFailure",
    "QueryAttempt",
    "RateLimited",
    "Record",
    "RecordAnswer",
    "RecordNotFound",
    "RecordRequest",
    "Rights",
    "Settings",
    "SourceError",
    "TextWindow",
]

_HOMES = {
    "_phrases": ("Kind",),
    "arguments": ("InsideRequest", "ItemsRequest", "RecordRequest"),
    "client": ("BooksClient",),
    "errors": (
        "BooksError",
        "DeadlineExceeded",
        "InvalidInput",
        "NetworkFailure",
        "ParseFailure",
        "RateLimited",
        "RecordNotFound",
        "SourceError",
    ),
    "models": ("BriefRecord", "DigitalCopy", "Hit", "Record", "Rights", "TextWindow"),
    "reports": (
        "Absent",
        "Answered",
        "DroppedFilter",
        "ErrorReport",
        "Failed",
        "InsideAnswer",
        "ItemsAnswer",
        "Note",
        "QueryAttempt",
        "RecordAnswer",
    ),
    "settings": ("Settings",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("mcp-books")
    if name in _HOME_OF:
        value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
