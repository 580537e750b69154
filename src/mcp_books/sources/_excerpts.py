"""Telling whether a text carries the words of a query, and cutting it to a budget around them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["Needles", "cut_around", "needles", "opening", "spans"]

_MARKS_ON_LETTERS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u065f\u0670"
_SOFT_HYPHEN = "\u00ad"
_WORD = re.compile(rf"\w[\w{_MARKS_ON_LETTERS}{_SOFT_HYPHEN}]*")
_PHRASE = re.compile(r'["“”„«»]([^"“”„«»]+)["“”„«»]')
_SPACE = re.compile(r"\s")
_ELLIPSIS = "…"


class Needles(NamedTuple):
    """The words and phrases of a query, folded."""

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]


class _Token(NamedTuple):
    folded: str
    start: int
    end: int


def needles(query: str) -> Needles:
    """Return what has to stand in a text for it to carry `query`."""
    phrases = tuple(
        phrase
        for match in _PHRASE.finditer(query)
        if len(phrase := tuple(token.folded for token in _tokens(match[1]))) > 0
    )
    words = tuple(token.folded for token in _tokens(_PHRASE.sub(" ", query)))
    return Needles(tuple(dict.fromkeys(words)), phrases)


def spans(text: str, wanted: Needles) -> tuple[tuple[int, int], ...]:
    """Return where the words stand in `text`, in order; empty unless every one of them does."""
    tokens = list(_tokens(text))
    found: list[tuple[int, int]] = []
    for word in wanted.words:
        places = [(token.start, token.end) for token in tokens if token.folded == word]
        if not places:
            return ()
        found.extend(places)
    for phrase in wanted.phrases:
        places = _places(tokens, phrase)
        if not places:
            return ()
        found.extend(places)
    return tuple(sorted(found))


def cut_around(text: str, marks: Sequence[tuple[int, int]], budget: int) -> str:
    """Return at most `budget` characters of `text` around as many of the `marks` as fit.

    Cuts fall between words; an ellipsis, counted in the budget, says where text was left out.
    """
    if len(text) <= budget:
        return text
    start, end = _densest(marks, budget) if marks else (0, 0)
    room = max(0, budget - 2 - (end - start))
    left = max(0, start - room // 2)
    right = min(len(text), left + budget - 2)
    left = max(0, right - (budget - 2))
    left = _next_break(text, left, start)
    right = _last_break(text, right, end)
    return (
        (_ELLIPSIS if left else "")
        + text[left:right].strip()
        + (_ELLIPSIS if right < len(text) else "")
    )


def opening(text: str, budget: int) -> str:
    """Return the start of `text`, at most `budget` characters of it."""
    return cut_around(text, (), budget)


def fold(text: str) -> str:
    """Return `text` without case and without diacritics."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c) and c != _SOFT_HYPHEN)


def _tokens(text: str) -> Iterator[_Token]:
    for match in _WORD.finditer(text):
        yield _Token(fold(match[0]), match.start(), match.end())


def _places(tokens: list[_Token], phrase: tuple[str, ...]) -> list[tuple[int, int]]:
    size = len(phrase)
    return [
        (tokens[i].start, tokens[i + size - 1].end)
        for i in range(len(tokens) - size + 1)
        if tuple(token.folded for token in tokens[i : i + size]) == phrase
    ]


def _densest(marks: Sequence[tuple[int, int]], budget: int) -> tuple[int, int]:
    """Return the stretch that holds the most marks within `budget`, the earliest of equals."""
    marks = sorted(marks)
    best = (marks[0][0], min(marks[0][1], marks[0][0] + budget - 2))
    most = after = 0
    for first, (start, _) in enumerate(marks):
        after = max(after, first)
        while after < len(marks) and marks[after][1] - start <= budget - 2:
            after += 1
        if after - first > most:
            most, best = after - first, (start, max(end for _, end in marks[first:after]))
    return best


def _next_break(text: str, position: int, limit: int) -> int:
    if position == 0:
        return 0
    found = _SPACE.search(text, position - 1, max(limit, position))
    return position if found is None else found.end()


def _last_break(text: str, position: int, limit: int) -> int:
    if position >= len(text):
        return len(text)
    for place in range(position, limit - 1, -1):
        if text[place].isspace():
            return place
    return position
