"""Which documents of the index may be searched now, and how much of the libraries they are."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

from mcp_books.reports import Coverage

from .holdings import Holdings
from .index import DocumentStatus, Reader
from .snapshot import Snapshot
from .worker_readers import READABLE

__all__ = ["Covered", "Survey"]


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
        self._made: tuple[int, tuple[Snapshot, ...], Covered] | None = None

    def of(self, reader: Reader, holdings: Holdings) -> Covered:
        """Return what `reader` has of the books of `holdings`; raises as `Reader.documents`."""
        snapshots = holdings.snapshots
        with self._lock:
            # Asked before the documents: what comes in between is then counted again.
            generation = reader.generation()
            if self._made is not None:
                known, seen, covered = self._made
                same = len(seen) == len(snapshots) and all(map(_is, seen, snapshots))
                if known == generation and same:
                    return covered
            covered = _compared(reader, holdings)
            self._made = (generation, snapshots, covered)
            return covered


def _is(one: Snapshot, other: Snapshot) -> bool:
    return one is other


def _compared(reader: Reader, holdings: Holdings) -> Covered:
    allowed: set[int] = set()
    known: dict[tuple[str, int], list[DocumentStatus]] = {}
    for document in reader.documents():
        if holdings.holds(document.file):
            allowed.add(document.id)
            book = (document.file.library, document.file.book)
            known.setdefault(book, []).append(document.status)
    states: Counter[str] = Counter(
        _state(snapshot, number, known.get((snapshot.key, number), []))
        for snapshot in holdings.snapshots
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


def _state(snapshot: Snapshot, number: int, statuses: list[DocumentStatus]) -> str:
    """Return what became of one book: indexed, waiting, or why it gives no text."""
    if "indexed" in statuses:
        return "indexed"
    if statuses:
        return statuses[0]
    if any(snapshot.has_format(number, kind) for kind in READABLE):
        return "waiting"
    book = snapshot.book(number)
    return "unsupported" if book is not None and book.formats else "no file"
