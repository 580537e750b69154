"""Text as the index sees it: words in lower case without diacritics, separated by spaces.

A text and a query go through the same function, so that whatever it folds is found in either
spelling. What it gives holds word characters and spaces alone: where a word ends is decided here,
and SQLite's tokenizer only splits at the spaces.

A script written without spaces between words (Chinese, Japanese, Korean with its particles, Thai,
Lao, Khmer, Burmese) has each character as a word of its own; a run of them is searched as a phrase.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["NORMALISER", "Token", "normalise", "tokens"]

NORMALISER = 1
"""The version of these rules: an index made under another one has to be made again."""


class Token(NamedTuple):
    """A word as the index sees it, and where it stands in the text."""

    word: str
    start: int
    end: int


def normalise(text: str) -> str:
    """Return `text` as words and spaces, folded."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return text.translate(_TABLE)


def tokens(text: str) -> Iterator[Token]:
    """Yield the words of `text` as `normalise` gives them, each with its place in `text`."""
    for run in _RUN.finditer(text):
        if run[0].isascii():
            for word in _ASCII_WORD.finditer(run[0]):
                start = run.start() + word.start()
                yield Token(word[0].lower(), start, start + len(word[0]))
        else:
            yield from _in_a_run(run[0], run.start())


_RUN = re.compile(r"\S+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")

_LETTERS = {"đ": "d", "ø": "o", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe"}
"""Letters that Unicode does not decompose and readers type without their stroke."""

_TATWEEL = 0x0640
_ZERO_WIDTH_SPACE = 0x200B
_WORD_CATEGORIES = frozenset(
    ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "Co", "Mn", "Mc")
)  # fmt: skip

_SPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1100, 0x11FF),  # Hangul letters
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3041, 0x31FF),  # kana, Bopomofo
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),
)
_STARTS = [first for first, _ in _SPACED]


def _is_spaced(character: str) -> bool:
    code = ord(character)
    place = bisect_right(_STARTS, code) - 1
    return place >= 0 and code <= _SPACED[place][1]


def _is_diacritic(character: str) -> bool:
    """Tell whether a mark may be left out in writing.

    The marks of Latin, Greek, Cyrillic, Hebrew and Arabic are; vowel signs, viramas and the voicing
    of kana make another word and stay.
    """
    joining = unicodedata.combining(character)
    return joining == 1 or 10 <= joining <= 36 or joining >= 200


def _is_variation_selector(code: int) -> bool:
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or 0x180B <= code <= 0x180F


class _Table(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _fold(code)
        return found


_TABLE = _Table()


def _fold(code: int) -> str:
    character = chr(code)
    if code == _ZERO_WIDTH_SPACE:
        return " "
    if code == _TATWEEL or _is_variation_selector(code) or unicodedata.category(character) == "Cf":
        return ""
    decomposed = unicodedata.normalize("NFKD", character)
    decomposed = unicodedata.normalize("NFKD", decomposed.casefold())
    bare = "".join(_LETTERS.get(c, c) for c in decomposed if not _is_diacritic(c))
    return "".join(_as_word(c) for c in unicodedata.normalize("NFC", bare))


def _as_word(character: str) -> str:
    if unicodedata.category(character) not in _WORD_CATEGORIES:
        return " "
    return f" {character} " if _is_spaced(character) else character


def _in_a_run(run: str, offset: int) -> Iterator[Token]:
    word, start, end = "", 0, 0
    for first, after in _clusters(run):
        for character in normalise(run[first:after]):
            if character != " ":
                if not word:
                    start = first
                word, end = word + character, after
            elif word:
                yield Token(word, offset + start, offset + end)
                word = ""
    if word:
        yield Token(word, offset + start, offset + end)


def _clusters(run: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of `run` that composing characters cannot cross."""
    first = 0
    for place in range(1, len(run)):
        if not _joins(run[place]):
            yield first, place
            first = place
    if run:
        yield first, len(run)


def _joins(character: str) -> bool:
    return (
        unicodedata.combining(character) > 0
        or "\u1160" <= character <= "\u11ff"
        or character in "\uff9e\uff9f"
    )
