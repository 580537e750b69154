"""Dividing ranked matches into pages of an answer, so that no book fills one."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator

__all__ = ["Match", "Pager"]

Match = tuple[int, int]
"""A row of the index, and the place of its content among those that are searched."""


class Pager:
    """Takes matches in their order, at most so many of one book on each page.

    What is over on one page comes first on the next; what is `late` (contents, back-of-book
    indexes) comes after the rest. Pages are cut from the first on, so the same question gives the
    same pages however far a reader goes.
    """

    def __init__(
        self,
        matches: Iterator[Match],
        *,
        per_book: int,
        is_late: Callable[[int], bool | None],
        deepest: int,
    ) -> None:
        """Read at most `deepest` of `matches`; `is_late` tells of a row, None: there is no such."""
        self._matches = matches
        self._per_book = per_book
        self._is_late = is_late
        self._left = deepest
        self._waiting: deque[Match] = deque()
        self._late: deque[Match] = deque()
        self._next: Match | None = None
        self._read = 0
        self._exhausted = False

    @property
    def more(self) -> bool:
        """Whether a further page would hold anything."""
        return bool(self._waiting or self._late or self._peek() is not None)

    def page(self, size: int) -> list[Match]:
        """Return the next page."""
        taken: list[Match] = []
        books: Counter[int] = Counter()
        earlier, self._waiting = self._waiting, deque()
        while len(taken) < size:
            match = earlier.popleft() if earlier else self._pop()
            if match is None:
                break
            if books[match[1]] >= self._per_book:
                self._waiting.append(match)
                continue
            late = self._is_late(match[0])
            if late:
                self._late.append(match)
            elif late is not None:
                taken.append(match)
                books[match[1]] += 1
        self._waiting.extend(earlier)
        later, self._late = self._late, deque()
        for match in later:
            if len(taken) < size and books[match[1]] < self._per_book:
                taken.append(match)
                books[match[1]] += 1
            else:
                self._late.append(match)
        return taken

    def count(self, most: int) -> int | None:
        """Read so many further matches at most; return how many there are, None: more than that.

        No page can be asked for afterwards.
        """
        while most and self._pop() is not None:
            most -= 1
        return self._read if self._exhausted else None

    def _peek(self) -> Match | None:
        if self._next is None and self._left > 0:
            self._next = next(self._matches, None)
            if self._next is None:
                self._exhausted, self._left = True, 0
            else:
                self._read, self._left = self._read + 1, self._left - 1
        return self._next

    def _pop(self) -> Match | None:
        match = self._peek()
        self._next = None
        return match
