"""The date of a record as far as the record's own words carry it."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["date_published"]

_FILED = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T.*)?")
_UNKNOWN = re.compile(r"[u?x\s-]*", re.IGNORECASE)
_MONTHS = (
    "jan(?:uary)?",
    "feb(?:ruary)?",
    "mar(?:ch)?",
    "apr(?:il)?",
    "may",
    "june?",
    "july?",
    "aug(?:ust)?",
    "sept?(?:ember)?",
    "oct(?:ober)?",
    "nov(?:ember)?",
    "dec(?:ember)?",
)


def date_published(filed: str | None, words: Iterable[str]) -> str | None:
    """Return `filed` cut to what the record's own `words` name.

    The Library files every date as a full one and fills in what it lacks: the words "1934 May 8."
    are filed 1934-01-01. A month is kept where the words name it next to a number, a day where its
    number stands next to that month. Without words the date stands as filed, save the first of
    January, which is the filling. Placeholders for an unknown year give None.
    """
    filed = " ".join((filed or "").split())
    found = _FILED.fullmatch(filed)
    if found is None:
        return None if _UNKNOWN.fullmatch(filed) else filed
    year, month, day = found[1], found[2], found[3]
    if not 1000 <= int(year) <= 2200:
        return None
    if month is None or not 1 <= int(month) <= 12:
        return year
    spoken = [text for text in words if text.strip()]
    if not spoken:
        return year if (month, day) == ("01", "01") else _iso(year, month, day)
    if day is not None and any(f"{year}{month}{day}" in _numeric(text) for text in spoken):
        return _iso(year, month, day)
    if not any(_names_month(text, int(month)) for text in spoken):
        return year
    if day is None or not any(_names_day(text, int(month), int(day)) for text in spoken):
        return _iso(year, month, None)
    return _iso(year, month, day)


def _iso(year: str, month: str, day: str | None) -> str:
    return f"{year}-{month}" if day is None else f"{year}-{month}-{day}"


def _numeric(text: str) -> list[str]:
    """Return the days `text` writes in figures ("18641021", "1864-10-21"), without hyphens."""
    found = re.findall(r"(?<!\d)(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)", text)
    return [year + month + day for year, _, month, day in found]


def _names_month(text: str, month: int) -> bool:
    name = _MONTHS[month - 1]
    return bool(
        re.search(rf"\d[\s,.\]]*\b(?:{name})\b", text, re.IGNORECASE)
        or re.search(rf"\b(?:{name})\b[\s,.\[]*\d", text, re.IGNORECASE)
    )


def _names_day(text: str, month: int, day: int) -> bool:
    name = _MONTHS[month - 1]
    number = rf"(?<!\d)0?{day}(?:st|nd|rd|th)?(?![\da-z])"
    return bool(
        re.search(rf"{number}[\s,.]*(?:{name})\b", text, re.IGNORECASE)
        or re.search(rf"\b(?:{name})\b[\s,.]*{number}", text, re.IGNORECASE)
    )
