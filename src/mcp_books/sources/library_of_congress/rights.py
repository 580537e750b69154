"""Terms of reuse of a record: its own first, those of its whole collection only then."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcp_books.models import Rights
from mcp_books.sources import _values

__all__ = ["rights_of"]

_OF_TERMS = re.compile(r"right|legal|restriction|licen[cs]e", re.IGNORECASE)

ITEM, COLLECTION = "this item", "the whole collection"


def rights_of(item: Mapping[str, object], site: str) -> Rights:
    """Return the terms of `item`; `site` is where a relative address starts from."""
    inner = _values.mapping(item.get("item"))
    for value in (
        item.get("rights_advisory"),
        item.get("rights_information"),
        inner.get("rights_advisory"),
        inner.get("rights_information"),
        inner.get("rights"),
    ):
        found = _stated(value, ITEM, site)
        if found is not None:
            return found
    found = _stated(item.get("rights"), COLLECTION, site)
    return found or Rights(statement=None, url=None, covers=ITEM)


def _stated(value: object, covers: str, site: str) -> Rights | None:
    sent = _values.texts(value)
    statement = "\n".join(text for one in sent if (text := _values.plain(one)))
    if not statement:
        return None
    return Rights(statement=statement, url=_address(" ".join(sent), site), covers=covers)


def _address(sent: str, site: str) -> str | None:
    """Return the first address that the terms give for terms, whatever else they link to."""
    return next(
        (
            link.address
            for link in _values.links(sent, site)
            if link.text is None or _OF_TERMS.search(f"{link.address} {link.text}")
        ),
        None,
    )
