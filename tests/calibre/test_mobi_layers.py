"""The layers below the MOBI reader: compression, indexes, fragments, the PDF of a replica."""

from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.sources.calibre.extract.base import Unreadable
from mcp_books.sources.calibre.extract.mobi import indx
from mcp_books.sources.calibre.extract.mobi.compression import HuffmanDecoder, palmdoc
from mcp_books.sources.calibre.extract.mobi.indx import Index, read_index
from mcp_books.sources.calibre.extract.mobi.kf8 import (
    Fragment,
    Skeleton,
    assemble,
    read_fragments,
    read_skeletons,
)
from mcp_books.sources.calibre.extract.mobi.palm import PalmDatabase
from mcp_books.sources.calibre.extract.mobi.parts import Part, divide, place, split
from mcp_books.sources.calibre.extract.mobi.replica import pdf_inside
from tests.calibre.mobi_compression import (
    HUFF,
    LITERAL,
    cdic,
    huffman_codes,
    palmdoc_compressed,
    phrase_book,
)
from tests.calibre.mobi_files import palm
from tests.calibre.mobi_indexes import FRAGMENT_TAGS, NCX_TAGS, Strings, index


@given(st.binary(max_size=500) | st.text("ab ", max_size=500).map(str.encode))
def test_palmdoc_is_undone(text: bytes) -> None:
    assert palmdoc(palmdoc_compressed(text)) == text


def test_half_a_pair_at_the_end_of_a_palmdoc_record_is_left_out() -> None:
    assert palmdoc(b"end\x80") == b"end"


@given(st.binary(max_size=300))
def test_huffman_codes_are_undone(text: bytes) -> None:
    phrases, numbers = phrase_book(text)
    assert HuffmanDecoder(HUFF, phrases)(huffman_codes(numbers)) == text


@pytest.mark.parametrize(
    ("huff", "phrases"),
    [
        (b"HUFX" + HUFF[4:], cdic([], 0, 0)),
        (HUFF[:600], cdic([], 0, 0)),
        (HUFF[:24] + bytes(1024) + HUFF[1048:], cdic([], 0, 0)),
        (HUFF, b"CDIX" + bytes(12)),
        (HUFF, cdic([], 9, 8)),
        (HUFF, cdic([(b"word", LITERAL)], 1, 8)[:-1]),
        (HUFF, struct.pack(">4sLLLH", b"CDIC", 16, 1, 8, 900)),
    ],
)
def test_tables_that_are_cut_or_of_another_kind_are_damage(huff: bytes, phrases: bytes) -> None:
    with pytest.raises(Unreadable):
        HuffmanDecoder(huff, [phrases])


def test_a_code_for_a_phrase_that_is_not_there_is_damage() -> None:
    decode = HuffmanDecoder(HUFF, [cdic([(b"word", LITERAL)], 1, 8)])
    assert decode(huffman_codes([0, 0])) == b"wordword"
    with pytest.raises(Unreadable):
        decode(huffman_codes([3, 3]))


def _index(records: list[bytes]) -> Index:
    return read_index(PalmDatabase(io.BytesIO(palm(records))), 0)


@given(
    st.lists(st.tuples(st.binary(max_size=20), st.lists(st.integers(0, 2**31), max_size=9))),
    st.integers(1, 5),
)
def test_an_index_gives_back_its_entries(
    entries: list[tuple[bytes, list[int]]], entries_a_record: int
) -> None:
    given_tags = [(label, {7: values}) for label, values in entries]
    found = _index(index(given_tags, [(7, 1, 0x03)], None, entries_a_record)).entries
    assert [(e.label, list(e.tags.get(7, ()))) for e in found] == entries


def test_a_record_of_no_entries_is_an_index_too() -> None:
    head, block = index([(b"0", {1: (5,)})], [(1, 1, 1)])
    none = block[:24] + bytes(4) + block[28:]
    assert _index([head, none]).entries == ()


