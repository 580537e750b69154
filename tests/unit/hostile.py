"""Texts that somebody else might have written to be taken for something they are not."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

__all__ = ["FOREIGN", "is_hidden"]

_PIECES = (
    *("\n", "\r\n", "\u2028", "\x85", "\x0b", "\t", "\x1b[2J", "\x00", "\x07", " ", "  "),
    *("\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\u00ad", "\u061c", "\U000e0041", "\ufe0f"),
    *("note:", "credit:", "id:", "by ", "passage:", "answered:", "failed:", "absent:", "terms:"),
    *("[1] ", "[invalid_input] ", "6 hits, page 1, for:", "note：", "Internet Archive: failed"),
    *("![x](http://evil.example)", "[x](javascript:x)", "[x]: http://evil.example", "![", "]("),
    *("<img src=x>", "<!--", "</p>", "<", "!", "[", "]", "(", ":", "```", "`", "~~~", "|---|"),
    *(" · ", "│ ", "# ", "- ", "> ", "1. ", "é", "e\u0301", "й", "質", "\U0001f40b", "\ud800"),
)

FOREIGN = st.lists(
    st.one_of(st.sampled_from(_PIECES), st.text(max_size=8)), min_size=1, max_size=8
).map("".join)
"""Any text, made mostly of what could do harm."""


def is_hidden(character: str) -> bool:
    """Tell whether `character` steers, reorders or hides what is shown."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
