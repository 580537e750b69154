"""The tables of contents and the indexes that a book's guide names: they are listed last."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

from mcp_books.sources.calibre.extract.base import Unreadable

from .header import Header
from .indx import Entry, read_index
from .kf8 import Fragment
from .palm import PalmDatabase

__all__ = ["Landmark", "Span", "in_guide", "in_markup", "spans"]

_KINDS: dict[bytes, Literal["contents", "index"]] = {b"toc": "contents", b"index": "index"}
_REFERENCE = re.compile(rb"<reference\b([^<>]{1,1000})>", re.IGNORECASE)
_TYPE = re.compile(rb"""\btype\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_FILEPOS = re.compile(rb"""\bfilepos\s*=\s*["']?(\d{1,12})""", re.IGNORECASE)
_WITHIN = 2**16
_MOST = 8
_FRAGMENT = 6


class Landmark(NamedTuple):
    """What starts at a place of the whole text."""

    at: int
    kind: Literal["contents", "index"]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the whole text that is a table of contents or an index."""

    start: int
    end: int
    kind: Literal["contents", "index"]


def in_markup(text: bytes) -> list[Landmark]:
    """Return what the guide in the head of a MOBI 6 book names."""
    return list(islice(_references(text), _MOST))


def _references(text: bytes) -> Iterator[Landmark]:
    for reference in _REFERENCE.finditer(text, 0, _WITHIN):
        kind, at = _TYPE.search(reference[1]), _FILEPOS.search(reference[1])
        if kind and at and (named := _KINDS.get(kind[1].lower())):
            yield Landmark(int(at[1]), named)


def in_guide(
    database: PalmDatabase, header: Header, fragments: Sequence[Fragment]
) -> list[Landmark]:
    """Return what the guide of a KF8 book names; nothing where that index is damaged."""
    if header.guide is None:
        return []
    try:
        entries = read_index(database, header.guide).entries
    except Unreadable:
        return []
    return list(islice(_entries(entries, fragments), _MOST))


def _entries(entries: Sequence[Entry], fragments: Sequence[Fragment]) -> Iterator[Landmark]:
    for entry in entries:
        kind = _KINDS.get(entry.label.lower())
        place = entry.tags.get(_FRAGMENT, ())
        if kind and len(place) >= 2 and place[0] < len(fragments):
            yield Landmark(fragments[place[0]].at + place[1], kind)


def spans(landmarks: Iterable[Landmark], ends: Iterable[int], length: int) -> list[Span]:
    """Return each landmark up to the next of `ends`.

    One that would take up half of a text of `length` or more is not what it says.
    """
    last = sorted({*ends, length})
    found: list[Span] = []
    for at, kind in landmarks:
        after = bisect_right(last, at)
        if after < len(last) and last[after] - at < length / 2:
            found.append(Span(at, last[after], kind))
    return found
