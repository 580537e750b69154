"""Digital copies of a record: what a reader can open, apart from what serves the viewer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mcp_books.models import DigitalCopy
from mcp_books.sources import _values

from .wire import secure

__all__ = ["Copies", "copies_of"]

_OFFERED: tuple[tuple[str, str, str | None], ...] = (
    ("url", "image viewer", "text/html"),
    ("pdf", "PDF", "application/pdf"),
    ("text_file", "text", None),
    ("fulltext_file", "text", None),
    ("audio", "audio", None),
    ("video", "video", None),
)
"""Key of a resource, what a reader is told it is, and its format where the key settles it."""

_FORMATS = (
    ("text-services", "application/json"),
    (".json", "application/json"),
    (".pdf", "application/pdf"),
    (".txt", "text/plain"),
    (".xml", "text/xml"),
    (".mp3", "audio/mpeg"),
    (".mp4", "video/mp4"),
)
_BY_PRODUCTS = (
    "image",
    "fulltext_derivative",
    "djvu_text_file",
    "djvu_xml_file",
    "word_coordinates",
)


class Copies(NamedTuple):
    """Copies to open, and how many addresses were left out as by-products."""

    offered: tuple[DigitalCopy, ...]
    by_products: int


def copies_of(document: Mapping[str, object], *, of_page: bool) -> Copies:
    """Return the copies a document offers, one of each kind a resource; `of_page`: that page's."""
    offered: dict[str, DigitalCopy] = {}
    seen: set[str] = set()
    for resource in _resources(document, of_page=of_page):
        files = list(_files(resource.get("files")))
        for copy in _offered_by(resource, files):
            offered.setdefault(copy.url, copy)
        seen.update(address for name in _BY_PRODUCTS if (address := _address(resource, name)))
        seen.update(address for _, file in files if (address := _address(file, "url")))
    return Copies(tuple(offered.values()), len(seen - offered.keys()))


def _resources(document: Mapping[str, object], *, of_page: bool) -> Iterator[Mapping[str, object]]:
    """Give the page's own resource, or those of the document, else those the record sums up."""
    if of_page:
        # `files` counts the images of the whole here; those of this page stand in `page`.
        yield {**_values.mapping(document.get("resource")), "files": [document.get("page")]}
        return
    found = document.get("resources") or _values.mapping(document.get("item")).get("resources")
    yield from (one for one in _values.rows(found) if isinstance(one, Mapping))


def _offered_by(
    resource: Mapping[str, object], files: list[tuple[int, Mapping[str, object]]]
) -> Iterator[DigitalCopy]:
    caption = _values.plain_or_none(resource.get("caption"))
    told: set[str] = set()
    for name, label, kind in _OFFERED:
        address = _address(resource, name)
        if address is not None and label not in told:
            told.add(label)
            yield _copy(label, caption, kind, address)
    several = len({place for place, _ in files}) > 1
    for place, file in files:
        label, address = _offered_file(file)
        if address is not None and label not in told:
            yield _copy(label, f"image {place}" if several else caption, None, address)


def _offered_file(file: Mapping[str, object]) -> tuple[str, str | None]:
    """Return what a file is to a reader, and its address unless it only serves the viewer."""
    text = _address(file, "fulltext_service")
    if text is not None:
        return "text", text
    kind = _values.first(file.get("mimetype"))
    if kind == "application/pdf":
        return "PDF", _address(file, "url")
    return "", None


def _copy(label: str, caption: str | None, kind: str | None, address: str) -> DigitalCopy:
    return DigitalCopy(
        label=f"{label}, {caption}" if caption else label,
        format=kind or next((kind for mark, kind in _FORMATS if mark in address), None),
        url=address,
    )


def _files(value: object) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Give each file with the image it belongs to; `value` may be a mere count of images."""
    for place, group in enumerate(_values.rows(value), 1):
        for file in group if isinstance(group, list) else [group]:
            if isinstance(file, Mapping):
                yield place, file


def _address(block: Mapping[str, object], name: str) -> str | None:
    address = secure(_values.first(block.get(name)) or "")
    return address if address.startswith(("http://", "https://")) else None
