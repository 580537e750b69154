"""The readers of the extracting process by format; each is imported when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from .extract.base import Stretch, Unreadable

__all__ = ["READABLE", "read", "states_pages"]

READABLE = ("PDF", "EPUB", "AZW3", "MOBI", "AZW", "PRC", "AZW4")


def read(path: Path, kind: str) -> Iterator[Stretch]:
    """Return the stretches of a file.

    Raises:
        Unreadable: it gives none.
        Incomplete: after the last stretch, where some of the text could not be read.
        OSError: it cannot be read from the disk.
    """
    if kind == "PDF":
        from .extract.pdf import read as read_pdf

        return read_pdf(path)
    if kind == "EPUB":
        from .extract.epub import read as read_epub

        return read_epub(path)
    if kind in READABLE:
        from .extract.mobi import read as read_mobi

        return read_mobi(path)
    raise Unreadable("unsupported", f"no reader of {kind}")


def states_pages(path: Path, kind: str) -> bool:
    """Return whether a file states printed pages, found without reading its text: labels of a PDF.

    A file that cannot be read states none.
    """
    if kind != "PDF":
        return False
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    from .extract.pdf_labels import PageLabels

    try:
        with path.open("rb") as file, closing(pypdfium2.PdfDocument(path)) as document:
            count = len(document)
            if count == 0:
                return False
            labels = PageLabels(document, file)
            return any(labels.at(index) is not None for index in range(count))
    except pypdfium2.PdfiumError:
        return False
