"""Making text that somebody else wrote safe to stand in the text block.

Nothing of it can start a line, hide a character, load an image, or pass for a line of the server's
own. The structured answer keeps every text as published.
"""

from __future__ import annotations

import re
import unicodedata
from typing import get_args
from urllib.parse import quote

from .errors import ErrorCode

__all__ = ["LABELS", "LINE_MARK", "address", "identifier", "one_line", "quoted_lines"]

LABELS = (
    "absent",
    "also asked",
    "answered",
    "by",
    "context",
    "copies",
    "credit",
    "description",
    "excerpt",
    "failed",
    "id",
    "not filled here",
    "not surely indexed",
    "note",
    "order",
    "page opening, not the match",
    "passage",
    "read as",
    "record",
    "record notes",
    "sections left out",
    "sent as",
    "subjects",
    "terms",
)
"""How the server's own lines open, apart from the first line and the numbers of rows."""

LINE_MARK = "  │ "
"""What opens a line of text that keeps its lines."""

_COLONS = ":：﹕꞉∶ː։︓"
_STATUSES = "answered|failed|absent"
_IMITATION = re.compile(
    rf"^(\W{{0,9}}(?:{'|'.join(map(re.escape, LABELS))})\W{{0,9}}?(?:\([^)]{{0,80}}\))?)"
    rf"\s*[{_COLONS}]+"
    rf"|^(\d+ (?:hits?|records?), page \d+, for)\s*[{_COLONS}]+"
    rf"|^([^{_COLONS}]{{0,80}})[{_COLONS}](?=\s*(?:{_STATUSES})\b)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    rf"^(\W{{0,9}})\[\s*({'|'.join(get_args(ErrorCode))}|\d+)\s*\]", re.IGNORECASE
)

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff]"
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_MARKDOWN = re.compile(r"(!)(?=\[)|(\])(?=[(\[:])")
_FENCE = re.compile(r"`{3,}|~{3,}")
_SEPARATOR = re.compile(r"(?<![^ ])·(?![^ ])")
_UNSAFE_IN_ADDRESS = frozenset(' <>[]{}"`\\^|')


def one_line(text: str) -> str:
    """Return `text` on one line: invisible characters gone, markup and imitations broken."""
    text = _visible(text)
    text = _SEPARATOR.sub("-", text)
    text = _TAG.sub("‹", text)
    text = _FENCE.sub(lambda run: "'" * len(run[0]), text)
    text = _MARKDOWN.sub(lambda found: f"{found[0]} ", text)
    text = _BRACKETED.sub(r"\1[ \2 ]", text)
    return _IMITATION.sub(lambda found: f"{found[1] or found[2] or found[3] or ''} :", text)


def quoted_lines(text: str) -> list[str]:
    """Return the lines of `text` that hold anything, each safe and behind `LINE_MARK`."""
    safe = (one_line(line) for line in text.splitlines())
    return [LINE_MARK + line for line in safe if line]


def address(url: str) -> str:
    """Return `url` as one token: what would end or disguise it is percent-encoded."""
    return "".join(_encoded(c) if _hides(c) or c in _UNSAFE_IN_ADDRESS else c for c in url)


def identifier(text: str) -> str:
    """Return an identifier as it is given back, except for what has no place in one."""
    unsafe = _UNSAFE_IN_ADDRESS - {" "}
    return "".join(_encoded(c) if _hides(c) or c in unsafe else c for c in text)


def _visible(text: str) -> str:
    if not text.isprintable():
        text = "".join(
            " " if c.isspace() else "" if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c
            for c in text
        )
    return " ".join(_INVISIBLE.sub("", text).split())


def _hides(character: str) -> bool:
    if character == " ":
        return False
    return not character.isprintable() or _INVISIBLE.match(character) is not None


def _encoded(character: str) -> str:
    return quote(character, safe="", errors="replace")
