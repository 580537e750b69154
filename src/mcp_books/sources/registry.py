"""The archives asked, in order. A new one joins by a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from mcp_books.settings import Settings

from .base import Profile, RemoteSource, Source
from .data_bnf import DataBnf
from .internet_archive import InternetArchive
from .library_of_congress import LibraryOfCongress

if TYPE_CHECKING:
    from mcp_books._http import Http

__all__ = ["NOT_READ", "PROFILES", "build_sources", "registered"]


class _Entry(NamedTuple):
    source: type[RemoteSource]
    base_url: Callable[[Settings], str | None]


_REGISTRY: tuple[_Entry, ...] = (
    _Entry(InternetArchive, lambda settings: settings.archive_url),
    _Entry(LibraryOfCongress, lambda settings: settings.loc_url),
    _Entry(DataBnf, lambda settings: settings.bnf_url),
)

PROFILES: tuple[Profile, ...] = tuple(entry.source.profile for entry in _REGISTRY)
"""What each registered archive is, without asking it anything."""

NOT_READ: Mapping[str, str] = {
    "calibre": "this version does not read Calibre libraries; no setting makes it do so yet",
}
"""Archives a reader may name that cannot be asked here, and why."""


def registered() -> Mapping[str, Profile]:
    """Return the profile of each registered archive, by id."""
    return {profile.id: profile for profile in PROFILES}


def build_sources(settings: Settings, http: Http) -> tuple[Source, ...]:
    """Return every registered archive, ready to be asked through `http`."""
    return tuple(
        entry.source(http, base_url=entry.base_url(settings), demonstration=settings.demonstration)
        for entry in _REGISTRY
    )
