"""Tells which page labels the page itself confirms: the folio printed at its head or foot."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mcp_books.sources.calibre.extract.base import Stretch

__all__ = ["REACH", "bears_folio", "confirm_labels"]

REACH = 2
"""How many pages away another page must bear its folio too.

A number that happens to equal a wrong label (that of a chapter, of a list) stands alone; folios
come in rows.
"""

_ORNAMENT = " \t-–—‐‑−_·•*~|¦/\\[](){}<>.,:;«»"
_LONGEST_LINE = 200
_BEFORE = re.compile(
    r"(?:pages?|pg|p|seite|s|página|pagina|pág|pag|стр|第)[ .]*(?=\S)", re.IGNORECASE
)
_OF_TOTAL = re.compile(r"(?: ?[/|] ?| (?:of|von|de|sur|di|van|из) )\d{1,5}$", re.IGNORECASE)
_AFTER = "页頁面ページ쪽"


def confirm_labels(pages: Iterable[Stretch]) -> Iterator[Stretch]:
    """Yield the pages again, with `printed` as the source of every label its page confirms."""
    held: deque[tuple[int, Stretch, bool]] = deque()
    last = -REACH

    def release() -> Iterator[Stretch]:
        nonlocal last
        number, page, bears = held.popleft()
        if bears:
            near = number - last <= REACH or any(
                other for ahead, _, other in held if ahead - number <= REACH
            )
            last = number
            yield replace(page, label_source="printed") if near else page
        else:
            yield page

    for page in pages:
        number = page.page_number or 0
        while held and number - held[0][0] > REACH:
            yield from release()
        held.append((number, page, bears_folio(page.text, page.page_label)))
    while held:
        yield from release()


def bears_folio(text: str, label: str | None) -> bool:
    """Say whether the head or the foot of a page shows this very label.

    It stands alone on one of the two outermost lines ("12", "– 12 –", "Page 12 of 300"), or begins
    or ends the outermost one beside a running title.
    """
    label = (label or "").strip()
    if not label:
        return False
    lines = text.split("\n")
    outermost = {0, len(lines) - 1}
    for place in {*outermost, min(1, len(lines) - 1), max(0, len(lines) - 2)}:
        line = lines[place]
        if len(line) > _LONGEST_LINE:
            continue
        if _alone(line) == label or (place in outermost and _at_an_end(line, label)):
            return True
    return False


def _alone(line: str) -> str:
    core = _OF_TOTAL.sub("", line.strip(_ORNAMENT))
    return _BEFORE.sub("", core, count=1).strip(_ORNAMENT + _AFTER)


def _at_an_end(line: str, label: str) -> bool:
    words = _OF_TOTAL.sub("", line).split()
    if not words:
        return False
    ends = (words[0], words[-1])
    if any(word == label or word.strip(_ORNAMENT) == label for word in ends):
        return True
    # A folio set tight against the running title: "134Chapter 18".
    rest = words[0].removeprefix(label)
    return label.isdecimal() and rest != words[0] and rest[:1].isalpha()
