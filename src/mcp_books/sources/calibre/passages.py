"""A place that the index found, as a hit: its excerpts, and where it stands in which book."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from mcp_books.models import Hit
from mcp_books.sources._excerpts import cut_around, opening
from mcp_books.sources.base import InsideQuery, Profile

from .addresses import view_book
from .books import Book
from .index import Place, Query
from .record import creator_of, reference_of
from .snapshot import Snapshot

__all__ = ["excerpts_of", "first_words", "hit_of"]

_WORDS_OF_ADDRESS = 8
_CHARACTERS_OF_ADDRESS = 60

Mark = tuple[int, int]


def hit_of(
    place: Place,
    file_format: str,
    snapshot: Snapshot,
    book: Book,
    *,
    asked: Query,
    query: InsideQuery,
    profile: Profile,
) -> Hit:
    """Return `place` of `book` as a hit."""
    marks = asked.marks(place.text)
    reference = reference_of(snapshot.library, book.id)
    values: dict[str, object] = {
        "id": f"{profile.id}:{reference}",
        "source": profile.id,
        "source_name": profile.name,
        "identifier": reference,
        "title": book.title or None,
        "creator": creator_of(book),
        "year": book.published.year if book.published else None,
        "source_url": view_book(
            snapshot.folder_name, book.id, file_format, first_words(place.text)
        ),
        "page_number": place.page_number,
        "excerpts": excerpts_of(
            place.text, marks, most=query.max_excerpts, budget=query.max_excerpt_chars
        ),
        "excerpt_kind": "passage" if marks else "page_opening",
        "found_by_query": query.text,
        "matched_file": file_format,
    }
    stated = {
        "page_label": place.label,
        "label_source": place.label_source if place.label is not None else None,
        "section": place.section,
    }
    values |= {name: value for name, value in stated.items() if value is not None}
    return Hit.model_validate(values)


def excerpts_of(text: str, marks: Sequence[Mark], *, most: int, budget: int) -> tuple[str, ...]:
    """Return at most `most` excerpts of `budget` characters around `marks`, in the text's order.

    Where no mark stands there is one, the beginning of the text.
    """
    if not marks or len(text) <= budget:
        found = [(0, cut_around(text, marks, budget) if marks else opening(text, budget))]
    else:
        found = list(_around(text, list(marks), most, budget))
    excerpts = (" ".join(excerpt.split()) for _, excerpt in sorted(found))
    return tuple(excerpt for excerpt in excerpts if excerpt)


def first_words(text: str) -> str:
    """Return the words by which Calibre's viewer finds the place: the same for every query.

    Without soft hyphens and the like, which no address that is read again may hold.
    """
    text = "".join(one for one in text[: 8 * _CHARACTERS_OF_ADDRESS] if not _is_unseen(one))
    words = " ".join(text.split()[:_WORDS_OF_ADDRESS])
    if len(words) <= _CHARACTERS_OF_ADDRESS:
        return words
    kept = words[:_CHARACTERS_OF_ADDRESS]
    head, _, _ = kept.rpartition(" ")
    return head or kept


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs") and not character.isspace()


def _around(text: str, marks: list[Mark], most: int, budget: int) -> Iterator[tuple[int, str]]:
    """Yield where an excerpt stands and the excerpt, the one with the most marks first."""
    for _ in range(most):
        if not marks:
            return
        group = _most_within(marks, budget - 2)
        start, end = group[0][0], group[-1][1]
        yield start, cut_around(text, group, budget)
        marks = [mark for mark in marks if mark[1] <= start - budget or mark[0] >= end + budget]


def _most_within(marks: Sequence[Mark], length: int) -> list[Mark]:
    """Return the most marks that stand within `length` characters, the earliest of equals."""
    best: Sequence[Mark] = marks[:1]
    after = 0
    for first, (start, _) in enumerate(marks):
        after = max(after, first + 1)
        while after < len(marks) and marks[after][1] - start <= length:
            after += 1
        if after - first > len(best):
            best = marks[first:after]
    return list(best)
