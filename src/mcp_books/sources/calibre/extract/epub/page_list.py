"""The printed pages that a book lists and those that its texts mark, brought together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcp_books.sources.calibre.extract.epub.navigation import PrintedPage
from mcp_books.sources.calibre.extract.epub.pages import PageBreak
from mcp_books.sources.calibre.extract.html_text import Break, Walked, past_word

__all__ = ["PageList"]


class PageList:
    """The page list of a book. Where a mark in a text and the list disagree, the list counts."""

    def __init__(self, pages: Sequence[PrintedPage], names: Iterable[str]) -> None:
        self._pages = pages
        self._offsets: list[int | None] = [None] * len(pages)
        self._listed: dict[str, list[int]] = {name: [] for name in names}
        self._marked: dict[str, list[Break]] = {}
        for number, page in enumerate(pages):
            if page.target is not None and page.target.name in self._listed:
                self._listed[page.target.name].append(number)

    def place(self, name: str, walked: Walked) -> None:
        """Take the places of one text's pages."""
        listed = set()
        for number in self._listed[name]:
            target = self._pages[number].target
            fragment = target.fragment if target is not None else ""
            offset = walked.ids.get(fragment) if fragment else 0
            if offset is not None:
                self._offsets[number] = past_word(walked.text, offset)
                listed.add(fragment)
        self._marked[name] = [each for each in walked.breaks if each.id not in listed]

    def breaks(self, name: str) -> list[PageBreak]:
        """Return the page breaks of one text in order, once every text has been placed."""
        found: dict[int, list[PageBreak]] = {}
        for mark in self._marked.get(name, []):
            found.setdefault(mark.offset, []).append(PageBreak(mark.offset, mark.label or None))
        for number in self._listed.get(name, []):
            offset = self._offsets[number]
            if offset is not None:
                page = PageBreak(
                    offset, self._pages[number].label or None, self._lost_after(number)
                )
                found.setdefault(offset, []).append(page)
        return [page for offset in sorted(found) for page in found[offset]]

    def _lost_after(self, number: int) -> bool:
        """Whether the list's next page has no place in the book."""
        following = number + 1
        return following < len(self._pages) and self._offsets[following] is None
