"""Words of the catalogue as the text index folds them: both searches find the same spellings."""

from __future__ import annotations

from mcp_books.sources.calibre.index.normalise import normalise

__all__ = ["fold"]


def fold(text: str) -> str:
    """Return the words of `text` without case, diacritics and punctuation, one space between."""
    return " ".join(normalise(text).split())
