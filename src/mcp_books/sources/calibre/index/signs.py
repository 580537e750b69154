"""Signs that mean something to other search engines, and are not obeyed here.

A caller who writes one has to be told what was searched instead. Punctuation as prose has it says
nothing: a dash between spaces, a colon before one, a question mark that ends a quotation.
"""

from __future__ import annotations

import re

from mcp_books._quotes import PHRASE, QUOTATION_MARKS

__all__ = ["drops_a_sign"]

_HELD = "\0"
"""Stands for a phrase; no query that is read holds one."""
_START, _GOES_ON = rf"(?<![^\s({_HELD}])", rf"(?=[\w({_HELD}])"

_STAR = re.compile("[*\uff0a]")
_OUTSIDE = re.compile(
    rf"[?()~^{QUOTATION_MARKS}]"  # wildcard, group, nearness, weight; a mark without its pair
    rf"|{_START}[-+!]+{_GOES_ON}"  # excluded, required
    rf"|{_START}[^\W\d]+:{_GOES_ON}"  # a field
    r"|(?<!\S)(?:&&|\|\|?)(?!\S)"
)
_INSIDE = re.compile(r"[*\uff0a]|\?(?=\w)|(?<!\S)\?+(?!\S)")
_OPERATOR = re.compile(rf"{_START}(?:AND|OR|NOT|NEAR(?:/\d+)?)(?![^\s(){_HELD}])")


def drops_a_sign(text: str, *, stars: int = 0) -> bool:
    """Return whether `text` holds a sign that is not obeyed; `stars` are, outside of phrases."""
    outside = PHRASE.sub(_HELD, text)
    return (
        len(_STAR.findall(outside)) > stars
        or _OUTSIDE.search(outside) is not None
        or any(_INSIDE.search(phrase) for phrase in PHRASE.findall(text))
        or _has_operator(outside, text)
    )


def _has_operator(outside: str, text: str) -> bool:
    """Return whether a word in capitals stands out as an operator does, between two others."""
    if not any(one.isalpha() and not one.isupper() for one in _OPERATOR.sub("", text)):
        return False
    return any(
        (found[0] == "NOT" or outside[: found.start()].strip(" ("))
        and outside[found.end() :].strip()
        for found in _OPERATOR.finditer(outside)
    )
