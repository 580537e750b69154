"""One line on a terminal while archives are waited for, gone once they have answered."""

from __future__ import annotations

import shutil
from types import TracebackType
from typing import Self, TextIO

__all__ = ["Progress"]


class Progress:
    """Says on `stream` which archives have answered; silent where it is no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = stream.isatty()
        self._width = 0

    def __enter__(self) -> Self:
        self._show("asking the archives ...")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._show("")

    async def report(self, done: int, total: int, name: str) -> None:
        """Say that `name` has ended, `done` of `total` so far."""
        waiting = f", waiting for {total - done} more ..." if done < total else ""
        self._show(f"{done} of {total}: {name}{waiting}")

    def _show(self, text: str) -> None:
        if self._shown:
            room = shutil.get_terminal_size().columns - 1  # a wrapped line could not be cleared
            line = text[:room]
            # Not every console knows a sequence that clears a line; all of them know a space.
            self._stream.write("\r" + " " * self._width + "\r" + line)
            self._stream.flush()
            self._width = len(line)
