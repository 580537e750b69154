"""Untrusted XML and HTML of a book: bytes to characters, characters to parser events or a tree.

No document type survives (so no entity is ever declared, nothing is expanded or fetched); HTML's
named characters are read without one. Well-formed XHTML is read as XML, all else as HTML.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from html.entities import html5
from typing import Any, Protocol, TypeVar

from lxml import etree

__all__ = ["Events", "decode", "feed", "is_text", "local_name", "parse_tree"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)|<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE,
)
_DECLARED_WITHIN = 2048
_MULTIBYTE = re.compile(
    r"big5(hkscs)?|cp9(32|49|50)|euc_(jis_2004|jp|kr)|gb(k|2312|18030)|hz|iso2022_(jp|kr)|johab"
    r"|shift_jis(_2004)?"
)
_SINGLE_BYTE = re.compile(r"cp(125\d|437|85\d|86\d|874)|iso8859-\d+|koi8-[rtu]|mac-\w+|tis-620")
_READ_AS = {"ascii": "cp1252", "iso8859-1": "cp1252"}

_XML_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*>", re.IGNORECASE)
_DOCTYPE = re.compile(
    r"""<!DOCTYPE\b[^\[>]*+(?:\[(?:<!--(?>.*?-->)|"[^"]*+"|'[^']*+'|[^\]"'])*+\]\s*+)?>""",
    re.IGNORECASE | re.DOTALL,
)
_DOCTYPE_OPENS = re.compile(r"<!DOCTYPE\b", re.IGNORECASE)
_NOT_XML = re.compile("[\x00-\x08\x0b\x0e-\x1f\ufeff\ufffe\uffff\ud800-\udfff]")
_STRANGE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd]")
_STRANGE_AT_MOST = 20
_JUDGED_BY = 4096
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")


class Events(Protocol):
    """What a parser tells as it reads; `data` may come in pieces."""

    @property
    def data(self) -> Callable[[str], object]:
        """What takes the text."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> object:
        """Take the start of an element."""

    def end(self, tag: str) -> object:
        """Take the end of an element."""

    def close(self) -> object:
        """Take the end of the document."""


_E = TypeVar("_E", bound=Events)


def decode(markup: bytes) -> str:
    """Return the characters: a byte order mark, then what the document declares, then a guess."""
    for mark, encoding in _BOMS:
        if markup.startswith(mark):
            return markup[len(mark) :].decode(encoding, "replace")
    if markup[:2] in (b"<\0", b"\0<"):
        return markup.decode("utf-16-le" if markup[:1] == b"<" else "utf-16-be", "replace")
    declared = _declared(markup[:_DECLARED_WITHIN])
    if declared is not None:
        return markup.decode(declared, "replace")
    try:
        return markup.decode("utf-8")
    except UnicodeDecodeError:
        return _mostly_utf8(markup)


def is_text(markup: bytes) -> bool:
    """Whether the bytes are text at all, not encrypted or another kind of file."""
    head = decode(markup[:_JUDGED_BY])
    strange = len(_STRANGE.findall(head))
    return strange * _STRANGE_AT_MOST <= len(head)


def feed(markup: bytes | str, make: Callable[[], _E]) -> _E:
    """Read a document into a new `make()`, as XML where it is well-formed, else as HTML.

    A document that neither parser can finish gives what was read of it.
    """
    text = _clean(markup if isinstance(markup, str) else decode(markup))
    data = text.encode()
    if _DOCTYPE_OPENS.search(text) is None:
        target = make()
        if _fed(data, _xml_parser(target=target)):
            return target
    target = make()
    options: dict[str, Any] = {"target": target, "encoding": "utf-8", "huge_tree": True}
    _fed(data, etree.HTMLParser(**options))
    return target


def parse_tree(markup: bytes | str) -> etree._Element | None:
    """Return the root of a small XML document, mended where it is broken; None if there is none."""
    text = _clean(markup if isinstance(markup, str) else decode(markup))
    if _DOCTYPE_OPENS.search(text) is not None:
        return None
    try:
        return etree.fromstring(text.encode(), _xml_parser(recover=True, huge_tree=False))
    except etree.LxmlError:
        return None


def local_name(tag: str) -> str:
    """Return an element's or attribute's name without namespace or prefix, in lower case."""
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def _declared(head: bytes) -> str | None:
    found = _DECLARED.search(head)
    if found is None:
        return None
    try:
        name = codecs.lookup((found[1] or found[2]).decode("ascii", "replace")).name
    except (LookupError, ValueError):
        return None
    if _MULTIBYTE.fullmatch(name):
        return name
    name = _READ_AS.get(name, name)
    return name if _SINGLE_BYTE.fullmatch(name) else None


def _mostly_utf8(markup: bytes) -> str:
    text = markup.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    foreign = len(text) - len(text.encode("ascii", "ignore")) - broken
    return text if foreign > broken else markup.decode("cp1252", "replace")


def _clean(text: str) -> str:
    text = _NOT_XML.sub("", text)
    text = _XML_DECLARATION.sub("", text, count=1) if _XML_DECLARATION.match(text) else text
    opens = _DOCTYPE_OPENS.search(text)
    doctype = _DOCTYPE.match(text, opens.start()) if opens is not None else None
    if doctype is not None:
        text = text[: doctype.start()] + text[doctype.end() :]
    text = text.replace("\f", " ")
    return _NAMED.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    character = html5.get(found[1] + ";")
    if character is None or any(mark in character for mark in "<>&\"'"):
        return found[0]
    return character


def _xml_parser(**options: Any) -> etree.XMLParser:
    return etree.XMLParser(
        **{
            "encoding": "utf-8",
            "huge_tree": True,  # long texts and deep nesting; without entities nothing can swell
            "load_dtd": False,
            "no_network": True,
            "remove_comments": True,
            "remove_pis": True,
            "resolve_entities": False,
            **options,
        }
    )


def _fed(data: bytes, parser: Any) -> bool:
    """Feed the parser's target; whether the parser reached the end without complaint."""
    try:
        etree.fromstring(data, parser)
    except etree.LxmlError:
        return False
    return True
