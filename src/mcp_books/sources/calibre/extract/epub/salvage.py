"""The entries of a zip file whose directory, kept at its end, is lost: a download cut short.

Every entry also has a header of its own before its data: signature, version, flags, compression,
time, date, checksum, packed size, size, length of the name, length of what follows it. Writers that
cannot go back leave sizes and checksum out there, and put them behind the data. Where a header or
what it says of its entry is wrong, that entry is lost, and the next header is looked for.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["salvage"]

_HEADER = struct.Struct("<4s5H3L2H")
_SIGNATURE = b"PK\x03\x04"
_DESCRIPTOR = b"PK\x07\x08"
_ENCRYPTED = 0x1
_SIZES_BEHIND = 0x8
_NAMED_IN_UTF8 = 0x800
_NO_ENTRY = b"PK\x05\x06" + bytes(18)
_BLOCK = 1 << 16
_DOUBTED_RATIO = 4


def salvage(file: BinaryIO, *, most_entries: int, most_bytes: int) -> zipfile.ZipFile:
    """Return the zip file with the entries that can be found without a directory.

    No more than one header above `most_entries` is looked at, and the search ends when more than
    `most_bytes` were unpacked to see that sizes are right.

    Raises:
        BadZipFile: there is none.
    """
    archive = zipfile.ZipFile(io.BytesIO(_NO_ENTRY))
    archive.fp = file
    archive.filelist = list(_Entries(file, most_bytes).found(most_entries + 1))
    archive.NameToInfo = {entry.filename: entry for entry in archive.filelist}
    if not archive.filelist:
        raise zipfile.BadZipFile("no directory and no entry")
    return archive


class _Entries:
    """Goes through a file from header to header."""

    def __init__(self, file: BinaryIO, most_bytes: int) -> None:
        self._file = file
        self._end = file.seek(0, os.SEEK_END)
        self._left = most_bytes

    def found(self, most_headers: int) -> Iterator[zipfile.ZipInfo]:
        """Yield the entries."""
        at = self._next_header(0)
        for _ in range(most_headers):
            if at + _HEADER.size > self._end or self._left < 0:
                return
            following = self._next_header(at + len(_SIGNATURE))
            entry, after = self._entry(at, following)
            if entry is not None:
                yield entry
            at = following if after <= following else self._next_header(after)

    def _entry(self, at: int, following: int) -> tuple[zipfile.ZipInfo | None, int]:
        """Return the entry whose header is there, if it can be read, and where to go on."""
        head = _HEADER.unpack(self._bytes(at, _HEADER.size))
        _, _, flags, method, _, _, checksum, packed, size, named, more = head
        data = at + _HEADER.size + named + more
        lost = None, following
        if not named or data > following or flags & _ENCRYPTED:
            return lost
        after = data + packed
        if flags & _SIZES_BEHIND and (method == zipfile.ZIP_DEFLATED or not packed):
            measured = self._measured(data) if method == zipfile.ZIP_DEFLATED else None
            if measured is None:
                return lost
            packed, size, checksum = measured
            after = data + packed
            if self._bytes(after, len(_DESCRIPTOR)) == _DESCRIPTOR:
                after += len(_DESCRIPTOR)
            # Broken data can run on to the end of another entry.
            if self._bytes(after, 4) != checksum.to_bytes(4, "little"):
                return lost
            after += 12
        elif after > self._end or (method == zipfile.ZIP_DEFLATED and not packed):
            return lost
        elif following < after or size > _DOUBTED_RATIO * packed:
            # Another entry inside this one, or much from little: the sizes may be wrong.
            is_stored = method == zipfile.ZIP_STORED
            measured = self._summed(data, packed) if is_stored else self._measured(data)
            if measured != (packed, size, checksum):
                return lost
        name = self._bytes(at + _HEADER.size, named)
        encoding = "utf-8" if flags & _NAMED_IN_UTF8 else "cp437"
        entry = zipfile.ZipInfo(name.decode(encoding, "replace"))
        entry.flag_bits, entry.compress_type, entry.header_offset = flags, method, at
        entry.CRC, entry.compress_size, entry.file_size = checksum, packed, size
        return entry, after

    def _measured(self, start: int) -> tuple[int, int, int] | None:
        """Return packed size, size and checksum of what is packed here; None if it is not sound."""
        unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        packed = size = checksum = 0
        self._file.seek(start)
        while not unpacking.eof:
            block = unpacking.unconsumed_tail or self._file.read(_BLOCK)
            if not block or self._left < 0:
                return None
            try:
                data = unpacking.decompress(block, _BLOCK)
            except zlib.error:
                self._left -= len(block)  # so that broken data that overlaps costs as well
                return None
            # At the end, what is over can stand in both.
            over = unpacking.unused_data if unpacking.eof else unpacking.unconsumed_tail
            taken = len(block) - len(over)
            self._left -= max(taken, len(data))
            packed += taken
            size += len(data)
            checksum = zlib.crc32(data, checksum)
        return packed, size, checksum

    def _summed(self, start: int, length: int) -> tuple[int, int, int] | None:
        """Return the same of what is stored here; None if that is too much."""
        self._left -= length
        checksum = 0
        self._file.seek(start)
        for done in range(0, length, _BLOCK):
            if self._left < 0:
                return None
            checksum = zlib.crc32(self._file.read(min(_BLOCK, length - done)), checksum)
        return length, length, checksum

    def _next_header(self, at: int) -> int:
        """Return where the next header is, from `at` on; the end of the file if there is none."""
        self._file.seek(at)
        held = b""
        while block := self._file.read(_BLOCK if held else len(_SIGNATURE)):
            held += block
            place = held.find(_SIGNATURE)
            if place >= 0:
                return at + place
            at += max(0, len(held) - len(_SIGNATURE) + 1)
            held = held[-len(_SIGNATURE) + 1 :]
        return self._end

    def _bytes(self, at: int, count: int) -> bytes:
        self._file.seek(at)
        return self._file.read(count)
