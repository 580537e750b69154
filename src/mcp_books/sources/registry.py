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

__all__ = ["PROFILES", "build_sources", "not_read", "profiles", "registered"]


class _Entry(NamedTuple):
    source: type[RemoteSource]
    base_url: Callable[[Settings], str | None]


_REGISTRY: tuple[_Entry, ...] = (
    _Entry(InternetArchive, lambda settings: settings.archive_url),
    _Entry(LibraryOfCongress, lambda settings: settings.loc_url),
    _Entry(DataBnf, lambda settings: settings.bnf_url),
)

PROFILES: tuple[Profile, ...] = tuple(entry.source.profile for entry in _REGISTRY)
"""What each archive is that is asked whatever the settings, without asking it anything."""

_UNCONFIGURED: Mapping[str, str] = {
    "calibre": (
        "no Calibre library is configured: set BOOKS_CALIBRE_LIBRARIES to the folder of one, "
        "then run mcp-books index"
    ),
}


def profiles(settings: Settings) -> tuple[Profile, ...]:
    """Return the profile of every archive that `settings` let be asked, in order."""
    if settings.calibre_libraries is None:
        return PROFILES
    from .calibre.profile import profile_of

    return (*PROFILES, profile_of(settings))


def registered() -> Mapping[str, Profile]:
    """Return the profile of each archive that is asked whatever the settings, by id."""
    return {profile.id: profile for profile in PROFILES}


def not_read(settings: Settings) -> Mapping[str, str]:
    """Return the archives a reader may name that cannot be asked with `settings`, and why."""
    asked = {profile.id for profile in profiles(settings)}
    return {name: because for name, because in _UNCONFIGURED.items() if name not in asked}


def build_sources(settings: Settings, http: Http) -> tuple[Source, ...]:
    """Return every archive that `settings` let be asked, ready to be asked through `http`."""
    remote = tuple(
        entry.source(http, base_url=entry.base_url(settings), demonstration=settings.demonstration)
        for entry in _REGISTRY
    )
    return (*remote, *_local(settings))


def _local(settings: Settings) -> tuple[Source, ...]:
    if settings.calibre_libraries is None:
        return ()
    from .calibre.adapter import CalibreLibraries

    return (CalibreLibraries(settings),)
