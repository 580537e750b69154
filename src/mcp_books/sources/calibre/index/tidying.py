"""Merging what many small writes left, and giving back the room of what was removed.

FTS5 merges a little with every write. Merging all of it rewrites the whole index of words, so that
is done only once a good part of it has changed.
"""

from __future__ import annotations

import sqlite3
import time

from mcp_books.sources.calibre.index.schema import BUSY, transaction

__all__ = ["count_unmerged", "tidy"]

_MERGED_AT_ONCE = 500
_RETURNED_AT_ONCE = 1_000
_WORTH_MERGING = 10
_WORTH_RETURNING = 20
"""Work is worth while from one in so many pages that have changed, or are free."""


def count_unmerged(db: sqlite3.Connection, pages: int) -> None:
    """Remember that so many pages were written or removed, inside a transaction of the caller's."""
    db.execute("UPDATE meta SET value = value + ? WHERE key = 'unmerged'", (pages,))


def tidy(db: sqlite3.Connection, until: float) -> bool:
    """Work until about `until` of `time.monotonic`; return whether nothing is left to do."""
    if not (_merge(db, until) and _give_back(db, until)):
        return False
    db.execute("PRAGMA busy_timeout = 0")  # where a reader still needs the log, it stays for now
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute(f"PRAGMA busy_timeout = {round(BUSY * 1000)}")
    return True


def _merge(db: sqlite3.Connection, until: float) -> bool:
    (unmerged,) = db.execute("SELECT value FROM meta WHERE key = 'unmerged'").fetchone()
    (pages,) = db.execute("SELECT total(pages) FROM content").fetchone()
    if unmerged == 0 or unmerged * _WORTH_MERGING < pages:
        return True
    size = -_MERGED_AT_ONCE  # negative at first: everything is to become one
    while time.monotonic() < until:
        before = db.total_changes
        with transaction(db):
            db.execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", (size,))
            changed = db.total_changes - before
            if changed < 2:
                db.execute("UPDATE meta SET value = 0 WHERE key = 'unmerged'")
        if changed < 2:
            return True
        size = _MERGED_AT_ONCE
    return False


def _give_back(db: sqlite3.Connection, until: float) -> bool:
    (free,) = db.execute("PRAGMA freelist_count").fetchone()
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    if free * _WORTH_RETURNING < pages:
        return True
    while free:
        if time.monotonic() > until:
            return False
        db.execute(f"PRAGMA incremental_vacuum({_RETURNED_AT_ONCE})").fetchall()
        (free,) = db.execute("PRAGMA freelist_count").fetchone()
    return True
