"""Writes the indexes of MOBI files: INDX records with their TAGX part, and their strings."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = [
    "FRAGMENT_TAGS",
    "GUIDE_TAGS",
    "NCX_TAGS",
    "SKELETON_TAGS",
    "Strings",
    "backward_number",
    "index",
    "number",
]

Tags = Sequence[tuple[int, int, int]]
"""A tag, how many numbers it takes each time, and its bits in the control byte."""

NCX_TAGS: Tags = ((1, 1, 0x01), (3, 1, 0x02), (4, 1, 0x04), (6, 2, 0x08), (21, 1, 0x10))
SKELETON_TAGS: Tags = ((1, 1, 0x03), (6, 2, 0x0C))
FRAGMENT_TAGS: Tags = ((2, 1, 0x01), (3, 1, 0x02), (4, 1, 0x04), (6, 2, 0x08))
GUIDE_TAGS: Tags = ((1, 1, 0x01), (6, 2, 0x02))

_HEADER_LENGTH = 192


@dataclass
class Strings:
    """The strings of one index, in records of at most 64 kB each."""

    room: int = 0x10000
    records: list[bytes] = field(default_factory=lambda: [b""])

    def add(self, text: str, encoding: str) -> int:
        """Keep a string and return its offset."""
        data = text.encode(encoding)
        data = number(len(data)) + data
        if len(self.records[-1]) + len(data) > self.room:
            self.records.append(b"")
        offset = (len(self.records) - 1) * 0x10000 + len(self.records[-1])
        self.records[-1] += data
        return offset


def number(value: int) -> bytes:
    """Write a number in groups of seven bits, the last marked."""
    groups = [value & 0x7F | 0x80]
    while value := value >> 7:
        groups.append(value & 0x7F)
    return bytes(reversed(groups))


def backward_number(value: int) -> bytes:
    """Write a number that is read from its end: in groups of seven bits, the first marked."""
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(value & 0x7F)
    groups[-1] |= 0x80
    return bytes(reversed(groups))


def index(
    entries: Sequence[tuple[bytes, Mapping[int, Sequence[int]]]],
    tags: Tags,
    strings: Strings | None = None,
    entries_a_record: int = 1000,
) -> list[bytes]:
    """Return the records of an index: the header, the entries, the strings."""
    blocks = [
        entries[start : start + entries_a_record]
        for start in range(0, len(entries), entries_a_record)
    ]
    string_records = strings.records if strings else []
    tagx_table = b"".join(struct.pack("4B", *tag, 0) for tag in tags) + bytes((0, 0, 0, 1))
    tagx = struct.pack(">4sLL", b"TAGX", 12 + len(tagx_table), 1) + tagx_table
    head = bytearray(_header(_HEADER_LENGTH + len(tagx), len(blocks)))
    struct.pack_into(">L", head, 36, len(entries))
    struct.pack_into(">L", head, 52, len(string_records))
    return [bytes(head) + tagx, *(_block(block, tags) for block in blocks), *string_records]


def _block(entries: Sequence[tuple[bytes, Mapping[int, Sequence[int]]]], tags: Tags) -> bytes:
    body = b""
    starts = []
    for label, values in entries:
        starts.append(_HEADER_LENGTH + len(body))
        body += bytes((len(label),)) + label + _values(values, tags)
    list_at = _HEADER_LENGTH + len(body)
    offsets = b"".join(struct.pack(">H", start) for start in starts)
    return _header(list_at, len(entries)) + body + b"IDXT" + offsets


def _values(values: Mapping[int, Sequence[int]], tags: Tags) -> bytes:
    control = 0
    sizes = b""
    numbers = b""
    for tag, each, mask in tags:
        given = values.get(tag, ())
        written = b"".join(number(value) for value in given)
        times = len(given) // each
        shift = (mask & -mask).bit_length() - 1
        if mask.bit_count() > 1 and times << shift >= mask:
            control |= mask
            sizes += number(len(written))
        else:
            control |= times << shift
        numbers += written
    return bytes((control,)) + sizes + numbers


def _header(list_at: int, count: int) -> bytes:
    head = struct.pack(">4sL12xLL", b"INDX", _HEADER_LENGTH, list_at, count)
    return head + struct.pack(">L", 65001) + bytes(_HEADER_LENGTH - len(head) - 4)
