"""The outline of a PDF (its bookmarks), as the chapter path of each page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
from pypdfium2 import raw as pdfium

from mcp_books.sources.calibre.extract.base import BETWEEN_TITLES

__all__ = ["MOST_ENTRIES", "OutlineEntry", "Sections"]

MOST_ENTRIES = 50_000
"""Entries read of one outline; PDFium takes about 60 microseconds for each."""

_DEEPEST = 30
_LONGEST_TITLE = 200


class OutlineEntry(NamedTuple):
    """One entry of an outline in its order: depth from 0, title, index of its page if known."""

    level: int
    title: str
    page: int | None


class Sections:
    """Finds the chapter path of a page: the last entry that starts on it or before it.

    Where several entries start on one page the last of them in the outline's order counts, and so
    the deepest of a chapter that opens there. An entry without a destination names its children.
    """

    def __init__(self, entries: Iterable[OutlineEntry]) -> None:
        starts: list[tuple[int, tuple[str, ...]]] = []
        ancestors: list[tuple[int, str]] = []
        for level, title, page in entries:
            while ancestors and ancestors[-1][0] >= level:
                ancestors.pop()
            ancestors.append((level, title))
            if page is not None and title:
                starts.append((page, tuple(name for _, name in ancestors if name)))
        starts.sort(key=lambda start: start[0])
        self._pages = [page for page, _ in starts]
        self._titles = [titles for _, titles in starts]

    @classmethod
    def of(cls, document: pypdfium2.PdfDocument) -> Sections:
        """Read the outline of a document."""
        return cls(islice(_entries(document), MOST_ENTRIES))

    def at(self, index: int) -> Sequence[str]:
        """Return the titles from the outermost to the innermost for the page of this index."""
        place = bisect_right(self._pages, index)
        return self._titles[place - 1] if place else ()

    @staticmethod
    def path(titles: Sequence[str]) -> str | None:
        """Return the titles as one path, None where there is none."""
        return BETWEEN_TITLES.join(titles) or None


def _entries(document: pypdfium2.PdfDocument) -> Iterator[OutlineEntry]:
    count = len(document)
    for bookmark in document.get_toc(max_depth=_DEEPEST):
        title = "".join(c if c.isprintable() else " " for c in str(bookmark.get_title()))
        yield OutlineEntry(
            bookmark.level, _shortened(" ".join(title.split())), _page(document, bookmark, count)
        )


def _shortened(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1].rstrip() + "…"


def _page(
    document: pypdfium2.PdfDocument, bookmark: pypdfium2.PdfBookmark, count: int
) -> int | None:
    # A bookmark into another file has a page too, but not one of this file.
    action = pdfium.FPDFBookmark_GetAction(bookmark)
    if action and pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_GOTO:
        return None
    destination = bookmark.get_dest()
    index = None if destination is None else destination.get_index()
    return index if index is not None and 0 <= index < count else None
