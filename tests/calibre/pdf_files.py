"""A small builder of PDF files: pages of text, label trees, outlines, encryption, and damage."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["UNLOADABLE", "Entry", "damaged_xref", "pdf"]

UNLOADABLE = "a page whose object is not a page"
"""Given as a page, makes one that cannot be loaded."""

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_PERMISSIONS = -4


@dataclass(frozen=True)
class Entry:
    """One entry of an outline: its title, the index of its page (None: no destination)."""

    title: str
    page: int | None = None
    children: Sequence[Entry] = field(default=())
    file: str | None = None
    """Another file that the entry leads into."""


class _File:
    """The objects of a file, numbered from 1 as they are added."""

    def __init__(self) -> None:
        self.objects: list[bytes] = []
        self.streams: dict[int, bytes] = {}
        self.codes: dict[str, int] = {}

    def reserve(self) -> int:
        self.objects.append(b"null")
        return len(self.objects)

    def put(self, number: int, body: str | bytes) -> int:
        self.objects[number - 1] = body.encode("latin-1") if isinstance(body, str) else body
        return number

    def add(self, body: str | bytes) -> int:
        return self.put(self.reserve(), body)

    def stream(self, data: bytes, entries: str = "") -> int:
        return self.put_stream(self.reserve(), data, entries)

    def put_stream(self, number: int, data: bytes, entries: str = "") -> int:
        self.streams[number] = data
        return self.put(number, f"<< /Length {len(data)} {entries} >>")

    def body(self, number: int, key: bytes | None) -> bytes:
        data = self.streams.get(number)
        if data is None:
            return self.objects[number - 1]
        if key is not None:
            salted = key + number.to_bytes(3, "little") + b"\0\0"
            data = _rc4(_md5(salted)[:10], data)
        return self.objects[number - 1] + b"\nstream\n" + data + b"\nendstream"

    def write(self, trailer: str, key: bytes | None = None) -> bytes:
        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for number in range(1, len(self.objects) + 1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%b\nendobj\n" % (number, self.body(number, key))
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
        out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        out += f"trailer\n<< /Size {len(offsets) + 1} {trailer} >>\n".encode("latin-1")
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)

    def write_compressed(self, trailer: str) -> bytes:
        packed = [n for n in range(1, len(self.objects) + 1) if n not in self.streams]
        index, text = b"", b""
        for number in packed:
            index += b"%d %d " % (number, len(text))
            text += self.objects[number - 1] + b" "
        container = self.stream(
            zlib.compress(index + text),
            f"/Type /ObjStm /N {len(packed)} /First {len(index)} /Filter /FlateDecode",
        )
        table = len(self.objects) + 1
        out = bytearray(b"%PDF-1.5\n")
        rows = {0: (0, 0, 65535)} | {n: (2, container, at) for at, n in enumerate(packed)}
        for number in self.streams:
            rows[number] = (1, len(out), 0)
            out += b"%d 0 obj\n%b\nendobj\n" % (number, self.body(number, None))
        rows[table] = (1, len(out), 0)
        data = b"".join(
            bytes([kind]) + where.to_bytes(4, "big") + at.to_bytes(2, "big")
            for _, (kind, where, at) in sorted(rows.items())
        )
        head = f"<< /Type /XRef /Size {table + 1} /W [1 4 2] /Length {len(data)} {trailer} >>"
        start = len(out)
        out += b"%d 0 obj\n%b\nstream\n%b\nendstream\nendobj\n" % (table, head.encode(), data)
        return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def pdf(
    pages: Sequence[str | None],
    *,
    labels: Sequence[tuple[int, str]] = (),
    label_tree: Sequence[str] = (),
    outline: Sequence[Entry] = (),
    outline_loops: bool = False,
    password: str | None = None,
    security_handler: str | None = None,
    compressed: bool = False,
) -> bytes:
    """Return a PDF file.

    Each page is its text, line by line; None is a page that holds only a picture. `labels` gives
    the label dictionary of each range by its first page, `(4, "/S /D /P (A-)")`; `label_tree` is
    instead all nodes of the tree, which refer to one another as `@0`, `@1`. With `outline_loops`
    the last entry of the outline is followed by the first again. With `password` the file is
    encrypted (RC4, 40 bits; strings are not, so no prefix or title can be read);
    `security_handler` is named as what locks it. A `compressed` file keeps its objects in one
    object stream, as those of PDF 1.5 do.
    """
    file = _File()
    catalogue, tree, font, cmap = (file.reserve() for _ in range(4))
    kids = [_page(file, tree, font, text) for text in pages]
    _font(file, font, cmap)
    references = " ".join(f"{kid} 0 R" for kid in kids)
    file.put(tree, f"<< /Type /Pages /Count {len(kids)} /Kids [{references}] >>")
    entries = f"/Type /Catalog /Pages {tree} 0 R"
    if labels:
        ranges = " ".join(f"{first} << {style} >>" for first, style in labels)
        label_tree = [f"<< /Nums [{ranges}] >>"]
    if label_tree:
        entries += f" /PageLabels {_linked(file, label_tree)} 0 R"
    if outline:
        entries += f" /Outlines {_outline(file, outline, kids, loops=outline_loops)} 0 R"
    file.put(catalogue, f"<< {entries} >>")
    trailer = f"/Root {catalogue} 0 R"
    if security_handler is not None:
        trailer += f" /Encrypt << /Filter /{security_handler} /V 4 /Length 128 >>"
    if compressed:
        return file.write_compressed(trailer)
    key = None
    if password is not None:
        key, locked = _encryption(password)
        trailer += locked
    return file.write(trailer, key)


def damaged_xref(data: bytes) -> bytes:
    """Return the file with a cross-reference table that points nowhere."""
    start = data.rindex(b"startxref")
    return data[:start] + b"startxref\n999999\n%%EOF\n"


def _linked(file: _File, nodes: Sequence[str]) -> int:
    numbers = [file.reserve() for _ in nodes]
    for number, node in zip(numbers, nodes, strict=True):
        file.put(number, re.sub(r"@(\d)", lambda at: f"{numbers[int(at[1])]} 0 R", node))
    return numbers[0]


def _page(file: _File, tree: int, font: int, text: str | None) -> int:
    if text == UNLOADABLE:
        return file.add("(not a page)")
    resources = f"/Font << /F {font} 0 R >>"
    if text is None:
        picture = file.stream(
            b"\x00\xff\xff\x00",
            "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray"
            " /BitsPerComponent 8",
        )
        resources = f"/XObject << /I {picture} 0 R >>"
        content = b"q 500 0 0 700 50 50 cm /I Do Q"
    else:
        content = b"BT /F 10 Tf 12 TL 50 750 Td\n%b\nET" % b"\n".join(
            b"<%b> Tj T*" % _encode(file, line) for line in text.split("\n")
        )
    drawn = file.stream(content)
    return file.add(
        f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 900 800]"
        f" /Resources << {resources} >> /Contents {drawn} 0 R >>"
    )


def _encode(file: _File, line: str) -> bytes:
    codes = [file.codes.setdefault(character, len(file.codes) + 1) for character in line]
    return b"".join(b"%04x" % code for code in codes)


def _font(file: _File, font: int, cmap: int) -> None:
    """Write a font whose glyphs are numbered as they are met, and its map back to Unicode."""
    described = file.add(
        "<< /Type /FontDescriptor /FontName /Plain /Flags 4 /FontBBox [0 0 500 700]"
        " /ItalicAngle 0 /Ascent 700 /Descent 0 /CapHeight 700 /StemV 80 >>"
    )
    descendant = file.add(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Plain /DW 500"
        " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        f" /FontDescriptor {described} 0 R >>"
    )
    file.put(
        font,
        "<< /Type /Font /Subtype /Type0 /BaseFont /Plain /Encoding /Identity-H"
        f" /DescendantFonts [{descendant} 0 R] /ToUnicode {cmap} 0 R >>",
    )
    pairs = [f"<{code:04x}> <{_utf16(character)}>" for character, code in file.codes.items()]
    blocks = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
    mapped = "\n".join(
        f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks
    )
    program = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "/CMapName /Plain def /CMapType 2 def\n"
        "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"
        f"{mapped}\nendcmap end end"
    ).encode("ascii")
    file.put_stream(cmap, program)


def _utf16(text: str) -> str:
    return text.encode("utf-16-be", "surrogatepass").hex()


def _outline(file: _File, entries: Sequence[Entry], kids: Sequence[int], *, loops: bool) -> int:
    root = file.reserve()
    first, last = _siblings(file, entries, root, kids, loops=loops)
    return file.put(root, f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R >>")


def _siblings(
    file: _File, entries: Sequence[Entry], parent: int, kids: Sequence[int], *, loops: bool
) -> tuple[int, int]:
    numbers = [file.reserve() for _ in entries]
    for place, (number, entry) in enumerate(zip(numbers, entries, strict=True)):
        body = f"/Title <feff{_utf16(entry.title)}> /Parent {parent} 0 R"
        if entry.page is not None:
            body += f" /Dest [{kids[entry.page]} 0 R /Fit]"
        if entry.file is not None:
            body += f" /A << /S /GoToR /F ({entry.file}) /D [0 /Fit] >>"
        if place + 1 < len(numbers) or loops:
            body += f" /Next {numbers[(place + 1) % len(numbers)]} 0 R"
        if entry.children:
            first, last = _siblings(file, entry.children, number, kids, loops=False)
            body += f" /First {first} 0 R /Last {last} 0 R"
        file.put(number, f"<< {body} >>")
    return numbers[0], numbers[-1]


def _encryption(password: str) -> tuple[bytes, str]:
    """Return the key of a file locked by `password`, and what its trailer says of the lock.

    ISO 32000-1, 7.6.3, revision 2.
    """
    padded = (password.encode("latin-1") + _PADDING)[:32]
    owner = _rc4(_md5(padded)[:5], padded)
    identifier = bytes(range(16))
    key = _md5(padded + owner + _PERMISSIONS.to_bytes(4, "little", signed=True) + identifier)[:5]
    user = _rc4(key, _PADDING)
    return key, (
        f" /ID [<{identifier.hex()}> <{identifier.hex()}>] /Encrypt << /Filter /Standard /V 1 /R 2"
        f" /O <{owner.hex()}> /U <{user.hex()}> /P {_PERMISSIONS} >>"
    )


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
