"""EPUB 2's navigation (NCX): the chapters and the printed pages."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_books.sources.calibre.extract.epub.nav_document import NavLink, NavList, Titles
from mcp_books.sources.calibre.extract.markup import feed, local_name

__all__ = ["read_ncx"]

_LISTS: Mapping[str, NavList] = {"navmap": "toc", "pagelist": "page-list"}


def read_ncx(markup: bytes) -> list[NavLink]:
    """Return the links of the table of contents and of the page list, in order."""
    return feed(markup, _Ncx).links


class _Ncx:
    """Takes the events of a parser; a point is added once its label and its place are known."""

    def __init__(self) -> None:
        self.links: list[NavLink] = []
        self._heard: list[str] = []
        self.data = self._heard.append
        self._list: NavList | None = None
        self._titles = Titles()
        self._addresses: list[str | None] = []
        self._in_label = False
        self._value = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take the start of an element."""
        name = local_name(tag)
        if name in _LISTS:
            self._list = _LISTS[name]
        elif name in ("navpoint", "pagetarget"):
            self._titles.enter()
            self._addresses.append(None)
            self._value = attributes.get("value") or ""
        elif name == "navlabel":
            self._in_label = True
        elif name == "text":
            self._heard.clear()
        elif name == "content" and self._addresses:
            self._addresses[-1] = attributes.get("src") or ""
            self._add()

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        name = local_name(tag)
        if name == "text" and self._in_label and self._addresses:
            self._titles.name("".join(self._heard))
            self._add()
        elif name == "navlabel":
            self._in_label = False
        elif name in ("navpoint", "pagetarget") and self._addresses:
            if name == "pagetarget" and self._value:
                self._titles.name(self._value)
                self._add()
            self._titles.leave()
            self._addresses.pop()
        elif name in _LISTS:
            self._list = None

    def close(self) -> None:
        """Take the end of the document."""

    def _add(self) -> None:
        address = self._addresses[-1]
        if self._list is None or address is None or not self._titles.innermost:
            return
        self.links.append(NavLink(self._list, self._titles.path, address))
        self._addresses[-1] = None
