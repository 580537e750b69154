"""What every reader of a format gives: stretches of text that can be cited, or why not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from mcp_books.models import LabelSource

__all__ = [
    "BETWEEN_TITLES",
    "LONGEST_STRETCH",
    "Incomplete",
    "Reader",
    "Status",
    "Stretch",
    "StretchKind",
    "Unreadable",
]

BETWEEN_TITLES = " › "
"""What stands between the titles of a chapter path."""

LONGEST_STRETCH = 2000
"""Characters of one stretch where the format has no pages of its own."""

Status = Literal[
    "no_text", "drm", "password", "damaged", "unsupported", "empty", "too_large", "timed_out"
]
"""Why a file gives no text."""

StretchKind = Literal["body", "contents", "index"]
"""contents: a table of contents; index: a back-of-book index. Both are listed last among hits."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One stretch of text: a page of a PDF, a piece of a chapter elsewhere."""

    text: str
    page_number: int | None = None
    """The physical page, counted from 1; None where the book reflows."""
    page_label: str | None = None
    """The number printed on the page; None unless the file states it. Never interpolated."""
    label_source: LabelSource | None = None
    section: str | None = None
    """The chapter path from the outline, nav or NCX: "Part I › Chapter 2"."""
    kind: StretchKind = "body"


class Unreadable(Exception):
    """A file that gives no text: the status says why, the detail is for a log line."""

    def __init__(self, status: Status, detail: str = "") -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail


class Incomplete(Exception):
    """A file that was read in part: what could be read was given; the detail says what was lost."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Reader(Protocol):
    """Reads one format."""

    def __call__(self, path: Path) -> Iterator[Stretch]:
        """Yield the stretches of the file in reading order.

        Raises:
            Unreadable: the file gives no text, or is too large to be read to its end.
            Incomplete: after the last stretch, where some of the text could not be read.
        """
