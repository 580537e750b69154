"""A book's parts as stretches, each with the chapter it stands in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from mcp_books.sources.calibre.extract.base import BETWEEN_TITLES, Stretch
from mcp_books.sources.calibre.extract.html_text import Region
from mcp_books.sources.calibre.extract.stretches import From, stretches

from .landmarks import Span
from .ncx import Chapter
from .parts import Part, divide, place

__all__ = ["cited"]

_LONGEST_HEADING = 400


def cited(
    parts: Iterable[Part], chapters: Sequence[Chapter], spans: Sequence[Span], encoding: str
) -> Iterator[Stretch]:
    """Yield the stretches of the parts in their order; a chapter lasts until the next begins."""
    starts = [chapter.at for chapter in chapters]
    section: str | None = None
    for part in chain.from_iterable(map(divide, parts)):
        own = chapters[bisect_left(starts, part.start) : bisect_left(starts, part.end)]
        inside = [span for span in spans if span.start < part.end and span.end > part.start]
        places = sorted(
            {chapter.at for chapter in own}
            | {at for span in inside for at in (span.start, span.end) if _holds(part, at)}
        )
        placed = place(part, places, encoding)
        offset_of = dict(zip(places, placed.offsets, strict=True))
        text = placed.walked.text
        sections: list[From] = [(0, section)]
        for chapter in own:
            start = _with_heading(text, sections[-1][0], offset_of[chapter.at], chapter.path[-1])
            sections.append((start, BETWEEN_TITLES.join(chapter.path)))
        regions = [
            Region(offset_of.get(span.start, 0), offset_of.get(span.end, len(text)), span.kind)
            for span in inside
        ]
        regions += placed.walked.regions
        yield from stretches(text, sections=sections, regions=regions)
        section = sections[-1][1]


def _with_heading(text: str, after: int, offset: int, title: str) -> int:
    """Return where a chapter starts, its heading included.

    Some writers have the table of contents lead behind the heading that an anchor stands in.
    """
    nearest = max(after, offset - _LONGEST_HEADING)
    before = text[nearest:offset].rstrip()
    paragraph = before.rfind("\n\n") + 2
    if paragraph >= 2 and " ".join(before[paragraph:].split()) == title:
        return nearest + paragraph
    return offset


def _holds(part: Part, at: int) -> bool:
    return part.start <= at < part.end
