"""One Calibre library: its catalogue as a snapshot, and where its files lie. Nothing is written."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from .books import Format
from .calibre_texts import CalibreTexts
from .metadata_db import Look, State, look_at, read_file, state_of
from .problems import PROBLEMS, CannotRead, LibraryUnavailable, Problem
from .snapshot import Snapshot
from .tables import Tables

__all__ = ["Library", "PathRefused", "Reading"]

logger = logging.getLogger(__name__)

DATABASE = "metadata.db"


class PathRefused(Exception):
    """The catalogue names a file outside of its library's folder, or something that is no file."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The catalogue as it is, or as it was when it could last be read."""

    snapshot: Snapshot
    problem: Problem | None = None
    """Why it cannot be read now; None: the snapshot is what the library holds."""
    age: float = 0.0
    """Seconds since the snapshot was known to be what the library holds."""


class Library:
    """One library folder. Every method may be called from any thread."""

    def __init__(
        self,
        name: str,
        folder: Path,
        *,
        excluded_tags: Collection[str] = (),
        busy_timeout: float = 2.0,
        retry_after: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is opened yet. `name` is the configured one, part of every identifier.

        A library that could not be read is tried again once its files look different, or after
        `retry_after` seconds, and served from its last snapshot until then.
        """
        self.name = name
        self.folder = folder
        self.texts = CalibreTexts(folder, busy_timeout=busy_timeout, clock=clock)
        """What Calibre itself has read of the books."""
        self._database = folder / DATABASE
        self._excluded_tags = tuple(excluded_tags)
        self._busy_timeout = busy_timeout
        self._retry_after = retry_after
        self._clock = clock
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._state: State | None = None
        self._current_at = 0.0
        self._problem: Problem | None = None
        self._failed_at = 0.0
        self._seen: Look = ()

    @property
    def folder_name(self) -> str:
        """The name of the folder, by which Calibre's own addresses name the library."""
        return self.folder.resolve().name

    def current(self) -> Reading:
        """Return the catalogue; an unchanged library is not opened again.

        Raises:
            LibraryUnavailable: it cannot be read, and there is no earlier snapshot.
        """
        with self._lock:
            now = self._clock()
            patience = self._busy_timeout
            if self._problem is not None and now - self._failed_at < self._retry_after:
                if look_at(self._database) == self._seen:
                    return self._as_it_was(self._problem, now)
                if self._problem == "busy":
                    # Its writer makes it look different at every step, and was waited for already.
                    patience = 0.0
            try:
                self._bring_up_to_date(patience)
            except CannotRead as found:
                return self._failed(found)
            if self._problem is not None:
                logger.info("the library %r can be read again", self.name)
            self._problem = None
            self._current_at = self._clock()
            return Reading(self._made())

    def locate(self, book: int, format_name: str) -> Path:
        """Return where a file of a book lies now; an edit in Calibre may have moved it meanwhile.

        Raises:
            FileNotFoundError: the book, the format or the file is not there.
            PathRefused: the catalogue names a place outside of the library, or no regular file.
            LibraryUnavailable: as `current`.
        """
        tried: Format | None = None
        for _ in range(2):
            found = self.current().snapshot.book(book)
            one = found.format(format_name) if found else None
            if one is None or one == tried:
                break
            try:
                return self.path_of(one)
            except FileNotFoundError:
                tried = one
        raise FileNotFoundError(f"{self.name}/{book}/{format_name} is not there")

    def path_of(self, one: Format) -> Path:
        """Return the path of a file that the catalogue names, resolved and inside the library.

        Raises:
            FileNotFoundError: there is no such file.
            PathRefused: it lies outside, or is no regular file.
        """
        if not _stays_below(one.path):
            raise PathRefused(f"{self.name}: {one.path!r}")
        root = self.folder.resolve()
        try:
            path = root.joinpath(*PurePosixPath(one.path).parts).resolve(strict=True)
        except NotADirectoryError as error:
            raise FileNotFoundError(str(error)) from error
        except (RuntimeError, ValueError) as error:  # links in a circle, a NUL in the name
            raise PathRefused(f"{self.name}: {one.path!r}") from error
        if not path.is_relative_to(root) or not path.is_file():
            raise PathRefused(f"{self.name}: {one.path!r}")
        return path

    def _bring_up_to_date(self, busy_timeout: float) -> None:
        # Taken before the reading: a commit in between is then read twice, and none is missed.
        state = state_of(self._database)
        if self._snapshot is not None and state == self._state:
            return
        tables = read_file(self._database, busy_timeout=busy_timeout)
        self._snapshot = self._snapshot_of(tables)
        self._state = state

    def _snapshot_of(self, tables: Tables) -> Snapshot:
        return Snapshot(
            tables,
            library=self.name,
            folder_name=self.folder_name,
            excluded_tags=self._excluded_tags,
        )

    def _failed(self, found: CannotRead) -> Reading:
        if found.problem != self._problem:
            logger.error(
                "the library %r (%s) cannot be read: %s (%s)",
                self.name,
                self.folder,
                PROBLEMS[found.problem],
                found.detail,
            )
        self._problem = found.problem
        self._failed_at = self._clock()
        self._seen = look_at(self._database)
        return self._as_it_was(found.problem, self._failed_at)

    def _as_it_was(self, problem: Problem, now: float) -> Reading:
        if self._snapshot is None:
            raise LibraryUnavailable(self.name, problem)
        return Reading(self._snapshot, problem, max(0.0, now - self._current_at))

    def _made(self) -> Snapshot:
        if self._snapshot is None:  # pragma: no cover
            raise RuntimeError("brought up to date without a snapshot")
        return self._snapshot


def _stays_below(path: str) -> bool:
    """Whether a path of the catalogue is a plain relative one on every platform."""
    if "\\" in path or "\0" in path:
        return False
    windows = PureWindowsPath(path)
    parts = PurePosixPath(path).parts
    return bool(parts) and not windows.drive and not windows.root and ".." not in parts
