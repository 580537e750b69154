"""Reading one value an archive sent, whatever shape it took this time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

__all__ = [
    "Link",
    "first",
    "joined",
    "links",
    "mapping",
    "number",
    "plain",
    "plain_or_none",
    "rows",
    "texts",
    "web_address",
    "year",
]

_LONGEST_ADDRESS = 2000
"""Characters of an address that somebody could still open."""

_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_BEFORE_CHRIST = re.compile(
    r"(?:(?<![\w?.)\]])[-\u2212]\d{4}|(?<!\d)\d{4}\s*(?:b\.? ?c\b|bce\b|av(?:ant|\.)? ?j))(?!\d)",
    re.IGNORECASE,
)
_TAG = r"<[a-zA-Z/!][^<>]*>"
_MARKUP = re.compile(_TAG + r"|&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]\w*);")
_STRAY = re.compile(f"<(?!{_TAG[1:]})")
_NOT_SHOWN = re.compile(r"<(script|style|head|title)\b.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
_LINE_END = re.compile(r"\r\n?")
_ANCHOR = re.compile(
    r"<a\b[^<>]{0,2000}?\bhref\s*=\s*[\"']([^\"'\s<>]+)[\"'][^<>]{0,2000}>((?:(?!<a\b).)*?)</a>",
    re.IGNORECASE | re.DOTALL,
)
_WRITTEN_OUT = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:)\]]")
_BLOCKS = frozenset(
    ("p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "center")
)
_AFTER = {"br": "\n", "td": " ", "th": " "}
_DEAD = frozenset(("script", "style", "head", "title"))
_FRAME = re.compile(r"</?(?:html|body|plaintext)\b[^<>]*>", re.IGNORECASE)
_ENDLESS_TAG = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)[^<>]{2000,}>")
"""No tag that a reader needs is so long, and a parser compares its attributes with one another."""


def texts(value: object) -> tuple[str, ...]:
    """Return `value` (one value or a list of them) as its non-empty texts, spaces folded."""
    values = value if isinstance(value, list | tuple) else [value]
    found: list[str] = []
    for one in values:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            continue
        folded = " ".join(str(one).split())
        if folded:
            found.append(folded)
    return tuple(found)


def first(value: object) -> str | None:
    """Return the first text of `value`, or None."""
    return next(iter(texts(value)), None)


def joined(value: object, separator: str = "; ") -> str | None:
    """Return the texts of `value` in one line, without repeats, or None."""
    return separator.join(dict.fromkeys(texts(value))) or None


def number(value: object) -> int | None:
    """Return `value` (7, "0000000006", ["6"], {"value": 6}) as a whole number, or None."""
    if isinstance(value, Mapping):
        value = value.get("value")
    text = first(value)
    if text is None or not re.fullmatch(r"\d{1,15}(?:\.0+)?", text):
        return None
    return int(text.partition(".")[0])


def year(value: object) -> int | None:
    """Return the first four-digit year of `value` from 1000 to 2200, or None.

    A year before Christ (`-1712`, `1712 BC`) is none of them.
    """
    for text in texts(value):
        for found in _YEAR.finditer(_BEFORE_CHRIST.sub(" ", text)):
            if 1000 <= int(found[1]) <= 2200:
                return int(found[1])
    return None


def mapping(value: object) -> Mapping[str, object]:
    """Return `value` if it is an object, else an empty one (an empty map may come as a list)."""
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> list[object]:
    """Return `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def web_address(value: object, base: str | None = None) -> str | None:
    """Return the first text of `value` as an http or https address, or None.

    A relative one is resolved against `base`, and is none where there is no base.
    """
    text = first(value)
    if text is None:
        return None
    try:
        address = text if base is None else urljoin(base, text)
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        usable = usable and len(address) <= _LONGEST_ADDRESS
    except ValueError:
        return None
    return address if usable else None


class Link(NamedTuple):
    """An address in a piece of HTML; `text` is what it is put behind, None where it is itself."""

    address: str
    text: str | None


def links(html: str, site: str) -> Iterator[Link]:
    """Yield the links of `html`, absolute on `site`; where it has none, the addresses in it."""
    anchors: list[tuple[str, str]] = _ANCHOR.findall(html)
    for target, text in anchors:
        target = unescape(target)
        on_site = target.startswith("/") and not target.startswith("//")
        address = web_address(site + target if on_site else target, f"{site}/")
        if address is not None:
            yield Link(address, text)
    for written in () if anchors else _WRITTEN_OUT.findall(html):
        if (address := web_address(unescape(written))) is not None:
            yield Link(address, None)


def plain(text: str) -> str:
    """Return `text` read as HTML once: tags to text, entities to characters, lines kept.

    Takes time in proportion to the text, whatever it holds.
    """
    text = _LINE_END.sub("\n", text).strip()
    if not _MARKUP.search(text):
        return text
    markup = _STRAY.sub("&lt;", _FRAME.sub("\n", _ENDLESS_TAG.sub(r"<\1>", text)))
    content = _text_of(f"<html><body><div>{markup}</div></body></html>").strip()
    if not content:
        # A parser may give up on markup nested without end; its text is still worth having.
        content = unescape(re.sub(_TAG, " ", _NOT_SHOWN.sub(" ", text)))
    lines = (" ".join(line.split()) for line in content.split("\n"))
    return "\n".join(line for line in lines if line)


def _text_of(markup: str) -> str:
    from lxml import etree, html

    # `huge_tree`: else what nests deeper than 255 is lost.
    parser = html.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    walk: Any = etree.iterwalk(
        html.document_fromstring(markup, parser=parser), events=("start", "end")
    )
    parts: list[str] = []
    for event, element in walk:
        around = "\n" if element.tag in _BLOCKS else ""
        if event == "end":
            parts += [around or _AFTER.get(element.tag, ""), element.tail or ""]
        elif element.tag in _DEAD:
            walk.skip_subtree()
        else:
            parts += [around, element.text or ""]
    return "".join(parts)


def plain_or_none(value: object) -> str | None:
    """Return the first text of `value` without its markup, or None."""
    text = first(value)
    return (plain(text) or None) if text else None
