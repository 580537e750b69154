"""Telling whether a text carries the words of a query, and cutting it to a budget around them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mcp_books._quotes import straight

__all__ = ["Needles", "cut_around", "fold", "needles", "opening", "spans"]

_SOFT_HYPHEN = "\u00ad"
_MARKS = (
    f"{_SOFT_HYPHEN}\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u065f\u0670"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"  # Thai
    "\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"  # Lao
    "\u17b4-\u17d3\u17dd"  # Khmer
    "\u3099\u309a"  # kana
)
"""Signs written on a letter, which part no word."""

_WITHOUT_SPACES = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"  # Han
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3105-\u312f\u1100-\u11ff\uac00-\ud7a3"  # Bopomofo, Hangul
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6"  # Thai, Lao
    "\u1780-\u17b3"  # Khmer
)
"""Letters of scripts that put no space between words: each stands for itself."""

_JAMO = "[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?"
"""A Hangul syllable written as its letters."""

_WORD = re.compile(
    rf"{_JAMO}|(?=\w)[{_WITHOUT_SPACES}][{_MARKS}]*|(?:[^\W{_WITHOUT_SPACES}][{_MARKS}]*)+"
)
_PHRASE = re.compile(r'"([^"]*)"')
_SPACE = re.compile(r"\s")
_ELLIPSIS = "…"
_FOLDED: Mapping[int, str] = str.maketrans(
    {"æ": "ae", "œ": "oe", "ß": "ss", "þ": "th", "ð": "d", "đ": "d", "ø": "o", "ł": "l", "ı": "i"}
)
"""Letters that decompose into nothing and are still written without their stroke or ligature."""


class Needles(NamedTuple):
    """What a text has to hold, folded: single words, and words that stand side by side.

    `phrases` were quoted; `compounds` were written as one (ex-president, l'été, 三國).
    """

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    compounds: tuple[tuple[str, ...], ...] = ()


class _Token(NamedTuple):
    folded: str
    start: int
    end: int


def needles(query: str) -> Needles:
    """Return what has to stand in a text for it to carry `query`."""
    query = straight(query)
    phrases = [_folded(match[1]) for match in _PHRASE.finditer(query)]
    chunks = [_folded(chunk) for chunk in _PHRASE.sub(" ", query).split()]
    return Needles(
        tuple(dict.fromkeys(chunk[0] for chunk in chunks if len(chunk) == 1)),
        tuple(dict.fromkeys(phrase for phrase in phrases if phrase)),
        tuple(dict.fromkeys(chunk for chunk in chunks if len(chunk) > 1)),
    )


def spans(text: str, wanted: Needles) -> tuple[tuple[int, int], ...]:
    """Return where the words stand in `text`, in order; empty unless every one of them does."""
    tokens = list(_tokens(text))
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        places.setdefault(token.folded, []).append(place)
    found: set[tuple[int, int]] = set()
    for sought in (*((word,) for word in wanted.words), *wanted.phrases, *wanted.compounds):
        size = len(sought)
        standing = [
            (tokens[place].start, tokens[place + size - 1].end)
            for place in places.get(sought[0], ())
            if tuple(token.folded for token in tokens[place : place + size]) == sought
        ]
        if not standing:
            return ()
        found.update(standing)
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
    """Return `text` without case, diacritics, strokes through letters and ligatures."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    bare = "".join(c for c in decomposed if not unicodedata.combining(c) and c != _SOFT_HYPHEN)
    return bare.translate(_FOLDED)


def _folded(text: str) -> tuple[str, ...]:
    return tuple(token.folded for token in _tokens(text))


def _tokens(text: str) -> Iterator[_Token]:
    for match in _WORD.finditer(text):
        if folded := fold(match[0]):
            yield _Token(folded, match.start(), match.end())


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
