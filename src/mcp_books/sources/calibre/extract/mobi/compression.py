"""Undoing the compression of text records: none, PalmDOC, or Huffman codes for phrases (HUFF/CDIC).

Every decoder stops at a bound, so that a few hostile bytes cannot stand for gigabytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Protocol

from mcp_books.sources.calibre.extract.base import Unreadable

__all__ = ["LONGEST_TEXT_RECORD", "Decoder", "HuffmanDecoder", "palmdoc", "stored"]

LONGEST_TEXT_RECORD = 2**18
"""Bytes of text one record may hold; a writer's own bound fits 16 bits."""


class Decoder(Protocol):
    """Turns one text record, without what trails it, into text."""

    def __call__(self, record: bytes) -> bytes:
        """Return the text of `record`.

        Raises:
            Unreadable: the record is not what the compression allows.
        """


def stored(record: bytes) -> bytes:
    """Return the record itself."""
    return record


def palmdoc(record: bytes) -> bytes:
    """Undo PalmDOC: literals, pairs of a space and a letter, and copies of what came before."""
    out = bytearray()
    append = out.append
    at, end = 0, len(record)
    while at < end:
        byte = record[at]
        at += 1
        if 9 <= byte < 0x80 or byte == 0:
            append(byte)
        elif byte >= 0xC0:
            append(0x20)
            append(byte ^ 0x80)
        elif byte >= 0x80:
            if at == end:
                break  # writers are known to leave half of a pair at the end
            pair = (byte << 8 | record[at]) & 0x3FFF
            at += 1
            _copy(out, pair >> 3, (pair & 7) + 3)
        else:
            out += record[at : at + byte]
            at += byte
        if len(out) > LONGEST_TEXT_RECORD:
            raise Unreadable("damaged", "a text record does not end")
    return bytes(out)


def _copy(out: bytearray, distance: int, length: int) -> None:
    start = len(out) - distance
    if distance == 0 or start < 0:
        raise Unreadable("damaged", "a copy from before the text")
    if distance >= length:
        out += out[start : start + length]
    else:
        out += (out[start:] * (length // distance + 1))[:length]


class HuffmanDecoder:
    """Undoes HUFF/CDIC: each code names a phrase, which may itself be made of codes."""

    _DEEPEST = 32
    _LONGEST_PHRASE = 2**16
    _MOST_CODES = 2**24
    _MOST_PHRASE_BYTES = 2**25

    def __init__(self, huff: bytes, cdics: Sequence[bytes]) -> None:
        """Read the table of codes and the phrases.

        Raises:
            Unreadable: a record is not of its kind or shorter than it says.
        """
        self._first = _first_bytes(huff)
        self._least, self._most = _code_ranges(huff)
        self._phrases = _phrases(cdics)
        self._expanded: dict[int, bytes] = {}
        self._codes_left = self._MOST_CODES
        self._phrase_bytes_left = self._MOST_PHRASE_BYTES

    def __call__(self, record: bytes) -> bytes:
        """Return the text of `record`."""
        return self._decode(record, LONGEST_TEXT_RECORD, 0)

    def _decode(self, data: bytes, limit: int, depth: int) -> bytes:
        padded = data + bytes(8)
        bits = len(data) * 8
        out = bytearray()
        at = 0
        while at < bits:
            (window,) = struct.unpack_from(">Q", padded, at >> 3)
            code = (window >> (32 - (at & 7))) & 0xFFFFFFFF
            length, phrase = self._code(code)
            at += length
            if at > bits:
                break
            self._codes_left -= 1
            out += self._phrase(phrase, depth)
            if len(out) > limit or self._codes_left < 0:
                raise Unreadable("damaged", "a text record does not end")
        return bytes(out)

    def _code(self, code: int) -> tuple[int, int]:
        """Return the length of the code that starts `code`, and the phrase it names."""
        length, terminal, most = self._first[code >> 24]
        if not terminal:
            while length <= 32 and code < self._least[length]:
                length += 1
            if length > 32:
                raise Unreadable("damaged", "a code that is in no table")
            most = self._most[length]
        return length, (most - code) >> (32 - length)

    def _phrase(self, number: int, depth: int) -> bytes:
        known = self._expanded.get(number)
        if known is not None:
            return known
        if not 0 <= number < len(self._phrases):
            raise Unreadable("damaged", f"no phrase {number}")
        view, literal = self._phrases[number]
        phrase = bytes(view)
        if not literal:
            if depth == self._DEEPEST:
                raise Unreadable("damaged", "phrases made of themselves")
            phrase = self._decode(phrase, self._LONGEST_PHRASE, depth + 1)
        self._expanded[number] = phrase
        self._phrase_bytes_left -= len(phrase)
        if self._phrase_bytes_left < 0:
            raise Unreadable("damaged", "more phrases than a book has")
        return phrase


def _first_bytes(huff: bytes) -> list[tuple[int, bool, int]]:
    """Return, by the first byte of a code: its length (or the least), whether final, the most."""
    table: list[tuple[int, bool, int]] = []
    for value in _table(huff, 8, 256):
        length = value & 0x1F
        if length == 0:
            raise Unreadable("damaged", "a code without length")
        table.append((length, bool(value & 0x80), _filled(value >> 8, length)))
    return table


def _code_ranges(huff: bytes) -> tuple[list[int], list[int]]:
    """Return, by the length of a code, the least and the most value of 32 bits it starts."""
    values = _table(huff, 12, 64)
    lengths = range(1, 33)
    least = [0] + [values[2 * n - 2] << (32 - n) for n in lengths]
    most = [0] + [_filled(values[2 * n - 1], n) for n in lengths]
    return least, most


def _filled(value: int, length: int) -> int:
    return ((value + 1) << (32 - length)) - 1


def _table(huff: bytes, at: int, count: int) -> tuple[int, ...]:
    if huff[:4] != b"HUFF" or len(huff) < at + 4:
        raise Unreadable("damaged", "no table of codes")
    (start,) = struct.unpack_from(">L", huff, at)
    if start + 4 * count > len(huff):
        raise Unreadable("damaged", "the table of codes is cut short")
    return struct.unpack_from(f">{count}L", huff, start)


def _phrases(cdics: Sequence[bytes]) -> list[tuple[memoryview, bool]]:
    """Return every phrase and whether it is literal; phrases may lie over each other."""
    phrases: list[tuple[memoryview, bool]] = []
    for record in cdics:
        if record[:4] != b"CDIC" or len(record) < 16:
            raise Unreadable("damaged", "no list of phrases")
        total, bits = struct.unpack_from(">LL", record, 8)
        count = min(1 << min(bits, 16), total - len(phrases))
        if count < 0 or 16 + 2 * count > len(record):
            raise Unreadable("damaged", "the list of phrases is cut short")
        offsets = struct.unpack_from(f">{count}H", record, 16)
        view = memoryview(record)
        phrases += [_one_phrase(view, 16 + offset) for offset in offsets]
    return phrases


def _one_phrase(record: memoryview, at: int) -> tuple[memoryview, bool]:
    if at + 2 > len(record):
        raise Unreadable("damaged", "a phrase outside its record")
    (head,) = struct.unpack_from(">H", record, at)
    end = at + 2 + (head & 0x7FFF)
    if end > len(record):
        raise Unreadable("damaged", "a phrase outside its record")
    return record[at + 2 : end], bool(head & 0x8000)
