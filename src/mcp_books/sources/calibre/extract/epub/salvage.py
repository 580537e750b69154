"""The entries of a zip file whose directory, kept at its end, is lost: a download cut short.

Every entry also has a header of its own before its data: signature, version, flags, compression,
time, date, checksum, packed size, size, length of the name, length of what follows it. Writers that
cannot go back leave sizes and checksum out there, and put them behind the data.
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
_SIZES_BEHIND = 0x8
_NAMED_IN_UTF8 = 0x800
_NO_ENTRY = b"PK\x05\x06" + bytes(18)
_BLOCK = 1 << 16


def salvage(file: BinaryIO, most: int) -> zipfile.ZipFile:
    """Return the zip file with the entries that are there whole, as far as they follow each other.

    At most `most` bytes are unpacked to find where entries end.

    Raises:
        BadZipFile: there is none.
    """
    archive = zipfile.ZipFile(io.BytesIO(_NO_ENTRY))
    archive.fp = file
    archive.filelist = list(_entries(file, most))
    archive.NameToInfo = {entry.filename: entry for entry in archive.filelist}
    if not archive.filelist:
        raise zipfile.BadZipFile("no directory and no entry")
    return archive


def _entries(file: BinaryIO, most: int) -> Iterator[zipfile.ZipInfo]:
    end = file.seek(0, os.SEEK_END)
    at = 0
    while at + _HEADER.size <= end:
        file.seek(at)
        head = _HEADER.unpack(file.read(_HEADER.size))
        signature, _, flags, method, _, _, checksum, packed, size, named, more = head
        name = file.read(named)
        data = at + _HEADER.size + named + more
        if signature != _SIGNATURE or not name or data > end:
            return
        if flags & _SIZES_BEHIND and not packed:
            if method != zipfile.ZIP_DEFLATED:
                return
            measured = _measured(file, data, most)
            if measured is None:
                return
            packed, size, checksum = measured
            most -= size
        if data + packed > end:
            return
        entry = zipfile.ZipInfo(name.decode("utf-8" if flags & _NAMED_IN_UTF8 else "cp437"))
        entry.flag_bits, entry.compress_type, entry.header_offset = flags, method, at
        entry.CRC, entry.compress_size, entry.file_size = checksum, packed, size
        yield entry
        at = data + packed
        if flags & _SIZES_BEHIND:
            file.seek(at)
            at += 16 if file.read(len(_DESCRIPTOR)) == _DESCRIPTOR else 12


def _measured(file: BinaryIO, start: int, most: int) -> tuple[int, int, int] | None:
    """Return packed size, size and checksum of what is packed here; None if it does not end."""
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
    packed = size = checksum = 0
    file.seek(start)
    while not unpacking.eof:
        block = unpacking.unconsumed_tail or file.read(_BLOCK)
        if not block or size > most:
            return None
        data = unpacking.decompress(block, _BLOCK)
        packed += len(block) - len(unpacking.unconsumed_tail) - len(unpacking.unused_data)
        size += len(data)
        checksum = zlib.crc32(data, checksum)
    return packed, size, checksum
