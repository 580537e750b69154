"""What came back: one answer, decoded up to a size, and what its headers and body say."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from .errors import NetworkFailure, ParseFailure

__all__ = ["SIZE_CAP", "SMALL_BODY", "Decoder", "Reply", "TooLarge", "Undecodable", "retry_after"]

SIZE_CAP = 32 * 1024 * 1024
"""Bytes of one decoded answer."""

SMALL_BODY = 1024 * 1024
"""Bytes up to which a body is read on the event loop; a larger one in a thread."""

_LATER = "Ask again later."
_PIECE = 1024 * 1024
_WINDOW = 64 * 1024
_MOST_MEMBERS = 1000

_CHARSETS: Mapping[str, str] = {
    **dict.fromkeys(("us-ascii", "ascii"), "ascii"),
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "iso_8859-1", "latin-1", "latin1"), "latin-1"),
    **dict.fromkeys(("windows-1252", "cp1252", "x-cp1252"), "cp1252"),
    **{name: name for name in ("utf-16", "utf-16le", "utf-16be")},
}
"""Charset name to codec; every other one is read as UTF-8. Python's own table holds codecs that
are no charset, that raise whatever the error handler, and that take quadratic time."""

# Half a surrogate pair, or a backslash that may hide one: a cheap test, never wrong about a no.
_SUSPECT = re.compile(
    r"\\(?:\\u[dD][89a-fA-F]|u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F]))"
)
_PAIR_OR_HALF = re.compile(
    r"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


class TooLarge(Exception):
    """The decoded answer is larger than the cap."""


class Undecodable(Exception):
    """The answer is not in the coding its header names; `cut` if it merely stops too early."""

    def __init__(self, message: str, *, cut: bool = False) -> None:
        super().__init__(message)
        self.cut = cut


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer, decoded. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    archive: str = "the archive"
    """Its name, for messages."""

    def json(self, *, retries: int = 0) -> Any:
        """Return the body read as JSON; lone surrogates in it become question marks.

        Raises:
            ParseFailure: (with `retries`) it is no JSON; the message says what came instead.
        """
        try:
            text = self.body.decode(json.detect_encoding(self.body), "replace")
            if _SUSPECT.search(text):
                text = _PAIR_OR_HALF.sub(lambda found: found[1] or "?", text)
            # Bytecode at each object: without it the parser would stop every thread until its end.
            hook = None if len(self.body) <= SMALL_BODY else (lambda value: value)
            value = json.loads(text, object_hook=hook)
        except (ValueError, RecursionError) as problem:
            raise ParseFailure(
                f"{self.archive} sent {self._instead_of_json(problem)} where JSON was expected",
                hint=_LATER,
                retries=retries,
            ) from None
        return value

    def text(self) -> str:
        """Return the body as text, in the charset its header names, or UTF-8."""
        header = Message()
        header["content-type"] = self.headers.get("content-type", "")
        charset = header.get_content_charset("utf-8")
        return self.body.decode(_CHARSETS.get(charset, "utf-8"), "replace")

    def require_ok(self) -> None:
        """Return if the status is 2xx.

        Raises:
            NetworkFailure: it is not; asking again may help after a 5xx only.
        """
        if 200 <= self.status < 300:
            return
        failed = self.status >= 500
        raise NetworkFailure(
            f"{self.archive} answered HTTP {self.status}{_reason(self.status)}",
            hint=_LATER if failed else "Asking the same again will not help.",
            retries=8 if failed else 0,
        )

    def _instead_of_json(self, problem: Exception) -> str:
        kind = self.headers.get("content-type", "").partition(";")[0].strip()[:60]
        start = self.body[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        if not start:
            return "an empty body"
        if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
            what = "an HTML page"
        elif start.startswith(b"<"):
            what = "an HTML page" if kind == "text/html" else "XML"
        elif isinstance(problem, RecursionError):
            what = "JSON nested too deeply"
        elif _is_cut(problem, start):
            what = "JSON cut off before its end"
        elif start.startswith((b"{", b"[")):
            what = "malformed JSON"
        else:
            what = "other text"
        return f"{what} ({kind!r}, {len(self.body)} bytes)"


def _is_cut(problem: Exception, start: bytes) -> bool:
    if not isinstance(problem, json.JSONDecodeError) or start[:1] not in (b"{", b"["):
        return False
    return problem.msg.startswith("Unterminated") or problem.pos >= len(problem.doc.rstrip()) - 1


def _reason(status: int) -> str:
    try:
        return f" ({HTTPStatus(status).phrase})"
    except ValueError:
        return ""


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds `Retry-After` asks for (a number or an HTTP date), or None."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", value):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return max(0.0, (when - now).total_seconds())
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # Its fields go unchecked into `datetime` and `timedelta`, which raise what they like.
        return None


class Decoder:
    """Undoes gzip and deflate piece by piece and never holds more than `cap` bytes decoded."""

    def __init__(self, coding: str, cap: int) -> None:
        """Read an answer whose Content-Encoding is `coding`; raises Undecodable for another."""
        self._coding = coding.strip().lower().removeprefix("x-")
        if self._coding not in ("", "identity", "gzip", "deflate"):
            raise Undecodable(f"content coding {coding[:40]!r}")
        self._plain = self._coding in ("", "identity")
        self._cap = cap
        self._received = 0
        self._size = 0
        self._parts: list[bytes] = []
        self._members = 0
        self._inflater: zlib._Decompress | None = None

    def feed(self, raw: bytes) -> None:
        """Take the next bytes off the wire; raises TooLarge or Undecodable."""
        self._received += len(raw)
        if self._received > self._cap:
            raise TooLarge
        if self._plain:
            self._keep(raw)
            return
        try:
            self._inflate(raw)
        except zlib.error as problem:
            raise Undecodable(f"broken {self._coding}") from problem

    def finish(self) -> bytes:
        """Return the whole body; raises Undecodable if its end is missing."""
        if self._inflater is not None and not self._inflater.eof:
            raise Undecodable(f"{self._coding} cut off before its end", cut=True)
        return b"".join(self._parts)

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._cap:
            raise TooLarge
        if piece:
            self._parts.append(piece)

    def _inflate(self, raw: bytes) -> None:
        """Undo `raw` window by window: zlib copies what it leaves of its input each time."""
        view, at = memoryview(raw), 0
        while at < len(view):
            window = view[at : at + _WINDOW]
            if self._inflater is None or self._inflater.eof:
                if self._inflater is not None and not self._is_member(window):
                    return  # padding after the last member
                self._inflater = self._open(window)
            self._keep(self._inflater.decompress(window, _PIECE))
            left = self._inflater.unconsumed_tail or self._inflater.unused_data
            at += len(window) - len(left)
        self._drain()

    def _is_member(self, start: memoryview) -> bool:
        return self._coding == "gzip" and start[0] == 0x1F

    def _drain(self) -> None:
        """Take what the inflater still holds back after its input is used up."""
        while self._inflater is not None and not self._inflater.eof:
            piece = self._inflater.decompress(b"", _PIECE)
            if not piece:
                return
            self._keep(piece)

    def _open(self, raw: memoryview) -> zlib._Decompress:
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise Undecodable(f"{self._coding} in more than {_MOST_MEMBERS} members")
        if self._coding == "gzip":
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
        # RFC 9110 means zlib by "deflate"; some servers send the bare stream.
        wrapped = raw[0] & 0x0F == 8 and (len(raw) < 2 or (raw[0] * 256 + raw[1]) % 31 == 0)
        return zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
