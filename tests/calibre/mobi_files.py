"""Writes small MOBI files: PalmDOC, MOBI 6, KF8, joint files and print replicas."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.calibre.mobi_compression import (
    HUFF,
    huffman_codes,
    palmdoc_compressed,
    phrase_book,
)
from tests.calibre.mobi_indexes import (
    FRAGMENT_TAGS,
    GUIDE_TAGS,
    NCX_TAGS,
    SKELETON_TAGS,
    Strings,
    backward_number,
    index,
)

__all__ = [
    "HUFFMAN",
    "PALMDOC",
    "STORED",
    "Chapter",
    "Compression",
    "Kf8File",
    "Mobi",
    "joint",
    "kf8",
    "palm",
    "palmdoc_book",
]

NONE = 0xFFFFFFFF
_RECORD = 4096
_HEADER_LENGTH = 264

STORED, PALMDOC, HUFFMAN = 1, 2, 17480
Compression = int


@dataclass(frozen=True)
class Chapter:
    """An entry of the NCX: a place in the text (or a fragment and an offset), a parent."""

    title: str
    at: int
    parent: int | None = None
    fragment: int | None = None


@dataclass(frozen=True)
class Mobi:
    """One book; `records` gives its records, the header first."""

    text: bytes
    compression: Compression = STORED
    version: int = 6
    encoding: int = 65001
    encryption: int = 0
    trailing: int = 0
    chapters: Sequence[Chapter] = ()
    text_length: int | None = None
    exth: Mapping[int, bytes] = field(default_factory=dict)
    dictionary: bool = False
    record_size: int = _RECORD
    indexes: Mapping[int, Sequence[bytes]] = field(default_factory=dict)
    """Records to add, by the place in the header that names the first of them."""
    flow_ends: Sequence[int] = ()

    def records(self) -> list[bytes]:
        """Return the records of the book."""
        texts, tables = self._texts()
        records = [b"", *texts]
        places: dict[int, int] = {}
        if tables:
            places[112] = len(records)
            records += tables
        for at, added in {**self._ncx(), **self.indexes}.items():
            places[at] = len(records)
            records += added
        if self.flow_ends:
            places[192] = len(records)
            starts = (0, *self.flow_ends[:-1])
            pairs = b"".join(
                struct.pack(">LL", *pair) for pair in zip(starts, self.flow_ends, strict=True)
            )
            records.append(struct.pack(">4sLL", b"FDST", 12, len(self.flow_ends)) + pairs)
        records[0] = self._header(len(texts), places, len(tables))
        return records

    def file(self) -> bytes:
        """Return the file that holds this book alone."""
        return palm(self.records())

    def _texts(self) -> tuple[list[bytes], list[bytes]]:
        pieces = [
            self.text[start : start + self.record_size]
            for start in range(0, len(self.text), self.record_size)
        ]
        compress: Callable[[bytes], bytes] = bytes
        tables: list[bytes] = []
        if self.compression == PALMDOC:
            compress = palmdoc_compressed
        elif self.compression == HUFFMAN:
            tables = [HUFF, *phrase_book(b"")[0]]
            compress = _huffman
        return [
            compress(piece) + self._tail((place + 1) * self.record_size)
            for place, piece in enumerate(pieces)
        ], tables

    def _tail(self, end: int) -> bytes:
        """Return what trails the record whose text ends at `end`."""
        tail = b""
        if self.trailing & 1:
            rest = end
            while rest < len(self.text) and self.text[rest] & 0xC0 == 0x80:
                rest += 1
            tail = self.text[end:rest] + bytes((rest - end,))
        for bit in range(1, 16):
            if self.trailing >> bit & 1:
                body = b"\x11" * (bit * 70)
                size = backward_number(len(body) + 1)
                size = size if len(size) == 1 else backward_number(len(body) + 2)
                tail += body + size
        return tail

    def _ncx(self) -> dict[int, list[bytes]]:
        if not self.chapters:
            return {}
        strings = Strings(room=64)
        entries = []
        for place, chapter in enumerate(self.chapters):
            title = strings.add(chapter.title, "cp1252" if self.encoding == 1252 else "utf-8")
            tags: dict[int, Sequence[int]] = {1: (chapter.at,), 3: (title,)}
            if chapter.parent is not None:
                tags[21] = (chapter.parent,)
            if chapter.fragment is not None:
                tags[6] = (chapter.fragment, chapter.at)
            entries.append((b"%03d" % place, tags))
        return {244: index(entries, NCX_TAGS, strings, entries_a_record=3)}

    def _header(self, texts: int, places: Mapping[int, int], tables: int) -> bytes:
        length = len(self.text) if self.text_length is None else self.text_length
        head = bytearray(b"\xff" * (16 + _HEADER_LENGTH))
        struct.pack_into(
            ">HHLHHHH",
            head,
            0,
            self.compression,
            0,
            length,
            texts,
            self.record_size,
            self.encryption,
            0,
        )
        struct.pack_into(">4sLLL", head, 16, b"MOBI", _HEADER_LENGTH, 2, self.encoding)
        struct.pack_into(">L", head, 36, self.version)
        struct.pack_into(">L", head, 40, 1 if self.dictionary else NONE)
        struct.pack_into(">LL", head, 112, 0, tables)
        struct.pack_into(">L", head, 128, 0x40 if self.exth else 0)
        struct.pack_into(">L", head, 240, self.trailing)
        for at, place in places.items():
            struct.pack_into(">L", head, at, place)
        return bytes(head) + (_exth(self.exth) if self.exth else b"")


@dataclass(frozen=True)
class Kf8File:
    """One file of a KF8 book: its fragments and what stands before and after them."""

    before: bytes
    fragments: Sequence[bytes]
    after: bytes

    @property
    def markup(self) -> bytes:
        """The file as a reader should put it together."""
        return self.before + b"".join(self.fragments) + self.after


def kf8(
    files: Sequence[Kf8File],
    chapters: Sequence[Chapter] = (),
    toc: tuple[int, int] | None = None,
    styles: bytes = b"",
) -> Mobi:
    """Return the book that holds `files`; `toc` is where its guide says the contents are."""
    text = b""
    skeletons: list[tuple[bytes, dict[int, Sequence[int]]]] = []
    fragments: list[tuple[bytes, dict[int, Sequence[int]]]] = []
    for place, each in enumerate(files):
        size = len(each.before) + len(each.after)
        count = len(each.fragments)
        geometry = (len(text), size)
        skeletons.append((b"SKEL%010d" % place, {1: (count, count), 6: (*geometry, *geometry)}))
        at = len(text) + len(each.before)
        inside = 0
        for piece in each.fragments:
            tags: dict[int, Sequence[int]] = {
                2: (0,),
                3: (place,),
                4: (len(fragments),),
                6: (inside, len(piece)),
            }
            fragments.append((b"%010d" % at, tags))
            at += len(piece)
            inside += len(piece)
        text += each.before + each.after + b"".join(each.fragments)
    indexes = {
        252: index(skeletons, SKELETON_TAGS),
        248: index(fragments, FRAGMENT_TAGS),
    }
    if toc is not None:
        indexes[260] = index([(b"toc", {1: (0,), 6: toc})], GUIDE_TAGS)
    return Mobi(
        text + styles,
        version=8,
        chapters=chapters,
        indexes=indexes,
        flow_ends=(len(text), len(text) + len(styles)),
    )


def joint(old: Mobi, new: Mobi) -> bytes:
    """Return the file that holds the same book twice."""
    boundary = len(old.records()) + 1
    named = replace(old, exth={**old.exth, 121: struct.pack(">L", boundary)})
    return palm([*named.records(), b"BOUNDARY", *new.records()])


def palmdoc_book(text: bytes, compression: Compression = PALMDOC) -> bytes:
    """Return a book without a MOBI header."""
    pieces = [text[start : start + _RECORD] for start in range(0, len(text), _RECORD)]
    if compression == PALMDOC:
        pieces = [palmdoc_compressed(piece) for piece in pieces]
    head = struct.pack(">HHLHHL", compression, 0, len(text), len(pieces), _RECORD, 0)
    return palm([head, *pieces], b"TEXtREAd")


def palm(records: Sequence[bytes], kind: bytes = b"BOOKMOBI") -> bytes:
    """Return the database of `records`."""
    head = b"A_Book".ljust(60, b"\0") + kind + bytes(8) + struct.pack(">H", len(records))
    at = len(head) + 8 * len(records) + 2
    table = b""
    for place, record in enumerate(records):
        table += struct.pack(">LL", at, 2 * place)
        at += len(record)
    return head + table + bytes(2) + b"".join(records)


def _huffman(piece: bytes) -> bytes:
    return huffman_codes(phrase_book(piece)[1])


def _exth(values: Mapping[int, bytes]) -> bytes:
    records = b"".join(
        struct.pack(">LL", kind, 8 + len(value)) + value for kind, value in values.items()
    )
    return struct.pack(">4sLL", b"EXTH", 12 + len(records), len(values)) + records
