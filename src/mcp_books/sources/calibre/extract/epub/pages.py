"""Which printed page a text lies on: only what two known breaks enclose, never interpolated.

A label holds from its break to the next one, unless the list leaves numbers out between the two,
lacks the place of an entry between them, or runs backwards: then nobody knows where the first of
the two pages ends. Into the next texts of the spine a label is carried only for as long as a page
of this book is known to be; the last label of all ends with its text under the same condition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_books.sources.calibre.extract.stretches import From

__all__ = ["PageBreak", "PagedText", "label_pages"]


@dataclass(frozen=True, slots=True)
class PageBreak:
    """Where a printed page begins. `label` is None where it is not known; `lost` says that the list
    has a page after it whose place is not known."""

    offset: int
    label: str | None
    lost: bool = False


@dataclass(frozen=True, slots=True)
class PagedText:
    """One text of the spine: how long it is, and its breaks in order.

    `flows` is False for a text that stands beside the flow of the printed pages.
    """

    length: int
    breaks: Sequence[PageBreak]
    flows: bool = True


@dataclass(frozen=True, slots=True)
class _Placed:
    text: int
    page: PageBreak


def label_pages(texts: Sequence[PagedText]) -> list[list[From]]:
    """Return for each text the labels and the offsets from which each holds (None: unknown)."""
    found: list[list[From]] = [[] for _ in texts]
    longest = _longest_page(texts)
    flow = [
        _Placed(number, page)
        for number, text in enumerate(texts)
        if text.flows
        for page in text.breaks
    ]
    _label_flow(texts, flow, longest, found)
    for number, text in enumerate(texts):
        if not text.flows:
            _label_flow(texts, [_Placed(number, page) for page in text.breaks], longest, found)
    return found


def _label_flow(
    texts: Sequence[PagedText], flow: Sequence[_Placed], longest: int, found: list[list[From]]
) -> None:
    for number, placed in enumerate(flow):
        after = flow[number + 1] if number + 1 < len(flow) else None
        label = placed.page.label
        if label is not None and (placed.page.lost or not _ends_at(label, after)):
            label = None
        rest = texts[placed.text].length - placed.page.offset
        if after is None:
            label = label if rest <= longest else None
        found[placed.text].append((placed.page.offset, label))
        if after is None or label is None:
            continue
        between = [other for other in range(placed.text + 1, after.text + 1) if texts[other].flows]
        carried = rest + sum(texts[other].length for other in between if other != after.text)
        carried += after.page.offset if after.text != placed.text else 0
        if carried <= longest:
            for other in between:
                found[other].append((0, label))


def _longest_page(texts: Sequence[PagedText]) -> int:
    """Return the length of the longest page that begins and ends within one text."""
    return max(
        (
            after.offset - page.offset
            for text in texts
            for page, after in zip(text.breaks, text.breaks[1:], strict=False)
            if page.label and after.label and _follows(page.label, after.label)
        ),
        default=0,
    )


def _ends_at(label: str, after: _Placed | None) -> bool:
    """Whether the page of this label ends where the next break is."""
    return after is None or after.page.label is None or _follows(label, after.page.label)


_NUMBER = re.compile(r"(.*?)(\d{1,6})")
_ROMAN = re.compile(r"m{0,4}(cm|cd|d?c{0,4})(xc|xl|l?x{0,4})(ix|iv|v?i{0,4})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def _follows(label: str, after: str) -> bool:
    """Whether no page is missing between two labels, as far as they are numbers."""
    first, second = _series(label), _series(after)
    if first is None or second is None:
        return True
    if first[0] != second[0]:
        return second[1] <= 1
    return second[1] in (first[1], first[1] + 1, 1)


def _series(label: str) -> tuple[str, int] | None:
    """Return how a label counts and its number: "12", "xii", "A-3"; None for any other."""
    number = _NUMBER.fullmatch(label)
    if number is not None:
        return number[1], int(number[2])
    if not label or not _ROMAN.fullmatch(label):
        return None
    values = [_ROMAN_VALUES[letter] for letter in label.lower()]
    total = sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
    return "roman", total
