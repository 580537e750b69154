"""Reading one value an archive sent, whatever shape it took this time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

__all__ = [
    "first",
    "joined",
    "mapping",
    "number",
    "plain",
    "plain_or_none",
    "rows",
    "texts",
    "web_address",
    "year",
]

_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_TAG = r"<[a-zA-Z/!][^<>]*>"
_MARKUP = re.compile(_TAG + r"|&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]\w*);")
_STRAY = re.compile(f"<(?!{_TAG[1:]})")
_LINE_END = re.compile(r"\r\n?")
_BLOCKS = ("p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "center")
_CELLS = ("td", "th")


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
    """Return the first four-digit year of `value` from 1000 to 2200, or None."""
    for text in texts(value):
        for found in _YEAR.finditer(text):
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
    except ValueError:
        return None
    return address if usable else None


def plain(text: str) -> str:
    """Return `text` read as HTML once: tags to text, entities to characters, lines kept."""
    text = _LINE_END.sub("\n", text).strip()
    if not _MARKUP.search(text):
        return text
    from lxml import html

    parser = html.HTMLParser(huge_tree=True)  # else what nests deeper than 255 is lost
    markup = _STRAY.sub("&lt;", text)
    whole = f"<html><body><div>{markup}</div></body></html>"
    root: Any = html.document_fromstring(whole, parser=parser)
    for dead in root.xpath(".//script | .//style | .//head | .//title"):
        dead.drop_tree()
    for line_break in root.iter("br"):
        line_break.tail = "\n" + (line_break.tail or "")
    for block in root.iter(*_BLOCKS):
        block.text = "\n" + (block.text or "")
        block.tail = "\n" + (block.tail or "")
    for cell in root.iter(*_CELLS):
        cell.tail = " " + (cell.tail or "")
    # A parser may give up on markup nested without end; its text is still worth having.
    content = str(root.text_content()).strip() or re.sub(_TAG, " ", text)
    lines = (" ".join(line.split()) for line in content.split("\n"))
    return "\n".join(line for line in lines if line)


def plain_or_none(value: object) -> str | None:
    """Return the first text of `value` without its markup, or None."""
    text = first(value)
    return (plain(text) or None) if text else None
