"""The identifiers of books: `<library>/<number>`, and Calibre's own addresses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from mcp_books.errors import InvalidInput
from mcp_books.identifiers import Claim

from .addresses import show_book

if TYPE_CHECKING:
    from .library import Library

__all__ = ["Libraries", "Reference", "claim", "parse"]

Libraries = Callable[[], Sequence["Library"]]
"""The configured libraries, looked up only for what could be one of their books."""

_NUMBER = "[1-9][0-9]{0,14}"
_REFERENCE = re.compile(rf"([\w.-]{{1,60}})/({_NUMBER})")
_ADDRESS = re.compile(
    rf"calibre://(?:show-book/(?P<shown>[^/?#\s]{{1,800}})/(?P<number>{_NUMBER})/?"
    rf"|view-book/(?P<viewed>[^/?#\s]{{1,800}})/(?P<of>{_NUMBER})/[A-Za-z0-9_]{{1,20}})"
    r"(?:[?#][^\s]{0,4000})?"
)
_ANY_LIBRARY = "_"
"""Calibre's word for the library that is open."""


class Reference(NamedTuple):
    """One book: the configured library that holds it, and its number there."""

    library: Library
    number: int

    def __str__(self) -> str:
        return f"{self.library.name}/{self.number}"


def parse(text: str, libraries: Libraries) -> Reference | None:
    """Return the book that `<library>/<number>` names, or None where no library is called so."""
    found = _REFERENCE.fullmatch(text)
    if found is None:
        return None
    name = unicodedata.normalize("NFC", found[1]).casefold()
    held = (one for one in libraries() if one.name.casefold() == name)
    return next((Reference(one, int(found[2])) for one in held), None)


def claim(text: str, libraries: Libraries) -> Claim | None:
    """Read `text` as a book of a configured library (loosely) or as an address of one (exactly).

    Raises:
        InvalidInput: it is an address of Calibre's, of no book in a configured library.
    """
    named = parse(text, libraries)
    if named is not None:
        return Claim(str(named), exact=False)
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return None
    known = libraries()
    library = _addressed(found["shown"] or found["viewed"], known)
    if library is None:
        raise InvalidInput(
            f"{text[:200]!r} is an address in a library that is not configured",
            hint=f"The configured ones: {', '.join(one.name for one in known) or 'none'}.",
        )
    return Claim(str(Reference(library, int(found["number"] or found["of"]))), exact=True)


def _addressed(segment: str, libraries: Sequence[Library]) -> Library | None:
    """Return the library that an address names by its folder; None: it is none of them, or it could
    be several."""
    if segment == _ANY_LIBRARY:
        return libraries[0] if len(libraries) == 1 else None
    spellings = {
        segment,
        segment.lower() if segment.startswith("_hex_-") else segment,
        unquote(segment).replace(" ", "_"),
    }
    addresses = {f"calibre://show-book/{spelling}/1" for spelling in spellings}
    found = [one for one in libraries if show_book(one.folder_name, 1) in addresses]
    return found[0] if len(found) == 1 else None
