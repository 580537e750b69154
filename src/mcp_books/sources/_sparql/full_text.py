"""A query as an argument of `bif:contains`, split into words as the engine splits them.

The argument is a small language of quoted items joined by AND; one item that holds no indexed word
fails the whole, and a stray quote or operator changes its meaning. So it is built from words alone.
What is a word was tried on Virtuoso 7.2.5, character by character over the BMP.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mcp_books._quotes import straight
from mcp_books.errors import InvalidInput

from .word_characters import IDEOGRAPHS, JOINERS

__all__ = ["MAX_WORDS", "MAX_WORD_LENGTH", "Expression", "expression", "literal", "words"]

MAX_WORDS = 12
"""Words sent; the cost of an expression grows with the square of their number."""

MAX_WORD_LENGTH = 65
"""Characters of the longest word the engine indexes."""

_WORD = re.compile(f"[{JOINERS}]+(?:\\.[{JOINERS}]+)*|[{IDEOGRAPHS}]")
_PHRASE = re.compile(r'"([^"]*)"')
_SHOWN = 40
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Expression:
    """What is asked of the text index, and how it differs from what the caller wrote."""

    argument: str
    """The argument of `bif:contains`, before it is written as a literal."""
    plain: str
    """The same as a reader would write it: words, and phrases in double quotes."""
    set_aside: tuple[str, ...]
    """Words of the query that are not asked for."""
    differs: bool
    """More of the query was left out or changed than case, spacing and the shape of its quotes."""


def expression(text: str) -> Expression:
    """Return the expression that asks for every word and phrase of `text`.

    Raises:
        InvalidInput: no word is left that the engine indexes.
    """
    written = straight(text)
    composed = unicodedata.normalize("NFC", written)
    set_aside: list[str] = []
    items: dict[tuple[str, ...], bool] = {}
    room = MAX_WORDS
    for part, is_phrase in _parts(composed):
        kept = []
        for word, indexed in _words(part):
            if indexed and room > 0:
                kept.append(word)
                room -= 1
            else:
                set_aside.append(_shortened(word))
        items |= {tuple(kept): True} if is_phrase else {(word,): False for word in kept}
    items.pop((), None)
    if not items:
        raise InvalidInput(
            "the query holds no word that a text search can look for",
            hint=f"Give at least one word of letters or digits, of {MAX_WORD_LENGTH} at most.",
        )
    plain = " ".join(
        f'"{" ".join(item)}"' if is_phrase else item[0] for item, is_phrase in items.items()
    )
    return Expression(
        argument=" AND ".join(f"'{_quoted(item)}'" for item in items),
        plain=plain,
        set_aside=tuple(dict.fromkeys(set_aside)),
        differs=_spelling(plain) != _spelling(written),
    )


def words(text: str) -> tuple[str, ...]:
    """Return the words of `text` as the engine indexes them, case kept."""
    return tuple(word for word in _WORD.findall(text) if len(word) <= MAX_WORD_LENGTH)


def literal(text: str) -> str:
    """Return `text` as a SPARQL string literal in double quotes."""
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the stretches of `text` in order, and whether each is a quoted phrase."""
    position = 0
    for match in _PHRASE.finditer(text):
        yield text[position : match.start()], False
        yield match[1], True
        position = match.end()
    yield text[position:], False


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words of `text`, and whether the engine indexes each."""
    position = 0
    for match in _WORD.finditer(text):
        yield from _noise(text[position : match.start()])
        yield match[0], len(match[0]) <= MAX_WORD_LENGTH
        position = match.end()
    yield from _noise(text[position:])


def _noise(between: str) -> Iterator[tuple[str, bool]]:
    """Yield what a reader would call a word and the engine does not (`½`, `º`, N'Ko)."""
    for match in re.finditer(r"[^\W_]+", between):
        yield match[0], False


def _spelling(text: str) -> str:
    return "".join(text.split()).casefold()


def _shortened(word: str) -> str:
    return word if len(word) <= _SHOWN else word[: _SHOWN - 1] + "…"


def _quoted(item: Iterable[str]) -> str:
    return " ".join(item).replace("'", "''")