def test_the_strings_of_an_index_are_found_in_their_records() -> None:
    strings = Strings(room=20)
    offsets = [strings.add(title, "utf-8") for title in ("Première", "鯨", "a long title")]
    found = _index(index([(b"0", {1: (1,)})], [(1, 1, 1)], strings))
    assert offsets[2] > 0xFFFF
    assert [found.string(at, "utf-8") for at in offsets] == ["Première", "鯨", "a long title"]
    assert found.string(0x90000, "utf-8") == ""


def test_fragments_go_where_their_file_has_room_for_them() -> None:
    text = b"<a></a>" + b"12" + b"34" + b"<b></b>"
    files = [Skeleton(0, 7, 2), Skeleton(11, 7, 0)]
    parts = assemble(text, files, [Fragment(3, 2), Fragment(5, 2)])
    assert [(part.start, part.markup) for part in parts] == [(0, b"<a>1234</a>"), (11, b"<b></b>")]


def test_a_fragment_may_go_inside_the_one_before_it() -> None:
    parts = list(assemble(b"<a></a>" + b"14" + b"23", [Skeleton(0, 7, 2)], _fragments(3, 4)))
    assert parts == [Part(0, b"<a>1234</a>")]


@pytest.mark.parametrize(
    ("skeletons", "fragments"),
    [
        ([Skeleton(1, 6, 0)], []),
        ([Skeleton(0, 7, 3)], [Fragment(3, 2)]),
        ([Skeleton(0, 700, 0)], []),
        ([Skeleton(0, 7, 1)], [Fragment(90, 2)]),
        ([Skeleton(0, 7, 1)], [Fragment(3, 1000)]),
    ],
)
def test_where_the_indexes_are_wrong_the_text_stands_as_it_is(
    skeletons: list[Skeleton], fragments: list[Fragment]
) -> None:
    text = b"<a></a>1234"
    assert list(assemble(text, skeletons, fragments)) == [Part(0, text)]


def test_fragments_that_would_be_moved_for_ever_are_left_as_they_are() -> None:
    text = b"<a></a>" + b"12" * 2000
    assert list(assemble(text, [Skeleton(0, 7, 2000)], [Fragment(3, 2)] * 2000)) == [Part(0, text)]


def test_an_index_of_something_else_is_no_index_of_fragments() -> None:
    records = index([(b"here", {6: (0, 5)})], FRAGMENT_TAGS)
    with pytest.raises(Unreadable):
        read_fragments(PalmDatabase(io.BytesIO(palm(records))), 0)
    with pytest.raises(Unreadable):
        read_skeletons(PalmDatabase(io.BytesIO(palm(index([(b"0", {1: (1,)})], NCX_TAGS)))), 0)


def test_text_behind_the_last_file_is_kept() -> None:
    parts = list(assemble(b"<a></a>more", [Skeleton(0, 7, 0)], []))
    assert parts == [Part(0, b"<a></a>"), Part(7, b"more")]


def _fragments(*places: int) -> list[Fragment]:
    return [Fragment(at, 2) for at in places]


@given(st.lists(st.sampled_from([b"<mbp:pagebreak/>", b"x" * 20_000, b"<p>y</p>"]), max_size=20))
def test_parts_are_the_whole_text(pieces: list[bytes]) -> None:
    text = b"".join(pieces)
    parts = list(split(text))
    assert b"".join(part.markup for part in parts) == text
    assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]


def test_a_very_long_part_is_divided_before_a_block() -> None:
    block = b"<p>" + b"word " * 100_000 + b"</p>"
    part = Part(7, block * 12)
    pieces = list(divide(part))
    assert b"".join(piece.markup for piece in pieces) == part.markup
    assert [piece.start for piece in pieces[1:]] == [piece.end for piece in pieces[:-1]]
    assert all(piece.markup.startswith(b"<p>") for piece in pieces)
    assert len(pieces) == 4


