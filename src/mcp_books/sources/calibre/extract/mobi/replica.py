"""The PDF inside a print replica (AZW4): the text of such a book is a container of files."""

from __future__ import annotations

from mcp_books.sources.calibre.extract.base import Unreadable

__all__ = ["pdf_inside"]

_STARTS = b"%PDF-"
_ENDS = b"%%EOF"
_STARTS_WITHIN = 2**16


def pdf_inside(container: bytes) -> bytes:
    """Return the PDF; it is the first file, behind a short table.

    Raises:
        Unreadable: there is none.
    """
    start = container.find(_STARTS, 0, _STARTS_WITHIN)
    if start < 0:
        raise Unreadable("unsupported", "a print replica without a PDF")
    end = container.rfind(_ENDS, start)
    return container[start : end + len(_ENDS)] if end >= 0 else container[start:]
