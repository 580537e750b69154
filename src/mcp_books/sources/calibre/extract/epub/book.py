"""One EPUB to stretches: the texts of the spine, each with its sections and printed pages."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp_books.sources.calibre.extract.base import Incomplete, Stretch, Unreadable
from mcp_books.sources.calibre.extract.epub.container import Container
from mcp_books.sources.calibre.extract.epub.navigation import Navigation, read_navigation
from mcp_books.sources.calibre.extract.epub.package import Package, SpineText, read_package
from mcp_books.sources.calibre.extract.epub.page_list import PageList
from mcp_books.sources.calibre.extract.epub.pages import PagedText, label_pages
from mcp_books.sources.calibre.extract.epub.protection import refuse_encrypted, refuse_licensed
from mcp_books.sources.calibre.extract.epub.sections import (
    SectionStart,
    by_text,
    kind_regions,
    place_sections,
    section_names,
)
from mcp_books.sources.calibre.extract.html_text import Region, walk
from mcp_books.sources.calibre.extract.markup import is_text
from mcp_books.sources.calibre.extract.stretches import stretches

__all__ = ["read"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Text:
    """What is kept of one text of the spine."""

    spine: SpineText
    text: str
    sections: Sequence[SectionStart]
    regions: Sequence[Region]


def read(path: Path) -> Iterator[Stretch]:
    """Yield the text of an EPUB in reading order.

    Raises:
        Unreadable: before the first stretch: drm, password, damaged, empty, no_text or too_large.
        Incomplete: after the last stretch, where a text is missing or cannot be read.
        OSError: the file cannot be read from the disk.
    """
    with path.open("rb") as file:
        container = Container(file)
        refuse_licensed(container)
        package = read_package(container)
        _refuse_without_texts(package)
        names = [text.name for text in package.texts]
        lists = [name for name in (package.nav, package.ncx) if name is not None]
        refuse_encrypted(container, names + lists)
        navigation = read_navigation(container, package)
        pages = PageList(navigation.pages, names)
        texts = _walk_all(container, package, navigation, pages)
        lost = _lost(package, len(texts))
    labels = label_pages(
        [
            PagedText(len(text.text), pages.breaks(text.spine.name), _flows(text, package, pages))
            for text in texts
        ]
    )
    carried: tuple[str, ...] = ()
    for text, labelled in zip(texts, labels, strict=True):
        yield from stretches(
            text.text,
            sections=section_names(text.sections, carried if text.spine.linear else ()),
            pages=labelled,
            regions=text.regions,
        )
        if text.sections and text.spine.linear:
            carried = text.sections[-1][1]
    if lost:
        raise Incomplete(lost)


def _refuse_without_texts(package: Package) -> None:
    if package.texts:
        return
    if package.missing:
        raise Unreadable("damaged", f"{package.missing} texts are missing")
    raise Unreadable("no_text" if package.listed else "empty", f"{package.listed} in the spine")


def _walk_all(
    container: Container, package: Package, navigation: Navigation, pages: PageList
) -> list[_Text]:
    chapters = by_text((c.target.name, (c.target.fragment, c.path)) for c in navigation.chapters)
    landmarks = by_text((t.name, (words, t.fragment)) for words, t in navigation.landmarks)
    found = []
    unreadable = 0
    for spine in package.texts:
        markup = container.read(spine.name)
        if markup is None or not is_text(markup):
            _log.info("%s is left out: it cannot be read", spine.name)
            unreadable += 1
            continue
        walked = walk(markup)
        pages.place(spine.name, walked)
        starts = place_sections(chapters.get(spine.name, []), walked.ids)
        length = len(walked.text)
        regions = kind_regions(landmarks.get(spine.name, []), walked.ids, starts, length)
        regions += walked.regions
        if spine.name == package.nav and _mostly(walked.regions, length):
            regions.append(Region(0, length, "contents"))
        found.append(_Text(spine, walked.text, starts, regions))
    if not any(text.text for text in found):
        raise Unreadable("damaged" if unreadable == len(package.texts) else "no_text")
    return found


def _lost(package: Package, read_texts: int) -> str:
    """Return what of the book could not be read, "" for nothing."""
    of = len(package.texts) + package.missing
    told = [f"{of - read_texts} of {of} texts could not be read"] if read_texts < of else []
    if package.is_lost:
        told.append("the list of its texts is lost, and perhaps more texts with it")
    return "; ".join(told)


def _mostly(regions: Sequence[Region], length: int) -> bool:
    return 2 * sum(region.end - region.start for region in regions) >= length


def _flows(text: _Text, package: Package, pages: PageList) -> bool:
    """Whether the printed pages run through the text: not notes beside it, not a bare nav."""
    name = text.spine.name
    return text.spine.linear and (name != package.nav or bool(pages.breaks(name)))
