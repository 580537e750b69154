"""What is sent for a wording: the Library's search drops every operator without a word."""

from __future__ import annotations

import re
from typing import NamedTuple

from mcp_books._quotes import straight
from mcp_books.errors import InvalidInput

__all__ = ["Sent", "wording_sent"]

_BRACKETS = str.maketrans("()[]{}", "      ")
_PART = re.compile(r'-?"[^"]*"|\||[^\s"|]+')
_OPERATORS = frozenset(("AND", "OR", "NOT"))


class Sent(NamedTuple):
    """The words as sent, and the excluded ones that were not."""

    text: str
    left_out: tuple[str, ...]


def wording_sent(text: str) -> Sent:
    """Return `text` with nothing in it that the Library would drop in silence.

    Bare words are all required there. OR, NOT, a leading hyphen, brackets and `|` are removed by
    its search, so that an excluded word would be required. Here an exclusion is left out with its
    word; alternatives are refused, because requiring every side would deny what one side matches.
    In a query written in capitals throughout, these words mark nothing and are sent as words.

    Raises:
        InvalidInput: the query asks for alternatives, or no word remains.
    """
    parts = _parts(text)
    marks = any(part not in _OPERATORS and part != part.upper() for part in parts) or not any(
        part not in _OPERATORS and part != part.lower() for part in parts
    )
    kept: list[str] = []
    left_out: list[str] = []
    excluding = False
    for place, part in enumerate(parts):
        between = 0 < place < len(parts) - 1
        if between and (part == "|" or (marks and part == "OR")):
            raise InvalidInput(
                "the Library's search has no alternatives: it would require every side",
                hint="Ask once for each side.",
            )
        if between and marks and part in _OPERATORS:
            excluding = part == "NOT"
        elif excluding or (part.startswith("-") and _has_word(part)):
            left_out.append(part.lstrip("-"))
            excluding = False
        elif part.strip("-|"):
            kept.append(part.lower() if part in _OPERATORS else part)
    if not any(map(_has_word, kept)):
        raise InvalidInput(
            "nothing in the query is a word the Library can search for",
            hint="Give at least one word to look for.",
        )
    return Sent(" ".join(kept), tuple(left_out))


def _parts(text: str) -> list[str]:
    query = straight(text).translate(_BRACKETS)
    if query.count('"') % 2:
        query = query.replace('"', " ")
    return [
        " ".join(part.replace("|", " ").split()) if '"' in part else part
        for part in _PART.findall(query)
    ]


def _has_word(part: str) -> bool:
    return any(character.isalnum() for character in part)
