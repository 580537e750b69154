"""Writes a small EPUB 3: one document a chapter, a navigation document, a page list if paged."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from html import escape

from mcp_books.demo.calibre.texts import Chapter

__all__ = ["write_epub"]

_CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
    'version="1.0"><rootfiles><rootfile full-path="book.opf" '
    'media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_DOCUMENT = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
    'lang="{language}"><head><title>{title}</title></head><body>{body}</body></html>'
)
_PACKAGE = (
    '<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="http://www.idpf.org/2007/opf" '
    'version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
    '<dc:identifier id="id">urn:uuid:{uuid}</dc:identifier><dc:title>{title}</dc:title>'
    "<dc:creator>{author}</dc:creator><dc:language>{language}</dc:language>"
    '<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata><manifest>'
    '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    "{items}</manifest><spine>{spine}</spine></package>"
)


def write_epub(
    chapters: Sequence[Chapter], *, title: str, author: str, language: str, uuid: str
) -> bytes:
    """Return an EPUB of `chapters`."""
    numbers = range(1, len(chapters) + 1)
    parts = {
        "META-INF/container.xml": _CONTAINER,
        "book.opf": _PACKAGE.format(
            uuid=uuid,
            title=escape(title),
            author=escape(author),
            language=language,
            items="".join(
                f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>'
                for n in numbers
            ),
            spine="".join(f'<itemref idref="c{n}"/>' for n in numbers),
        ),
        "nav.xhtml": _DOCUMENT.format(
            language=language, title=escape(title), body=_contents(chapters) + _pages(chapters)
        ),
    }
    for number, chapter in zip(numbers, chapters, strict=True):
        parts[f"c{number}.xhtml"] = _DOCUMENT.format(
            language=language, title=escape(chapter.title), body=_body(chapter)
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def _body(chapter: Chapter) -> str:
    told = [f"<h1>{escape(chapter.title)}</h1>"]
    for label, paragraphs in chapter.pages:
        if label is not None:
            told.append(
                f'<span epub:type="pagebreak" role="doc-pagebreak" id="p{label}" '
                f'aria-label="{label}"></span>'
            )
        told += [f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs]
    return "".join(told)


def _contents(chapters: Sequence[Chapter]) -> str:
    """Return the table of contents: the parts of the book, and their chapters below them."""
    parts: dict[str, list[str]] = {}
    for number, chapter in enumerate(chapters, 1):
        entry = f'<li><a href="c{number}.xhtml">{escape(chapter.title)}</a></li>'
        parts.setdefault(chapter.part, []).append(entry)
    entries = "".join(
        f"<li><span>{escape(part)}</span><ol>{''.join(below)}</ol></li>"
        for part, below in parts.items()
    )
    return f'<nav epub:type="toc"><ol>{entries}</ol></nav>'


def _pages(chapters: Sequence[Chapter]) -> str:
    entries = "".join(
        f'<li><a href="c{number}.xhtml#p{label}">{label}</a></li>'
        for number, chapter in enumerate(chapters, 1)
        for label, _ in chapter.pages
        if label is not None
    )
    return f'<nav epub:type="page-list"><ol>{entries}</ol></nav>' if entries else ""
