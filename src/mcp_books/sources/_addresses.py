"""Whether an address leads to an archive, and where on its site."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from mcp_books.errors import InvalidInput

__all__ = ["Place", "place_of"]

_PORTS = (None, 80, 443)


class Place(NamedTuple):
    """Where an address leads; `host` is None below the base address, with `path` counted from it.

    `path` starts with a slash or is empty; it and `query` are as written.
    """

    host: str | None
    path: str
    query: str


def place_of(text: str, hosts: Sequence[str], base_url: str) -> Place | None:
    """Read `text` as an address on one of `hosts` (the scheme may be missing) or below `base_url`.

    Returns None for any other text.

    Raises:
        InvalidInput: it leads there with a user name, or to a port that serves something else.
    """
    bare = re.match(rf"(?:{'|'.join(map(re.escape, hosts))})(?=[/:?#]|$)", text, re.IGNORECASE)
    try:
        parts = urlsplit(f"https://{text}" if bare else text)
        base = urlsplit(base_url)
        below_base = _origin(parts) == _origin(base) and parts.path.startswith(f"{base.path}/")
        known = below_base or (parts.hostname in hosts and parts.scheme in ("http", "https"))
        port = parts.port
    except ValueError:
        return None
    if not known:
        return None
    if parts.username is not None or parts.password is not None:
        raise InvalidInput(
            f"{text!r} is an address with a user name", hint="Leave out what stands before the @."
        )
    if below_base:
        return Place(None, parts.path.removeprefix(base.path), parts.query)
    if port not in _PORTS:
        raise InvalidInput(
            f"{text!r} leads to port {port}, where no record stands", hint="Leave out the port."
        )
    return Place(parts.hostname, parts.path, parts.query)


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port