def test_a_very_long_part_without_blocks_is_left_whole() -> None:
    part = Part(0, b"word " * 1_000_000)
    assert list(divide(part)) == [part]


def test_a_place_inside_a_character_is_where_the_character_is() -> None:
    part = Part(100, "<html><body><p>鯨</p><p>鯨鯨</p></body></html>".encode())
    at = 100 + part.markup.rindex("鯨".encode()) + 1
    placed = place(part, [at], "utf-8")
    assert placed.walked.text[placed.offsets[0] :] == "鯨"


def test_places_outside_the_body_are_its_ends() -> None:
    part = Part(0, b"<html><head></head><body><p>text</p></body></html>")
    placed = place(part, [0, 8, len(part.markup) - 3], "utf-8")
    assert list(placed.offsets) == [0, 0, 4]


def test_the_pdf_of_a_replica_ends_where_it_says() -> None:
    pdf = b"%PDF-1.4\nfirst\n%%EOF\nsecond\n%%EOF"
    assert pdf_inside(b"%MOP" + bytes(20) + pdf + b"\0other files") == pdf
    assert pdf_inside(b"%MOP" + bytes(20) + b"%PDF-1.4 cut") == b"%PDF-1.4 cut"


def _head(**fields: int) -> bytes:
    """Return the first record of an index with some fields changed."""
    at = {"header": 4, "records": 24, "strings": 52, "tagx": 196, "controls": 200}
    head = bytearray(index([(b"0", {1: (5,)})], [(1, 1, 1)])[0])
    for name, value in fields.items():
        struct.pack_into(">L", head, at[name], value)
    return bytes(head)


_BLOCK = index([(b"0", {1: (5,)})], [(1, 1, 1)])[1]


@pytest.mark.parametrize(
    ("head", "block"),
    [
        (b"INDX", _BLOCK),
        (_head()[:40], _BLOCK),
        (_head(records=5000), _BLOCK),
        (_head(strings=5000), _BLOCK),
        (_head(header=100_000), _BLOCK),
        (_head(header=0), _BLOCK),
        (_head(tagx=17), _BLOCK),
        (_head(controls=0), _BLOCK),
        (_head(controls=9), _BLOCK),
        (_head(), b"NDXI" + _BLOCK[4:]),
        (_head(), _BLOCK.replace(b"IDXT", b"IDXX")),
        (_head(), _BLOCK[:24] + b"\xff" * 4 + _BLOCK[28:]),
        (_head(), _BLOCK[:-2] + b"\xff\xff"),
        (_head(), _BLOCK[:192] + b"\xff" + _BLOCK[193:]),
        (_head(), _BLOCK.replace(b"\x85", b"\x05")),
    ],
)
def test_an_index_that_contradicts_itself_is_damage(head: bytes, block: bytes) -> None:
    with pytest.raises(Unreadable) as raised:
        _index([head, block])
    assert raised.value.status == "damaged"


def test_an_entry_that_claims_more_bytes_than_it_has_is_damage() -> None:
    head, block = index([(b"0", {1: (5, 6, 7)})], [(1, 1, 0x03)])
    with pytest.raises(Unreadable):
        _index([head, block.replace(b"\x83\x85", b"\x93\x85")])


def test_more_tags_than_control_bytes_are_damage() -> None:
    head, block = index([(b"0", {1: (5,)})], [(1, 1, 1), (2, 1, 1)])
    early_end = head.replace(b"\2\1\1\0" + b"\0\0\0\1", b"\0\0\0\1" + b"\2\1\1\0")
    assert early_end != head
    with pytest.raises(Unreadable):
        _index([early_end, block])


def test_an_index_larger_than_any_book_needs_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indx, "_MOST_NUMBERS", 100)
    with pytest.raises(Unreadable):
        _index(index([(b"%d" % n, {1: (n,)}) for n in range(20)], [(1, 1, 1)]))
