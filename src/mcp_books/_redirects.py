"""One request as it is sent, and where a redirect may take it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, ip_address
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from ._replies import Reply
from .errors import NetworkFailure

__all__ = ["Bounds", "Question", "is_loopback"]


@dataclass(frozen=True, slots=True)
class Question:
    """One request as it is sent, redirects aside."""

    method: str
    url: str
    accept: str
    form: bytes | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where the redirects of one archive may lead: on `base`, or over https on its `hosts`."""

    name: str
    base: str
    hosts: tuple[str, ...]
    closed_paths: tuple[str, ...]

    def follow(self, question: Question, reply: Reply) -> Question:
        """Return `question` as the redirect `reply` wants it sent.

        Raises:
            NetworkFailure: it leads where this archive's requests must not go.
        """
        try:
            url = urljoin(question.url, reply.headers["location"]).partition("#")[0]
            here, there = urlsplit(question.url), urlsplit(url)
            inside = self._are_inside(there)
        except ValueError:
            raise self._refused("to an address that cannot be read") from None
        if question.method != "GET" and (
            reply.status not in (307, 308) or there.netloc != here.netloc
        ):
            raise self._refused("to where a form must not be sent again")
        if not inside:
            host, scheme = there.hostname or "", there.scheme
            raise self._refused(f"to {host[:80]!r} over {scheme[:10]!r}")
        if self._is_closed(there.path):
            raise self._refused("to a path closed to programs")
        return replace(question, url=url)

    def _are_inside(self, there: SplitResult) -> bool:
        base = urlsplit(self.base)
        if (there.scheme, there.netloc) == (base.scheme, base.netloc):
            return True
        return (
            there.scheme == "https"
            and there.hostname in self.hosts
            and there.port in (None, 443)
            and there.username is None
            and not is_loopback(base.hostname or "")
        )

    def _is_closed(self, path: str) -> bool:
        own = _plain(urlsplit(self.base).path).rstrip("/")
        rest = _plain(path).removeprefix(own) + "/"
        return any(
            rest.startswith(_plain(closed) + "/" * closed.endswith("/"))
            for closed in self.closed_paths
        )

    def _refused(self, where: str) -> NetworkFailure:
        return NetworkFailure(
            f"{self.name} redirected elsewhere, and that was not followed: {where}",
            hint="Asking again will not help; the archive may have moved this service.",
        )


def is_loopback(host: str) -> bool:
    """Tell whether `host` is this machine: localhost, 127.0.0.0/8, ::1, and those in IPv6 form."""
    host = host.strip("[]").removesuffix(".").lower()
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _plain(path: str) -> str:
    """Return `path` as a server may read it: unescaped, without empty and dot segments."""
    return posixpath.normpath("/" + unquote(path).replace("\\", "/").lstrip("/")).casefold()
