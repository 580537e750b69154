"""Reading book files in a process of their own, so that a hostile file costs one book.

One child serves book after book. It is replaced after a crash, a time limit, a memory limit or an
answer that makes no sense: the book it was at gets a status, and the next is read by the next
child. One that another process ended proves nothing about the book, which gets no status. Memory is
limited on Linux and macOS; on Windows only time is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from .extract.base import Incomplete, Stretch, Unreadable
from .worker_process import Child, Killed, Stopped, WorkerFailed
from .worker_protocol import Garbage, Kind, read_bool, read_end, read_stretches
from .worker_readers import READABLE

__all__ = [
    "MEMORY_LIMIT",
    "READABLE",
    "READER",
    "TIME_LIMIT",
    "Extractor",
    "Killed",
    "Stopped",
    "WorkerFailed",
    "never",
]

READER = "mcp-books 1"
"""Name and version of the extraction. A new version makes every book be read again."""

TIME_LIMIT = 180.0
"""Seconds that the reading of one book may take."""
MEMORY_LIMIT = 512 * 1024 * 1024
"""Bytes that the child may use."""

_REPLACED_OVER = 128 * 1024 * 1024
"""Bytes still in use after a book, from which on the next book gets a new child."""


def never() -> bool:
    """Return False: nothing asks to stop."""
    return False


class _Asked(NamedTuple):
    """A file as it was when the child was told to read it."""

    path: Path
    format: str
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path, format_name: str) -> _Asked:
        found = path.stat()
        return cls(path, format_name, found.st_size, found.st_mtime_ns)

    def is_still(self, path: Path, format_name: str) -> bool:
        try:
            return self == _Asked.of(path, format_name)
        except OSError:
            return False


class Extractor:
    """Reads book files in one long-lived child process. One thread at a time uses it.

    The child is started when it is first needed and ended by `close`; it ends by itself when this
    process does, however that happens.
    """

    def __init__(
        self,
        *,
        time_limit: float = TIME_LIMIT,
        memory_limit: int = MEMORY_LIMIT,
        low_priority: bool = False,
        readers: str = "mcp_books.sources.calibre.worker_readers",
    ) -> None:
        """Nothing is started yet. `readers` names the module that the child reads with."""
        self._time_limit = time_limit
        self._low_priority = low_priority
        self._options = {
            "seconds": time_limit,
            "memory": memory_limit,
            "low_priority": low_priority,
            "readers": readers,
        }
        self._child: Child | None = None
        self._prepared: _Asked | None = None

    def __enter__(self) -> Extractor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The number of the child's process; None where there is none at the moment."""
        return None if self._child is None else self._child.process.pid

    def close(self) -> None:
        """End the child. Closing twice does nothing; reading again starts another."""
        child, self._child, self._prepared = self._child, None, None
        if child is not None:
            child.end()

    def prepare(self, path: Path, format_name: str) -> None:
        """Let an idle child begin with the file that will be read next, if it is this one.

        Asking for anything else then costs the child.

        Raises:
            OSError: the file is not there.
            WorkerFailed: there is no child to read with.
        """
        asked = _Asked.of(path, format_name)
        self._ask(Kind.READ, path, format_name)
        self._prepared = asked

    def read(
        self,
        path: Path,
        format: str,  # noqa: A002  # what it is called everywhere
        *,
        stopped: Callable[[], bool] = never,
    ) -> Iterator[Stretch]:
        """Yield the stretches of a file; to leave them early costs the child.

        Raises:
            Unreadable: the file gives no text, or not to its end: it is locked or damaged, crashes
                its reader (`damaged`), takes too long (`timed_out`) or too much memory
                (`too_large`).
            Incomplete: after the last stretch, where some of the text could not be read.
            OSError: the file cannot be read from the disk.
            Stopped: `stopped` said so; it is asked ten times a second.
            Killed: the child was ended from outside, which says nothing about the file.
            WorkerFailed: there is no child to read with.
        """
        lost = None
        with self._asked(Kind.READ, path, format) as child:
            for frame in child.answers(self._time_limit, stopped):
                if frame.kind is Kind.STRETCHES:
                    yield from read_stretches(frame.body)
                    continue
                if frame.kind is not Kind.END:
                    raise Garbage(f"{frame.kind.name} while a book is read")
                used, lost = read_end(frame.body)
                if used > _REPLACED_OVER:
                    child.idle = False
        if lost is not None:
            raise Incomplete(lost)

    def states_pages(
        self,
        path: Path,
        format: str,  # noqa: A002  # what it is called everywhere
        *,
        stopped: Callable[[], bool] = never,
    ) -> bool:
        """Return whether a file states printed pages, without reading its text: labels of a PDF.

        Raises:
            Unreadable, OSError, Stopped, Killed, WorkerFailed: as `read`.
        """
        with self._asked(Kind.LOOK, path, format) as child:
            return [read_bool(one.body) for one in child.answers(self._time_limit, stopped)][-1]

    @contextmanager
    def _asked(self, kind: Kind, path: Path, format_name: str) -> Iterator[Child]:
        child = self._ask(kind, path, format_name)
        try:
            yield child
        except Garbage as problem:
            child.idle = False
            raise Unreadable("damaged", f"its reader answered nonsense: {problem}") from problem
        finally:
            if not child.idle:
                self.close()

    def _ask(self, kind: Kind, path: Path, format_name: str) -> Child:
        if self._child is not None and self._prepared is not None:
            prepared, self._prepared = self._prepared, None
            if kind is Kind.READ and prepared.is_still(path, format_name):
                return self._child
            self.close()
        if self._child is not None:
            try:
                self._child.ask(kind, path, format_name)
            except OSError:  # it ended while it had nothing to do
                self.close()
            else:
                return self._child
        self._child = Child(self._options, low_priority=self._low_priority)
        try:
            self._child.ask(kind, path, format_name)
        except OSError as problem:
            self.close()
            raise Killed(f"the reading process ended at once: {problem}") from problem
        return self._child


if __name__ == "__main__":
    from .worker_child import main

    main()
