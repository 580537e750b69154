"""An index of a book: entries with a label and numbers by tag, and the strings they point to.

The first record (`INDX`) says how many records of entries follow and how many of strings (CNCX)
after those; its `TAGX` part says which tags an entry may have and how they are written. Numbers are
big-endian in groups of seven bits, the last group marked.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mcp_books.sources.calibre.extract.base import Unreadable

from .palm import PalmDatabase

__all__ = ["Entry", "Index", "read_index"]

_MOST_RECORDS = 4096
_MOST_NUMBERS = 2_000_000
"""What the entries of one index may hold, each counted as `_ENTRY` more."""

_ENTRY = 16
_LONGEST_STRING = 2**12

_LONGEST_NUMBER = 5
_HEADER = struct.Struct(">4sL12xLL")
_STRING_RECORDS_AT = 52
_TAGX_HEAD = struct.Struct(">4sLL")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an index."""

    label: bytes
    tags: Mapping[int, tuple[int, ...]]

    def first(self, tag: int) -> int | None:
        """Return the first number of `tag`, or None where the entry does not have it."""
        values = self.tags.get(tag)
        return values[0] if values else None


@dataclass(frozen=True, slots=True)
class Index:
    """The entries in their order, and the records of strings."""

    entries: tuple[Entry, ...]
    _strings: tuple[bytes, ...]

    def string(self, offset: int, encoding: str) -> str:
        """Return the string at `offset`: 64 kB of offsets are set aside for each record."""
        number, at = divmod(offset, 0x10000)
        if number >= len(self._strings) or at >= len(self._strings[number]):
            return ""
        record = self._strings[number]
        length, at = _number(record, at, len(record))
        return record[at : at + min(length, _LONGEST_STRING)].decode(encoding, "replace")


class _Tag(NamedTuple):
    tag: int
    values: int
    mask: int
    ends: bool


class _Layout(NamedTuple):
    control_bytes: int
    tags: tuple[_Tag, ...]


def read_index(database: PalmDatabase, number: int) -> Index:
    """Read the index that starts in record `number`.

    Raises:
        Unreadable: it is not an index, or contradicts itself.
    """
    head = database.record(number)
    header_length, _, records = _head(head)
    if len(head) < _STRING_RECORDS_AT + 4 or records > _MOST_RECORDS:
        raise Unreadable("damaged", "an index with an impossible header")
    (strings,) = struct.unpack_from(">L", head, _STRING_RECORDS_AT)
    if strings > _MOST_RECORDS:
        raise Unreadable("damaged", "an index with an impossible header")
    entries = _Entries(_layout(head, header_length))
    for following in range(number + 1, number + 1 + records):
        entries.add(database.record(following))
    first = number + 1 + records
    return Index(
        tuple(entries.found), tuple(database.record(n) for n in range(first, first + strings))
    )


def _head(record: bytes) -> tuple[int, int, int]:
    """Return the header's length, the place of the list of entries, and the count."""
    if len(record) < _HEADER.size:
        raise Unreadable("damaged", "an index record cut short")
    magic, length, list_at, count = _HEADER.unpack_from(record)
    if magic != b"INDX":
        raise Unreadable("damaged", "no index where the header says one is")
    return length, list_at, count


def _layout(record: bytes, at: int) -> _Layout:
    if at + _TAGX_HEAD.size > len(record):
        raise Unreadable("damaged", "an index without a list of tags")
    magic, length, control_bytes = _TAGX_HEAD.unpack_from(record, at)
    table = record[at + _TAGX_HEAD.size : at + length]
    if magic != b"TAGX" or len(table) % 4 or not 1 <= control_bytes <= 16:
        raise Unreadable("damaged", "an index without a list of tags")
    tags = tuple(
        _Tag(tag, values, mask, bool(ends))
        for tag, values, mask, ends in struct.iter_unpack("4B", table)
    )
    return _Layout(control_bytes, tags)


class _Entries:
    """Gathers the entries of the records of one index."""

    def __init__(self, layout: _Layout) -> None:
        self._layout = layout
        self._left = _MOST_NUMBERS
        self.found: list[Entry] = []

    def add(self, record: bytes) -> None:
        """Read the entries of one record."""
        _, list_at, count = _head(record)
        if record[list_at : list_at + 4] != b"IDXT" or list_at + 4 + 2 * count > len(record):
            raise Unreadable("damaged", "an index record without its list of entries")
        starts = struct.unpack_from(f">{count}H", record, list_at + 4)
        for start, end in zip(starts, (*starts, list_at)[1:], strict=True):
            self.found.append(self._entry(record, start, min(end, list_at)))

    def _entry(self, record: bytes, start: int, end: int) -> Entry:
        if start >= end:
            raise Unreadable("damaged", "an index entry outside its record")
        label_end = start + 1 + record[start]
        at = label_end + self._layout.control_bytes
        if at > end:
            raise Unreadable("damaged", "an index entry cut short")
        counts, at = self._counts(record, record[label_end:at], at, end)
        tags: dict[int, tuple[int, ...]] = {}
        for tag, count, size in counts:
            values: list[int] = []
            stop = at + size
            while len(values) < count if size == 0 else at < stop:
                value, at = _number(record, at, end)
                values.append(value)
            tags[tag] = tuple(values)
            self._spend(len(values))
        self._spend(_ENTRY)
        return Entry(record[start + 1 : label_end], tags)

    def _counts(
        self, record: bytes, controls: bytes, at: int, end: int
    ) -> tuple[list[tuple[int, int, int]], int]:
        """Return, for each tag the entry has: how many numbers, or in how many bytes they are."""
        counts: list[tuple[int, int, int]] = []
        control = 0
        for tag in self._layout.tags:
            if tag.ends:
                control += 1
                continue
            if control >= len(controls):
                raise Unreadable("damaged", "more tags than an index entry has room for")
            bits = controls[control] & tag.mask
            if not bits:
                continue
            if bits == tag.mask and tag.mask.bit_count() > 1:
                size, at = _number(record, at, end)
                if at + size > end:
                    raise Unreadable("damaged", "an index entry cut short")
                counts.append((tag.tag, 0, size))
            else:
                shift = (tag.mask & -tag.mask).bit_length() - 1
                counts.append((tag.tag, (bits >> shift) * tag.values, 0))
        return counts, at

    def _spend(self, numbers: int) -> None:
        self._left -= numbers
        if self._left < 0:
            raise Unreadable("damaged", "an index larger than a book's")


def _number(record: bytes, at: int, end: int) -> tuple[int, int]:
    """Return the number at `at` and where it ends."""
    value = 0
    for place in range(at, min(at + _LONGEST_NUMBER, end)):
        byte = record[place]
        value = value << 7 | byte & 0x7F
        if byte & 0x80:
            return value, place + 1
    raise Unreadable("damaged", "a number without an end")
