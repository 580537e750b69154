"""What can go wrong, as a tree of exceptions. Six codes, no others.

BooksError
├── InvalidInput        invalid_input   the caller has to change something; nothing was established
└── SourceError
    ├── RecordNotFound  not_found       the archive answered and holds no such record
    ├── RateLimited     rate_limited    the archive asked for fewer requests
    ├── ParseFailure    parse_failure   an answer came and could not be read
    ├── NetworkFailure  network_error   no usable answer came
    └── DeadlineExceeded timeout        no answer came in the time allowed
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, Literal

__all__ = [
    "BooksError",
    "DeadlineExceeded",
    "ErrorCode",
    "InvalidInput",
    "NetworkFailure",
    "ParseFailure",
    "RateLimited",
    "RecordNotFound",
    "SourceError",
    "asking",
]

ErrorCode = Literal[
    "not_found", "invalid_input", "rate_limited", "parse_failure", "network_error", "timeout"
]


class BooksError(Exception):
    """The base of every error this package raises.

    `message` says what happened, `hint` what to do next, `source` which archive it was (its id),
    or None where no archive is concerned; `sent` whether a request had gone out to it.
    """

    code: ClassVar[ErrorCode] = "parse_failure"
    sent: bool = True

    def __init__(self, message: str, *, hint: str | None = None, source: str | None = None) -> None:
        super().__init__(message)
        self.message = str(message)
        self.hint = None if hint is None else str(hint)
        self.source = source


class InvalidInput(BooksError):
    """An argument, a query or an identifier that has to be changed.

    Raised before anything is sent, unless `sent` says that it was the archive that refused.
    """

    code = "invalid_input"
    sent = False


class SourceError(BooksError):
    """Something one archive did; `retries` is how often asking again may still succeed."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        source: str | None = None,
        retries: int = 0,
    ) -> None:
        super().__init__(message, hint=hint, source=source)
        self.retries = retries


class RecordNotFound(SourceError):
    """The archive answered, and holds no such record."""

    code = "not_found"


class RateLimited(SourceError):
    """The archive asked for fewer requests; `retry_after` is in seconds where it said."""

    code = "rate_limited"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        source: str | None = None,
        retries: int = 0,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint, source=source, retries=retries)
        self.retry_after = retry_after


class ParseFailure(SourceError):
    """An answer came, and is not of a shape that can be read."""

    code = "parse_failure"


class NetworkFailure(SourceError):
    """No usable answer came: no connection, a server's own failure, a refusal."""

    code = "network_error"


class DeadlineExceeded(SourceError):
    """No answer came in the time allowed."""

    code = "timeout"


@contextmanager
def asking(source: str) -> Iterator[None]:
    """Name `source` on every error raised inside that does not name one yet."""
    try:
        yield
    except BooksError as error:
        if error.source is None:
            error.source = source
        raise
