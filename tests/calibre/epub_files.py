"""A small builder of EPUB files: texts, spine, navigation, page lists, licences, and damage."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["CONTAINER", "encrypted", "epub", "flagged", "nav", "ncx", "opf", "page_list", "xhtml"]

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
    ' version="1.0"><rootfiles><rootfile full-path="OPS/book.opf"'
    ' media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_OPS = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'


def xhtml(body: str) -> str:
    """Return a document with this body."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n<html {_OPS}>'
        f"<head><title>A title</title></head><body>{body}</body></html>"
    )


def nav(toc: str = "", pages: str = "", landmarks: str = "") -> str:
    """Return a navigation document of these lists, each the inside of an `ol`."""
    lists = (("toc", toc), ("page-list", pages), ("landmarks", landmarks))
    return xhtml(
        "".join(
            f'<nav epub:type="{kind}"><h2>{kind}</h2><ol>{entries}</ol></nav>'
            for kind, entries in lists
            if entries
        )
    )


def page_list(*entries: str) -> str:
    """Return the inside of a page list, given each entry as "label address"."""
    pairs = (entry.split(" ", 1) for entry in entries)
    return "".join(f'<li><a href="{address}">{label}</a></li>' for label, address in pairs)


def ncx(points: str = "", targets: str = "") -> str:
    """Return an NCX of these navPoints and pageTargets."""
    return (
        '<?xml version="1.0"?><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">'
        f"<navMap>{points}</navMap><pageList>{targets}</pageList></ncx>"
    )


def opf(manifest: str, spine: str, guide: str = "", attributes: str = "") -> str:
    """Return a package document of these items, itemrefs and references."""
    return (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f"<metadata/><manifest>{manifest}</manifest><spine {attributes}>{spine}</spine>"
        f"<guide>{guide}</guide></package>"
    )


def epub(
    path: Path,
    texts: Mapping[str, str | bytes],
    *,
    nav: str | None = None,
    ncx: str | None = None,
    guide: str = "",
    spine: Sequence[str] | None = None,
    aside: Sequence[str] = (),
    others: Mapping[str, str | bytes] | None = None,
) -> Path:
    """Write a book whose texts stand in OPS/, and return its path.

    A text given as a body is wrapped, as a document or as bytes it is kept. `spine` names the texts
    in reading order (by default the given order), `aside` those with linear="no"; "nav" is the
    navigation document. `others` are further entries, and replace any of the same name.
    """
    entries: dict[str, str | bytes] = {"META-INF/container.xml": CONTAINER}
    items = []
    for name, text in texts.items():
        items.append(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>')
        is_body = isinstance(text, str) and not text.startswith("<?xml")
        entries[f"OPS/{name}"] = xhtml(str(text)) if is_body else text
    if nav is not None:
        entries["OPS/nav.xhtml"] = nav
        items.append(
            '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        )
    if ncx is not None:
        entries["OPS/toc.ncx"] = ncx
        items.append('<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>')
    order = texts if spine is None else spine
    references = "".join(
        f'<itemref idref="{name}"{" linear=" + chr(34) + "no" + chr(34) if name in aside else ""}/>'
        for name in order
    )
    toc = 'toc="ncx"' if ncx is not None else ""
    entries["OPS/book.opf"] = opf("".join(items), references, guide, toc)
    entries.update(others or {})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def encrypted(*entries: tuple[str, str]) -> str:
    """Return META-INF/encryption.xml for these entries, each with its algorithm."""
    data = "".join(
        f'<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod'
        f' Algorithm="{algorithm}"/><CipherData><CipherReference URI="{name}"/></CipherData>'
        "</EncryptedData>"
        for name, algorithm in entries
    )
    return (
        f'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">{data}</encryption>'
    )


def flagged(path: Path, name: str, *, checksum: int | None = None, size: int | None = None) -> None:
    """Change what the zip file says of one entry: its checksum or size; by default, encrypted."""
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo(name)
        start = archive.start_dir
    central = data.index(entry.filename.encode(), start) - 46
    # Where the flags, the checksum and the size stand: in the entry's own header, in the directory.
    for flags, check, length in (
        (entry.header_offset + 6, entry.header_offset + 14, entry.header_offset + 22),
        (central + 8, central + 16, central + 24),
    ):
        if checksum is not None:
            struct.pack_into("<L", data, check, checksum)
        if size is not None:
            struct.pack_into("<L", data, length, size)
        if checksum is None and size is None:
            struct.pack_into("<H", data, flags, entry.flag_bits | 1)
    path.write_bytes(data)
