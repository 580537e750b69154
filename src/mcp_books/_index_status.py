"""What `mcp-books index` says of books: how many are indexed, and which give no text and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ._defuse import one_line

if TYPE_CHECKING:
    from .sources.calibre.index import DocumentStatus
    from .sources.calibre.indexing import BookTold, IndexRun, IndexStatus, LibraryStatus

__all__ = ["problems_told", "run_told", "status_told"]

_LISTED = 10
"""Books of a group whose titles are listed, unless all are asked for."""
_LONGEST_LINE = 200

_CALIBRE_READS = (
    "  (turned on, Calibre's full-text search makes most text formats searchable here as well)"
)

_STATUSES: Mapping[DocumentStatus, str] = {
    "no_text": "without text (scans that were not read by a machine)",
    "drm": "locked by DRM",
    "password": "locked by a password",
    "damaged": "damaged",
    "unsupported": "in a format that is not read",
    "empty": "empty",
    "too_large": "too large",
    "timed_out": "not read within the time limit",
}

_UNAVAILABLE = "{name}: cannot be read: {because}"
_COPIED = "{name}: is not read: {because}"


def problems_told(run: IndexRun) -> str:
    """Return which libraries were not read in a run, as lines."""
    told = [_UNAVAILABLE.format(name=name, because=why) for name, why in run.problems.items()]
    told += [_COPIED.format(name=name, because=why) for name, why in run.copies.items()]
    return _lines(told)


def run_told(run: IndexRun) -> str:
    """Return what a run did, as lines."""
    parts = [f"{run.added} indexed", f"{run.unchanged} unchanged"]
    if run.removed:
        parts.append(f"{run.removed} removed")
    told = [f"Books: {', '.join(parts)}."]
    told += (f"  {count} {said}" for _, count, said in _by_reason(run.unreadable))
    if run.without_file:
        told.append(f"  {run.without_file} indexed, but without their file now; their text stays")
    if run.left:
        told.append(
            f"  {len(run.left)} left to the next run: what reads them was killed twice"
            " (is memory short?)"
        )
        told += _listed([_cut(one_line(title)) for title in run.left], _LISTED)
    for name in run.texts_unread:
        told.append(
            f"  what Calibre's own search has read of {name} cannot be looked at now;"
            " the next run tries it again"
        )
    if run.stopped:
        told.append("Stopped. What is done is kept; the next run goes on from there.")
    return _lines(told)


def status_told(status: IndexStatus, *, every: bool) -> str:
    """Return the state of the index as lines; `every` lists all titles of a group."""
    listed = None if every else _LISTED
    names = ", ".join(one.name for one in status.libraries)
    told = [f"Libraries, as --library takes them: {names}"]
    for one in status.libraries:
        told += _library(one, listed)
    return _lines(told)


def _library(one: LibraryStatus, listed: int | None) -> Iterator[str]:
    if one.copied is not None:
        yield _COPIED.format(name=one.name, because=one.copied)
        return
    if one.unavailable is not None:
        yield _UNAVAILABLE.format(name=one.name, because=one.unavailable)
    if one.unavailable is None or one.readable:
        yield f"{one.name}: {one.indexed} of {one.readable} readable books indexed"
    if one.waiting:
        yield f"  {one.waiting} waiting: `mcp-books index` reads them"
    if one.partly:
        yield f"  {len(one.partly)} read in part: some of their text is damaged"
        yield from _listed(list(map(_book, one.partly)), listed)
    for status, count, said in _by_reason(one.unreadable):
        yield f"  {count} {said}"
        yield from _listed(list(map(_book, one.unread[status])), listed)
    if one.unreadable.get("unsupported") and not one.texts_of_calibre:
        yield _CALIBRE_READS


def _by_reason(counts: Mapping[DocumentStatus, int]) -> Iterator[tuple[DocumentStatus, int, str]]:
    for status, count in sorted(counts.items(), key=lambda one: -one[1]):
        if count:
            yield status, count, _STATUSES.get(status, status)


def _listed(books: Sequence[str], most: int | None) -> Iterator[str]:
    shown = books[:most]
    yield from (f"    {one}" for one in shown)
    if len(shown) < len(books):
        yield f"    and {len(books) - len(shown)} more"


def _book(one: BookTold) -> str:
    authors = " & ".join(map(one_line, one.authors))
    named = one_line(one.title) + (f", by {authors}" if authors else "")
    return _cut(named) + (f": {_cut(one_line(one.detail))}" if one.detail else "")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 1]}…"


def _lines(told: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in told)
