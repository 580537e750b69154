"""Why a library cannot be read, as a clause about it, and what to do about each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

__all__ = [
    "HINTS",
    "PROBLEMS",
    "CannotRead",
    "LibraryUnavailable",
    "Problem",
    "UnreadCopy",
    "UnreadLibrary",
]

Problem = Literal[
    "missing",
    "forbidden",
    "unreachable",
    "not_a_library",
    "unknown_layout",
    "busy",
    "unfinished",
    "damaged",
]

PROBLEMS: Mapping[Problem, str] = {
    "missing": "its folder, or metadata.db in it, is not there",
    "forbidden": "metadata.db may not be read by this user",
    "unreachable": "its metadata.db could not be read: an input or output error",
    "not_a_library": "its metadata.db is no catalogue of Calibre's",
    "unknown_layout": "its metadata.db has a layout that is not known here",
    "busy": "another program is writing to it",
    "unfinished": "a change in it was cut off, which only a program that writes can finish",
    "damaged": "its metadata.db is damaged",
}
"""What each problem is, as a clause about a library."""

HINTS: Mapping[Problem, str] = {
    "missing": "Check that its drive is there, and its folder in BOOKS_CALIBRE_LIBRARIES.",
    "forbidden": "Let the user that runs mcp-books read metadata.db and its folder.",
    "unreachable": "Check its drive and the connection to it, then ask again.",
    "not_a_library": (
        "Name the folder that Calibre keeps its metadata.db in, in BOOKS_CALIBRE_LIBRARIES."
    ),
    "unknown_layout": "Open it in Calibre once; a newer mcp-books may know its layout.",
    "busy": "Ask again in a moment.",
    "unfinished": "Open the library in Calibre once, then ask again.",
    "damaged": "Let Calibre repair it (Library maintenance, Restore database), or use a backup.",
}
"""What to do about each problem."""


class CannotRead(Exception):
    """A database of a library cannot be read now; `detail` is for a log line."""

    def __init__(self, problem: Problem, detail: str = "") -> None:
        super().__init__(problem, detail)
        self.problem = problem
        self.detail = detail


class UnreadLibrary(Exception):
    """There is no catalogue of `library`: `because`, a clause about it, and `hint`, what to do."""

    def __init__(self, library: str, because: str, hint: str) -> None:
        super().__init__(library, because, hint)
        self.library = library
        self.because = because
        self.hint = hint


class LibraryUnavailable(UnreadLibrary):
    """It cannot be read, and was never read before."""

    def __init__(self, library: str, problem: Problem) -> None:
        super().__init__(library, PROBLEMS[problem], HINTS[problem])
        self.problem = problem


class UnreadCopy(UnreadLibrary):
    """It is a copy of the library `first`, which is read."""

    def __init__(self, library: str, first: str) -> None:
        super().__init__(
            library,
            f"it is a copy of the library {first!r}",
            "Find the book with search_items: of two copies the first configured is read.",
        )
