"""What a stand-in archive is: one function from a request to a response."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["PREFIX", "Request", "Response", "StandIn", "json_response"]

PREFIX = "/demonstration"
"""Every address of a stand-in starts with it, so that nobody takes one for an archive's own."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `path` is the archive's own, without the stand-in's prefix."""

    method: str
    path: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    base: str
    """The stand-in's base address, for the addresses it writes into its records."""


@dataclass(frozen=True, slots=True)
class Response:
    """One answer."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


class StandIn(Protocol):
    """A stand-in for one archive."""

    source: str
    """The id of the archive it plays."""

    def answer(self, request: Request) -> Response: ...


def json_response(value: object, *, status: int = 200, **headers: str) -> Response:
    """Return `value` as JSON; header names are written with underscores."""
    return Response(
        json.dumps(value).encode(),
        status,
        headers={name.replace("_", "-"): text for name, text in headers.items()},
    )
