"""EPUB 3's navigation document: its lists, nested to any depth, well-formed or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mcp_books.sources.calibre.extract.html_elements import semantics
from mcp_books.sources.calibre.extract.markup import feed, local_name

__all__ = ["NavLink", "NavList", "Titles", "read_nav"]

NavList = Literal["toc", "page-list", "landmarks"]

_LISTS: Mapping[str, NavList] = {
    "doc-pagelist": "page-list",
    "doc-toc": "toc",
    "landmarks": "landmarks",
    "page-list": "page-list",
    "toc": "toc",
}
_LONGEST_TITLE = 200
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class NavLink:
    """One entry of a list: the titles from the outermost down to its own, and where it leads."""

    list: NavList
    path: tuple[str, ...]
    address: str
    type: str = ""


class Titles:
    """The titles of the entries that are open, outermost first."""

    def __init__(self) -> None:
        self._open: list[str] = []

    def enter(self) -> None:
        """Open an entry whose title is not known yet."""
        self._open.append("")

    def leave(self) -> None:
        """Close the innermost entry."""
        del self._open[-1:]

    def name(self, title: str) -> None:
        """Give the innermost entry its title; the first one counts."""
        if self._open and not self._open[-1]:
            self._open[-1] = shortened(title)

    @property
    def innermost(self) -> str:
        """The title of the innermost entry, "" while it is not known."""
        return self._open[-1] if self._open else ""

    @property
    def path(self) -> tuple[str, ...]:
        """The titles that are known, the innermost ones left out where there are very many."""
        return tuple(title for title in self._open[:_DEEPEST] if title)


def read_nav(markup: bytes) -> list[NavLink]:
    """Return the links of the document's lists, in order; none if it has no list."""
    return feed(markup, _Nav).links


def shortened(title: str) -> str:
    """Return a title on one line and of a length that can be shown."""
    title = " ".join(title.split())
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1].rstrip() + "…"


class _Nav:
    """Takes the events of a parser and gathers the links of each list."""

    def __init__(self) -> None:
        self.links: list[NavLink] = []
        self._heard: list[str] = []
        self.data = self._heard.append
        self._list: NavList | None = None
        self._titles = Titles()
        self._depth = 0
        self._reading_at = 0
        self._address = ""
        self._type = ""
        self._annotation: int | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take the start of an element."""
        self._depth += 1
        name = local_name(tag)
        if name == "nav":
            words = semantics(attributes)
            self._list = next((_LISTS[word] for word in words if word in _LISTS), None)
            self._titles = Titles()
            self._reading_at = 0
        elif self._list is None:
            return
        elif name == "li":
            self._titles.enter()
        elif name in ("a", "span") and not self._reading_at:
            self._reading_at = self._depth
            self._heard.clear()
            self._address = attributes.get("href") or ""
            self._type = " ".join(semantics(attributes))
        elif name == "a" and not self._address:
            self._address = attributes.get("href") or ""
        elif name == "img":
            self._heard.append(f" {attributes.get('alt') or ''} ")
        elif name in ("rt", "rp") and self._annotation is None:
            self._annotation = len(self._heard)

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        depth, self._depth = self._depth, self._depth - 1
        name = local_name(tag)
        if name in ("rt", "rp") and self._annotation is not None:
            del self._heard[self._annotation :]
            self._annotation = None
        if self._reading_at == depth:
            self._reading_at = 0
            self._read("".join(self._heard))
        elif name == "li":
            self._titles.leave()
        elif name == "nav":
            self._list = None

    def close(self) -> None:
        """Take the end of the document."""

    def _read(self, title: str) -> None:
        self._titles.name(title)
        if self._list is not None and (self._address or self._list == "page-list"):
            self.links.append(NavLink(self._list, self._titles.path, self._address, self._type))
