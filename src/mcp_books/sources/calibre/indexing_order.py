"""Which files of a book are tried in turn: a PDF beside others is asked for its labels first."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from .books import Book, Format
from .extract.base import Unreadable
from .indexing_plan import Opened, candidates
from .library import PathRefused
from .worker import Extractor

__all__ = ["in_order"]

logger = logging.getLogger(__name__)

_PAGED = ("PDF", "AZW4")


def in_order(
    extractor: Extractor, shelf: Opened, book: Book, stopped: Callable[[], bool]
) -> Sequence[Format]:
    """Return the files of a book that can be read, the best to cite first.

    Raises:
        Stopped, WorkerFailed: as `Extractor.read`.
    """
    files = candidates(book)
    if len(files) < 2 or all(one.name in _PAGED for one in files):
        return files
    if book.format("PDF") is None:
        return files
    try:
        path = shelf.library.locate(book.id, "PDF")
        labelled = extractor.states_pages(path, "PDF", stopped=stopped)
    except (Unreadable, OSError, PathRefused) as problem:
        logger.info("%s/%d/PDF: no labels: %s", shelf.library.name, book.id, problem)
        labelled = False
    return candidates(book, {"PDF": labelled})
