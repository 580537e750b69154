"""Rows of a result list that are known to be no records: collections, exhibits, other sites."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from mcp_books.sources import _values

from .references import HOSTS
from .wire import addresses

__all__ = ["is_no_record"]

_FORMATS = frozenset(
    (
        *("collection", "web page", "exhibit", "exhibition"),
        *("research center", "research centers", "press release"),
    )
)
_SECTIONS = re.compile(
    r"/(?:about|blogs|classroom-materials|collections|events|exhibitions|exhibits|free-to-use"
    r"|item/prn-[^/]*|news|pictures|podcasts|programs|research-centers|rr|static|teachers)(?:/|$)"
)
"""Parts of the Library's site that hold pages about things; `prn-`: press releases."""

_OTHER_SITES = frozenset(
    f"{name}.loc.gov" for name in ("blogs", "findingaids", "guides", "newsroom", "webarchive")
)


def is_no_record(row: Mapping[str, object], base_url: str) -> bool:
    """Tell whether `row` says of itself, by its format or its addresses, that it is no record.

    An address that merely cannot be read says nothing.
    """
    formats = {kind.lower() for kind in _values.texts(row.get("original_format"))}
    elsewhere = [_leads_elsewhere(address, base_url) for address in addresses(row, base_url)]
    return bool(formats & _FORMATS) or (bool(elsewhere) and all(elsewhere))


def _leads_elsewhere(address: str, base_url: str) -> bool:
    try:
        parts, base = urlsplit(address), urlsplit(base_url)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.scheme not in ("http", "https") or not host:
        return False
    if parts.netloc == base.netloc:
        return bool(_SECTIONS.match(parts.path.removeprefix(base.path)))
    if host in HOSTS:
        return bool(_SECTIONS.match(parts.path))
    return host in _OTHER_SITES or not host.endswith(".loc.gov")
