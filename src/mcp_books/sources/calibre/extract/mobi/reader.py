"""Reading a book of the MOBI family: MOBI, PRC, AZW, AZW3 (KF8), joint files, AZW4, PalmDOC."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from mcp_books.sources.calibre.extract.base import Incomplete, Stretch, Unreadable
from mcp_books.sources.calibre.extract.stretches import stretches

from .books import Book, best_book
from .citing import cited
from .header import Header
from .kf8 import Fragment, assemble, main_flow, read_fragments, read_skeletons
from .landmarks import in_guide, in_markup, spans
from .ncx import Chapter, read_chapters
from .palm import PalmDatabase
from .parts import PAGE_BREAK, Part, split
from .replica import pdf_inside
from .text import REPLICA

__all__ = ["read"]

_MARKUP = re.compile(
    rb"<(?:a|b|blockquote|body|br|center|div|font|h[1-6]|head|html|i|p|pre|span|table|ul)\b[^<>]*>",
    re.IGNORECASE,
)
_MARKUP_WITHIN = 2**16
_LINE_END = re.compile(r"\r\n?")


def read(path: Path) -> Iterator[Stretch]:
    """Yield the stretches of a book in reading order.

    Raises:
        Unreadable: the file is locked, of another kind, damaged, or holds no text.
        Incomplete: after the last stretch, where some of the text could not be read.
    """
    with path.open("rb") as file:
        database = PalmDatabase(file)
        book = best_book(database)
        found = False
        for stretch in _stretches(database, book):
            found = True
            yield stretch
    damage = book.text.damage
    if not found:
        raise damage or _nothing(book)
    if damage is not None:
        raise Incomplete(damage.detail)


def _stretches(database: PalmDatabase, book: Book) -> Iterator[Stretch]:
    header, text = book.header, book.text.data
    if text.startswith(REPLICA):
        return _replica(book)
    if header.is_kf8:
        return _kf8(database, header, text)
    if _MARKUP.search(text, 0, _MARKUP_WITHIN):
        return _mobi6(database, header, text)
    plain = _LINE_END.sub("\n", text.decode(header.encoding, "replace").replace("\0", ""))
    return stretches(plain)


def _mobi6(database: PalmDatabase, header: Header, text: bytes) -> Iterator[Stretch]:
    chapters = _chapters(database, header, ())
    marks = in_markup(text)
    breaks = (PAGE_BREAK.search(text, mark.at + 1) for mark in marks)
    ends = [chapter.at for chapter in chapters] + [found.start() for found in breaks if found]
    listed = spans(marks, ends, len(text))
    return cited(split(text), chapters, listed, header.encoding)


def _kf8(database: PalmDatabase, header: Header, text: bytes) -> Iterator[Stretch]:
    text = main_flow(database, header, text)
    parts, fragments = _files(database, header, text)
    chapters = _chapters(database, header, fragments)
    ends = [chapter.at for chapter in chapters] + [part.end for part in parts]
    listed = spans(in_guide(database, header, fragments), ends, len(text))
    return cited(parts, chapters, listed, header.encoding)


def _files(
    database: PalmDatabase, header: Header, text: bytes
) -> tuple[list[Part], list[Fragment]]:
    """Return the files of a KF8 book; without their indexes the text as it stands."""
    if header.skeletons is not None and header.fragments is not None:
        try:
            fragments = read_fragments(database, header.fragments)
            skeletons = read_skeletons(database, header.skeletons)
            return list(assemble(text, skeletons, fragments)), fragments
        except Unreadable:
            pass
    return [Part(0, text)], []


def _chapters(
    database: PalmDatabase, header: Header, fragments: Sequence[Fragment]
) -> list[Chapter]:
    """Return the table of contents; a damaged one costs the sections, not the text."""
    try:
        return read_chapters(database, header, fragments)
    except Unreadable:
        return []


def _replica(book: Book) -> Iterator[Stretch]:
    from mcp_books.sources.calibre.extract.pdf import read_bytes

    try:
        yield from read_bytes(pdf_inside(book.text.data))
    except Unreadable as problem:
        raise book.text.damage or problem from problem


def _nothing(book: Book) -> Unreadable:
    if book.header.dictionary:
        return Unreadable("unsupported", "a dictionary without text")
    return Unreadable("no_text" if book.text.data.strip() else "empty")
