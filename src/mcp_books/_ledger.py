"""The ledger of spacing, shared by every process of the machine.

One SQLite row per base address: when the next request may start, how far push-back has widened the
spacing, until when the archive asked for silence. Times are wall clock: nothing else is common to
processes. Every method is synchronous and may be called from any thread.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

__all__ = [
    "LONGEST_SILENCE",
    "LONGEST_WAIT",
    "WIDEST",
    "Ledger",
    "Outlook",
    "Silenced",
    "Slot",
    "TooLate",
]

logger = logging.getLogger(__name__)

R = TypeVar("R")

WIDEST = 16
"""How many times its floor an interval may reach."""
LONGEST_WAIT = 3600.0
"""A next slot farther away than this was written under another clock."""
LONGEST_SILENCE = 86400.0
"""No archive is left unasked for longer; rows older than this are removed."""

_BUSY = 0.25
_UNUSABLE_FOR = 60.0
_CLOCK_SLACK = 1.0
_SCHEMA = """CREATE TABLE IF NOT EXISTS pace (
    base TEXT PRIMARY KEY, next REAL NOT NULL, widened REAL NOT NULL, silent REAL NOT NULL,
    refusals INTEGER NOT NULL, seen REAL NOT NULL) WITHOUT ROWID"""


def wall_clock() -> float:
    """Return the time that every process of the machine shares, in seconds."""
    return time.time()


class Silenced(Exception):
    """The archive asked for silence, and `seconds` of it are left."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class TooLate(Exception):
    """The next slot is `seconds` away, which is later than allowed. Nothing was reserved."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Slot:
    """A time at which one request may start, `wait` seconds after it was reserved."""

    base: str
    wait: float
    interval: float
    refusals: int
    """How often the archive had pushed back when the slot was reserved."""
    at: float
    next: float | None
    """The next free slot this reservation left behind; None: nothing had to be reserved."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a request would meet now: seconds to its slot, interval in force, silence left."""

    wait: float
    interval: float
    silence: float
    refusals: int


@dataclass(frozen=True, slots=True)
class _Row:
    next: float = 0.0
    widened: float = 0.0
    silent: float = 0.0
    refusals: int = 0
    seen: float = 0.0

    def since(self, now: float) -> _Row:
        """Return the row as this clock reads it: a clock set back must not lengthen any wait."""
        row = self
        ahead = row.seen - now
        if ahead > _CLOCK_SLACK:
            row = replace(row, next=row.next - ahead, silent=row.silent - ahead, seen=now)
        if row.next > now + LONGEST_WAIT:
            row = replace(row, next=now)
        return replace(row, silent=min(row.silent, now + LONGEST_SILENCE))

    def outlook(self, floor: float, now: float) -> Outlook:
        return Outlook(
            wait=max(0.0, self.next - now),
            interval=max(floor, self.widened),
            silence=max(0.0, self.silent - now),
            refusals=self.refusals,
        )


