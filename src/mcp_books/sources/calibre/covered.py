"""Which documents of the index may be searched now, and how much of the libraries they are."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_books.reports import Coverage

from .calibre_texts import Listing
from .holdings import Holdings
from .index import Document, Reader
from .indexing_state import book_state
from .library import Library

__all__ = ["Covered", "Survey"]

_LISTING_AGE = 30.0
"""Seconds that what Calibre has read may be out of date: while it reads, it writes all the time."""


@dataclass(frozen=True, slots=True)
class Covered:
    """What of the index belongs to books that can be shown."""

    allowed: frozenset[int]
    """The ids of their documents."""
    coverage: Coverage
    """Counted in books."""


class Survey:
    """Compares the index with the libraries; what has not changed is not compared again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: tuple[int, tuple[object, ...], Covered] | None = None

    def of(self, reader: Reader, holdings: Holdings, libraries: Sequence[Library]) -> Covered:
        """Return what `reader` has of the books of `holdings`; raises as `Reader.documents`."""
        with self._lock:
            named = {one.name: one for one in libraries}
            texts = [
                named[snapshot.library].texts.listing(within=_LISTING_AGE)
                for snapshot in holdings.snapshots
            ]
            looked_at = (*holdings.snapshots, *texts)
            # Asked before the documents: what comes in between is then counted again.
            generation = reader.generation()
            if self._made is not None:
                known, seen, covered = self._made
                same = len(seen) == len(looked_at) and all(map(_is, seen, looked_at))
                if known == generation and same:
                    return covered
            covered = _compared(reader, holdings, texts)
            self._made = (generation, looked_at, covered)
            return covered


def _is(one: object, other: object) -> bool:
    return one is other


def _compared(reader: Reader, holdings: Holdings, texts: Sequence[Listing | None]) -> Covered:
    allowed: set[int] = set()
    known: dict[tuple[str, int], dict[str, Document]] = {}
    for document in reader.documents():
        if holdings.holds(document.file):
            allowed.add(document.id)
            book = (document.file.library, document.file.book)
            known.setdefault(book, {})[document.file.format] = document
    states: Counter[str] = Counter(
        book_state(
            snapshot.formats_of(number), known.get((snapshot.key, number), {}), listing, number
        )
        for snapshot, listing in zip(holdings.snapshots, texts, strict=True)
        for number in snapshot
    )
    indexed, waiting = states.pop("indexed", 0), states.pop("waiting", 0)
    states.pop("no file", None)
    return Covered(
        frozenset(allowed),
        Coverage(
            indexed=indexed,
            readable=indexed + waiting,
            unreadable={state.replace("_", " "): count for state, count in sorted(states.items())},
        ),
    )
