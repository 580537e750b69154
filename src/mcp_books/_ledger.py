"""The ledger of spacing, shared by every process of the machine.

One SQLite row per base address. Where the file cannot be read or written, this process goes on from
the rows it saw last, and brings what it changed meanwhile back into the file once it can. Every
method is synchronous and may be called from any thread.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TypeVar

from ._ledger_row import LONGEST_SILENCE, WIDEST, Outlook, Row

__all__ = [
    "LONGEST_SILENCE",
    "WIDEST",
    "Ledger",
    "Outlook",
    "Silenced",
    "Slot",
    "TooLate",
]

logger = logging.getLogger(__name__)

R = TypeVar("R")
Change = Callable[[Row, float], tuple[Row, R]]
"""Takes a row and the time; returns the row as it is to be, and what is to be known about it."""

_BUSY = 5.0
"""How long another process may hold the file before this one goes on without it, once."""
_UNUSABLE_FOR = 60.0
"""How long a file that cannot be used is let be."""
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


class Ledger:
    """Reserves slots, in a file or, while that cannot be used, alone; says so once."""

    def __init__(
        self, folder: Path | None = None, *, clock: Callable[[], float] | None = None
    ) -> None:
        """Keep the file in `folder`, by default the user's cache folder; nothing is opened yet."""
        self._folder = folder
        self._clock = clock or wall_clock
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._known: dict[str, Row] = {}
        self._unwritten: set[str] = set()
        self._unusable_until = 0.0
        self._said = False

    def look(self, base: str, floor: float, *, patience: float = _BUSY) -> Outlook:
        """Return what a request to `base` would meet, reserving nothing.

        The file is waited for as long as `patience`; the row last read answers after that.
        """

        def read(row: Row, now: float) -> tuple[Row, Outlook]:
            return row, row.outlook(floor, now)

        return self._change(base, read, patience=patience)

    def reserve(self, base: str, floor: float, latest: float) -> Slot:
        """Reserve the next free slot of `base`, at most `latest` seconds away.

        Raises:
            Silenced: the archive asked for silence.
            TooLate: the slot is farther away than `latest`.
        """

        def take(row: Row, now: float) -> tuple[Row, Slot | Silenced | TooLate]:
            outlook = row.outlook(floor, now)
            if outlook.silence > 0:
                return row, Silenced(outlook.silence)
            if outlook.wait > latest:
                return row, TooLate(outlook.wait)
            at = max(now, row.next)
            slot = Slot(base, at - now, outlook.interval, row.refusals, at, None)
            if outlook.interval == 0:
                return row, slot
            after = at + outlook.interval
            return replace(row, next=after), replace(slot, next=after)

        taken = self._change(base, take, patience=latest)
        if isinstance(taken, Slot):
            return taken
        raise taken

    def release(self, slot: Slot) -> None:
        """Give back a slot that was not used, unless somebody reserved one after it."""

        def give_back(row: Row, _: float) -> tuple[Row, None]:
            return (replace(row, next=slot.at) if row.next == slot.next else row), None

        if slot.next is not None:
            self._change(slot.base, give_back)

    def push_back(self, base: str, floor: float, *, wait: float, since: int) -> None:
        """Double the interval, and leave the next slot for `wait` seconds at least.

        Refusals of requests that were already on their way when the interval last doubled
        (`since`: the refusals known when they started) are one push-back and double it once.
        """

        def widen(row: Row, now: float) -> tuple[Row, None]:
            widened = row.widened
            if row.refusals == since:
                widened = max(widened, min(WIDEST * floor, 2 * max(floor, widened)))
            after = max(row.next, now + wait, now + widened)
            return replace(row, next=after, widened=widened, refusals=row.refusals + 1), None

        self._change(base, widen)

    def narrow(self, base: str, floor: float) -> None:
        """Halve a widened interval, down to `floor`."""

        def halve(row: Row, _: float) -> tuple[Row, None]:
            half = row.widened / 2
            return replace(row, widened=half if half > floor else 0.0), None

        self._change(base, halve)

    def silence(self, base: str, seconds: float) -> None:
        """Let nobody ask `base` for `seconds`, one day at most."""

        def hush(row: Row, now: float) -> tuple[Row, None]:
            until = max(row.silent, now + min(seconds, LONGEST_SILENCE))
            return replace(row, silent=until, refusals=row.refusals + 1), None

        self._change(base, hush)

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _change(self, base: str, change: Change[R], *, patience: float = _BUSY) -> R:
        """Apply `change` to the row of `base`: the file's, if that can be had in `patience`."""
        until = time.monotonic() + max(0.0, min(patience, _BUSY))
        with self._lock:
            if time.monotonic() >= self._unusable_until:
                try:
                    return self._in_file(base, change, until)
                except (sqlite3.Error, OSError) as problem:
                    self._go_without(problem)
            row = self._known.get(base, Row())
            changed, result = self._applied(change, row)
            if changed != row:
                self._unwritten.add(base)
                self._known[base] = replace(changed, seen=self._clock())
            return result

    def _applied(self, change: Change[R], row: Row) -> tuple[Row, R]:
        now = self._clock()
        return change(row.since(now), now)

    def _in_file(self, base: str, change: Change[R], until: float) -> R:
        db = self._file(until)
        row = self._known[base] = self._row(db, base)
        changed, result = self._applied(change, row)
        if changed == row and base not in self._unwritten:
            return result
        _wait(db, until)
        db.execute("BEGIN IMMEDIATE")
        try:
            changed, result = self._applied(change, self._row(db, base))
            changed = replace(changed, seen=self._clock())
            values = (base, *astuple(changed))
            db.execute("INSERT OR REPLACE INTO pace VALUES (?, ?, ?, ?, ?, ?)", values)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        self._known[base] = changed
        self._unwritten.discard(base)
        return result

    def _row(self, db: sqlite3.Connection, base: str) -> Row:
        """Return the row in the file, with what could not be written there."""
        query = "SELECT next, widened, silent, refusals, seen FROM pace WHERE base = ?"
        found = db.execute(query, (base,)).fetchone()
        row = Row() if found is None else Row(*found)
        return row.joined(self._known[base]) if base in self._unwritten else row

    def _file(self, until: float) -> sqlite3.Connection:
        if self._db is None:
            path = self._path()
            path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(str(path), isolation_level=None, check_same_thread=False)
            try:
                _wait(db, until)
                db.execute("PRAGMA synchronous = OFF")
                db.execute(_SCHEMA)
                oldest = self._clock() - LONGEST_SILENCE
                db.execute("DELETE FROM pace WHERE seen < ?", (oldest,))
            except sqlite3.Error:
                db.close()
                raise
            self._db = db
        _wait(self._db, until)
        return self._db

    def _path(self) -> Path:
        if self._folder is None:
            from platformdirs import user_cache_path

            self._folder = user_cache_path("mcp-books", appauthor=False)
        return self._folder / "pacing-1.sqlite3"

    def _go_without(self, problem: Exception) -> None:
        """Do without the file: this once if another process holds it, else for a while."""
        if getattr(problem, "sqlite_errorcode", 0) & 0xFF in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
        ):
            logger.info("the pacing ledger is held by another process; one request went without it")
            return
        self._unusable_until = time.monotonic() + _UNUSABLE_FOR
        self._close()
        if not self._said:
            self._said = True
            logger.error(
                "the pacing ledger %s cannot be used (%s); this process keeps the spacing alone. "
                "The file may be deleted.",
                self._path(),
                problem,
            )


def _wait(db: sqlite3.Connection, until: float) -> None:
    """Let the next statement wait for other processes until then, by the monotonic clock."""
    left = max(0.0, until - time.monotonic())
    db.execute(f"PRAGMA busy_timeout = {1000 * left:.0f}")
