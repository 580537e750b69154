"""Putting the files of a KF8 book together again.

The text holds, for each file, its skeleton (the outer markup) followed by its fragments. Two
indexes say how long each is and where a fragment goes; a place in the book is a fragment's number
and an offset into it, or a place in the text as it is once the files are whole.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_books.sources.calibre.extract.base import Unreadable

from .header import Header
from .indx import Entry, read_index
from .palm import PalmDatabase
from .parts import Part

__all__ = [
    "Fragment",
    "Skeleton",
    "assemble",
    "main_flow",
    "read_fragments",
    "read_skeletons",
]

_COUNT = 1
_PLACE = 6
_MOST_MOVED = 64
"""How often the text may be moved to let in fragments that come out of order."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The outer markup of one file."""

    start: int
    length: int
    fragments: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a file; `at` counts from the start of the whole text."""

    at: int
    length: int


def main_flow(database: PalmDatabase, header: Header, text: bytes) -> bytes:
    """Return the markup of `text`, without the style sheets and drawings kept behind it."""
    if header.flows is None:
        return text
    try:
        record = database.record(header.flows)
    except Unreadable:
        return text
    if record[:4] != b"FDST" or len(record) < 20:
        return text
    (count,) = struct.unpack_from(">L", record, 8)
    if not 1 <= count <= (len(record) - 12) // 8:
        return text
    flows = struct.unpack_from(f">{2 * count}L", record, 12)
    joined = flows[0] == 0 and flows[1:-1:2] == flows[2::2] and flows[-1] >= len(text)
    return text[: flows[1]] if joined else text


def read_skeletons(database: PalmDatabase, number: int) -> list[Skeleton]:
    """Read the index of skeletons.

    Raises:
        Unreadable: it is damaged.
    """
    return [_skeleton(entry) for entry in read_index(database, number).entries]


def read_fragments(database: PalmDatabase, number: int) -> list[Fragment]:
    """Read the index of fragments.

    Raises:
        Unreadable: it is damaged.
    """
    return [_fragment(entry) for entry in read_index(database, number).entries]


def assemble(
    text: bytes, skeletons: Sequence[Skeleton], fragments: Sequence[Fragment]
) -> Iterator[Part]:
    """Yield the files of the book.

    From where the indexes and the text contradict each other, the text is given as it stands:
    skeletons and fragments are in reading order there too.
    """
    used = 0
    at = 0
    budget = _MOST_MOVED * len(text)
    for skeleton in skeletons:
        own = fragments[used : used + skeleton.fragments]
        length = skeleton.length + sum(fragment.length for fragment in own)
        if skeleton.start != at or len(own) < skeleton.fragments or at + length > len(text):
            break
        joined = _join(text, skeleton, own, budget)
        if joined is None:
            break
        markup, moved = joined
        budget -= moved
        used += skeleton.fragments
        at += length
        if length:
            yield Part(skeleton.start, markup)
    if text[at:].strip():
        yield Part(at, text[at:])


def _join(
    text: bytes, skeleton: Skeleton, fragments: Sequence[Fragment], budget: int
) -> tuple[bytes, int] | None:
    """Return the markup of one file and how many bytes were moved to make it.

    None where a fragment lies outside the file, or more bytes than `budget` would be moved.
    """
    end = skeleton.start + skeleton.length
    frame = text[skeleton.start : end]
    done = bytearray()
    taken = 0
    moved = 0
    for fragment in fragments:
        piece = text[end : end + fragment.length]
        end += fragment.length
        at = fragment.at - skeleton.start
        missing = at - len(done)
        if at < 0 or taken + missing > len(frame):
            return None
        if missing >= 0:
            done += frame[taken : taken + missing]
            taken += missing
            done += piece
        else:
            moved += len(done) - at
            if moved > budget:
                return None
            done[at:at] = piece
    done += frame[taken:]
    return bytes(done), moved


def _skeleton(entry: Entry) -> Skeleton:
    count = entry.first(_COUNT)
    start, length = _place(entry)
    return Skeleton(start, length, count or 0)


def _fragment(entry: Entry) -> Fragment:
    if not entry.label.isdigit():
        raise Unreadable("damaged", "a fragment without a place")
    _, length = _place(entry)
    return Fragment(int(entry.label), length)


def _place(entry: Entry) -> tuple[int, int]:
    place = entry.tags.get(_PLACE, ())
    if len(place) < 2:
        raise Unreadable("damaged", "a part of the text without a place")
    return place[0], place[1]
