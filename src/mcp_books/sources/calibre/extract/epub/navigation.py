"""The book's lists of places: chapters, printed pages, landmarks; EPUB 3's nav, else the NCX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mcp_books.sources.calibre.extract.epub.container import Container, split_fragment
from mcp_books.sources.calibre.extract.epub.nav_document import NavLink, read_nav
from mcp_books.sources.calibre.extract.epub.ncx import read_ncx
from mcp_books.sources.calibre.extract.epub.package import Package, Target
from mcp_books.sources.calibre.extract.html_text import plain_label
from mcp_books.sources.calibre.extract.markup import parse_tree

__all__ = ["Chapter", "Navigation", "PrintedPage", "read_navigation"]


@dataclass(frozen=True, slots=True)
class Chapter:
    """One entry of the table of contents: the titles from the outermost down to its own."""

    path: tuple[str, ...]
    target: Target


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """One entry of the page list; without a target where the book lacks the place."""

    label: str
    target: Target | None


@dataclass(frozen=True, slots=True)
class Navigation:
    """The lists of a book, each in its own order."""

    chapters: list[Chapter] = field(default_factory=list)
    pages: list[PrintedPage] = field(default_factory=list)
    landmarks: list[tuple[str, Target]] = field(default_factory=list)
    """A type, such as toc or index, and its place."""


def read_navigation(container: Container, package: Package) -> Navigation:
    """Read the lists of the nav document; those it lacks, from the NCX and the page map."""
    found = Navigation(landmarks=list(package.guide))
    if package.nav is not None:
        _add(found, container, package.nav, read_nav)
    if package.ncx is not None and not (found.chapters and found.pages):
        older = Navigation()
        _add(older, container, package.ncx, read_ncx)
        found.chapters.extend(() if found.chapters else older.chapters)
        found.pages.extend(() if found.pages else older.pages)
    if package.page_map is not None and not found.pages:
        _add(found, container, package.page_map, _read_page_map)
    return found


def _add(
    found: Navigation, container: Container, name: str, read: Callable[[bytes], list[NavLink]]
) -> None:
    data = container.read(name)
    for link in read(data) if data is not None else ():
        entry = container.resolve(name, link.address) if link.address else None
        target = Target(entry, split_fragment(link.address)[1]) if entry is not None else None
        if link.list == "page-list":
            found.pages.append(PrintedPage(plain_label(link.path[-1] if link.path else ""), target))
        elif target is not None and link.list == "landmarks":
            found.landmarks.append((link.type, target))
        elif target is not None and link.path:
            found.chapters.append(Chapter(link.path, target))


def _read_page_map(data: bytes) -> list[NavLink]:
    """Read Adobe's list of pages, older than EPUB 3's."""
    root = parse_tree(data)
    return [
        NavLink("page-list", (page.get("name") or "",), page.get("href") or "")
        for page in (root.iter("{*}page") if root is not None else ())
    ]
