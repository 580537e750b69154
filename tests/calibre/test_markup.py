from __future__ import annotations

import codecs

import pytest

from mcp_books.sources.calibre.extract.html_text import walk
from mcp_books.sources.calibre.extract.markup import decode, is_text, parse_tree

PHRASE = "Éric déjà — «œuvre»"


@pytest.mark.parametrize(
    "markup",
    [
        codecs.BOM_UTF8 + PHRASE.encode(),
        codecs.BOM_UTF16_LE + PHRASE.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + PHRASE.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + PHRASE.encode("utf-32-le"),
        PHRASE.encode(),
        PHRASE.encode("cp1252"),
    ],
)
def test_bytes_without_a_declaration_are_decoded_by_mark_or_by_guess(markup: bytes) -> None:
    assert decode(markup) == PHRASE


@pytest.mark.parametrize(
    ("declaration", "encoding", "phrase"),
    [
        ('<?xml version="1.0" encoding="iso-8859-1"?>', "cp1252", PHRASE),
        ("<?xml version='1.0' encoding='UTF-16'?>", "utf-16-le", PHRASE),
        ('<?xml version="1.0" encoding="utf-16"?>', "utf-8", PHRASE),
        ('<html><head><meta charset="windows-1251">', "cp1251", "Детство"),
        (
            '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">',
            "koi8-r",
            "Юность",
        ),
        ('<?xml version="1.0" encoding="Shift_JIS"?>', "shift_jis", "吾輩は猫である"),
        ('<?xml version="1.0" encoding="gb2312"?>', "gb2312", "红楼梦"),
        ('<?xml version="1.0" encoding="nonsense"?>', "utf-8", PHRASE),
        ('<?xml version="1.0" encoding="unicode_escape"?>', "utf-8", r"\u0041"),
    ],
)
def test_a_declared_encoding_is_used_when_it_is_one_of_text(
    declaration: str, encoding: str, phrase: str
) -> None:
    markup = f"{declaration}<p>{phrase}</p>".encode(encoding)
    assert walk(markup).text == phrase


def test_one_broken_byte_does_not_turn_a_utf8_text_into_another_encoding() -> None:
    assert decode("déjà vu, où ?".encode() + b"\xff") == "déjà vu, où ?\ufffd"


def test_encrypted_bytes_and_pictures_are_no_text() -> None:
    assert is_text("<p>Детство</p>".encode())
    assert is_text(codecs.BOM_UTF16_LE + "<p>текст</p>".encode("utf-16-le"))
    assert not is_text(bytes(range(256)) * 16)
    assert not is_text(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\0\0\0\3\0\x08\2\0\0\0")


def test_a_small_document_is_mended_or_none() -> None:
    mended = parse_tree('<?xml version="1.0"?><!DOCTYPE a><a><b x="1">AT&T<c></a>')
    assert mended is not None
    assert [element.tag for element in mended.iter()] == ["a", "b", "c"]
    assert parse_tree(b"") is None
    assert parse_tree(b"\0\1 no markup") is None
    assert parse_tree("<!DOCTYPE a [<!ENTITY b 'c'> <a>&b;</a>") is None
