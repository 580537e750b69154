"""What record 0 of a book says: the PalmDOC header, the MOBI header and the EXTH records.

A joint file holds two books, each with its own header; every record number a header gives counts
from the record that header stands in.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from mcp_books.sources.calibre.extract.base import Unreadable

from .palm import PalmDatabase

__all__ = ["Header", "read_header"]

_NONE = 0xFFFFFFFF
_PALMDOC = struct.Struct(">HxxLHHH")
_MOBI_AT = 16
_LENGTH_AT = 20
_ENCODING_AT = 28
_VERSION_AT = 36
_DICTIONARY_AT = 40
_HUFFMAN_AT = 112
_EXTH_FLAGS_AT = 128
_FLOWS_AT = 192
_TRAILING_AT = 240
_NCX_AT = 244
_FRAGMENTS_AT = 248
_SKELETONS_AT = 252
_GUIDE_AT = 260

_HAS_EXTH = 0x40
_BOUNDARY = 121
_MOST_EXTH = 4096
_KF8 = 8

_ENCODINGS = {
    874: "cp874",
    932: "cp932",
    936: "gb18030",
    949: "cp949",
    950: "cp950",
    65001: "utf-8",
} | {number: f"cp{number}" for number in range(1250, 1259)}


@dataclass(frozen=True, slots=True)
class Header:
    """One book of a file. Numbers of records count from the start of the file."""

    base: int
    """The record this header is."""
    compression: int
    text_length: int
    text_records: int
    record_size: int
    encrypted: bool
    encoding: str
    version: int
    """6 or less: one stream of HTML; 8: skeletons and fragments (KF8)."""
    trailing: int
    """Flags: what stands behind the text of each text record."""
    huffman: tuple[int, int]
    """The first record of the Huffman tables and how many there are."""
    ncx: int | None
    fragments: int | None
    skeletons: int | None
    guide: int | None
    flows: int | None
    dictionary: bool
    boundary: int | None
    """The header of the second book of a joint file."""

    @property
    def is_kf8(self) -> bool:
        """Tell whether the text is kept as skeletons and fragments."""
        return self.version >= _KF8


def read_header(database: PalmDatabase, number: int = 0) -> Header:
    """Read the header that stands in record `number`.

    Raises:
        Unreadable: the record is missing, too short, or of another kind.
    """
    record = database.record(number)
    if len(record) < _PALMDOC.size:
        raise Unreadable("damaged", f"record {number} is too short for a header")
    compression, length, count, size, encryption = _PALMDOC.unpack_from(record)
    fields = _Fields(record, number)
    version = fields.number(_VERSION_AT, 0)
    kf8 = version >= _KF8
    return Header(
        base=number,
        compression=compression,
        text_length=length,
        text_records=count,
        record_size=size,
        encrypted=encryption != 0,
        encoding=_ENCODINGS.get(fields.number(_ENCODING_AT, 0), "cp1252"),
        version=version,
        trailing=fields.number(_TRAILING_AT, 0) & 0xFFFF,
        huffman=(number + fields.number(_HUFFMAN_AT, 0), fields.number(_HUFFMAN_AT + 4, 0)),
        ncx=fields.record_number(_NCX_AT),
        fragments=fields.record_number(_FRAGMENTS_AT) if kf8 else None,
        skeletons=fields.record_number(_SKELETONS_AT) if kf8 else None,
        guide=fields.record_number(_GUIDE_AT) if kf8 else None,
        flows=fields.record_number(_FLOWS_AT) if kf8 else None,
        dictionary=fields.record_number(_DICTIONARY_AT) is not None,
        boundary=None if kf8 else _boundary(record, fields),
    )


class _Fields:
    """The MOBI header as far as its own length reaches; a PalmDOC file has none."""

    def __init__(self, record: bytes, base: int) -> None:
        self._record = record
        self._base = base
        self.end = 0
        if record[_MOBI_AT : _MOBI_AT + 4] == b"MOBI" and len(record) >= _LENGTH_AT + 4:
            (length,) = struct.unpack_from(">L", record, _LENGTH_AT)
            self.end = min(_MOBI_AT + length, len(record))

    def number(self, at: int, default: int) -> int:
        if at + 4 > self.end:
            return default
        (value,) = struct.unpack_from(">L", self._record, at)
        return int(value)

    def record_number(self, at: int) -> int | None:
        value = self.number(at, _NONE)
        return None if value == _NONE else self._base + value


def _boundary(record: bytes, fields: _Fields) -> int | None:
    """Return the record EXTH 121 names."""
    if not fields.number(_EXTH_FLAGS_AT, 0) & _HAS_EXTH or record[fields.end :][:4] != b"EXTH":
        return None
    at = fields.end + 12
    for _ in range(_MOST_EXTH):
        if at + 8 > len(record):
            return None
        kind, length = struct.unpack_from(">LL", record, at)
        if kind == _BOUNDARY and length == 12 and at + 12 <= len(record):
            (value,) = struct.unpack_from(">L", record, at + 8)
            return None if value == _NONE else int(value)
        if length < 8:
            return None
        at += length
    return None
