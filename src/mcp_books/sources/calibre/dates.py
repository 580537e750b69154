"""Dates as Calibre stores them: text, in UTC, a day being the midnight of somebody's clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

__all__ = ["day_of", "moment_of"]

_LAST_YEAR_OF_NO_DATE = 101
"""An unknown date is written as 0101-01-01."""
_NOON = 12
_QUARTER = 15


def moment_of(text: object) -> datetime | None:
    """Return the moment that `text` states, or None where it states none."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.year <= _LAST_YEAR_OF_NO_DATE:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def day_of(moment: datetime) -> date:
    """Return the day that was meant by `moment`.

    Some days are stored as 00:00 UTC, others as a midnight of the owner's own clock: 22:00 of the
    day before in Berlin. So a full quarter of an hour from noon on belongs to the next day.
    """
    if moment.hour >= _NOON and not moment.minute % _QUARTER and not moment.second:
        try:
            return (moment + timedelta(days=1)).date()
        except OverflowError:
            return moment.date()
    return moment.date()
