"""Writes text records the way MOBI files compress them: PalmDOC, and Huffman codes for phrases."""

from __future__ import annotations

import struct
from collections.abc import Sequence

__all__ = ["HUFF", "LITERAL", "cdic", "huffman_codes", "palmdoc_compressed", "phrase_book"]

LITERAL = 0x8000
_SHORT = 8
"""Phrases with a code of four bits; the others have twelve."""


def palmdoc_compressed(text: bytes) -> bytes:
    """Compress `text` with every device the format has."""
    out = bytearray()
    at = 0
    while at < len(text):
        length, distance = _earlier(text, at)
        if length >= 3:
            out += struct.pack(">H", 0x8000 | distance << 3 | length - 3)
            at += length
        elif text[at] == 0x20 and at + 1 < len(text) and 0x40 <= text[at + 1] < 0x80:
            out.append(text[at + 1] ^ 0x80)
            at += 2
        elif text[at] == 0 or 9 <= text[at] < 0x80:
            out.append(text[at])
            at += 1
        else:
            run = text[at : at + 8]
            out += bytes((len(run),)) + run
            at += len(run)
    return bytes(out)


def _earlier(text: bytes, at: int) -> tuple[int, int]:
    """Return the longest copy of what starts at `at`, which may reach into itself."""
    for length in range(min(10, len(text) - at), 2, -1):
        found = text.rfind(text[at : at + length], max(0, at - 2047), at + length - 1)
        if 0 <= found < at:
            return length, at - found
    return 0, 0


def _huff() -> bytes:
    """Return a table of codes: four bits from 1000 to 1111, else twelve bits from 0."""
    first = [5] * 128 + [0xF << 8 | 0x84] * 128
    ranges: list[int] = []
    for length in range(1, 33):
        if length == 12:
            ranges += [0, 0x7FF + _SHORT]
        else:
            ranges += [1 << (length - 1), (1 << length) - 1]
    head = struct.pack(">4sLLLLL", b"HUFF", 24, 24, 24 + 1024, 0, 0)
    return head + struct.pack(">256L64L", *first, *ranges)


HUFF = _huff()


def huffman_codes(phrases: Sequence[int]) -> bytes:
    """Write the numbers of phrases as codes; the bits left over at the end are zero."""
    bits = "".join(
        f"{0xF - phrase:04b}" if phrase < _SHORT else f"{0x7FF + _SHORT - phrase:012b}"
        for phrase in phrases
    )
    bits += "0" * (-len(bits) % 8)
    return int(bits or "0", 2).to_bytes(len(bits) // 8, "big")


def cdic(phrases: Sequence[tuple[bytes, int]], total: int, bits: int) -> bytes:
    """Write one record of phrases, each with its flag."""
    offsets = b""
    body = b""
    for phrase, flag in phrases:
        offsets += struct.pack(">H", 2 * len(phrases) + len(body))
        body += struct.pack(">H", len(phrase) | flag) + phrase
    return struct.pack(">4sLLL", b"CDIC", 16, total, bits) + offsets + body


def phrase_book(text: bytes) -> tuple[list[bytes], list[int]]:
    """Return the records of phrases for `text`, and the phrases that make it.

    Common words come first, one of them made of two others; then every byte.
    """
    words = [b"the ", b"and ", b"whale", b" of ", b"<p>", b"</p>", b"er"]
    made = (huffman_codes([0, 2]), 0)
    phrases = [*((word, LITERAL) for word in words), made]
    phrases += [(bytes((byte,)), LITERAL) for byte in range(256)]
    numbers: list[int] = []
    at = 0
    while at < len(text):
        if text.startswith(b"the whale", at):
            numbers.append(7)
            at += 9
            continue
        word = next((n for n, word in enumerate(words) if text.startswith(word, at)), None)
        numbers.append(8 + text[at] if word is None else word)
        at += 1 if word is None else len(words[word])
    half = [cdic(phrases[:256], len(phrases), 8), cdic(phrases[256:], len(phrases), 8)]
    return half, numbers
