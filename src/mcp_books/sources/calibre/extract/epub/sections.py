"""Which chapter a text belongs to, by the places that the table of contents points at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from mcp_books.sources.calibre.extract.base import BETWEEN_TITLES
from mcp_books.sources.calibre.extract.html_text import Region
from mcp_books.sources.calibre.extract.stretches import From

__all__ = ["SectionStart", "by_text", "kind_regions", "place_sections", "section_names"]

SectionStart = tuple[int, tuple[str, ...]]
"""An offset and the path of titles that holds from there on."""

_KINDS = {"toc": "contents", "doc-toc": "contents", "index": "index", "doc-index": "index"}

_MOST_LANDMARKS = 32

_T = TypeVar("_T")


def by_text(places: Iterable[tuple[str, _T]]) -> dict[str, list[_T]]:
    """Gather what belongs to each entry, in order."""
    found: dict[str, list[_T]] = {}
    for name, what in places:
        found.setdefault(name, []).append(what)
    return found


def place_sections(
    chapters: Sequence[tuple[str, tuple[str, ...]]], ids: Mapping[str, int]
) -> list[SectionStart]:
    """Return where the chapters of one text begin, given each one's fragment and path.

    A chapter whose place is missing begins with the text if no other chapter is known to be in it.
    Of several at one place the innermost counts, or what encloses them if none encloses the others.
    """
    known = [
        (0 if not fragment else ids[fragment], path)
        for fragment, path in chapters
        if not fragment or fragment in ids
    ]
    if not known:
        known = [(0, path) for _, path in chapters[:1]]
    at: dict[int, list[tuple[str, ...]]] = {}
    for offset, path in known:
        at.setdefault(offset, []).append(path)
    return [(offset, _one_of(at[offset])) for offset in sorted(at)]


def section_names(starts: Sequence[SectionStart], carried: tuple[str, ...]) -> list[From]:
    """Return the names of the sections of a text that begins within the section `carried`."""
    return [(offset, BETWEEN_TITLES.join(path) or None) for offset, path in ((0, carried), *starts)]


def kind_regions(
    landmarks: Sequence[tuple[str, str]],
    ids: Mapping[str, int],
    starts: Sequence[SectionStart],
    length: int,
) -> list[Region]:
    """Return the tables of contents and indexes that landmarks (type and fragment) point at.

    Each ends where the next section begins that is not a part of its own.
    """
    found = []
    for words, fragment in landmarks[:_MOST_LANDMARKS]:
        kind = next((_KINDS[word] for word in words.split() if word in _KINDS), None)
        start = ids.get(fragment) if fragment else 0
        if kind is None or start is None:
            continue
        own = next((path for offset, path in reversed(starts) if offset <= start), None)
        end = next(
            (
                offset
                for offset, path in starts
                if offset > start and (own is None or path[: len(own)] != own)
            ),
            length,
        )
        found.append(Region(start, end, "index" if kind == "index" else "contents"))
    return found


def _one_of(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    chosen = paths[0]
    for path in paths[1:]:
        if path[: len(chosen)] == chosen:
            chosen = path
        elif chosen[: len(path)] != path:
            return _enclosing(paths)
    return chosen


def _enclosing(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    shared: list[str] = []
    for titles in zip(*paths, strict=False):
        if len(set(titles)) > 1:
            break
        shared.append(titles[0])
    return tuple(shared)
