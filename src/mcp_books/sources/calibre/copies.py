"""Several libraries read together: of two copies of one, the first configured counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .library import Library, Reading
from .problems import LibraryUnavailable, UnreadCopy, UnreadLibrary

__all__ = ["Readings", "read_all", "read_one"]


class Readings(NamedTuple):
    """The libraries that count, each with its catalogue, and the others."""

    read: tuple[tuple[Library, Reading], ...]
    unread: tuple[UnreadLibrary, ...]


def read_all(libraries: Iterable[Library]) -> Readings:
    """Return the catalogues of `libraries`, in their order.

    Libraries of one key (Calibre's own uuid) are copies, whatever became of them since: their books
    and what is indexed of them go by the same names, so the first that can be read stands alone.
    """
    read: dict[str, tuple[Library, Reading]] = {}
    unread: list[UnreadLibrary] = []
    for library in libraries:
        try:
            reading = library.current()
        except LibraryUnavailable as failure:
            unread.append(failure)
            continue
        first, _ = read.setdefault(reading.snapshot.key, (library, reading))
        if first is not library:
            unread.append(UnreadCopy(library.name, first.name))
    return Readings(tuple(read.values()), tuple(unread))


def read_one(library: Library, libraries: Sequence[Library]) -> Reading:
    """Return the catalogue of `library`, one of `libraries`.

    Raises:
        UnreadLibrary: it cannot be read, or is a copy of one before it.
    """
    found = read_all(libraries[: libraries.index(library) + 1])
    for one, reading in found.read:
        if one is library:
            return reading
    raise next(failure for failure in found.unread if failure.library == library.name)
