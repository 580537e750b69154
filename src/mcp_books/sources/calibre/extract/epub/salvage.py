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
_ANY_SIGNATURE = b"PK"
_DESCRIPTOR = b"PK\x07\x08"
_ENCRYPTED = 0x1
_SIZES_BEHIND = 0x8
_NAMED_IN_UTF8 = 0x800
_NO_ENTRY = b"PK\x05\x06" + bytes(18)
_BLOCK = 1 << 16


def salvage(file: BinaryIO, *, most_entries: int, most_bytes: int) -> zipfile.ZipFile:
    """Return the zip file with the entries that can be found without a directory.

    No more than one header above `most_entries` is looked at, and at most `most_bytes` are unpacked
    to find where entries end.

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
            if at + _HEADER.size > self._end:
                return
            entry, after = self._entry(at)
            if entry is not None:
                yield entry
            # What follows has to have a header again; if not, the sizes led astray.
            is_sound = after >= self._end or self._bytes(after, 2) == _ANY_SIGNATURE
            at = self._next_header(after if is_sound else at + len(_SIGNATURE))

    def _entry(self, at: int) -> tuple[zipfile.ZipInfo | None, int]:
        """Return the entry whose header is there, if it can be read, and where to go on."""
        head = _HEADER.unpack(self._bytes(at, _HEADER.size))
        _, _, flags, method, _, _, checksum, packed, size, named, more = head
        name = self._bytes(at + _HEADER.size, named)
        data = at + _HEADER.size + named + more
        lost = None, at + len(_SIGNATURE)
        if not name or data > self._end or flags & _ENCRYPTED:
            return lost
        after = data + packed
        if flags & _SIZES_BEHIND:
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
        if after > self._end:
            return lost
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
            taken = len(block) - len(unpacking.unconsumed_tail) - len(unpacking.unused_data)
            self._left -= taken + len(data)
            packed += taken
            size += len(data)
            checksum = zlib.crc32(data, checksum)
        return packed, size, checksum

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
