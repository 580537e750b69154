"""Reads PDF: one stretch a page, with the page's own label and the chapter it belongs to.

PDFium does the reading. It is not thread-safe: one thread of a process reads, one file at a time.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
from pypdfium2 import raw as pdfium

from mcp_books.sources.calibre.extract.base import Incomplete, Status, Stretch, Unreadable
from mcp_books.sources.calibre.extract.pdf_folio import confirm_labels
from mcp_books.sources.calibre.extract.pdf_labels import PageLabels
from mcp_books.sources.calibre.extract.pdf_listing import ListingPages
from mcp_books.sources.calibre.extract.pdf_outline import Sections

__all__ = ["read", "read_bytes"]

logger = logging.getLogger(__name__)

_STATUSES: dict[int, Status] = {
    pdfium.FPDF_ERR_PASSWORD: "password",
    pdfium.FPDF_ERR_SECURITY: "drm",
}
"""What a refusal of PDFium means; any other says that the file is damaged."""

# PDFium writes U+FFFE where it joined a word that was broken at a line end.
_JOINT = "\ufffe"
_NO_TEXT = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls: glyphs of fonts that name no characters
    "\xad\ufeff\ufffe\uffff\ud800-\udfff"
    "\ue000-\uf8ff\U000f0000-\U0010ffff"  # private use
    "]"
)


def read(path: Path) -> Iterator[Stretch]:
    """Yield the pages that hold text, in order; a page that cannot be read costs that page.

    Raises:
        Unreadable: `password`, `drm` (locked for one reader's program), `damaged`, `empty` (no
            page), `no_text` (no page holds text).
        Incomplete: after the last page, where some could not be read.
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        if not file.read(1):
            raise Unreadable("empty", "a file of no bytes")
        handle = pdfium.FPDF_LoadDocument(os.fsencode(path) + b"\0", None)
        yield from _stretches(_document(handle), file)


def read_bytes(data: bytes) -> Iterator[Stretch]:
    """Yield the pages of a PDF held in memory, as `read` does: the one inside an AZW4."""
    if not data:
        raise Unreadable("empty", "a file of no bytes")
    handle = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    # PDFium reads from `data` until the document is closed; this frame keeps it.
    yield from _stretches(_document(handle), BytesIO(data))


def _document(handle: pdfium.FPDF_DOCUMENT) -> pypdfium2.PdfDocument:
    """Return the document of a handle just loaded.

    The helper's own constructor judges a file without pages by the error of an earlier file.
    """
    if not handle:
        code = pdfium.FPDF_GetLastError()
        raise Unreadable(_STATUSES.get(code, "damaged"), f"PDFium error {code}")
    return pypdfium2.PdfDocument(handle)


def _stretches(document: pypdfium2.PdfDocument, file: BinaryIO) -> Iterator[Stretch]:
    with closing(document):
        if len(document) < 1:
            raise Unreadable("empty", "no page")
        lost: list[int] = []
        yield from confirm_labels(_pages(document, file, lost))
        if lost:
            raise Incomplete(f"{len(lost)} of {len(document)} pages could not be read")


def _pages(document: pypdfium2.PdfDocument, file: BinaryIO, lost: list[int]) -> Iterator[Stretch]:
    """Yield the pages that hold text, their labels as the file gives them.

    The numbers of those that cannot be read are added to `lost`.
    """
    count = len(document)
    labels = PageLabels(document, file)
    sections = Sections.of(document)
    listings = ListingPages()
    silent = True
    for index in range(count):
        try:
            text = _clean(_text(document, index))
        except pypdfium2.PdfiumError as problem:
            logger.debug("page %d: %s", index + 1, problem)
            lost.append(index + 1)
            continue
        if not any(character.isalnum() for character in text):
            continue
        silent = False
        label = labels.at(index)
        titles = sections.at(index)
        yield Stretch(
            text,
            page_number=index + 1,
            page_label=label,
            label_source=None if label is None else "pagelabels",
            section=sections.path(titles),
            kind=listings.kind(text, titles),
        )
    if len(lost) == count:
        raise Unreadable("damaged", "no page can be loaded")
    if silent:
        raise Unreadable("no_text", f"{count} pages, {len(lost)} of them damaged")


def _text(document: pypdfium2.PdfDocument, index: int) -> str:
    with closing(document[index]) as page, closing(page.get_textpage()) as text:
        return str(text.get_text_range())


def _clean(raw: str) -> str:
    """Return the text of a page without what only stands for layout or for a nameless glyph."""
    text = _joined(raw.replace("\r\n", "\n"))
    lines = (" ".join(line.split()) for line in _NO_TEXT.sub("", text).split("\n"))
    return "\n".join(line for line in lines if line)


def _joined(text: str) -> str:
    """Join broken words; a hyphen that no syllable explains is the word's own (Anglo-Saxon)."""
    first, *rest = text.split(_JOINT)
    parts = [first]
    for before, after in zip([first, *rest], rest, strict=False):
        left, right = before[-1:], after[:1]
        own = (left.islower() and right.isupper()) or (left.isalnum() and right.isdigit())
        parts += ["-", after] if own else [after]
    return "".join(parts)
