"""The catalogues of all configured libraries at one moment, and what is wrong with any of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcp_books._phrases import Kind
from mcp_books.errors import NetworkFailure
from mcp_books.sources.base import Profile, Remark

from .books import Book
from .index import BookFile
from .library import PROBLEMS, Library, LibraryUnavailable, Problem, Reading
from .snapshot import Snapshot

__all__ = ["Holdings", "age_of", "look", "unavailable"]


@dataclass(frozen=True, slots=True)
class Holdings:
    """What can be shown: never a book that has left, or that carries an excluded tag."""

    readings: tuple[Reading, ...]
    unread: tuple[LibraryUnavailable, ...]

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """The catalogues, in the order of the settings."""
        return tuple(reading.snapshot for reading in self.readings)

    def holds(self, file: BookFile) -> bool:
        """Return whether the book of an indexed file is there, by its number alone."""
        return any(
            snapshot.key == file.library and file.book in snapshot for snapshot in self.snapshots
        )

    def book_of(self, file: BookFile) -> tuple[Snapshot, Book] | None:
        """Return the book of an indexed file; None where its number is another book's by now."""
        for snapshot in self.snapshots:
            book = snapshot.book(file.book) if snapshot.key == file.library else None
            if book is not None and book.uuid == file.book_uuid:
                return snapshot, book
        return None

    def remarks(self, name: str) -> Iterator[Remark]:
        """Yield what an answer of the archive called `name` has to say of its libraries."""
        for failure in self.unread:
            because = PROBLEMS[failure.problem]
            yield Remark(
                Kind.LIBRARY_UNREAD,
                {"name": name, "library": failure.library, "because": because},
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
    readings: list[Reading] = []
    unread: list[LibraryUnavailable] = []
    for library in libraries:
        try:
            readings.append(library.current())
        except LibraryUnavailable as failure:
            unread.append(failure)
    if not readings:
        raise unavailable(profile, {failure.library: failure.problem for failure in unread})
    return Holdings(tuple(readings), tuple(unread))


def unavailable(profile: Profile, problems: Mapping[str, Problem]) -> NetworkFailure:
    """Return the failure of libraries that cannot be read; none at all are configured wrongly."""
    if not problems:
        return NetworkFailure(
            f"{profile.name}: no folder in BOOKS_CALIBRE_LIBRARIES can be used",
            hint="The operator finds on stderr what is wrong with each entry.",
        )
    told = "; ".join(f"{name!r}: {PROBLEMS[problem]}" for name, problem in problems.items())
    return NetworkFailure(
        f"{profile.name}: no catalogue could be read of {told}",
        hint="Check BOOKS_CALIBRE_LIBRARIES, and that its drive is there; then ask again.",
        retries=1,
    )


def age_of(seconds: float) -> str:
    """Return a length of time as it is said: "12 s", "3 min"."""
    for unit, length, most in (("s", 1, 90), ("min", 60, 90), ("h", 3600, 36)):
        if seconds < length * most:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"
