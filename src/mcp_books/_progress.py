"""One line on a terminal while something is waited for, gone once it has come."""

from __future__ import annotations

import shutil
import unicodedata
from types import TracebackType
from typing import Self, TextIO

__all__ = ["Line", "Progress"]


class Line:
    """One line of `stream` that is written over; silent where that is no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.shown = stream.isatty()
        """Whether there is somebody to see it."""
        self._width = 0

    def show(self, text: str) -> None:
        """Write `text` in place of what the line showed; nothing at all clears it."""
        if self.shown:
            room = shutil.get_terminal_size().columns - 1  # a wrapped line could not be cleared
            line = _cut(text, room)
            # Not every console knows a sequence that clears a line; all of them know a space.
            self._stream.write("\r" + " " * self._width + "\r" + line)
            self._stream.flush()
            self._width = _columns(line)


class Progress:
    """Says on `stream` which archives have answered; silent where it is no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._line = Line(stream)

    def __enter__(self) -> Self:
        self._line.show("asking the archives ...")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._line.show("")

    async def report(self, done: int, total: int, name: str) -> None:
        """Say that `name` has ended, `done` of `total` so far."""
        waiting = f", waiting for {total - done} more ..." if done < total else ""
        self._line.show(f"{done} of {total}: {name}{waiting}")


def _cut(text: str, room: int) -> str:
    if text.isascii():
        return text[:room]
    kept = 0
    for character in text:
        room -= _width(character)
        if room < 0:
            break
        kept += 1
    return text[:kept]


def _columns(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    """Return how many columns a character takes: Chinese and Japanese ones take two."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
