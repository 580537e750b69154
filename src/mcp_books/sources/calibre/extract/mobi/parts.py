"""A book's markup in parts that are parsed one by one, with marks where something is pointed at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_books.sources.calibre.extract.html_text import Walked, walk

__all__ = ["PAGE_BREAK", "Part", "Placed", "divide", "place", "split"]

PAGE_BREAK = re.compile(rb"<mbp:pagebreak\b[^<>]{0,200}>", re.IGNORECASE)
"""What a MOBI 6 book writes where its source had a new file."""

_SMALLEST_PART = 2**15
"""Bytes; a part need not be a chapter, and each costs a parser."""

_LARGEST_PART = 2**20
"""Bytes; what is held while a part is read is many times as large."""

_BLOCK = re.compile(rb"<(?:blockquote|div|h[1-6]|ol|p|table|ul)\b", re.IGNORECASE)
_BODY = re.compile(rb"<body\b[^<>]*>", re.IGNORECASE)
_BODY_WITHIN = 2**16
_LONGEST_TAG = 2**12
_NAME = "mobi-place-"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the markup, and where it starts in the whole."""

    start: int
    markup: bytes

    @property
    def end(self) -> int:
        """Where the next part starts."""
        return self.start + len(self.markup)


@dataclass(frozen=True, slots=True)
class Placed:
    """The text of a part, and for each place asked for the offset into the text."""

    walked: Walked
    offsets: Sequence[int]


def divide(part: Part) -> Iterator[Part]:
    """Yield the part, or where it is very long pieces of it that begin with a block."""
    start = 0
    while len(part.markup) - start > _LARGEST_PART:
        found = _BLOCK.search(part.markup, start + _LARGEST_PART)
        if found is None:
            break
        yield Part(part.start + start, part.markup[start : found.start()])
        start = found.start()
    yield Part(part.start + start, part.markup[start:]) if start else part


def split(text: bytes) -> Iterator[Part]:
    """Yield the parts of one stream of markup, each but the last ending before a page break."""
    start = 0
    for found in PAGE_BREAK.finditer(text):
        if found.start() - start >= _SMALLEST_PART:
            yield Part(start, text[start : found.start()])
            start = found.start()
    yield Part(start, text[start:])


def place(part: Part, places: Sequence[int], encoding: str) -> Placed:
    """Read a part to text; `places` count from the start of the whole, in their order."""
    body = _BODY.search(part.markup, 0, _BODY_WITHIN)
    first = body.end() if body else 0
    end = part.markup.rfind(b"</body")
    last = end if end >= 0 else len(part.markup)
    # A page break, whose prefix nothing declares, would be taken for a whole document.
    pieces: list[bytes] = [] if body else [b"<html><body>"]
    done = 0
    for at in places:
        here = max(done, _between_tags(part.markup, at - part.start, encoding))
        if first < here < last:
            pieces += (part.markup[done:here], b'<a id="%s%d"></a>' % (_NAME.encode(), at))
            done = here
    pieces.append(part.markup[done:])
    walked = walk(b"".join(pieces).decode(encoding, "replace"))
    return Placed(walked, _offsets(part, places, walked, last))


def _offsets(part: Part, places: Sequence[int], walked: Walked, last: int) -> list[int]:
    """Return the offset of each place; one without a mark is where the place before it is."""
    offsets: list[int] = []
    offset = 0
    for at in places:
        if at - part.start >= last:
            offset = len(walked.text)
        offset = max(offset, walked.ids.get(f"{_NAME}{at}", offset))
        offsets.append(offset)
    return offsets


def _between_tags(markup: bytes, at: int, encoding: str) -> int:
    """Return `at`, or what stands before it where that is inside a tag or a character."""
    nearest = max(0, at - _LONGEST_TAG)
    opened = markup.rfind(b"<", nearest, at)
    if opened > markup.rfind(b">", nearest, at):
        return opened
    while encoding == "utf-8" and 0 < at < len(markup) and markup[at] & 0xC0 == 0x80:
        at -= 1
    return at
