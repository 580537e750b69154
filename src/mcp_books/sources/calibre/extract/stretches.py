"""Cutting a text without pages of its own into stretches that can each be cited as one place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from mcp_books.sources.calibre.extract.base import LONGEST_STRETCH, Stretch, StretchKind
from mcp_books.sources.calibre.extract.html_text import Region

__all__ = ["From", "cut", "stretches"]

From = tuple[int, str | None]
"""An offset, and what holds from there on until the next one."""

_SHORTEST = LONGEST_STRETCH // 3
"""A cut at a better place is not made before this many characters."""

_PARAGRAPH_END = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"""[.!?…؟۔।]["'”’»›)\]]*\s|[。！？｡]["'”’»」』）]*""")
_LINE_END = re.compile(r"\n")
_WORD_END = re.compile(r"\s")


def stretches(
    text: str,
    *,
    sections: Sequence[From] = (),
    pages: Sequence[From] = (),
    regions: Sequence[Region] = (),
    kind: StretchKind = "body",
) -> Iterator[Stretch]:
    """Yield a document's text in pieces, none across a section's start or a printed page's break.

    `sections` and `pages` are in the order of their offsets; of two at one offset the later holds,
    and before the first nothing does. `kind` is that of text outside every region.
    """
    starts = [offset for offset, _ in (*sections, *pages)]
    for region in regions:
        starts += (region.start, region.end)
    section_at, page_at, kind_at = _Holding(sections), _Holding(pages), _Kinds(regions, kind)
    for start, end in cut(text, starts):
        label = page_at(start)
        yield Stretch(
            text=text[start:end],
            page_label=label,
            label_source=None if label is None else "pagelist",
            section=section_at(start),
            kind=kind_at(start),
        )


def cut(text: str, at: Iterable[int] = ()) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the text between the given offsets, longer ones divided.

    A range begins and ends with a visible character and is at most LONGEST_STRETCH long; a long one
    ends with a paragraph where it can, else with a sentence, a line, a word.
    """
    inner = sorted({offset for offset in at if 0 < offset < len(text)})
    start = 0
    for end in (*inner, len(text)):
        while end - start > LONGEST_STRETCH:
            middle = _best_end(text, start)
            yield from _trimmed(text, start, middle)
            start = middle
        yield from _trimmed(text, start, end)
        start = end


def _best_end(text: str, start: int) -> int:
    latest = start + LONGEST_STRETCH
    for end_of in (_PARAGRAPH_END, _SENTENCE_END, _LINE_END, _WORD_END):
        found = start
        for match in end_of.finditer(text, start + _SHORTEST, latest):
            found = match.end()
        if found > start:
            return found
    return latest


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    if start < end:
        yield start, end


class _Holding:
    """What holds at an offset."""

    def __init__(self, entries: Sequence[From]) -> None:
        self._offsets = [offset for offset, _ in entries]
        self._values = [value for _, value in entries]

    def __call__(self, offset: int) -> str | None:
        number = bisect_right(self._offsets, offset)
        return self._values[number - 1] if number else None


class _Kinds:
    """The kind of the innermost region at an offset, asked for in ascending order."""

    def __init__(self, regions: Sequence[Region], otherwise: StretchKind) -> None:
        self._ahead = sorted(regions, key=lambda region: (-region.start, region.end))
        self._open: list[Region] = []
        self._otherwise = otherwise

    def __call__(self, offset: int) -> StretchKind:
        while self._ahead and self._ahead[-1].start <= offset:
            self._open.append(self._ahead.pop())
        while self._open and self._open[-1].end <= offset:
            self._open.pop()
        return self._open[-1].kind if self._open else self._otherwise
