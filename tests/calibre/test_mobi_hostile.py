"""MOBI files that are locked, of another kind, damaged or meant to do harm: a status, in time."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from mcp_books.sources.calibre.extract.base import Incomplete, Status, Stretch, Unreadable
from mcp_books.sources.calibre.extract.mobi import read, text
from tests.calibre.mobi_compression import HUFF, cdic, huffman_codes
from tests.calibre.mobi_files import (
    HUFFMAN,
    PALMDOC,
    Chapter,
    Mobi,
    joint,
    kf8,
    palm,
    palmdoc_book,
)
from tests.calibre.mobi_indexes import NCX_TAGS, Strings, index
from tests.calibre.mobi_texts import FILES, chaptered, kf8_chapters, markup

Outcome = Status | Literal["in part"] | None
Read = Callable[[bytes], tuple[list[Stretch], Outcome]]


@pytest.fixture
def outcome(tmp_path: Path) -> Read:
    """Read the file with these bytes: its stretches, and the status that ended the reading."""

    def stretches(data: bytes) -> tuple[list[Stretch], Outcome]:
        path = tmp_path / "book.mobi"
        path.write_bytes(data)
        found: list[Stretch] = []
        try:
            found.extend(read(path))
        except Unreadable as error:
            return found, error.status
        except Incomplete as problem:
            return found, "in part" if problem.detail else None
        return found, None

    return stretches


def test_a_file_is_let_go_when_reading_stops_early(tmp_path: Path) -> None:
    data, chapters = chaptered(["One", "Two"], 900)
    path = tmp_path / "book.mobi"
    path.write_bytes(Mobi(data, chapters=chapters).file())
    stretches = iter(read(path))
    assert next(stretches).text.startswith("before")
    del stretches
    path.unlink()
    assert not path.exists()


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"", "empty"),
        (b"TPZ0" + bytes(100), "unsupported"),
        (b"CONT\2\0" + bytes(100), "unsupported"),
        (b"PK\3\4" + bytes(100), "unsupported"),
        (b"\xeaDRMION\xee" + bytes(100), "drm"),
        (b"<html>Not found</html>", "damaged"),
        (bytes(4000), "damaged"),
        (palm([b"a", b"b"], b"PNRdPPrs"), "unsupported"),
        (palm([]), "damaged"),
        (palm([b"short"]), "damaged"),
        (palm([bytes(16)]), "damaged"),
    ],
)
def test_what_is_no_book_of_this_family_is_named(
    outcome: Read, data: bytes, status: Status
) -> None:
    assert outcome(data) == ([], status)


@pytest.mark.parametrize("encryption", [1, 2])
def test_a_locked_book_is_not_tried(outcome: Read, encryption: int) -> None:
    assert outcome(Mobi(markup("x"), encryption=encryption).file()) == ([], "drm")


def test_a_joint_file_with_a_locked_newer_book_is_locked(outcome: Read) -> None:
    assert outcome(joint(Mobi(markup("x")), replace(kf8(FILES), encryption=2))) == ([], "drm")


def test_a_book_of_pictures_has_no_text(outcome: Read) -> None:
    data = b'<html><body><img recindex="00001"/></body></html>'
    assert outcome(Mobi(data).file()) == ([], "no_text")


def test_a_book_without_a_byte_of_text_is_empty(outcome: Read) -> None:
    assert outcome(Mobi(b"").file()) == ([], "empty")


def test_a_dictionary_without_text_is_not_supported(outcome: Read) -> None:
    assert outcome(Mobi(b"<html></html>", dictionary=True).file()) == ([], "unsupported")


def test_a_print_replica_without_a_pdf_is_not_supported(outcome: Read) -> None:
    assert outcome(Mobi(b"%MOP" + bytes(500)).file()) == ([], "unsupported")


def test_an_unknown_compression_is_damage(outcome: Read) -> None:
    assert outcome(Mobi(markup("x"), compression=7).file()) == ([], "damaged")


def test_a_book_larger_than_the_bound_is_too_large(
    outcome: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "LARGEST_TEXT", 100_000)
    assert outcome(Mobi(markup("word " * 30_000), PALMDOC).file()) == ([], "too_large")


@pytest.mark.parametrize("whole", ["mobi6", "kf8"])
def test_a_file_cut_short_gives_what_it_holds_and_then_its_damage(
    outcome: Read, whole: str
) -> None:
    data, _ = chaptered(["One", "Two", "Three"], 3000)
    book = Mobi(data) if whole == "mobi6" else replace(kf8(FILES * 300), indexes={})
    file = book.file()
    stretches, status = outcome(file[: len(file) // 2])
    assert status == "in part"
    assert stretches


def test_of_two_damaged_books_the_newer_is_given_as_far_as_it_goes(outcome: Read) -> None:
    newer = replace(kf8(FILES), text_length=90_000)
    stretches, status = outcome(joint(Mobi(markup("old"), compression=7), newer))
    assert stretches[0].text.startswith("one starts here")
    assert status == "in part"


def test_a_print_replica_cut_short_is_damage(outcome: Read) -> None:
    assert outcome(Mobi(b"%MOP" + bytes(500), text_length=90_000).file()) == ([], "damaged")


@pytest.mark.parametrize("exth", [b"\0\0\0\x64\0\0\0\3abcd", b"\0\0\0\x64\0\1\0\0abcd", b""])
def test_broken_metadata_costs_nothing(outcome: Read, exth: bytes) -> None:
    first, *rest = Mobi(markup("words"), exth={1: b""}).records()
    stretches, status = outcome(palm([first[:-8] + exth, *rest]))
    assert ([stretch.text for stretch in stretches], status) == (["words"], None)


def test_less_text_than_announced_is_damage_after_what_there_is(outcome: Read) -> None:
    stretches, status = outcome(Mobi(markup("some words"), text_length=90_000).file())
    assert [stretch.text for stretch in stretches] == ["some words"]
    assert status == "in part"


def test_a_file_cut_anywhere_ends_in_a_status_or_in_text(outcome: Read) -> None:
    file = joint(
        Mobi(markup("old words"), PALMDOC, trailing=3), kf8(FILES, kf8_chapters(), toc=(2, 0))
    )
    statuses = {outcome(file[:length])[1] for length in range(0, len(file), 7)}
    assert statuses <= {None, "empty", "damaged", "in part"}


def test_records_that_overlap_are_read_only_so_often(outcome: Read) -> None:
    file = bytearray(palm([Mobi(b"").records()[0], *[b"word " * 200] * 200]))
    start = struct.unpack_from(">L", file, 78 + 8)[0]
    for place in range(1, 201):
        struct.pack_into(">L", file, 78 + 8 * place, start if place % 2 else len(file))
    struct.pack_into(">H", file, struct.unpack_from(">L", file, 78)[0] + 8, 200)
    stretches, status = outcome(bytes(file))
    assert sum(len(stretch.text) for stretch in stretches) < 5 * len(file)
    assert status == "in part"


def test_a_damaged_table_of_contents_costs_the_sections_alone(outcome: Read) -> None:
    data, chapters = chaptered(["One", "Two"], 40)
    file = Mobi(data, chapters=chapters).file().replace(b"TAGX", b"TAGY")
    stretches, status = outcome(file)
    assert status is None
    assert {stretch.section for stretch in stretches} == {None}


def test_chapters_that_are_their_own_parents_end(outcome: Read) -> None:
    data, flat = chaptered(["One", "Two"], 40)
    chapters = [Chapter("One", flat[0].at, 1), Chapter("Two", flat[1].at, 0)]
    stretches, status = outcome(Mobi(data, chapters=chapters).file())
    assert status is None
    assert stretches[-1].section is not None
    assert stretches[-1].section.endswith("Two")


def test_an_index_that_claims_more_records_than_there_are_is_left(outcome: Read) -> None:
    head = bytearray(index([(b"0", {1: (0,), 3: (0,)})], NCX_TAGS, Strings())[0])
    struct.pack_into(">L", head, 24, 0xFFFFFFFF)
    stretches, status = outcome(Mobi(markup("words"), indexes={244: [bytes(head)]}).file())
    assert (len(stretches), status) == (1, None)


def test_a_copy_from_before_the_text_is_damage(outcome: Read) -> None:
    record = b"abc" + struct.pack(">H", 0x8000 | 2047 << 3)
    head = palmdoc_book(b"")
    assert outcome(_with_text(head, record, b"TEXtREAd"))[1] == "damaged"


def test_a_few_bytes_that_stand_for_endless_text_are_damage(outcome: Read) -> None:
    record = b" " + struct.pack(">H", 0x8000 | 1 << 3 | 7) * 100_000
    assert outcome(_with_text(palmdoc_book(b""), record, b"TEXtREAd"))[1] == "damaged"


def test_phrases_made_of_each_other_are_damage(outcome: Read) -> None:
    looped = [(huffman_codes([1]), 0), (huffman_codes([0]), 0)]
    assert outcome(_with_phrases(cdic(looped, 2, 8)))[1] == "damaged"


def test_phrases_that_double_each_other_are_damage(outcome: Read) -> None:
    doubling = [(huffman_codes([place + 1, place + 1]), 0) for place in range(40)]
    doubling.append((b"word", 0x8000))
    assert outcome(_with_phrases(cdic(doubling, 41, 8)))[1] == "damaged"


def _with_phrases(phrases: bytes) -> bytes:
    header = Mobi(b"").records()[0]
    records = [header, huffman_codes([0, 0]), HUFF, phrases]
    head = bytearray(header)
    struct.pack_into(">HHLH", head, 0, HUFFMAN, 0, 8, 1)
    struct.pack_into(">LL", head, 112, 2, 2)
    return palm([bytes(head), *records[1:]])


def _with_text(book: bytes, record: bytes, kind: bytes) -> bytes:
    start = struct.unpack_from(">L", book, 78)[0]
    head = bytearray(book[start : start + 16])
    struct.pack_into(">HHLH", head, 0, PALMDOC, 0, 0, 1)
    return palm([bytes(head), record], kind)
