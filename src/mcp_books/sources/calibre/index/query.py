"""A caller's query, read into terms: every one is required.

Nothing of the caller's text reaches SQLite but words the normaliser gave, in quotation marks: no
operator, no column, no syntax error. A word that punctuation divides (state-of-the-art, 3.11) is
the phrase the tokenizer would make of it in a text. No word is left out for being common: the cost
of a query is that of its rarest word, and where all are common the deadline of the search applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from mcp_books._quotes import PHRASE, QUOTATION_MARKS
from mcp_books.errors import InvalidInput
from mcp_books.sources.calibre.index.normalise import normalise, tokens
from mcp_books.sources.calibre.index.signs import drops_a_sign

__all__ = [
    "MOST_CHARACTERS",
    "MOST_WORDS",
    "SHORTEST_PREFIX",
    "Query",
    "Term",
    "pieces",
    "read_query",
    "read_words",
]

MOST_WORDS = 32
MOST_CHARACTERS = 1000
SHORTEST_PREFIX = 4
"""Characters a word needs before a final * stands for any ending: FTS5 gathers every word that
begins so before it gives the first match, and cannot be stopped on the way."""

_PIECE = re.compile(rf"{PHRASE.pattern}|([^\s{QUOTATION_MARKS}]+)")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_IDEOGRAPHIC_PUNCTUATION = re.compile(
    "[\u3001-\u3004\u3008-\u3020\u3030\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+"
)


@dataclass(frozen=True, slots=True)
class Term:
    """One word, or words that have to follow each other."""

    words: tuple[str, ...]
    prefix: bool = False
    """The last word may go on."""

    @property
    def expression(self) -> str:
        """The term as FTS5 reads it."""
        return f'"{" ".join(self.words)}"' + ("*" if self.prefix else "")

    @property
    def plain(self) -> str:
        """The term as a reader would write it, and as it would be read again."""
        if self.prefix:
            return "-".join(self.words) + "*"
        written = self.words[0]
        for before, word in pairwise(self.words):
            # Characters that are words of their own are written without spaces.
            written += word if normalise(before + word).split() == [before, word] else f" {word}"
        return f'"{written}"' if " " in written else written


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for, and how many words of the query are not."""

    terms: tuple[Term, ...]
    left_out: int = 0
    """Words past the longest query that is searched."""
    drops_a_sign: bool = False
    """It holds a sign that other search engines obey."""

    @property
    def sent_as(self) -> str | None:
        """What is searched for, where a caller could think that it is something else."""
        return _plain(self.terms) if self.drops_a_sign or self.left_out else None

    @property
    def expression(self) -> str:
        """The query as FTS5 reads it."""
        return " ".join(term.expression for term in self.terms)

    def marks(self, text: str) -> tuple[tuple[int, int], ...]:
        """Return where the terms stand in `text`, in order; overlapping places are joined."""
        found = list(tokens(text))
        words = [token.word for token in found]
        places = sorted(
            (found[first].start, found[first + len(term.words) - 1].end)
            for term in self.terms
            for first in _occurrences(words, term)
        )
        joined: list[tuple[int, int]] = []
        for start, end in places:
            if joined and start < joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return tuple(joined)


def read_query(text: str) -> Query:
    """Read what a caller asks for: words, or phrases in quotation marks.

    Raises:
        InvalidInput: it holds no word.
    """
    kept, left_out = _cut(text)
    terms: dict[Term, None] = {}
    room = MOST_WORDS
    read = _terms(kept)
    for term in read:
        if term in terms:
            continue
        left_out += max(0, len(term.words) - room)
        if len(term.words) <= room:
            terms[term] = None
        elif room:
            terms[Term(term.words[:room])] = None
        room = max(0, room - len(term.words))
    if not terms:
        raise InvalidInput(
            "The query holds no word that can be searched.",
            hint="Ask with at least one word or number.",
        )
    stars = sum(term.prefix for term in read)
    return Query(tuple(terms), left_out, drops_a_sign(_CONTROLS.sub("", kept), stars=stars))


def read_words(text: str) -> str | None:
    """Return the same of a search that takes whole words alone, however many; None: it is asked as
    it is written."""
    if not drops_a_sign(_CONTROLS.sub("", text)):
        return None
    return _plain(dict.fromkeys(replace(term, prefix=False) for term in _terms(text)))


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield every quoted phrase and every word outside of one, in order; True stands by a phrase.

    Full-width punctuation divides words, as a space does.
    """
    for piece in _PIECE.finditer(_CONTROLS.sub("", text)):
        if piece[1] is not None:
            yield piece[1], True
        else:
            yield from ((word, False) for word in _IDEOGRAPHIC_PUNCTUATION.split(piece[2]))


def _plain(terms: Iterable[Term]) -> str:
    return " ".join(term.plain for term in terms)


def _cut(text: str) -> tuple[str, int]:
    if len(text) <= MOST_CHARACTERS:
        return text, 0
    kept = text[:MOST_CHARACTERS]
    if not text[MOST_CHARACTERS].isspace():
        head, _, _ = kept.rpartition(" ")
        kept = head or kept
    return kept, len(text[len(kept) :].split())


def _terms(text: str) -> list[Term]:
    terms = []
    for piece, is_phrase in pieces(text):
        if words := tuple(normalise(piece).split()):
            goes_on = piece.endswith("*") and len(words[-1]) >= SHORTEST_PREFIX
            terms.append(Term(words, prefix=goes_on and not is_phrase))
    return terms


def _occurrences(words: list[str], term: Term) -> list[int]:
    size = len(term.words)
    whole = term.words[:-1] if term.prefix else term.words
    return [
        first
        for first in range(len(words) - size + 1)
        if tuple(words[first : first + len(whole)]) == whole
        and (not term.prefix or words[first + size - 1].startswith(term.words[-1]))
    ]
