"""One XHTML or HTML document to text, with the places of what can be pointed at.

Paragraphs are parted by an empty line, rows and list items by a line end. What is not read aloud
(scripts, ruby annotations, drawings, formulae) is left out, so that words stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mcp_books.sources.calibre.extract.html_elements import (
    BETWEEN,
    GAP_OF,
    TELLING,
    Gap,
    RegionKind,
    Role,
    RoleOf,
    identifiers,
    is_page_break,
    is_unseen,
    region_kind,
    semantics,
)
from mcp_books.sources.calibre.extract.markup import feed

__all__ = ["Break", "Region", "Walked", "past_word", "plain_label", "walk"]

LONGEST_LABEL = 24
"""Characters of a page's printed number; a page break that holds more holds text."""


@dataclass(frozen=True, slots=True)
class Break:
    """Where a page of the printed edition begins; the label is "" where the mark states none."""

    offset: int
    label: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the text that the document itself calls a table of contents or an index."""

    start: int
    end: int
    kind: RegionKind


@dataclass(frozen=True, slots=True)
class Walked:
    """The text of one document and the offsets into it, each in reading order."""

    text: str
    ids: Mapping[str, int]
    """Of every `id`, and `name` of an anchor: where the text at or after it begins."""
    breaks: tuple[Break, ...]
    regions: tuple[Region, ...]


def walk(markup: bytes | str) -> Walked:
    """Read a document, well-formed or not; characters if given as str, else decoded as declared."""
    return feed(markup, _Walker).walked()


def plain_label(text: str) -> str:
    """Return a page's label without the word "page" and the stops that screen readers are given."""
    text = _PAGE_WORD.sub("", " ".join(text.split())).strip(" .,;:")
    return text if len(text) <= LONGEST_LABEL else ""


def past_word(text: str, offset: int) -> int:
    """Return the next word where a page break falls into one: it is cited where it begins."""
    if offset == 0 or not _INSIDE_WORD.match(text[offset - 1 : offset + 1]):
        return offset
    if _WIDE_CHARACTER.match(text[offset]):
        return offset
    found = _REST_OF_WORD.match(text, offset)
    return found.end() if found else offset


_PAGE_WORD = re.compile(r"^(?:page|pages|pg\.?|p\.)\s+(?=\S)", re.IGNORECASE)
_WIDE = (
    "\u2e80-\u303f\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
)
_WIDE_CHARACTER = re.compile(f"[{_WIDE}]")
_LINE_END_BETWEEN_WIDE = re.compile(f"(?<=[{_WIDE}])[ \t]*[\r\n]\\s*(?=[{_WIDE}])")
_INSIDE_WORD = re.compile(r"[^\W_]{2}")
_REST_OF_WORD = re.compile(r"\S{1,80}\s{0,8}")
_MOST_SPACE_KEPT = 1000


@dataclass(slots=True)
class _Open:
    """An element whose end matters; `place` is the number of the place where its text begins."""

    depth: int
    role: Role
    place: int
    kind: RegionKind | None
    end: int = -1


