"""Writes a small PDF: pages of text with a folio, page labels and an outline (ISO 32000-1)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mcp_books.demo.calibre.texts import Page

__all__ = ["write_pdf"]

_CATALOGUE, _TREE, _FONT, _OUTLINE = 1, 2, 3, 4
_FIRST_PAGE = 5
_LINE = 88


def write_pdf(pages: Sequence[Page], *, title: str) -> bytes:
    """Return a PDF of `pages`; folios in Roman numerals come first, then those in digits."""
    roman = sum(not page.folio.isdecimal() for page in pages)
    opening = [(place, page.opens) for place, page in enumerate(pages) if page.opens is not None]
    first_entry = _FIRST_PAGE + 2 * len(pages)
    kids = " ".join(f"{_page_number(place)} 0 R" for place in range(len(pages)))
    bodies: list[bytes] = [
        f"<< /Type /Catalog /Pages {_TREE} 0 R /Outlines {_OUTLINE} 0 R /PageLabels "
        f"<< /Nums [0 << /S /r >> {roman} << /S /D >>] >> >>".encode(),
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>",
        f"<< /Type /Outlines /First {first_entry} 0 R /Last {first_entry + len(opening) - 1} 0 R "
        f"/Count {len(opening)} >>".encode(),
    ]
    for place, page in enumerate(pages):
        content = _content(page)
        bodies += [
            f"<< /Type /Page /Parent {_TREE} 0 R /MediaBox [0 0 480 640] /Resources "
            f"<< /Font << /F {_FONT} 0 R >> >> /Contents {_page_number(place) + 1} 0 R >>".encode(),
            b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content),
        ]
    for number, (place, chapter) in enumerate(opening, first_entry):
        before = f" /Prev {number - 1} 0 R" if number > first_entry else ""
        after = f" /Next {number + 1} 0 R" if number + 1 < first_entry + len(opening) else ""
        bodies.append(
            f"<< /Title {_text(chapter)} /Parent {_OUTLINE} 0 R "
            f"/Dest [{_page_number(place)} 0 R /Fit]{before}{after} >>".encode()
        )
    return _file(bodies, title)


def _page_number(place: int) -> int:
    """Return the number of a page's object; that of its content follows it."""
    return _FIRST_PAGE + 2 * place


def _content(page: Page) -> bytes:
    lines: list[str] = []
    for paragraph in page.paragraphs:
        lines += [*textwrap.wrap(paragraph, _LINE), ""]
    shown = b"\n".join(b"<%b> Tj T*" % line.encode("cp1252").hex().encode() for line in lines)
    folio = page.folio.encode("cp1252").hex().encode()
    return b"BT /F 10 Tf 14 TL 40 590 Td\n%b\nET\nBT /F 10 Tf 230 30 Td <%b> Tj ET" % (shown, folio)


def _text(text: str) -> str:
    return f"<feff{text.encode('utf-16-be').hex()}>"


def _file(bodies: Sequence[bytes], title: str) -> bytes:
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += (
        f"trailer\n<< /Size {len(offsets) + 1} /Root {_CATALOGUE} 0 R "
        f"/Info << /Title {_text(title)} >> >>\nstartxref\n{start}\n%%EOF\n"
    ).encode()
    return bytes(out)
