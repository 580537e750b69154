"""The table of contents of a book (NCX): titles, where they lead, and what stands above them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .header import Header
from .indx import Entry, Index, read_index
from .kf8 import Fragment
from .palm import PalmDatabase

__all__ = ["Chapter", "read_chapters"]

_AT = 1
_TITLE = 3
_FRAGMENT = 6
_PARENT = 21
_DEEPEST = 8
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Chapter:
    """One entry: where it leads in the whole text, and its titles from the top."""

    at: int
    path: tuple[str, ...]


def read_chapters(
    database: PalmDatabase, header: Header, fragments: Sequence[Fragment]
) -> list[Chapter]:
    """Read the entries, in the order of the text.

    Raises:
        Unreadable: the index is damaged.
    """
    if header.ncx is None:
        return []
    index = read_index(database, header.ncx)
    titles = [_title(index, entry, header.encoding) for entry in index.entries]
    chapters: list[Chapter] = []
    for number, entry in enumerate(index.entries):
        at = _target(entry, fragments)
        if at is not None and titles[number]:
            chapters.append(Chapter(at, _path(index.entries, titles, number)))
    chapters.sort(key=lambda chapter: chapter.at)
    return chapters


def _title(index: Index, entry: Entry, encoding: str) -> str:
    offset = entry.first(_TITLE)
    title = "" if offset is None else " ".join(index.string(offset, encoding).split())
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"


def _target(entry: Entry, fragments: Sequence[Fragment]) -> int | None:
    place = entry.tags.get(_FRAGMENT, ())
    if len(place) >= 2 and place[0] < len(fragments):
        return fragments[place[0]].at + place[1]
    return entry.first(_AT)


def _path(entries: Sequence[Entry], titles: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the titles above an entry and its own; a loop of parents is left at its depth."""
    path = [titles[number]]
    parent = entries[number].first(_PARENT)
    while parent is not None and parent < len(entries) and len(path) < _DEEPEST:
        if titles[parent]:
            path.append(titles[parent])
        parent = entries[parent].first(_PARENT)
    return tuple(reversed(path))
