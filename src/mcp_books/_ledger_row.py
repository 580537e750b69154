"""One row of the pacing ledger: what is known of one archive's pace, by the wall clock.

When the next request may start, how far push-back has widened the spacing, until when the archive
asked for silence. Times are wall clock: nothing else is common to processes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["LONGEST_SILENCE", "LONGEST_WAIT", "WIDEST", "Outlook", "Row"]

WIDEST = 16
"""How many times its floor an interval may reach."""
LONGEST_WAIT = 3600.0
"""A next slot farther away than this was written under another clock."""
LONGEST_SILENCE = 86400.0
"""No archive is left unasked for longer; rows older than this are removed."""

_CLOCK_SLACK = 1.0


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a request would meet now: seconds to its slot, interval in force, silence left."""

    wait: float
    interval: float
    silence: float
    refusals: int


@dataclass(frozen=True, slots=True)
class Row:
    """What the ledger holds about one base address; all zero where it holds nothing."""

    next: float = 0.0
    widened: float = 0.0
    silent: float = 0.0
    refusals: int = 0
    seen: float = 0.0

    def since(self, now: float) -> Row:
        """Return the row as this clock reads it: a clock set back must not lengthen any wait."""
        row = self
        ahead = row.seen - now
        if ahead > _CLOCK_SLACK:
            row = replace(row, next=row.next - ahead, silent=row.silent - ahead, seen=now)
        if row.next > now + LONGEST_WAIT:
            row = replace(row, next=now)
        return replace(row, silent=min(row.silent, now + LONGEST_SILENCE))

    def joined(self, other: Row) -> Row:
        """Return what both know: the later slot, the wider spacing, the longer silence."""
        return Row(
            next=max(self.next, other.next),
            widened=max(self.widened, other.widened),
            silent=max(self.silent, other.silent),
            refusals=max(self.refusals, other.refusals),
            seen=max(self.seen, other.seen),
        )

    def outlook(self, floor: float, now: float) -> Outlook:
        """Return what a request would meet at `now`, spaced `floor` seconds at least."""
        return Outlook(
            wait=max(0.0, self.next - now),
            interval=max(floor, self.widened),
            silence=max(0.0, self.silent - now),
            refusals=self.refusals,
        )
