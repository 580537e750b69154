"""Identifiers and addresses of the archive's items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from mcp_books.errors import InvalidInput
from mcp_books.identifiers import Claim
from mcp_books.sources._addresses import place_of

__all__ = ["claim", "is_identifier", "is_list_of_a_person"]

_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,199}")
_ARK = re.compile(r"ark:/?13960/", re.IGNORECASE)
_ITEM_PATH = re.compile(r"/(?:details|download|metadata|stream|embed)/([^/]*)")
_HINT = "Give an item's identifier: the name after /details/ in its address."


def is_identifier(text: str) -> bool:
    """Tell whether `text` has the shape of an item's identifier; case matters in them."""
    return _IDENTIFIER.fullmatch(text) is not None


def is_list_of_a_person(identifier: str, media_type: str | None) -> bool:
    """Tell whether a row is an account or somebody's favourites, which are no records."""
    if identifier.startswith("@") or media_type == "account":
        return True
    return identifier.startswith("fav-") and media_type in (None, "collection")


def claim(text: str, *, hosts: Sequence[str], base_url: str) -> Claim | None:
    """Read `text` as a bare identifier (loosely) or as an address of an item (exactly).

    Raises:
        InvalidInput: an account, an ARK of this archive, or a page of its site that is no item.
    """
    place = place_of(text, hosts, base_url)
    if place is not None:
        identifier = _item(place.path)
        if identifier is None:
            raise InvalidInput(f"{text!r} is not the address of an item", hint=_HINT)
        return Claim(identifier, exact=True)
    if is_identifier(text):
        return Claim(text, exact=False)
    if text.startswith("@") and is_identifier(text[1:]):
        raise InvalidInput(f"{text!r} is an account, not a record", hint=_HINT)
    if _ARK.match(text):
        raise InvalidInput(f"{text!r}: this archive reads no record by its ARK", hint=_HINT)
    return None


def _item(path: str) -> str | None:
    found = _ITEM_PATH.match(path)
    identifier = unquote(found[1]) if found else ""
    return identifier if is_identifier(identifier) else None
