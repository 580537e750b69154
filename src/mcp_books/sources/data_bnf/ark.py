"""What names a record of data.bnf.fr: ARK names with their check character, and provisional works.

An ARK name ends in a NOID check character over the name without its authority number: each
character's value times its place, from 1, modulo 29. It holds for every ARK the BnF mints.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from mcp_books.errors import InvalidInput
from mcp_books.sources._addresses import Place, place_of
from mcp_books.sources.base import Claim

__all__ = [
    "CATALOGUE",
    "PREFIX",
    "about",
    "check_character",
    "iri",
    "is_provisional",
    "path",
    "read",
    "reference_of",
]

HOST = "data.bnf.fr"
CATALOGUE = "https://catalogue.bnf.fr/ark:/12148/"
PREFIX = "http://data.bnf.fr/"
"""What the IRIs of the store start with, whatever scheme the site is served over."""

_ALPHABET = "0123456789bcdfghjkmnpqrstvwxz"
_OWN_HOSTS = (HOST, "catalogue.bnf.fr")
_GALLICA = "gallica.bnf.fr"
_RECORD = re.compile(r"cb[0-9]{8}[0-9a-z]|cc[0-9]{2,8}[0-9a-z]")
_DIGITISED = re.compile(r"(?:bpt6k|btv1b|bd6t)\w{4,}")
_ARK = re.compile(r"ark:/?([0-9]+)/([^/?#.\s]*)", re.IGNORECASE)
_TEMPORARY = re.compile(r"temp-work/([0-9a-f]{32})/?(?:#.*)?", re.IGNORECASE)
_PAGE = re.compile(r"(?:[a-z]{2}/)?([0-9]{8})(?:/.*)?")
_FRBNF = re.compile(r"frbnf ?([0-9]{8})([0-9a-z]?)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{8}")
_STORED = re.compile(r"(?:ark:/12148/(c[bc]\w+)|(temp-work/[0-9a-f]{32})/?)(?:#.*)?")


def check_character(name: str) -> str:
    """Return the character that ends `name`, given without it."""
    total = sum(place * max(_ALPHABET.find(c), 0) for place, c in enumerate(name, start=1))
    return _ALPHABET[total % len(_ALPHABET)]


def read(text: str, base_url: str) -> Claim | None:
    """Read `text` (a bare name, an ARK, an address) as a record of data.bnf.fr.

    Raises:
        InvalidInput: it is mistyped, or names something this archive does not describe.
    """
    place = place_of(text, (*_OWN_HOSTS, _GALLICA), base_url)
    if place is not None:
        return _in_address(place, text)
    if "://" in text:
        return None
    return _in_ark(text) or _in_temporary(text) or _in_bare(text)


def reference_of(stored: str) -> str | None:
    """Return the reference an IRI of the store stands for, or None."""
    for scheme in ("http://", "https://"):
        if stored.startswith(scheme + HOST + "/"):
            found = _STORED.fullmatch(stored[len(scheme + HOST) + 1 :])
            return (found[1] or found[2]) if found else None
    return None


def is_provisional(reference: str) -> bool:
    """Tell whether `reference` is that of a work computed from editions, which may change."""
    return reference.startswith("temp-work/")


def iri(reference: str) -> str:
    """Return the IRI of the record itself, as the store writes it."""
    return PREFIX + path(reference)


def about(reference: str) -> str:
    """Return the IRI of what the record describes."""
    return iri(reference) + "#about"


def path(reference: str) -> str:
    """Return where the page of `reference` stands, below the site's address."""
    return f"{reference}/" if is_provisional(reference) else f"ark:/12148/{reference}"


def _in_address(place: Place, text: str) -> Claim:
    if place.host == _GALLICA:
        raise _not_gallica(text)
    below = unquote(place.path).removeprefix("/")
    claim = _in_ark(below) or _in_temporary(below)
    if claim is not None:
        return claim
    if page := _PAGE.fullmatch(below):
        return Claim(_of_number(page[1]), exact=True)
    raise InvalidInput(
        f"{text!r} is no address of a record",
        hint="Give an address that holds ark:/12148/cb…, temp-work/… or a record's number.",
    )


def _in_ark(text: str) -> Claim | None:
    found = _ARK.match(text.removeprefix("/"))
    if found is None or found[1] != "12148":
        return None
    name = found[2].lower()
    if _DIGITISED.fullmatch(name):
        raise _not_gallica(text)
    if not _RECORD.fullmatch(name):
        raise _mistyped(found[2], "no name of a record of data.bnf.fr")
    return Claim(_checked(name), exact=True)


def _in_temporary(text: str) -> Claim | None:
    found = _TEMPORARY.fullmatch(text)
    return Claim(f"temp-work/{found[1].lower()}", exact=True) if found else None


def _in_bare(text: str) -> Claim | None:
    name = text.partition("#")[0].lower()
    holds = name[:-1] + check_character(name[:-1]) == name
    if _DIGITISED.fullmatch(name) and holds:
        raise _not_gallica(text)
    if _RECORD.fullmatch(name) and (holds or name.startswith("cb")):
        return Claim(_checked(name), exact=True)
    if found := _FRBNF.fullmatch(text):
        given = f"cb{found[1]}{found[2].lower()}"
        return Claim(_checked(given) if found[2] else _of_number(found[1]), exact=True)
    return Claim(_of_number(text), exact=False) if _NUMBER.fullmatch(text) else None


def _of_number(number: str) -> str:
    name = f"cb{number}"
    return name + check_character(name)


def _checked(name: str) -> str:
    if name[-1] != check_character(name[:-1]):
        raise _mistyped(name, "mistyped: its check character does not hold")
    return name


def _mistyped(name: str, what: str) -> InvalidInput:
    return InvalidInput(
        f"{name!r} is {what}", hint="Copy the ARK again, or find the record with search_items."
    )


def _not_gallica(text: str) -> InvalidInput:
    return InvalidInput(
        f"{text!r} is a digitised copy on Gallica, which is not read here",
        hint="Open it in a browser, or give the ARK (cb…) of the work or edition it reproduces.",
    )