class _Walker:
    """Takes the events of a parser and gathers text.

    A separator is written only when text follows it, and a place (of an id, a page break, a start)
    waits for that text: so no text begins or ends with space, and no place points at space.
    """

    def __init__(self) -> None:
        self._heard: list[str] = []
        self.data = self._heard.append
        self._role_of = RoleOf()
        self._pieces: list[str] = []
        self._length = 0
        self._gap = Gap.NONE
        self._gap_ends_line = False
        self._kept_space = ""
        self._depth = 0
        self._dropped_at = 0
        self._captured_at = 0
        self._preformatted = 0
        self._ruby = 0
        self._places: list[int] = []
        self._settled = 0
        self._ids: dict[str, int] = {}
        self._breaks: list[tuple[int, str, str | None]] = []
        self._open: list[_Open] = []
        self._closed: list[_Open] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take the start of an element."""
        self._depth += 1
        if self._dropped_at:
            return
        role = self._role_of[tag]
        telling = bool(attributes) and not TELLING.isdisjoint(attributes)
        if role is Role.INLINE and not telling:
            return
        if self._captured_at and not self._holds_text():
            return
        if role is not Role.INLINE:
            self._flush()
            gap = GAP_OF[role]
            if gap > self._gap:
                self._gap = gap
        if role is Role.DROPPED:
            self._dropped_at = self._depth
        elif telling:
            self._mark(role, attributes)
        elif role > Role.BLOCK:
            self._enter(role, None)

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        depth = self._depth
        self._depth -= 1
        if self._dropped_at:
            if self._dropped_at == depth:
                self._dropped_at = 0
                self._heard.clear()
            return
        if self._captured_at == depth:
            self._label()
        role = self._role_of[tag]
        if role is Role.INLINE:
            return
        self._flush()
        while self._open and self._open[-1].depth >= depth:
            self._leave(self._open.pop())
        gap = GAP_OF[role]
        if gap > self._gap:
            self._gap = gap

    def close(self) -> None:
        """Take the end of the document."""

    def walked(self) -> Walked:
        """Return what was gathered."""
        if self._dropped_at:
            self._heard.clear()
        self._flush()
        while self._open:
            self._leave(self._open.pop())
        self._settle(self._length)
        text = "".join(self._pieces)
        places = self._places
        closed = sorted(self._closed, key=lambda element: element.place)
        return Walked(
            text=text,
            ids={name: places[number] for name, number in self._ids.items()},
            breaks=tuple(
                Break(past_word(text, places[number]), label, name)
                for number, label, name in self._breaks
            ),
            regions=tuple(
                Region(places[each.place], each.end, each.kind)
                for each in closed
                if each.kind is not None and places[each.place] < each.end
            ),
        )

    def _mark(self, role: Role, attributes: Mapping[str, str]) -> None:
        """Take an element whose attributes name it or say what it is."""
        words = semantics(attributes)
        if is_unseen(role, words, attributes):
            self._dropped_at = self._depth
            return
        for name in identifiers(role, attributes):
            if name not in self._ids:
                self._ids[name] = self._place()
        if is_page_break(words):
            self._break(attributes)
        elif role is not Role.INLINE:
            self._enter(role, region_kind(words))

    def _break(self, attributes: Mapping[str, str]) -> None:
        label = attributes.get("title") or attributes.get("aria-label") or ""
        self._breaks.append((self._place(), plain_label(label), attributes.get("id")))
        self._captured_at = self._depth

    def _label(self) -> None:
        """End a page break: what it holds is its label, and no part of the text."""
        self._captured_at = 0
        held = "".join(self._heard)
        if len(held.strip()) > LONGEST_LABEL:
            return
        self._heard.clear()
        place, label, name = self._breaks[-1]
        self._breaks[-1] = (place, label or plain_label(held), name)

    def _holds_text(self) -> bool:
        """Whether the page break that is open proved to hold more than a label."""
        if len(self._heard) <= LONGEST_LABEL >= len("".join(self._heard).strip()):
            return False
        self._captured_at = 0
        return True

    def _enter(self, role: Role, kind: RegionKind | None) -> None:
        if role is Role.PREFORMATTED:
            self._preformatted += 1
        elif role is Role.RUBY:
            self._ruby += 1
        elif not kind:
            return
        self._open.append(_Open(self._depth, role, self._place(), kind))

    def _leave(self, element: _Open) -> None:
        if element.role is Role.PREFORMATTED:
            self._preformatted -= 1
            self._kept_space = ""
        elif element.role is Role.RUBY:
            self._ruby -= 1
        element.end = self._length
        self._closed.append(element)

    def _place(self) -> int:
        """Return the number of a place: where the next text begins."""
        self._flush()
        self._places.append(-1)
        return len(self._places) - 1

    def _settle(self, offset: int) -> None:
        for number in range(self._settled, len(self._places)):
            self._places[number] = offset
        self._settled = len(self._places)

    def _flush(self) -> None:
        if not self._heard or self._captured_at:
            return
        data = "".join(self._heard)
        self._heard.clear()
        if self._preformatted:
            self._write_preformatted(data)
        else:
            self._write_flowing(data)

    def _write_flowing(self, data: str) -> None:
        words = data.split()
        if not words:
            if not self._ruby:
                self._space(data)
            return
        if data[0].isspace():
            self._space(data[: len(data) - len(data.lstrip())])
        if "\n" in data and not data.isascii():
            words = _LINE_END_BETWEEN_WIDE.sub("", data).split()
        self._write(" ".join(words))
        if data[-1].isspace():
            self._space(data[len(data.rstrip()) :])

    def _write_preformatted(self, data: str) -> None:
        if self._gap >= Gap.LINE:
            data = data.lstrip("\r\n")
        core = data.rstrip()
        if core:
            self._write(core)
        if len(self._kept_space) < _MOST_SPACE_KEPT:
            self._kept_space += data[len(core) :]

    def _space(self, space: str) -> None:
        if self._gap is Gap.NONE:
            self._gap = Gap.SPACE
            self._gap_ends_line = "\n" in space

    def _write(self, text: str) -> None:
        if self._pieces:
            between = BETWEEN[self._gap]
            if self._gap <= Gap.SPACE and self._kept_space:
                between = self._kept_space
            elif self._gap is Gap.SPACE and self._gap_ends_line and self._between_wide(text):
                between = ""
            self._pieces.append(between)
            self._length += len(between)
        self._gap = Gap.NONE
        self._kept_space = ""
        self._settle(self._length)
        self._pieces.append(text)
        self._length += len(text)

    def _between_wide(self, text: str) -> bool:
        wide = _WIDE_CHARACTER
        return bool(wide.match(text[0]) and wide.match(self._pieces[-1][-1:]))
