"""The package document (OPF): which texts the book has, in which order, and where its lists are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from mcp_books.sources.calibre.extract.base import Unreadable
from mcp_books.sources.calibre.extract.epub.container import Container, split_fragment
from mcp_books.sources.calibre.extract.markup import parse_tree

__all__ = ["Package", "SpineText", "Target", "read_package"]

_CONTAINER = "META-INF/container.xml"
_PACKAGE_TYPE = "application/oebps-package+xml"
_NCX_TYPE = "application/x-dtbncx+xml"
_NO_TEXT = ("image/", "audio/", "video/", "font/", "text/css", "text/javascript", "application/pdf")


@dataclass(frozen=True, slots=True)
class Target:
    """A place that a list points at: an entry, and the id of an element in it ("": its start)."""

    name: str
    fragment: str


@dataclass(frozen=True, slots=True)
class SpineText:
    """One text of the spine. `linear` is False for one beside the main flow, which is read too."""

    name: str
    linear: bool


@dataclass(frozen=True, slots=True)
class Package:
    """What the package document says; entries it names and the zip file lacks are left out."""

    texts: tuple[SpineText, ...]
    """In reading order, each once, whatever fragments of it the spine lists."""
    listed: int
    """How many items the spine lists."""
    missing: int
    """How many of them should hold text and are not in the zip file."""
    is_lost: bool
    """There is no package document; the texts are those of the zip file, in its order."""
    nav: str | None
    ncx: str | None
    page_map: str | None
    guide: tuple[tuple[str, Target], ...]
    """EPUB 2's landmarks: a type and its place."""


def read_package(container: Container) -> Package:
    """Read the first package document of the book.

    Where it was lost together with the directory, the texts are those that are there.

    Raises:
        Unreadable: there is none.
    """
    found = _package_root(container)
    if found is None:
        there = tuple(SpineText(one, True) for one in container.names if _is_text_name(one))
        if not container.lacks_directory or not there:
            raise Unreadable("damaged", "no package document")
        ncx = next((one for one in container.names if one.lower().endswith(".ncx")), None)
        return Package(
            texts=there,
            listed=len(there),
            missing=0,
            is_lost=True,
            nav=None,
            ncx=ncx,
            page_map=None,
            guide=(),
        )
    name, root = found
    items = {
        item.get("id") or "": item
        for item in root.iterfind("{*}manifest/{*}item")
        if item.get("href")
    }

    def entry(item: etree._Element | None) -> str | None:
        return container.resolve(name, item.get("href") or "") if item is not None else None

    spine = root.find("{*}spine")
    references = list(spine.iterfind("{*}itemref")) if spine is not None else []
    texts: dict[str, SpineText] = {}
    missing = unknown = 0
    for reference in references:
        item = items.get(reference.get("idref") or "")
        if item is None:
            unknown += 1
            continue
        if not _holds_text(item):
            continue
        text = entry(item)
        if text is None:
            missing += 1
        elif text not in texts:
            linear = (reference.get("linear") or "").strip().lower() != "no"
            texts[text] = SpineText(text, linear)
    toc, page_map = (
        (spine.get("toc") or "", spine.get("page-map") or "") if spine is not None else ("", "")
    )
    nav = next((i for i in items.values() if "nav" in (i.get("properties") or "").split()), None)
    return Package(
        texts=tuple(texts.values()),
        listed=len(references),
        # A reference to nothing names no text, unless there is nothing else.
        missing=missing if texts else missing + unknown,
        is_lost=False,
        nav=entry(nav),
        ncx=entry(_ncx_item(items, toc)),
        page_map=entry(items.get(page_map)),
        guide=tuple(_guide(container, name, root)),
    )


def _package_root(container: Container) -> tuple[str, etree._Element] | None:
    for name in (*_stated_packages(container), *_found_packages(container)):
        data = container.read(name)
        root = parse_tree(data) if data is not None else None
        if root is not None and etree.QName(root).localname == "package":
            return name, root
    return None


def _stated_packages(container: Container) -> list[str]:
    name = container.find(_CONTAINER)
    data = container.read(name) if name is not None else None
    root = parse_tree(data) if data is not None else None
    if root is None:
        return []
    files = [
        container.resolve("", file.get("full-path") or "")
        for file in root.iter("{*}rootfile")
        if (file.get("media-type") or _PACKAGE_TYPE) == _PACKAGE_TYPE
    ]
    return [file for file in files if file]


def _found_packages(container: Container) -> list[str]:
    names = [name for name in container.names if name.lower().endswith(".opf")]
    return sorted(names, key=lambda name: (name.count("/"), name))


def _is_text_name(name: str) -> bool:
    return name.lower().endswith((".xhtml", ".html", ".htm"))


def _holds_text(item: etree._Element) -> bool:
    return not (item.get("media-type") or "").strip().lower().startswith(_NO_TEXT)


def _ncx_item(items: Mapping[str, etree._Element], stated: str) -> etree._Element | None:
    if stated in items:
        return items[stated]
    return next((i for i in items.values() if i.get("media-type") == _NCX_TYPE), None)


def _guide(container: Container, base: str, root: etree._Element) -> list[tuple[str, Target]]:
    found = []
    for reference in root.iterfind("{*}guide/{*}reference"):
        address = reference.get("href") or ""
        name = container.resolve(base, address)
        if name is not None:
            kind = (reference.get("type") or "").strip().lower()
            found.append((kind, Target(name, split_fragment(address)[1])))
    return found
