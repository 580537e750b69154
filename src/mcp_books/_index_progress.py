"""How far indexing has come: a bar on a terminal, now and then a line of its own elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from ._defuse import one_line
from ._progress import Line

if TYPE_CHECKING:
    from .sources.calibre.indexing import IndexProgress

__all__ = ["IndexingShown"]

_BAR = 20
_REDRAWN_AFTER = 0.1
_LINE_AFTER = 5.0
_KNOWN_AFTER = 2.0
"""Seconds before a rate and a time left are worth saying."""


class IndexingShown:
    """Shows progress on `stream` until it is left."""

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._line = Line(stream)
        self._clock = clock
        self._last: float | None = None

    def __enter__(self) -> Self:
        self._line.show("looking for what has changed ...")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Clear the line, so that something else can be written."""
        self._line.show("")

    def report(self, progress: IndexProgress) -> None:
        """Show `progress`, unless there is nothing to do or something was shown a moment ago."""
        if not progress.of:
            return
        now = self._clock()
        pause = _REDRAWN_AFTER if self._line.shown else _LINE_AFTER
        is_last = progress.books >= progress.of
        if self._last is not None and now - self._last < pause and not is_last:
            return
        self._last = now
        said = _said(progress)
        if self._line.shown:
            title = f", {one_line(progress.current)}" if progress.current else ""
            self._line.show(f"{_bar(progress)} {said}{title}")
        else:
            self._stream.write(f"{said}\n")
            self._stream.flush()


def _bar(progress: IndexProgress) -> str:
    full = _BAR * progress.books // progress.of
    return f"[{'#' * full}{'-' * (_BAR - full)}]"


def _said(progress: IndexProgress) -> str:
    said = f"{progress.books} of {progress.of} books, {progress.pages} pages"
    if progress.seconds < _KNOWN_AFTER:
        return said
    said += f", {progress.pages / progress.seconds:.0f} pages/s"
    if 0 < progress.books < progress.of:
        left = progress.seconds / progress.books * (progress.of - progress.books)
        said += f", {_duration(left)} left"
    return said


def _duration(seconds: float) -> str:
    """Return a time as roughly as it is known."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
