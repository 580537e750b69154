"""The text of one book of a file: its text records, each without what trails it, decompressed."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_books.sources.calibre.extract.base import Unreadable

from .compression import Decoder, HuffmanDecoder, palmdoc, stored
from .header import Header
from .palm import PalmDatabase

__all__ = ["LARGEST_REPLICA", "LARGEST_TEXT", "REPLICA", "BookText", "read_text"]

LARGEST_TEXT = 64 * 2**20
"""Bytes of markup; the whole of Shakespeare is under 8 million."""

LARGEST_REPLICA = 128 * 2**20
"""Bytes of the container of a PDF."""

REPLICA = b"%MOP"
"""How the text of a print replica begins."""

_MOST_TABLES = 1024
_DECODERS: dict[int, Decoder] = {1: stored, 2: palmdoc}
_HUFFMAN = 17480
_SHORTFALL = 20
"""Less than the header announces by more than one part in this many: something is lost."""


@dataclass(frozen=True, slots=True)
class BookText:
    """The text as far as it could be read, blanks in place of what is lost, and the damage."""

    data: bytes
    damage: Unreadable | None


def read_text(database: PalmDatabase, header: Header) -> BookText:
    """Read every text record of the book. One that is lost costs what it held, nothing else.

    Raises:
        Unreadable: it is too large, or nothing of it can be read.
    """
    decode = _decoder(database, header)
    pieces: list[bytes] = []
    length = 0
    limit = LARGEST_TEXT
    damage = None
    lost = waiting = 0
    for number in range(header.base + 1, header.base + 1 + header.text_records):
        try:
            piece = decode(_text_in(database.record(number), header.trailing))
        except Unreadable as error:
            damage = damage or error
            lost += 1
            waiting += header.record_size
            continue
        if waiting:
            # Places in the book are counted in bytes of its whole text.
            pieces.append(b" " * min(waiting, limit))
            length += waiting
            waiting = 0
        if not pieces and piece.startswith(REPLICA):
            limit = LARGEST_REPLICA
        pieces.append(piece)
        length += len(piece)
        if length > limit:
            raise Unreadable("too_large", f"more than {limit} bytes of text")
    if damage is None and _falls_short(length, header):
        damage = Unreadable("damaged", "less text than the header announces")
    if damage is not None and not length:
        raise damage
    if damage is not None and lost:
        told = f"{lost} of {header.text_records} records of the text are lost: {damage.detail}"
        damage = Unreadable("damaged", told)
    return BookText(b"".join(pieces), damage)


def _decoder(database: PalmDatabase, header: Header) -> Decoder:
    if header.compression != _HUFFMAN:
        decoder = _DECODERS.get(header.compression)
        if decoder is None:
            raise Unreadable("damaged", f"no compression is numbered {header.compression}")
        return decoder
    first, count = header.huffman
    if not 2 <= count <= _MOST_TABLES:
        raise Unreadable("damaged", "no tables of codes")
    cdics = [database.record(number) for number in range(first + 1, first + count)]
    return HuffmanDecoder(database.record(first), cdics)


def _falls_short(length: int, header: Header) -> bool:
    missing = header.text_length - length
    return missing > header.record_size and missing * _SHORTFALL > header.text_length


def _text_in(record: bytes, flags: int) -> bytes:
    """Return the text of a record, still compressed, without what trails it."""
    if record and not record.strip(b"\0"):
        raise Unreadable("damaged", "a record of zeros")
    return _without_trailing(record, flags)


def _without_trailing(record: bytes, flags: int) -> bytes:
    """Cut off what trails the text: one entry a flag, then the rest of a split character.

    An entry ends in its own length, written backwards in groups of seven bits.
    """
    end = len(record)
    for _ in range((flags >> 1).bit_count()):
        end -= _entry_length(record, end)
        if end < 0:
            raise Unreadable("damaged", "a trailing entry longer than its record")
    if flags & 1 and end:
        end -= (record[end - 1] & 3) + 1
        if end < 0:
            raise Unreadable("damaged", "a trailing entry longer than its record")
    return record[:end]


def _entry_length(record: bytes, end: int) -> int:
    length = 0
    for group, byte in enumerate(reversed(record[max(end - 4, 0) : end])):
        length |= (byte & 0x7F) << (7 * group)
        if byte & 0x80:
            break
    return length
