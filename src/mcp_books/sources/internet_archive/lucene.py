"""Making a caller's words safe for the archive's query parser without changing what they ask.

The parser reads Lucene's syntax: an open quote, an `&` inside a word, a `/` or a `:` make it refuse
the query or ask something else, and a capital AND, OR, NOT or TO is an operator.
"""

from __future__ import annotations

import re
import unicodedata

from mcp_books._quotes import straight

__all__ = ["safe_words"]

_PROXIMITY = re.compile(r"^[~^][\d.]*")
_OPERATORS = frozenset({"AND", "OR", "NOT", "TO"})
_SYNTAX = "&|!(){}[]^~*?:\\/<>="
_LEADING = _SYNTAX + "+-"


def safe_words(text: str) -> str:
    """Return `text` as words and quoted phrases that the parser reads as nothing else.

    Quotes are balanced; a term holding syntax is quoted; an operator word is lower-cased; what
    holds nothing searchable is left out, so the result is empty where nothing usable is left.
    """
    parts: list[str] = []
    for position, piece in enumerate(straight(text).split('"')):
        if position % 2:
            parts.append(_phrase(piece))
        else:
            outside = _PROXIMITY.sub("", piece) if position else piece
            parts.extend(_term(word) for word in outside.split())
    return " ".join(part for part in parts if part)


def _phrase(text: str) -> str:
    inside = " ".join(re.sub(r"[&\\]", " ", text).split())
    return f'"{inside}"' if _searchable(inside) else ""


def _term(word: str) -> str:
    bare = word.lstrip(_LEADING).rstrip(_SYNTAX)
    if not _searchable(bare):
        return ""
    if any(character in _SYNTAX for character in bare):
        return _phrase(bare)
    return bare.lower() if bare in _OPERATORS else bare


def _searchable(text: str) -> bool:
    """Tell whether `text` holds more than punctuation and the signs of a keyboard."""
    return any(
        not character.isspace()
        and not unicodedata.category(character).startswith(("P", "C"))
        and not (character.isascii() and not character.isalnum())
        for character in text
    )
