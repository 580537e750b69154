"""The characters Virtuoso 7.2.5 indexes, as ranges for a character class.

Every assigned character of the BMP, and every other one inside these ranges, was tried alone and
between letters. Outside the BMP none tried was a word.
"""

from __future__ import annotations

__all__ = ["IDEOGRAPHS", "JOINERS"]

JOINERS = (
    "0-9A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6"
    "\u00f8-\u04ff"  # Latin, IPA, combining marks, Greek, Cyrillic up to U+04FF
    "\u0531-\u074d\u0780-\u07b1"  # Armenian, Hebrew, Arabic, Syriac, Thaana
    "\u0900-\u0fbf\u1000-\u137c"  # Indic, Thai, Lao, Tibetan, Myanmar, Georgian, Ethiopic
    "\u13a0-\u167f\u1681-\u1753\u1780-\u17e9"  # Cherokee, syllabics, Ogham, runes, Khmer
    "\u1e00-\u1ffe"  # Latin Extended Additional, Greek Extended
    "\u3041-\u3094\u30a0-\u30fa\u3105-\u3163\u3165-\u318e"  # kana, Bopomofo, Hangul letters
    "\ua000-\ua4c6\uac00-\ud7a3"  # Yi, Hangul
    "\ufb00-\ufdff\ufe20-\ufe2f\ufe50-\uffee"  # presentation forms, half and full widths
)
"""Characters that make a word with their neighbours; so does one full stop between two of them."""

IDEOGRAPHS = (
    "\u2f00-\u2fd5\u3007\u3021-\u3029\u3038-\u303a\u3190-\u319f\u3200-\u9fa5"
    "\uf900-\ufad9\ufe30-\ufe4f"
)
"""Characters that are each a word of its own."""
