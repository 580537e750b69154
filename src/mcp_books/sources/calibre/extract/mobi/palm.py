"""The Palm database a MOBI file is stored in: a list of numbered records.

A header of 78 bytes (type and creator at 60, the number of records at 76), then eight bytes a
record, of which the first four are its offset in the file. A record ends where the next begins.
"""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

from mcp_books.sources.calibre.extract.base import Unreadable

__all__ = ["LARGEST_RECORD", "PalmDatabase"]

LARGEST_RECORD = 16 * 2**20
"""Bytes; writers keep records near 4 kB of text and 64 kB of anything else."""

_HEADER = struct.Struct(">60x8s8xH")
_ENTRY = struct.Struct(">L4x")
_OVERLAP = 4
"""How often the bytes of a file may be read: records of a sound file do not overlap."""

_FOREIGN = {
    b"TPZ": "a Topaz book",
    b"CONT": "a KFX book",
    b"PK\x03\x04": "a ZIP archive",
    b"%PDF": "a PDF",
    b"SQLite format 3": "an SQLite database",
}
_LOCKED_KFX = b"\xeaDRMION\xee"


class PalmDatabase:
    """The records of an open file, read as they are asked for."""

    def __init__(self, file: BinaryIO) -> None:
        """Read the list of records.

        Raises:
            Unreadable: the file is empty, cut short, or no Palm database.
        """
        self._file = file
        self._size = file.seek(0, os.SEEK_END)
        file.seek(0)
        head = file.read(_HEADER.size)
        if not head:
            raise Unreadable("empty")
        _refuse_foreign(head)
        if len(head) < _HEADER.size:
            raise Unreadable("damaged", "cut short in the header of the database")
        self.kind: bytes
        self.kind, count = _HEADER.unpack(head)
        if not all(32 <= byte < 127 for byte in self.kind):
            raise Unreadable("damaged", "not a Palm database")
        table = file.read(count * _ENTRY.size)
        if len(table) < count * _ENTRY.size:
            raise Unreadable("damaged", "cut short in the list of records")
        self._offsets = [offset for (offset,) in _ENTRY.iter_unpack(table)]
        self._allowance = _OVERLAP * self._size

    def record(self, number: int) -> bytes:
        """Return one record.

        Raises:
            Unreadable: there is no such record, or the file does not hold all of it.
        """
        if not 0 <= number < len(self._offsets):
            raise Unreadable("damaged", f"no record {number} among {len(self._offsets)}")
        start = self._offsets[number]
        last = number + 1 == len(self._offsets)
        end = self._size if last else self._offsets[number + 1]
        if not start <= end <= self._size:
            raise Unreadable("damaged", f"record {number} lies outside the file")
        self._allowance -= end - start
        if end - start > LARGEST_RECORD or self._allowance < 0:
            raise Unreadable("damaged", f"record {number} is too long")
        self._file.seek(start)
        return self._file.read(end - start)


def _refuse_foreign(head: bytes) -> None:
    if head.startswith(_LOCKED_KFX):
        raise Unreadable("drm", "a locked KFX book")
    for magic, name in _FOREIGN.items():
        if head.startswith(magic):
            raise Unreadable("unsupported", name)
