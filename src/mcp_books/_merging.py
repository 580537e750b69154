"""Deduplicate, interleave, passages before openings. Pure; no score spans archives."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import zip_longest
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

from ._phrases import Order
from .models import BriefRecord, Hit

__all__ = [
    "hit_key",
    "interleave",
    "order_of_hits",
    "order_of_rows",
    "passages_first",
    "record_key",
]

RowT = TypeVar("RowT", Hit, BriefRecord)


def hit_key(hit: Hit) -> Hashable:
    """Return what makes two hits the same: the record together with the place in it.

    Where a book has no pages, the place is where its address opens it.
    """
    opens_at = parse_qs(urlsplit(hit.source_url).query).get("open_at", ())
    place = (hit.page_number, hit.page_label, hit.section, *opens_at)
    return (hit.id, hit.matched_file, place)


def record_key(record: BriefRecord) -> Hashable:
    """Return what makes two rows the same record: the identifier with its archive."""
    return record.id


def interleave(lists: Sequence[Sequence[RowT]]) -> tuple[RowT, ...]:
    """Return one row from each list in turn, each list in its own order."""
    return tuple(row for turn in zip_longest(*lists) for row in turn if row is not None)


def passages_first(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits that show their match before those that show the page's opening."""
    return tuple(sorted(hits, key=lambda hit: hit.excerpt_kind == "page_opening"))


def order_of_rows(lists: Sequence[Sequence[RowT]]) -> Order:
    """Return how a list interleaved from `lists` was built."""
    contributing = sum(bool(rows) for rows in lists)
    if contributing == 0:
        return Order.EMPTY
    return Order.ONE_ARCHIVE if contributing == 1 else Order.INTERLEAVED


def order_of_hits(lists: Sequence[Sequence[Hit]]) -> Order:
    """Return how a list of hits was built, naming no step that changed nothing."""
    order = order_of_rows(lists)
    interleaved = interleave(lists)
    if passages_first(interleaved) == interleaved:
        return order
    return Order.PASSAGES_FIRST_ONE if order is Order.ONE_ARCHIVE else Order.PASSAGES_FIRST
