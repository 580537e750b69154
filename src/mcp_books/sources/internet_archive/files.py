"""Which of an item's files a reader can open, and where; the rest is counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from mcp_books.models import DigitalCopy
from mcp_books.sources._values import first, mapping, rows

__all__ = ["copies_of"]

_PDF = re.compile(r"\bpdf\b", re.IGNORECASE)
_DOCUMENT = re.compile(
    r"epub|kindle|mobipocket|\bmobi\b|comic book|word document|rich text|open ?document",
    re.IGNORECASE,
)
_TEXT_FORMATS = frozenset({"djvutxt", "text", "plain text", "html", "markdown"})
_ENCRYPTED = re.compile(r"encrypted|^(?:lcp|acs)\b", re.IGNORECASE)
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|tiff?|jp2|webp)$", re.IGNORECASE)
_RECORDING = re.compile(
    r"\.(?:mp3|flac|ogg|oga|opus|wav|m4a|aiff?|mp4|m4v|mkv|avi|mpe?g|mpg2|mpeg2|mov|ogv|webm)$",
    re.IGNORECASE,
)
_PLAYABLE = re.compile(r"\.(?:mp3|mp4)$", re.IGNORECASE)
_BOOKKEEPING_NAME = re.compile(
    r"^__ia_thumb\.|_(?:thumb|itemimage|spectrogram)\.[^.]+$|~\d+~$|^history/", re.IGNORECASE
)
_BOOKKEEPING_FORMATS = frozenset(
    {"item tile", "item image", "jpeg thumb", "thumbnail", "collection header", "spectrogram"}
)


class _File(NamedTuple):
    name: str
    format: str | None
    title: str | None
    source: str
    made_from: str | None
    withheld: bool


def copies_of(
    item: Mapping[str, object],
    identifier: str,
    media_type: str | None,
    address: Callable[[str], str],
) -> tuple[tuple[DigitalCopy, ...], int]:
    """Return the copies of an item, its page on the archive first, and how many files are none.

    A file is no copy where it is private, encrypted for lending, bookkeeping or a by-product.
    """
    files = [file for row in rows(item.get("files")) if (file := _file(mapping(row))) is not None]
    if _is_true(item.get("nodownload")):
        offered: dict[str, tuple[int, _File]] = {}
    else:
        offered = {file.name: (rank, file) for file in files if (rank := _rank(file)) is not None}
        for file in files:
            if _plays_for(file, offered):
                offered[file.name] = (3, file)
    ordered = sorted(offered.values(), key=lambda ranked: ranked[0])
    page = DigitalCopy(
        label="Read on the archive" if media_type == "texts" else "Open on the archive",
        format=None,
        url=address(f"/details/{identifier}"),
    )
    copies = (
        DigitalCopy(
            label=_label(file),
            format=file.format,
            url=address(f"/download/{identifier}/{_quoted(file.name)}"),
        )
        for _, file in ordered
    )
    return (page, *copies), len(files) - len(offered)


def _file(row: Mapping[str, object]) -> _File | None:
    name = row.get("name")
    if not isinstance(name, str) or not name:
        return None
    kind = first(row.get("format"))
    return _File(
        name=name,
        format=kind,
        title=first(row.get("title")),
        source=first(row.get("source")) or "",
        made_from=first(row.get("original")),
        withheld=_is_true(row.get("private"))
        or _is_true(row.get("old_version"))
        or _BOOKKEEPING_NAME.search(name) is not None
        or (kind or "").lower() in _BOOKKEEPING_FORMATS
        or _ENCRYPTED.search(kind or "") is not None,
    )


def _label(file: _File) -> str:
    """Return the title of a track, or a file's name: other files repeat the item's title."""
    return (file.title if _RECORDING.search(file.name) else None) or file.name


def _rank(file: _File) -> int | None:
    """Return where a copy stands in the list (PDF, book formats, text, media), or None."""
    kind = file.format or ""
    if file.withheld or file.source == "metadata":
        return None
    if _PDF.search(kind):
        return 0
    if _DOCUMENT.search(kind):
        return 1
    if kind.lower() in _TEXT_FORMATS:
        return 2
    is_medium = _PICTURE.search(file.name) or _RECORDING.search(file.name)
    return 3 if file.source == "original" and is_medium else None


def _plays_for(file: _File, offered: Mapping[str, object]) -> bool:
    """Tell whether a derivative can be played in place of an original that is not offered."""
    return (
        not file.withheld
        and file.source == "derivative"
        and _PLAYABLE.search(file.name) is not None
        and file.made_from not in offered
    )


def _quoted(name: str) -> str:
    return "/".join(quote(segment, safe="") for segment in name.split("/"))


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")
