"""What a catalogue search looks through: the folded texts of every book, made once a snapshot."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .books import isbn13
from .folding import fold
from .index import pieces

__all__ = ["Haystack", "Term", "haystacks", "terms"]

_BLOCK = re.compile(
    r"</?(?:p|div|br|hr|li|ul|ol|dl|dt|dd|tr|td|th|table|h[1-6]|blockquote|pre|section)\b[^<>]*>",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"<(script|style|head)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BETWEEN = "|"
"""Stands between two texts, so that no phrase runs from one into the other."""

Term = tuple[str, ...]
"""A word or a phrase, as the spellings of it that count, each with a space on both sides."""
NumbersOf = Callable[[int], Iterable[int]]
Labels = tuple[Mapping[int, str], NumbersOf]
"""Names by number, and the numbers that a book has."""


class Haystack(NamedTuple):
    """The folded texts of one book: its title, its authors, everything else."""

    text: str
    title_end: int
    authors_end: int

    def rank(self, wanted: Sequence[Term]) -> int | None:
        """Return 0 where the title holds every term, 1 where title and authors do, 2 where all
        texts do, and None where a term is missing."""
        text = self.text
        for term in wanted:
            if not any(one in text for one in term):
                return None
        for rank, end in enumerate((self.title_end, self.authors_end)):
            if all(any(text.find(one, 0, end) >= 0 for one in term) for term in wanted):
                return rank
        return 2


def terms(query: str) -> tuple[Term, ...]:
    """Return what has to stand in a book: every quoted phrase, every word outside of one.

    A word with punctuation in it ("state-of-the-art") and a run of a script without spaces are
    phrases. An ISBN counts in both its lengths.
    """
    found = (_term(piece) for piece, _ in pieces(query))
    return tuple(dict.fromkeys(term for term in found if term))


def haystacks(
    *,
    titles: Mapping[int, str],
    authors: Mapping[int, str],
    authors_of: NumbersOf,
    labels: Iterable[Labels],
    identifiers_of: Mapping[int, Sequence[tuple[Any, ...]]],
    comments_of: Mapping[int, object],
) -> dict[int, Haystack]:
    """Return the haystack of every book of `titles`."""
    names = {number: fold(name) for number, name in authors.items()}
    others = [({number: fold(name) for number, name in known.items()}, of) for known, of in labels]
    found: dict[int, Haystack] = {}
    for book, title in titles.items():
        start = f" {fold(title)} {_BETWEEN}"
        middle = _joined(names, authors_of(book))
        rest = "".join(_joined(known, of(book)) for known, of in others)
        for _, kind, value in identifiers_of.get(book, ()):
            rest += _identifier(str(kind), str(value))
        comments = comments_of.get(book)
        if isinstance(comments, str) and comments:
            rest += f" {fold(_seen(comments))} "
        found[book] = Haystack(start + middle + rest, len(start), len(start) + len(middle))
    return found


def _joined(names: Mapping[int, str], numbers: Iterable[int]) -> str:
    return "".join(f" {names.get(number, '')} {_BETWEEN}" for number in numbers)


def _identifier(kind: str, value: str) -> str:
    isbn = isbn13(value) if kind.lower() == "isbn" else None
    also = f" isbn {isbn} {_BETWEEN}" if isbn else ""
    return f" {fold(kind)} {fold(value)} {_BETWEEN}{also}"


def _term(chunk: str) -> Term | None:
    folded = fold(chunk)
    if not folded:
        return None
    isbn = isbn13(folded)
    spellings = (f" {folded} ", f" {isbn} ") if isbn else (f" {folded} ",)
    return tuple(dict.fromkeys(spellings))


def _seen(markup: str) -> str:
    """Return the words of a comment as they are seen; a word can be marked up in its middle."""
    if "<" in markup:
        markup = _TAG.sub("", _BLOCK.sub(" ", _UNSEEN.sub(" ", markup)))
    return html.unescape(markup) if "&" in markup else markup
