"""A query to its ordered wordings: derived from the caller's words alone. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ._phrases import Derivation
from ._quotes import PHRASE, straight

__all__ = ["Reformulation", "non_word_characters", "reformulate"]


class Reformulation(NamedTuple):
    """One wording, and how it was made."""

    text: str
    derivation: Derivation
    again: bool = False
    """The same words once more, in another field of the catalogue."""


def reformulate(query: str, *, fan_out: bool = True) -> tuple[Reformulation, ...]:
    """Return the wordings of `query` in the order they may be sent, without repeats.

    The first is always the words as asked; without `fan_out` it is the only one.
    """
    as_asked = Reformulation(query, Derivation.AS_ASKED)
    if not fan_out:
        return (as_asked,)
    kept: dict[str, Reformulation] = {_key(query): as_asked}
    for wording in _derived(query):
        if wording.text:
            kept.setdefault(_key(wording.text), wording)
    return tuple(kept.values())


def non_word_characters(query: str) -> tuple[str, ...]:
    """Return each character of `query` that is no letter, digit, mark, punctuation or space."""
    return tuple(dict.fromkeys(c for c in query if not _is_of_words(c)))


def _derived(query: str) -> Iterator[Reformulation]:
    words = _words(query)
    if PHRASE.search(query):
        yield Reformulation(_without_quotation_marks(query), Derivation.UNQUOTED)
    yield Reformulation(unicodedata.normalize("NFC", query), Derivation.NFC)
    runs = _marked_runs(words)
    for room in (3, 2):
        if runs:
            yield Reformulation(" ".join(_fitting(runs, room)), Derivation.NAMES)
        elif len(words) > room:
            yield Reformulation(" ".join(_longest(words, room)), Derivation.LONGEST_WORDS)
    yield Reformulation(_without_diacritics(query), Derivation.FOLDED)
    if len(words) == 2 and all(_letters(word) >= 3 for word in words):
        joined = "".join(words)
        yield Reformulation(joined, Derivation.JOINED)
        yield Reformulation(_without_diacritics(joined), Derivation.JOINED_FOLDED)


def _words(query: str) -> list[str]:
    stripped = (_strip_punctuation(word) for word in _without_quotation_marks(query).split())
    return [word for word in stripped if word]


def _marked_runs(words: Sequence[str]) -> list[list[str]]:
    """Return the runs of capitalised words, where capitals inside the sentence mark names."""
    capitalised = [word[0].isupper() or word[0].istitle() for word in words]
    if len(words) < 2 or all(capitalised):
        return []
    if not capitalised[1]:
        capitalised[0] = False
    runs: list[list[str]] = []
    for index, word in enumerate(words):
        if not capitalised[index]:
            continue
        if index and capitalised[index - 1]:
            runs[-1].append(word)
        else:
            runs.append([word])
    return runs


def _fitting(runs: Sequence[Sequence[str]], room: int) -> list[str]:
    chosen: list[str] = []
    for run in runs:
        if len(chosen) + len(run) <= room:
            chosen.extend(run)
    return chosen


def _longest(words: Sequence[str], count: int) -> list[str]:
    by_length = sorted(range(len(words)), key=lambda index: (-_letters(words[index]), index))
    return [words[index] for index in sorted(by_length[:count])]


def _without_quotation_marks(query: str) -> str:
    return " ".join(straight(query).replace('"', " ").split())


def _without_diacritics(text: str) -> str:
    kept: list[str] = []
    base_is_latin = False
    for character in unicodedata.normalize("NFD", text):
        if unicodedata.combining(character):
            if base_is_latin:
                continue
        else:
            base_is_latin = unicodedata.name(character, "").startswith("LATIN ")
        kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept))


def _strip_punctuation(word: str) -> str:
    start, end = 0, len(word)
    while start < end and unicodedata.category(word[start])[0] in "PS":
        start += 1
    while end > start and unicodedata.category(word[end - 1])[0] in "PS":
        end -= 1
    return word[start:end]


def _letters(word: str) -> int:
    return sum(unicodedata.category(c)[0] in "LN" for c in word)


def _is_of_words(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LMPZ" or category == "Nd" or character.isspace()


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