class Ledger:
    """Reserves slots. Where the file cannot be used this process paces itself, and says so once."""

    def __init__(
        self, folder: Path | None = None, *, clock: Callable[[], float] | None = None
    ) -> None:
        """Keep the file in `folder`, by default the user's cache folder; nothing is opened yet."""
        self._folder = folder
        self._clock = clock or wall_clock
        self._lock = threading.Lock()
        self._shared: sqlite3.Connection | None = None
        self._own: sqlite3.Connection | None = None
        self._unusable_until = 0.0
        self._said = False

    def look(self, base: str, floor: float) -> Outlook:
        """Return what a request to `base` would meet, reserving nothing."""

        def read(db: sqlite3.Connection) -> Outlook:
            now = self._clock()
            return self._row(db, base, now).outlook(floor, now)

        return self._run(read)

    def reserve(self, base: str, floor: float, latest: float) -> Slot:
        """Reserve the next free slot of `base`, at most `latest` seconds away.

        Raises:
            Silenced: the archive asked for silence.
            TooLate: the slot is farther away than `latest`.
        """
        if floor == 0:
            outlook = self.look(base, floor)
            if outlook.interval == 0:
                _refuse(outlook, latest)
                at = self._clock() + outlook.wait
                return Slot(base, outlook.wait, 0.0, outlook.refusals, at, None)

        def write(db: sqlite3.Connection) -> Slot:
            now = self._clock()
            row = self._row(db, base, now)
            outlook = row.outlook(floor, now)
            _refuse(outlook, latest)
            at = max(now, row.next)
            after = at + outlook.interval
            self._put(db, base, replace(row, next=after), now)
            return Slot(base, at - now, outlook.interval, row.refusals, at, after)

        return self._run(write, immediate=True)

    def release(self, slot: Slot) -> None:
        """Give back a slot that was not used, unless somebody reserved one after it."""
        if slot.next is None:
            return
        values = (slot.at, slot.base, slot.next)
        self._run(
            lambda db: db.execute("UPDATE pace SET next = ? WHERE base = ? AND next = ?", values),
            immediate=True,
        )

    def push_back(self, base: str, floor: float, *, wait: float, since: int) -> None:
        """Double the interval, and leave the next slot for `wait` seconds at least.

        Refusals of requests that were already on their way when the interval last doubled
        (`since`: the refusals known when they started) are one push-back and double it once.
        """

        def write(db: sqlite3.Connection) -> None:
            now = self._clock()
            row = self._row(db, base, now)
            widened = row.widened
            if row.refusals == since:
                widened = max(widened, min(WIDEST * floor, 2 * max(floor, widened)))
            after = max(row.next, now + wait, now + widened)
            pushed = replace(row, next=after, widened=widened, refusals=row.refusals + 1)
            self._put(db, base, pushed, now)

        self._run(write, immediate=True)

    def narrow(self, base: str, floor: float) -> None:
        """Halve a widened interval, down to `floor`."""

        def write(db: sqlite3.Connection) -> None:
            now = self._clock()
            row = self._row(db, base, now)
            half = row.widened / 2
            self._put(db, base, replace(row, widened=half if half > floor else 0.0), now)

        self._run(write, immediate=True)

    def silence(self, base: str, seconds: float) -> None:
        """Let nobody ask `base` for `seconds`, one day at most."""

        def write(db: sqlite3.Connection) -> None:
            now = self._clock()
            row = self._row(db, base, now)
            until = max(row.silent, now + min(seconds, LONGEST_SILENCE))
            self._put(db, base, replace(row, silent=until, refusals=row.refusals + 1), now)

        self._run(write, immediate=True)

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        with self._lock:
            for connection in (self._shared, self._own):
                if connection is not None:
                    connection.close()
            self._shared = self._own = None

    def _run(self, work: Callable[[sqlite3.Connection], R], *, immediate: bool = False) -> R:
        with self._lock:
            if time.monotonic() >= self._unusable_until:
                try:
                    return _transact(self._file(), work, immediate=immediate)
                except (sqlite3.Error, OSError) as problem:
                    self._give_up(problem)
            return _transact(self._memory(), work, immediate=immediate)

    def _file(self) -> sqlite3.Connection:
        if self._shared is None:
            path = self._path()
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = _connect(str(path))
            try:
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute(_SCHEMA)
                oldest = self._clock() - LONGEST_SILENCE
                connection.execute("DELETE FROM pace WHERE seen < ?", (oldest,))
            except sqlite3.Error:
                connection.close()
                raise
            self._shared = connection
        return self._shared

    def _memory(self) -> sqlite3.Connection:
        if self._own is None:
            self._own = _connect(":memory:")
            self._own.execute(_SCHEMA)
        return self._own

    def _path(self) -> Path:
        if self._folder is None:
            from platformdirs import user_cache_path

            self._folder = user_cache_path("mcp-books", appauthor=False)
        return self._folder / "pacing-1.sqlite3"

    def _give_up(self, problem: Exception) -> None:
        self._unusable_until = time.monotonic() + _UNUSABLE_FOR
        if self._shared is not None:
            self._shared.close()
            self._shared = None
        if not self._said:
            self._said = True
            logger.error(
                "the pacing ledger %s cannot be used (%s); this process keeps the spacing alone. "
                "The file may be deleted.",
                self._path(),
                problem,
            )

    def _row(self, db: sqlite3.Connection, base: str, now: float) -> _Row:
        found = db.execute(
            "SELECT next, widened, silent, refusals, seen FROM pace WHERE base = ?", (base,)
        ).fetchone()
        if found is None:
            return _Row()
        row = _Row(*found)
        read = row.since(now)
        if read != row:
            self._put(db, base, read, now)
        return read

    @staticmethod
    def _put(db: sqlite3.Connection, base: str, row: _Row, now: float) -> None:
        db.execute(
            "INSERT OR REPLACE INTO pace VALUES (?, ?, ?, ?, ?, ?)",
            (base, row.next, row.widened, row.silent, row.refusals, now),
        )


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_BUSY, isolation_level=None, check_same_thread=False)


def _transact(
    db: sqlite3.Connection, work: Callable[[sqlite3.Connection], R], *, immediate: bool
) -> R:
    if not immediate:
        return work(db)
    db.execute("BEGIN IMMEDIATE")
    try:
        result = work(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return result


def _refuse(outlook: Outlook, latest: float) -> None:
    if outlook.silence > 0:
        raise Silenced(outlook.silence)
    if outlook.wait > latest:
        raise TooLate(outlook.wait)
