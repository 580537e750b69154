"""The addresses that open a book in Calibre on the reader's own machine."""

from __future__ import annotations

import re
from urllib.parse import quote

__all__ = ["show_book", "view_book"]

_PLAIN = re.compile(r"[A-Za-z0-9_.~-]+")


def show_book(folder_name: str, book: int) -> str:
    """Return the address that shows `book` of the library in the folder of that name."""
    return f"calibre://show-book/{_library(folder_name)}/{book}"


def view_book(folder_name: str, book: int, format_name: str, passage: str | None = None) -> str:
    """Return the address that opens a file of `book`, at the words of `passage` where given."""
    address = f"calibre://view-book/{_library(folder_name)}/{book}/{quote(format_name, safe='')}"
    if passage:
        address += f"?open_at=search:{quote(' '.join(passage.split()), safe='')}"
    return address


def _library(folder_name: str) -> str:
    """Calibre names a library by its folder, spaces as `_`; what a URL cannot hold, in hex.

    A bare `_` is its word for the library that is open.
    """
    name = folder_name.replace(" ", "_")
    if _PLAIN.fullmatch(name) and name != "_" and not name.startswith("_hex_-"):
        return name
    return "_hex_-" + name.encode("utf-8", "surrogateescape").hex()
