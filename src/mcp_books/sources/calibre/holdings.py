"""The catalogues of all configured libraries at one moment, and what is wrong with any of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_books._phrases import Kind
from mcp_books.errors import InvalidInput, NetworkFailure
from mcp_books.sources.base import Profile, Remark

from .books import Book
from .copies import read_all
from .index import BookFile
from .library import Library, Reading
from .problems import PROBLEMS, UnreadCopy, UnreadLibrary
from .snapshot import Snapshot

__all__ = ["Holdings", "age_of", "look", "unavailable"]


@dataclass(frozen=True, slots=True)
class Holdings:
    """What can be shown: never a book that has left, or that carries an excluded tag, and of two
    copies of a library the first alone."""

    readings: tuple[Reading, ...]
    unread: tuple[UnreadLibrary, ...]

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """The catalogues, in the order of the settings."""
        return tuple(reading.snapshot for reading in self.readings)

    def holds(self, file: BookFile) -> bool:
        """Return whether the book of an indexed file is there, and not another under its number."""
        return self._snapshot_of(file) is not None

    def book_of(self, file: BookFile) -> tuple[Snapshot, Book] | None:
        """Return the book of an indexed file; None where its number is another book's by now."""
        snapshot = self._snapshot_of(file)
        book = snapshot.book(file.book) if snapshot is not None else None
        return (snapshot, book) if snapshot is not None and book is not None else None

    def _snapshot_of(self, file: BookFile) -> Snapshot | None:
        return next(
            (
                snapshot
                for snapshot in self.snapshots
                if snapshot.key == file.library and snapshot.uuid_of(file.book) == file.book_uuid
            ),
            None,
        )

    def remarks(self, name: str) -> Iterator[Remark]:
        """Yield what an answer of the archive called `name` has to say of its libraries."""
        for failure in self.unread:
            yield Remark(
                Kind.LIBRARY_UNREAD,
                {"name": name, "library": failure.library, "because": failure.because},
            )
        for reading in self.readings:
            if reading.problem is not None:
                yield Remark(
                    Kind.LIBRARY_PROBLEM,
                    {
                        "name": name,
                        "library": reading.snapshot.library,
                        "because": PROBLEMS[reading.problem],
                        "age": age_of(reading.age),
                    },
                )


def look(libraries: Sequence[Library], profile: Profile) -> Holdings:
    """Read what changed in `libraries`.

    Raises:
        NetworkFailure: none of them can be read, and none could be before.
    """
    found = read_all(libraries)
    if not found.read:
        raise unavailable(profile, found.unread)
    return Holdings(tuple(reading for _, reading in found.read), found.unread)


def unavailable(
    profile: Profile, failures: Sequence[UnreadLibrary]
) -> NetworkFailure | InvalidInput:
    """Return the failure of libraries that cannot be read; none at all are configured wrongly."""
    if not failures:
        return NetworkFailure(
            f"{profile.name}: no folder in BOOKS_CALIBRE_LIBRARIES can be used",
            hint="The operator finds on stderr what is wrong with each entry.",
        )
    told = "; ".join(f"{one.library!r}: {one.because}" for one in failures)
    if all(isinstance(one, UnreadCopy) for one in failures):
        return InvalidInput(f"{profile.name}: no catalogue is read of {told}", hint=_hint(failures))
    return NetworkFailure(
        f"{profile.name}: no catalogue could be read of {told}", hint=_hint(failures), retries=1
    )


def _hint(failures: Sequence[UnreadLibrary]) -> str:
    """Return what to do about each; where it is not the same for all, with their names."""
    libraries: dict[str, list[str]] = {}
    for one in failures:
        libraries.setdefault(one.hint, []).append(repr(one.library))
    if len(libraries) == 1:
        return next(iter(libraries))
    return " ".join(f"{', '.join(names)}: {hint}" for hint, names in libraries.items())


def age_of(seconds: float) -> str:
    """Return a length of time as it is said: "12 s", "3 min"."""
    for unit, length, most in (("s", 1, 90), ("min", 60, 90), ("h", 3600, 36)):
        if seconds < length * most:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"
