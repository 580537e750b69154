"""The marks that quote a phrase, in every script a reader may paste them from."""

from __future__ import annotations

import re

__all__ = ["PHRASE", "QUOTATION_MARKS", "straight"]

QUOTATION_MARKS = '"“”„‟«»＂〝〞〟'
"""A pair of any of them quotes what stands between."""

PHRASE = re.compile(f"[{QUOTATION_MARKS}]([^{QUOTATION_MARKS}]+)[{QUOTATION_MARKS}]")
"""A quoted phrase; its words are group 1."""

_MARK = re.compile(f"[{QUOTATION_MARKS}]")


def straight(text: str) -> str:
    """Return `text` with every quotation mark written as `"`."""
    return _MARK.sub('"', text)
